// SPDX-License-Identifier: Apache-2.0
// check_pages.js ASSETS - eslint and TypeScript over the scripts of the pages in the folder ASSETS, and eslint over
// the scripts beside this file. A page is looked at as the browser gets it: its inline scripts, with {{asset:NAME}}
// replaced by that file. Prints FILE:LINE:COLUMN for each finding; exits 1 if there is one.
'use strict';
const fs = require('fs');
const path = require('path');
const { loadESLint } = require('eslint');
const ts = require('typescript');

const INLINE = /<script\b([^>]*)>([\s\S]*?)<\/script>/gi;
const HANDLER = /<[^>]*\son[a-z]+\s*=/i;
const HOLE = /^\s*\{\{asset:([^}]+)\}\}\s*$/;

let findings = 0;
function report(file, line, column, text) {
  findings++;
  process.stdout.write(`${file}:${line}:${column}: ${text}\n`);
}

/** The text of a page's script, and where each of its lines stands. */
function scriptOf(folder, page, used) {
  const file = path.join(folder, page), html = fs.readFileSync(file, 'utf8');
  const lines = [], from = [];
  const add = (name, text, first) => text.split('\n').forEach((line, i) => {
    lines.push(line);
    from.push({ file: name, line: first + i });
  });
  html.split('\n').forEach((line, i) => {
    if (HANDLER.test(line)) report(file, i + 1, 1, 'a script inside an attribute: use addEventListener()');
  });
  for (const [whole, attributes, text] of html.matchAll(INLINE)) {
    const type = /\btype="([^"]*)"/.exec(attributes);
    if (type && !/javascript|module/.test(type[1])) continue; // data
    const start = html.slice(0, html.indexOf(whole)).split('\n').length;
    text.split('\n').forEach((line, i) => {
      const hole = HOLE.exec(line);
      if (!hole) return add(file, line, start + i);
      if (!hole[1].endsWith('.js')) return report(file, start + i, 1, `${hole[1]} is not a script`);
      used.add(hole[1]);
      return add(path.join(folder, hole[1]), fs.readFileSync(path.join(folder, hole[1]), 'utf8'), 1);
    });
  }
  return { text: lines.join('\n'), from };
}

async function lint(eslint, text, filePath, place) {
  for (const result of await eslint.lintText(text, { filePath }))
    for (const m of result.messages) {
      const { file, line } = place(m.line);
      report(file, line, m.column, `${m.message} [eslint ${m.ruleId || 'syntax'}]`);
    }
}

const libraries = new Map(); // the browser's and the language's, read once for all pages
function library(read, file, ...more) {
  if (!libraries.has(file)) libraries.set(file, read(file, ...more));
  return libraries.get(file);
}

function types(text, from) {
  const config = ts.readConfigFile(path.join(__dirname, 'tsconfig.json'), ts.sys.readFile).config;
  const { options, errors } = ts.convertCompilerOptionsFromJson(config.compilerOptions, __dirname);
  for (const e of errors) report('tests/npm/tsconfig.json', 1, 1, ts.flattenDiagnosticMessageText(e.messageText, '\n'));
  const name = path.join(__dirname, 'page.js'), host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host), exists = host.fileExists.bind(host);
  const source = ts.createSourceFile(name, text, options.target, true, ts.ScriptKind.JS);
  host.getSourceFile = (file, ...more) => (file === name ? source : library(read, file, ...more));
  host.fileExists = (file) => file === name || exists(file);
  for (const d of ts.getPreEmitDiagnostics(ts.createProgram([name], options, host))) {
    const at = d.file === source ? source.getLineAndCharacterOfPosition(d.start) : null;
    const { file, line } = at ? from[at.line] : { file: 'tests/npm/tsconfig.json', line: 1 };
    report(file, line, at ? at.character + 1 : 1, `${ts.flattenDiagnosticMessageText(d.messageText, ' ')} [ts ${d.code}]`);
  }
}

async function main(folder) {
  const ESLint = await loadESLint({ useFlatConfig: true });
  const eslint = new ESLint({ overrideConfigFile: path.join(__dirname, 'eslint.config.js'), cwd: __dirname });
  const names = fs.readdirSync(folder).sort(), used = new Set();
  const pages = names.filter((name) => name.endsWith('.html'));
  if (!pages.length) report(folder, 1, 1, 'no page here');
  for (const page of pages) {
    const { text, from } = scriptOf(folder, page, used);
    await lint(eslint, text, path.join(__dirname, `${page}.page.js`), (line) => from[line - 1]);
    types(text, from);
  }
  for (const name of names)
    if (name.endsWith('.js') && !used.has(name)) report(path.join(folder, name), 1, 1, 'no page uses it');
  for (const name of fs.readdirSync(__dirname).sort())
    if (name.endsWith('.js'))
      await lint(eslint, fs.readFileSync(path.join(__dirname, name), 'utf8'), path.join(__dirname, `${name}.node.js`),
                 (line) => ({ file: path.join('tests/npm', name), line }));
  process.exitCode = findings ? 1 : 0;
}

main(process.argv[2]);
