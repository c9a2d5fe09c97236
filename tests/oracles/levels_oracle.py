#!/usr/bin/env python3
"""levels_oracle.py - levels of detail that objects are by their names, compared with the meshes that they are made of.

    levels_oracle.py make SRC WANTED SEED     writes a model of random objects, and what is wanted of them
    levels_oracle.py check WANTED OUT         compares the compiled meshes

The objects are boxes of several materials, whose places differ from level to level; some are mirrored. Checked: each level
has the triangles of its boxes with their materials, in the space of the full mesh; triangles turn as their normals say;
error_m is not below the largest distance between random points of either surface and the other one, and not more than three
times as large, unless both are small.

One line per mismatch, then `N levels of N meshes, N wrong`; exit 0 when nothing is wrong. Python 3.9, standard library only.
"""
import json
import os
import random
import struct
import sys
from collections import Counter
from pathlib import Path

import format_reader
from lod_oracle import cross, distance, dot, minus, triangles
from model_oracle import reference

TURNS = ((0, 0, 0, 1), (0, 0, 1, 0), (0, 0.5 ** 0.5, 0, 0.5 ** 0.5), (0.5, 0.5, 0.5, 0.5))


def turned(q, v):
    x, y, z, w = q
    t = cross((2 * x, 2 * y, 2 * z), v)
    u = cross((x, y, z), t)
    return tuple(v[i] + w * t[i] + u[i] for i in range(3))


def placed(place, p):
    position, rotation, scale = place
    r = turned(rotation, tuple(p[i] * scale[i] for i in range(3)))
    return tuple(position[i] + r[i] for i in range(3))


def unplaced(place, p):
    position, (x, y, z, w), scale = place
    r = turned((-x, -y, -z, w), minus(p, position))
    return tuple(r[i] / scale[i] for i in range(3))


def box(dice):
    """([position], [normal], [index]) around a random point of a grid."""
    low = [dice.randrange(-8, 8) / 4 for _ in range(3)]
    high = [v + dice.randrange(1, 8) / 4 for v in low]
    positions, normals, indices = [], [], []
    for axis in range(3):
        for side in (0, 1):
            corners = [(a, b) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
            for a, b in corners if side else corners[::-1]:
                p = [0, 0, 0]
                p[axis] = high[axis] if side else low[axis]
                p[(axis + 1) % 3] = (low, high)[a][(axis + 1) % 3]
                p[(axis + 2) % 3] = (low, high)[b][(axis + 2) % 3]
                positions.append(tuple(p))
                normals.append(tuple((1 if side else -1) if i == axis else 0 for i in range(3)))
            first = len(positions) - 4
            indices += [first, first + 1, first + 2, first, first + 2, first + 3]
    return positions, normals, indices


class Model:
    def __init__(self):
        self.data, self.views, self.accessors, self.meshes, self.nodes = bytearray(), [], [], [], []

    def put(self, rows, kind, code="f", component=5126):
        flat = [v for row in rows for v in (row if isinstance(row, tuple) else (row,))]
        self.views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": 4 * len(flat)})
        accessor = {"bufferView": len(self.views) - 1, "componentType": component, "count": len(rows), "type": kind}
        if kind == "VEC3":
            accessor.update(min=[min(c) for c in zip(*rows)], max=[max(c) for c in zip(*rows)])
        self.accessors.append(accessor)
        self.data.extend(struct.pack("<%d%s" % (len(flat), code), *flat))
        return len(self.accessors) - 1

    def mesh(self, name, boxes):
        primitives = []
        for material, (positions, normals, indices) in boxes:
            primitives.append({"attributes": {"POSITION": self.put(positions, "VEC3"), "NORMAL": self.put(normals, "VEC3")},
                               "indices": self.put(indices, "SCALAR", "I", 5125)})
            if material is not None:
                primitives[-1]["material"] = material
        self.meshes.append({"name": name, "primitives": primitives})
        return len(self.meshes) - 1


def place_of(dice, still):
    if still:
        return (0, 0, 0), (0, 0, 0, 1), (1, 1, 1)
    scale = tuple(dice.choice((0.5, 1, 2, -1)) for _ in range(3))
    return tuple(dice.randrange(-8, 8) / 4 for _ in range(3)), dice.choice(TURNS), scale


def make(src, wanted, seed):
    dice, model, objects = random.Random(seed), Model(), []
    for number in range(24):
        levels = []
        for level in range(dice.randrange(2, 6)):
            place = place_of(dice, number % 3 == 0)
            boxes = [(dice.choice((None, 0, 1, 2)), box(dice)) for _ in range(dice.randrange(1, 5))]
            name = "thing_%d" % number if level == 0 else "thing_%d_low_%d" % (number, level)
            mesh = model.mesh(name, boxes)
            model.nodes.append({"name": "%s_LOD%d" % ("Thing_%d" % number, level), "mesh": mesh, "translation": place[0],
                                "rotation": place[1], "scale": place[2]})
            levels.append((place, boxes))
        base = levels[0][0]
        rows = [[(material, [[unplaced(base, placed(place, positions[i])) for i in indices[k:k + 3]]
                             for k in range(0, len(indices), 3)]) for material, (positions, _, indices) in boxes]
                for place, boxes in levels]
        objects.append(["thing_%d" % number, rows])
    dice.shuffle(model.nodes)
    file = {"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "meshes": model.meshes,
            "nodes": [{"name": "all", "children": list(range(1, len(model.nodes) + 1))}] + model.nodes,
            "materials": [{"name": "m%d" % i} for i in range(3)], "accessors": model.accessors, "bufferViews": model.views,
            "buffers": [{"uri": "m.bin", "byteLength": len(model.data)}]}
    os.makedirs(src, exist_ok=True)
    with open(os.path.join(src, "m.gltf"), "w", encoding="utf-8") as out:
        json.dump(file, out)
    with open(os.path.join(src, "m.bin"), "wb") as out:
        out.write(model.data)
    with open(wanted, "w", encoding="utf-8") as out:
        json.dump(objects, out)


def triangle_of(material, corners):
    """Its material and its corners, to a 64th, without their direction, which the normals prove."""
    return (material, *sorted(tuple(round(v * 64) for v in corner) for corner in corners))


def compare(page, out, name, levels):
    blob = format_reader.read_blob(page, os.path.join(out, "m", name + ".mesh"))
    positions, normals = ([row[0] for row in blob.rows_of(kind)] for kind in ("position", "normal"))
    parts, ranges, lods = blob.rows_of("mesh_part"), blob.rows_of("lod_range"), blob.rows_of("mesh_lod")
    full, lower = ([row[0] for row in blob.rows_of(kind)] for kind in ("index", "lod_index"))
    faults, chance, surfaces = [], random.Random(1), []
    if len(lods) != len(levels) - 1:
        return ["%s: %d levels, not %d" % (name, len(lods), len(levels) - 1)]
    known = {}
    for level, boxes in enumerate(levels):
        found, faces = Counter(), []
        for p, part in enumerate(parts):
            first, count = (part[2], part[3]) if level == 0 else ranges[(level - 1) * len(parts) + p]
            indices = (full if level == 0 else lower)[first:first + count]
            material = reference(blob, part[0])
            for k in range(0, count, 3):
                corner = [positions[i] for i in indices[k:k + 3]]
                normal = cross(minus(corner[1], corner[0]), minus(corner[2], corner[0]))
                if any(dot(normal, normals[i]) <= 0 for i in indices[k:k + 3]):
                    faults.append("%s, level %d: a triangle is turned around" % (name, level))
                found[triangle_of(material, corner)] += 1
            faces += triangles(positions, indices)
        surfaces.append(faces)
        known[level] = found
    for level, boxes in enumerate(levels):
        wanted = Counter(triangle_of(None if material is None else "m/m%d" % material, corners)
                         for material, rows in boxes for corners in rows)
        if wanted != known[level]:
            faults.append("%s, level %d: %d triangles are missing, and %d should not be there" % (
                name, level, sum((wanted - known[level]).values()), sum((known[level] - wanted).values())))
    worst = 0
    for level, row in enumerate(lods):
        worst = max(worst, distance(surfaces[0], surfaces[level + 1], chance), distance(surfaces[level + 1], surfaces[0], chance))
        if worst > row[0] or row[0] > 3 * worst + 0.01:
            faults.append("%s, level %d: error_m is %g, but a point is %g m away" % (name, level + 1, row[0], worst))
    return faults


def check(wanted, out):
    page = format_reader.Page(Path(__file__).resolve().parent.parent.parent / "formats" / "FORMAT.md")
    wrong = levels_seen = 0
    with open(wanted, encoding="utf-8") as file:
        objects = json.load(file)
    for name, levels in objects:
        levels_seen += len(levels) - 1
        faults = compare(page, out, name, levels)
        wrong += bool(faults)
        for fault in faults:
            print(fault)
    print("%d levels of %d meshes, %d wrong" % (levels_seen, len(objects), wrong))
    return wrong > 0


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        sys.exit(check(sys.argv[2], sys.argv[3]))
