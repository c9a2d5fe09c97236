"""Boxes whose materials a level replaces, and the same boxes made of these materials.

    make_views.py ROOT

Writes ROOT/views, whose level replaces materials of meshes by name, and ROOT/made, whose level has meshes that were made with
these materials. Opaque, transparent, masked and two-sided materials replace each other, of boxes that stand, that are mirrored
and that have morph targets.
"""
import json
import os
import struct
import sys

MATERIALS = [
    {"name": "red", "pbrMetallicRoughness": {"baseColorFactor": [0.8, 0.1, 0.1, 1], "metallicFactor": 0}},
    {"name": "trim", "pbrMetallicRoughness": {"baseColorFactor": [0.2, 0.2, 0.25, 1], "metallicFactor": 1, "roughnessFactor": 0.4}},
    {"name": "Glass", "alphaMode": "BLEND", "pbrMetallicRoughness": {"baseColorFactor": [0.2, 0.5, 0.9, 0.4], "metallicFactor": 0}},
    {"name": "leaf", "alphaMode": "MASK", "doubleSided": True,
     "pbrMetallicRoughness": {"baseColorFactor": [0.1, 0.7, 0.2, 1], "metallicFactor": 0}},
    {"name": "lamp", "emissiveFactor": [1, 0.8, 0.3], "pbrMetallicRoughness": {"baseColorFactor": [0, 0, 0, 1]}}]
NUMBER = {material["name"].lower(): i for i, material in enumerate(MATERIALS)}

# the materials of the body and of the lid of each box; its mesh with morph targets, or without; mirrored
BOXES = [("red", "trim", False, 1), ("glass", "trim", False, 1), ("red", "lamp", False, -1), ("leaf", "glass", False, 1),
         ("trim", "red", True, 1), ("lamp", "leaf", True, -1), ("red", "trim", True, 1), ("glass", "trim", False, 1)]


class Model:
    def __init__(self):
        self.data, self.views, self.accessors, self.meshes = bytearray(), [], [], []

    def put(self, rows, kind, code="f", component=5126):
        flat = [v for row in rows for v in (row if isinstance(row, tuple) else (row,))]
        self.views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": 4 * len(flat)})
        accessor = {"bufferView": len(self.views) - 1, "componentType": component, "count": len(rows), "type": kind}
        if kind == "VEC3":
            accessor.update(min=[min(c) for c in zip(*rows)], max=[max(c) for c in zip(*rows)])
        self.accessors.append(accessor)
        self.data.extend(struct.pack("<%d%s" % (len(flat), code), *flat))
        return len(self.accessors) - 1

    def box(self, low, high, material, morphs):
        positions, normals, indices = [], [], []
        for axis in range(3):
            for side in (0, 1):
                corners = ((0, 0), (1, 0), (1, 1), (0, 1))
                for a, b in corners if side else corners[::-1]:
                    p = [0, 0, 0]
                    p[axis] = (low, high)[side][axis]
                    p[(axis + 1) % 3] = (low, high)[a][(axis + 1) % 3]
                    p[(axis + 2) % 3] = (low, high)[b][(axis + 2) % 3]
                    positions.append(tuple(p))
                    normals.append(tuple((1 if side else -1) if i == axis else 0 for i in range(3)))
                first = len(positions) - 4
                indices += [first, first + 1, first + 2, first, first + 2, first + 3]
        primitive = {"attributes": {"POSITION": self.put(positions, "VEC3"), "NORMAL": self.put(normals, "VEC3")},
                     "indices": self.put(indices, "SCALAR", "I", 5125), "material": material}
        if morphs:
            primitive["targets"] = [{"POSITION": self.put([(0, p[1] * 0.5, 0) for p in positions], "VEC3")}]
        return primitive

    def mesh(self, name, body, lid, morphs):
        mesh = {"name": name, "primitives": [self.box((-0.5, 0, -0.5), (0.5, 0.8, 0.5), body, morphs),
                                             self.box((-0.6, 0.8, -0.6), (0.6, 1, 0.6), lid, morphs)]}
        if morphs:
            mesh["weights"] = [0.6]
        self.meshes.append(mesh)
        return len(self.meshes) - 1

    def write(self, folder):
        nodes = [{"name": mesh["name"], "mesh": i} for i, mesh in enumerate(self.meshes)]
        file = {"asset": {"version": "2.0"}, "scenes": [{"nodes": list(range(len(nodes)))}], "nodes": nodes,
                "meshes": self.meshes, "materials": MATERIALS, "accessors": self.accessors, "bufferViews": self.views,
                "buffers": [{"uri": "box.bin", "byteLength": len(self.data)}]}
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "box.gltf"), "w", encoding="utf-8") as out:
            json.dump(file, out)
        with open(os.path.join(folder, "box.bin"), "wb") as out:
            out.write(self.data)


def level(folder, meshes):
    entities = [{"name": "sun", "components": {"transform": {"rotation": [-0.4, 0.3, 0, 0.866]},
                                               "light": {"kind": "directional", "intensity": 3, "casts_shadow": True}}},
                {"name": "eye", "components": {"transform": {"position": [0, 3, 7], "rotation": [-0.174, 0, 0, 0.985]},
                                               "camera": {"vertical_fov_rad": 0.8, "near_m": 0.1, "far_m": 100}}}]
    for i, (mesh, (_, _, _, side)) in enumerate(zip(meshes, BOXES)):
        place = {"position": [(i % 4 - 1.5) * 1.9, 0, -(i // 4) * 2.2], "scale": [side, 1, 1]}
        entities.append({"name": "box_%d" % i, "components": {"transform": place, "mesh": mesh}})
    with open(os.path.join(folder, "yard.level.json"), "w", encoding="utf-8") as out:
        json.dump({"entities": entities}, out)


def main(root):
    views, direct_model = Model(), Model()
    views.mesh("plain", NUMBER["red"], NUMBER["trim"], False)
    views.mesh("moved", NUMBER["red"], NUMBER["trim"], True)
    replaced, direct = [], []
    for i, (body, lid, morphs, _) in enumerate(BOXES):
        direct_model.mesh("made_%d" % i, NUMBER[body], NUMBER[lid], morphs)
        materials = {name: "box/" + other for name, other in (("red", body), ("trim", lid)) if name != other}
        mesh = {"resource": "box/moved" if morphs else "box/plain"}
        replaced.append({**mesh, "materials": materials} if materials else mesh)
        direct.append({"resource": "box/made_%d" % i})
    for folder, model, meshes in (("views", views, replaced), ("made", direct_model, direct)):
        folder = os.path.join(root, folder)
        model.write(folder)
        level(folder, meshes)


if __name__ == "__main__":
    main(sys.argv[1])
