// SPDX-License-Identifier: Apache-2.0
// page_table.js - a table that can be sorted, filtered and opened row by row.

const ROWS_AT_ONCE = 50;

/** The tables of the page by the id of their part, so that links find them. @type {Map<string, Table>} */
const tables = new Map();
/** Where links of operations lead: the part and its column. @type {{part: string, field: string, from: string[]} | null} */
let linkTarget = null;

/** Order of two values: numbers by size, texts by letters, missing values last either way.
 * @param {Value} a @param {Value} b @param {number} direction */
function compareValues(a, b, direction) {
  if (a === null || a === undefined || b === null || b === undefined) return Number(a === null || a === undefined) - Number(b === null || b === undefined);
  if (typeof a === 'number' && typeof b === 'number') return (a - b) * direction;
  return (String(a) < String(b) ? -1 : Number(String(a) > String(b))) * direction;
}

/** Figures without a title are called by their id. @param {Field} f */
function fieldName(f) {
  return f.title && f.title !== f.id ? f.title : f.id.replace(/_/g, ' ');
}

/** @param {Field} field @param {Value} value @param {{unit: string, scale: number} | null} unit @param {boolean} [inner] @returns {Node | string} */
function cellContent(field, value, unit, inner = false) {
  const text = valueText(field, value, unit);
  if (linkTarget && value !== null && (linkTarget.from.includes(field.id) || (inner && linkTarget.field === field.id)))
    return make('button', { type: 'button', class: 'link', title: 'Show this operation', onclick: () => showLinked(value) }, text);
  if (field.unit === '%' && typeof value === 'number' && value > 100 && /^(dram|flops|noc|link|reached)/.test(field.id))
    return make('span', { class: 'over', title: 'Above the peak, so not true: bytes counted twice, multicast, another clock or board' }, `${text} !`);
  return text;
}

/** @param {Value} id */
function showLinked(id) {
  const table = linkTarget && tables.get(linkTarget.part);
  if (table && linkTarget) table.filterTo(`${linkTarget.field}=${id}`, true);
}

let innerTables = 0;

/** A few records inside of a row. @param {Field} field @param {Record<string, Value>[]} rows */
function innerTable(field, rows) {
  const fields = (field.sub || []).filter((f) => rows.some((r) => r[f.id] !== null && r[f.id] !== undefined));
  if (fields.length === 0) return make('span', {}, rows.join(', '));
  const plain = fields.filter((f) => f.type !== 'o' && f.type !== 'r');
  return make('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `Table: ${fieldName(field)} ${++innerTables}` },
    make('table', {},
      make('thead', {}, make('tr', {}, ...plain.map((f) => make('th', { scope: 'col', class: f.left ? 'left' : '' }, fieldName(f))))),
      make('tbody', {}, ...rows.map((r) => make('tr', {}, ...plain.map((f) => make('td', { class: f.left ? 'left' : '' }, cellContent(f, r[f.id], null, true))))))));
}

/** Label and value of each figure that has one. @param {Field[]} fields @param {(f: Field) => Value} value */
function factList(fields, value) {
  const list = make('dl');
  for (const f of fields) {
    const v = value(f);
    if (v === null || v === undefined || v === '' || (Array.isArray(v) && !v.length)) continue;
    const content = f.type === 'r' ? innerTable(f, /** @type {Record<string, Value>[]} */ (v))
      : f.type === 'o' ? factList(f.sub || [], (g) => /** @type {Record<string, Value>} */ (v)[g.id]) : cellContent(f, v, null);
    list.append(make('dt', { title: f.help || null }, fieldName(f)), make('dd', {}, content));
  }
  return list;
}

class Table {
  /** @param {Part} part */
  constructor(part) {
    this.part = part;
    this.shown = part.fields.filter((f) => f.shown && f.type !== 'r' && f.type !== 'o');
    if (!this.shown.length) this.shown = part.fields.filter((f) => f.type !== 'r' && f.type !== 'o').slice(0, 12);
    this.where = '';
    /** @type {Field | null} */
    this.sortField = null;
    this.direction = 1;
    this.limit = ROWS_AT_ONCE;
    /** @type {Set<number>} */
    this.open = new Set();
    /** @type {number[]} */
    this.rows = [];
    this.head = make('thead');
    this.body = make('tbody');
    this.more = make('div', { class: 'tools more' });
    this.count = make('span', { class: 'count', role: 'status' });
    this.error = make('span', { class: 'error', role: 'alert' });
    this.input = /** @type {HTMLInputElement} */ (make('input', {
      type: 'search', spellcheck: 'false', autocomplete: 'off', 'aria-label': `Filter ${part.spec.title}`, placeholder: this.example(),
      oninput: () => this.filter(this.input.value) }));
    this.element = make('div', {}, ...(part.count > 8 ? [this.tools()] : [this.error]),
      make('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `Table: ${part.spec.title || part.spec.id}` },
        make('table', {}, make('caption', { class: 'caption' }, this.count), this.head, this.body)), this.more);
    tables.set(part.spec.id, this);
    this.select();
  }

  example() {
    const text = this.part.fields.find((f) => f.type === 't' && f.shown), number = this.part.fields.find((f) => f.type === 'n' && f.shown && f.unit);
    return [text && `${text.id}~matmul`, number && `${number.id}>100`].filter(Boolean).join(' and ');
  }

  tools() {
    const choices = this.part.fields.filter((f) => f.type !== 'r' && f.type !== 'o');
    const picker = make('details', { class: 'picker' }, make('summary', {}, 'Columns'), make('div', {}, ...choices.map((f) => make('label', { title: f.help || null },
      make('input', { type: 'checkbox', checked: this.shown.includes(f), onchange: (/** @type {Event} */ e) => this.choose(f, /** @type {HTMLInputElement} */ (e.target).checked) }),
      ` ${f.title || f.id}${f.title && f.title !== f.id ? ` (${f.id})` : ''}`))));
    return make('div', { class: 'tools' }, this.input, picker, this.error);
  }

  /** @param {Field} field @param {boolean} on */
  choose(field, on) {
    this.shown = this.part.fields.filter((f) => (f === field ? on : this.shown.includes(f)));
    this.draw();
  }

  /** @param {string} text */
  filter(text) {
    this.where = text.trim();
    this.limit = ROWS_AT_ONCE;
    this.select();
  }

  /** As if typed; with `open` the first row is opened too. @param {string} text @param {boolean} open */
  filterTo(text, open) {
    this.input.value = text;
    this.filter(text);
    for (let e = this.element.parentElement; e; e = e.parentElement) if (e instanceof HTMLDetailsElement) e.open = true;
    if (open && this.rows.length) {
      this.open = new Set([this.rows[0]]);
      this.draw();
    }
    this.element.scrollIntoView({ block: 'start' });
    this.input.focus({ preventScroll: true });
  }

  /** @param {Field} field */
  sort(field) {
    const descending = field.type === 'n';
    if (this.sortField !== field) this.direction = descending ? -1 : 1;
    else this.direction = -this.direction;
    this.sortField = field;
    this.select();
    const button = /** @type {HTMLElement | null} */ (this.head.querySelector(`button[data-id="${CSS.escape(field.id)}"]`));
    if (button) button.focus();
  }

  /** Rows to show, in their order. */
  select() {
    const all = Array.from({ length: this.part.count }, (_, i) => i);
    this.error.textContent = '';
    try {
      this.rows = this.where ? all.filter(Where.parse(this.part, this.where)) : all;
    } catch (e) {
      if (!(e instanceof SyntaxError)) throw e;
      this.error.textContent = e.message;
    }
    const field = this.sortField;
    if (field) {
      const key = all.map((i) => this.part.value(field, i));
      this.rows.sort((a, b) => compareValues(key[a], key[b], this.direction) || a - b);
    }
    this.draw();
  }

  draw() {
    this.head.replaceChildren(make('tr', {}, make('th', { scope: 'col' }, make('span', { class: 'quiet' }, '#')), ...this.shown.map((f) => this.title(f))));
    this.body.replaceChildren();
    for (const row of this.rows.slice(0, this.limit)) this.body.append(...this.line(row));
    const left = this.rows.length - Math.min(this.limit, this.rows.length);
    this.count.textContent = this.where ? `${grouped(String(this.rows.length))} of ${grouped(String(this.part.count))} rows` : `${grouped(String(this.part.count))} rows`;
    this.more.replaceChildren();
    if (left) {
      const step = Math.min(left, 10 * ROWS_AT_ONCE);
      this.more.append(make('button', { type: 'button', onclick: () => { this.limit += step; this.draw(); } }, `Show ${step} more`), ` ${grouped(String(left))} not shown`);
    }
  }

  /** @param {Field} f */
  title(f) {
    const { unit } = this.part.unit(f), sorted = this.sortField === f;
    const name = `${fieldName(f)}${unit && !f.title.includes(unit) && unit !== 'bytes' ? ` ${unit}` : ''}`;
    return make('th', { scope: 'col', class: f.left ? 'left' : '', 'aria-sort': sorted ? (this.direction > 0 ? 'ascending' : 'descending') : null },
      make('button', { type: 'button', 'data-id': f.id, title: f.help || null, onclick: () => this.sort(f) },
        name + (sorted ? (this.direction > 0 ? ' \u25b2' : ' \u25bc') : '')));
  }

  /** @param {number} row */
  line(row) {
    const part = this.part, open = this.open.has(row);
    const button = make('button', { type: 'button', class: 'open', 'aria-expanded': String(open), 'aria-label': `${open ? 'Close' : 'Open'} row ${row + 1}`,
      onclick: () => { if (!this.open.delete(row)) this.open.add(row); this.draw(); this.focusRow(row); } }, open ? '\u25be' : '\u25b8');
    const line = make('tr', { class: open ? 'chosen' : '', 'data-row': row }, make('td', {}, button), ...this.shown.map((f) => {
      const v = part.value(f, row), long = typeof v === 'string' && v.length > 60;
      return make('td', { class: (f.left ? 'left' : '') + (long ? ' wrap' : '') }, cellContent(f, v, part.unit(f)));
    }));
    return open ? [line, this.detail(row)] : [line];
  }

  /** @param {number} row */
  focusRow(row) {
    const button = /** @type {HTMLElement | null} */ (this.body.querySelector(`tr[data-row="${row}"] button.open`));
    if (button) button.focus();
  }

  /** All that is known of a row, and the rows that it stands for. @param {number} row */
  detail(row) {
    const { part } = this, cell = make('td', { colspan: this.shown.length + 1 }, factList(part.fields.filter((f) => !this.shown.includes(f)), (f) => part.value(f, row)));
    const of = part.spec.members, target = of && tables.get(of.part);
    if (of && target) {
      const field = part.field(of.of), value = field ? part.value(field, row) : null, by = target.part.field(of.by);
      const all = by ? Array.from({ length: target.part.count }, (_, i) => i).filter((i) => target.part.value(by, i) === value) : [];
      const columns = target.part.fields.filter((f) => f.shown), name = { ...part.fields[0], title: target.part.spec.title, sub: columns };
      cell.append(innerTable(name, all.slice(0, 20).map((i) => Object.fromEntries(columns.map((f) => [f.id, target.part.value(f, i)])))), make('button', { type: 'button', onclick: () => target.filterTo(`${of.by}='${String(value).replace(/'/g, '')}'`, false) },
        all.length > 20 ? `Show all ${grouped(String(all.length))} in ${target.part.spec.title}` : `Show in ${target.part.spec.title}`));
    }
    return make('tr', { class: 'detail' }, cell);
  }
}
