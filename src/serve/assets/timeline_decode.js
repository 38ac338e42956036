// SPDX-License-Identifier: Apache-2.0
// A Perfetto trace, as tt-perf writes it, to typed arrays. Arguments stay where they are until someone asks.
'use strict';

/** A column that grows. */
class Column {
  constructor(type) {
    this.a = new type(32);
    this.n = 0;
  }
  push(v) {
    if (this.n === this.a.length) {
      const wider = new this.a.constructor(this.n * 2);
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
  add(v) {
    if (v < this.low) this.low = v;
    if (v > this.high) this.high = v;
  }
  empty() { return this.low > this.high; }
}

/** Fields of a message: at(number) calls with the value of a varint, or start and end of bytes. */
class Wire {
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
  /** Exact beyond 2^53. */
  big(at) {
    let v = 0n, shift = 0n;
    for (let p = at; ; p++, shift += 7n) {
      v |= BigInt(this.b[p] & 127) << shift;
      if (this.b[p] < 128) return v;
    }
  }
  double(at) {
    return new DataView(this.b.buffer, this.b.byteOffset + at, 8).getFloat64(0, true);
  }
  text(from, to) {
    return Wire.utf8.decode(this.b.subarray(from, to));
  }
  /** use(field, value, from, to): value of a varint; from and to of anything else. */
  each(from, to, use) {
    const back = this.p;
    this.p = from;
    while (this.p < to) {
      const tag = this.varint();
      const start = this.p;
      switch (tag % 8) {
        case 0: use(Math.floor(tag / 8), this.varint(), start, 0); break;
        case 1: this.p += 8; use(Math.floor(tag / 8), 0, start, this.p); break;
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
Wire.utf8 = new TextDecoder();

const KIND_GROUP = 0, KIND_SLICES = 1, KIND_COUNTER = 2;

class Trace {
  constructor(bytes) {
    this.wire = new Wire(bytes);
    this.tracks = new Map();
    this.sequences = new Map();
    this.names = [];
    this.nameIds = new Map();
    this.origin = null; // of the first timestamp; all others count from it
    this.flows = new Map(); // id -> {out, in}: places
    this.flowAt = new Map(); // offset of a packet -> ids
    this.slices = 0;
  }

  nameId(text) {
    let id = this.nameIds.get(text);
    if (id === undefined) {
      id = this.names.length;
      this.names.push(text);
      this.nameIds.set(text, id);
    }
    return id;
  }

  track(uuid) {
    let t = this.tracks.get(uuid);
    if (!t) {
      t = { uuid, parent: 0, name: '', rank: 0, unit: '', kind: KIND_GROUP, children: [], lanes: [],
            t: new Column(Float64Array), k: new Column(Int32Array), o: new Column(Uint32Array), v: null };
      this.tracks.set(uuid, t);
    }
    return t;
  }

  /** Decode, giving the page a breath now and then. */
  async read(progress) {
    const w = this.wire, size = w.b.length;
    let breath = performance.now() + 30;
    while (w.p < size) {
      const tag = w.varint(), n = w.varint(), at = w.p;
      if (tag !== 10 || at + n > size) throw new Error('not a trace, or cut short');
      this.packet(at, at + n);
      w.p = at + n;
      if (performance.now() > breath) {
        progress(w.p / size);
        await new Promise((next) => setTimeout(next));
        breath = performance.now() + 30;
      }
    }
    this.settle();
  }

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

  /** Nanoseconds from the origin. A sequence's first delta is a whole time. */
  time(s, at, stamp, clock) {
    if (clock !== 6 && s.ns !== null) return (s.ns += stamp);
    const whole = this.wire.big(at);
    if (this.origin === null) this.origin = whole;
    const ns = Number(whole - this.origin);
    if (clock !== 6) s.ns = ns;
    return ns;
  }

  setDefaults(s, from, to) {
    this.wire.each(from, to, (field, value, a, z) => {
      if (field === 11) this.wire.each(a, z, (f, v) => { if (f === 11) s.track = this.track(v); });
    });
  }

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

  event(s, ns, from, to, packet) {
    const w = this.wire;
    let type = 0, name = -1, value = 0, track = s.track, flows = null;
    w.each(from, to, (field, v, a, z) => {
      switch (field) {
        case 9: type = v; break;
        case 10: name = s.names[v]; break;
        case 11: track = this.track(v); break;
        case 23: name = this.nameId(w.text(a, z)); break;
        case 30: value = v > 2 ** 53 ? Number(BigInt.asIntN(64, w.big(a))) : v; break;
        case 44: value = w.double(a); break;
        case 47: case 48: (flows = flows || []).push([field === 47, w.b.slice(a, z).join()]); break;
      }
    });
    track.t.push(ns);
    if (type === 4) {
      track.v.push(value);
      return;
    }
    if (flows) this.flowAt.set(packet, flows);
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
        for (let i = 0; i < lane.s.n; i++) slices.add(lane.s.a[i]), slices.add(lane.e.a[i]);
      if (t.kind === KIND_COUNTER) {
        t.max = 0;
        for (let i = 0; i < t.v.n; i++) t.max = Math.max(t.max, t.v.a[i]);
      } else {
        t.t = t.k = t.o = null; // the lanes have it all
      }
    }
    if (whole.empty()) whole.add(0), whole.add(1);
    this.start = whole.low;
    this.end = whole.high;
    this.busy = slices.empty() ? whole : slices; // where something runs: messages may be long before
    this.roots = [];
    for (const t of this.tracks.values())
      (t.parent && this.tracks.get(t.parent) ? this.tracks.get(t.parent).children : this.roots).push(t);
    const order = (a, b) => a.rank - b.rank || a.uuid - b.uuid;
    for (const t of this.tracks.values()) t.children.sort(order);
    this.roots.sort(order);
  }

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
    const open = [];
    t.marks = null;
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
      for (const column of ['s', 'e', 'n', 'o']) lane[column].a = lane[column].a.slice(0, lane[column].n);
  }

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

  /** Arguments of a slice: [key, value] in the order of the file. */
  args(lane, i) {
    const w = this.wire, s = lane.track.s, all = [];
    const argument = (a, z) => {
      let key = '', value = '';
      w.each(a, z, (f, v, x, y) => {
        if (f === 1) key = s.keys[v] || '?';
        else if (f === 3) value = w.big(x).toString();
        else if (f === 4) value = BigInt.asIntN(64, w.big(x)).toString();
        else if (f === 5) value = String(Number(w.double(x).toPrecision(6)));
        else if (f === 6) value = w.text(x, y);
        else if (f === 17) value = s.texts[v] || '?';
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

  flowsOf(lane, i) {
    return (this.flowAt.get(lane.o.a[i]) || []).map(([, id]) => this.flows.get(id)).filter((f) => f.out && f.in);
  }

  path(track) {
    const names = [];
    for (let t = track; t; t = this.tracks.get(t.parent)) names.unshift(t.name);
    return names.join(' \u203a ');
  }
}

function newLane(track, depth) {
  return { track, depth, s: new Column(Float64Array), e: new Column(Float64Array),
           n: new Column(Int32Array), o: new Column(Uint32Array) };
}

/** The bytes inside the page, or those beside it. */
async function traceBytes(progress) {
  const inside = document.getElementById('trace');
  if (inside.textContent.length < 4) {
    const answer = await fetch('{{trace}}');
    if (!answer.ok) throw new Error('the trace cannot be read: ' + answer.status);
    return new Uint8Array(await answer.arrayBuffer());
  }
  progress(0);
  const packed = Uint8Array.from(atob(inside.textContent), (c) => c.charCodeAt(0));
  inside.textContent = '';
  if (inside.dataset.packed !== 'gzip') return packed;
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}
