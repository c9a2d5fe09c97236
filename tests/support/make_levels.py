"""Balls with levels of detail by name, and each level alone.

    make_levels.py ROOT

Writes ROOT/all, where the levels are objects of one model, beside colliders and what is left out, and ROOT/0, ROOT/1 and ROOT/2, each
with one of the levels as the only object. In each folder, the level "near", "middle" or "far" has the ball where level 0,
1 or 2 is drawn.
"""
import json
import math
import os
import struct
import sys

SIDES = (24, 8, 4)
COLORS = ([0.9, 0.1, 0.1, 1], [0.1, 0.8, 0.1, 1], [0.1, 0.2, 0.9, 1])
PLACES = {"near": -4, "middle": -30, "far": -130}


def ball(sides):
    positions = [(math.sin(math.pi * i / sides) * math.cos(math.pi * j / sides), math.cos(math.pi * i / sides),
                  math.sin(math.pi * i / sides) * math.sin(math.pi * j / sides))
                 for i in range(sides + 1) for j in range(2 * sides + 1)]
    row = 2 * sides + 1
    indices = [k for i in range(sides) for j in range(2 * sides)
               for k in (i * row + j, i * row + j + 1, (i + 1) * row + j, i * row + j + 1, (i + 1) * row + j + 1, (i + 1) * row + j)]
    return positions, indices


def model(folder, levels, nodes):
    data, views, accessors, meshes = bytearray(), [], [], []

    def put(values, code, kind, component, **more):
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": 4 * len(values)})
        count = len(values) // (3 if kind == "VEC3" else 1)
        accessors.append({"bufferView": len(views) - 1, "componentType": component, "count": count, "type": kind, **more})
        data.extend(struct.pack("<%d%s" % (len(values), code), *values))
        return len(accessors) - 1
    for level in levels:
        positions, indices = ball(SIDES[level])
        flat = [c for p in positions for c in p]
        attributes = {"POSITION": put(flat, "f", "VEC3", 5126, min=[-1, -1, -1], max=[1, 1, 1]), "NORMAL": put(flat, "f", "VEC3", 5126)}
        meshes.append({"name": "ball_%d" % level, "primitives": [{"attributes": attributes, "indices": put(indices, "I", "SCALAR", 5125),
                                                                 "material": level}]})
    materials = [{"name": "m%d" % i, "pbrMetallicRoughness": {"baseColorFactor": color, "metallicFactor": 0}}
                 for i, color in enumerate(COLORS)]
    file = {"asset": {"version": "2.0"}, "scenes": [{"nodes": list(range(len(nodes)))}], "nodes": nodes, "meshes": meshes,
            "materials": materials, "accessors": accessors, "bufferViews": views, "buffers": [{"uri": "ball.bin", "byteLength": len(data)}]}
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "ball.gltf"), "w", encoding="utf-8") as out:
        json.dump(file, out)
    with open(os.path.join(folder, "ball.bin"), "wb") as out:
        out.write(data)
    for name, z in PLACES.items():
        entities = [{"name": "ball", "prefab": "ball", "components": {"transform": {"position": [0, 0, z]}}},
                    {"name": "sun", "components": {"transform": {"rotation": [-0.35, 0.2, 0, 0.915]},
                                                   "light": {"kind": "directional", "intensity": 4}}},
                    {"name": "eye", "components": {"transform": {}, "camera": {"vertical_fov_rad": 0.7, "near_m": 0.1, "far_m": 1000}}}]
        with open(os.path.join(folder, name + ".level.json"), "w", encoding="utf-8") as out:
            json.dump({"entities": entities}, out)


def main():
    root = sys.argv[1]
    for level in range(3):
        model(os.path.join(root, str(level)), [level], [{"name": "Ball", "mesh": 0}])
    big = {"scale": [1.5, 1.5, 1.5]}
    model(os.path.join(root, "all"), [0, 1, 2],
          [{"name": "Ball_LOD0", "mesh": 0}, {"name": "Ball_LOD2", "mesh": 2}, {"name": "ball_lod1.001", "mesh": 1},
           {"name": "UCX_Ball", "mesh": 2, **big}, {"name": "Ball_col", "mesh": 1, **big}, {"name": "old_hidden", "mesh": 0, **big},
           {"name": "UBX_Ball", "mesh": 0, **big}])


main()
