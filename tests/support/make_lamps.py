"""A model whose lights and camera clips change, and their values in double precision.

    make_lamps.py SRC WANTED FRAMES SEED [still]

`still`: no node is moved. Writes SRC/rig.gltf with its buffer, a level with two instances of it, and WANTED, a binary file of doubles:

    frame count, range of the lights in m
    for each frame: time in s, intensity, red, green and blue of the lights, field of view of the camera

Two nodes have the same light, which has no range; one of them is moved by another clip, and the other one is a bone. The
intensity and the color are changed by one clip, the field of view by a third one, and a first clip keeps what they are
at rest. Colors go beyond 1: they are divided by the largest one of all keys, and intensities multiplied.
"""
import json
import math
import os
import random
import struct
import sys


def single(values):
    """The numbers that a float can represent."""
    return list(struct.unpack(f"<{len(values)}f", struct.pack(f"<{len(values)}f", *values)))


class Channel:
    def __init__(self, dice, words, low, high, kind):
        self.words, self.low, self.high, self.kind = words, low, high, kind
        self.times = single(sorted({round(dice.uniform(0, 3), 3) for _ in range(6)} | {3.0}))
        self.values = [single([dice.uniform(low, high) for _ in range(words)]) for _ in self.times]
        self.into, self.out = ([single([dice.uniform(-1, 1) * (high - low) for _ in range(words)]) for _ in self.times]
                               for _ in range(2))

    def rows(self):
        if self.kind != "CUBICSPLINE":
            return self.values
        return [row for three in zip(self.into, self.values, self.out) for row in three]

    def sample(self, t):
        times = self.times
        if t <= times[0] or t >= times[-1]:
            return self.values[0 if t <= times[0] else -1]
        key = max(k for k in range(len(times)) if times[k] <= t)
        step = times[key + 1] - times[key]
        u, a, b = (t - times[key]) / step, self.values[key], self.values[key + 1]
        if self.kind == "STEP":
            return a
        if self.kind == "LINEAR":
            return [x + (y - x) * u for x, y in zip(a, b)]
        return [(2 * u**3 - 3 * u**2 + 1) * p + step * (u**3 - 2 * u**2 + u) * m + (3 * u**2 - 2 * u**3) * q +
                step * (u**3 - u**2) * n for p, m, q, n in zip(a, self.out[key], b, self.into[key + 1])]

    def largest(self):
        """Of the values at many times, and at the keys."""
        times = self.times + [self.times[-1] * i / 100000 for i in range(100001 if self.kind == "CUBICSPLINE" else 0)]
        return max(v for t in times for v in self.sample(t))


def main():
    src, wanted, frames, dice = sys.argv[1], sys.argv[2], int(sys.argv[3]), random.Random(int(sys.argv[4]))
    kinds = ["STEP", "LINEAR", "CUBICSPLINE"]
    dice.shuffle(kinds)
    channels = [Channel(dice, 1, 0, 500, kinds[0]), Channel(dice, 3, 0, 2, kinds[1]), Channel(dice, 1, 0.2, 2, kinds[2])]
    move = Channel(dice, 3, -2, 2, "LINEAR")
    pointers = ["/extensions/KHR_lights_punctual/lights/0/intensity", "/extensions/KHR_lights_punctual/lights/0/color",
                "/cameras/0/perspective/yfov", "/nodes/1/translation"]
    data, views, accessors = bytearray(), [], []

    def put(rows):
        flat = [v for row in rows for v in row]
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": 4 * len(flat)})
        accessors.append({"bufferView": len(views) - 1, "componentType": 5126, "count": len(rows),
                          "type": {1: "SCALAR", 3: "VEC3", 4: "VEC4"}[len(rows[0])],
                          "min": [min(c) for c in zip(*rows)], "max": [max(c) for c in zip(*rows)]})
        data.extend(struct.pack(f"<{len(flat)}f", *flat))
        return len(accessors) - 1

    def put_joints():
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": 12})
        accessors.append({"bufferView": len(views) - 1, "componentType": 5121, "count": 3, "type": "VEC4"})
        data.extend(bytes(12))
        return len(accessors) - 1

    def clip(name, *which):
        samplers = [{"input": put([[t] for t in c.times]), "output": put(c.rows()), "interpolation": c.kind} for c, _ in which]
        return {"name": name, "samplers": samplers, "channels": [
            {"sampler": i, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": p}}}}
            for i, (_, p) in enumerate(which)]}

    still = [Channel(dice, 1, 7, 7, "LINEAR"), Channel(dice, 3, 1, 1, "LINEAR"), Channel(dice, 1, 0.9, 0.9, "STEP")]
    animations = [clip("rest", *zip(still, pointers)), clip("move", (move, pointers[3])), clip("light", *zip(channels[:2], pointers[:2])),
                  clip("zoom", (channels[2], pointers[2])), clip("tint", (still[1], pointers[1]))]
    if sys.argv[5:]:
        del animations[1]
    light = {"extensions": {"KHR_lights_punctual": {"light": 0}}}
    nodes = [{"name": "root", "children": [1, 2, 3]}, {"name": "lamp", **light}, {"name": "other", **light},
             {"name": "eye", "camera": 0}]
    streams = {"POSITION": put([[0, 0, 0], [1, 0, 0], [0, 1, 0]]), "JOINTS_0": put_joints(), "WEIGHTS_0": put([[1, 0, 0, 0]] * 3)}
    nodes.append({"name": "skin", "mesh": 0, "skin": 0})
    model = {"asset": {"version": "2.0"}, "scene": 0, "meshes": [{"primitives": [{"attributes": streams}]}], "skins": [{"joints": [2]}], "scenes": [{"nodes": [0, 4]}], "nodes": nodes, "animations": animations,
             "extensionsUsed": ["KHR_lights_punctual", "KHR_animation_pointer"],
             "extensionsRequired": ["KHR_animation_pointer"],
             "extensions": {"KHR_lights_punctual": {"lights": [{"type": "point", "intensity": 7}]}},
             "cameras": [{"type": "perspective", "perspective": {"yfov": 0.9, "znear": 0.1}}],
             "buffers": [{"uri": "rig.bin", "byteLength": len(data)}], "bufferViews": views, "accessors": accessors}
    os.makedirs(src, exist_ok=True)
    with open(os.path.join(src, "rig.gltf"), "w", encoding="utf-8") as file:
        json.dump(model, file)
    with open(os.path.join(src, "rig.bin"), "wb") as file:
        file.write(data)
    with open(os.path.join(src, "yard.level.json"), "w", encoding="utf-8") as file:
        json.dump({"entities": [{"name": f"m{i}", "prefab": "rig"} for i in range(2)]}, file)
    scale = max(1, channels[1].largest())

    def compiled(t):
        """Within the bounds of the fields."""
        intensity, color, view = (c.sample(t) for c in channels)
        return [max(intensity[0] * scale, 0), *(min(max(v / scale, 0), 1) for v in color), min(max(view[0], 0.001), 3.14)]
    with open(wanted, "wb") as file:
        file.write(struct.pack("<2d", frames, math.sqrt(channels[0].largest() * scale / 0.01)))
        for _ in range(frames):
            t = single([dice.uniform(0, 3)])[0]
            file.write(struct.pack("<6d", t, *compiled(t)))


main()
