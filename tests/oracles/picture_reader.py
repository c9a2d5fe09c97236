"""picture_reader.py - reads PNG files and the pixel formats of textures, without code of entc.

PNG: 8 and 16 bits of grey, grey with alpha, RGB, RGBA, and palettes of 1 to 8 bits; not interlaced. Python 3.9,
standard library only.

Source   Portable Network Graphics (PNG) Specification, second edition, W3C 2003; Khronos Data Format Specification,
         chapters on S3TC and RGTC.
"""
import itertools
import math
import struct
import zlib

PNG = b"\x89PNG\r\n\x1a\n"
GREY, COLOR, PALETTE, GREY_ALPHA, COLOR_ALPHA = 0, 2, 3, 4, 6
SAMPLES = {GREY: 1, COLOR: 3, PALETTE: 1, GREY_ALPHA: 2, COLOR_ALPHA: 4}


class Picture:
    """`planes`: red, green, blue and alpha, each width * height bytes."""

    def __init__(self, width, height, planes):
        self.width, self.height, self.planes = width, height, planes


# --- PNG ---


def chunks(data):
    at = len(PNG)
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        yield kind, data[at + 8:at + 8 + size]
        at += 12 + size


def add_left(row, step):
    out = bytearray(len(row))
    for k in range(step):
        out[k::step] = bytes(v & 255 for v in itertools.accumulate(row[k::step]))
    return out


def add_average(row, above, step):
    out = bytearray(step) + row
    for i, up in enumerate(above):
        out[i + step] = (row[i] + (out[i] + up) // 2) & 255
    return out[step:]


def add_paeth(row, above, step):
    out, before = bytearray(step) + row, bytes(step) + above
    for i, b in enumerate(above):
        a, c = out[i], before[i]
        pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - c - c)
        out[i + step] = (row[i] + (a if pa <= pb and pa <= pc else b if pb <= pc else c)) & 255
    return out[step:]


def unfilter(raw, height, row_bytes, step):
    rows, above = [], bytes(row_bytes)
    for y in range(height):
        start = y * (row_bytes + 1)
        kind, row = raw[start], raw[start + 1:start + 1 + row_bytes]
        if kind == 1:
            row = add_left(row, step)
        elif kind == 2:
            row = bytes((a + b) & 255 for a, b in zip(row, above))
        elif kind == 3:
            row = add_average(row, above, step)
        elif kind == 4:
            row = add_paeth(row, above, step)
        elif kind:
            raise ValueError("filter %d of PNG" % kind)
        rows.append(bytes(row))
        above = rows[-1]
    return rows


def unpack_bits(row, depth, width):
    per = 8 // depth
    return bytes((row[x // per] >> 8 - depth - x % per * depth) & (1 << depth) - 1 for x in range(width))


def sample_planes(data, header, color):
    """A plane of bytes for each sample; 16 bits are rounded to 8."""
    width, height, depth = header[:3]
    samples = SAMPLES[color]
    row_bytes = (width * samples * depth + 7) // 8
    rows = unfilter(zlib.decompress(data), height, row_bytes, max(samples * depth // 8, 1))
    if depth < 8:
        rows = [unpack_bits(row, depth, width) for row in rows]
    samples_all = b"".join(rows)
    if depth == 16:
        samples_all = bytes((v + 128) // 257 for (v,) in struct.iter_unpack(">H", samples_all))
    if depth < 8 and color == GREY:
        samples_all = bytes(v * 255 // ((1 << depth) - 1) for v in samples_all)
    return [samples_all[k::samples] for k in range(samples)]


def read_png(data):
    if data[:8] != PNG:
        raise ValueError("is no PNG file")
    header = palette = transparent = None
    body = []
    for kind, content in chunks(data):
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", content)
        elif kind == b"PLTE":
            palette = content
        elif kind == b"tRNS":
            transparent = content
        elif kind == b"IDAT":
            body.append(content)
    width, height, _, color, _, _, interlaced = header
    if interlaced or transparent and color != PALETTE:
        raise ValueError("a PNG file with interlacing, or with one transparent colour")
    planes = sample_planes(b"".join(body), header, color)
    opaque = b"\xff" * (width * height)
    if color == PALETTE:
        alpha = (transparent or b"").ljust(256, b"\xff")
        at = planes[0]
        tables = [palette[k::3].ljust(256, b"\0") for k in range(3)] + [alpha]
        planes = [at.translate(table) for table in tables]
    elif color == GREY:
        planes = planes * 3 + [opaque]
    elif color == GREY_ALPHA:
        planes = planes[:1] * 3 + planes[1:]
    elif color == COLOR:
        planes.append(opaque)
    return Picture(width, height, planes)


# --- pixel formats ---


def color_of(word):
    r, g, b = word >> 11, word >> 5 & 63, word & 31
    return r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2


def mix(a, b, part, parts):
    return tuple((x * (parts - part) + y * part + parts // 2) // parts for x, y in zip(a, b))


def color_table(first, second, four):
    """The colours of a block of BC1, or of BC3 (`four`: always four colours)."""
    a, b = color_of(first), color_of(second)
    if four or first > second:
        return a, b, mix(a, b, 1, 3), mix(a, b, 2, 3)
    return a, b, mix(a, b, 1, 2), (0, 0, 0)


def value_table(first, second):
    """The values of a block of BC4."""
    parts = 7 if first > second else 5
    inner = [(first * (parts - k) + second * k + parts // 2) // parts for k in range(1, parts)]
    return [first, second] + inner + ([] if parts == 7 else [0, 255])


def blocks_to_plane(rows, width, height):
    """`rows`: bytes of each row of all blocks, which have four pixels."""
    across = (width + 3) // 4
    return b"".join(b"".join(rows[y * across:(y + 1) * across])[:width] for y in range(height))


def color_planes(data, at, step, width, height, four):
    """Red, green and blue of blocks of BC1 that begin at `at`."""
    across, down, tables = (width + 3) // 4, (height + 3) // 4, {}
    planes = [[b""] * (across * down * 4) for _ in range(3)]
    for block in range(across * down):
        first, second, bits = struct.unpack_from("<HHI", data, at + block * step)
        key = first << 16 | second
        if key not in tables:
            tables[key] = [bytes(plane) for plane in zip(*color_table(first, second, four))]
        place = block // across * 4 * across + block % across
        for _ in range(4):
            i, j, k, m = bits & 3, bits >> 2 & 3, bits >> 4 & 3, bits >> 6 & 3
            for plane, table in zip(planes, tables[key]):
                plane[place] = bytes((table[i], table[j], table[k], table[m]))
            bits >>= 8
            place += across
    return [blocks_to_plane(plane, width, height) for plane in planes]


def value_plane(data, at, step, width, height):
    """The values of blocks of BC4 that begin at `at`."""
    across, down = (width + 3) // 4, (height + 3) // 4
    rows = [b""] * (across * down * 4)
    for block in range(across * down):
        start = at + block * step
        table = value_table(data[start], data[start + 1])
        bits = int.from_bytes(data[start + 2:start + 8], "little")
        place = block // across * 4 * across + block % across
        for _ in range(4):
            rows[place] = bytes((table[bits & 7], table[bits >> 3 & 7], table[bits >> 6 & 7], table[bits >> 9 & 7]))
            bits >>= 12
            place += across
    return blocks_to_plane(rows, width, height)


def decode(pixels, data, width, height):
    """The planes of a level that its format has: [(channel, bytes)]."""
    if pixels == "rgba8":
        return [(k, data[k::4]) for k in range(4)]
    if pixels == "r8":
        return [(0, data)]
    if pixels == "bc4":
        return [(0, value_plane(data, 0, 8, width, height))]
    if pixels == "bc5":
        return [(k, value_plane(data, 8 * k, 16, width, height)) for k in range(2)]
    if pixels == "bc1":
        return list(enumerate(color_planes(data, 0, 8, width, height, False)))
    alpha = value_plane(data, 0, 16, width, height)
    return list(enumerate(color_planes(data, 8, 16, width, height, True))) + [(3, alpha)]


def psnr(pairs):
    """Of pairs of planes, in dB; infinite when they are equal."""
    squares = sum((a - b) * (a - b) for one, other in pairs if one != other for a, b in zip(one, other))
    count = sum(len(one) for one, _ in pairs)
    return math.inf if squares == 0 else 10 * math.log10(255 * 255 * count / squares)
