// SPDX-License-Identifier: Apache-2.0
// page_charts.js - charts of a part's columns: bars, plots, lines, icicles, timelines and maps. They know columns, not verbs.

/** @typedef {{kind: string, title: string, help?: string, part: string, label?: string, x?: string, y?: string, size?: string, color?: string,
 *   before?: string, lane?: string, depth?: string, lines?: {part: string, label: string, level: string, slope?: string, scale: number},
 *   log?: boolean}} ChartSpec */

/** Width of charts, that of the page: set before they are drawn. */
let WIDTH = 1100;
/** Mean width of a character of a label. */
const CHARACTER = 6.8;

/** @param {string} text @param {number} width */
function fitted(text, width) {
  const room = Math.floor(width / CHARACTER);
  return text.length > room ? `${text.slice(0, Math.max(1, room - 1))}\u2026` : text;
}


/** @typedef {{x: (v: number) => number, y: (v: number) => number, xs: number[], ys: number[], box: number[], xText?: (v: number) => string,
 *   yText?: (v: number) => string, xTitle?: string, yTitle?: string}} Axes */

class Chart {
  /** @param {ChartSpec} spec @param {Map<string, Part>} parts */
  constructor(spec, parts) {
    this.spec = spec;
    this.parts = parts;
    this.part = /** @type {Part} */ (parts.get(spec.part));
    this.color = colorsOf();
  }

  /** @param {string | undefined} name @param {number} row */
  number(name, row) {
    const field = name && this.part.field(name), v = field ? this.part.value(field, row) : null;
    return typeof v === 'number' ? v : NaN;
  }

  /** @param {string | undefined} name @param {number} row */
  text(name, row) {
    const field = name && this.part.field(name);
    return field ? valueText(field, this.part.value(field, row)) : '';
  }

  /** @param {string | undefined} name */
  titleOf(name) {
    const field = name && this.part.field(name);
    return field ? `${fieldName(field)}${field.unit && !(field.title || '').includes(field.unit) ? ` (${field.unit === 'us' ? '\u03bcs' : field.unit})` : ''}` : '';
  }

  /** Columns of the usual table, as the text beside a mark. @param {number} row */
  about(row) {
    return this.part.fields.filter((f) => f.shown && f.type !== 'r' && f.type !== 'o').map((f) => [f, valueText(f, this.part.value(f, row))])
      .filter(([, text]) => text).map(([f, text]) => `${fieldName(/** @type {Field} */ (f))}: ${text}`).join('\n');
  }

  /** What a click on a row does: it shows the op that the row names. @param {number} row */
  act(row) {
    if (!linkTarget) return undefined;
    const { from } = linkTarget, field = this.part.fields.find((f) => from.includes(f.id) || f.id === linkTarget?.field);
    const id = field ? this.part.value(field, row) : null;
    return id === null ? undefined : () => showLinked(id);
  }

  /** @param {number} height */
  picture(height) {
    const svg = draw('svg', { viewBox: `0 0 ${WIDTH} ${height}`, width: WIDTH, height });
    return { svg, marks: new Marks(svg, this.spec.title) };
  }

  /** @returns {Node[]} */
  make() {
    switch (this.spec.kind) {
      case 'bar': return this.bar();
      case 'bars': return this.bars();
      case 'plot': return this.plot();
      case 'line': return this.line();
      case 'icicle': return this.icicle();
      case 'timeline': return this.timeline();
      case 'heat': return this.heat();
      case 'stack': return this.stack();
      default: return [];
    }
  }

  /** One bar of parts that add up. */
  bar() {
    const { svg, marks } = this.picture(38), { label, y } = this.spec;
    const values = Array.from({ length: this.part.count }, (_, i) => Math.max(0, this.number(y, i) || 0));
    const sum = values.reduce((a, b) => a + b, 0) || 1;
    let from = 0;
    /** @type {[string, number][]} */
    const words = [];
    values.forEach((v, i) => {
      if (!v) return;
      const width = (v / sum) * WIDTH, color = this.color(this.text(label, i)), share = `${((v / sum) * 100).toFixed(1)} %`;
      const shape = draw('rect', { x: from, y: 2, width: Math.max(0.5, width), height: 34, class: `mark f${color}` });
      svg.append(shape);
      if (width > 52) svg.append(draw('text', { x: from + 6, y: 24, class: 'on', 'pointer-events': 'none' }, share));
      marks.add({ shape, x: from + width / 2, y: 20, text: () => `${this.text(label, i)}\n${this.text(y, i)}, ${share}\n${this.about(i)}` });
      words.push([`${this.text(label, i)} ${share}`, color]);
      from += width;
    });
    return [svg, legend(words)];
  }

  /** A bar for each row, to the left where its value is below zero; the longest rows of a long table. */
  bars() {
    const { label, y, color } = this.spec, most = 30;
    const rows = Array.from({ length: this.part.count }, (_, i) => i).filter((i) => Math.abs(this.number(y, i)) > 0);
    const shown = rows.length > most ? [...rows].sort((a, b) => Math.abs(this.number(y, b)) - Math.abs(this.number(y, a))).slice(0, most) : rows;
    if (!shown.length) return [make('p', { class: 'help' }, 'No values.')];
    const low = Math.min(0, ...shown.map((i) => this.number(y, i))), whole = low === 0 && y && this.part.field(y)?.unit === '%' ? 100 : 0; // shares are parts of a whole
    const high = Math.max(whole, ...shown.map((i) => this.number(y, i)));
    const longest = (/** @type {string[]} */ texts) => texts.reduce((a, text) => Math.max(a, text.length), 0) * CHARACTER;
    const left = Math.min(longest(shown.map((i) => this.text(label, i).trim())) + 14, WIDTH * 0.4), right = WIDTH - longest(shown.map((i) => this.text(y, i))) - 14;
    const { svg, marks } = this.picture(shown.length * 20 + 6);
    const scale = (/** @type {number} */ v) => left + ((v - low) / (high - low || 1)) * (right - left);
    shown.forEach((i, k) => {
      const v = this.number(y, i), [a, b] = [scale(Math.min(0, v)), scale(Math.max(0, v))], text = this.text(label, i).trim();
      const hue = color ? this.color(this.text(color, i)) : low < 0 ? (v < 0 ? 2 : 1) : 0;
      const shape = draw('rect', { x: a, y: k * 20 + 3, width: Math.max(0.5, b - a), height: 16, class: `mark f${hue}` });
      svg.append(shape, draw('text', { x: 4, y: k * 20 + 16, 'pointer-events': 'none' }, fitted(text, left - 10)),
        draw('text', { x: b + 6, y: k * 20 + 16, class: 'quiet', 'pointer-events': 'none' }, this.text(y, i)));
      marks.add({ shape, x: b, y: k * 20 + 11, text: () => `${text}\n${this.about(i)}`, act: this.act(i) });
    });
    svg.append(draw('path', { d: `M${scale(0)} 0V${shown.length * 20 + 6}`, class: 'axis' }));
    const words = color ? [...new Set(shown.map((i) => this.text(color, i)))] : [];
    return [svg, ...(words.length > 1 ? [legend(words.map((word) => [word || 'none', this.color(word)]))] : []),
      ...(!color && low < 0 ? [legend([['less', 2], ['more', 1]])] : []), ...(rows.length > shown.length ? [make('p', { class: 'help' }, `The ${most} largest of ${rows.length}.`)] : [])];
  }

  /** @param {{svg: SVGElement}} to @param {Axes} axes */
  axes({ svg }, axes) {
    const { xText = tickText, yText = tickText, xTitle = this.titleOf(this.spec.x), yTitle = this.titleOf(this.spec.y) } = axes;
    const [left, top, right, bottom] = axes.box;
    for (const v of axes.xs) {
      svg.append(draw('line', { x1: axes.x(v), x2: axes.x(v), y1: top, y2: bottom, class: 'grid' }),
        draw('text', { x: axes.x(v), y: bottom + 18, 'text-anchor': 'middle', class: 'quiet' }, xText(v)));
    }
    for (const v of axes.ys) {
      svg.append(draw('line', { x1: left, x2: right, y1: axes.y(v), y2: axes.y(v), class: 'grid' }),
        draw('text', { x: left - 8, y: axes.y(v) + 4, 'text-anchor': 'end', class: 'quiet' }, yText(v)));
    }
    svg.append(draw('path', { d: `M${left} ${top}V${bottom}H${right}`, class: 'axis' }),
      draw('text', { x: (left + right) / 2, y: bottom + (axes.xs.length ? 38 : 20), 'text-anchor': 'middle' }, xTitle),
      draw('text', { x: left, y: top - 10, 'text-anchor': 'start' }, yTitle));
  }

  /** Points over logarithmic axes, below lines that are level or rise with x. */
  plot() {
    const { x, y, size, color, label, lines } = this.spec;
    const rows = Array.from({ length: this.part.count }, (_, i) => i).filter((i) => this.number(x, i) > 0 && this.number(y, i) > 0);
    if (!rows.length) return [make('p', { class: 'help' }, 'No operation has both figures.')];
    const roofs = this.roofs(lines);
    const xsAll = rows.map((i) => this.number(x, i)), ysAll = rows.map((i) => this.number(y, i));
    const range = (/** @type {number[]} */ v) => [10 ** Math.floor(Math.log10(Math.min(...v))), 10 ** Math.ceil(Math.log10(Math.max(...v) * 1.001))];
    const least = (/** @type {number[]} */ v) => v.reduce((a, b) => Math.min(a, b), Infinity), most = (/** @type {number[]} */ v) => v.reduce((a, b) => Math.max(a, b), 0);
    const levels = roofs.filter((r) => r.level > 0).map((r) => r.level), slopes = roofs.filter((r) => r.slope > 0).map((r) => r.slope);
    const corner = levels.length && slopes.length ? most(levels) / least(slopes) : 0;
    const [x0, x1] = range([least(xsAll), most(xsAll), ...(corner ? [corner * 1.5] : [])]), [y0, y1] = range([least(ysAll), most([...ysAll, ...levels])]);
    const box = [64, 34, WIDTH - (WIDTH < 600 ? 96 : 130), 470], picture = this.picture(520), { svg, marks } = picture;
    const scaleX = (/** @type {number} */ v) => box[0] + (Math.log10(v / x0) / Math.log10(x1 / x0)) * (box[2] - box[0]);
    const scaleY = (/** @type {number} */ v) => box[3] - (Math.log10(v / y0) / Math.log10(y1 / y0)) * (box[3] - box[1]);
    this.axes(picture, { x: scaleX, y: scaleY, xs: decades(x0, x1), ys: decades(y0, y1), box });
    this.drawRoofs(svg, roofs, { x0, x1, y0, y1, scaleX, scaleY, box });
    const total = rows.reduce((a, i) => a + (this.number(size, i) || 0), 0) || 1;
    /** Ops at one place are one dot. @type {Map<string, {rows: number[], time: number}>} */
    const dots = new Map();
    for (const i of rows) {
      const key = `${Math.round(scaleX(this.number(x, i)) / 5)} ${Math.round(scaleY(this.number(y, i)) / 5)} ${this.text(color, i)} ${this.text(label, i)}`;
      const dot = dots.get(key) || { rows: [], time: 0 };
      dot.rows.push(i);
      dot.time += this.number(size, i) || 0;
      dots.set(key, dot);
    }
    /** @type {Map<string, number>} */
    const words = new Map();
    const placed = [...dots.values()].sort((a, b) => b.time - a.time);
    for (const dot of placed) {
      const i = dot.rows[0], cx = scaleX(this.number(x, i)), cy = scaleY(this.number(y, i)), hue = this.color(this.text(color, i));
      words.set(this.text(color, i), hue);
      const shape = draw('circle', { cx, cy, r: 3.5 + 22 * Math.sqrt(dot.time / total), class: `mark f${hue}`, 'fill-opacity': 0.8 });
      svg.append(shape);
      marks.add({ shape, x: cx, y: cy, act: this.act(i),
        text: () => `${this.text(label, i)}${dot.rows.length > 1 ? ` (${dot.rows.length} ops)` : ''}\n${timeText(dot.time)}, ${((dot.time / total) * 100).toFixed(1)} % of these\n${this.about(i)}` });
    }
    return [svg, legend([...words].map(([word, hue]) => [word || 'none', hue]))];
  }

  /** @param {ChartSpec['lines']} lines */
  roofs(lines) {
    const part = lines && this.parts.get(lines.part);
    if (!lines || !part) return [];
    const [label, level] = [lines.label, lines.level].map((name) => /** @type {Field} */ (part.field(name))), slope = lines.slope ? part.field(lines.slope) : null;
    return Array.from({ length: part.count }, (_, i) => ({
      label: String(part.value(label, i)), level: Number(part.value(level, i)) || 0, slope: slope ? (Number(part.value(slope, i)) || 0) * lines.scale : 0 }));
  }

  /** Labels stand where no other label does: level lines at the right edge, sloping ones along their foot.
   * @param {SVGElement} svg @param {{label: string, level: number, slope: number}[]} roofs @param {any} s */
  drawRoofs(svg, roofs, s) {
    const most = Math.max(...roofs.map((r) => r.level), 0) || s.y1, steepest = Math.max(...roofs.map((r) => r.slope), 0);
    let along = 0.12, last = -Infinity;
    for (const r of [...roofs].sort((a, b) => b.level - a.level || b.slope - a.slope)) {
      if (r.level > 0 && r.level >= s.y0 && r.level <= s.y1) {
        const from = steepest ? Math.max(s.x0, r.level / steepest) : s.x0, y = s.scaleY(r.level);
        svg.append(draw('path', { d: `M${s.scaleX(from)} ${y}H${s.box[2]}`, class: 'roof' }));
        last = Math.max(y + 4, last + 14);
        svg.append(draw('text', { x: s.box[2] + 6, y: last }, `${r.label} ${tickText(Number(r.level.toPrecision(3)))}`));
      } else if (r.slope > 0) {
        const low = Math.max(s.x0, s.y0 / r.slope), high = Math.min(s.x1, Math.min(most, s.y1) / r.slope);
        if (high <= low) continue;
        const [xa, ya, xb, yb] = [s.scaleX(low), s.scaleY(low * r.slope), s.scaleX(high), s.scaleY(high * r.slope)];
        // each label further along its line than the one before, so that lines close together do not share a place
        const x = xa + (xb - xa) * along, y = ya + (yb - ya) * along, turn = (Math.atan2(yb - ya, xb - xa) * 180) / Math.PI;
        along += 0.16;
        svg.append(draw('path', { d: `M${xa} ${ya}L${xb} ${yb}`, class: 'roof' }),
          draw('text', { x, y: y - 5, transform: `rotate(${turn.toFixed(1)} ${x.toFixed(1)} ${y.toFixed(1)})` }, `${r.label} ${tickText(Number((r.slope * 1e3).toPrecision(3)))} GB/s`));
      }
    }
  }

  /** Values over a sequence or over time, one curve for each word of `color`. */
  line() {
    const { x, y, color } = this.spec, picture = this.picture(300), { svg, marks } = picture;
    const field = x ? this.part.field(x) : null, moments = Boolean(field && field.type === 'm');
    const at = (/** @type {number} */ i) => (moments && field ? Date.parse(String(this.part.value(field, i))) : field ? this.number(x, i) : i);
    const rows = Array.from({ length: this.part.count }, (_, i) => i).filter((i) => Number.isFinite(at(i)) && Number.isFinite(this.number(y, i)));
    if (!rows.length) return [make('p', { class: 'help' }, 'No values.')];
    const { scale, title } = this.axisUnit(y, rows), value = (/** @type {number} */ i) => this.number(y, i) * scale;
    const least = rows.reduce((a, i) => Math.min(a, value(i)), Infinity), most = rows.reduce((a, i) => Math.max(a, value(i)), -Infinity);
    const x0 = rows.reduce((a, i) => Math.min(a, at(i)), Infinity), x1 = Math.max(rows.reduce((a, i) => Math.max(a, at(i)), -Infinity), x0 + 1e-9);
    const pad = (most - least) * 0.1 || Math.abs(most) * 0.1 || 1, y0 = least > 0 && least < most * 0.5 ? 0 : least - pad, y1 = most + pad;
    const box = [64, 30, WIDTH - 30, 250];
    const scaleX = (/** @type {number} */ v) => box[0] + ((v - x0) / (x1 - x0)) * (box[2] - box[0]), scaleY = (/** @type {number} */ v) => box[3] - ((v - y0) / (y1 - y0)) * (box[3] - box[1]);
    const ys = niceTicks(y0, y1, 5), some = Math.max(2, Math.floor(WIDTH / 150));
    this.axes(picture, { x: scaleX, y: scaleY, ys, box, yTitle: title, ...(moments ? momentTicks(x0, x1, some, this.titleOf(x)) : { xs: niceTicks(x0, x1, some) }) });
    /** @type {Map<string, number[]>} */
    const series = new Map();
    rows.sort((a, b) => at(a) - at(b));
    for (const i of rows) series.set(this.text(color, i), [...(series.get(this.text(color, i)) || []), i]);
    const path = (/** @type {number[]} */ list) => list.map((i, k) => `${k ? 'L' : 'M'}${scaleX(at(i)).toFixed(1)} ${scaleY(value(i)).toFixed(1)}`).join('');
    for (const [name, list] of series) {
      const hue = this.color(name);
      svg.append(draw('path', { d: path(list), class: `curve s${hue}` }));
      for (const i of list.length <= 400 ? list : []) {
        const shape = draw('circle', { cx: scaleX(at(i)), cy: scaleY(value(i)), r: 4, class: `mark f${hue}` });
        svg.append(shape);
        marks.add({ shape, x: scaleX(at(i)), y: scaleY(value(i)), text: () => this.about(i), act: this.act(i) });
      }
    }
    return [svg, ...(series.size > 1 ? [legend([...series.keys()].map((name) => [name, this.color(name)]))] : [])];
  }

  /** Times and bytes of an axis have the unit that suits the largest. @param {string | undefined} name @param {number[]} rows */
  axisUnit(name, rows) {
    const field = name ? this.part.field(name) : null, most = rows.reduce((a, i) => Math.max(a, Math.abs(this.number(name, i))), 0);
    if (!field || !isTime(field)) return { scale: 1, title: this.titleOf(name) };
    const us = most * PER_US[field.unit], [unit, scale] = us < 1 ? ['ns', 1e3] : us < 1e3 ? ['\u03bcs', 1] : us < 1e6 ? ['ms', 1e-3] : ['s', 1e-6];
    return { scale: PER_US[field.unit] * Number(scale), title: `${fieldName(field)} (${unit})` };
  }

  /** A column for each row, its parts on top of one another; bytes. Levels of other rows are lines, such as the size of a memory. */
  stack() {
    const { label, x, y, lines } = this.spec, fields = (y || '').split(',').map((name) => /** @type {Field} */ (this.part.field(name)));
    const { count } = this.part, levels = this.roofs(lines).filter((r) => r.level > 0);
    const parts = (/** @type {number} */ i) => fields.map((f) => Number(this.part.value(f, i)) || 0);
    const sums = Array.from({ length: count }, (_, i) => parts(i).reduce((a, b) => a + b, 0));
    const most = [...sums, ...levels.map((l) => l.level)].reduce((a, b) => Math.max(a, b), 1) * 1.04;
    const power = 1024 ** Math.min(3, Math.floor(Math.log(most) / Math.log(1024))), unit = ['B', 'KiB', 'MiB', 'GiB'][Math.round(Math.log(power) / Math.log(1024))];
    const picture = this.picture(300), { svg, marks } = picture, box = [64, 30, WIDTH - 10, 260];
    const scaleY = (/** @type {number} */ v) => box[3] - (v / most) * (box[3] - box[1]), step = (box[2] - box[0]) / (count || 1);
    this.axes(picture, { x: (v) => v, y: (v) => scaleY(v * power), xs: [], ys: niceTicks(0, most / power, 5), box, xTitle: `Operations, ${grouped(String(count))} in order`, yTitle: unit });
    const used = fields.map(() => false), group = Math.max(1, Math.ceil(2 / step));
    for (let i = 0; i < count; i += group) {
      let top = i;
      for (let k = i; k < Math.min(count, i + group); k++) if (sums[k] > sums[top]) top = k;
      const left = box[0] + i * step, width = Math.min(count - i, group) * step, column = draw('g', { class: 'column' });
      let at = 0;
      parts(top).forEach((v, k) => {
        if (!v) return;
        used[k] = true;
        column.append(draw('rect', { x: left.toFixed(2), width: Math.max(0.5, width - (width > 4 ? 1 : 0)).toFixed(2), y: scaleY(at + v).toFixed(2), height: (scaleY(at) - scaleY(at + v)).toFixed(2), class: `f${k % COLORS}` }));
        at += v;
      });
      svg.append(column);
      const split = fields.map((f, k) => [f, parts(top)[k]]).filter(([, v]) => v).map(([f, v]) => `${/** @type {Field} */ (f).help || /** @type {Field} */ (f).title}: ${bytesText(Number(v))}`).join('\n');
      marks.add({ shape: column, x: left + width / 2, y: scaleY(sums[top]), act: this.act(top), text: () => `${this.text(label, top)}${x ? ` (${this.text(x, top)})` : ''}\n${bytesText(sums[top])}\n${split}` });
    }
    const level = levels.reduce((a, l) => Math.max(a, l.level), 0);
    if (level) svg.append(draw('path', { d: `M${box[0]} ${scaleY(level)}H${box[2]}`, class: 'roof' }), draw('text', { x: box[2], y: scaleY(level) - 5, 'text-anchor': 'end' }, `size ${bytesText(level)}`));
    return [svg, legend(fields.map((f, k) => /** @type {[string, number]} */ ([(f.help || f.title).replace(/^at the peak: /, ''), k])).filter(([, k]) => used[k]))];
  }

  /** Rows in the order of a tree, each with its depth: width is the value, children stand below their parent. */
  icicle() {
    const { label, y, depth } = this.spec, { count } = this.part;
    const deepest = Array.from({ length: count }, (_, i) => this.number(depth, i)).reduce((a, b) => Math.max(a, b), 0);
    const { svg, marks } = this.picture((deepest + 1) * 26 + 4);
    const value = (/** @type {number} */ i) => Math.max(0, this.number(y, i) || 0);
    const roots = Array.from({ length: count }, (_, i) => i).filter((i) => this.number(depth, i) === 0).reduce((a, i) => a + value(i), 0) || 1;
    /** Where the next child of each depth begins, and pixels for a unit there. @type {{at: number, scale: number}[]} */
    const next = [{ at: 0, scale: WIDTH / roots }];
    for (let i = 0; i < count; i++) {
      const d = this.number(depth, i), level = next[d] || { at: 0, scale: 0 }, width = value(i) * level.scale, from = level.at;
      level.at += width;
      let children = 0;
      for (let k = i + 1; k < count && this.number(depth, k) > d; k++) if (this.number(depth, k) === d + 1) children += value(k);
      next[d + 1] = { at: from, scale: children > 0 ? Math.min(level.scale, width / children) : 0 };
      if (width < 0.4) continue;
      const hue = this.color(this.text(label, i).replace(/\d+/g, '#'));
      const shape = draw('rect', { x: from, y: d * 26 + 2, width, height: 24, class: `mark f${hue}` });
      svg.append(shape);
      if (width > 40) svg.append(draw('text', { x: from + 5, y: d * 26 + 18, class: 'on', 'pointer-events': 'none' }, fitted(this.text(label, i), width - 8)));
      marks.add({ shape, x: from + width / 2, y: d * 26 + 14, text: () => `${this.text(label, i)}\n${this.about(i)}`, act: this.act(i) });
    }
    return [svg];
  }

  /** Ops one after the other, with the gaps before them; a lane for each device. */
  timeline() {
    const { label, y, before, lane, color } = this.spec;
    /** @type {Map<string, {end: number, rows: [number, number, number][]}>} */
    const lanes = new Map();
    for (let i = 0; i < this.part.count; i++) {
      const time = this.number(y, i);
      if (!(time > 0)) continue;
      const name = this.text(lane, i), l = lanes.get(name) || { end: 0, rows: [] };
      const from = l.end + (l.rows.length ? Math.max(0, this.number(before, i) || 0) : 0);
      l.rows.push([i, from, from + time]);
      l.end = from + time;
      lanes.set(name, l);
    }
    const end = [...lanes.values()].reduce((a, l) => Math.max(a, l.end), 0) || 1, shown = [...lanes].slice(0, 32);
    const left = shown.length > 1 ? 70 : 16, height = shown.length > 8 ? 16 : 34;
    const { svg, marks } = this.picture(shown.length * (height + 4) + 34);
    const scale = (/** @type {number} */ us) => left + (us / end) * (WIDTH - left - 24);
    const bottom = shown.length * (height + 4) + 2;
    for (const v of niceTicks(0, end, Math.max(2, Math.floor(WIDTH / 140))))
      svg.append(draw('line', { x1: scale(v), x2: scale(v), y1: 0, y2: bottom, class: 'grid' }), draw('text', { x: scale(v), y: bottom + 18, 'text-anchor': 'middle', class: 'quiet' }, timeText(v)));
    /** @type {Map<string, number>} */
    const words = new Map();
    shown.forEach(([name, l], k) => {
      const top = k * (height + 4);
      if (shown.length > 1) svg.append(draw('text', { x: 4, y: top + height / 2 + 4, class: 'quiet' }, name));
      for (let a = 0; a < l.rows.length;) {
        let b = a + 1, longest = a;
        const word = this.text(color, l.rows[a][0]);
        // what is narrower than a pixel is drawn together with what follows
        while (b < l.rows.length && scale(l.rows[b][2]) - scale(l.rows[a][1]) < 1) {
          if (l.rows[b][2] - l.rows[b][1] > l.rows[longest][2] - l.rows[longest][1]) longest = b;
          b++;
        }
        const [i] = l.rows[longest], x = scale(l.rows[a][1]), width = Math.max(0.6, scale(l.rows[b - 1][2]) - x), hue = this.color(b - a > 1 ? this.text(color, i) : word);
        const others = b - a - 1, from = l.rows[a][1], to = l.rows[b - 1][2];
        words.set(this.text(color, i), hue);
        const shape = draw('rect', { x, y: top + 2, width, height, class: `${width > 3 ? 'mark' : 'bare'} f${hue}` });
        svg.append(shape);
        marks.add({ shape, x: x + width / 2, y: top + height, act: this.act(i),
          text: () => `${this.text(label, i)}${others ? ` and ${others} more` : ''}\nfrom ${timeText(from)} to ${timeText(to)}\n${this.about(i)}` });
        a = b;
      }
    });
    return [svg, legend([...words].map(([word, hue]) => [word || 'other', hue]))];
  }

  /** Cells of a grid: the larger, the stronger their colour. */
  heat() {
    const { x, y, label, size } = this.spec, { count } = this.part, field = size ? this.part.field(size) : null;
    const all = Array.from({ length: count }, (_, i) => i).filter((i) => Number.isFinite(this.number(size, i)));
    const least = all.reduce((a, i) => Math.min(a, this.number(size, i)), Infinity), most = all.reduce((a, i) => Math.max(a, this.number(size, i)), -Infinity);
    const columns = all.reduce((a, i) => Math.max(a, this.number(x, i) || 0), 0) + 1, rows = all.reduce((a, i) => Math.max(a, this.number(y, i) || 0), 0) + 1;
    const cell = Math.min(110, (WIDTH - 4) / columns), { svg, marks } = this.picture(rows * 48 + 6), unit = field && this.part.unit(field);
    // the values of a map are compared: they have the same unit and digits
    const value = (/** @type {number} */ i) => (field && unit ? `${valueText(field, this.part.value(field, i), unit)}${cell > 80 ? unitAfter(unit.unit) : ''}` : '');
    for (const i of all) {
      const share = most > least ? (this.number(size, i) - least) / (most - least) : 0, left = (this.number(x, i) || 0) * cell + 2, top = (this.number(y, i) || 0) * 48 + 2;
      const shape = draw('rect', { x: left, y: top, width: cell - 4, height: 44, class: 'mark f1', 'fill-opacity': (0.1 + 0.5 * share).toFixed(2) });
      svg.append(shape);
      if (cell > 34) svg.append(draw('text', { x: left + 6, y: top + 18, 'pointer-events': 'none' }, fitted(this.text(label, i), cell - 10)), draw('text', { x: left + 6, y: top + 35, 'pointer-events': 'none' }, fitted(value(i), cell - 10)));
      marks.add({ shape, x: left + cell / 2, y: top + 24, text: () => `${this.text(label, i)}\n${this.about(i)}` });
    }
    return [svg, make('p', { class: 'help' }, all.length ? `The darker, the more: ${valueText(/** @type {Field} */ (field), least)} to ${valueText(/** @type {Field} */ (field), most)}.` : 'No values.')];
  }
}
