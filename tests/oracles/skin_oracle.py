#!/usr/bin/env python3
"""Compares skinned and morphed vertices with those that this file computes from a glTF model, in double precision.

usage: skin_oracle.py MODEL OUT PROBE SKINS [ERROR]

OUT and PROBE are as for model_oracle.py, SKINS is what tool_skin prints. The joints, their matrices and the weights of
morph targets at each time come from the model; the vertices, whose order differs, are those of the compiled mesh, which
model_oracle.py compares with the model. ERROR: what clips may deviate, relative to the size of the skeleton."""
import json
import math
import struct
import sys
from pathlib import Path

import format_reader
import gltf_oracle


def weights_at(model, clip, node, count, time):
    """The weights of a node at a time of an animation, or None."""
    for channel in model.items("animations")[clip]["channels"] if clip >= 0 else ():
        if channel["target"].get("node") != node or channel["target"]["path"] != "weights":
            continue
        sampler = model.items("animations")[clip]["samplers"][channel["sampler"]]
        values = model.scalars(sampler["output"])
        rows = [values[i:i + count] for i in range(0, len(values), count)]
        return gltf_oracle.sample("weights", sampler.get("interpolation", "LINEAR"), model.scalars(sampler["input"]),
                                  rows, time)
    return None


class Mesh:
    """The streams of a compiled mesh."""

    def __init__(self, page, folder, name):
        blob = format_reader.read_blob(page, "%s/%s.mesh" % (folder, name))
        self.positions = [row[0] for row in blob.rows_of("position")]
        self.normals = [row[0] for row in blob.rows_of("normal")]
        self.targets = blob.rows_of("morph_target")
        self.moves = [[row[0] for row in blob.rows_of(name)] for name in ("morph_position", "morph_normal")]
        self.rows = [row[0] for row in blob.rows_of("morph_vertex")]
        self.influences = [[] for _ in self.positions]
        for joints, weights in (("vertex_joints", "vertex_weights"), ("vertex_joints_1", "vertex_weights_1")):
            for declared, joint, weight in zip(self.influences, blob.rows_of(joints), blob.rows_of(weights)):
                for word in range(2):
                    for shift in (0, 16):
                        part = weight[word] >> shift & 0xffff
                        if part:
                            declared.append((joint[word] >> shift & 0xffff, part / 65535))
        low, high = [min(c) for c in zip(*self.positions)], [max(c) for c in zip(*self.positions)]
        self.size = math.dist(low, high)

    def morphed(self, weights):
        positions, normals = [list(p) for p in self.positions], [list(n) for n in self.normals]
        for (_, _, _, first, count), weight in zip(self.targets, weights):
            for row in range(first, first + count) if weight else ():
                for stream, moves in zip((positions, normals), self.moves):
                    if stream and moves:
                        at = stream[self.rows[row]]
                        for axis in range(3):
                            at[axis] += weight * moves[row][axis]
        return positions, normals


def cofactors(m):
    a, b, c = m[0:3], m[4:7], m[8:11]
    out = [cross(b, c), cross(c, a), cross(a, b)]
    return [[-v for v in row] for row in out] if sum(x * y for x, y in zip(a, out[0])) < 0 else out


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unfolded(word):
    x, y = (max(v / 32767, -1) for v in struct.unpack("<hh", struct.pack("<I", word)))
    z = 1 - abs(x) - abs(y)
    t = max(-z, 0)
    return gltf_oracle.unit([x - math.copysign(t, x), y - math.copysign(t, y), z])


def skinned(palette, influences, position, normal):
    if palette is None:
        return position, normal
    m = [sum(palette[joint][i] * weight for joint, weight in influences) for i in range(12)]
    at = [sum(m[row * 4 + i] * position[i] for i in range(3)) + m[row * 4 + 3] for row in range(3)]
    if not normal:
        return at, None
    return at, [sum(row[i] * normal[i] for i in range(3)) for row in cofactors(m)]


class Compare:
    def __init__(self, model, page, folder, names, error):
        self.model, self.page, self.folder, self.names, self.error = model, page, folder, names, error
        self.meshes, self.compared, self.different, self.worst = {}, 0, 0, 0.0

    def check(self, passed, text):
        self.compared += 1
        self.different += not passed
        if not passed and self.different <= 10:
            print(text())

    def mesh(self, name):
        if name not in self.meshes:
            self.meshes[name] = Mesh(self.page, self.folder, name)
        return self.meshes[name]

    def weights_of(self, mesh, entity, clip, time):
        """Of the node of an entity: the entities of a level with the model are its root and then its nodes."""
        node = self.model.order[entity - 1][0]
        usual = self.model.nodes[node].get("weights", [row[1] for row in mesh.targets])
        return weights_at(self.model, clip, node, len(mesh.targets), time) or usual

    def compare_range(self, where, clip, time, row):
        mesh = self.mesh(row["mesh"])
        palette, size = None, mesh.size
        if row["skeleton"]:
            found = gltf_oracle.palette(self.model, self.names["skeletons"].index(row["skeleton"]), clip, time)
            palette = [matrix for matrix, _ in found]
            size = max(size, max(far for _, far in found))
        positions, normals = mesh.morphed(self.weights_of(mesh, row["entity"], clip, time))
        for v, got in enumerate(row["vertices"]):
            at, normal = skinned(palette, mesh.influences[v], positions[v], normals[v] if row["normals"] else None)
            offsets = math.dist(at, got[:3]) / size
            self.worst = max(self.worst, offsets)
            self.check(offsets <= 1e-4 + self.error,
                       lambda: "%s, vertex %d: %r, not %r" % (where, v, got[:3], at))
            self.check(all(row["low"][k] <= at[k] + size * 1e-6 and at[k] <= row["high"][k] + size * 1e-6 for k in range(3)),
                       lambda: "%s, vertex %d: %r is outside of %r to %r" % (where, v, at, row["low"], row["high"]))
            if normal and math.hypot(*normal) > 1e-6:
                turned = sum(a * b for a, b in zip(gltf_oracle.unit(normal), unfolded(got[3])))
                self.check(turned >= math.cos(math.radians(1)),
                           lambda: "%s, vertex %d: its normal is wrong: %g" % (where, v, turned))


def main(arguments):
    if len(arguments) not in (4, 5):
        sys.exit(__doc__.split("\n\n")[1])
    path, folder, probe, skins = arguments[:4]
    with open(probe, encoding="utf-8") as file:
        names = json.load(file)["names"]
    with open(skins, encoding="utf-8") as file:
        poses = json.load(file)["poses"]
    page = format_reader.Page(Path(__file__).resolve().parent.parent.parent / "formats" / "FORMAT.md")
    model = gltf_oracle.Model(path)
    compare = Compare(model, page, folder, names, float(arguments[4]) if len(arguments) > 4 else 0.0)
    for pose in poses:
        clip = names["clips"].index(pose["clip"])
        for i, row in enumerate(pose["ranges"]):
            compare.compare_range("%s at %g s, mesh %d" % (pose["clip"], pose["time"], i), clip, pose["time"], row)
    print("%s: %d poses, %d values compared, %d different, at most %.1e of the size"
          % (Path(path).name, len(poses), compare.compared, compare.different, compare.worst))
    return 1 if compare.different or not compare.compared else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
