"""A model whose meshes are clouds of points, each the collider of an object UCX_n, for the hulls of tests/oracles/hull_oracle.cpp.

    make_hulls.py SRC POINTS SEED

Writes SRC/hulls.gltf with its buffer, and POINTS, a text: for each mesh its name, the number of its points, and these.
"""
import json
import math
import os
import random
import struct
import sys


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def on_sphere(dice):
    z, angle = dice.uniform(-1, 1), dice.uniform(0, 2 * math.pi)
    return (math.cos(angle) * math.sqrt(1 - z * z), math.sin(angle) * math.sqrt(1 - z * z), z)


def clouds(dice):
    box = [(x, y, z) for x in (-1, 1) for y in (-2, 2) for z in (-3, 3)]
    yield "box", box
    yield "grid", [(x, y, z) for x in range(5) for y in range(4) for z in range(3)]
    yield "ball", [on_sphere(dice) for _ in range(500)]
    yield "few", [on_sphere(dice) for _ in range(40)]
    yield "limit", [on_sphere(dice) for _ in range(64)]
    yield "above", [on_sphere(dice) for _ in range(65)]
    yield "full", [tuple(dice.gauss(0, 1) for _ in range(3)) for _ in range(2000)]
    yield "tube", [(math.cos(i * 0.1), math.sin(i * 0.1), z) for i in range(63) for z in (0, 5)]
    yield "flat", [(dice.uniform(0, 3), 0, dice.uniform(0, 2)) for _ in range(100)]
    yield "tilted", [(u, v, u + 2 * v) for u, v in ((dice.uniform(0, 1), dice.uniform(0, 1)) for _ in range(30))]
    yield "disc", [(math.cos(i * 0.05), 0.5, math.sin(i * 0.05)) for i in range(125)]
    yield "far", [tuple(1000 + c * 0.1 for c in on_sphere(dice)) for _ in range(100)]
    yield "small", [tuple(c * 1e-3 for c in on_sphere(dice)) for _ in range(100)]
    yield "simplex", [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.1, 0.1, 0.1)]
    yield "twice", box * 3
    for i in range(20):
        yield "random_%d" % i, [tuple(dice.uniform(-1, 1) * s for s in (1, 1 + i, 0.1 + i % 3)) for _ in range(5 + 9 * i)]


def main():
    src, points, dice = sys.argv[1], sys.argv[2], random.Random(int(sys.argv[3]))
    data, views, accessors, meshes, nodes, text = bytearray(), [], [], [], [], []
    for name, cloud in clouds(dice):
        cloud = [tuple(map(single, p)) for p in cloud]
        dice.shuffle(cloud)
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": 12 * len(cloud)})
        accessors.append({"bufferView": len(views) - 1, "componentType": 5126, "count": len(cloud), "type": "VEC3",
                          "min": [min(c) for c in zip(*cloud)], "max": [max(c) for c in zip(*cloud)]})
        data.extend(struct.pack("<%df" % (3 * len(cloud)), *(c for p in cloud for c in p)))
        meshes.append({"name": name, "primitives": [{"mode": 0, "attributes": {"POSITION": len(meshes)}}]})
        nodes.append({"name": "UCX_%s" % name, "mesh": len(nodes)})
        text.append("%s %d\n%s" % (name, len(cloud), "".join("%.9g %.9g %.9g\n" % p for p in cloud)))
    model = {"asset": {"version": "2.0"}, "scenes": [{"nodes": list(range(len(nodes)))}], "nodes": nodes, "meshes": meshes,
             "accessors": accessors, "bufferViews": views, "buffers": [{"uri": "hulls.bin", "byteLength": len(data)}]}
    os.makedirs(src, exist_ok=True)
    with open(os.path.join(src, "hulls.gltf"), "w", encoding="utf-8") as file:
        json.dump(model, file)
    with open(os.path.join(src, "hulls.bin"), "wb") as file:
        file.write(data)
    with open(points, "w", encoding="utf-8") as file:
        file.write("".join(text))


main()
