"""A model whose nodes are moved by clips, and where they are in double precision.

    make_animators.py SRC WANTED FRAMES SEED

Writes SRC/rig.gltf with its buffer, a level with three instances of it, and WANTED, a binary file of doubles:

    node count, frame count, number of animators
    for each frame: time in s, blend, 12 numbers of the matrix of each node relative to the model

Every node plays the first clip that moves it. Half of the frames blend this clip with the one after it in the list
of clips. The oracle samples the tables from which the file is written, not the file.
"""
import json
import math
import os
import random
import struct
import sys

NODES, CLIPS = 12, 3
PATHS = ("translation", "rotation", "scale")


def unit(q):
    length = math.sqrt(sum(v * v for v in q))
    return [v / length for v in q]


def single(values):
    """The numbers that a float can represent."""
    return list(struct.unpack(f"<{len(values)}f", struct.pack(f"<{len(values)}f", *values)))


def random_value(dice, path):
    if path == "rotation":
        return single(unit([dice.gauss(0, 1) for _ in range(4)]))
    low, high = (-2, 2) if path == "translation" else (0.7, 1.4)
    return single([dice.uniform(low, high) for _ in range(3)])


def slerp(a, b, t):
    a, b = unit(a), unit(b)
    dot = sum(x * y for x, y in zip(a, b))
    side = -1 if dot < 0 else 1
    angle = math.acos(min(abs(dot), 1))
    if math.sin(angle) < 1e-9:
        return unit([x + (side * y - x) * t for x, y in zip(a, b)])
    p, q = math.sin((1 - t) * angle) / math.sin(angle), math.sin(t * angle) / math.sin(angle)
    return unit([p * x + q * side * y for x, y in zip(a, b)])


class Channel:
    def __init__(self, dice, path, rest):
        self.path = path
        self.kind = dice.choice(("STEP", "LINEAR", "LINEAR", "CUBICSPLINE"))
        self.times = single(sorted({round(dice.uniform(0, 3), 3) for _ in range(dice.randrange(2, 9))}))
        self.values = [rest if rest else random_value(dice, path) for _ in self.times]
        flat = [[0, 0, 0, 0][:len(v)] if rest else single([dice.uniform(-1, 1) for _ in v]) for v in self.values]
        self.into = flat
        self.out = flat if rest else [single([dice.uniform(-1, 1) for _ in v]) for v in self.values]
        if self.kind == "CUBICSPLINE" and len(self.times) < 2:
            self.kind = "STEP"

    def sample(self, t):
        times, values = self.times, self.values
        if t <= times[0] or t >= times[-1]:
            value = values[0 if t <= times[0] else -1]
            return unit(value) if self.path == "rotation" else value
        key = max(k for k in range(len(times)) if times[k] <= t)
        step = times[key + 1] - times[key]
        u = (t - times[key]) / step
        a, b = values[key], values[key + 1]
        if self.kind == "STEP":
            found = a
        elif self.kind == "LINEAR":
            found = slerp(a, b, u) if self.path == "rotation" else [x + (y - x) * u for x, y in zip(a, b)]
        else:
            found = [(2 * u**3 - 3 * u**2 + 1) * p + step * (u**3 - 2 * u**2 + u) * m +
                     (3 * u**2 - 2 * u**3) * q + step * (u**3 - u**2) * n
                     for p, m, q, n in zip(a, self.out[key], b, self.into[key + 1])]
        return unit(found) if self.path == "rotation" else found


def matrix(translation, rotation, scale):
    x, y, z, w = unit(rotation)
    rows = ((1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
            (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
            (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)))
    return [[rows[r][c] * scale[c] for c in range(3)] + [translation[r]] for r in range(3)]


def product(a, b):
    return [[sum(a[r][k] * b[k][c] for k in range(3)) + (a[r][3] if c == 3 else 0) for c in range(4)]
            for r in range(3)]


class Rig:
    def __init__(self, dice):
        self.parent, chain = [], []
        for i in range(NODES):  # in the order of the scene: each after its parent, depth first
            del chain[dice.randrange(len(chain) + 1):]
            self.parent.append(chain[-1] if chain else None)
            chain.append(i)
        self.rest = [{path: random_value(dice, path) for path in PATHS} for _ in range(NODES)]
        self.clips = [{} for _ in range(CLIPS)]
        for clip in self.clips:
            for node in range(NODES):
                if node % 5 == 4 or dice.random() < 0.5:
                    continue  # nothing moves it, or another clip does
                for path in PATHS:
                    if dice.random() < 0.6:
                        clip[node, path] = Channel(dice, path, None)
        for path in PATHS:  # exporters write keys of nodes that do not move
            self.clips[0][4, path] = Channel(dice, path, self.rest[4][path])
        first = [min((c for c in range(CLIPS) if node % 5 != 4 and any((node, p) in self.clips[c] for p in PATHS)),
                     default=None) for node in range(NODES)]
        self.first = first
        self.used = sorted({c for c in first if c is not None})

    def value(self, clip, node, path, t):
        channel = self.clips[clip].get((node, path))
        return channel.sample(t) if channel else self.rest[node][path]

    def local(self, node, t, blend):
        clip, out = self.first[node], dict(self.rest[node])
        if clip is None:
            return out
        other = (clip + 1) % CLIPS
        for path in PATHS:
            one = self.value(clip, node, path, t)
            if blend == 0:
                out[path] = one
                continue
            if (node, path) not in self.clips[clip] and (node, path) not in self.clips[other]:
                continue
            two = self.value(other, node, path, t)
            out[path] = (slerp(one, two, blend) if path == "rotation"
                         else [x * (1 - blend) + y * blend for x, y in zip(one, two)])
        return out

    def places(self, t, blend):
        at = []
        for node in range(NODES):
            pose = self.local(node, t, blend)
            local = matrix(pose["translation"], pose["rotation"], pose["scale"])
            at.append(local if self.parent[node] is None else product(at[self.parent[node]], local))
        return at

    def gltf(self):
        data, views, accessors = bytearray(), [], []

        def put(values, kind):
            flat = [v for value in values for v in (value if isinstance(value, list) else [value])]
            views.append({"buffer": 0, "byteOffset": len(data), "byteLength": 4 * len(flat)})
            accessors.append({"bufferView": len(views) - 1, "componentType": 5126, "count": len(values), "type": kind})
            if kind == "SCALAR" or not accessors[1:]:
                rows = [value if isinstance(value, list) else [value] for value in values]
                accessors[-1].update(min=[min(c) for c in zip(*rows)], max=[max(c) for c in zip(*rows)])
            data.extend(struct.pack(f"<{len(flat)}f", *flat))
            return len(accessors) - 1

        put([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], "VEC3")
        nodes = []
        for i in range(NODES):
            nodes.append({"name": f"n{i}", **self.rest[i], "mesh": 0})
            children = [k for k in range(NODES) if self.parent[k] == i]
            if children:
                nodes[i]["children"] = children
        animations = []
        for number, clip in enumerate(self.clips):
            channels, samplers = [], []
            for (node, path), channel in clip.items():
                values = channel.values
                if channel.kind == "CUBICSPLINE":
                    values = [v for row in zip(channel.into, channel.values, channel.out) for v in row]
                samplers.append({"input": put(channel.times, "SCALAR"), "interpolation": channel.kind,
                                 "output": put(values, "VEC4" if path == "rotation" else "VEC3")})
                channels.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})
            end = max(channel.times[-1] for channel in clip.values())
            animations.append({"name": f"c{number}", "channels": channels, "samplers": samplers,
                               "extras": {"events": {"begin": 0, "step": [round(end * 0.3, 4), round(end * 0.8, 4)]},
                                          "events.end": end}})
        return {"asset": {"version": "2.0"}, "scene": 0,
                "scenes": [{"nodes": [i for i in range(NODES) if self.parent[i] is None]}], "nodes": nodes,
                "meshes": [{"name": "m", "primitives": [{"attributes": {"POSITION": 0}}]}], "animations": animations,
                "buffers": [{"uri": "rig.bin", "byteLength": len(data)}], "bufferViews": views,
                "accessors": accessors}, bytes(data)


def main():
    src, wanted, frames, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    dice = random.Random(seed)
    rig = Rig(dice)
    os.makedirs(src, exist_ok=True)
    text, data = rig.gltf()
    with open(os.path.join(src, "rig.gltf"), "w") as file:
        json.dump(text, file)
    with open(os.path.join(src, "rig.bin"), "wb") as file:
        file.write(data)
    with open(os.path.join(src, "yard.level.json"), "w") as file:
        json.dump({"entities": [{"name": name, "prefab": "rig"} for name in "abc"]}, file)
    with open(wanted, "wb") as file:
        file.write(struct.pack("<3d", NODES, frames, len(rig.used)))
        for frame in range(frames):
            t = single([dice.uniform(-0.2, 3.2)])[0]
            blend = single([dice.choice((0, dice.random()))])[0]
            file.write(struct.pack("<2d", t, blend))
            for place in rig.places(max(t, 0), blend):
                file.write(struct.pack("<12d", *(v for row in place for v in row)))


main()
