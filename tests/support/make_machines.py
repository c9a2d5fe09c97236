"""A model of 100 nodes that one clip moves, and a level of 1,000 of them.

    make_machines.py SRC
"""
import json
import math
import os
import random
import struct
import sys

NODES, KEYS, INSTANCES = 100, 25, 1000


def main():
    src, dice = sys.argv[1], random.Random(1)
    os.makedirs(src, exist_ok=True)
    data, views, accessors, channels, samplers = bytearray(), [], [], [], []

    def put(rows, kind, **more):
        flat = [v for row in rows for v in row]
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": 4 * len(flat)})
        accessors.append({"bufferView": len(views) - 1, "componentType": 5126, "count": len(rows), "type": kind, **more})
        data.extend(struct.pack(f"<{len(flat)}f", *flat))
        return len(accessors) - 1

    times = put([[k / 24] for k in range(KEYS)], "SCALAR", min=[0], max=[(KEYS - 1) / 24])
    nodes = [{"name": f"n{i}", "translation": [i % 10, i // 10, 0]} for i in range(NODES)]
    for i in range(0, NODES, 4):  # arms of four
        for k in range(i, min(i + 3, NODES - 1)):
            nodes[k]["children"] = [k + 1]
    for i in range(NODES):
        turns = dice.uniform(-1, 1)
        angles = [turns * math.pi * k / (KEYS - 1) for k in range(KEYS)]
        samplers += [{"input": times, "output": put([[0, 0, math.sin(a / 2), math.cos(a / 2)] for a in angles], "VEC4")},
                     {"input": times, "output": put([[dice.uniform(-1, 1) for _ in range(3)] for _ in range(KEYS)], "VEC3")}]
        channels += [{"sampler": len(samplers) - 2, "target": {"node": i, "path": "rotation"}},
                     {"sampler": len(samplers) - 1, "target": {"node": i, "path": "translation"}}]
    model = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": list(range(0, NODES, 4))}], "nodes": nodes,
             "animations": [{"name": "run", "channels": channels, "samplers": samplers}],
             "buffers": [{"uri": "machine.bin", "byteLength": len(data)}], "bufferViews": views, "accessors": accessors}
    with open(os.path.join(src, "machine.gltf"), "w") as file:
        json.dump(model, file)
    with open(os.path.join(src, "machine.bin"), "wb") as file:
        file.write(data)
    entities = [{"name": f"m{i}", "prefab": "machine",
                 "components": {"transform": {"position": [i % 32 * 12, 0, i // 32 * 12]},
                                "animator": {"time_s": round(i * 0.001, 3)}}} for i in range(INSTANCES)]
    with open(os.path.join(src, "hall.level.json"), "w") as file:
        json.dump({"entities": entities}, file)


main()
