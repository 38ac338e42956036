// SPDX-License-Identifier: Apache-2.0
// page_marks.js - what all charts share: SVG, scales, ticks, and marks that mouse and keys reach.

const SVG = 'http://www.w3.org/2000/svg';
const COLORS = 8;

/** @param {string} tag @param {Record<string, string | number>} [attributes] @param {...(Node | string)} children @returns {SVGElement} */
function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** A colour for each word, in the order in which they come; the last one is for all others.
 * @returns {(word: string) => number} */
function colorsOf() {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return (word) => {
    if (!seen.has(word)) seen.set(word, Math.min(seen.size, COLORS - 1));
    return /** @type {number} */ (seen.get(word));
  };
}

/** @param {[string, number][]} words */
function legend(words) {
  return make('ul', { class: 'legend' }, ...words.map(([word, color]) =>
    make('li', {}, draw('svg', { width: 11, height: 11, 'aria-hidden': 'true' }, draw('rect', { width: 11, height: 11, class: `f${color}` })), withMeaning(word))));
}

/** Round numbers from low to high, about `count` of them. @param {number} low @param {number} high @param {number} count */
function niceTicks(low, high, count) {
  const rough = (high - low) / count || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough * 0.999) || 10 * power;
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) ticks.push(Number((k * step).toPrecision(12)));
  return ticks;
}

const SECOND = 1e3, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, ...[1, 2, 5, 10, 15, 30].flatMap((k) => [k * SECOND, k * MINUTE]), ...[1, 2, 3, 6, 12].map((k) => k * HOUR),
  ...[1, 2, 7, 14, 30, 90, 180, 365].map((k) => k * DAY)].sort((a, b) => a - b);

/** Ticks of an axis of moments, in milliseconds, with the parts of date and time that differ. @param {number} low @param {number} high
 * @param {number} count @param {string} title @returns {{xs: number[], xText: (v: number) => string, xTitle: string}} */
function momentTicks(low, high, count, title) {
  const step = STEPS.find((s) => s * count >= high - low) || Math.ceil((high - low) / count / (365 * DAY)) * 365 * DAY, xs = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++) xs.push(k * step);
  const [from, to] = step >= DAY ? [0, 10] : high - low > DAY ? [5, 16] : step >= MINUTE ? [11, 16] : step >= SECOND ? [11, 19] : [17, 23];
  const text = (/** @type {number} */ v) => new Date(v).toISOString(), whole = text(low).slice(0, from).replace(/[T:-]$/, '').replace('T', ' ');
  return { xs, xText: (v) => text(v).slice(from, to).replace('T', ' '), xTitle: step < DAY ? `${title} from ${whole}` : title };
}

/** @param {number} low @param {number} high */
function decades(low, high) {
  const ticks = [];
  for (let e = Math.ceil(Math.log10(low) - 1e-9); e <= Math.log10(high) + 1e-9; e++) ticks.push(10 ** e);
  return ticks;
}

/** @param {number} v */
function tickText(v) {
  if (v === 0) return '0';
  return Math.abs(v) >= 1e6 || Math.abs(v) < 1e-5 ? v.toExponential(0) : grouped(String(Number(v.toPrecision(6))));
}

/** @typedef {{shape: SVGElement, x: number, y: number, text: () => string, act?: () => void}} Mark */

/** Marks of a chart: the mouse shows what they are, arrows go from one to the next, Enter follows them. */
class Marks {
  /** @param {SVGElement} svg @param {string} name */
  constructor(svg, name) {
    this.svg = svg;
    /** @type {Mark[]} */
    this.list = [];
    this.at = -1;
    svg.setAttribute('tabindex', '0');
    svg.setAttribute('role', 'application');
    svg.setAttribute('aria-label', `${name}. Arrow keys go from mark to mark, Enter opens one.`);
    svg.addEventListener('keydown', (e) => this.key(/** @type {KeyboardEvent} */ (e)));
    svg.addEventListener('blur', () => this.leave());
    svg.addEventListener('mouseleave', () => this.leave());
  }

  /** @param {Mark} mark */
  add(mark) {
    const index = this.list.push(mark) - 1;
    mark.shape.addEventListener('mousemove', (e) => this.show(index, /** @type {MouseEvent} */ (e)));
    if (mark.act) mark.shape.addEventListener('click', mark.act);
  }

  /** @param {KeyboardEvent} e */
  key(e) {
    const step = /** @type {Record<string, number>} */ ({ ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 })[e.key];
    const mark = this.list[this.at];
    if (step) this.show((this.at + step + this.list.length) % this.list.length, null);
    else if (e.key === 'Home') this.show(0, null);
    else if (e.key === 'End') this.show(this.list.length - 1, null);
    else if ((e.key === 'Enter' || e.key === ' ') && mark && mark.act) mark.act();
    else if (e.key === 'Escape') this.leave();
    else return;
    e.preventDefault();
  }

  /** @param {number} index @param {MouseEvent | null} mouse */
  show(index, mouse) {
    const tip = document.getElementById('tip'), mark = this.list[index];
    if (!tip || !mark) return;
    this.leave();
    this.at = index;
    mark.shape.classList.add('at');
    tip.textContent = mark.text();
    tip.hidden = false;
    const box = this.svg.getBoundingClientRect(), view = /** @type {SVGSVGElement} */ (this.svg).viewBox.baseVal;
    const x = mouse ? mouse.clientX : box.x + (mark.x / view.width) * box.width;
    const y = mouse ? mouse.clientY : box.y + (mark.y / view.height) * box.height;
    tip.style.left = `${Math.max(4, Math.min(x + 14, window.innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.max(4, Math.min(y + 14, window.innerHeight - tip.offsetHeight - 8))}px`;
  }

  leave() {
    const tip = document.getElementById('tip'), mark = this.list[this.at];
    if (mark) mark.shape.classList.remove('at');
    if (tip) tip.hidden = true;
  }
}
