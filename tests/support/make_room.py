#!/usr/bin/env python3
"""make_room.py FOLDER [NAME=VALUE]..: the sources of a small room, each part of which a value changes: a textured wall,
a pane, a worm that a clip moves, a bulge with a morph target, a lamp with a cookie, a decal, a probe and dust."""
import json
import math
import os
import struct
import sys
import zlib

from make_characters import Model, turned

VALUES = {"wall_grid": 3, "wall_red": 0.8, "wall_texture": 1, "wall_side": 32, "wall_shade": 200, "wall_alpha": "OPAQUE",
          "wall_sides": 0, "wall_depth": 0.05, "pane_side": 16, "pane_alpha": "BLEND", "pane_green": 0.7, "bones": 4,
          "bend": 0.6, "bulge": 0.4, "targets": 1, "cookie_side": 32, "decal_shade": 90, "dust_blue": 0.9, "walls": 2,
          "lamp": 12.0, "own_material": 0}


def image_write(path, side, shade, has_holes=False):
    rows = bytearray()
    for y in range(side):
        rows.append(0)
        for x in range(side):
            on = (x * 4 // side + y * 4 // side) % 2
            rows += bytes([shade if on else 60, (x * 255) // side, (y * 255) // side,
                           0 if has_holes and x * 8 // side % 4 == 3 else 255])

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 6, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(bytes(rows), 1)) + chunk(b"IEND", b""))


def panel(m, grid, depth):
    position, uv, index = [], [], []
    for y in range(grid + 1):
        for x in range(grid + 1):
            position.append([x / grid - 0.5, y / grid, depth if (x + y) % 2 else 0])
            uv.append([x / grid, 1 - y / grid])
    for y in range(grid):
        for x in range(grid):
            a = y * (grid + 1) + x
            b = a + grid + 1
            index += [a, a + 1, b, a + 1, b + 1, b]
    return {"POSITION": m.accessor(position, "VEC3", bounds=True),
            "NORMAL": m.accessor([[0, 0, 1]] * len(position), "VEC3"),
            "TEXCOORD_0": m.accessor(uv, "VEC2")}, m.accessor(index, "SCALAR", "H"), position


def textured(m, image, color, alpha, two_sided):
    look = {"pbrMetallicRoughness": {"baseColorFactor": color, "metallicFactor": 0, "roughnessFactor": 0.8},
            "alphaMode": alpha}
    if two_sided:
        look["doubleSided"] = True
    if image:
        m.tree["images"] = [{"uri": image}]
        m.tree["textures"] = [{"source": 0}]
        look["pbrMetallicRoughness"]["baseColorTexture"] = {"index": 0}
    m.tree["materials"] = [look]


def panel_write(path, name, grid, depth, image, color, alpha, two_sided, targets=0, bulge=0.0):
    m = Model()
    attributes, index, position = panel(m, grid, depth)
    mesh = {"name": name, "primitives": [{"attributes": attributes, "indices": index, "material": 0}]}
    if targets:
        moved = [[0, 0, bulge * math.sin(math.pi * p[1]) * math.cos(math.pi * p[0])] for p in position]
        mesh["primitives"][0]["targets"] = [{"POSITION": m.accessor(moved, "VEC3", bounds=True)}
                                            for _ in range(targets)]
        mesh["weights"] = [0.7 / (i + 1) for i in range(targets)]
    textured(m, image, color, alpha, two_sided)
    m.tree["meshes"] = [mesh]
    m.tree["nodes"] = [{"name": name, "mesh": 0}]
    m.write(path)


def worm_write(path, bones, bend):
    m, step = Model(), 1.0 / bones
    position, normal, joints, weights, index = [], [], [], [], []
    for ring in range(bones + 1):
        for side in range(6):
            a = math.pi * side / 3
            position.append([0.1 * math.cos(a), ring * step, 0.1 * math.sin(a)])
            normal.append([math.cos(a), 0, math.sin(a)])
            joints.append([min(ring, bones - 1), 0, 0, 0])
            weights.append([1, 0, 0, 0])
    for ring in range(bones):
        for side in range(6):
            a, b = ring * 6 + side, ring * 6 + (side + 1) % 6
            index += [a, a + 6, b, b, a + 6, b + 6]
    binds = [[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -i * step, 0, 1] for i in range(bones)]
    t = m.tree
    t["meshes"] = [{"name": "worm", "primitives": [{"attributes": {
        "POSITION": m.accessor(position, "VEC3", bounds=True), "NORMAL": m.accessor(normal, "VEC3"),
        "JOINTS_0": m.accessor(joints, "VEC4", "H"), "WEIGHTS_0": m.accessor(weights, "VEC4")},
        "indices": m.accessor(index, "SCALAR", "H"), "material": 0}]}]
    textured(m, None, [0.3, 0.7, 0.3, 1], "OPAQUE", False)
    t["nodes"] = [{"name": "worm", "children": [1, 2]}, {"name": "skin", "mesh": 0, "skin": 0}]
    for i in range(bones):
        node = {"name": "bone_%d" % i, "translation": [0, step if i else 0, 0]}
        if i + 1 < bones:
            node["children"] = [i + 3]
        t["nodes"].append(node)
    t["skins"] = [{"joints": list(range(2, bones + 2)), "inverseBindMatrices": m.accessor(binds, "MAT4")}]
    times = m.accessor([0.0, 1.0], "SCALAR", bounds=True)
    turns = m.accessor([turned((0, 0, 1), bend), turned((0, 0, 1), -bend)], "VEC4")
    t["animations"] = [{"name": "wave", "samplers": [{"input": times, "output": turns}],
                        "channels": [{"sampler": 0, "target": {"node": 2 + i, "path": "rotation"}}
                                     for i in range(1, bones)]}]
    m.write(path)


def at(x, y, z):
    return {"transform": {"position": [x, y, z]}}


def level(v):
    entities = [{"name": "wall_%d" % i, "components": dict(at(i * 1.1 - 1, 0, -0.3 * i), **{
        "mesh": {"resource": "wall/wall"}})} for i in range(v["walls"])]
    entities += [
        {"name": "pane", "components": dict(at(0.2, 0.1, 1), mesh={"resource": "pane/pane"})},
        {"name": "bulge", "components": dict(at(-0.5, 0.1, 0.6), mesh={"resource": "bulge/bulge"})},
        {"name": "worm", "prefab": "worm", "components": {"transform": {"position": [0.9, 0, 0.5]}}},
        {"name": "lamp", "components": dict(at(0, 1.5, 3), light={
            "kind": "spot", "intensity": v["lamp"], "range_m": 10, "casts_shadow": True, "cookie": "cookie",
            "outer_angle_rad": 0.7})},
        {"name": "stain", "components": dict(at(-1.3, 0.8, 0), decal={
            "half_extent_m": [0.2, 0.2, 0.3], "color_texture": "stain"})},
        {"name": "probe", "components": dict(at(0, 1, 1), environment_probe={})},
        {"name": "dust", "components": dict(at(-0.5, 1.2, 0.8), particle_system={
            "count": 40, "half_extent_m": [0.3, 0.2], "material": "dust"})}]
    return {"entities": entities}


def main():
    folder, v = sys.argv[1], dict(VALUES)
    for text in sys.argv[2:]:
        name, value = text.split("=")
        v[name] = type(VALUES[name])(value)
    os.makedirs(folder, exist_ok=True)

    def path(name):
        return os.path.join(folder, name)
    image_write(path("bricks.png"), v["wall_side"], v["wall_shade"], v["wall_alpha"] == "MASK")
    image_write(path("glass.png"), v["pane_side"], 120)
    image_write(path("cookie.png"), v["cookie_side"], 255)
    image_write(path("stain.png"), 32, v["decal_shade"])
    panel_write(path("wall.gltf"), "wall", v["wall_grid"], v["wall_depth"], "bricks.png" if v["wall_texture"] else None,
                [v["wall_red"], 0.6, 0.5, 1], v["wall_alpha"], v["wall_sides"])
    panel_write(path("pane.gltf"), "pane", 1, 0, "glass.png", [0.5, v["pane_green"], 0.9, 0.4], v["pane_alpha"], True)
    panel_write(path("bulge.gltf"), "bulge", 6, 0, None, [0.8, 0.7, 0.2, 1], "OPAQUE", True, v["targets"], v["bulge"])
    worm_write(path("worm.gltf"), v["bones"], v["bend"])
    for name, tree in (("room.level.json", level(v)),
                       ("dust.material.json", {"base_color": [0.3, 0.4, v["dust_blue"]], "roughness": 0.5})):
        with open(path(name), "w") as file:
            json.dump(tree, file, indent=1)


if __name__ == "__main__":
    main()
