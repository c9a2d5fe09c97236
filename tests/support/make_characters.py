#!/usr/bin/env python3
"""make_characters.py FOLDER: models that move, as glTF files: a worm with 257 bones, a ball with morph targets, and a
walker of boxes with a hand, each with a level that shows it."""
import base64
import json
import math
import os
import struct
import sys


class Model:
    """A glTF file with one buffer, to which accessors are added."""

    def __init__(self):
        self.bytes = bytearray()
        self.tree = {"asset": {"version": "2.0"}, "accessors": [], "bufferViews": [], "nodes": [], "meshes": [],
                     "scene": 0, "scenes": [{"nodes": [0]}]}

    def accessor(self, rows, kind, component="f", bounds=False):
        size = {"f": 4, "H": 2, "I": 4}[component]
        rows = [r if isinstance(r, (list, tuple)) else [r] for r in rows]
        while len(self.bytes) % 4:
            self.bytes.append(0)
        view = {"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(rows) * len(rows[0]) * size}
        for row in rows:
            self.bytes += struct.pack("<%d%s" % (len(row), component), *row)
        self.tree["bufferViews"].append(view)
        described = {"bufferView": len(self.tree["bufferViews"]) - 1, "type": kind, "count": len(rows),
               "componentType": {"f": 5126, "H": 5123, "I": 5125}[component]}
        if bounds:
            exact = [[struct.unpack("<f", struct.pack("<f", v))[0] for v in row] for row in rows]
            described["min"] = [min(c) for c in zip(*exact)]
            described["max"] = [max(c) for c in zip(*exact)]
        self.tree["accessors"].append(described)
        return len(self.tree["accessors"]) - 1

    def write(self, path):
        self.tree["buffers"] = [{"byteLength": len(self.bytes), "uri": "data:application/octet-stream;base64,"
                                 + base64.b64encode(bytes(self.bytes)).decode()}]
        with open(path, "w") as file:
            json.dump(self.tree, file, separators=(",", ":"))


def turned(axis, angle):
    s = math.sin(angle / 2)
    return [axis[0] * s, axis[1] * s, axis[2] * s, math.cos(angle / 2)]


def material(red, green, blue):
    return {"pbrMetallicRoughness": {"baseColorFactor": [red, green, blue, 1], "metallicFactor": 0,
                                     "roughnessFactor": 0.7}}


def worm(path, bones=257, sides=12, length_m=4.0):
    m, step = Model(), length_m / (bones - 1)
    position, normal, joints, weights, index = [], [], [], [], []
    for ring in range(bones):
        thick = 0.16 * math.sqrt(max(1 - (2 * ring / (bones - 1) - 1) ** 8, 0.02))
        for side in range(sides):
            a = 2 * math.pi * side / sides
            position.append([math.cos(a) * thick, ring * step, math.sin(a) * thick])
            normal.append([math.cos(a), 0, math.sin(a)])
            ends = ring in (0, bones - 1)
            joints.append([ring, 1 if ring == 0 else ring - 1, 0 if ends else ring + 1, 0])
            weights.append([0.75, 0.25, 0, 0] if ends else [0.5, 0.25, 0.25, 0])
    for ring in range(bones - 1):
        for side in range(sides):
            a, b = ring * sides + side, ring * sides + (side + 1) % sides
            index += [a, a + sides, b, b, a + sides, b + sides]
    binds = [[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -i * step, 0, 1] for i in range(bones)]
    t = m.tree
    t["materials"] = [material(0.8, 0.35, 0.3)]
    t["meshes"] = [{"primitives": [{"attributes": {
        "POSITION": m.accessor(position, "VEC3", bounds=True), "NORMAL": m.accessor(normal, "VEC3"),
        "JOINTS_0": m.accessor(joints, "VEC4", "H"), "WEIGHTS_0": m.accessor(weights, "VEC4")},
        "indices": m.accessor(index, "SCALAR", "H"), "material": 0}]}]
    t["nodes"] = [{"name": "worm", "children": [1, 2]}, {"name": "skin", "mesh": 0, "skin": 0}]
    for i in range(bones):
        node = {"name": "bone_%d" % i, "translation": [0, step if i else 0, 0]}
        if i + 1 < bones:
            node["children"] = [i + 3]
        t["nodes"].append(node)
    t["skins"] = [{"joints": list(range(2, bones + 2)), "inverseBindMatrices": m.accessor(binds, "MAT4")}]
    keys = [k / 8 * 2.0 for k in range(9)]
    time = m.accessor(keys, "SCALAR", bounds=True)
    samplers, channels = [], []
    for i in range(1, bones):
        values = [turned((1, 0, 0), 0.025 * math.sin(2 * math.pi * (k / 8 - i / 64))) for k in range(9)]
        samplers.append({"input": time, "output": m.accessor(values, "VEC4"), "interpolation": "LINEAR"})
        channels.append({"sampler": len(samplers) - 1, "target": {"node": i + 2, "path": "rotation"}})
    t["animations"] = [{"name": "wave", "samplers": samplers, "channels": channels}]
    m.write(path)


def ball(path, rings=24, sides=48):
    m = Model()
    position, index = [], []
    for ring in range(rings + 1):
        for side in range(sides + 1):
            up, a = math.pi * ring / rings, 2 * math.pi * side / sides
            position.append([math.sin(up) * math.cos(a), math.cos(up), -math.sin(up) * math.sin(a)])
    for ring in range(rings):
        for side in range(sides):
            a = ring * (sides + 1) + side
            index += [a, a + sides + 1, a + 1, a + 1, a + sides + 1, a + sides + 2]
    tall = [[-0.4 * p[0], 0.9 * p[1], -0.4 * p[2]] for p in position]
    tall_normal = [[0.35 * p[0] * p[1] ** 2, -0.6 * p[1] * (1 - p[1] ** 2), 0.35 * p[2] * p[1] ** 2] for p in position]
    wide = [[0.8 * p[0], -0.4 * p[1], 0] for p in position]
    nose = [[0, 0, max(0.0, (p[2] - 0.9) * 9)] for p in position]
    t = m.tree
    t["materials"] = [material(0.3, 0.55, 0.85)]
    t["meshes"] = [{"weights": [0, 0, 0], "extras": {"targetNames": ["tall", "wide", "nose"]}, "primitives": [{
        "attributes": {"POSITION": m.accessor(position, "VEC3", bounds=True), "NORMAL": m.accessor(position, "VEC3")},
        "targets": [{"POSITION": m.accessor(tall, "VEC3", bounds=True), "NORMAL": m.accessor(tall_normal, "VEC3")},
                    {"POSITION": m.accessor(wide, "VEC3", bounds=True)},
                    {"POSITION": m.accessor(nose, "VEC3", bounds=True)}],
        "indices": m.accessor(index, "SCALAR", "H"), "material": 0}]}]
    t["nodes"] = [{"name": "ball", "mesh": 0}]
    weights = [[0, 0, 0], [1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1], [0.5, 0, 1], [0, 0.5, 1], [0, 0, 0]]
    values = [w for row in weights for w in row]
    t["animations"] = [{"name": "faces", "samplers": [{
        "input": m.accessor([k / 4 for k in range(9)], "SCALAR", bounds=True),
        "output": m.accessor(values, "SCALAR"), "interpolation": "LINEAR"}],
        "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}]}]
    m.write(path)


def box(low, high):
    position, normal, index = [], [], []
    for axis in range(3):
        for side in range(2):
            n = [0, 0, 0]
            n[axis] = 1 if side else -1
            first = len(position)
            for a, b in ((0, 0), (1, 0), (1, 1), (0, 1)):
                p = [0, 0, 0]
                p[axis] = (low, high)[side][axis]
                p[(axis + 1) % 3] = (low, high)[a][(axis + 1) % 3]
                p[(axis + 2) % 3] = (low, high)[b][(axis + 2) % 3]
                position.append(p)
                normal.append(n)
            index += [first + k for k in ((0, 1, 2, 0, 2, 3) if side else (0, 2, 1, 0, 3, 2))]
    return position, normal, index


# name, parent, place of the joint in the space of the model, box around it in that space
PARTS = [("hip", None, (0, 0.9, 0), ((-0.16, 0.85, -0.1), (0.16, 1.0, 0.1))),
         ("chest", 0, (0, 1.05, 0), ((-0.2, 1.0, -0.11), (0.2, 1.45, 0.11))),
         ("head", 1, (0, 1.5, 0), ((-0.1, 1.48, -0.1), (0.1, 1.74, 0.12))),
         ("arm_l", 1, (0.25, 1.4, 0), ((0.2, 1.1, -0.06), (0.31, 1.45, 0.06))),
         ("hand_l", 3, (0.25, 1.1, 0), ((0.21, 0.82, -0.05), (0.3, 1.1, 0.05))),
         ("arm_r", 1, (-0.25, 1.4, 0), ((-0.31, 1.1, -0.06), (-0.2, 1.45, 0.06))),
         ("hand_r", 5, (-0.25, 1.1, 0), ((-0.3, 0.82, -0.05), (-0.21, 1.1, 0.05))),
         ("leg_l", 0, (0.1, 0.85, 0), ((0.03, 0.45, -0.07), (0.17, 0.85, 0.07))),
         ("foot_l", 7, (0.1, 0.45, 0), ((0.04, 0.0, -0.06), (0.16, 0.45, 0.06))),
         ("leg_r", 0, (-0.1, 0.85, 0), ((-0.17, 0.45, -0.07), (-0.03, 0.85, 0.07))),
         ("foot_r", 9, (-0.1, 0.45, 0), ((-0.16, 0.0, -0.06), (-0.04, 0.45, 0.06)))]
# How far a part swings, and when in a cycle.
SWING = {"arm_l": (0.5, 0), "hand_l": (0.25, 0.5), "arm_r": (0.5, 0.5), "hand_r": (0.25, 0), "leg_l": (0.5, 0.5),
         "foot_l": (0.9, 0.5), "leg_r": (0.5, 0), "foot_r": (0.9, 0), "head": (0.05, 0.2)}


def clip(m, name, seconds, strength, lift):
    """A cycle of eight keys: parts swing to the front and back; a knee bends while its leg moves to the front."""
    keys = [k / 8 * seconds for k in range(9)]
    time, samplers, channels = m.accessor(keys, "SCALAR", bounds=True), [], []
    for i, (part, _, _, _) in enumerate(PARTS):
        if part not in SWING:
            continue
        size, phase = SWING[part]
        angles = [size * strength * math.sin(2 * math.pi * (k / 8 + phase)) for k in range(9)]
        if part.startswith("foot"):
            angles = [size * strength * max(0, -math.cos(2 * math.pi * (k / 8 + phase))) for k in range(9)]
        if part.startswith("hand"):
            angles = [-abs(a) - 0.2 * strength for a in angles]
        values = [turned((1, 0, 0), a) for a in angles]
        samplers.append({"input": time, "output": m.accessor(values, "VEC4")})
        channels.append({"sampler": len(samplers) - 1, "target": {"node": i + 2, "path": "rotation"}})
    # The hip is lower when the legs are apart.
    apart = [0.5 * strength * math.sin(2 * math.pi * k / 8) for k in range(9)]
    values = [[0, 0.9 - 0.85 * (1 - math.cos(a)) + lift * abs(a), 0] for a in apart]
    samplers.append({"input": time, "output": m.accessor(values, "VEC3")})
    channels.append({"sampler": len(samplers) - 1, "target": {"node": 2, "path": "translation"}})
    return {"name": name, "samplers": samplers, "channels": channels}


def walker(path):
    m = Model()
    position, normal, joints, weights, index, binds = [], [], [], [], [], []
    t = m.tree
    t["nodes"] = [{"name": "walker", "children": [1, 2]}, {"name": "body", "mesh": 0, "skin": 0}]
    for i, (part, parent, at, (low, high)) in enumerate(PARTS):
        p, n, triangles = box(low, high)
        index += [len(position) + k for k in triangles]
        position += p
        normal += n
        joints += [[i, parent or 0, 0, 0]] * len(p)
        weights += [[1, 0, 0, 0]] * len(p)
        binds.append([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -at[0], -at[1], -at[2], 1])
        above = PARTS[parent][2] if parent is not None else (0, 0, 0)
        t["nodes"].append({"name": part, "translation": [at[k] - above[k] for k in range(3)]})
        if parent is not None:
            t["nodes"][parent + 2].setdefault("children", []).append(i + 2)
    t["materials"] = [material(0.85, 0.7, 0.45)]
    t["meshes"] = [{"primitives": [{"attributes": {
        "POSITION": m.accessor(position, "VEC3", bounds=True), "NORMAL": m.accessor(normal, "VEC3"),
        "JOINTS_0": m.accessor(joints, "VEC4", "H"), "WEIGHTS_0": m.accessor(weights, "VEC4")},
        "indices": m.accessor(index, "SCALAR", "H"), "material": 0}]}]
    t["skins"] = [{"joints": list(range(2, len(PARTS) + 2)), "inverseBindMatrices": m.accessor(binds, "MAT4")}]
    t["animations"] = [clip(m, "walk", 1.0, 1.0, 0.03), clip(m, "run", 0.6, 1.7, 0.1), clip(m, "rest", 3.0, 0.12, 0.0)]
    m.write(path)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for make, name in ((worm, "worm"), (ball, "ball"), (walker, "walker")):
        make(os.path.join(folder, name + ".gltf"))
        with open(os.path.join(folder, "show_%s.level.json" % name), "w") as file:
            json.dump({"entities": [{"prefab": name}]}, file)


if __name__ == "__main__":
    main()
