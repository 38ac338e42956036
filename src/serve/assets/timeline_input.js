// SPDX-License-Identifier: Apache-2.0
// Mouse, keys, search and the panel below: what people do with the timeline.

/** A button of the mouse that is down: where it went down, where it was last.
 * @typedef {{ x: number, y: number, moved: boolean, ruler: boolean, last: { x: number, y: number } | null }} Drag */

class Timeline {
  /** @param {Trace} trace */
  constructor(trace) {
    this.trace = trace;
    this.canvas = /** @type {HTMLCanvasElement} */ (byId('view'));
    this.word = /** @type {HTMLInputElement} */ (byId('word'));
    this.tip = byId('tip');
    this.view = new View(trace, this.canvas);
    /** @type {Drag | null} */
    this.drag = null;
    /** @type {Ref[]} */
    this.found = [];
    this.at = -1;
    this.x = LABELS + 200;
    this.listen();
  }

  /** @param {Ref | null} ref */
  select(ref, reveal = false) {
    this.view.selected = ref;
    this.details(ref); // first: it takes room from the timeline
    if (ref) this.view[reveal ? 'reveal' : 'keepInSight'](ref);
    this.view.changed();
  }

  /** @param {Ref | null} ref */
  details(ref) {
    const box = byId('details');
    box.replaceChildren();
    box.hidden = !ref;
    if (!ref) return;
    const { lane, i } = ref, s = lane.s.a[i], e = lane.e.a[i];
    const title = document.createElement('h2');
    title.textContent = this.trace.names[lane.n.a[i]];
    const table = document.createElement('table');
    /** @type {(key: string, value: string | Node) => void} */
    const row = (key, value) => {
      const line = table.insertRow();
      const head = document.createElement('th');
      head.scope = 'row';
      head.textContent = key;
      line.append(head);
      line.insertCell().append(value);
    };
    row('track', this.trace.path(lane.track));
    row('start', formatTime(s - this.trace.busy.low));
    if (lane.depth >= 0) row('duration', `${formatTime(e - s)} (${(e - s).toLocaleString('en')} ns)`);
    for (const flow of this.trace.flowsOf(lane, i)) {
      const back = flow.in.lane === lane && flow.in.i === i, other = back ? flow.out : flow.in;
      const jump = document.createElement('button');
      jump.type = 'button';
      jump.textContent = `${this.trace.names[other.lane.n.a[other.i]]} on ${this.trace.path(other.lane.track)}`;
      jump.addEventListener('click', () => {
        this.select(other, true);
        this.canvas.focus(); // the button is gone
      });
      row(back ? 'sent by' : 'runs as', jump);
      if (back) row('after it was sent', formatTime(s - other.lane.s.a[other.i]));
    }
    for (const [key, value] of this.trace.args(lane, i)) row(key, value);
    box.append(title, table);
    box.scrollTop = 0;
  }

  /** @param {number} x @param {number} y */
  hover(x, y) {
    const ref = this.view.hit(x, y), tip = this.tip;
    this.canvas.style.cursor = ref ? 'pointer' : x < LABELS && this.view.rowAt(y)?.group ? 'pointer' : y < RULER ? 'col-resize' : 'default';
    tip.hidden = !ref;
    if (!ref) return;
    const { lane, i } = ref;
    const name = document.createElement('b'), more = document.createElement('span');
    name.textContent = this.trace.names[lane.n.a[i]];
    const start = formatTime(lane.s.a[i] - this.trace.busy.low);
    more.textContent = lane.depth < 0 ? `at ${start}` : `${formatTime(lane.e.a[i] - lane.s.a[i])}, from ${start}`;
    tip.replaceChildren(name, more);
    const w = this.canvas.clientWidth, h = this.canvas.clientHeight;
    tip.style.left = `${Math.min(x + 14, w - tip.offsetWidth - 4)}px`;
    tip.style.top = `${y + 18 + tip.offsetHeight > h ? y - tip.offsetHeight - 8 : y + 18}px`;
  }

  /** @param {string} word */
  search(word) {
    const wanted = word.trim().toLowerCase(), output = byId('hits');
    this.found = [];
    this.at = -1;
    this.view.hits = null;
    if (wanted) {
      const ids = new Set();
      this.trace.names.forEach((name, id) => { if (name.toLowerCase().includes(wanted)) ids.add(id); });
      this.view.hits = ids;
      for (const t of this.trace.tracks.values())
        for (const lane of t.marks ? t.lanes.concat(t.marks) : t.lanes)
          for (let i = 0; i < lane.n.a.length; i++) if (ids.has(lane.n.a[i])) this.found.push({ lane, i });
      this.found.sort((a, b) => a.lane.s.a[a.i] - b.lane.s.a[b.i] || a.lane.depth - b.lane.depth);
    }
    output.textContent = wanted ? (this.found.length ? `${this.found.length.toLocaleString('en')} found` : 'none') : '';
    this.view.changed();
  }

  /** @param {number} by */
  step(by) {
    const n = this.found.length;
    if (!n) return;
    this.at = this.at < 0 ? (by > 0 ? 0 : n - 1) : (this.at + by + n) % n;
    byId('hits').textContent = `${(this.at + 1).toLocaleString('en')} of ${n.toLocaleString('en')}`;
    this.select(this.found[this.at], true);
  }

  /** @param {number} by */
  neighbour(by) {
    const ref = this.view.selected;
    if (!ref) return this.view.pan(by * this.view.width() * 0.2);
    const i = ref.i + by;
    if (i >= 0 && i < ref.lane.s.a.length) this.select({ lane: ref.lane, i }, true);
  }

  fitSelected() {
    const ref = this.view.selected;
    if (!ref) return this.view.fit();
    const s = ref.lane.s.a[ref.i], e = ref.lane.e.a[ref.i], margin = Math.max((e - s) * 0.1, 5);
    this.view.show(s - margin, e + margin);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target === this.word) return;
    const v = this.view, part = v.width() * 0.15;
    /** @type {Record<string, () => void>} */
    const keys = {
      w: () => v.zoom(1 / 1.5, this.x), s: () => v.zoom(1.5, this.x),
      a: () => v.pan(-part), d: () => v.pan(part),
      arrowleft: () => this.neighbour(-1), arrowright: () => this.neighbour(1),
      arrowup: () => this.roll(-60), arrowdown: () => this.roll(60),
      pageup: () => this.roll(-this.canvas.clientHeight * 0.8), pagedown: () => this.roll(this.canvas.clientHeight * 0.8),
      f: () => this.fitSelected(), home: () => v.fit(), escape: () => this.clear(),
      '/': () => this.word.focus(), '?': () => this.help(),
    };
    const act = keys[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** @param {number} dy */
  roll(dy) {
    this.view.scroll += dy;
    this.view.changed();
  }

  clear() {
    this.word.value = '';
    this.search('');
    this.select(null);
  }

  help() {
    const box = byId('help');
    box.hidden = !box.hidden;
    byId('keys').setAttribute('aria-expanded', String(!box.hidden));
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 18 : 1;
    if (event.ctrlKey || event.metaKey) this.view.zoom(Math.exp(event.deltaY * unit * 0.002), event.offsetX);
    else if (event.shiftKey) this.view.pan((event.deltaY || event.deltaX) * unit);
    else {
      if (event.deltaX) this.view.pan(event.deltaX * unit);
      this.roll(event.deltaY * unit);
    }
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button !== 0) return;
    this.canvas.focus({ preventScroll: true });
    this.drag = { x: event.offsetX, y: event.offsetY, moved: false, ruler: event.offsetY < RULER && event.offsetX >= LABELS, last: null };
    this.canvas.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  move(event) {
    const x = event.offsetX, y = event.offsetY, d = this.drag;
    this.x = Math.max(x, LABELS);
    if (!d) return this.hover(x, y);
    if (!d.moved && Math.abs(x - d.x) + Math.abs(y - d.y) < 4) return;
    d.moved = true;
    this.tip.hidden = true;
    if (d.ruler) {
      this.view.range = [d.x, Math.max(x, LABELS)];
      this.view.changed();
      return;
    }
    this.view.pan((d.last?.x ?? d.x) - x);
    this.roll((d.last?.y ?? d.y) - y);
    d.last = { x, y };
  }

  /** @param {PointerEvent} event */
  release(event) {
    const d = this.drag;
    this.drag = null;
    if (!d) return;
    if (this.view.range) {
      const [a, b] = this.view.range.map((x) => this.view.timeAt(x));
      this.view.range = null;
      return this.view.show(Math.min(a, b), Math.max(a, b));
    }
    if (d.moved) return;
    const row = this.view.rowAt(event.offsetY);
    if (event.offsetX < LABELS && row && row.group) {
      if (!this.view.open.delete(row.t)) this.view.open.add(row.t);
      return this.view.layout();
    }
    this.select(this.view.hit(event.offsetX, event.offsetY));
  }

  unfold() {
    const cores = [...this.trace.tracks.values()].filter((t) => /^Core /.test(t.name));
    const open = cores.some((t) => !this.view.open.has(t));
    for (const t of cores) {
      if (open) this.view.open.add(t);
      else this.view.open.delete(t);
    }
    byId('unfold').textContent = open ? 'Close cores' : 'Open all';
    this.view.layout();
  }

  theme() {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
    this.view.theme();
  }

  listen() {
    /** @type {(id: string, act: () => void) => void} */
    const click = (id, act) => byId(id).addEventListener('click', act);
    const canvas = this.canvas;
    canvas.addEventListener('wheel', (e) => this.wheel(e), { passive: false });
    canvas.addEventListener('pointerdown', (e) => this.press(e));
    canvas.addEventListener('pointermove', (e) => this.move(e));
    canvas.addEventListener('pointerup', (e) => this.release(e));
    canvas.addEventListener('pointerleave', () => { this.tip.hidden = true; });
    canvas.addEventListener('dblclick', () => this.fitSelected());
    window.addEventListener('keydown', (e) => this.key(e));
    new ResizeObserver(() => this.view.changed()).observe(canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.view.theme());
    this.word.addEventListener('input', () => this.search(this.word.value));
    this.word.addEventListener('keydown', (e) => {
      if (e.key === 'Enter') { e.preventDefault(); this.step(e.shiftKey ? -1 : 1); }
      if (e.key === 'Escape') { this.clear(); canvas.focus(); }
    });
    byId('find').addEventListener('submit', (e) => { e.preventDefault(); this.step(1); });
    click('previous', () => this.step(-1));
    click('whole', () => this.view.fit());
    click('unfold', () => this.unfold());
    click('theme', () => this.theme());
    click('keys', () => this.help());
  }
}

// before the trace is read there is nothing to find, and no reason to load the page again
byId('find').addEventListener('submit', (e) => e.preventDefault());

(async () => {
  const facts = byId('facts');
  try {
    const bytes = await traceBytes(() => { facts.textContent = 'unpacking'; });
    const trace = new Trace(bytes);
    await trace.read((part) => { facts.textContent = `reading the trace, ${Math.round(part * 100)} %`; });
    Object.assign(window, { timeline: new Timeline(trace) });
    facts.textContent = `${trace.slices.toLocaleString('en')} slices on ${trace.tracks.size.toLocaleString('en')} tracks, ${formatTime(trace.busy.high - trace.busy.low)}`;
  } catch (problem) {
    facts.textContent = problem instanceof Error ? problem.message : String(problem);
    facts.style.color = 'var(--hit)';
    throw problem;
  }
})();
