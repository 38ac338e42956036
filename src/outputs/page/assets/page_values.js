// SPDX-License-Identifier: Apache-2.0
// page_values.js - the tables of a page: columns as the program wrote them, and values as people read them.

/** @typedef {{id: string, title: string, unit: string, type: string, digits: number, shown?: boolean, left?: boolean, plus?: boolean, mixed?: boolean,
 *   help?: string, alias?: string[], sub?: Field[]}} Field */
/** @typedef {number | string | boolean | null | object[] | object} Value */
/** @typedef {{id: string, title: string, help?: string, kind: string, fields: Field[], count: number, main?: boolean, folded?: boolean,
 *   members?: {part: string, of: string, by: string}}} PartSpec */

/** @type {Record<string, number>} */
const PER_US = { ns: 1e-3, us: 1, ms: 1e3, s: 1e6 };

/** Columns that say the same in every row, or few different words, are packed.
 * @param {any} packed @param {number} count @returns {(row: number) => Value} */
function columnReader(packed, count) {
  if (Array.isArray(packed)) return (row) => packed[row];
  if ('w' in packed) return (row) => (packed.i[row] < 0 ? null : packed.w[packed.i[row]]);
  return (row) => (row < count ? packed.v : null);
}

/** A table of the page. Its rows are parsed when someone first looks at them. */
class Part {
  /** @param {PartSpec} spec @param {string} block */
  constructor(spec, block) {
    this.spec = spec;
    this.fields = spec.fields;
    this.count = spec.count;
    this.block = block;
    /** @type {((row: number) => Value)[] | null} */
    this.readers = null;
    /** @type {Map<string, {unit: string, scale: number}>} */
    this.units = new Map();
    this.places = new Map(this.fields.map((f, i) => [f, i]));
    /** By id and alias. @type {Map<string, Field>} */
    this.names = new Map([...this.fields].reverse().flatMap((f) => [...(f.alias || []), f.id].map((name) => [name, f])));
  }

  /** @param {Field} field @param {number} row @returns {Value} */
  value(field, row) {
    if (!this.readers) {
      const element = document.getElementById(this.block);
      const columns = JSON.parse((element && element.textContent) || '[]');
      this.readers = this.fields.map((_, i) => columnReader(columns[i], this.count));
    }
    return this.readers[/** @type {number} */ (this.places.get(field))](row);
  }

  /** @param {string} name @returns {Field | null} */
  field(name) {
    return this.names.get(name) || null;
  }

  /** A column as it is in a row, where rows have units of their own. @param {Field} field @param {number} row @returns {Field} */
  inRow(field, row) {
    const unit = field.mixed ? this.field('unit') : null;
    return unit ? { ...field, unit: String(this.value(unit, row) || '') } : field;
  }

  /** The unit of a column: one for all of its rows. @param {Field} field */
  unit(field) {
    let unit = this.units.get(field.id);
    if (!unit) {
      let most = 0;
      if (isTime(field))
        for (let i = 0; i < this.count; i++) {
          const v = this.value(field, i);
          if (typeof v === 'number') most = Math.max(most, Math.abs(v));
        }
      unit = isTime(field) ? timeUnit(most * PER_US[field.unit]) : { unit: field.unit, scale: 1 };
      if (isTime(field)) unit = { unit: unit.unit, scale: unit.scale * PER_US[field.unit] };
      this.units.set(field.id, unit);
    }
    return unit;
  }
}

/** @param {Field} field */
function isTime(field) {
  return field.type === 'n' && field.unit in PER_US;
}

/** @param {number} us */
function timeUnit(us) {
  if (us > 0 && us < 0.1) return { unit: 'ns', scale: 1e3 };
  if (us < 99999.5) return { unit: '\u03bcs', scale: 1 };
  return us < 99999500 ? { unit: 'ms', scale: 1e-3 } : { unit: 's', scale: 1e-6 };
}

/** Three digits with the unit that suits. @param {number} us */
function timeText(us) {
  const a = Math.abs(us);
  if (a < 0.9995 && a > 0) return `${(us * 1e3).toFixed(0)} ns`;
  for (const [unit, scale] of /** @type {[string, number][]} */ ([['\u03bcs', 1], ['ms', 1e-3]]))
    if (a * scale < 999.5) return `${threeDigits(us * scale)} ${unit}`;
  return `${threeDigits(us * 1e-6)} s`;
}

/** @param {number} bytes */
function bytesText(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let i = 0, v = bytes;
  for (; i + 1 < units.length && Math.abs(v) >= (i ? 999.5 : 1024); i++) v /= 1024;
  return `${i ? threeDigits(v) : v} ${units[i]}`;
}

/** @param {number} v */
function threeDigits(v) {
  const a = Math.abs(v), digits = a >= 99.95 || a === 0 ? 0 : a >= 9.995 ? 1 : 2;
  const text = v.toFixed(digits);
  return digits ? text.replace(/0+$/, '').replace(/\.$/, '') : grouped(text);
}

/** @param {string} text */
function grouped(text) {
  const [whole, ...rest] = text.split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...rest].join('.');
}

/** @param {Field} field @param {number} v @param {number} scale */
function numberText(field, v, scale) {
  const n = v * scale;
  let text;
  if (field.digits < 0) text = String(Number(n.toPrecision(-field.digits)));
  else if (isTime(field)) text = Math.abs(n) < 0.095 && n !== 0 ? String(Number(n.toPrecision(1))) : grouped(n.toFixed(field.digits || (Math.abs(n) < 1000 ? 1 : 0)));
  else text = Number.isInteger(n) && field.digits === 0 ? (field.id.endsWith('id') ? String(n) : grouped(String(n))) : grouped(n.toFixed(field.digits));
  return field.plus && n > 0 ? `+${text}` : text;
}

/** @param {Field} field @param {Value} v @param {{unit: string, scale: number} | null} [unit] @returns {string} */
function valueText(field, v, unit) {
  if (v === null || v === undefined) return '';
  if (typeof v === 'boolean') return v ? 'yes' : 'no';
  if (typeof v === 'number') {
    if (field.unit === 'bytes') return bytesText(v);
    if (!unit && isTime(field)) return timeText(v * PER_US[field.unit]);
    return numberText(field, v, unit ? unit.scale : 1) + (unit ? '' : unitAfter(field.unit));
  }
  return field.type === 'm' ? momentText(String(v)) : visible(String(v));
}

/** "2026-11-18T03:00:27.430000Z" without what says nothing. @param {string} text */
function momentText(text) {
  const found = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d{3})?\d*Z$/.exec(text);
  return found ? `${found[1]} ${found[2]}${found[3] && found[3] !== '.000' ? found[3] : ''} UTC` : visible(text);
}

/** What a figure is called: its title, or its id without the unit, which stands after the value. @param {Field} f */
function fieldName(f) {
  if (f.title && f.title !== f.id) return f.title;
  const ends = /** @type {Record<string, string>} */ ({ us: '_us', ms: '_ms', s: '_s', ns: '_ns', '%': '_percent', bytes: '_bytes', MHz: '_mhz', W: '_w', C: '_c' })[f.unit];
  const name = (ends && f.id.endsWith(ends) ? f.id.slice(0, -ends.length) : f.id).replace(/_/g, ' ');
  return name ? name[0].toUpperCase() + name.slice(1) : f.id;
}

/** @param {number} n */
function rowsText(n) {
  return `${grouped(String(n))} ${n === 1 ? 'row' : 'rows'}`;
}

/** Text of several lines keeps them; other marks are shown as in a line. @param {string} text */
function visibleLines(text) {
  return text.replace(/\n$/, '').split('\n').map(visible).join('\n');
}

/** Marks that would change how text around them reads are shown as what they are. @param {string} text */
function visible(text) {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** @param {string} unit */
function unitAfter(unit) {
  return unit ? ` ${unit === 'us' ? '\u03bcs' : unit}` : '';
}

/** Elements with their attributes and children; text stays text.
 * @param {string} tag @param {Record<string, any>} [attributes] @param {...(Node | string)} children @returns {HTMLElement} */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}
