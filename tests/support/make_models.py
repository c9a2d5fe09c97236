#!/usr/bin/env python3
"""make_models.py - writes the small glTF models of assets/models.

    make_models.py [FOLDER]      default: assets/models of this checkout

The same bytes on every run and machine: numbers are rounded before they are stored. Together
the models use every feature that a reader must support: interleaved and separate buffer views, 8 and 16 bit
indices, normalised weights, several primitives and materials, a skin under a transformed node,
linear, step and cubic tracks, a punctual light, components in extras. Metres, +Y up.
Python 3.9, standard library only.
"""
import base64
import json
import math
import struct
import sys
import zlib
from pathlib import Path

S8, U8, S16, U16, U32, F32 = 5120, 5121, 5122, 5123, 5125, 5126
FORMAT = {S8: "b", U8: "B", S16: "h", U16: "H", U32: "I", F32: "f"}
TYPE = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
ATTRIBUTES, INDICES = 34962, 34963  # bufferView.target


def single(value):
    """As a 32-bit float; rounded first, because the last bit of sin() differs between machines."""
    return struct.unpack("<f", struct.pack("<f", round(value, 9) + 0.0))[0]


def about_x(degrees):
    return (math.sin(math.radians(degrees) / 2), 0, 0, math.cos(math.radians(degrees) / 2))


def about_y(degrees):
    return (0, math.sin(math.radians(degrees) / 2), 0, math.cos(math.radians(degrees) / 2))


def about_z(degrees):
    return (0, 0, math.sin(math.radians(degrees) / 2), math.cos(math.radians(degrees) / 2))


class File:
    """A glTF file with one buffer."""

    def __init__(self):
        self.bytes = bytearray()
        self.json = {"asset": {"version": "2.0", "generator": "tests/support/make_models.py"}, "scene": 0,
                     "scenes": [{"nodes": [0]}], "nodes": [], "bufferViews": [], "accessors": []}

    def add(self, key, item):
        """Index of the new item."""
        self.json.setdefault(key, []).append(item)
        return len(self.json[key]) - 1

    def view(self, data, target=None, stride=None):
        self.bytes += bytes(-len(self.bytes) % 4)
        view = {"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data)}
        if stride:
            view["byteStride"] = stride
        if target:
            view["target"] = target
        self.bytes += data
        return self.add("bufferViews", view)

    def accessor(self, rows, component=F32, target=None, bounds=False, normalized=False):
        """An accessor with a separate view."""
        view = self.view(pack(rows, component), target)
        return self.accessor_at(view, 0, rows, component, bounds, normalized)

    def accessor_at(self, view, offset, rows, component=F32, bounds=False, normalized=False):
        accessor = {"bufferView": view, "byteOffset": offset, "componentType": component,
                    "count": len(rows), "type": TYPE[len(rows[0])]}
        if normalized:
            accessor["normalized"] = True
        if bounds:
            columns = list(zip(*[[single(v) for v in row] for row in rows]))
            accessor["min"] = [min(column) for column in columns]
            accessor["max"] = [max(column) for column in columns]
        return self.add("accessors", accessor)

    def indices(self, triangles, component):
        rows = [(v,) for triangle in triangles for v in triangle]
        return self.accessor(rows, component, INDICES)

    def primitive(self, shape, material, component=U16):
        """Of a Shape, each stream in a separate view."""
        return {"attributes": {"POSITION": self.accessor(shape.positions, F32, ATTRIBUTES, True),
                               "NORMAL": self.accessor(shape.normals, F32, ATTRIBUTES),
                               "TEXCOORD_0": self.accessor(shape.uvs, F32, ATTRIBUTES)},
                "indices": self.indices(shape.triangles, component), "material": material}

    def material(self, name, color, roughness, metallic=0.0, **more):
        pbr = {"baseColorFactor": color, "metallicFactor": metallic, "roughnessFactor": roughness}
        return self.add("materials", {"name": name, "pbrMetallicRoughness": pbr, **more})

    def texture(self, image):
        """Of the bytes of a PNG."""
        uri = "data:image/png;base64," + base64.b64encode(image).decode("ascii")
        return self.add("textures", {"source": self.add("images", {"uri": uri})})

    def write(self, path):
        data = base64.b64encode(bytes(self.bytes)).decode("ascii")
        self.json["buffers"] = [{"byteLength": len(self.bytes),
                                 "uri": "data:application/octet-stream;base64," + data}]
        path.write_bytes((pretty(self.json) + "\n").encode("ascii"))


def pack(rows, component):
    form = FORMAT[component]
    return b"".join(struct.pack("<%d%s" % (len(row), form),
                                *[single(v) if component == F32 else v for v in row])
                    for row in rows)


def pretty(value, indent=""):
    """JSON with lists of plain values on one line."""
    inner = indent + "  "
    if isinstance(value, dict) and value:
        rows = ["%s: %s" % (json.dumps(key), pretty(v, inner)) for key, v in value.items()]
        return "{\n" + ",\n".join(inner + row for row in rows) + "\n" + indent + "}"
    if isinstance(value, list) and any(isinstance(v, (dict, list)) for v in value):
        rows = [pretty(v, inner) for v in value]
        return "[\n" + ",\n".join(inner + row for row in rows) + "\n" + indent + "]"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(json.dumps(round_number(v)) for v in value) + "]"
    return json.dumps(round_number(value))


def round_number(value):
    """A float with an integer value is written as an integer."""
    if isinstance(value, float):
        return int(value) if value == int(value) else value
    return value


# --- images ---


def stored(data):
    """Not compressed: compressed bytes differ between versions of zlib. At most 65,535 bytes."""
    return b"\x78\x01\x01" + struct.pack("<HH", len(data), len(data) ^ 0xffff) + data + struct.pack(
        ">I", zlib.adler32(data))


def png(width, height, color, samples, depth=8, palette=None, alphas=None):
    """`samples(x, y)`: the numbers of a pixel. Rows have the filters 0 to 2 in turn."""
    form = ">%dH" if depth == 16 else ">%dB"
    rows, above = [], None
    for y in range(height):
        numbers = [v for x in range(width) for v in samples(x, y)]
        row = struct.pack(form % len(numbers), *numbers)
        step = len(row) // width
        kind = y % 3
        other = (bytes(step) + row)[:len(row)] if kind == 1 else above if kind == 2 else bytes(len(row))
        rows.append(bytes([kind]) + bytes((a - b) & 255 for a, b in zip(row, other)))
        above = row
    parts = [(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0))]
    parts += [(b"PLTE", palette)] if palette else []
    parts += [(b"tRNS", alphas)] if alphas else []
    parts += [(b"IDAT", stored(b"".join(rows))), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts)


# --- shapes ---


class Shape:
    def __init__(self):
        self.positions, self.normals, self.uvs, self.triangles = [], [], [], []

    def face(self, *corners, tile=1.0):
        """A flat polygon, counterclockwise from outside; uvs in units of `tile` metres."""
        edge = [b - a for a, b in zip(corners[0], corners[1])]
        u = scaled(edge, 1 / length(edge))
        normal = cross(edge, [b - a for a, b in zip(corners[0], corners[-1])])
        normal = scaled(normal, 1 / length(normal))
        v = cross(normal, u)
        first = len(self.positions)
        for corner in corners:
            distance = [b - a for a, b in zip(corners[0], corner)]
            self.positions.append(tuple(corner))
            self.normals.append(tuple(normal))
            self.uvs.append((dot(distance, u) / tile, -dot(distance, v) / tile))
        for i in range(1, len(corners) - 1):
            self.triangles.append((first, first + i, first + i + 1))

    def box(self, low, high):
        x, y, z = zip(low, high)
        self.slab([(x[0], y[0], z[1]), (x[1], y[0], z[1]), (x[1], y[0], z[0]), (x[0], y[0], z[0])],
                  (0, y[1] - y[0], 0))

    def slab(self, bottom, up):
        """Four corners, counterclockwise seen from `up`, and their copies displaced by it."""
        top = [tuple(a + b for a, b in zip(corner, up)) for corner in bottom]
        self.face(*top)
        self.face(*reversed(bottom))
        for i in range(4):
            k = (i + 1) % 4
            self.face(bottom[i], bottom[k], top[k], top[i])

    def tube(self, radius, low, high, sides):
        """Upright and open at both ends, with smooth normals."""
        first = len(self.positions)
        for i in range(sides + 1):
            angle = 2 * math.pi * (i % sides) / sides
            x, z = math.sin(angle), math.cos(angle)
            for y in (low, high):
                self.positions.append((radius * x, y, radius * z))
                self.normals.append((x, 0, z))
                self.uvs.append((i / sides, high - y))
        for i in range(first, first + 2 * sides, 2):
            self.triangles += [(i, i + 2, i + 3), (i, i + 3, i + 1)]

    def sphere(self, columns, rows):
        """Of radius 1 about the origin, with smooth normals; the poles are at +Y and -Y."""
        for r in range(rows + 1):
            for c in range(columns + 1):
                around, down = 2 * math.pi * (c % columns) / columns, math.pi * r / rows
                at = (math.sin(down) * math.sin(around), math.cos(down), math.sin(down) * math.cos(around))
                self.positions.append(at)
                self.normals.append(at)
                self.uvs.append((c / columns, r / rows))
        for r in range(rows):
            for c in range(columns):
                a = r * (columns + 1) + c
                b = a + columns + 1
                self.triangles += [(a, b, b + 1)] * (r < rows - 1) + [(a, b + 1, a + 1)] * (r > 0)

    def grid(self, columns, rows, place, normal, repeat):
        """`place(u, v)`: the position of the point at u to the right and v down."""
        for r in range(rows + 1):
            for c in range(columns + 1):
                u, v = c / columns, r / rows
                self.positions.append(place(u, v))
                self.normals.append(normal)
                self.uvs.append((u * repeat, v * repeat))
        for r in range(rows):
            for c in range(columns):
                a = r * (columns + 1) + c
                b = a + columns + 1
                self.triangles += [(a, b, b + 1), (a, b + 1, a + 1)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def length(a):
    return math.sqrt(dot(a, a))


def scaled(a, by):
    return [v * by for v in a]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


# --- the banner: 1.6 m by 3.2 m of cloth that is fixed at y = 4 ---

BANNER_TOP, BANNER_JOINTS, BONE = 4.0, 4, 0.8  # BONE: metres from joint to joint
ARMATURE_SCALE = 0.5


def banner():
    file = File()
    cloth = file.material("cloth", [0.62, 0.05, 0.06, 1.0], 0.9, doubleSided=True)
    shape = Shape()
    shape.grid(4, 8, lambda u, v: (1.6 * (u - 0.5), BANNER_TOP - 4 * BONE * v, 0), (0, 0, 1), 1)
    primitive = file.primitive(shape, cloth, U8)
    rows = [cloth_weights((BANNER_TOP - p[1]) / BONE) for p in shape.positions]
    attributes = primitive["attributes"]
    attributes["JOINTS_0"] = file.accessor([joints for joints, _ in rows], U8, ATTRIBUTES)
    attributes["WEIGHTS_0"] = file.accessor([weights for _, weights in rows], U8, ATTRIBUTES,
                                            normalized=True)
    mesh = file.add("meshes", {"name": "cloth", "primitives": [primitive]})

    # the Z axis of the armature points up, as in modelling programs; joints follow its -Z
    file.add("nodes", {"name": "armature", "children": [1], "translation": [0.0, BANNER_TOP, 0.0],
                       "rotation": [-math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)],
                       "scale": [ARMATURE_SCALE] * 3})
    joints = []
    for i in range(BANNER_JOINTS):
        joint = {"name": "joint_%d" % i}
        if i + 1 < BANNER_JOINTS:
            joint["children"] = [i + 2]
        if i:
            joint["translation"] = [0.0, 0.0, -BONE / ARMATURE_SCALE]
        joints.append(file.add("nodes", joint))
    binds = file.accessor([banner_bind(i) for i in range(BANNER_JOINTS)])
    skin = file.add("skins", {"name": "cloth", "skeleton": 0, "joints": joints,
                              "inverseBindMatrices": binds})
    node = file.add("nodes", {"name": "banner", "mesh": mesh, "skin": skin})
    file.json["scenes"][0]["nodes"] = [0, node]
    wave(file, joints)
    flap(file, joints)
    return file


def cloth_weights(at):
    """Joints and weights of a point `at` bones below the top: a quadratic B-spline."""
    weights = [0.0] * BANNER_JOINTS
    for joint in range(-1, BANNER_JOINTS + 1):
        t = abs(at - joint - 0.5)
        weight = 0.75 - t * t if t < 0.5 else max(1.5 - t, 0) ** 2 / 2
        weights[min(max(joint, 0), BANNER_JOINTS - 1)] += weight
    parts = [round(255 * weight) for weight in weights]
    parts[parts.index(max(parts))] += 255 - sum(parts)
    return [joint if part else 0 for joint, part in enumerate(parts)], parts


def banner_bind(joint):
    """Inverse of the joint's global matrix at rest, column by column."""
    s = 1 / ARMATURE_SCALE
    height = BANNER_TOP - joint * BONE
    return [s, 0, 0, 0, 0, 0, s, 0, 0, -s, 0, 0, 0, 0, -s * height, 1]


def wave(file, joints):
    """Two seconds of breeze that end in the initial pose."""
    steps = 8
    times = file.accessor([(2 * i / steps,) for i in range(steps + 1)], bounds=True)
    channels, samplers = [], []
    for k, joint in enumerate(joints):
        turns = []
        for i in range(steps + 1):
            phase = 2 * math.pi * (i % steps) / steps - 0.9 * k
            turns.append(about_x((5 + 4 * k) * math.sin(phase)))
        samplers.append({"input": times, "output": file.accessor(turns), "interpolation": "LINEAR"})
        channels.append({"sampler": k, "target": {"node": joint, "path": "rotation"}})
    file.add("animations", {"name": "wave", "channels": channels, "samplers": samplers})


def flap(file, joints):
    """A gust: the top snaps aside, the rest swings out and back. Tracks of different spans."""
    times = file.accessor([(t,) for t in (0.25, 0.5, 1.25)], bounds=True)
    turns = file.accessor([about_y(degrees) for degrees in (0, 12, -6)])
    step = {"input": times, "output": turns, "interpolation": "STEP"}

    keys = [(0.0, 0, 60), (0.4, 35, 0), (0.9, -10, -40), (1.5, 0, 0)]  # s, degrees, degrees / s
    rows = []
    for _, degrees, speed in keys:
        x, _, _, w = about_x(degrees)
        half = math.radians(speed) / 2
        tangent = (half * w, 0, 0, -half * x)
        rows += [tangent, (x, 0, 0, w), tangent]
    times = file.accessor([(time,) for time, _, _ in keys], bounds=True)
    cubic = {"input": times, "output": file.accessor(rows), "interpolation": "CUBICSPLINE"}
    channels = [{"sampler": i, "target": {"node": joints[i], "path": "rotation"}} for i in (0, 1)]
    file.add("animations", {"name": "flap", "channels": channels, "samplers": [step, cubic]})


# --- the others ---


def lamp():
    """A street lamp, 3.8 m high, that shines downwards."""
    file = File()
    metal = file.material("metal", [0.13, 0.14, 0.15, 1.0], 0.45, 1.0)
    glass = file.material("glass", [0.95, 0.9, 0.75, 0.35], 0.05, alphaMode="BLEND",
                          emissiveFactor=[0.5, 0.4, 0.25])
    shape = Shape()
    shape.box((-0.18, 0, -0.18), (0.18, 0.25, 0.18))
    shape.tube(0.06, 0.25, 3.5, 8)
    pole = file.add("meshes", {"name": "pole", "primitives": [file.primitive(shape, metal)]})
    roof, pane = Shape(), Shape()
    roof.box((-0.25, 0.2, -0.25), (0.25, 0.3, 0.25))
    pane.box((-0.2, -0.1, -0.2), (0.2, 0.2, 0.2))
    head = file.add("meshes", {"name": "head", "primitives": [file.primitive(roof, metal),
                                                              file.primitive(pane, glass)]})
    file.add("nodes", {"name": "pole", "children": [1], "mesh": pole})
    file.add("nodes", {"name": "head", "children": [2], "translation": [0.0, 3.5, 0.0],
                       "rotation": [0.0, single(math.sin(math.pi / 8)), 0.0,
                                    single(math.cos(math.pi / 8))],
                       "mesh": head, "extras": {"components": {"name": {"id": "street_lamp"}}}})
    file.add("nodes", {"name": "bulb", "translation": [0.0, 0.1, 0.0],
                       "rotation": [single(-math.sqrt(0.5)), 0.0, 0.0, single(math.sqrt(0.5))],
                       "extensions": {"KHR_lights_punctual": {"light": 0}}})
    light = {"name": "bulb", "type": "spot", "color": [1.0, 0.83, 0.55], "intensity": 400.0,
             "range": 12.0, "spot": {"innerConeAngle": 0.5, "outerConeAngle": 0.95}}
    file.json["extensionsUsed"] = ["KHR_lights_punctual"]
    file.json["extensions"] = {"KHR_lights_punctual": {"lights": [light]}}
    return file


def house():
    """6 m by 8 m, 3 m to the eaves and 5 m to the ridge, which runs along Z; open below."""
    file = File()
    plaster = file.material("plaster", [0.86, 0.8, 0.68, 1.0], 0.95)
    tiles = file.material("tiles", [0.45, 0.16, 0.09, 1.0], 0.8)
    walls, roof = Shape(), Shape()
    x, z, eaves, ridge = 3.0, 4.0, 3.0, 5.0
    walls.face((-x, 0, z), (x, 0, z), (x, eaves, z), (0, ridge, z), (-x, eaves, z))
    walls.face((x, 0, -z), (-x, 0, -z), (-x, eaves, -z), (0, ridge, -z), (x, eaves, -z))
    walls.face((x, 0, z), (x, 0, -z), (x, eaves, -z), (x, eaves, z))
    walls.face((-x, 0, -z), (-x, 0, z), (-x, eaves, z), (-x, eaves, -z))
    x, z, eaves = 3.6, 4.5, ridge - 3.6 * (ridge - eaves) / x  # overhanging, along the same slope
    thick = (0, 0.2, 0)
    roof.slab([(0, ridge, z), (x, eaves, z), (x, eaves, -z), (0, ridge, -z)], thick)
    roof.slab([(-x, eaves, z), (0, ridge, z), (0, ridge, -z), (-x, eaves, -z)], thick)

    # both primitives in one interleaved view: position, normal, uv
    rows = [p + n + uv for s in (walls, roof) for p, n, uv in zip(s.positions, s.normals, s.uvs)]
    view = file.view(pack(rows, F32), ATTRIBUTES, 32)
    primitives, start = [], 0
    for shape, material in ((walls, plaster), (roof, tiles)):
        attributes = {"POSITION": file.accessor_at(view, start, shape.positions, bounds=True),
                      "NORMAL": file.accessor_at(view, start + 12, shape.normals),
                      "TEXCOORD_0": file.accessor_at(view, start + 24, shape.uvs)}
        primitives.append({"attributes": attributes, "material": material,
                           "indices": file.indices(shape.triangles, U16)})
        start += 32 * len(shape.positions)
    mesh = file.add("meshes", {"name": "house", "primitives": primitives})
    file.add("nodes", {"name": "house", "mesh": mesh})
    return file


def ground():
    """40 m by 40 m about the origin, one uv unit to 5 m."""
    file = File()
    grass = file.material("grass", [0.16, 0.3, 0.08, 1.0], 1.0)
    shape = Shape()
    shape.grid(8, 8, lambda u, v: (40 * (u - 0.5), 0, 40 * (v - 0.5)), (0, 1, 0), 8)
    mesh = file.add("meshes", {"name": "ground", "primitives": [file.primitive(shape, grass, U8)]})
    file.add("nodes", {"name": "ground", "mesh": mesh})
    return file


def ball():
    """A ball of polished metal with a radius of 1 m."""
    file = File()
    chrome = file.material("chrome", [0.9, 0.9, 0.92, 1.0], 0.12, 1.0)
    shape = Shape()
    shape.sphere(32, 20)
    mesh = file.add("meshes", {"name": "ball", "primitives": [file.primitive(shape, chrome)]})
    file.add("nodes", {"name": "ball", "mesh": mesh})
    return file


STAINED = ((200, 30, 30), (30, 80, 200), (235, 190, 40), (40, 150, 60), (150, 40, 160))


def stained():
    """A window of coloured glass between lead, 64 x 128 pixels."""
    def color(x, y):
        column, row = x // 16, y // 16
        if min(x % 16, 15 - x % 16, y % 16, 15 - y % 16) < 1:
            return 12, 12, 12
        return STAINED[(column * 3 + row * 7 + column * row) % 5]
    return png(64, 128, 2, color)


def church():
    """A nave, 8 m by 16 m and 7 m high, with three coloured windows in the wall at +X."""
    file = File()
    stone = file.material("stone", [0.75, 0.72, 0.66, 1.0], 0.9)
    glass = file.add("materials", {
        "name": "glass", "alphaMode": "BLEND", "doubleSided": True,
        "pbrMetallicRoughness": {"baseColorFactor": [1.0, 1.0, 1.0, 0.95], "metallicFactor": 0.0,
                                 "roughnessFactor": 0.3,
                                 "baseColorTexture": {"index": file.texture(stained())}}})
    walls, windows = Shape(), Shape()
    walls.box((-4.4, -0.4, -8.4), (4.4, 0, 8.4))
    walls.box((-4.4, 7, -8.4), (4.4, 7.4, 8.4))
    walls.box((-4.4, 0, -8.4), (-4, 7, 8.4))
    walls.box((-4, 0, -8.4), (4, 7, -8))
    walls.box((-4, 0, 8), (4, 7, 8.4))
    walls.box((4, 0, -8.4), (4.4, 1.8, 8.4))
    walls.box((4, 5.4, -8.4), (4.4, 7, 8.4))
    centers, half = (-4.8, 0.0, 4.8), 0.9
    edges = [-8.4] + [z for c in centers for z in (c - half, c + half)] + [8.4]
    for low, high in zip(edges[::2], edges[1::2]):
        walls.box((4, 1.8, low), (4.4, 5.4, high))
    for z in (-5.6, -2.4, 2.4, 5.6):  # pillars
        walls.box((-3.4, 0, z - 0.3), (-2.8, 7, z + 0.3))
    for c in centers:
        first = len(windows.positions)
        windows.face((4.2, 1.8, c + half), (4.2, 1.8, c - half), (4.2, 5.4, c - half), (4.2, 5.4, c + half))
        windows.uvs[first:] = [(0, 1), (1, 1), (1, 0), (0, 0)]
    mesh = file.add("meshes", {"name": "church", "primitives": [file.primitive(walls, stone),
                                                                file.primitive(windows, glass)]})
    file.add("nodes", {"name": "church", "mesh": mesh})
    return file


def panes():
    """Three panes of coloured glass, 1.6 m wide, behind each other along Z, on a bright floor."""
    file = File()
    stone = file.material("stone", [0.8, 0.8, 0.8, 1.0], 0.9)
    floor = Shape()
    floor.box((-6, -0.2, -6), (6, 0, 6))
    colors = (("red", [0.95, 0.1, 0.08]), ("yellow", [0.95, 0.85, 0.1]), ("blue", [0.1, 0.3, 0.95]))
    nodes = [file.add("nodes", {"name": "floor", "mesh": file.add("meshes", {
        "name": "floor", "primitives": [file.primitive(floor, stone)]})})]
    for i, (name, color) in enumerate(colors):
        glass = file.material(name, color + [0.7], 0.1, alphaMode="BLEND", doubleSided=True)
        shape = Shape()
        shape.face((-0.8, 0.2, 0), (0.8, 0.2, 0), (0.8, 1.8, 0), (-0.8, 1.8, 0))
        mesh = file.add("meshes", {"name": name, "primitives": [file.primitive(shape, glass)]})
        nodes.append(file.add("nodes", {"name": name, "mesh": mesh,
                                        "translation": [0.5 * (i - 1), 0.0, 0.7 * (i - 1)]}))
    file.json["scenes"][0]["nodes"] = nodes
    return file


def ripples():
    """Normals of waves that repeat, 64 x 64 pixels."""
    waves = ((1, 2, 0.5, 0.0), (3, -1, 0.4, 1.3), (-2, 3, 0.35, 2.1), (4, 4, 0.2, 0.4), (5, -3, 0.2, 4.0))

    def color(x, y):
        dx = dy = 0.0
        for u, v, high, phase in waves:
            slope = high * math.cos(2 * math.pi * (u * x + v * y) / 64 + phase)
            dx += slope * u / 5
            dy += slope * v / 5
        size = math.sqrt(dx * dx + dy * dy + 1)
        return tuple(int(127.5 + 127.5 * round(n, 6) + 0.5) for n in (-dx / size, dy / size, 1 / size))
    return png(64, 64, 2, color)


def pool():
    """A basin of 8 m by 8 m, 1.5 m deep, with water that has caustics."""
    file = File()
    tiles = file.material("tiles", [0.8, 0.86, 0.88, 1.0], 0.6)
    water = file.material("water", [0.35, 0.75, 0.85, 0.35], 0.05, alphaMode="BLEND", doubleSided=True,
                          normalTexture={"index": file.texture(ripples())},
                          extras={"caustic_strength": 4.0, "normal_scroll": [0.03, 0.02, -0.02, 0.03], "refraction": 0.6})
    basin, surface = Shape(), Shape()
    basin.box((-4.4, -1.9, -4.4), (4.4, -1.5, 4.4))
    basin.box((-4.4, -1.5, -4.4), (-4, 0.1, 4.4))
    basin.box((4, -1.5, -4.4), (4.4, 0.1, 4.4))
    basin.box((-4, -1.5, -4.4), (4, 0.1, -4))
    basin.box((-4, -1.5, 4), (4, 0.1, 4.4))
    surface.face((-4, 0, 4), (4, 0, 4), (4, 0, -4), (-4, 0, -4), tile=2.0)
    mesh = file.add("meshes", {"name": "pool", "primitives": [file.primitive(basin, tiles),
                                                              file.primitive(surface, water)]})
    file.add("nodes", {"name": "pool", "mesh": mesh})
    return file


def wheel():
    """A wheel with four blades, of 1.8 m by 0.8 m, that turns about Z, once in four seconds."""
    file = File()
    wood = file.material("wood", [0.5, 0.3, 0.14, 1.0], 0.8)
    blades = Shape()
    blades.box((-0.9, -0.03, -0.4), (0.9, 0.03, 0.4))
    blades.box((-0.03, -0.9, -0.4), (0.03, 0.9, 0.4))
    primitive = file.primitive(blades, wood)
    count = len(blades.positions)
    primitive["attributes"]["JOINTS_0"] = file.accessor([(0, 0, 0, 0)] * count, U8, ATTRIBUTES)
    primitive["attributes"]["WEIGHTS_0"] = file.accessor([(255, 0, 0, 0)] * count, U8, ATTRIBUTES,
                                                         normalized=True)
    mesh = file.add("meshes", {"name": "blades", "primitives": [primitive]})
    hub = file.add("nodes", {"name": "hub"})
    bind = file.accessor([(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)])
    skin = file.add("skins", {"name": "wheel", "joints": [hub], "inverseBindMatrices": bind})
    file.json["scenes"][0]["nodes"] = [hub, file.add("nodes", {"name": "wheel", "mesh": mesh, "skin": skin})]
    times = file.accessor([(i * 0.5,) for i in range(9)], bounds=True)
    turns = file.accessor([about_z(-45 * i) for i in range(9)])
    file.add("animations", {"name": "turn", "samplers": [{"input": times, "output": turns,
                                                          "interpolation": "LINEAR"}],
                            "channels": [{"sampler": 0, "target": {"node": hub, "path": "rotation"}}]})
    return file


def crate():
    """A box of 1 m, around its centre."""
    file = File()
    sides = Shape()
    sides.box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5))
    mesh = file.add("meshes", {"name": "crate", "primitives": [
        file.primitive(sides, file.material("planks", [0.55, 0.38, 0.2, 1.0], 0.7))]})
    file.json["scenes"][0]["nodes"] = [file.add("nodes", {"name": "crate", "mesh": mesh})]
    return file


def walker():
    """A figure of 1.8 m with two legs, which walks along X to and fro, in eight seconds."""
    file = File()
    figure, owners = Shape(), []
    parts = ((0, (-0.14, 0.95, -0.28), (0.14, 1.8, 0.28)), (1, (-0.1, 0.05, -0.25), (0.1, 0.95, -0.05)),
             (2, (-0.1, 0.05, 0.05), (0.1, 0.95, 0.25)))
    for joint, low, high in parts:
        figure.box(low, high)
        owners += [joint] * (len(figure.positions) - len(owners))
    primitive = file.primitive(figure, file.material("coat", [0.6, 0.12, 0.1, 1.0], 0.6))
    primitive["attributes"]["JOINTS_0"] = file.accessor([(k, 0, 0, 0) for k in owners], U8, ATTRIBUTES)
    primitive["attributes"]["WEIGHTS_0"] = file.accessor([(255, 0, 0, 0)] * len(owners), U8, ATTRIBUTES,
                                                         normalized=True)
    mesh = file.add("meshes", {"name": "figure", "primitives": [primitive]})
    legs = [file.add("nodes", {"name": name, "translation": [0.0, 0.0, z]})
            for name, z in (("left_leg", -0.15), ("right_leg", 0.15))]
    hips = file.add("nodes", {"name": "hips", "translation": [0.0, 0.95, 0.0], "children": legs})
    bind = file.accessor([(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -0.95, -z, 1) for z in (0.0, -0.15, 0.15)])
    skin = file.add("skins", {"name": "walker", "joints": [hips] + legs, "inverseBindMatrices": bind})
    file.json["scenes"][0]["nodes"] = [hips, file.add("nodes", {"name": "walker", "mesh": mesh, "skin": skin})]
    ways = file.accessor([(0.0,), (4.0,), (8.0,)], bounds=True)
    places = file.accessor([(-1.4, 0.95, 0.0), (1.4, 0.95, 0.0), (-1.4, 0.95, 0.0)])
    times = file.accessor([(k * 0.5,) for k in range(17)], bounds=True)
    swings = [file.accessor([about_z(side * (30 if k % 2 else -30)) for k in range(17)]) for side in (1, -1)]
    samplers = [{"input": ways, "output": places, "interpolation": "LINEAR"}]
    samplers += [{"input": times, "output": swing, "interpolation": "LINEAR"} for swing in swings]
    channels = [{"sampler": 0, "target": {"node": hips, "path": "translation"}}]
    channels += [{"sampler": 1 + k, "target": {"node": legs[k], "path": "rotation"}} for k in range(2)]
    file.add("animations", {"name": "walk", "samplers": samplers, "channels": channels})
    return file


def main(arguments):
    here = Path(__file__).resolve().parent
    folder = Path(arguments[0]) if arguments else here.parent.parent / "assets" / "models"
    folder.mkdir(parents=True, exist_ok=True)
    for make in (banner, lamp, house, ground, ball, church, panes, pool, wheel, crate, walker):
        make().write(folder / (make.__name__ + ".gltf"))


if __name__ == "__main__":
    main(sys.argv[1:])
