// SPDX-License-Identifier: Apache-2.0
// Draws the part of a trace that is on screen. Per lane no more slices are looked at than there are pixels:
// what is narrower than one is drawn once, and the rest of that pixel is skipped by a binary search.

/** A track on screen: its top, its height and whether it has tracks inside.
 * @typedef {{ t: Track, depth: number, y: number, h: number, group: boolean }} Row */

const LABELS = 230, RULER = 26, SLICE = 17, GROUP = 22, COUNTER = 40, PAD = 3, INDENT = 12;
const NICE = [1, 2, 5];

/** @param {number} ns */
function formatTime(ns) {
  const size = Math.abs(ns);
  /** @type {[string, number]} */
  const [unit, scale] = size >= 1e9 ? ['s', 1e9] : size >= 1e6 ? ['ms', 1e6] : size >= 1e3 ? ['\u00b5s', 1e3] : ['ns', 1];
  return Number((ns / scale).toFixed(scale === 1 ? 0 : 3)).toLocaleString('en') + ' ' + unit;
}

/** First i with a[i] >= v, from `low` on.
 * @param {Numbers} a @param {number} v */
function lowerBound(a, v, low = 0) {
  let high = a.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (a[middle] < v) low = middle + 1;
    else high = middle;
  }
  return low;
}

class View {
  /** @param {Trace} trace @param {HTMLCanvasElement} canvas */
  constructor(trace, canvas) {
    const context = canvas.getContext('2d', { alpha: false });
    if (!context) throw new Error('the browser cannot draw');
    this.trace = trace;
    this.canvas = canvas;
    this.c = context;
    /** @type {Set<Track>} */
    this.open = new Set();
    /** @type {string[]} */
    this.colors = [];
    /** @type {Row[]} */
    this.rows = [];
    this.height = 0;
    this.from = 0;
    this.to = 1;
    /** @type {Ref | null} */
    this.selected = null;
    /** @type {Set<number> | null} */
    this.hits = null; // ids of names
    /** @type {[number, number] | null} */
    this.range = null; // of the ruler, while it is dragged
    this.scroll = 0;
    this.waiting = false;
    this.drawn = 0; // frames, for whoever waits for one
    this.paint = View.palette();
    for (const t of trace.tracks.values()) if (!/^Core /.test(t.name)) this.open.add(t);
    this.fit();
    this.layout();
  }

  /** The colours of the style sheet. */
  static palette() {
    const style = getComputedStyle(document.documentElement);
    const get = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    return { ground: get('--ground'), panel: get('--panel'), line: get('--line'), text: get('--text'),
             quiet: get('--quiet'), accent: get('--accent'), hit: get('--hit'), counter: get('--counter'),
             sliceText: get('--slice-text'), light: get('--slice-light'), chroma: get('--slice-chroma') };
  }

  theme() {
    this.paint = View.palette();
    this.colors = [];
    this.changed();
  }

  /** @param {number} name */
  color(name) {
    if (!this.colors[name]) {
      let h = 2166136261;
      for (const c of this.trace.names[name]) h = Math.imul(h ^ (c.codePointAt(0) ?? 0), 16777619);
      // equally light in every hue: names inside can be read, and slices stand out from the ground
      this.colors[name] = `oklch(${this.paint.light} ${this.paint.chroma} ${(h >>> 0) % 360})`;
    }
    return this.colors[name];
  }

  fit() {
    const { low, high } = this.trace.busy, margin = Math.max((high - low) * 0.01, 1);
    this.from = low - margin;
    this.to = high + margin;
    this.changed();
  }

  /** @param {number} from @param {number} to */
  show(from, to) {
    const whole = this.trace.end - this.trace.start, least = 10;
    const span = Math.min(Math.max(to - from, least), whole * 1.2 + 20);
    let middle = (from + to) / 2;
    middle = Math.min(Math.max(middle, this.trace.start), this.trace.end);
    this.from = middle - span / 2;
    this.to = middle + span / 2;
    this.changed();
  }

  /** @param {number} factor @param {number} x */
  zoom(factor, x) {
    const at = this.timeAt(x);
    const from = at - (at - this.from) * factor, span = (this.to - this.from) * factor;
    this.show(from, from + span);
  }

  /** @param {number} dx */
  pan(dx) {
    const ns = dx * (this.to - this.from) / this.width();
    this.show(this.from + ns, this.to + ns);
  }

  width() { return Math.max(this.canvas.clientWidth - LABELS, 1); }
  /** @param {number} x */
  timeAt(x) { return this.from + (x - LABELS) * (this.to - this.from) / this.width(); }
  /** @param {number} ns */
  xAt(ns) { return LABELS + (ns - this.from) * this.width() / (this.to - this.from); }

  /** Rows from the top: groups that are closed stand for what is inside. */
  layout() {
    this.rows = [];
    let y = 0;
    /** @type {(t: Track, depth: number) => void} */
    const add = (t, depth) => {
      const group = t.children.length > 0;
      const lanes = t.lanes.length + (t.marks ? 1 : 0);
      const own = group && !lanes ? GROUP : t.kind === KIND_COUNTER ? COUNTER : Math.max(lanes, 1) * SLICE + PAD * 2;
      this.rows.push({ t, depth, y, h: own, group });
      y += own;
      if (group && this.open.has(t)) for (const child of t.children) add(child, depth + 1);
    };
    for (const root of this.trace.roots) add(root, 0);
    this.height = y;
    this.changed();
  }

  maxScroll() { return Math.max(this.height - (this.canvas.clientHeight - RULER), 0); }

  changed() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    const w = Math.round(this.canvas.clientWidth * ratio), h = Math.round(this.canvas.clientHeight * ratio);
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    this.c.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  draw() {
    const c = this.c, p = this.paint;
    this.resize();
    const w = this.canvas.clientWidth, h = this.canvas.clientHeight;
    this.scroll = Math.min(Math.max(this.scroll, 0), this.maxScroll());
    c.fillStyle = p.ground;
    c.fillRect(0, 0, w, h);
    c.font = '12px system-ui, "DejaVu Sans", sans-serif';
    c.textBaseline = 'middle';
    for (const row of this.rows) {
      const y = RULER + row.y - this.scroll;
      if (y + row.h < RULER || y > h) continue;
      this.drawRow(row, y, w);
    }
    this.drawFlows(h);
    this.drawRuler(w, h);
    this.drawn++;
  }

  /** @param {Row} row @param {number} y @param {number} w */
  drawRow(row, y, w) {
    const c = this.c, p = this.paint, t = row.t;
    c.save();
    c.beginPath();
    c.rect(LABELS, Math.max(y, RULER), w - LABELS, row.h);
    c.clip();
    if (row.group && !t.lanes.length) {
      c.fillStyle = p.panel;
      c.fillRect(LABELS, y, w - LABELS, row.h);
      if (!this.open.has(t)) this.drawFolded(t, y + PAD);
    } else if (t.kind === KIND_COUNTER) {
      this.drawCounter(t, y, row.h);
    } else {
      t.lanes.forEach((lane, i) => this.drawLane(lane, y + PAD + i * SLICE, SLICE - 1, true));
      if (t.marks) this.drawMarks(t.marks, y + PAD + t.lanes.length * SLICE);
    }
    c.restore();
    c.save();
    c.beginPath();
    c.rect(0, RULER, LABELS, this.canvas.clientHeight - RULER);
    c.clip();
    c.fillStyle = row.group ? p.panel : p.ground;
    c.fillRect(0, y, LABELS, row.h);
    c.fillStyle = row.group ? p.text : p.quiet;
    const x = 8 + row.depth * INDENT;
    if (row.group) c.fillText(this.open.has(t) ? '\u25be' : '\u25b8', x, y + Math.min(row.h, GROUP) / 2);
    const label = t.unit ? `${t.name} [${t.unit}]` : t.name;
    c.fillText(this.clip(label, LABELS - x - 24), x + (row.group ? 14 : 4), y + Math.min(row.h, GROUP) / 2);
    if (t.kind === KIND_COUNTER) {
      c.textAlign = 'right';
      c.fillText(Number(t.max.toPrecision(4)).toLocaleString('en'), LABELS - 6, y + 10);
      c.textAlign = 'left';
    }
    c.restore();
    c.fillStyle = p.line;
    c.fillRect(0, y + row.h - 1, w, 1);
  }

  /** @param {string} text @param {number} room */
  clip(text, room) {
    if (room < 12) return '';
    if (this.c.measureText(text).width <= room) return text;
    let n = Math.floor(text.length * room / this.c.measureText(text).width);
    while (n > 0 && this.c.measureText(text.slice(0, n) + '\u2026').width > room) n--;
    return n > 0 ? text.slice(0, n) + '\u2026' : '';
  }

  /** A closed group: the outermost slices of its first track that has some.
   * @param {Track} t @param {number} y */
  drawFolded(t, y) {
    /** @type {(u: Track) => Lane | undefined} */
    const first = (u) => (u.lanes[0] ? u.lanes[0] : u.children.map(first).find((l) => l));
    const lane = first(t);
    if (lane) this.drawLane(lane, y, GROUP - 2 * PAD, false);
  }

  /** @param {Lane} lane @param {number} y @param {number} h @param {boolean} named */
  drawLane(lane, y, h, named) {
    const c = this.c, s = lane.s.a, e = lane.e.a, names = lane.n.a, n = s.length;
    const scale = this.width() / (this.to - this.from), edge = this.canvas.clientWidth;
    const pixel = 1 / scale;
    let i = lowerBound(e, this.from); // ends are in order too: slices of a lane do not overlap
    while (i < n) {
      const x0 = LABELS + (s[i] - this.from) * scale;
      if (x0 > edge) break;
      const x1 = LABELS + (e[i] - this.from) * scale;
      const dim = this.hits && !this.hits.has(names[i]);
      c.globalAlpha = dim ? 0.25 : 1;
      c.fillStyle = this.color(names[i]);
      if (x1 - x0 < 1.5) {
        // all that begins within this pixel looks the same; a hit among it must be seen
        const next = lowerBound(s, s[i] + pixel, i + 1);
        if (this.hits && dim) for (let k = i; k < next && k < i + 4096; k++) if (this.hits.has(names[k])) { c.globalAlpha = 1; c.fillStyle = this.paint.hit; break; }
        c.fillRect(x0, y, Math.max(x1 - x0, 1), h);
        i = next;
        continue;
      }
      const left = Math.max(x0, LABELS), right = Math.min(x1, edge);
      c.fillRect(left, y, Math.max(right - left - 0.5, 1), h);
      if (named && right - left > 24) {
        c.fillStyle = this.paint.sliceText;
        c.fillText(this.clip(this.trace.names[names[i]], right - left - 6), left + 3, y + h / 2 + 0.5);
      }
      i++;
    }
    c.globalAlpha = 1;
    if (this.selected && this.selected.lane === lane) this.drawSelected(this.selected, y, h);
  }

  /** @param {Ref} ref @param {number} y @param {number} h */
  drawSelected({ lane, i }, y, h) {
    const c = this.c;
    const x0 = Math.max(this.xAt(lane.s.a[i]), LABELS - 2), x1 = Math.min(this.xAt(lane.e.a[i]), this.canvas.clientWidth + 2);
    c.strokeStyle = this.paint.text;
    c.lineWidth = 2;
    c.strokeRect(x0, y, Math.max(x1 - x0, 2), h);
  }

  /** @param {Lane} lane @param {number} y */
  drawMarks(lane, y) {
    const c = this.c, s = lane.s.a, pixel = 4 * (this.to - this.from) / this.width();
    let room = 0;
    for (let i = lowerBound(s, this.from - 2 * pixel); i < s.length && s[i] <= this.to + pixel; i = Math.max(lowerBound(s, s[i] + pixel, i + 1), i + 1)) {
      const x = this.xAt(s[i]), chosen = this.selected && this.selected.lane === lane && this.selected.i === i;
      c.fillStyle = chosen ? this.paint.text : this.paint.accent;
      c.beginPath();
      c.moveTo(x, y + 1);
      c.lineTo(x + 5, y + 8);
      c.lineTo(x, y + 15);
      c.lineTo(x - 5, y + 8);
      c.fill();
      const next = i + 1 < s.length ? this.xAt(s[i + 1]) : Infinity;
      if (x > room && next - x > 30) {
        const text = this.clip(this.trace.names[lane.n.a[i]], Math.min(next - x, 400) - 16);
        c.fillStyle = this.paint.text;
        c.fillText(text, x + 8, y + 8);
        room = x;
      }
    }
  }

  /** @param {Track} t @param {number} y @param {number} h */
  drawCounter(t, y, h) {
    const c = this.c, at = t.t.a, v = t.v.a, n = t.v.n, top = t.max || 1;
    const level = (/** @type {number} */ k) => y + h - 2 - (h - 8) * v[k] / top;
    const pixel = (this.to - this.from) / this.width();
    const times = at.subarray(0, n);
    let i = Math.max(lowerBound(times, this.from) - 1, 0);
    c.fillStyle = this.paint.counter;
    const bottom = y + h - 2;
    while (i < n && at[i] <= this.to) {
      let last = i, most = v[i];
      // within a pixel the highest counts, behind it the last
      while (last + 1 < n && at[last + 1] < at[i] + pixel) most = Math.max(most, v[++last]);
      const x0 = Math.max(this.xAt(at[i]), LABELS);
      const x1 = last + 1 < n ? Math.max(this.xAt(at[last + 1]), x0) : x0 + 1;
      const peak = bottom - (h - 8) * most / top;
      if (last > i) c.fillRect(x0, peak, 1, bottom - peak);
      c.fillRect(last > i ? x0 + 1 : x0, level(last), Math.max(x1 - x0 - (last > i ? 1 : 0), 0), bottom - level(last));
      i = last + 1;
    }
  }

  /** Where a slice is drawn; of a closed group its head row.
   * @param {Ref} ref */
  place(ref) {
    for (const t of this.trace.around(ref.lane.track)) {
      const row = this.rows.find((r) => r.t === t);
      if (!row) continue;
      const depth = ref.lane.depth < 0 ? t.lanes.length : ref.lane.depth;
      const inside = t === ref.lane.track ? PAD + depth * SLICE + SLICE / 2 : GROUP / 2;
      return { x: this.xAt(ref.lane.s.a[ref.i]), y: RULER + row.y - this.scroll + inside, row };
    }
    return null;
  }

  /** @param {number} h */
  drawFlows(h) {
    if (!this.selected) return;
    const c = this.c;
    c.save();
    c.beginPath();
    c.rect(LABELS, RULER, this.canvas.clientWidth, h);
    c.clip();
    c.strokeStyle = c.fillStyle = this.paint.hit;
    c.lineWidth = 1.5;
    for (const flow of this.trace.flowsOf(this.selected.lane, this.selected.i)) {
      const a = this.place(flow.out), b = this.place(flow.in);
      if (!a || !b) continue;
      const bend = Math.max(Math.min(Math.abs(b.x - a.x) / 2, 120), 24);
      c.beginPath();
      c.moveTo(a.x, a.y);
      c.bezierCurveTo(a.x + bend, a.y, b.x - bend, b.y, b.x, b.y);
      c.stroke();
      c.beginPath();
      c.moveTo(b.x, b.y);
      c.lineTo(b.x - 8, b.y - 4);
      c.lineTo(b.x - 8, b.y + 4);
      c.fill();
    }
    c.restore();
  }

  /** @param {number} w @param {number} h */
  drawRuler(w, h) {
    const c = this.c, p = this.paint, span = this.to - this.from;
    c.fillStyle = p.panel;
    c.fillRect(0, 0, w, RULER);
    c.fillStyle = p.line;
    c.fillRect(0, RULER - 1, w, 1);
    c.fillRect(LABELS - 1, 0, 1, h);
    const least = span / Math.max(this.width() / 110, 1);
    const power = 10 ** Math.floor(Math.log10(least));
    const step = power * (NICE.find((f) => f * power >= least) || 10);
    const origin = this.trace.busy.low;
    c.fillStyle = p.quiet;
    for (let k = Math.ceil((this.from - origin) / step); origin + k * step <= this.to; k++) {
      const x = this.xAt(origin + k * step);
      if (x < LABELS) continue;
      c.fillRect(x, RULER - 7, 1, 6);
      c.fillText(formatTime(k * step), x + 3, RULER / 2);
    }
    c.fillText(this.clip(`showing ${formatTime(span)}`, LABELS - 16), 8, RULER / 2);
    if (this.range) {
      c.fillStyle = p.accent;
      c.globalAlpha = 0.25;
      c.fillRect(Math.min(...this.range), 0, Math.abs(this.range[1] - this.range[0]), h);
      c.globalAlpha = 1;
    }
  }

  /** @param {number} y */
  rowAt(y) {
    const at = y - RULER + this.scroll;
    return y < RULER ? null : this.rows.find((r) => at >= r.y && at < r.y + r.h) || null;
  }

  /** The slice or instant at a point; narrow ones count within two pixels.
   * @param {number} x @param {number} y @returns {Ref | null} */
  hit(x, y) {
    const row = this.rowAt(y);
    if (!row || x < LABELS) return null;
    const t = row.t, line = Math.floor((y - RULER + this.scroll - row.y - PAD) / SLICE);
    const lane = t.lanes[line] || (line === t.lanes.length ? t.marks : null);
    if (!lane) return null;
    const near = 2 * (this.to - this.from) / this.width() * (lane.depth < 0 ? 3 : 1), ns = this.timeAt(x);
    let i = lowerBound(lane.e.a, ns - near);
    while (i + 1 < lane.s.a.length && lane.e.a[i] < ns && lane.s.a[i + 1] <= ns) i++;
    return i < lane.s.a.length && lane.s.a[i] <= ns + near ? { lane, i } : null;
  }

  /** Scroll until the track of a slice is on screen.
   * @param {Ref} ref */
  keepInSight(ref) {
    const row = this.rows.find((r) => r.t === ref.lane.track), room = this.canvas.clientHeight - RULER;
    if (row && (row.y < this.scroll || row.y + row.h > this.scroll + room)) this.scroll = row.y - room / 2;
    this.changed();
  }

  /** Open what is around a slice and bring it into sight.
   * @param {Ref} ref */
  reveal(ref) {
    for (const t of this.trace.around(ref.lane.track)) if (t !== ref.lane.track) this.open.add(t);
    this.layout();
    const s = ref.lane.s.a[ref.i], e = ref.lane.e.a[ref.i], span = this.to - this.from;
    if (e < this.from + span * 0.02 || s > this.to - span * 0.02 || e - s < span / 400 || e - s > span * 2) {
      const want = Math.max((e - s) * 8, 200);
      this.show((s + e) / 2 - want / 2, (s + e) / 2 + want / 2);
    }
    this.keepInSight(ref);
  }
}
