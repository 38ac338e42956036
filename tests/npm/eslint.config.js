// SPDX-License-Identifier: Apache-2.0
// What eslint asks of the scripts of the pages, and of the scripts beside this file. Names that nobody declares are
// TypeScript's to find: it knows all that browsers have.
'use strict';
const js = require('@eslint/js');

const rules = {
  ...js.configs.recommended.rules,
  'array-callback-return': 'error',
  'block-scoped-var': 'error',
  'default-case-last': 'error',
  'eqeqeq': 'error',
  'no-array-constructor': 'error',
  'no-caller': 'error',
  'no-constant-binary-expression': 'error',
  'no-constructor-return': 'error',
  'no-eval': 'error',
  'no-extend-native': 'error',
  'no-extra-bind': 'error',
  'no-implied-eval': 'error',
  'no-invalid-this': 'error',
  'no-iterator': 'error',
  'no-lonely-if': 'error',
  'no-loop-func': 'error',
  'no-new-func': 'error',
  'no-new-wrappers': 'error',
  'no-promise-executor-return': 'error',
  'no-proto': 'error',
  'no-return-assign': ['error', 'except-parens'],
  'no-script-url': 'error',
  // names of a run are text, never markup
  'no-restricted-properties': ['error', ...['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'parseFromString', 'createContextualFragment', 'srcdoc']
    .map((property) => ({ property, message: 'Insert text and elements, not markup.' })), { object: 'document', property: 'write', message: 'Insert text and elements, not markup.' }],
  'no-self-compare': 'error',
  'no-sequences': 'error',
  'no-shadow': 'error',
  'no-template-curly-in-string': 'error',
  'no-throw-literal': 'error',
  'no-undef': 'off',
  'no-unmodified-loop-condition': 'error',
  'no-unreachable-loop': 'error',
  'no-unused-expressions': 'error',
  'no-unused-private-class-members': 'error',
  'no-unused-vars': ['error', { args: 'after-used', vars: 'all' }],
  'no-use-before-define': ['error', { functions: false, classes: false }],
  'no-useless-call': 'error',
  'no-useless-computed-key': 'error',
  'no-useless-concat': 'error',
  'no-useless-rename': 'error',
  'no-useless-return': 'error',
  'no-var': 'error',
  'object-shorthand': 'error',
  'prefer-const': ['error', { destructuring: 'all' }],
  'prefer-promise-reject-errors': 'error',
  'prefer-rest-params': 'error',
  'prefer-spread': 'error',
  'radix': 'error',
  'require-atomic-updates': 'error',
  'strict': ['error', 'global'],
  'symbol-description': 'error',
};

module.exports = [
  { languageOptions: { ecmaVersion: 2022, sourceType: 'script' }, linterOptions: { reportUnusedDisableDirectives: true } },
  { files: ['**/*.page.js'], rules },
  { files: ['**/*.node.js'], languageOptions: { sourceType: 'commonjs' }, rules },
];
