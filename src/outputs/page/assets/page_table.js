// SPDX-License-Identifier: Apache-2.0
// page_table.js - a table that can be sorted, filtered and opened row by row.

const ROWS_AT_ONCE = 50;
/** More records inside of a row are folded. */
const INNER_ROWS = 20;

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

/** Words that a reader looks for first, by what they say. @type {Record<string, string>} */
const TONES = { fail: 'bad', bad: 'bad', error: 'bad', worse: 'bad', reverted: 'bad', illegal: 'bad', warn: 'warn', warning: 'warn', caution: 'warn', undecided: 'warn',
  pass: 'good', good: 'good', better: 'good', kept: 'good' };

/** @param {Field} field @param {Value} value @param {{unit: string, scale: number} | null} unit @param {boolean} [elsewhere] outside of the table that links lead to @returns {Node | string} */
function cellContent(field, value, unit, elsewhere = false) {
  const text = valueText(field, value, unit);
  if (linkTarget && value !== null && (linkTarget.from.includes(field.id) || (elsewhere && linkTarget.field === field.id)))
    return make('button', { type: 'button', class: 'link', title: 'Show this operation', onclick: () => showLinked(value) }, text);
  if (field.unit === '%' && typeof value === 'number' && value > 100 && /^(dram|flops|noc|link|reached)/.test(field.id))
    return make('span', { class: 'over', title: 'Above the peak, so not true: bytes counted twice, multicast, another clock or board' }, `${text} !`);
  if (typeof value === 'string' && Object.hasOwn(TONES, value)) return make('span', { class: TONES[value] }, text);
  if (typeof value === 'string' && Object.hasOwn(MEANINGS, value)) return make('span', { title: MEANINGS[value] }, text);
  return field.type === 't' && typeof value === 'string' && value.trim().includes('\n') ? make('pre', {}, visibleLines(value)) : text;
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
  const table = make('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `Table: ${fieldName(field)} ${++innerTables}` },
    make('table', {},
      make('thead', {}, make('tr', {}, ...plain.map((f) => make('th', { scope: 'col', class: f.left ? 'left' : '' }, fieldName(f))))),
      make('tbody', {}, ...rows.map((r) => make('tr', {}, ...plain.map((f) => make('td', { class: f.left ? 'left' : '' }, cellContent(f, r[f.id], null, true))))))));
  return rows.length > INNER_ROWS ? make('details', {}, make('summary', {}, rowsText(rows.length)), table) : table;
}

/** @param {Value} v */
function isMissing(v) {
  return v === null || v === undefined || v === '' || (Array.isArray(v) && !v.length);
}

/** Label and value of each figure that has one, and what it means. @param {Field[]} fields @param {(f: Field) => Value} value @param {boolean} [explain] */
function factList(fields, value, explain = false) {
  const list = make('dl');
  for (const f of fields) {
    const v = value(f);
    if (isMissing(v)) continue;
    const content = f.type === 'r' && Array.isArray(v) ? innerTable(f, /** @type {Record<string, Value>[]} */ (v))
      : f.type === 'r' ? factMap(f, /** @type {Record<string, Value>} */ (v), explain)
      : f.type === 'o' ? factList(f.sub || [], (g) => /** @type {Record<string, Value>} */ (v)[g.id], explain) : cellContent(f, v, null);
    list.append(make('dt', { title: f.help || null }, fieldName(f)), make('dd', {}, content, ...(explain && f.help && f.type !== 'r' && f.type !== 'o' ? [make('span', { class: 'why' }, f.help)] : [])));
  }
  return list;
}

/** Records by name. @param {Field} field @param {Record<string, Value>} records @param {boolean} explain @returns {HTMLElement} */
function factMap(field, records, explain) {
  return make('dl', {}, ...Object.entries(records).flatMap(([name, v]) => [make('dt', {}, visible(name)), make('dd', {},
    v && typeof v === 'object' ? factList(field.sub || [], (g) => /** @type {Record<string, Value>} */ (v)[g.id], explain) : visible(String(v)))]));
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
    if (part.count === 1 && this.hasDetails()) this.open.add(0); // nothing else to look at
    this.select();
  }

  /** A filter that finds the first row, as an example. */
  example() {
    const first = (/** @type {Field} */ f) => this.part.value(f, 0), text = this.shown.find((f) => f.type === 't' && /^[A-Za-z]\w+/.test(String(first(f) || '')));
    const number = this.shown.find((f) => f.type === 'n' && f.unit && Number(first(f)) > 1), word = text && /^(?:[A-Z][a-z0-9]+|\w+)/.exec(String(first(text)));
    return [text && word && `${text.id}~${word[0].toLowerCase()}`, number && `${number.id}>${Math.floor(Number(first(number)) / 2)}`].filter(Boolean).join(' and ');
  }

  tools() {
    const choices = this.part.fields.filter((f) => f.type !== 'r' && f.type !== 'o');
    const picker = make('details', { class: 'picker' }, make('summary', {}, 'Columns'), make('div', {}, ...choices.map((f) => make('label', { title: f.help || null },
      make('input', { type: 'checkbox', checked: this.shown.includes(f), onchange: (/** @type {Event} */ e) => this.choose(f, /** @type {HTMLInputElement} */ (e.target).checked) }),
      ` ${fieldName(f)}${fieldName(f) === f.id ? '' : ` (${f.id})`}`))));
    return make('div', { class: 'tools' }, this.input, picker, this.error);
  }

  /** Is there more in a row than its cells? */
  hasDetails() {
    return Boolean(this.part.spec.members) || this.part.fields.some((f) => !this.shown.includes(f) && [0, 1, 2].some((i) => i < this.part.count && !isMissing(this.part.value(f, i))));
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
    this.head.replaceChildren(make('tr', {}, make('th', { scope: 'col', class: 'opener' }, make('span', { class: 'unseen' }, 'Open')), ...this.shown.map((f) => this.title(f))));
    this.body.replaceChildren();
    for (const row of this.rows.slice(0, this.limit)) this.body.append(...this.line(row));
    const left = this.rows.length - Math.min(this.limit, this.rows.length);
    this.count.textContent = this.where ? `${grouped(String(this.rows.length))} of ${rowsText(this.part.count)}` : rowsText(this.part.count);
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
    const line = make('tr', { class: open ? 'chosen' : '', 'data-row': row }, make('td', { class: 'opener' }, button), ...this.shown.map((f) => {
      const v = part.value(f, row), long = typeof v === 'string' && v.length > 60;
      const content = cellContent(part.inRow(f, row), v, f.mixed ? null : part.unit(f), part.spec.id !== linkTarget?.part);
      return make('td', { class: (f.left ? 'left' : '') + (long ? ' wrap' : '') }, long ? make('div', { class: 'clip' }, content) : content);
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
    const { part } = this, cell = make('div', { class: 'inside' }, factList(part.fields.filter((f) => !this.shown.includes(f)), (f) => part.value(f, row)));
    const of = part.spec.members, target = of && tables.get(of.part);
    if (of && target) {
      const field = part.field(of.of), value = field ? part.value(field, row) : null, by = target.part.field(of.by);
      const all = by ? Array.from({ length: target.part.count }, (_, i) => i).filter((i) => target.part.value(by, i) === value) : [];
      const columns = target.part.fields.filter((f) => f.shown), name = { ...part.fields[0], title: target.part.spec.title, sub: columns };
      cell.append(innerTable(name, all.slice(0, 20).map((i) => Object.fromEntries(columns.map((f) => [f.id, target.part.value(f, i)])))), make('button', { type: 'button', onclick: () => target.filterTo(`${of.by}='${String(value).replace(/'/g, '')}'`, false) },
        all.length > 20 ? `Show all ${grouped(String(all.length))} in ${target.part.spec.title}` : `Show in ${target.part.spec.title}`));
    }
    return make('tr', { class: 'detail' }, make('td', { colspan: this.shown.length + 1 }, cell));
  }
}
