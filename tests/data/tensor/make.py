#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""make.py DIR - write the tensor files of this folder, and expect.txt with numbers made by numpy.

Needs numpy (1.24 was used). The files are committed; run this to see that they are what it writes.
"""
import io
import json
import os
import struct
import sys
import zipfile

import numpy as np

out = sys.argv[1]
rng = np.random.default_rng(7)


def path(name):
    return os.path.join(out, name)


def to_bf16(x):
    """Round f32 to bf16 (nearest, ties to even); bits as u16."""
    b = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return ((b + 0x7FFF + ((b >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(u):
    return (np.asarray(u, np.uint32) << 16).view(np.float32)


# --- pairs to compare ---
golden = rng.standard_normal((2, 40, 70)).astype(np.float32)
actual = (golden + 0.01 * rng.standard_normal(golden.shape)).astype(np.float32)
np.save(path("golden_f32.npy"), golden)
np.save(path("actual_f32.npy"), actual)
np.save(path("actual_fortran.npy"), np.asfortranarray(actual))
np.save(path("actual_big.npy"), actual.astype(">f4"))
np.save(path("doubled.npy"), golden * 2)
bad = actual.copy()
bad[1, 3, 5] = np.nan
bad[0, 39, 69] = np.inf
np.save(path("actual_nonfinite.npy"), bad)
np.savez(path("pair.npz"), w=golden, b=np.arange(6, dtype=np.int64))
np.savez_compressed(path("pair_deflate.npz"), w=actual, b=np.arange(6, dtype=np.int64))


def pcc_f32(g, c):
    """comp_pcc's step 6: differences and products in f32, sums in f64."""
    n = g.size
    x = g.ravel() - np.float32(g.sum(dtype=np.float64) / n)
    y = c.ravel() - np.float32(c.sum(dtype=np.float64) / n)
    s = [np.sum(p, dtype=np.float64) for p in (x * y, x * x, y * y)]
    return s[0] / np.sqrt(s[1] * s[2])


lines = []


def expect(name, value):
    lines.append("%s %.17g" % (name, value))


d = actual - golden
expect("pcc", pcc_f32(golden, actual))
expect("frobenius", np.linalg.norm(d.astype(np.float64)) / np.linalg.norm(golden.astype(np.float64)))
expect("max_abs", np.abs(d).max())
expect("max_abs_at", np.abs(d).argmax())
expect("max_rel", (np.abs(d) / np.abs(actual)).max())
expect("outside", np.sum(np.abs(d) > np.float32(1e-8) + np.float32(1e-5) * np.abs(actual)))
expect("max_ulp", (np.abs(d) / np.spacing(np.abs(golden))).max())
expect("numpy_pcc", np.min(np.ma.corrcoef(golden.ravel(), actual.ravel())))
zeroed_g = golden.copy()
zeroed_c = np.where(np.isfinite(bad), bad, np.float32(0))
expect("nonfinite_pcc", pcc_f32(zeroed_g, zeroed_c))

# --- f16: differences and products in f16 ---
g16, c16 = (golden * 3).astype(np.float16), (actual * 3).astype(np.float16)
np.save(path("golden_f16.npy"), g16)
np.save(path("actual_f16.npy"), c16)
n = g16.size
x = g16.ravel() - np.float16(g16.sum(dtype=np.float64) / n)
y = c16.ravel() - np.float16(c16.sum(dtype=np.float64) / n)
s = [np.sum(p, dtype=np.float64) for p in (x * y, x * x, y * y)]
expect("f16_pcc", s[0] / np.sqrt(s[1] * s[2]))

# --- f64 and whole numbers ---
g64, c64 = golden.astype(np.float64) / 3, actual.astype(np.float64) / 3
np.save(path("golden_f64.npy"), g64)
np.save(path("actual_f64.npy"), c64)
expect("f64_pcc", np.corrcoef(g64.ravel(), c64.ravel())[0, 1])
gi = rng.integers(-1000, 1000, (33, 65), dtype=np.int32)
ci = gi + rng.integers(-2, 3, gi.shape, dtype=np.int32)
np.save(path("golden_i32.npy"), gi)
np.save(path("actual_i32.npy"), ci)
expect("i32_pcc", pcc_f32(gi.astype(np.float32), ci.astype(np.float32)))

# --- bf16 in safetensors; the second actual is f32 and must be rounded to bf16 first ---
gb, cb = to_bf16(golden), to_bf16(actual)
np.save(path("bf16_as_u16.npy"), gb)


def safetensors(name, tensors):
    header, data = {}, b""
    for key, (dtype, shape, raw) in tensors.items():
        header[key] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    header["__metadata__"] = {"format": "pt"}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path(name), "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


shape = list(golden.shape)
f8 = bytes(range(256))
safetensors("golden.safetensors", {"layer.w": ("BF16", shape, gb.tobytes()), "f8": ("F8_E4M3", [256], f8)})
safetensors("actual.safetensors", {"layer.w": ("F32", shape, actual.tobytes()), "f8": ("F8_E4M3", [256], f8)})
expect("bf16_pcc", pcc_f32(from_bf16(gb), from_bf16(cb)))
step = np.spacing(np.abs(from_bf16(gb))) * np.float32(65536)
expect("bf16_ulp", (np.abs(from_bf16(cb) - from_bf16(gb)) / step).max())


# --- block floats, packed here by the rules of the format, not by the program under test ---
def block(rows, bits):
    """rows: (n, 16) f32. Returns exponents, signed mantissas as stored, values."""
    b = np.asarray(rows, np.float32).view(np.uint32).astype(np.int64)
    e = (b >> 23) & 0xFF
    top = e.max(axis=1, keepdims=True)
    m = np.where(e == 0, 0, (b & 0x7FFFFF) | 0x800000) >> np.minimum(top - e, 62)
    drop = 24 - bits
    rest, m = m & ((1 << drop) - 1), m >> drop
    m += (rest > 1 << (drop - 1)) | ((rest == 1 << (drop - 1)) & (m & 1 == 1))
    m = np.minimum(m, (1 << bits) - 1)
    sign = np.where(m == 0, 0, b >> 31 & 1)
    value = np.where(sign == 1, -1.0, 1.0) * m * 2.0 ** (top - 127 - (bits - 1))
    return top.ravel().astype(np.uint8), (sign << bits | m).astype(np.uint8), value.astype(np.float32)


def tiles(x, bits):
    """x: (rows, cols), multiples of 32. Bytes of its tiles and the values they hold."""
    data, back = b"", np.zeros_like(x)
    for ty in range(0, x.shape[0], 32):
        for tx in range(0, x.shape[1], 32):
            exps, mants = b"", b""
            for fy in (0, 16):
                for fx in (0, 16):
                    place = (slice(ty + fy, ty + fy + 16), slice(tx + fx, tx + fx + 16))
                    e, m, v = block(x[place], bits)
                    back[place] = v
                    exps += e.tobytes()
                    per = 8 // (bits + 1)
                    m = m.reshape(-1, per).astype(np.uint32) << (np.arange(per, dtype=np.uint32) * (bits + 1))
                    mants += m.sum(axis=1).astype(np.uint8).tobytes()
            data += exps + mants
    return data, back


weights = (rng.standard_normal((64, 96)) * np.exp(rng.standard_normal((64, 1)))).astype(np.float32)
np.save(path("weights.npy"), weights)
for name, bits in (("bfp8", 7), ("bfp4", 3), ("bfp2", 1)):
    data, back = tiles(weights, bits)
    with open(path(name + ".bin"), "wb") as f:
        f.write(data)
    np.save(path(name + "_values.npy"), back)
    err = (back - weights).astype(np.float64)
    expect(name + "_frobenius", np.linalg.norm(err) / np.linalg.norm(weights.astype(np.float64)))
    expect(name + "_pcc", pcc_f32(weights, back))
    expect(name + "_flushed", np.sum((back == 0) & (weights != 0)))


# --- torch: the members and the pickle that torch.save() writes, put together by hand ---
class Pickle:
    """Opcodes of protocol 2, in the order torch uses them."""

    def __init__(self):
        self.b = io.BytesIO()
        self.b.write(b"\x80\x02")

    def raw(self, x):
        self.b.write(x)
        return self

    def text(self, s):
        return self.raw(b"X" + struct.pack("<I", len(s)) + s.encode())

    def num(self, n):
        return self.raw(b"K" + bytes([n]) if n < 256 else b"J" + struct.pack("<i", n))

    def nums(self, t):
        self.raw(b"(")
        for n in t:
            self.num(n)
        return self.raw(b"t")

    def name(self, module, name):
        return self.raw(b"c" + module.encode() + b"\n" + name.encode() + b"\n")

    def tensor(self, kind, key, numel, offset, size, stride):
        self.name("torch._utils", "_rebuild_tensor_v2").raw(b"((")
        self.text("storage").name("torch", kind).text(key).text("cpu").num(numel).raw(b"tQ")
        self.num(offset).nums(size).nums(stride).raw(b"\x89")
        return self.name("collections", "OrderedDict").raw(b")RtR")

    def done(self):
        return self.raw(b".").b.getvalue()


def torch_zip(name, pkl, storages):
    with zipfile.ZipFile(path(name), "w", zipfile.ZIP_STORED) as z:
        def put(member, data):
            z.writestr(zipfile.ZipInfo("archive/" + member, (1980, 1, 1, 0, 0, 0)), data)
        put("data.pkl", pkl)
        put("byteorder", b"little")
        for key, data in storages.items():
            put("data/" + key, data)
        put("version", b"3\n")


# a state dict: w is stored transposed, v is the second half of w's storage
p = Pickle().name("collections", "OrderedDict").raw(b")R(").text("w")
p.tensor("FloatStorage", "0", actual.size, 0, [70, 40, 2], [1, 70, 2800])
p.text("v").tensor("FloatStorage", "0", actual.size, 2800, [40, 70], [70, 1])
p.text("bf").tensor("BFloat16Storage", "1", cb.size, 0, list(cb.shape), [2800, 70, 1]).raw(b"u")
torch_zip("state.pt", p.done(), {"0": actual.tobytes(), "1": cb.tobytes()})
p = Pickle().tensor("FloatStorage", "0", golden.size, 0, list(golden.shape), [2800, 70, 1])
torch_zip("golden.pt", p.done(), {"0": golden.tobytes()})
torch_zip("hostile.pt", Pickle().name("os", "system").raw(b"(").text("touch pwned").raw(b"tR").done(), {})
torch_zip("opaque.pt", Pickle().name("some.module", "Thing").raw(b")R").done(), {})

# --- ttnn: the FlatBuffer by hand ---


class Flat:
    """A FlatBuffer written front to back: every table is followed by what it points to."""

    def __init__(self):
        self.b = bytearray(4)

    def table(self, fields):
        """fields: id -> (size, value); value None: an offset, filled in later. Returns positions."""
        last = max(fields) + 1 if fields else 0
        place, at = {}, 4
        for i in sorted(fields, key=lambda k: -fields[k][0]):
            size = fields[i][0]
            at += -at % size
            place[i] = at
            at += size
        vtable = len(self.b)
        self.b += struct.pack("<HH", 4 + 2 * last, at)
        for i in range(last):
            self.b += struct.pack("<H", place.get(i, 0))
        self.b += b"\0" * (-len(self.b) % 8)
        pos = len(self.b)
        self.b += bytes(at) + b"\0" * (-at % 8)
        struct.pack_into("<i", self.b, pos, pos - vtable)
        for i, (size, value) in fields.items():
            if value is not None:
                struct.pack_into({1: "<B", 2: "<H", 4: "<I"}[size], self.b, pos + place[i], value)
        return pos, {i: pos + place[i] for i in fields}

    def point(self, at, to):
        struct.pack_into("<I", self.b, at, to - at)

    def vector(self, values):
        pos = len(self.b)
        self.b += struct.pack("<I", len(values)) + b"".join(struct.pack("<I", v) for v in values)
        self.b += b"\0" * (-len(self.b) % 8)
        return pos


def tensorbin(name, dtype, shape, data, tile=(32, 32), transposed=False):
    f = Flat()
    root, r = f.table({0: (4, None), 1: (4, None), 2: (4, None)})
    struct.pack_into("<I", f.b, 0, root)
    spec, s = f.table({0: (4, None), 1: (4, None)})
    f.point(r[0], spec)
    f.point(s[0], f.vector(shape))
    layout, l = f.table({0: (1, dtype), 1: (1, 2 if tile else 1), 2: (4, None), 4: (4, None)})
    f.point(s[1], layout)
    if tile:
        page, pg = f.table({0: (4, None)})
        sizes = {0: (4, tile[0]), 1: (4, tile[1])}
        t, _ = f.table({**sizes, 2: (1, 1)} if transposed else sizes)
        f.point(pg[0], t)
    else:
        page, _ = f.table({})
    f.point(l[2], page)
    f.point(l[4], f.vector(list(tile) if tile else [1]))
    mesh, m = f.table({0: (4, None)})
    f.point(r[1], mesh)
    f.point(m[0], f.vector([1, 1]))
    shards = f.vector([0])
    f.point(r[2], shards)
    shard, sh = f.table({0: (1, 1), 1: (4, None), 2: (4, None)})
    f.point(shards + 4, shard)
    f.b += b"\0" * (-len(f.b) % 8)
    f.point(sh[1], len(f.b))
    f.b += struct.pack("<QQ", 0, len(data))
    coord, c = f.table({0: (4, None)})
    f.point(sh[2], coord)
    f.point(c[0], f.vector([0, 0]))
    with open(path(name), "wb") as w:
        w.write(struct.pack("<Q", len(f.b)) + f.b + data)


padded = np.zeros((2, 64, 96), np.uint16)
padded[:, :40, :70] = cb
faced = b""
for plane in padded:
    for ty in range(0, 64, 32):
        for tx in range(0, 96, 32):
            for fy in (0, 16):
                for fx in (0, 16):
                    faced += plane[ty + fy:ty + fy + 16, tx + fx:tx + fx + 16].tobytes()
tensorbin("actual_bf16.tensorbin", 0, [2, 40, 70], faced)
tensorbin("actual_rows.tensorbin", 1, [2, 40, 70], actual.tobytes(), None)
tensorbin("weights_bfp8.tensorbin", 3, [64, 96], tiles(weights, 7)[0])
tensorbin("weights_bfp4.tensorbin", 4, [64, 96], tiles(weights, 3)[0])

# Transposed: every 32x32 tile holds its own transpose; of tiles of 16 rows only the faces are turned.
def turned(plane):
    out = plane.copy()
    for ty in range(0, plane.shape[0], 32):
        for tx in range(0, plane.shape[1], 32):
            out[ty:ty + 32, tx:tx + 32] = plane[ty:ty + 32, tx:tx + 32].T
    return out


def faces(plane, height, turn):
    out = b""
    for ty in range(0, plane.shape[0], height):
        for tx in range(0, plane.shape[1], 32):
            for fy in range(0, height, 16):
                for fx in (0, 16):
                    face = plane[ty + fy:ty + fy + 16, tx + fx:tx + fx + 16]
                    out += (face.T if turn else face).tobytes()
    return out


tensorbin("transposed_bf16.tensorbin", 0, [2, 40, 70],
          b"".join(faces(turned(p), 32, False) for p in padded), transposed=True)
low = np.zeros((2, 48, 96), np.uint16)
low[:, :40, :70] = cb
tensorbin("transposed_16.tensorbin", 0, [2, 40, 70],
          b"".join(faces(p, 16, True) for p in low), (16, 32), True)
tensorbin("transposed_bfp8.tensorbin", 3, [64, 96], tiles(turned(weights), 7)[0], transposed=True)
turned_values = turned(np.ascontiguousarray(tiles(turned(weights), 7)[1]))
np.save(path("transposed_bfp8_values.npy"), turned_values)

with open(path("expect.txt"), "w") as f:
    f.write("\n".join(lines) + "\n")
