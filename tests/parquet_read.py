# SPDX-License-Identifier: Apache-2.0
"""parquet_read.py - a reader of flat Parquet files that shares no code with the writer: Thrift's compact protocol, data
pages 1, PLAIN values, definition levels, ZSTD through libzstd. What is not as the format's specification says is a
ValueError; each count that the file states twice is compared."""
import ctypes
import struct

MAGIC = b"PAR1"
BOOLEAN, INT64, DOUBLE, BYTE_ARRAY = 0, 2, 5, 6


def need(condition, text):
    if not condition:
        raise ValueError(text)


class Thrift:
    """Structs as {field id: value}; bytes are left as they are."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def varint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def zigzag(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            self.at += 1
            return self.data[self.at - 1]
        if kind in (4, 5, 6):
            return self.zigzag()
        if kind == 8:
            size = self.varint()
            self.at += size
            need(self.at <= len(self.data), "a text ends behind its struct")
            return self.data[self.at - size:self.at]
        if kind == 9:
            head = self.data[self.at]
            self.at += 1
            size = head >> 4 if head >> 4 != 15 else self.varint()
            return [self.value(head & 15) for _ in range(size)]
        if kind == 12:
            return self.struct()
        raise ValueError(f"type {kind} of Thrift")

    def struct(self):
        fields, last = {}, 0
        while True:
            head = self.data[self.at]
            self.at += 1
            if head == 0:
                return fields
            last = last + (head >> 4) if head >> 4 else self.zigzag()
            need(last not in fields, f"field {last} twice")
            fields[last] = self.value(head & 15)


def unzstd(data, size):
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_decompress.restype = ctypes.c_size_t
    library.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    out = ctypes.create_string_buffer(size + 1)
    got = library.ZSTD_decompress(out, size + 1, data, len(data))
    need(got == size, f"a page has {got} bytes, not {size}")
    return out.raw[:size]


def levels(data, count):
    """The RLE and bit-packing hybrid for levels of one bit."""
    at, out = Thrift(data), []
    while len(out) < count:
        head = at.varint()
        if head & 1:
            for _ in range(head >> 1):
                byte = at.data[at.at]
                at.at += 1
                out += [byte >> bit & 1 for bit in range(8)]
        else:
            out += [at.data[at.at]] * (head >> 1)
            at.at += 1
    need(at.at == len(data), "bytes behind the levels")
    need(not any(out[count:]), "levels behind the last row")
    return out[:count]


def plain(data, kind, count):
    if kind == BOOLEAN:
        need(len(data) == (count + 7) // 8, "length of booleans")
        return [bool(data[i // 8] >> i % 8 & 1) for i in range(count)]
    if kind in (INT64, DOUBLE):
        need(len(data) == 8 * count, "length of numbers")
        return list(struct.unpack(f"<{count}{'q' if kind == INT64 else 'd'}", data))
    out, at = [], 0
    for _ in range(count):
        size = struct.unpack_from("<I", data, at)[0]
        need(at + 4 + size <= len(data), "a text ends behind its page")
        out.append(data[at + 4:at + 4 + size].decode("utf-8"))  # strict
        at += 4 + size
    need(at == len(data), "bytes behind the texts")
    return out


class Table:
    """.names, .types ("text", "int", "real", "bool", "time"), .columns, .meta, .created_by, .codecs, .groups (rows of
    each), .pages (most of a chunk)."""

    def __init__(self, data):
        need(data[:4] == MAGIC and data[-4:] == MAGIC, "no PAR1 at both ends")
        size = struct.unpack("<I", data[-8:-4])[0]
        footer = Thrift(data[:-8], len(data) - 8 - size)
        meta = footer.struct()
        need(footer.at == len(data) - 8, "bytes behind the footer")
        root, *leaves = meta[2]
        need(root[5] == len(leaves) and 1 not in root, "root of the schema")
        self.names = [leaf[4].decode() for leaf in leaves]
        need(len(set(self.names)) == len(self.names), "a name twice")
        self.types = [self.type_of(leaf) for leaf in leaves]
        self.columns = [[] for _ in leaves]
        self.meta = {pair[1].decode(): pair[2].decode() for pair in meta[5]}
        self.created_by = meta[6].decode()
        self.codecs, self.groups, self.pages = set(), [], 0
        self.expected = 4  # where the next page begins
        for group in meta[4]:
            self.read_group(data, group, leaves)
        need(self.expected == len(data) - 8 - size, "bytes between the last page and the footer")
        need(sum(self.groups) == meta[3], "number of rows")

    @staticmethod
    def type_of(leaf):
        need(leaf[3] == 1, "a column is not optional")
        logical = leaf.get(10)
        if leaf[1] == BYTE_ARRAY:
            need(leaf.get(6) == 0 and logical == {1: {}}, "bytes are not marked as text")
            return "text"
        if leaf[1] == INT64 and logical is not None:
            need(logical == {8: {1: True, 2: {3: {}}}}, "not a time in UTC in nanoseconds")
            return "time"
        need(logical is None, "a logical type of a number")
        return {BOOLEAN: "bool", INT64: "int", DOUBLE: "real"}[leaf[1]]

    def read_group(self, data, group, leaves):
        rows = group[3]
        need(len(group[1]) == len(leaves), "chunks of a group")
        need(group[5] == self.expected, "offset of a group")
        for i, (leaf, chunk) in enumerate(zip(leaves, group[1])):
            about = chunk[3]
            need(about[1] == leaf[1] and about[3] == [leaf[4]], "a chunk is of another column")
            need(about[2] == [0, 3] and about[5] == rows, "encodings or values of a chunk")
            values = self.read_chunk(data, about, leaf[1])
            need(about[12][3] == sum(v is None for v in values), "number of nulls")
            self.columns[i] += values
        need(group[2] == sum(c[3][6] for c in group[1]), "plain bytes of a group")
        need(group[6] == sum(c[3][7] for c in group[1]), "packed bytes of a group")
        self.groups.append(rows)

    def read_chunk(self, data, about, kind):
        at, out, bytes_plain, pages = about[9], [], 0, 0
        need(at == self.expected, "offset of a chunk")
        need(about[4] in (0, 6), "codec")
        self.codecs.add(about[4])
        while len(out) < about[5]:
            head = Thrift(data, at)
            page = head.struct()
            need(page[1] == 0 and page[5][2] == 0 and page[5][3] == 3 and page[5][4] == 3, "kind of a page")
            body = data[head.at:head.at + page[3]]
            bytes_plain += head.at - at + page[2]
            at = head.at + page[3]
            if about[4] == 6:
                body = unzstd(body, page[2])
            need(len(body) == page[2], "length of a page")
            size = struct.unpack_from("<I", body)[0]
            known = levels(body[4:4 + size], page[5][1])
            values = iter(plain(body[4 + size:], kind, sum(known)))
            out += [next(values) if k else None for k in known]
            pages += 1
        need(len(out) == about[5], "values of the pages of a chunk")
        need(at - about[9] == about[7] and bytes_plain == about[6], "bytes of a chunk")
        self.pages = max(self.pages, pages)
        self.expected = at
        return out


def read(path):
    with open(path, "rb") as file:
        return Table(file.read())
