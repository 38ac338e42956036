// SPDX-License-Identifier: Apache-2.0
// A Perfetto trace, as tt-perf writes it, to typed arrays. Arguments stay where they are until someone asks.

/** @typedef {Float64Array | Int32Array | Uint32Array} Numbers */
/** Slices of one depth; depth -1: instants. Columns: start, end, name, offset of the packet.
 * @typedef {{ track: Track, depth: number, s: Column, e: Column, n: Column, o: Column }} Lane */
/** One slice of a lane.
 * @typedef {{ lane: Lane, i: number }} Ref */
/** What the packets of one writer have said so far.
 * @typedef {{ track: Track | null, names: number[], keys: string[], texts: string[], ns: number | null }} Sequence */
/** Columns, until the lanes have it all: time, kind or name, offset of the packet; v: values of a counter.
 * @typedef {{ uuid: number, parent: number, name: string, rank: number, unit: string, kind: number, described: boolean,
 *   children: Track[], lanes: Lane[], marks: Lane | null, s: Sequence | null, max: number,
 *   t: Column, k: Column, o: Column, v: Column }} Track */

/** @param {string} id */
function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no '${id}'`);
  return found;
}

/** A column that grows. */
class Column {
  /** @param {new (n: number) => Numbers} type */
  constructor(type) {
    this.type = type;
    this.a = new type(32);
    this.n = 0;
  }
  /** @param {number} v */
  push(v) {
    if (this.n === this.a.length) {
      const wider = new this.type(this.n * 2);
      wider.set(this.a);
      this.a = wider;
    }
    this.a[this.n++] = v;
  }
}

class Extent {
  constructor() {
    this.low = Infinity;
    this.high = -Infinity;
  }
  /** @param {number} v */
  add(v) {
    if (v < this.low) this.low = v;
    if (v > this.high) this.high = v;
  }
  empty() { return this.low > this.high; }
}

/** @typedef {(field: number, value: number, from: number, to: number) => void} UseField */

/** Protocol buffers: numbers and fields of a message. */
class Wire {
  static utf8 = new TextDecoder();

  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.b = bytes;
    this.p = 0;
  }
  varint() {
    let v = 0, scale = 1, c;
    do {
      c = this.b[this.p++];
      v += (c & 127) * scale;
      scale *= 128;
    } while (c >= 128);
    return v;
  }
  /** Exact beyond 2^53.
   * @param {number} at */
  big(at) {
    let v = 0n, shift = 0n;
    for (let p = at; ; p++, shift += 7n) {
      v |= BigInt(this.b[p] & 127) << shift;
      if (this.b[p] < 128) return v;
    }
  }
  /** @param {number} at */
  double(at) {
    return new DataView(this.b.buffer, this.b.byteOffset + at, 8).getFloat64(0, true);
  }
  /** @param {number} from @param {number} to */
  text(from, to) {
    return Wire.utf8.decode(this.b.subarray(from, to));
  }
  /** use(field, value, from, to): value of a varint; from and to of anything else.
   * @param {number} start @param {number} end @param {UseField} use */
  each(start, end, use) {
    const back = this.p;
    this.p = start;
    while (this.p < end) {
      const tag = this.varint();
      const from = this.p;
      switch (tag % 8) {
        case 0: use(Math.floor(tag / 8), this.varint(), from, 0); break;
        case 1: this.p += 8; use(Math.floor(tag / 8), 0, from, this.p); break;
        case 2: {
          const n = this.varint(), at = this.p;
          this.p = at + n;
          use(Math.floor(tag / 8), 0, at, at + n);
          break;
        }
        default: throw new Error('not a trace');
      }
    }
    this.p = back;
  }
}

const KIND_GROUP = 0, KIND_SLICES = 1, KIND_COUNTER = 2;
const NOTHING = new Column(Uint32Array); // of a track that has no such column; never written

class Trace {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.wire = new Wire(bytes);
    /** @type {Map<number, Track>} */
    this.tracks = new Map();
    /** @type {Map<number, Sequence>} */
    this.sequences = new Map();
    /** @type {string[]} */
    this.names = [];
    /** @type {Map<string, number>} */
    this.nameIds = new Map();
    /** @type {bigint | null} */
    this.origin = null; // of the first timestamp; all others count from it
    /** @type {Map<string, { out?: Ref, in?: Ref }>} */
    this.flows = new Map();
    /** @type {Map<number, [boolean, string][]>} */
    this.flowAt = new Map(); // offset of a packet -> whether they leave it, and ids
    this.slices = 0;
    this.start = 0;
    this.end = 1;
    this.busy = new Extent(); // where something runs: messages may be long before
    /** @type {Track[]} */
    this.roots = [];
  }

  /** @param {string} text */
  nameId(text) {
    let id = this.nameIds.get(text);
    if (id === undefined) {
      id = this.names.length;
      this.names.push(text);
      this.nameIds.set(text, id);
    }
    return id;
  }

  /** @param {number} uuid */
  track(uuid) {
    let t = this.tracks.get(uuid);
    if (!t) {
      t = { uuid, parent: 0, name: '', rank: 0, unit: '', kind: KIND_GROUP, described: false, children: [], lanes: [],
            marks: null, s: null, max: 0,
            t: new Column(Float64Array), k: new Column(Int32Array), o: new Column(Uint32Array), v: NOTHING };
      this.tracks.set(uuid, t);
    }
    return t;
  }

  /** Decode, giving the page a breath now and then.
   * @param {(part: number) => void} progress */
  async read(progress) {
    const w = this.wire, size = w.b.length;
    let breath = performance.now() + 30;
    while (w.p < size) {
      const tag = w.varint(), n = w.varint(), at = w.p;
      if (tag !== 10 || at + n > size) throw new Error('not a trace, or truncated');
      this.packet(at, at + n);
      w.p = at + n;
      if (performance.now() > breath) {
        progress(w.p / size);
        await new Promise((next) => { setTimeout(next); });
        breath = performance.now() + 30;
      }
    }
    this.settle();
  }

  /** @param {number} from @param {number} to */
  packet(from, to) {
    const w = this.wire;
    let stampAt = 0, stamp = 0, seq = 0, flags = 0, clock = 0;
    let event = 0, eventEnd = 0, interned = 0, internedEnd = 0, described = 0, describedEnd = 0;
    let defaults = 0, defaultsEnd = 0;
    w.each(from, to, (field, value, a, z) => {
      switch (field) {
        case 8: stampAt = a; stamp = value; break;
        case 10: seq = value; break;
        case 11: event = a; eventEnd = z; break;
        case 12: interned = a; internedEnd = z; break;
        case 13: flags = value; break;
        case 58: clock = value; break;
        case 59: defaults = a; defaultsEnd = z; break;
        case 60: described = a; describedEnd = z; break;
      }
    });
    if (described) this.describe(described, describedEnd);
    if (!seq) return;
    let s = this.sequences.get(seq);
    if (!s || flags & 1) {
      s = { track: null, names: [], keys: [], texts: [], ns: null };
      this.sequences.set(seq, s);
    }
    if (defaults) this.setDefaults(s, defaults, defaultsEnd);
    if (interned) this.intern(s, interned, internedEnd);
    if (event) this.event(s, this.time(s, stampAt, stamp, clock), event, eventEnd, from);
  }

  /** Nanoseconds from the origin. A sequence's first delta is a whole time.
   * @param {Sequence} s @param {number} at @param {number} stamp @param {number} clock */
  time(s, at, stamp, clock) {
    if (clock !== 6 && s.ns !== null) return (s.ns += stamp);
    const whole = this.wire.big(at);
    if (this.origin === null) this.origin = whole;
    const ns = Number(whole - this.origin);
    if (clock !== 6) s.ns = ns;
    return ns;
  }

  /** @param {Sequence} s @param {number} from @param {number} to */
  setDefaults(s, from, to) {
    this.wire.each(from, to, (field, value, a, z) => {
      if (field === 11) this.wire.each(a, z, (f, v) => { if (f === 11) s.track = this.track(v); });
    });
  }

  /** @param {Sequence} s @param {number} from @param {number} to */
  intern(s, from, to) {
    this.wire.each(from, to, (field, value, a, z) => {
      let iid = 0, text = '';
      if (field !== 2 && field !== 3 && field !== 29) return;
      this.wire.each(a, z, (f, v, x, y) => {
        if (f === 1) iid = v;
        if (f === 2) text = this.wire.text(x, y);
      });
      if (field === 2) s.names[iid] = this.nameId(text);
      else (field === 3 ? s.keys : s.texts)[iid] = text;
    });
  }

  /** @param {number} from @param {number} to */
  describe(from, to) {
    const w = this.wire;
    let uuid = 0, parent = 0, name = '', rank = 0, unit = '', counter = false;
    w.each(from, to, (field, value, a, z) => {
      if (field === 1) uuid = value;
      else if (field === 2) name = w.text(a, z);
      else if (field === 5) parent = value;
      else if (field === 12) rank = value;
      else if (field === 8) {
        counter = true;
        w.each(a, z, (f, v, x, y) => { if (f === 6) unit = w.text(x, y); });
      }
    });
    Object.assign(this.track(uuid), { parent, name, rank, unit, described: true });
    if (counter) {
      this.track(uuid).kind = KIND_COUNTER;
      this.track(uuid).v = new Column(Float64Array);
    }
  }

  /** @param {Sequence} s @param {number} ns @param {number} from @param {number} to @param {number} packet */
  event(s, ns, from, to, packet) {
    const w = this.wire;
    /** @type {[boolean, string][]} */
    const flows = [];
    let type = 0, name = -1, value = 0, track = s.track;
    w.each(from, to, (field, v, a, z) => {
      switch (field) {
        case 9: type = v; break;
        case 10: name = s.names[v]; break;
        case 11: track = this.track(v); break;
        case 23: name = this.nameId(w.text(a, z)); break;
        case 30: value = v > 2 ** 53 ? Number(BigInt.asIntN(64, w.big(a))) : v; break;
        case 44: value = w.double(a); break;
        case 47: case 48: flows.push([field === 47, w.b.slice(a, z).join()]); break;
      }
    });
    if (!track || (type === 4 && track.kind !== KIND_COUNTER)) throw new Error('not a trace: an event has no track');
    track.t.push(ns);
    if (type === 4) {
      track.v.push(value);
      return;
    }
    if (flows.length) this.flowAt.set(packet, flows);
    track.kind = KIND_SLICES;
    track.k.push(type === 1 ? name : type === 2 ? -1 : -2 - name);
    track.o.push(packet);
    track.s = s;
  }

  /** Events to lanes of slices, one for each depth, each in order of time. */
  settle() {
    const whole = new Extent(), slices = new Extent();
    for (const [uuid, t] of this.tracks) if (!t.described) this.tracks.delete(uuid);
    for (const t of this.tracks.values()) {
      if (t.kind === KIND_SLICES) this.nest(t);
      for (let i = 0; i < t.t.n; i++) whole.add(t.t.a[i]);
      for (const lane of t.lanes.slice(0, 1))
        for (let i = 0; i < lane.s.n; i++) {
          slices.add(lane.s.a[i]);
          slices.add(lane.e.a[i]);
        }
      if (t.kind === KIND_COUNTER) {
        for (let i = 0; i < t.v.n; i++) t.max = Math.max(t.max, t.v.a[i]);
      } else {
        t.t = t.k = t.o = NOTHING; // the lanes have it all
      }
    }
    if (whole.empty()) {
      whole.add(0);
      whole.add(1);
    }
    this.start = whole.low;
    this.end = whole.high;
    this.busy = slices.empty() ? whole : slices;
    for (const t of this.tracks.values()) ((t.parent && this.tracks.get(t.parent)?.children) || this.roots).push(t);
    const order = (/** @type {Track} */ a, /** @type {Track} */ b) => a.rank - b.rank || a.uuid - b.uuid;
    for (const t of this.tracks.values()) t.children.sort(order);
    this.roots.sort(order);
  }

  /** @param {Track} t */
  nest(t) {
    const n = t.t.n, at = t.t.a;
    let order = null;
    for (let i = 1; i < n; i++)
      if (at[i] < at[i - 1]) {
        order = new Uint32Array(n);
        for (let k = 0; k < n; k++) order[k] = k;
        order = order.sort((x, y) => at[x] - at[y] || x - y);
        break;
      }
    /** @type {Ref[]} */
    const open = [];
    for (let i = 0; i < n; i++) {
      const e = order ? order[i] : i, k = t.k.a[e];
      if (k === -1) {
        const slice = open.pop();
        if (slice) slice.lane.e.a[slice.i] = at[e];
        continue;
      }
      if (k < -1) {
        t.marks = t.marks || newLane(t, -1);
        this.add(t.marks, at[e], at[e], -2 - k, t.o.a[e]);
        continue;
      }
      const lane = t.lanes[open.length] || (t.lanes[open.length] = newLane(t, open.length));
      open.push({ lane, i: lane.s.n });
      this.add(lane, at[e], at[n - 1], k, t.o.a[e]);
      this.slices++;
    }
    for (const lane of t.lanes.concat(t.marks || []))
      for (const column of [lane.s, lane.e, lane.n, lane.o]) column.a = column.a.slice(0, column.n);
  }

  /** @param {Lane} lane @param {number} start @param {number} end @param {number} name @param {number} packet */
  add(lane, start, end, name, packet) {
    const flows = this.flowAt.get(packet);
    if (flows)
      for (const [out, id] of flows) {
        const flow = this.flows.get(id) || {};
        flow[out ? 'out' : 'in'] = { lane, i: lane.s.n };
        this.flows.set(id, flow);
      }
    lane.s.push(start);
    lane.e.push(end);
    lane.n.push(name);
    lane.o.push(packet);
  }

  /** Arguments of a slice: [key, value] in the order of the file.
   * @param {Lane} lane @param {number} i */
  args(lane, i) {
    const w = this.wire, s = lane.track.s;
    /** @type {[string, string][]} */
    const all = [];
    /** @type {(from: number, to: number) => void} */
    const argument = (a, z) => {
      let key = '', value = '';
      w.each(a, z, (f, v, x, y) => {
        if (f === 1) key = s?.keys[v] || '?';
        else if (f === 3) value = w.big(x).toString();
        else if (f === 4) value = BigInt.asIntN(64, w.big(x)).toString();
        else if (f === 5) value = String(Number(w.double(x).toPrecision(6)));
        else if (f === 6) value = w.text(x, y);
        else if (f === 17) value = s?.texts[v] || '?';
      });
      all.push([key, value]);
    };
    w.p = lane.o.a[i];
    // the packet's own length stands before it and is not needed: its fields end with the event
    let from = w.p, done = false;
    while (!done) {
      w.p = from;
      const tag = w.varint();
      if (tag % 8 === 0) w.varint();
      else {
        const n = w.varint(), at = w.p;
        w.p = at + n;
        if (tag === 90) {
          w.each(at, at + n, (field, v, a, z) => { if (field === 4) argument(a, z); });
          done = true;
        }
      }
      from = w.p;
    }
    return all;
  }

  /** Arrows from or to a slice.
   * @param {Lane} lane @param {number} i */
  flowsOf(lane, i) {
    const all = [];
    for (const [, id] of this.flowAt.get(lane.o.a[i]) || []) {
      const flow = this.flows.get(id);
      if (flow?.out && flow.in) all.push({ out: flow.out, in: flow.in });
    }
    return all;
  }

  /** A track and all that are around it, the nearest first.
   * @param {Track} track @returns {Generator<Track>} */
  *around(track) {
    for (let t = /** @type {Track | undefined} */ (track); t; t = this.tracks.get(t.parent)) yield t;
  }

  /** @param {Track} track */
  path(track) {
    const names = [];
    for (const t of this.around(track)) names.unshift(t.name);
    return names.join(' \u203a ');
  }
}

/** @param {Track} track @param {number} depth @returns {Lane} */
function newLane(track, depth) {
  return { track, depth, s: new Column(Float64Array), e: new Column(Float64Array),
           n: new Column(Int32Array), o: new Column(Uint32Array) };
}

/** The bytes inside the page, or those beside it.
 * @param {(part: number) => void} progress */
async function traceBytes(progress) {
  const inside = byId('trace');
  if (inside.textContent.length < 4) {
    const answer = await fetch('{{trace}}');
    if (!answer.ok) throw new Error('cannot read the trace: ' + answer.status);
    return new Uint8Array(await answer.arrayBuffer());
  }
  progress(0);
  const packed = Uint8Array.from(atob(inside.textContent), (c) => c.charCodeAt(0));
  inside.textContent = '';
  if (inside.dataset.packed !== 'gzip') return packed;
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}
