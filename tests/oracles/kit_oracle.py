#!/usr/bin/env python3
"""kit_oracle.py - kits of props that a model is split into, and levels that models are, compared with matrices in double precision.

    kit_oracle.py make ROOT SEED SPLIT     writes ROOT/src and ROOT/wanted.json; SPLIT: roots or collections
    kit_oracle.py check ROOT               compares ROOT/out, which entc has built

The kit has props, some of which instance others, some animated, some with a matrix that is mirrored. The yard is a level of
placements, with plain nodes above some of them, groups, and properties that override those of the props. Checked: the meshes of
each prefab, of the complete kit and of the yard, each with its matrix (1e-5 of the extent) and the mass of its entity.

One line per mismatch, then `N meshes, N wrong`; exit 0 when nothing is wrong. Python 3.9, standard library only.
"""
import json
import os
import random
import struct
import sys
from pathlib import Path

import format_reader
from model_oracle import reference

BOUND = 1e-5
TRIANGLE = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)


def matrix(t, q, s):
    """Rows of 3 x 4 of translation, rotation x y z w and scale."""
    x, y, z, w = q
    r = ((1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
         (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
         (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)))
    return tuple(tuple(r[i][k] * s[k] for k in range(3)) + (t[i],) for i in range(3))


def product(a, b):
    return tuple(tuple(sum(a[i][n] * b[n][k] for n in range(3)) + (a[i][3] if k == 3 else 0) for k in range(4))
                 for i in range(3))


IDENTITY = matrix((0, 0, 0), (0, 0, 0, 1), (1, 1, 1))


def place_random(dice, even):
    q = [dice.gauss(0, 1) for _ in range(4)] if dice.random() < 0.7 else [0, 0, 0, 1]
    length = sum(v * v for v in q) ** 0.5
    size = dice.choice((0.5, 1, 1, 1.5, 2))
    scale = [size * dice.choice((1, 1, 1, -1)) if even else dice.uniform(0.25, 3) for _ in range(3)]
    return [round(dice.uniform(-9, 9), 3) for _ in range(3)], [round(v / length, 6) for v in q], scale


def unit(q):
    length = sum(v * v for v in q) ** 0.5
    return [v / length for v in q]


class File:
    """A glTF file whose nodes are added with their places."""

    def __init__(self, generator):
        self.nodes, self.roots, self.animated, self.generator = [], [], [], generator

    def add(self, name, place, parent=None, **more):
        self.nodes.append({"name": name, "translation": place[0], "rotation": unit(place[1]), "scale": place[2], **more})
        if parent is None:
            self.roots.append(len(self.nodes) - 1)
        else:
            self.nodes[parent].setdefault("children", []).append(len(self.nodes) - 1)
        return len(self.nodes) - 1

    def write(self, path, settings):
        keys = struct.pack("<2f", 0, 1)
        values = b"".join(struct.pack("<6f", *self.nodes[n]["translation"], 7, 8, 9) for n in self.animated)
        data = TRIANGLE + keys + values
        file = {"asset": {"version": "2.0", "generator": self.generator}, "scenes": [{"nodes": self.roots}],
                "nodes": self.nodes, "materials": [{"name": "red"}, {"name": "blue"}],
                "meshes": [{"name": "mesh_%d" % i, "primitives": [{"attributes": {"POSITION": 0}, "material": i % 2}]}
                           for i in range(4)],
                "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0],
                               "max": [1, 1, 0]},
                              {"bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1]}],
                "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 8}],
                "buffers": [{"uri": os.path.basename(path) + ".bin", "byteLength": len(data)}]}
        for i, node in enumerate(self.animated):
            file["bufferViews"].append({"buffer": 0, "byteOffset": 44 + 24 * i, "byteLength": 24})
            file["accessors"].append({"bufferView": 2 + i, "componentType": 5126, "count": 2, "type": "VEC3"})
            file.setdefault("animations", []).append(
                {"name": "move_%d" % i, "samplers": [{"input": 1, "output": 2 + i}],
                 "channels": [{"sampler": 0, "target": {"node": node, "path": "translation"}}]})
        Path(path + ".bin").write_bytes(data)
        Path(path + ".gltf").write_text(json.dumps(file), encoding="utf-8")
        Path(path + ".model.json").write_text(json.dumps(settings), encoding="utf-8")


class Kit:
    def __init__(self, dice, split):
        self.dice, self.split, self.file, self.parts = dice, split, File("a generator"), {}
        self.wanted = []

    def tree(self, name, depth, parent, place, extras):
        """Adds an object with some below it; returns their meshes: [mesh, matrix relative to the parent, mass]."""
        dice, more, found = self.dice, {}, []
        local = matrix(place[0], unit(place[1]), place[2])
        mass = None
        if dice.random() < 0.3:
            mass = extras["point_mass.mass"] = dice.randrange(1, 99)
        inside = dice.choice(sorted(self.parts)) if self.parts and depth and dice.random() < 0.3 else None
        if inside:
            extras["prefab"] = "models/kit/" + inside
            found += self.instance(inside, local, mass)
        elif dice.random() < 0.8:
            more["mesh"] = dice.randrange(4)
            found.append(["models/kit/mesh_%d" % more["mesh"], local, mass])
        if extras:
            more["extras"] = extras
        node = self.file.add(name, place, parent, **more)
        # Objects below one that instances a turned prefab are moved with it, which is a warning.
        may_branch = depth < 3 and not (inside and self.split == "roots")
        for i in range(dice.randrange(0, 3) if may_branch else 0):
            below = self.tree("%s_%d" % (name, i), depth + 1, node, place_random(dice, True), {})
            found += [[mesh, product(local, m), mass] for mesh, m, mass in below]
        return found

    def instance(self, part, local, mass):
        """The meshes of a part at a place; a mass of the object replaces that of its root."""
        root_mass, meshes = self.parts[part]
        return [[mesh, product(local, m), mass if is_root and mass is not None else found]
                for mesh, m, found, is_root in meshes]

    def prop(self, number):
        dice, roots = self.dice, []
        name, offset = "Prop %d" % number, [round(dice.uniform(-9, 9), 3) for _ in range(3)]
        for i in range(dice.randrange(1, 4) if self.split == "collections" else 1):
            place = place_random(dice, True)
            extras = {"collection": name, "collection.offset": offset} if self.split == "collections" else {}
            first = len(self.file.nodes)
            found = self.tree("Root %d %d" % (number, i), 0, None, place, extras)
            if dice.random() < 0.3:
                self.file.animated.append(first)
            roots.append((place, found, first in self.file.animated))
        if self.split == "roots":
            place, found, is_animated = roots[0]
            name, offset = "Root %d 0" % number, place[0]
        back = matrix([-v for v in offset], (0, 0, 0, 1), (1, 1, 1))
        meshes = []
        for place, found, is_animated in roots:
            node_is_root = self.split == "roots" and not is_animated
            root_local = matrix(place[0], unit(place[1]), place[2])
            meshes += [[mesh, product(back, m), mass, node_is_root and m == root_local and k == 0]
                       for k, (mesh, m, mass) in enumerate(found)]
        self.parts[name.lower().replace(" ", "_")] = (None, meshes)
        self.wanted += [[mesh, product(matrix(offset, (0, 0, 0, 1), (1, 1, 1)), m), mass] for mesh, m, mass, _ in meshes]


def make(root, seed, split):
    dice = random.Random(seed)
    kit, yard, wanted = Kit(dice, split), File("Khronos glTF Blender I/O v3.4.50"), {}
    for folder in ("models", "levels"):
        os.makedirs(os.path.join(root, "src", folder), exist_ok=True)
    for number in range(10):
        kit.prop(number)
    kit.file.write(os.path.join(root, "src/models/kit"), {"split": split})
    wanted["models/kit.entity"] = kit.wanted
    for name, (_, meshes) in kit.parts.items():
        wanted["models/kit/%s.entity" % name] = [row[:3] for row in meshes]
    found = wanted["levels/yard.level"] = []
    for i in range(20):
        above, parent, place = IDENTITY, None, place_random(dice, True)
        extras = {"prefab": "models/kit/" + dice.choice(sorted(kit.parts))}
        if dice.random() < 0.4:
            parent = yard.add("above %d" % i, place)
            above, place = matrix(place[0], unit(place[1]), place[2]), place_random(dice, True)
        elif dice.random() < 0.5:
            extras["group"] = dice.choice(("day", "night"))
        mass = None
        if dice.random() < 0.5:
            mass = extras["point_mass.mass"] = dice.randrange(100, 199)
        yard.add("place %d" % i, place, parent, extras=extras)
        found += kit.instance(extras["prefab"][len("models/kit/"):],
                              product(above, matrix(place[0], unit(place[1]), place[2])), mass)
    yard.write(os.path.join(root, "src/levels/yard"), {"as": "level"})
    Path(root, "wanted.json").write_text(json.dumps(wanted), encoding="utf-8")


def meshes_of(blob):
    """[mesh, matrix, mass] of each mesh of a blob."""
    columns = {name: [] for name in ("transform", "mesh", "point_mass")}
    for section in blob.sections:
        if section.kind == 2 and section.record and section.record.name in columns:
            columns[section.record.name] = list(zip(section.owner, section.rows))
    parents = [row[0] for row in blob.rows_of("parent")]
    local = {owner: matrix(*row) for owner, row in columns["transform"]}
    world = []
    for entity, parent in enumerate(parents):
        place = local.get(entity, IDENTITY)
        world.append(place if parent == format_reader.NO_ENTITY else product(world[parent], place))
    masses = {owner: row[3] for owner, row in columns["point_mass"]}
    return [[reference(blob, row[0]), world[owner], masses.get(owner)] for owner, row in columns["mesh"]]


def faults_of(name, wanted, found):
    extent = max([1.0] + [abs(row[k]) for _, m, _ in wanted for row in m for k in range(4)])
    left, faults = list(found), []
    for mesh, m, mass in wanted:
        near = [row for row in left if row[0] == mesh and row[2] == mass and
                all(abs(row[1][i][k] - m[i][k]) <= BOUND * extent for i in range(3) for k in range(4))]
        if near:
            left.remove(near[0])
        else:
            faults.append("%s: there is no mesh %s of mass %s at %s" % (name, mesh, mass, [round(r[3], 3) for r in m]))
    return faults + ["%s: an additional mesh %s of mass %s at %s" % (name, row[0], row[2], [round(r[3], 3) for r in row[1]])
                     for row in left]


def check(root):
    page = format_reader.Page(Path(__file__).resolve().parents[2] / "formats/FORMAT.md")
    wanted, count, faults = json.loads(Path(root, "wanted.json").read_text(encoding="utf-8")), 0, []
    for name, meshes in wanted.items():
        count += len(meshes)
        faults += faults_of(name, meshes, meshes_of(format_reader.read_blob(page, os.path.join(root, "out", name))))
    print("\n".join(faults + ["%d meshes, %d wrong" % (count, len(faults))]))
    return 1 if faults else 0


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    else:
        sys.exit(check(sys.argv[2]))
