// SPDX-License-Identifier: Apache-2.0
// page_where.js - the language of --where: "bound=DRAM and (cores<10 or time>100)".

/** @typedef {(row: number) => boolean} Test */

const SIGNS = ['==', '!=', '<=', '>=', '!~', '=', '<', '>', '~'];
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const WORD = /^[^ \t()=!<>~'"]+/;

class Where {
  /** @param {Part} part @param {string} text */
  constructor(part, text) {
    this.part = part;
    this.rest = text;
    this.depth = 0;
  }

  /** @param {Part} part @param {string} text @returns {Test} */
  static parse(part, text) {
    const where = new Where(part, text);
    const test = where.or();
    where.blanks();
    if (where.rest) throw new SyntaxError(where.expected("'and', 'or' or the end"));
    return test;
  }

  blanks() {
    this.rest = this.rest.replace(/^[ \t]+/, '');
  }

  /** @param {string} what */
  expected(what) {
    return this.rest ? `${what} expected at '${this.rest.slice(0, 20)}'` : `${what} expected at the end`;
  }

  word() {
    this.blanks();
    const found = WORD.exec(this.rest);
    return found ? found[0] : '';
  }

  /** @param {string} name */
  keyword(name) {
    const word = this.word();
    if (word.toLowerCase() !== name) return false;
    this.rest = this.rest.slice(word.length);
    return true;
  }

  /** @param {string} c */
  sign(c) {
    this.blanks();
    if (!this.rest.startsWith(c)) return false;
    this.rest = this.rest.slice(c.length);
    return true;
  }

  /** @returns {Test} */
  or() {
    let left = this.and();
    while (this.keyword('or')) {
      const a = left, b = this.and();
      left = (row) => a(row) || b(row);
    }
    return left;
  }

  /** @returns {Test} */
  and() {
    let left = this.term();
    while (this.keyword('and')) {
      const a = left, b = this.term();
      left = (row) => a(row) && b(row);
    }
    return left;
  }

  /** @returns {Test} */
  term() {
    if (++this.depth > 64) throw new SyntaxError('more than 64 levels of nesting');
    try {
      if (this.keyword('not')) {
        const inner = this.term();
        return (row) => !inner(row);
      }
      if (this.sign('(')) {
        const inner = this.or();
        if (!this.sign(')')) throw new SyntaxError(this.expected("')'"));
        return inner;
      }
      return this.comparison();
    } finally {
      this.depth--;
    }
  }

  /** @returns {Test} */
  comparison() {
    const name = this.word();
    if (!name) throw new SyntaxError(this.expected('a column name'));
    const field = this.part.field(name);
    if (!field) throw new SyntaxError(`no column '${name}'`);
    this.rest = this.rest.slice(name.length);
    const sign = SIGNS.find((s) => this.sign(s));
    if (!sign) throw new SyntaxError(this.expected('one of = != < <= > >= ~ !~'));
    this.blanks();
    const quote = this.rest[0];
    if (quote === "'" || quote === '"') {
      const end = this.rest.indexOf(quote, 1);
      if (end < 0) throw new SyntaxError(this.expected('a closing quote'));
      const text = this.rest.slice(1, end);
      this.rest = this.rest.slice(end + 1);
      return this.test(field, sign, text, true);
    }
    const text = this.word();
    if (!text) throw new SyntaxError(this.expected('a value'));
    this.rest = this.rest.slice(text.length);
    return this.test(field, sign, text, false);
  }

  /** @param {Field} field @param {string} sign @param {string} text @param {boolean} quoted @returns {Test} */
  test(field, sign, text, quoted) {
    const value = (/** @type {number} */ row) => this.part.value(field, row);
    const none = !quoted && text.toLowerCase() === 'none', ordered = !['=', '==', '!=', '~', '!~'].includes(sign);
    if (none && ordered) throw new SyntaxError("'none' has no order: compare it with = or !=");
    const equal = sign === '=' || sign === '==', differs = sign === '!=' || sign === '!~';
    if (none) return (row) => (value(row) === null) === equal;
    const number = field.type === 'm' ? Date.parse(text) : quoted || !NUMBER.test(text) ? NaN : Number(text);
    if (field.type !== 't' && field.type !== 'b' && Number.isNaN(number))
      throw new SyntaxError(`'${field.id}' is a ${field.type === 'm' ? 'time' : 'number'}, '${text}' is not`);
    const wanted = text.toLowerCase();
    return (row) => {
      const v = value(row);
      if (v === null || v === undefined) return differs;
      if (field.type === 'm') return inOrder(sign, Date.parse(String(v)) - number);
      if (typeof v === 'number') return inOrder(sign, v - number);
      const s = typeof v === 'boolean' ? (v ? 'True' : 'False') : String(v);
      if (sign === '~' || sign === '!~') return s.toLowerCase().includes(wanted) === (sign === '~');
      if (equal || sign === '!=') return (s.toLowerCase() === wanted) === equal;
      return inOrder(sign, s < text ? -1 : Number(s > text));
    };
  }
}

/** @param {string} sign @param {number} order */
function inOrder(sign, order) {
  switch (sign) {
    case '=': case '==': return order === 0;
    case '!=': return order !== 0;
    case '<': return order < 0;
    case '<=': return order <= 0;
    case '>': return order > 0;
    default: return order >= 0;
  }
}
