#!/usr/bin/env python3
"""make_lods.py - writes glTF models with settings that request levels of detail.

    make_lods.py FOLDER

The same bytes on every run. A ball, hills with a path of another material, a flat field, a wire beside a ball, and
a box that cannot be simplified. Python 3.9, standard library only.
"""
import json
import math
import sys
from pathlib import Path

from make_features import F32, LINES, U16, Model, placed


def ball(radius=1.0, rings=24, sectors=32):
    """Closed, one vertex for each position."""
    rows = [(0.0, radius, 0.0)]
    for r in range(1, rings):
        high, wide = radius * math.cos(math.pi * r / rings), radius * math.sin(math.pi * r / rings)
        rows += [(wide * math.cos(math.tau * s / sectors), high, wide * math.sin(math.tau * s / sectors))
                 for s in range(sectors)]
    rows.append((0.0, -radius, 0.0))
    at, last, faces = (lambda r, s: 1 + (r - 1) * sectors + s % sectors), len(rows) - 1, []
    for s in range(sectors):
        faces += [(0, at(1, s + 1), at(1, s)), (last, at(rings - 1, s), at(rings - 1, s + 1))]
        for r in range(1, rings - 1):
            faces += [(at(r, s), at(r, s + 1), at(r + 1, s)), (at(r, s + 1), at(r + 1, s + 1), at(r + 1, s))]
    return rows, faces


def field(columns, first, last, height):
    """Rows `first` to `last` of a grid of squares of half a metre."""
    rows = [(x * 0.5, height(x, z), z * 0.5) for z in range(first, last + 1) for x in range(columns + 1)]
    at, faces = (lambda x, z: (z - first) * (columns + 1) + x), []
    for z in range(first, last):
        for x in range(columns):
            faces += [(at(x, z), at(x, z + 1), at(x + 1, z)), (at(x + 1, z), at(x, z + 1), at(x + 1, z + 1))]
    return rows, faces


def hills(x, z):
    return 0.4 * math.sin(x * 0.5) * math.cos(z * 0.4) + 0.1 * math.sin(x * 1.3 + z)


def surface(model, shape, **more):
    rows, faces = shape
    return {"attributes": {"POSITION": model.stream(rows, F32, bounds=True)},
            "indices": model.indices(faces, U16), **more}


def wire(model):
    rows = [(2.0, 0.1 * i, 0.0) for i in range(20)]
    pairs = [(k, k + 1) for k in range(19)]
    return {"attributes": {"POSITION": model.stream(rows, F32, bounds=True)}, "indices": model.indices(pairs, U16),
            "mode": LINES}


def box():
    rows = [(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]
    faces = [(0, 1, 3), (0, 3, 2), (4, 7, 5), (4, 6, 7), (0, 5, 1), (0, 4, 5), (2, 3, 7), (2, 7, 6), (0, 2, 6),
             (0, 6, 4), (1, 5, 7), (1, 7, 3)]
    return rows, faces


def two_parts(model):
    paint, path = (model.add("materials", {"name": name}) for name in ("grass", "path"))
    return [surface(model, field(24, 0, 12, hills), material=paint),
            surface(model, field(24, 12, 24, hills), material=path)]


MODELS = {
    "ball": (lambda m: [surface(m, ball())], {"lods": 4}),
    "hills": (two_parts, {"lods": 3, "lod_triangles": 0.4}),
    "flat": (lambda m: [surface(m, field(20, 0, 20, lambda x, z: 0.0))], {"lods": 8, "lod_error": 0.001}),
    "wire": (lambda m: [surface(m, ball(rings=12, sectors=16)), wire(m)], {"lods": 2}),
    "box": (lambda m: [surface(m, box())], {"lods": 2, "lod_error": 0.01}),
    "none": (lambda m: [surface(m, ball(rings=8, sectors=8))], {}),
    "plain": (lambda m: [surface(m, ball())], {}),
    "far": (lambda m: [surface(m, ball())], {"lods": 6, "lod_error": 1}),
    "glass": (lambda m: [surface(m, ball(), material=m.add("materials", {
        "name": "glass", "alphaMode": "BLEND", "pbrMetallicRoughness": {"baseColorFactor": [0.9, 0.5, 0.4, 0.5]}}))],
              {"lods": 6, "lod_error": 1}),
}


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, (parts, settings) in MODELS.items():
        model = Model()
        placed(model, parts(model))
        model.save(folder, name)
        (folder / (name + ".model.json")).write_text(json.dumps(settings) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
