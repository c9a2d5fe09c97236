#!/usr/bin/env python3
"""format_reader.py - reads blobs according to formats/FORMAT.md and RECORDS.md alone, and reports violations.

    format_reader.py [--json] [--compare ENTC] [--format FORMAT.md] FOLDER_OR_BLOB...

A second reader, written from the two pages alone: it reads the tables of records, bounds,
enums, ids and layouts from the pages, has its own XXH3-64, and checks everything that they
require a reader to check. So it fails where the pages and the programs differ.

    --json          prints each blob's content, in the form of `entc dump --json`
    --compare ENTC  runs `ENTC dump --json BLOB` and compares the content value by value
    --format PATH   the first page (formats/FORMAT.md beside this folder); RECORDS.md is beside it

One line per mismatch, then `N blobs read, N different`; exit 0 when nothing differs, else 1; 2 for
wrong arguments, or a page that cannot be read. Python 3.9, standard library only.
"""

import argparse
import itertools
import json
import math
import os
import re
import struct
import subprocess
import sys

M32 = 0xffffffff
M64 = 0xffffffffffffffff
NO_ENTITY = 0xffffffff

# --- XXH3-64, as its specification describes it ---------------------------------------------------

P32_1, P32_2, P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P64_1, P64_2, P64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P64_4, P64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")


def read32(data, at):
    return int.from_bytes(data[at:at + 4], "little")


def read64(data, at):
    return int.from_bytes(data[at:at + 8], "little")


def swap64(x):
    return int.from_bytes(x.to_bytes(8, "little"), "big")


def rotl64(x, by):
    return (x << by | x >> (64 - by)) & M64


def fold(a, b):
    product = a * b
    return (product & M64) ^ (product >> 64)


def avalanche(h):
    h ^= h >> 37
    h = h * 0x165667919E3779F9 & M64
    return h ^ h >> 32


def avalanche_short(h):
    h ^= h >> 33
    h = h * P64_2 & M64
    h ^= h >> 29
    h = h * P64_3 & M64
    return h ^ h >> 32


def mix16(data, at, secret_at, seed):
    return fold(read64(data, at) ^ (read64(SECRET, secret_at) + seed & M64),
                read64(data, at + 8) ^ (read64(SECRET, secret_at + 8) - seed & M64))


def hash_to_16(data, seed):
    n = len(data)
    if n > 8:
        low = read64(data, 0) ^ ((read64(SECRET, 24) ^ read64(SECRET, 32)) + seed & M64)
        high = read64(data, n - 8) ^ ((read64(SECRET, 40) ^ read64(SECRET, 48)) - seed & M64)
        return avalanche(n + swap64(low) + high + fold(low, high) & M64)
    if n >= 4:
        seed ^= int.from_bytes((seed & M32).to_bytes(4, "little"), "big") << 32
        h = read32(data, n - 4) | read32(data, 0) << 32
        h ^= (read64(SECRET, 8) ^ read64(SECRET, 16)) - seed & M64
        h ^= rotl64(h, 49) ^ rotl64(h, 24)
        h = h * 0x9FB21C651E98DF25 & M64
        h ^= (h >> 35) + n
        h = h * 0x9FB21C651E98DF25 & M64
        return h ^ h >> 28
    if n:
        h = data[0] << 16 | data[n >> 1] << 24 | data[n - 1] | n << 8
        return avalanche_short(h ^ ((read32(SECRET, 0) ^ read32(SECRET, 4)) + seed & M64))
    return avalanche_short(seed ^ read64(SECRET, 56) ^ read64(SECRET, 64))


def hash_to_128(data, seed):
    n = len(data)
    h = n * P64_1
    for i in range((n - 1) // 32 + 1):
        h += mix16(data, 16 * i, 32 * i, seed)
        h += mix16(data, n - 16 * (i + 1), 32 * i + 16, seed)
    return avalanche(h & M64)


def hash_to_240(data, seed):
    n = len(data)
    h = n * P64_1
    for i in range(8):
        h += mix16(data, 16 * i, 16 * i, seed)
    h = avalanche(h & M64)
    for i in range(8, n // 16):
        h += mix16(data, 16 * i, 16 * (i - 8) + 3, seed)
    return avalanche(h + mix16(data, n - 16, 136 - 17, seed) & M64)


def hash_long(data, seed):
    n = len(data)
    secret = SECRET
    if seed:
        half = struct.unpack("<24Q", SECRET)
        secret = struct.pack("<24Q", *(x + (-seed if i & 1 else seed) & M64 for i, x in enumerate(half)))
    keys = [struct.unpack_from("<8Q", secret, 8 * i) for i in range(16)]
    scramble_key = struct.unpack_from("<8Q", secret, 128)
    last_key = struct.unpack_from("<8Q", secret, 121)
    acc = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1]

    def accumulate(at, key):
        values = struct.unpack_from("<8Q", data, at)
        for i in range(8):
            value = values[i]
            mixed = value ^ key[i]
            acc[i ^ 1] += value
            acc[i] += (mixed & M32) * (mixed >> 32)

    stripes = (n - 1) // 64
    for stripe in range(stripes):
        accumulate(64 * stripe, keys[stripe % 16])
        if stripe % 16 == 15:
            for i in range(8):
                x = acc[i] & M64
                acc[i] = (x ^ x >> 47 ^ scramble_key[i]) * P32_1 & M64
    accumulate(n - 64, last_key)
    h = n * P64_1
    for i in range(4):
        h += fold(acc[2 * i] & M64 ^ read64(secret, 11 + 16 * i),
                  acc[2 * i + 1] & M64 ^ read64(secret, 19 + 16 * i))
    return avalanche(h & M64)


def xxh3(data, seed=0):
    n = len(data)
    if n <= 16:
        return hash_to_16(data, seed)
    if n <= 128:
        return hash_to_128(data, seed)
    return hash_to_240(data, seed) if n <= 240 else hash_long(data, seed)


def id32(text):
    return xxh3(text.encode("utf-8")) & M32 or 1


def id64(text):
    return xxh3(text.encode("utf-8")) or 1


# --- the page -------------------------------------------------------------------------------------

class PageError(Exception):
    pass


class Refused(Exception):
    """An error in a blob, with its place."""

    def __init__(self, at, text):
        super().__init__("0x%x: %s" % (at, text))


WORDS = {"u32": "I", "f32": "f", "Vec2": "ff", "Vec3": "fff", "Vec4": "ffff", "Quat": "ffff",
         "Bool32": "I", "Enum32": "I", "EntityRef": "I", "NameRef": "I", "ResourceRef": "II",
         "PersistentRef": "I", "i32": "i", "Flags32": "I", "TextRef": "I"}
TYPES = ["none", "entity", "level", "mesh", "skeleton", "clip", "material", "component", "package",
         "texture", "data"]
ORDER = "<" if sys.byteorder == "little" else ">"
TEXT = ("name", "reference_name", "declaration_text", "group_name", "morph_name", "string", "event_name")
BYTES = ("texture_data", "data")


def as_f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


class Field:
    def __init__(self, offset, kind, name, bounds, default, array=0):
        self.offset, self.kind, self.name, self.array = int(offset), kind, name, array
        if kind not in WORDS:
            raise PageError("field %s: type %s is not in section 1" % (name, kind))
        self.element = Field(offset, kind, name, bounds, default) if array else self
        self.words = WORDS[kind] * (array or 1)
        self.bytes = 4 * len(self.words)
        self.floats = "f" in self.words
        self.required = default == "required"
        self.low = self.high = None
        self.list = []
        self.target = ""
        self.text = bounds in ("declaration_text", "morph_name", "string", "event_name")
        if self.text:
            return
        if kind in ("Enum32", "Flags32"):
            self.list = bounds.split(", ")
        elif kind == "ResourceRef":
            self.target = bounds
            if bounds not in TYPES + ["any"]:
                raise PageError("field %s: a reference to %r" % (name, bounds))
        elif bounds:
            low, high = bounds.split(" to ")
            if self.floats:
                self.low, self.high = as_f32(float(low)), as_f32(float(high))
            else:
                self.low, self.high = int(low), int(high)


class Record:
    def __init__(self, name, size, keeping, number, layout):
        self.name, self.bytes, self.layout = name, int(size), int(layout, 16)
        self.by_field = "structure of arrays" in keeping
        self.several = "multiple" in keeping
        self.number = number
        self.fields = []

    def check(self):
        at, h = 0, 0
        for field in self.fields:
            if field.offset != at:
                raise PageError("%s.%s is at offset %d, not %d" % (self.name, field.name, field.offset, at))
            at += field.bytes
            for text in [field.name, field.kind] + ["[%d]" % field.array] * (field.array > 0) + field.list:
                h = xxh3(text.encode("utf-8") + b"\0", h)
        h = h & 0x7fffffff | (0x80000000 if self.by_field else 0)
        if at != self.bytes:
            raise PageError("%s has %d bytes, not %d" % (self.name, at, self.bytes))
        if h != self.layout:
            raise PageError("%s has the layout 0x%08x, not 0x%08x" % (self.name, h, self.layout))


class Page:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        self.components = {}     # by id
        self.order = []          # ids in spawn order
        self.records = {}        # by name of the section
        self.kinds = {}          # kind: (name, resource types that have it)
        chapter, example = "", ""
        for line in lines:
            if line.startswith("## "):
                chapter = line[3:].split(".")[0]
            if chapter == "6":
                row = re.match(r"    [0-9a-f]{4}  ((?:[0-9a-f]{8} ){3}[0-9a-f]{8})(?:  |$)", line)
                example += row[1] if row else ""
            if chapter == "4":
                row = re.match(r"\| (\d+) \| (\w+) \|.*\| ([^|]+) \|$", line)
                if row:
                    self.kinds[int(row[1])] = (row[2], row[3].split(", "))
        records = self.read_records(os.path.join(os.path.dirname(path), "RECORDS.md"))
        for record in records:
            record.check()
        for kind, (name, owners) in self.kinds.items():
            if re.fullmatch(r"with \d+", owners[0]):
                self.kinds[kind] = (name, self.kinds[int(owners[0][5:])][1])
            if name not in TEXT + BYTES and name != "component" and (
                    name not in self.records or self.records[name].number != kind):
                raise PageError("section %d (%s) has no table of that number" % (kind, name))
        if not self.components or len(self.kinds) != len(self.records) + 1 + len(TEXT + BYTES):
            raise PageError("the tables do not match the list of sections")
        try:
            Blob(self, bytes.fromhex(example))
        except Refused as error:
            raise PageError("the example of section 6: %s" % error) from error


    def read_records(self, path):
        """The tables of section 9: a heading, a line of properties, a row for each field."""
        records, name, record = [], None, None
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        for line in lines:
            if line.startswith("### "):
                name, record = line[4:], None
                continue
            head = re.match(r"(\d+) bytes; (.*); (id 0x[0-9a-f]{8}), layout 0x([0-9a-f]{8})$", line) or re.match(
                r"(\d+) bytes; ()(section \d+), layout 0x([0-9a-f]{8})$", line)
            if head and name:
                is_component = head[3].startswith("id")
                number = int(head[3].split()[1], 16 if is_component else 10)
                record = Record(name, head[1], head[2], number, head[4])
                records.append(record)
                if is_component:
                    self.components[number] = record
                    self.order.append(number)
                    if number != id32(record.name):
                        raise PageError("%s has not the id 0x%08x" % (record.name, number))
                else:
                    self.records[record.name] = record
                continue
            row = re.match(r"\| (\d+) \| ([^|]*) \| ([^|]*) \| ([^|]*) \| ([^|]*) \| ([^|]*) \| (.*) \|$", line)
            if row and record:
                record.fields.append(Field(row[1], row[2], row[3], row[5].strip(), row[6].strip()))
            elif re.match(r"\| \d", line):
                raise PageError("a row that cannot be read: " + line)
        return records


# --- a blob ---------------------------------------------------------------------------------------

class Section:
    def __init__(self, at, row):
        self.at = at             # of its row in the table
        (self.kind, self.identifier, self.layout, self.count, self.stride, self.offset, self.bytes,
         self.column_count) = row
        self.name = ""
        self.record = None
        self.owners = ()
        self.rows = []           # values of each record, in the order of its fields
        self.places = None       # offset of field f of row r


def round16(n):
    return (n + 15) // 16 * 16


class Blob:
    def __init__(self, page, data, declared=None):
        self.page, self.data = page, data
        self.names = self.references = None
        self.ids = None
        self.components = dict(page.components)
        self.components.update(declared or {})
        self.header()
        self.table()
        for section in self.sections:
            if section.kind == 2:
                self.component(section)
            elif section.name not in TEXT + BYTES:
                self.read_columns(section, section.offset, [section.record.fields])
        self.texts()
        for section in self.sections:
            if section.record:
                self.check_values(section)
        {"entity": self.check_entities, "level": self.check_entities, "mesh": self.check_mesh,
         "skeleton": self.check_skeleton, "clip": self.check_clip, "material": self.check_material,
         "component": self.check_component, "package": self.check_package,
         "texture": self.check_texture, "data": self.check_data}[self.type]()

    def words(self, at, count):
        return struct.unpack_from("%s%dI" % (self.order, count), self.data, at)

    def need(self, truth, at, text):
        if not truth:
            raise Refused(at, text)

    def zeros(self, start, end, text):
        self.need(not any(self.data[start:end]), start, text + ": bytes that are not 0")

    def header(self):
        data = self.data
        self.need(len(data) >= 64, 0, "shorter than a header")
        self.need(data[:4] == b"ENTB", 0, "magic")
        self.order = {0x01020304: "<", 0x04030201: ">"}.get(read32(data, 4))
        self.need(self.order, 4, "byte_order")
        (version, kind, low, high, size, self.section_count, self.elements) = self.words(8, 7)
        self.need(version == 1, 8, "version")
        self.need(1 <= kind < len(TYPES), 12, "resource_type")
        self.type = TYPES[kind]
        self.resource = high << 32 | low
        self.need(self.resource, 16, "resource is 0")
        self.need(size % 16 == 0 and size == len(data), 24, "blob_bytes")
        self.zeros(36, 56, "zero")
        low, high = self.words(56, 2)
        self.need(xxh3(data[64:], xxh3(data[:56])) == high << 32 | low, 56, "hash")

    def table(self):
        end = 64 + 32 * self.section_count
        self.need(self.section_count <= 512 and end <= len(self.data), 28, "section_count")
        self.sections, self.by_name = [], {}
        last_kind, ids, last_position = 0, set(), -1
        for i in range(self.section_count):
            at = 64 + 32 * i
            section = Section(at, self.words(at, 8))
            self.need(section.kind in self.page.kinds, at, "kind")
            section.name, section.owners = self.page.kinds[section.kind]
            self.need(self.type in section.owners, at, "%s in a %s" % (section.name, self.type))
            self.need(section.kind > last_kind or section.kind == last_kind == 2, at, "order of kinds")
            last_kind = section.kind
            self.need(section.count > 0, at + 12, "count is 0")
            if section.kind == 2:
                section.record = self.components.get(section.identifier)
                self.need(section.identifier not in ids, at + 4, "a component type twice")
                self.need(section.identifier, at + 4, "identifier is 0")
                ids.add(section.identifier)
                if section.identifier in self.page.order:
                    position = self.page.order.index(section.identifier)
                    self.need(position > last_position, at + 4, "order of component types")
                    last_position = position
            else:
                self.need(section.identifier == 0, at + 4, "identifier")
                section.record = self.page.records.get(section.name)
                self.by_name[section.name] = section
            self.row_sizes(section)
            self.need(section.offset == round16(end), at + 20, "offset")
            self.need(section.offset + section.bytes <= len(self.data), at + 24, "bytes: behind the blob's end")
            self.zeros(end, section.offset, "before %s" % section.name)
            end = section.offset + section.bytes
            self.sections.append(section)
        self.need(round16(end) == len(self.data), 24, "blob_bytes: the sections end elsewhere")
        self.zeros(end, len(self.data), "behind the last section")

    def row_sizes(self, section):
        """Layout, stride, bytes and column_count of a row."""
        at, record = section.at, section.record
        if section.kind == 2 and not record:
            self.need(section.bytes >= 4 * section.count, at + 24, "bytes: no room for entity_index")
            self.need(section.bytes % 4 == 0, at + 24, "bytes: no multiple of 4")
            return
        columns, stride, layout = 1, 1, 0
        if record:
            stride, layout = record.bytes, record.layout
            columns = len(record.fields) if record.by_field else 1
        self.need(section.layout == layout, at + 8, "layout")
        self.need(section.stride == stride, at + 16, "stride")
        self.need(section.column_count == columns, at + 28, "column_count")
        size = section.count * stride
        if section.kind == 2:
            size = 4 * section.count
            for fields in self.column_fields(record):
                size = round16(size) + section.count * sum(field.bytes for field in fields)
        self.need(section.bytes == size, at + 24, "bytes")

    @staticmethod
    def column_fields(record):
        return [[field] for field in record.fields] if record.by_field else [record.fields]

    def read_columns(self, section, start, columns):
        """Rows of a section; each field's value is a number, or a tuple of numbers."""
        parts, starts, at = [], [], start
        for number, fields in enumerate(columns):
            if number:
                self.zeros(at, section.offset + round16(at - section.offset), "before a column")
                at = section.offset + round16(at - section.offset)
            starts.append(at)
            size = section.count * sum(field.bytes for field in fields)
            words = self.order + "".join(field.words for field in fields)
            cuts = list(itertools.accumulate([len(field.words) for field in fields], initial=0))
            rows = []
            for row in struct.iter_unpack(words, self.data[at:at + size]):
                rows.append([row[a] if b - a == 1 else row[a:b] for a, b in zip(cuts, cuts[1:])])
            parts.append(rows)
            at += size
        section.rows = [sum(row, []) for row in zip(*parts)] if len(parts) > 1 else parts[0]

        def place(row, index):
            if len(columns) > 1:
                return starts[index] + row * columns[index][0].bytes
            return starts[0] + row * section.stride + columns[0][index].offset
        section.places = place

    def component(self, section):
        section.owner = self.words(section.offset, section.count)
        strict = section.record and not section.record.several
        for i, index in enumerate(section.owner):
            at = section.offset + 4 * i
            self.need(index < self.elements, at, "entity_index")
            if i:
                self.need(index > section.owner[i - 1] or index == section.owner[i - 1] and not strict, at,
                          "entity_index does not rise")
        if section.record:
            start = section.offset + 4 * section.count
            body = section.offset + round16(4 * section.count)
            self.zeros(start, body, "behind entity_index")
            self.read_columns(section, body, self.column_fields(section.record))

    # names and references

    def split(self, name, offsets, places):
        """The texts of a section, split at `offsets`."""
        section = self.by_name[name]
        text = self.data[section.offset:section.offset + section.bytes]
        at, out = 0, []
        for offset, place in zip(offsets, places):
            self.need(offset == at, place, "%s does not begin where the last one ended" % name)
            end = text.find(b"\0", at)
            self.need(end >= 0, section.offset + at, "%s without a NUL" % name)
            try:
                out.append(text[at:end].decode("utf-8"))
            except UnicodeDecodeError as error:
                raise Refused(section.offset + at + error.start, "%s is not UTF-8" % name) from error
            at = end + 1
        self.need(at == section.bytes, section.offset + at, "text behind the last %s" % name)
        return out

    def texts(self):
        for a, b in (("name_offset", "name"), ("reference", "reference_name")):
            if (a in self.by_name) != (b in self.by_name):
                raise Refused(64, "%s without %s" % ((a, b) if a in self.by_name else (b, a)))
        offsets = self.by_name.get("name_offset")
        if offsets:
            self.need(offsets.count == self.elements, offsets.at + 12, "count of name_offset")
            self.names = self.split("name", [row[0] for row in offsets.rows],
                                    [offsets.places(i, 0) for i in range(offsets.count)])
        self.group_texts()
        self.string_texts()
        self.references, last = {}, 0
        section = self.by_name.get("reference")
        if not section:
            return
        names = self.split("reference_name", [row[2] for row in section.rows],
                           [section.places(i, 2) for i in range(section.count)])
        for i, (identifier, kind, _) in enumerate(section.rows):
            value = identifier[1] << 32 | identifier[0]
            self.need(value > last, section.places(i, 0), "reference.id does not rise")
            last = value
            self.need(1 <= kind < len(TYPES), section.places(i, 1), "reference.type")
            self.need(value == id64(names[i] + "." + TYPES[kind]), section.places(i, 0), "reference.id")
            self.references[value] = (TYPES[kind], names[i])

    def string_texts(self):
        """The strings of text fields, of which the first one is empty."""
        offsets = self.by_name.get("string_offset")
        self.need(not offsets == (not self.by_name.get("string")), 28, "string_offset and string")
        self.strings = [""]
        if not offsets:
            return
        self.strings = self.split("string", [row[0] for row in offsets.rows],
                                  [offsets.places(i, 0) for i in range(offsets.count)])
        self.need(len(self.strings) > 1, offsets.at + 12, "only the empty string")
        for i, text in enumerate(self.strings):
            self.need((i == 0) == (text == ""), offsets.places(i, 0), "string %d" % i)
        self.texts_at = {}

    def group_texts(self):
        """Rows of the groups, and their names; the base has no row."""
        self.groups, section = [], self.by_name.get("group")
        names = None
        if "group_name" in self.by_name:
            self.need(section, 64, "group_name without group")
            names = self.split("group_name", [row[2] for row in section.rows],
                               [section.places(i, 2) for i in range(section.count)])
        for i, (identifier, first, name) in enumerate(section.rows if section else []):
            before = self.groups[-1] if i else (0, -1, "")
            self.need(identifier > before[0], section.places(i, 0), "group.id does not rise")
            self.need(before[1] < first < self.elements, section.places(i, 1), "group.first")
            self.need(names or name == 0, section.places(i, 2), "group.name is not 0")
            if names:
                self.need(re.fullmatch("[^/\x00-\x1f\x7f]+", names[i]), section.places(i, 2), "a group's name")
                self.need(identifier == id32(names[i]), section.places(i, 0), "group.id")
            self.groups.append((identifier, first, names[i] if names else ""))

    def group_of(self, entity):
        """-1: the base."""
        return sum(first <= entity for _, first, _ in self.groups) - 1

    def reaches(self, entity, other):
        return other == NO_ENTITY or self.group_of(other) in (-1, self.group_of(entity))

    def check_references(self, section):
        for index, field in enumerate(section.record.fields):
            for i, row in enumerate(section.rows):
                for entity in self.elements_of(field, row[index]) if field.array else [row[index]]:
                    self.need(field.kind != "EntityRef" or self.reaches(section.owner[i], entity),
                              section.places(i, index), "%s[%d] leads into a group" % (field.name, i))

    def check_values(self, section):
        for index, field in enumerate(section.record.fields):
            name = section.record.name + "." + field.name
            for i, row in enumerate(section.rows):
                wrong = self.wrong_value(field, row[index])
                self.need(not wrong, section.places(i, index), "%s[%d]: %s" % (name, i, wrong))

    @staticmethod
    def elements_of(field, value):
        """The values of an array."""
        size = len(field.element.words)
        return [value[i] if size == 1 else value[i:i + size] for i in range(0, len(value), size)]

    def wrong_value(self, field, value):
        kind = field.kind
        if field.array:
            return next(filter(None, (self.wrong_value(field.element, x) for x in self.elements_of(field, value))), "")
        numbers = value if isinstance(value, tuple) else (value,)
        if field.floats:
            for x in numbers:
                if not math.isfinite(x):
                    return "not finite"
        if field.low is not None:
            for x in numbers:
                if not field.low <= x <= field.high:
                    return "%r is not between %r and %r" % (x, field.low, field.high)
        if kind == "Quat" and not 0.998 <= sum(x * x for x in numbers) <= 1.002:
            return "not of length 1"
        if kind == "Bool32" and value > 1:
            return "not 0 or 1"
        if kind == "Enum32" and value >= len(field.list):
            return "not in the list"
        if kind == "Flags32" and value >> len(field.list):
            return "a flag that is not in the list"
        if kind == "TextRef" and value and value >= len(self.strings):
            return "no string of the blob"
        if kind == "EntityRef" and value != NO_ENTITY and value >= self.elements:
            return "no entity of the blob"
        if kind == "PersistentRef" and value >= 1 << 31:
            return "no persistent id"
        if kind in ("NameRef", "ResourceRef", "PersistentRef", "TextRef") and field.required and not any(numbers):
            return "0, but required"
        if kind == "ResourceRef" and field.target != "any":
            identifier = value[1] << 32 | value[0]
            if identifier and identifier not in self.references:
                return "not in the table of references"
            if identifier and self.references[identifier][0] != field.target:
                return "not a " + field.target
        return ""

    # rules of one type of resource

    def count_of(self, name):
        return self.by_name[name].count if name in self.by_name else 0

    def rows_of(self, name):
        return self.by_name[name].rows if name in self.by_name else []

    def place(self, name, row, index):
        return self.by_name[name].places(row, index)

    def need_count(self, name, count):
        at = self.by_name[name].at + 12 if name in self.by_name else 32
        self.need(self.count_of(name) == count, at, "%s: %d rows, not %d" % (name, self.count_of(name), count))

    def check_parents(self, name):
        self.need_count(name, self.elements)
        for i, row in enumerate(self.rows_of(name)):
            self.need(row[0] == NO_ENTITY or row[0] < i, self.place(name, i, 0), "%s[%d].parent" % (name, i))

    def check_entities(self):
        self.check_parents("parent")
        if self.groups:
            for i, row in enumerate(self.rows_of("parent")):
                self.need(self.reaches(i, row[0]), self.place("parent", i, 0), "parent[%d] is in a group" % i)
            for section in self.sections:
                if section.kind == 2 and section.record:
                    self.check_references(section)
        if self.names:
            seen = set()
            for i, name in enumerate(self.names):
                key = (self.rows_of("parent")[i][0], name)
                at = self.by_name["name"].offset
                self.need("/" not in name, at, "the name of entity %d is no segment" % i)
                self.need(not name or key not in seen, at, "entity %d has a sibling of its name" % i)
                seen.add(key)
        self.check_declared_sections()

    def check_mesh(self):
        self.need_count("position", self.elements)
        self.need_count("mesh_bounds", 1)
        for name in ("normal", "tangent", "uv", "vertex_joints", "vertex_weights", "uv_1", "color",
                     "vertex_joints_1", "vertex_weights_1"):
            if name in self.by_name:
                self.need_count(name, self.elements)
        for one, other in (("vertex_joints", "vertex_weights"), ("vertex_joints_1", "vertex_weights_1"),
                           ("morph_target", "morph_name")):
            self.need((one in self.by_name) == (other in self.by_name), 28, one + " without " + other)
        self.need("vertex_joints_1" not in self.by_name or "vertex_joints" in self.by_name, 28, "vertex_joints_1")
        self.check_morphs()
        more = self.rows_of("vertex_weights_1")
        for i, words in enumerate(self.rows_of("vertex_weights")):
            total = sum((word & 0xffff) + (word >> 16) for word in [*words, *(more[i] if more else [])])
            self.need(total == 65535, self.place("vertex_weights", i, 0), "the weights of vertex %d" % i)
        indices = [row[0] for row in self.rows_of("index")]
        end = 0
        for i, row in enumerate(self.rows_of("mesh_part")):
            topology, first_index, index_count, first_vertex, vertex_count = row[1:6]
            self.need(first_index == end, self.place("mesh_part", i, 2), "mesh_part[%d].first_index" % i)
            self.need(index_count or self.rows_of("mesh_lod"), self.place("mesh_part", i, 3), "mesh_part[%d].index_count is 0" % i)
            end += index_count
            self.need(end <= len(indices), self.place("mesh_part", i, 3), "mesh_part[%d].index_count" % i)
            self.need(index_count % (3, 2, 1)[topology] == 0, self.place("mesh_part", i, 3),
                      "mesh_part[%d].index_count is not a multiple of what the topology needs" % i)
            self.need(first_vertex + vertex_count <= self.elements, self.place("mesh_part", i, 5),
                      "mesh_part[%d].vertex_count" % i)
            for k in range(first_index, end):
                self.need(first_vertex <= indices[k] < first_vertex + vertex_count, self.place("index", k, 0),
                          "index[%d]" % k)
        self.need(end == len(indices), 64, "the parts do not cover the indices")
        self.check_lods()

    def check_lods(self):
        lods, ranges, parts = self.rows_of("mesh_lod"), self.rows_of("lod_range"), self.rows_of("mesh_part")
        indices, end = [row[0] for row in self.rows_of("lod_index")], 0
        self.need(len(ranges) == len(lods) * len(parts), 28, "ranges of levels")
        for i in range(len(lods)):
            self.need(lods[i][0] >= (lods[i - 1][0] if i else 0), self.place("mesh_lod", i, 0), "mesh_lod[%d].error_m" % i)
        for i, (first, count) in enumerate(ranges):
            topology, first_vertex, vertex_count = parts[i % len(parts)][1], *parts[i % len(parts)][4:6]
            self.need(first == end and first + count <= len(indices), self.place("lod_range", i, 0),
                      "lod_range[%d].first_index" % i)
            end += count
            self.need(count % (3, 2, 1)[topology] == 0, self.place("lod_range", i, 1), "lod_range[%d].index_count" % i)
            for k in range(first, end):
                self.need(first_vertex <= indices[k] < first_vertex + vertex_count, self.place("lod_index", k, 0),
                          "lod_index[%d]" % k)
        self.need(end == len(indices), 28, "the levels do not cover lod_index")

    def check_morphs(self):
        targets = self.rows_of("morph_target")
        if targets:
            names = self.split("morph_name", [row[0] for row in targets],
                               [self.place("morph_target", i, 0) for i in range(len(targets))])
            self.texts_at = {row[0]: name for row, name in zip(targets, names)}
        rows, end = [row[0] for row in self.rows_of("morph_vertex")], 0
        for name in ("morph_position", "morph_normal", "morph_tangent"):
            if name in self.by_name:
                self.need_count(name, len(rows))
        for i, row in enumerate(self.rows_of("morph_target")):
            first, count = row[3:5]
            self.need(first == end and first + count <= len(rows), self.place("morph_target", i, 3),
                      "morph_target[%d].first_row" % i)
            end += count
            for k in range(first, end):
                self.need(rows[k] < self.elements and (k == first or rows[k] > rows[k - 1]),
                          self.place("morph_vertex", k, 0), "morph_vertex[%d]" % k)
        self.need(end == len(rows), 28, "the targets do not cover morph_vertex")

    def check_skeleton(self):
        self.check_parents("joint")
        for i, row in enumerate(self.rows_of("bind")):
            self.need(row[0] < self.elements, self.place("bind", i, 0), "bind[%d].joint" % i)

    def check_clip(self):
        self.need_count("clip_info", 1)
        self.need_count("track", self.elements)
        self.check_keys("track", "key_time", "key_value", lambda row: 4 if row[1] == 1 else 3)
        self.check_keys("morph_track", "morph_time", "morph_weights", lambda row: row[1])
        self.check_keys("property_track", "property_time", "property_value", lambda row: 3 if row[1] == 1 else 1)
        tracks = self.rows_of("property_track")
        for i in range(1, len(tracks)):
            self.need(tracks[i - 1][1::-1] < tracks[i][1::-1], self.place("property_track", i, 0),
                      "property_track[%d].target" % i)
        rows, before, end = self.rows_of("clip_event"), 0, self.rows_of("clip_info")[0][0]
        self.need((len(rows) > 0) == ("event_name" in self.by_name), 28, "clip_event without event_name")
        if rows:
            self.split("event_name", [row[1] for row in rows], [self.place("clip_event", i, 1) for i in range(len(rows))])
        for i, row in enumerate(rows):
            self.need(before <= row[0] <= end, self.place("clip_event", i, 0), "clip_event[%d].time_s" % i)
            before = row[0]

    def check_keys(self, track, time, value, width):
        """Of tracks whose rows end with interpolation, perhaps packing, first_time, key_count and first_value."""
        times, values, end = [row[0] for row in self.rows_of(time)], self.count_of(value), 0
        for i, row in enumerate(self.rows_of(track)):
            first_time, key_count, first_value = row[-3:]
            last = len(row) - 1
            self.need(key_count, self.place(track, i, last - 1), "%s[%d].key_count" % (track, i))
            self.need(first_time + key_count <= len(times), self.place(track, i, last - 2),
                      "%s[%d].first_time" % (track, i))
            for k in range(first_time + 1, first_time + key_count):
                self.need(times[k] > times[k - 1], self.place(time, k, 0), "%s[%d] does not rise" % (time, k))
            if track == "track" and row[3] == 1:
                end = self.check_packed(i, row, end)
                continue
            floats = width(row) * (3 if row[2] == 2 else 1) * key_count
            self.need(first_value + floats <= values, self.place(track, i, last), "%s[%d].first_value" % (track, i))
        if track == "track":
            self.need(end == self.count_of("key_packed"), 28, "the tracks do not cover key_packed")

    def check_packed(self, i, row, end):
        """The end of the words of a packed track, which begin at `end`."""
        words, (key_count, first), rotates = [line[0] for line in self.rows_of("key_packed")], row[-2:], row[1] == 1
        box = 0 if rotates else 6
        self.need(row[2] != 2, self.place("track", i, 3), "track[%d].packing" % i)
        self.need(first == end and first + box + 2 * key_count <= len(words), self.place("track", i, len(row) - 1),
                  "track[%d].first_value" % i)
        floats = struct.unpack("<%df" % box, struct.pack("<%dI" % box, *words[first:first + box]))
        for k, number in enumerate(floats):
            self.need(math.isfinite(number) and (k < 3 or number >= 0), self.place("key_packed", first + k, 0),
                      "key_packed[%d].word" % (first + k))
        for k in range(first + box + 1, first + box + 2 * key_count, 2):
            self.need(words[k] >> (30 if rotates else 31) == 0, self.place("key_packed", k, 0), "key_packed[%d].word" % k)
        return first + box + 2 * key_count

    def check_material(self):
        self.need(self.elements == 1, 32, "element_count")
        self.need_count("material", 1)
        before = -1
        for i, row in enumerate(self.rows_of("material_texture")):
            slot, strength = row[0], row[-1]
            self.need(slot > before, self.place("material_texture", i, 0), "material_texture[%d].slot" % i)
            self.need(slot == 2 or strength == 1 or (slot == 3 and 0 <= strength <= 1),
                      self.place("material_texture", i, len(row) - 1), "material_texture[%d].strength" % i)
            before = slot

    def check_texture(self):
        """Section 4: each level has half the size of the one before it, rounded down."""
        self.need_count("texture", 1)
        info = self.rows_of("texture")[0]
        width, height, _, levels, pixels, space = info[:6]
        self.need(self.elements == levels, 32, "element_count")
        self.need(levels <= max(width, height).bit_length(), self.place("texture", 0, 3), "texture[0].level_count")
        self.need(space == 0 or pixels in (0, 2, 3), self.place("texture", 0, 5), "texture[0].color_space")
        self.need_count("texture_level", levels)
        unit = (4, 1, 8, 16, 8, 16)[pixels]
        data = self.by_name["texture_data"] if "texture_data" in self.by_name else None
        self.need(data, 28, "no texture_data")
        end = 0
        for i, row in enumerate(self.rows_of("texture_level")):
            across, down = (width, height) if pixels < 2 else ((width + 3) // 4, (height + 3) // 4)
            wanted = (round16(end), across * down * unit, width, height, across * unit)
            for k, value in enumerate(wanted):
                self.need(row[k] == value, self.place("texture_level", i, k), "texture_level[%d]" % i)
            self.need(wanted[0] + wanted[1] <= data.bytes, data.at, "texture_data")
            self.zeros(data.offset + end, data.offset + wanted[0], "texture_data")
            end, width, height = wanted[0] + wanted[1], max(width // 2, 1), max(height // 2, 1)
        self.need(end == data.bytes, data.at, "texture_data")

    def check_component(self):
        self.need(1 <= self.elements <= 16, 32, "element_count")
        self.need_count("declaration", 1)
        self.need_count("declared_field", self.elements)
        self.need(self.count_of("enum_text") <= 256, 28, "too many enum texts")
        self.check_declarations()

    def check_declared_sections(self):
        """The declarations in an entity or level are of its component sections, in their order."""
        sections = [(section.identifier, section.layout) for section in self.sections if section.kind == 2]
        for i, row in enumerate(self.rows_of("declaration")):
            at = self.place("declaration", i, 2)
            self.need((row[2], row[3]) in sections, at, "declaration[%d] of no section" % i)
            del sections[:sections.index((row[2], row[3])) + 1]
        self.check_declarations()

    def check_declarations(self):
        """All declarations of the blob; their texts follow each other."""
        self.declared_types = []
        parts = ("declaration", "declared_field", "declaration_text")
        self.need(len({name in self.by_name for name in parts}) == 1, 28, "declarations without a section of theirs")
        self.need("enum_text" not in self.by_name or "declaration" in self.by_name, 28, "enum_text alone")
        if "declaration" not in self.by_name:
            return
        kinds = self.page.records["declared_field"].fields[3].list
        offsets, places, texts, first = [], [], 0, 0
        fields, enums, formers = (self.rows_of(x) for x in ("declared_field", "enum_text", "former_name"))
        for number, row in enumerate(self.rows_of("declaration")):
            offsets += row[:2]
            places += [self.place("declaration", number, i) for i in (0, 1)]
            self.need(first + row[6] <= len(fields), self.place("declaration", number, 6), "field_count")
            first_text = texts
            for i in range(first, first + row[6]):
                field = fields[i]
                offsets += field[:3]
                places += [self.place("declared_field", i, k) for k in range(3)]
                is_enum = kinds[field[3]] in ("Enum32", "Flags32")
                at = self.place("declared_field", i, 12)
                self.need(is_enum == (field[13] > 0) and field[12] == (texts if is_enum else 0), at, "first_text")
                self.need(texts + field[13] <= min(len(enums), first_text + 256), at, "text_count")
                for k in range(texts, texts + field[13]):
                    offsets.append(enums[k][0])
                    places.append(self.place("enum_text", k, 0))
                texts += field[13]
            first += row[6]
        self.need(first == len(fields), 28, "fields that belong to no declaration")
        self.need(texts == len(enums), 28, "enum texts that belong to no field")
        offsets += [row[0] for row in formers]
        places += [self.place("former_name", i, 0) for i in range(len(formers))]
        found = dict(zip(offsets, self.split("declaration_text", offsets, places)))
        self.texts_at = found
        first = 0
        for number, row in enumerate(self.rows_of("declaration")):
            self.declare(number, row, found, list(range(first, first + row[6])))
            first += row[6]
        self.need(len(formers) <= 1024, 28, "older names")
        self.check_former_names(formers, found)

    def check_former_names(self, formers, texts):
        none, last, seen = 0xffffffff, (-1, -1), set()
        fields = self.rows_of("declared_field")
        current = {(none, none): {self.declared.name}} if formers else {}
        for i, (name, field, text) in enumerate(formers):
            at = self.place("former_name", i, 1)
            self.need(field == none and text == none or field < len(fields), at, "field")
            self.need(text == none or text < fields[field][13], at, "text")
            order = tuple(-1 if x == none else x for x in (field, text))
            self.need(order >= last, at, "order of older names")
            last = order
            kind = (none, none) if field == none else ("field",) if text == none else ("text", field)
            now = current.get(kind) or (
                {texts[f[0]] for f in fields} if kind == ("field",) else
                {texts[self.rows_of("enum_text")[fields[field][12] + k][0]] for k in range(fields[field][13])})
            self.need_names([texts[name]], "[a-z]" if text == none else "[a-z0-9]")
            self.need(texts[name] not in now and (kind, texts[name]) not in seen, at, "an older name twice")
            seen.add((kind, texts[name]))

    def declare(self, number, row, texts, numbers):
        """The declared type, after a check of its rows."""
        fields, enums = self.rows_of("declared_field"), self.rows_of("enum_text")
        place = self.place("declaration", number, 2)
        self.found = texts
        self.declared = Record(texts[row[0]], "0", "structure of arrays" + ", multiple" * row[5], row[2], "0")
        self.need(row[2] == id32(self.declared.name), place, "id")
        for text in [texts[row[1]]] + [texts[x] for i in numbers for x in fields[i][1:3]]:
            self.need(len(text.encode()) <= 255 and not re.search("[\x00-\x1f\x7f]", text), 64, "no line: %r" % text)
        names = [texts[fields[i][0]] for i in numbers]
        self.need_names([self.declared.name] + names, "[a-z]")
        self.need(len(set(names)) == len(names), 64, "two fields of one name")
        for i in numbers:
            field = fields[i]
            self.declare_field(i, field, [texts[enums[k][0]] for k in range(field[12], field[12] + field[13])])
        self.declared.layout = row[3]
        try:
            self.declared.check()
        except PageError as error:
            raise Refused(self.place("declaration", number, 3), str(error)) from error
        self.declared_types.append(self.declared)

    def need_names(self, names, first):
        for name in names:
            self.need(len(name) <= 63 and re.fullmatch(first + "[a-z0-9]*(_[a-z0-9]+)*", name), 64,
                      "not a name: %r" % name)

    def declare_field(self, i, row, texts):
        """A field of the declared type, after a check of its row."""
        name, _, _, kind, required, value, lowest, highest, word, least, limit, target = row[:12]
        array = row[14]
        kind = self.page.records["declared_field"].fields[3].list[kind]
        bounds = ""
        self.need_names(texts, "[a-z0-9]")
        self.need(len(set(texts)) == len(texts), 64, "an enum with a text twice")
        if kind == "ResourceRef":
            bounds = TYPES[target]
        elif kind in ("Enum32", "Flags32"):
            bounds = ", ".join(texts)
        elif kind in ("f32", "Vec2", "Vec3", "Vec4", "Quat"):
            bounds = "%r to %r" % (lowest, highest)
        elif kind == "u32":
            bounds = "%d to %d" % (least, limit)
        elif kind == "i32":
            least, limit = ((x ^ 1 << 31) - (1 << 31) for x in (least, limit))
            word = (word ^ 1 << 31) - (1 << 31)
            bounds = "%d to %d" % (least, limit)
        array_at = self.place("declared_field", i, 14)
        self.need(array != 1 and (not array or kind != "Flags32"), array_at, "array")
        field = Field(self.declared.bytes, kind, self.found[name], bounds, "required" if required else "", array)
        self.need(kind != "Flags32" or len(texts) <= 32, array_at, "flags")
        at = self.place("declared_field", i, 5)
        self.need((kind == "ResourceRef") == (target > 0), at, "refers_to")
        self.need(lowest <= highest and least <= limit, at, "bounds")
        self.need(kind in ("u32", "i32") or not (least or limit), at, "least and most")
        self.need(field.floats or not (lowest or highest or any(value)), at, "value, lowest and highest")
        self.need(kind != "Quat" or (lowest, highest) == (-1, 1), at, "bounds of a Quat")
        used = len(WORDS[kind]) if field.floats and not required else 0
        self.need(not any(value[used:]), at, "value: numbers without a use")
        default = value[:used] if used > 1 else value[0]
        worded = ("u32", "i32", "Bool32", "Enum32", "Flags32")
        self.need(not used or not self.wrong_value(field.element, default), at, "value")
        self.need(not word or kind in worded and not required, at, "word")
        self.need(required or kind not in worded or not self.wrong_value(field.element, word), at, "word")
        self.declared.fields.append(field)
        self.declared.bytes += field.bytes
        self.need(self.declared.bytes <= 1024, array_at, "bytes of the record")

    def check_package(self):
        self.need_count("reference", self.elements)

    def check_data(self):
        self.need_count("data", self.elements)

    # content, in the form of a dump

    def path(self, index):
        parts = []
        while index != NO_ENTITY:
            name = self.names[index] if self.names else ""
            parts.append(name or "#%d" % index)
            index = self.rows_of("parent")[index][0]
        return "/".join(reversed(parts))

    def joint_paths(self):
        paths = []
        for i, row in enumerate(self.rows_of("joint")):
            paths.append(self.names[i] if row[0] == NO_ENTITY else paths[row[0]] + "/" + self.names[i])
        return paths

    def name_of(self, identifier):
        """The name with this id in this blob."""
        if self.ids is None:
            names = [name for _, _, name in self.groups]
            if self.type == "skeleton":
                names += self.joint_paths() if self.names else []
            else:
                names += self.names or []
            if self.type == "component":
                names.append(self.declared.name)
            self.ids = {id32(name): name for name in reversed(names) if name and not name.startswith("0x")}
        return self.ids.get(identifier)

    def persistent_owners(self):
        return {row[0]: owner for section in self.sections
                if section.kind == 2 and section.record and section.record.name == "persistent_id"
                for owner, row in zip(section.owner, section.rows)}

    def show(self, field, value):
        kind = field.kind
        if field.array:
            return [self.show(field.element, x) for x in self.elements_of(field, value)]
        if field.text:
            return self.texts_at[value]
        if kind == "Bool32":
            return bool(value)
        if kind == "Enum32":
            return field.list[value]
        if kind == "Flags32":
            return [text for i, text in enumerate(field.list) if value >> i & 1]
        if kind == "TextRef":
            return self.strings[value]
        if kind == "EntityRef":
            return None if value == NO_ENTITY else {"index": value, "path": self.path(value)}
        if kind == "NameRef":
            return self.name_of(value) or "0x%08x" % value
        if kind == "PersistentRef":
            owner = self.persistent_owners().get(value)
            return value or None if owner is None else {"id": value, "path": self.path(owner)}
        if kind == "ResourceRef":
            identifier = value[1] << 32 | value[0]
            return "%s.%s" % tuple(reversed(self.references[identifier])) if identifier else None
        return list(value) if isinstance(value, tuple) else value

    def show_record(self, record, row):
        return {field.name: self.show(field, value) for field, value in zip(record.fields, row)}

    def declarations_hash(self):
        """Of the sections of the declarations, as on a machine of the byte order that the dump has."""
        value = 0
        for name in ("declaration", "declared_field", "enum_text", "declaration_text"):
            section = self.by_name.get(name)
            if section:
                data = bytes(self.data[section.offset:section.offset + section.bytes])
                if self.order != ORDER and name != "declaration_text":
                    data = struct.pack(ORDER + "%dI" % (len(data) // 4), *self.words(section.offset, len(data) // 4))
                value = xxh3(data, value)
        return value

    def content(self):
        out = {"dump": 2, "version": 1, "byte_order": "little" if self.order == "<" else "big",
               "type": self.type, "resource": "0x%016x" % self.resource, "elements": self.elements,
               "sections": []}
        for section in self.sections:
            row = {"kind": section.name}
            if section.kind == 2:
                row["component"] = section.record.name if section.record else "unknown"
                row["identifier"] = "0x%08x" % section.identifier
            row["count"] = section.count
            row["layout"] = "0x%08x" % section.layout
            if section.kind == 2 and not section.record:
                row.update(stride=section.stride, columns=section.column_count, bytes=section.bytes)
            out["sections"].append(row)
        out["references"] = [{"id": "0x%016x" % identifier, "type": kind, "name": name}
                             for identifier, (kind, name) in self.references.items()]
        if self.groups:
            out["groups"] = [{"id": "0x%08x" % identifier, "name": name, "first": first}
                             for identifier, first, name in self.groups]
        if self.type in ("entity", "level"):
            if "declaration" in self.by_name:
                out["declarations"] = {"components": [x.name for x in self.declared_types],
                                       "hash": "0x%016x" % self.declarations_hash()}
            out["entities"] = self.entities()
            if len(self.strings) > 1:
                out["string_offset"] = self.strings
            for section in self.sections:
                if section.kind == 2 and not section.record:
                    words = self.words(section.offset, section.bytes // 4)
                    out["component_0x%08x" % section.identifier] = ["0x%08x" % word for word in words]
            return out
        for section in self.sections:
            if section.name in ("reference", "name_offset", "group") + TEXT:
                continue
            if section.name in BYTES:
                data = self.data[section.offset:section.offset + section.bytes]
                out[section.name] = {"bytes": section.bytes, "hash": "0x%016x" % xxh3(data)}
                continue
            if len(section.record.fields) == 1:
                field = section.record.fields[0]
                out[section.name] = [self.show(field, row[0]) for row in section.rows]
            else:
                out[section.name] = [self.show_record(section.record, row) for row in section.rows]
        if self.names is not None:
            out["names"] = self.names
        return out

    def entities(self):
        out = []
        for i in range(self.elements):
            parent = self.rows_of("parent")[i][0]
            out.append({"index": i, "name": self.names[i] if self.names else "", "path": self.path(i),
                        "parent": None if parent == NO_ENTITY else parent})
            if self.groups:
                group = self.group_of(i)
                out[-1]["group"] = None if group < 0 else self.groups[group][2] or "0x%08x" % self.groups[group][0]
            out[-1]["components"] = {}
        for section in self.sections:
            if section.kind != 2 or not section.record:
                continue
            for index, row in zip(section.owner, section.rows):
                components = out[index]["components"]
                value = self.show_record(section.record, row)
                if section.record.several:
                    components.setdefault(section.record.name, []).append(value)
                else:
                    components[section.record.name] = value
        return out


# --- printing and comparing -----------------------------------------------------------------------

def print_json(value, indent=""):
    """Text of a value; floats with the nine digits that represent them exactly."""
    if isinstance(value, float):
        return "%.9g" % value
    if isinstance(value, list):
        simple = not any(isinstance(x, (list, dict)) for x in value)
        items = [print_json(x, indent + "  ") for x in value]
        if simple:
            return "[" + ", ".join(items) + "]"
        return "[\n" + ",\n".join(indent + "  " + x for x in items) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(json.dumps(k) + ": " + print_json(x, indent + "  ") for k, x in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


class Number(str):
    """A number with its spelling in JSON, so that -0 stays -0."""


def differences(mine, other, where=""):
    if isinstance(mine, dict) and isinstance(other, dict):
        for key in list(mine) + [key for key in other if key not in mine]:
            other_place = where + "." + key if where else key
            if key not in other:
                yield other_place, "only here: %r" % (mine[key],)
            elif key not in mine:
                yield other_place, "only there: %r" % (other[key],)
            else:
                yield from differences(mine[key], other[key], other_place)
        if [key for key in mine if key in other] != [key for key in other if key in mine]:
            yield where, "another order: %s, %s" % (", ".join(mine), ", ".join(other))
    elif isinstance(mine, list) and isinstance(other, list):
        if len(mine) != len(other):
            yield where, "%d here, %d there" % (len(mine), len(other))
        for i, (a, b) in enumerate(zip(mine, other)):
            yield from differences(a, b, "%s[%d]" % (where, i))
    elif not same_value(mine, other):
        yield where, "%r here, %s there" % (mine, other if isinstance(other, Number) else repr(other))


def same_value(mine, other):
    if isinstance(mine, bool) or mine is None:
        return mine is other
    if isinstance(other, Number):
        if isinstance(mine, float):
            try:
                return struct.pack("<f", mine) == struct.pack("<f", float(other))
            except OverflowError:
                return False
        return isinstance(mine, int) and str(mine) == other
    return isinstance(mine, str) and mine == other


def compare(mine, entc, path):
    try:
        run = subprocess.run([entc, "dump", "--json", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             check=False, timeout=120)
    except (OSError, subprocess.TimeoutExpired) as error:
        return [("dump", str(error))]
    if run.returncode:
        return [("dump", "exits with %d: %s" % (run.returncode, run.stderr.decode("utf-8", "replace").strip()))]
    try:
        other = json.loads(run.stdout.decode("utf-8"), parse_float=Number, parse_int=Number)
    except ValueError as error:
        return [("dump", "prints no JSON: %s" % error)]
    return list(differences(mine, other))


def blobs_of(path):
    if not os.path.isdir(path):
        return [path]
    out = []
    for folder, folders, files in os.walk(path):
        folders.sort()
        for name in sorted(files):
            if name.rsplit(".", 1)[-1] in TYPES[1:]:
                out.append(os.path.join(folder, name))
    return out


def declared_types(page, path, blob):
    """The types that the project of a blob declares: in the folder that the blob was written to."""
    out = {}
    parts = os.path.abspath(path).split(os.sep)
    for i in range(1, len(parts)):
        if id64("/".join(parts[i:])) != blob.resource:
            continue
        for kind, name in (blob.references or {}).values():
            if kind == "component":
                with open(os.path.join(os.sep, *parts[:i], name + ".component"), "rb") as file:
                    other_place = Blob(page, file.read())
                out[other_place.declared.number] = other_place.declared
        break
    return out


def read_blob(page, path):
    with open(path, "rb") as file:
        data = file.read()
    blob = Blob(page, data)
    declared = declared_types(page, path, blob)
    return Blob(page, data, declared) if declared else blob


def main():
    parser = argparse.ArgumentParser(description="reads blobs by formats/FORMAT.md alone")
    parser.add_argument("paths", nargs="+", metavar="FOLDER_OR_BLOB")
    parser.add_argument("--json", action="store_true", help="print the content of each blob")
    parser.add_argument("--compare", metavar="ENTC", help="compare with what `ENTC dump --json` prints")
    parser.add_argument("--format", metavar="FORMAT.md", help="the page", default=os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "..", "..", "formats", "FORMAT.md"))
    options = parser.parse_args()
    try:
        page = Page(options.format)
    except (OSError, PageError) as error:
        print("format_reader: %s" % error, file=sys.stderr)
        return 2
    count = different = 0
    for path in [blob for given in options.paths for blob in blobs_of(given)]:
        count += 1
        try:
            content = read_blob(page, path).content()
        except (OSError, Refused) as error:
            print("%s: %s" % (path, error))
            different += 1
            continue
        if options.json:
            print(print_json(content))
        mismatches = compare(content, options.compare, path) if options.compare else []
        for where, text in mismatches[:20]:
            print("%s: %s: %s" % (path, where, text))
        if len(mismatches) > 20:
            print("%s: and %d more" % (path, len(mismatches) - 20))
        different += bool(mismatches)
    print("%d blobs read, %d different" % (count, different))
    return 1 if different or not count else 0


if __name__ == "__main__":
    sys.exit(main())
