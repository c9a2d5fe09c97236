#!/usr/bin/env python3
"""Writes the model of the project that `entc init` creates: plain shapes, one mesh for each shape and material.

    make_start.py FILE.gltf
"""

import base64
import json
import math
import struct
import sys

MATERIALS = {  # linear base colour, roughness, emission
    "grass": ((0.11, 0.2, 0.05), 1, None),
    "wood": ((0.3, 0.14, 0.05), 0.8, None),
    "dark": ((0.09, 0.05, 0.03), 0.8, None),
    "wall": ((0.62, 0.52, 0.4), 0.9, None),
    "stone": ((0.3, 0.3, 0.31), 0.9, None),
    "glow": ((1, 0.7, 0.3), 1, (1, 0.5, 0.16)),
    "roof": ((0.36, 0.07, 0.04), 0.8, None),
    "leaves": ((0.03, 0.14, 0.06), 1, None),
}
MESHES = {"box": ("grass", "wood", "dark", "wall", "stone", "glow"), "roof": ("roof",), "cone": ("leaves",)}
SIDES = 8


def flat(*corners):
    """The triangles of a convex polygon, each corner with the normal of the polygon."""
    a, b, c = corners[:3]
    u, v = [q - p for p, q in zip(a, b)], [q - p for p, q in zip(a, c)]
    n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    length = math.sqrt(sum(x * x for x in n))
    n = [x / length for x in n]
    return [(p, n) for i in range(1, len(corners) - 1) for p in (corners[0], corners[i], corners[i + 1])]


def box():
    """One metre, on the ground."""
    at = [(x - 0.5, y, z - 0.5) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return [corner for face in faces for corner in flat(*(at[i] for i in face))]


def roof():
    """A gable along x."""
    a, b, c, d = (-0.5, 0, -0.5), (0.5, 0, -0.5), (0.5, 0, 0.5), (-0.5, 0, 0.5)
    e, f = (-0.5, 1, 0), (0.5, 1, 0)
    return flat(d, c, f, e) + flat(b, a, e, f) + flat(a, d, e) + flat(c, b, f) + flat(a, b, c, d)


def cone():
    """One metre wide and high, without a base."""
    ring = [(math.cos(i * 2 * math.pi / SIDES) / 2, 0, math.sin(i * 2 * math.pi / SIDES) / 2) for i in range(SIDES)]
    return [corner for i in range(SIDES) for corner in flat(ring[i], (0, 1, 0), ring[(i + 1) % SIDES])]


def main():
    data, views, accessors, meshes = b"", [], [], []
    for shape, names in MESHES.items():
        found = {"box": box, "roof": roof, "cone": cone}[shape]()
        corners = sorted(set((tuple(p), tuple(n)) for p, n in found))
        index = [corners.index((tuple(p), tuple(n))) for p, n in found]
        first = len(accessors)
        for part in (0, 1):
            values = [struct.unpack("3f", struct.pack("3f", *corner[part])) for corner in corners]
            accessor = {"bufferView": len(views), "componentType": 5126, "count": len(values), "type": "VEC3"}
            if part == 0:
                accessor["min"] = [min(v[k] for v in values) for k in range(3)]
                accessor["max"] = [max(v[k] for v in values) for k in range(3)]
            views.append({"buffer": 0, "byteOffset": len(data), "byteLength": 12 * len(values)})
            accessors.append(accessor)
            data += b"".join(struct.pack("<3f", *v) for v in values)
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(index)})
        accessors.append({"bufferView": len(views) - 1, "componentType": 5121, "count": len(index), "type": "SCALAR"})
        data += bytes(index) + bytes(-len(index) % 4)
        for name in names:
            meshes.append({"name": shape if len(names) == 1 else shape + "_" + name, "primitives": [{"attributes": {
                "POSITION": first, "NORMAL": first + 1}, "indices": first + 2,
                "material": list(MATERIALS).index(name)}]})
    materials = []
    for name, (color, roughness, emission) in MATERIALS.items():
        material = {"name": name, "pbrMetallicRoughness": {
            "baseColorFactor": [*color, 1], "metallicFactor": 0, "roughnessFactor": roughness}}
        if emission:
            material["emissiveFactor"] = emission
            material["extensions"] = {"KHR_materials_emissive_strength": {"emissiveStrength": 1.5}}
        materials.append(material)
    members = {
        "asset": {"version": "2.0"}, "extensionsUsed": ["KHR_materials_emissive_strength"],
        "meshes": meshes, "materials": materials, "accessors": accessors, "bufferViews": views,
        "buffers": [{"byteLength": len(data),
                     "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}],
    }
    with open(sys.argv[1], "w") as out:
        lines = []
        for key, value in members.items():
            if isinstance(value, list) and isinstance(value[0], dict):
                rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in value)
                lines.append("%s: [\n%s\n]" % (json.dumps(key), rows))
            else:
                lines.append("%s: %s" % (json.dumps(key), json.dumps(value)))
        out.write("{\n" + ",\n".join(lines) + "\n}\n")


main()
