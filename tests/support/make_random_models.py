#!/usr/bin/env python3
"""make_random_models.py - writes random valid glTF models that combine the features of meshes and materials.

    make_random_models.py FOLDER SEED COUNT

Each model depends only on its seed: SEED, SEED + 1 and so on, which its name contains. Streams of all formats, modes,
indices, morph targets, influences, texture slots and samplers are chosen independently of each other. Python 3.9,
standard library only.
"""
import math
import random
import sys
from pathlib import Path

from make_features import (CLAMP, INDICES, MIRROR, REPEAT, TRIANGLES, LINES, TRIANGLE_STRIP, LINE_STRIP, Model, bumps,
                           rgb, rgba)
from make_models import F32, S8, S16, U8, U16, U32, single

LARGEST = {F32: 1.0, S8: 127, U8: 255, S16: 32767, U16: 65535}
MATERIALS, TEXTURES = 3, 4


class Maker:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.glass_dice = random.Random(-seed - 1)
        self.model = Model()
        self.joints = self.r.choice([0, 0, 5, 18])
        self.targets = [self.r.sample(["POSITION", "NORMAL", "TANGENT"], self.r.randint(1, 3))
                        for _ in range(self.r.choice([0, 0, 1, 3, 7]))]

    def likely(self, part):
        return self.r.random() < part

    def numbers(self, count, low=-1.0, high=1.0):
        return [self.r.uniform(low, high) for _ in range(count)]

    def completed(self):
        self.images()
        for _ in range(MATERIALS):
            self.material()
        mesh = {"primitives": [self.primitive() for _ in range(self.r.randint(1, 4))]}
        if self.targets and self.likely(0.5):
            mesh["weights"] = self.numbers(len(self.targets))
        if self.targets and self.likely(0.5):
            mesh["extras"] = {"targetNames": ["target %d" % i for i in range(len(self.targets))]}
        self.model.add("meshes", mesh)
        self.nodes(all("JOINTS_0" in p["attributes"] for p in mesh["primitives"]))
        return self.model

    # --- materials ---

    def images(self):
        for _ in range(2):
            self.model.image(self.r.choice([rgb, rgba, bumps])(8, 8))
        choices = {"wrapS": [REPEAT, CLAMP, MIRROR], "wrapT": [REPEAT, CLAMP, MIRROR], "magFilter": [9728, 9729],
                   "minFilter": [9728, 9729, 9984, 9985, 9986, 9987]}
        for _ in range(2):
            self.model.add("samplers", {key: self.r.choice(codes) for key, codes in choices.items() if self.likely(0.6)})
        for _ in range(TEXTURES):
            texture = {"source": self.r.randrange(2)}
            if self.likely(0.7):
                texture["sampler"] = self.r.randrange(2)
            self.model.add("textures", texture)

    def slot(self, key=None, low=0.0):
        info = {"index": self.r.randrange(TEXTURES)}
        if self.likely(0.3):
            info["texCoord"] = self.r.randrange(2)
        if self.likely(0.3):
            info["extensions"] = {"KHR_texture_transform": {
                "offset": self.numbers(2), "rotation": self.r.uniform(-4, 4), "scale": self.numbers(2)}}
        if key and self.likely(0.7):
            info[key] = self.r.uniform(low, 1)
        return info

    def glass(self, material):
        """With dice of its own: other objects stay as they are."""
        r = self.glass_dice
        possible = {"KHR_materials_transmission": {"transmissionFactor": r.random()},
                    "KHR_materials_ior": {"ior": r.uniform(1, 4)},
                    "KHR_materials_clearcoat": {"clearcoatFactor": r.random(), "clearcoatRoughnessFactor": r.random()},
                    "KHR_materials_volume": {"thicknessFactor": r.uniform(0, 3), "attenuationDistance": r.uniform(0.1, 9),
                                             "attenuationColor": [r.random() for _ in range(3)]}}
        if r.random() < 0.3:
            del possible["KHR_materials_volume"]["attenuationDistance"]
        chosen = {key: value for key, value in possible.items() if r.random() < 0.5}
        if chosen:
            material["extensions"] = {**material.get("extensions", {}), **chosen}
        if r.random() < 0.3:
            material["extras"] = {"thickness_m": r.uniform(0, 3)}

    def material(self):
        surface, material = {}, {}
        possible = [(surface, "baseColorFactor", lambda: self.numbers(4, 0)),
                    (surface, "metallicFactor", self.r.random), (surface, "roughnessFactor", self.r.random),
                    (surface, "baseColorTexture", self.slot), (surface, "metallicRoughnessTexture", self.slot),
                    (material, "normalTexture", lambda: self.slot("scale", -2)),
                    (material, "occlusionTexture", lambda: self.slot("strength")),
                    (material, "emissiveTexture", self.slot),
                    (material, "emissiveFactor", lambda: self.numbers(3, 0)),
                    (material, "extensions", lambda: {
                        "KHR_materials_emissive_strength": {"emissiveStrength": self.r.uniform(0, 20)}}),
                    (material, "alphaMode", lambda: self.r.choice(["MASK", "BLEND", "OPAQUE"])),
                    (material, "doubleSided", lambda: True)]
        for owner, key, value in possible:
            if self.likely(0.5):
                owner[key] = value()
        if material.get("alphaMode") == "MASK" and self.likely(0.6):
            material["alphaCutoff"] = self.r.random()
        self.glass(material)
        self.model.add("materials", {**material, "pbrMetallicRoughness": surface})

    # --- meshes ---

    def direction(self):
        v = self.numbers(2) + [self.r.choice([-1, 0.5, 1])]
        length = math.sqrt(sum(x * x for x in v))
        return [x / length for x in v]

    def primitive(self):
        r = self.r
        count = r.choice([3, 4, 6, 9, 12, 30])
        indexed = self.likely(0.6)
        # without indices, several vertices may be equal
        self.order = list(range(count))
        if not indexed and self.likely(0.6):
            self.order = [r.randrange(max(1, count // 2)) for _ in range(count)]
        attributes = self.streams(count)
        mode = r.randrange(7)
        out = {"attributes": attributes, "mode": r.choice([mode, TRIANGLES])}
        if indexed:
            size = {TRIANGLES: 3, LINES: 2}.get(out["mode"], 1)
            rows = [(r.randrange(count),) for _ in range(size * r.randint(3, 14))]
            out["indices"] = self.model.accessor(rows, r.choice([U8, U16, U32]), INDICES)
        elif out["mode"] == LINES and count % 2:
            out["mode"] = LINE_STRIP
        elif out["mode"] == TRIANGLES and count % 3:
            out["mode"] = TRIANGLE_STRIP
        if self.targets:
            out["targets"] = [self.target(names, attributes, count) for names in self.targets]
        if "TEXCOORD_1" in attributes and self.likely(0.7):
            out["material"] = r.randrange(MATERIALS)
        return out

    def stream(self, rows, component=F32, bounds=False):
        return self.model.stream([rows[i] for i in self.order], component, component != F32, bounds)

    def parts(self, count, width, components):
        """Rows of numbers from 0 to 1."""
        component = self.r.choice(components)
        rows = [[self.r.random() if component == F32 else self.r.randint(0, LARGEST[component]) for _ in range(width)]
                for _ in range(count)]
        return self.stream(rows, component)

    def streams(self, count):
        few = self.likely(0.4)  # positions, which are then often equal
        rows = [[self.r.choice([-1, 0, 0.5, 1, 2.25]) if few else self.r.uniform(-3, 3) for _ in range(3)]
                for _ in range(count)]
        out = {"POSITION": self.stream(rows, bounds=True)}
        if self.likely(0.6):
            out["NORMAL"] = self.stream([self.direction() for _ in range(count)])
        if self.likely(0.4):
            out["TANGENT"] = self.stream([self.direction() + [self.r.choice([1, -1])] for _ in range(count)])
        if self.likely(0.7):
            out["TEXCOORD_0"] = self.parts(count, 2, [F32, U8, U16])
            if self.likely(0.6):
                out["TEXCOORD_1"] = self.parts(count, 2, [F32, U8, U16])
        if self.likely(0.4):
            out["COLOR_0"] = self.parts(count, self.r.choice([3, 4]), [F32, U8, U16])
        if self.joints and self.likely(0.8):
            self.influences(out, count)
        return out

    def weights(self, count, component):
        if component == F32:
            parts = [self.r.choice([self.r.random(), 0.001 * self.r.random(), 0.5]) for _ in range(count)]
            return [single(part / sum(parts)) for part in parts]
        largest = LARGEST[component]
        cuts = sorted(self.r.randint(0, largest) for _ in range(count - 1))
        return [b - a for a, b in zip([0] + cuts, cuts + [largest])]

    def influences(self, out, count):
        sets, component = self.r.choice([1, 1, 2, 2, 3, 4]), self.r.choice([U8, U16, F32])
        rows = []
        for _ in range(count):
            used = self.r.randint(1, min(4 * sets, self.joints))
            pairs = list(zip(self.r.sample(range(self.joints), used), self.weights(used, component)))
            pairs += [(0, 0)] * (4 * sets - used)
            self.r.shuffle(pairs)
            rows.append(pairs)
        for k in range(sets):
            joints = [[rows[i][4 * k + n][0] for n in range(4)] for i in self.order]
            out["JOINTS_%d" % k] = self.model.stream(joints, self.r.choice([U8, U16]))
            out["WEIGHTS_%d" % k] = self.stream([[row[4 * k + n][1] for n in range(4)] for row in rows], component)

    def sparse(self, count):
        changes = {i: self.numbers(3) for i in sorted(self.r.sample(range(count), self.r.randint(1, count)))}
        accessor = self.model.sparse(count, 3, changes)
        columns = list(zip(*[[single(v) for v in changes.get(i, (0, 0, 0))] for i in range(count)]))
        self.model.json["accessors"][accessor].update(min=[min(c) for c in columns], max=[max(c) for c in columns])
        return accessor

    def target(self, names, attributes, count):
        out = {}
        for name in names:
            if name not in attributes:
                continue
            rows = [[self.r.choice([0, 0, self.r.uniform(-1, 1)]) for _ in range(3)] for _ in range(count)]
            out[name] = self.sparse(count) if self.likely(0.3) else self.stream(rows, bounds=name == "POSITION")
        return out or {"POSITION": self.stream([(0, 0, 0)] * count, bounds=True)}

    # --- nodes ---

    def nodes(self, skinned):
        roots = []
        for i in range(self.joints):
            node = {"name": "joint_%d" % i, "translation": self.numbers(3)}
            if i + 1 < self.joints:
                node["children"] = [i + 1]
            self.model.add("nodes", node)
        node = {"mesh": 0, "name": "body"}
        if self.joints:
            roots = [0]
            self.model.add("skins", {"joints": self.r.sample(range(self.joints), self.joints)})
            if skinned:
                node["skin"] = 0
        if self.targets and self.likely(0.5):
            node["weights"] = self.numbers(len(self.targets))
        body = self.model.add("nodes", node)
        self.model.json["scenes"][0]["nodes"] = roots + [body]
        if self.targets and self.likely(0.6):
            self.clip(body)
        if self.joints and skinned:
            self.rig(body)

    def rig(self, body):
        """Nodes among the bones: cameras, the skinned node and others below them, and nodes above them that move."""
        nodes, roots = self.model.json["nodes"], self.model.json["scenes"][0]["nodes"]
        camera = self.model.add("cameras", {"type": "perspective", "perspective": {"yfov": 0.8, "znear": 0.1}})
        for joint in range(self.joints):
            if self.likely(0.2):
                nodes[joint]["camera"] = camera
        if self.likely(0.3):
            nodes[self.r.randrange(self.joints)].setdefault("children", []).append(body)
            roots.remove(body)
        places = list(range(self.joints)) + [body]
        for i in range(self.r.randint(0, 4)):
            places.append(self.model.add("nodes", {"name": "thing_%d" % i, "translation": self.numbers(3), "camera": camera}))
            nodes[self.r.choice(places[:-1])].setdefault("children", []).append(places[-1])
        for i in range(self.r.randint(0, 2)):
            beside = self.model.add("nodes", {"name": "beside_%d" % i, "translation": self.numbers(3)})
            roots[:] = [self.model.add("nodes", {"name": "above_%d" % i, "children": roots[:1] + [beside]})] + roots[1:]
            if self.likely(0.5):
                turns = self.model.accessor([(0.0, 0.0, 0.0, 1.0), (0.6, 0.0, 0.0, 0.8)])
                self.model.clip((roots[0], "rotation", "LINEAR", (0, 1), turns))

    def clip(self, node):
        kind, component = self.r.choice(["STEP", "LINEAR", "CUBICSPLINE"]), self.r.choice(list(LARGEST))
        keys = self.r.randint(2, 5)
        count = keys * len(self.targets) * (3 if kind == "CUBICSPLINE" else 1)
        values = [(self.r.random() if component == F32 else self.r.randint(0, LARGEST[component]),) for _ in range(count)]
        output = self.model.accessor(values, component, normalized=component != F32)
        self.model.clip((node, "weights", kind, [0.5 * k for k in range(keys)], output))


def main(arguments):
    if len(arguments) != 3:
        sys.exit(__doc__.split("\n\n")[1].strip())
    folder, seed, count = Path(arguments[0]), int(arguments[1]), int(arguments[2])
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(seed, seed + count):
        maker = Maker(number)
        maker.model.uses("KHR_texture_transform", "KHR_materials_emissive_strength", "KHR_materials_transmission",
                         "KHR_materials_ior", "KHR_materials_volume", "KHR_materials_clearcoat")
        maker.completed().save(folder, "random_%d" % number)


if __name__ == "__main__":
    main(sys.argv[1:])
