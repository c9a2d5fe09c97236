#!/usr/bin/env python3
"""make_features.py - writes glTF models with one feature each.

    make_features.py FOLDER

The same bytes on every run and machine. tests/unit/gltf/test_features.c compiles them, compares the diagnostics with
tests/golden/features.txt, and every value with what the independent readers find. The name of a model states its
feature. A model is a grid of eight triangles, unless its feature requires something else. Python 3.9, standard library
only.
"""
import base64
import json
import math
import struct
import sys
import zlib
from pathlib import Path

from make_models import (ATTRIBUTES, F32, FORMAT, INDICES, S8, S16, TYPE, U8, U16, U32, File, Shape, about_x, about_y,
                         pack, png, pretty, single, stored)

FEATURES = []
NEAREST, LINEAR = 9728, 9729
REPEAT, CLAMP, MIRROR = 10497, 33071, 33648
POINTS, LINES, LINE_LOOP, LINE_STRIP, TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN = range(7)


def feature(function):
    FEATURES.append(function)
    return function


# --- images ---


def smooth(x, y):
    return (40 + 5 * x, 60 + 4 * y, 50 + 2 * x + 3 * y)


def rgb(width=32, height=24, shade=0):
    return png(width, height, 2, lambda x, y: tuple(min(v + shade, 255) for v in smooth(x, y)))


def rgba(width=32, height=24):
    return png(width, height, 6, lambda x, y: smooth(x, y) + (255 - 8 * x,))


def bumps(width=32, height=24):
    return png(width, height, 2, lambda x, y: (96 + 2 * x, 160 - 2 * y, 240))


def jpeg():
    """16 x 16 pixels of one grey: each of the four blocks has the codes "no change" and "end"."""
    def part(kind, data):
        return struct.pack(">BBH", 0xff, kind, 2 + len(data)) + data
    table = bytes([1] + [0] * 15 + [0])  # one code, with one bit, for the symbol 0
    return (b"\xff\xd8" + part(0xe0, b"JFIF\0\1\1\0\0\1\0\1\0\0") + part(0xdb, b"\0" + b"\1" * 64)
            + part(0xc0, struct.pack(">BHHB", 8, 16, 16, 1) + b"\1\x11\0") + part(0xc4, b"\0" + table)
            + part(0xc4, b"\x10" + table) + part(0xda, b"\1\1\0\0\x3f\0") + b"\0\xff\xd9")


# --- files ---


class Model(File):
    def __init__(self):
        super().__init__()
        self.json["asset"]["generator"] = "tests/support/make_features.py"
        self.besides = {}       # name: bytes
        self.container = False  # a .glb
        self.buffer = None      # the name of a file with the buffer
        self.second = None      # another buffer
        self.uri = None         # the beginning of the URI of the buffer

    def stream(self, rows, component=F32, normalized=False, bounds=False):
        """An accessor of vertices: elements begin at multiples of four."""
        size = len(rows[0]) * struct.calcsize(FORMAT[component])
        data = b"".join(pack([row], component) + bytes(-size % 4) for row in rows)
        view = self.view(data, ATTRIBUTES, size + -size % 4 if size % 4 else None)
        return self.accessor_at(view, 0, rows, component, bounds, normalized)

    def sparse(self, count, width, changes, base=None):
        """`changes`: {index: row}; the other elements are those of the view `base`, or zeros."""
        rows = list(changes.values())
        accessor = {"componentType": F32, "count": count, "type": TYPE[width], "sparse": {
            "count": len(rows),
            "indices": {"bufferView": self.view(pack([(i,) for i in changes], U16)), "componentType": U16},
            "values": {"bufferView": self.view(pack(rows, F32))}}}
        if base is not None:
            accessor["bufferView"] = base
        return self.add("accessors", accessor)

    def uses(self, *extensions):
        self.json.setdefault("extensionsUsed", []).extend(extensions)

    def image(self, data, mime="image/png"):
        return self.add("images", {"bufferView": self.view(data), "mimeType": mime})

    def texture(self, data, sampler=None):
        """Information about a new texture, for a slot."""
        texture = {"source": self.image(data)}
        if sampler is not None:
            texture["sampler"] = self.add("samplers", sampler)
        return {"index": self.add("textures", texture)}

    def slots(self, surface=None, **more):
        """The material of the grid."""
        material = {"name": "paint", **more}
        if surface:
            material["pbrMetallicRoughness"] = surface
        return self.add("materials", material)

    def clip(self, *channels):
        """Channels: (node, path, interpolation, times, accessor of the values)."""
        samplers, rows = [], []
        for node, path, interpolation, times, output in channels:
            rows.append({"sampler": len(samplers), "target": {"node": node, "path": path}})
            samplers.append({"input": self.accessor([(t,) for t in times], bounds=True), "output": output,
                             "interpolation": interpolation})
        self.add("animations", {"name": "move", "channels": rows, "samplers": samplers})

    def save(self, folder, name):
        for beside, data in self.besides.items():
            (folder / beside).write_bytes(data)
        for key in ("bufferViews", "accessors"):
            if not self.json[key]:
                del self.json[key]
        if self.container:
            self.write_container(folder / (name + ".glb"))
            return
        if self.bytes:
            self.json["buffers"] = [{"byteLength": len(self.bytes), "uri": self.buffer_uri(folder)}]
        if self.second:
            self.json["buffers"].append(self.second)
        (folder / (name + ".gltf")).write_text(pretty(self.json) + "\n", encoding="ascii")

    def buffer_uri(self, folder):
        if self.buffer:
            (folder / self.buffer).write_bytes(self.bytes)
            return self.buffer
        head = self.uri or "data:application/octet-stream;base64,"
        return head + base64.b64encode(bytes(self.bytes)).decode("ascii")

    def write_container(self, path):
        data = bytes(self.bytes) + bytes(-len(self.bytes) % 4)
        self.json["buffers"] = [{"byteLength": len(self.bytes)}]
        text = json.dumps(self.json).encode("ascii")
        text += b" " * (-len(text) % 4)
        path.write_bytes(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data))
                         + struct.pack("<I4s", len(text), b"JSON") + text
                         + struct.pack("<I4s", len(data), b"BIN\0") + data)


def grid(columns=2, rows=2, height=0.25):
    shape = Shape()
    shape.grid(columns, rows, lambda u, v: (u - 0.5, height * u * (1 - v), v - 0.5), (0, 1, 0), 1)
    return shape


def placed(model, primitives, **mesh):
    """A node with a mesh of the primitives; returns the model."""
    index = model.add("meshes", {"name": "grid", "primitives": primitives, **mesh})
    model.add("nodes", {"name": "grid", "mesh": index})
    return model


def basic(model, shape=None, **more):
    """A primitive with positions, normals, uvs and indices."""
    shape = shape or grid()
    streams = {"POSITION": model.stream(shape.positions, bounds=True), "NORMAL": model.stream(shape.normals),
               "TEXCOORD_0": model.stream(shape.uvs)}
    streams.update(more.pop("attributes", {}))
    return {"attributes": streams, "indices": model.indices(shape.triangles, U16), **more}


def with_stream(name, rows, component=F32, normalized=False):
    """The grid with one more stream; `rows(i)` for its nine vertices."""
    model = Model()
    accessor = model.stream([rows(i) for i in range(9)], component, normalized)
    return placed(model, [basic(model, attributes={name: accessor})])


def painted(model, material):
    return placed(model, [basic(model, material=material)])


# --- streams of vertices ---


@feature
def plain_grid():
    model = Model()
    return placed(model, [basic(model)])


@feature
def positions_only():
    model = Model()
    shape = grid()
    return placed(model, [{"attributes": {"POSITION": model.stream(shape.positions, bounds=True)},
                           "indices": model.indices(shape.triangles, U16)}])


@feature
def tangents():
    return with_stream("TANGENT", lambda i: (1, 0, 0, 1 if i % 2 else -1))


@feature
def uv_u8n():
    model = Model()
    uv = model.stream([(i * 20, 255 - i * 20) for i in range(9)], U8, True)
    return placed(model, [basic(model, attributes={"TEXCOORD_0": uv})])


@feature
def uv_1_f32():
    return with_stream("TEXCOORD_1", lambda i: (i / 7, -i / 3))


@feature
def uv_1_u8n():
    return with_stream("TEXCOORD_1", lambda i: (i * 30, 255 - i * 30), U8, True)


@feature
def uv_1_u16n():
    return with_stream("TEXCOORD_1", lambda i: (i * 8000, 65535 - i * 8000), U16, True)


@feature
def color_f32_rgb():
    return with_stream("COLOR_0", lambda i: (i / 8, 1 - i / 8, 1 / (1 + i)))


@feature
def color_f32_rgba():
    return with_stream("COLOR_0", lambda i: (i / 8, 1 - i / 8, 0.25, i / 9))


@feature
def color_u8_rgb():
    return with_stream("COLOR_0", lambda i: (i * 30, 255 - i * 30, 7), U8, True)


@feature
def color_u8_rgba():
    return with_stream("COLOR_0", lambda i: (i * 30, 255 - i * 30, 7, 100 + i), U8, True)


@feature
def color_u16_rgba():
    return with_stream("COLOR_0", lambda i: (i * 8000, 65535 - i * 8000, 7, 100 + i), U16, True)


@feature
def uv_1_s16n():
    return quantized(TEXCOORD_1=([(4000 * i - 16000, -32768) for i in range(9)], S16, True))


@feature
def uv_1_s8n():
    return quantized(TEXCOORD_1=([(30 * i - 120, -128) for i in range(9)], S8, True))


@feature
def uv_1_s8():
    return quantized(TEXCOORD_1=([(i - 4, -128) for i in range(9)], S8, False))


@feature
def normals_of_almost_unit_length():
    model = Model()
    return placed(model, [basic(model, attributes={"NORMAL": model.stream([(0, 0.6, 0.797)] * 9)})])


@feature
def positions_without_bounds():
    model = plain_grid()
    for accessor in model.json["accessors"]:
        accessor.pop("min", None)
        accessor.pop("max", None)
    return model


@feature
def interleaved_view():
    model = Model()
    shape = grid()
    rows = [p + n + uv for p, n, uv in zip(shape.positions, shape.normals, shape.uvs)]
    view = model.view(pack(rows, F32), ATTRIBUTES, 32)
    attributes = {"POSITION": model.accessor_at(view, 0, shape.positions, bounds=True),
                  "NORMAL": model.accessor_at(view, 12, shape.normals),
                  "TEXCOORD_0": model.accessor_at(view, 24, shape.uvs)}
    return placed(model, [{"attributes": attributes, "indices": model.indices(shape.triangles, U16)}])


@feature
def interleaved_view_with_gaps():
    model = Model()
    shape = grid()
    rows = [p + (7.0, 8.0) + uv + (9.0,) for p, uv in zip(shape.positions, shape.uvs)]
    view = model.view(pack(rows, F32), ATTRIBUTES, 32)
    attributes = {"POSITION": model.accessor_at(view, 0, shape.positions, bounds=True),
                  "TEXCOORD_0": model.accessor_at(view, 20, shape.uvs)}
    return placed(model, [{"attributes": attributes, "indices": model.indices(shape.triangles, U16)}])


def sparse_positions(has_base):
    model = Model()
    shape = grid()
    changes = {2: (0.5, 1.5, -0.5), 7: (0, -1, 0.75)}
    rows = shape.positions if has_base else [(0.0, 0.0, 0.0)] * 9
    base = model.view(pack(rows, F32)) if has_base else None
    if not has_base:
        changes = dict(enumerate(shape.positions[:8]))
    accessor = model.sparse(9, 3, changes, base)
    columns = list(zip(*[[single(v) for v in changes.get(i, row)] for i, row in enumerate(rows)]))
    model.json["accessors"][accessor].update(min=[min(c) for c in columns], max=[max(c) for c in columns])
    return placed(model, [basic(model, attributes={"POSITION": accessor})])


@feature
def sparse_base():
    return sparse_positions(True)


@feature
def sparse_without_view():
    return sparse_positions(False)


def quantized(**streams):
    model = Model()
    model.uses("KHR_mesh_quantization")
    model.json["extensionsRequired"] = ["KHR_mesh_quantization"]
    return placed(model, [basic(model, attributes={
        name: model.stream(rows, component, normalized, name == "POSITION")
        for name, (rows, component, normalized) in streams.items()})])


@feature
def quantized_positions():
    return quantized(POSITION=([(round(100 * x), round(100 * y), round(100 * z)) for x, y, z in grid().positions],
                               S16, False))


@feature
def quantized_normals():
    return quantized(NORMAL=([(0, 127, 0) if i % 2 else (0, 0, -127) for i in range(9)], S8, True))


@feature
def quantized_uvs():
    return quantized(TEXCOORD_0=([(i * 30 - 120, 3 * i) for i in range(9)], S8, False))


# --- influences ---


def skinned(rows, joint_count=4, joints=U8, weights=F32, binds=True):
    """`rows(i)`: [(joint, weight)] of a vertex, a multiple of four."""
    model = Model()
    streams = {}
    sets = [rows(i) for i in range(9)]
    for k in range(0, len(sets[0]), 4):
        streams["JOINTS_%d" % (k // 4)] = model.stream([[j for j, _ in row[k:k + 4]] for row in sets], joints)
        streams["WEIGHTS_%d" % (k // 4)] = model.stream([[w for _, w in row[k:k + 4]] for row in sets], weights,
                                                        weights != F32)
    mesh = model.add("meshes", {"name": "grid", "primitives": [basic(model, attributes=streams)]})
    names = list(range(joint_count))
    for i in names:
        node = {"name": "joint_%d" % i, "translation": [0.0, 0.5 if i else 0.0, 0.0]}
        if i + 1 < joint_count:
            node["children"] = [i + 1]
        model.add("nodes", node)
    skin = {"joints": names}
    if binds:
        skin["inverseBindMatrices"] = model.accessor(
            [[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -0.5 * i, 0, 1] for i in names])
    skin = model.add("skins", skin)
    model.json["scenes"][0]["nodes"] = [0, model.add("nodes", {"name": "body", "mesh": mesh, "skin": skin})]
    return model


def four(total):
    def rows(i):
        first = total * (i + 1) // 16
        second = total * 5 // 16 - i % 3
        return [(0, first), (i % 3 + 1, second), (0, 0), (4 if i % 2 else 5, total - first - second)]
    return rows


def halves(i):
    return [(0, 0.5), (1, 0.25), (2, 0.125), (3, 0.125)] if i % 2 else [(3, 0.75), (0, 0.25), (0, 0), (0, 0)]


@feature
def joints_u8_weights_f32():
    return skinned(halves)


@feature
def joints_u16_weights_u8n():
    return skinned(four(255), 6, U16, U8)


@feature
def weights_u16n():
    return skinned(four(65535), 6, U8, U16)


@feature
def joints_1_f32():
    return skinned(lambda i: [(k, 0.125) for k in range(8)] if i % 2 else
                   [(7 - k, (0.5, 0.25, 0.125, 0.0625, 0.03125, 0.03125, 0, 0)[k]) for k in range(8)], 8)


@feature
def joints_1_u8n():
    return skinned(lambda i: [(k, 31 + (k < 7)) for k in range(8)], 8, U8, U8)


@feature
def joints_1_without_need():
    return skinned(lambda i: [(0, 0), (1, 0.25), (0, 0), (2, 0.5), (0, 0), (3, 0.25), (0, 0), (0, 0)])


@feature
def joints_2():
    return skinned(lambda i: [(k, (20, 30, 10, 40, 25, 15, 35, 5, 24, 22, 18, 11)[k]) for k in range(12)], 12, U8, U8)


@feature
def weights_that_do_not_add_up_to_one():
    return skinned(lambda i: [(0, 0.5), (1, 0.25), (2, 0.125), (3, 0.12)])


@feature
def nine_equal_weights():
    """The sum of eight is normalised."""
    return skinned(lambda i: [(k, 28 if k < 8 else 31 if k == 8 else 0) for k in range(12)], 12, U8, U8)


@feature
def skin_with_joints_in_another_order():
    model = skinned(halves)
    model.json["skins"][0]["joints"] = [2, 0, 3, 1]
    return model


@feature
def skin_without_inverse_binds():
    return skinned(halves, binds=False)


@feature
def skins_play_the_first_clip_of_their_joints():
    model = skinned(halves)
    first = model.add("nodes", {"name": "tail", "translation": [2.0, 0.0, 0.0]})
    model.json["nodes"][first]["children"] = [model.add("nodes", {"name": "tail_%d" % i}) for i in range(3)]
    skin = model.add("skins", {"joints": [first, first + 1, first + 2, first + 3]})
    model.json["scenes"][0]["nodes"] += [first, model.add("nodes", {"name": "other", "mesh": 0, "skin": skin})]
    turns = model.accessor([about_x(0), about_x(50), about_y(-30)])
    model.clip((first + 2, "rotation", "LINEAR", (0, 0.5, 2), turns))
    model.clip((1, "rotation", "LINEAR", (0, 0.5, 2), turns))
    return model


@feature
def skin_plays_a_clip_of_a_node_above_its_joints():
    model = skinned(halves)
    above = model.add("nodes", {"name": "armature", "children": [0]})
    model.json["scenes"][0]["nodes"] = [above, model.json["scenes"][0]["nodes"][1]]
    turns = model.accessor([about_x(0), about_x(50), about_y(-30)])
    model.clip((above, "rotation", "LINEAR", (0, 0.5, 2), turns))
    return model


@feature
def nodes_below_joints_follow_them():
    model = skinned(halves)
    sword = model.add("nodes", {"name": "sword", "translation": [0.25, 0.5, -1.0], "rotation": [0.0, 0.6, 0.0, 0.8],
                                "scale": [2.0, 1.0, 0.5]})
    model.json["nodes"][sword]["children"] = [model.add("nodes", {"name": "edge", "translation": [0.0, 1.0, 0.0]})]
    model.json["nodes"][3]["children"] = [sword]
    model.json["nodes"][0]["children"].append(model.add("nodes", {"name": "belt"}))
    turns = model.accessor([about_x(0), about_x(50), about_y(-30)])
    model.clip((1, "rotation", "LINEAR", (0, 0.5, 2), turns))
    return model


def camera(model):
    return model.add("cameras", {"type": "perspective", "perspective": {"yfov": 0.8, "znear": 0.1}})


@feature
def joints_that_are_seen_follow_themselves():
    model = skinned(halves)
    plain = model.add("meshes", {"name": "plain", "primitives": [basic(model)]})
    model.json["nodes"][1]["mesh"] = plain
    model.json["nodes"][2]["camera"] = camera(model)
    model.json["nodes"][3]["extras"] = {"light": {"range_m": 2.0}}
    turns = model.accessor([about_x(0), about_x(50), about_y(-30)])
    model.clip((1, "rotation", "LINEAR", (0, 0.5, 2), turns))
    return model


@feature
def nodes_below_skinned_nodes_below_joints_follow_them():
    model = skinned(halves)
    badge = model.add("nodes", {"name": "badge", "translation": [0.0, 0.25, 0.5], "camera": camera(model)})
    body = model.json["scenes"][0]["nodes"].pop()
    model.json["nodes"][body].update({"children": [badge], "translation": [1.0, 0.0, 0.0]})
    model.json["nodes"][2]["children"].append(body)
    return model


@feature
def nodes_below_moved_nodes_above_joints_follow_them():
    model = skinned(halves)
    sign = model.add("nodes", {"name": "sign", "translation": [0.0, 2.0, 0.0], "camera": camera(model)})
    armature = model.add("nodes", {"name": "armature", "children": [0, sign]})
    still = model.add("nodes", {"name": "still", "translation": [0.0, 3.0, 0.0]})
    place = model.add("nodes", {"name": "place", "children": [armature, still]})
    model.json["scenes"][0]["nodes"][0] = place
    turns = model.accessor([about_x(0), about_x(50), about_y(-30)])
    model.clip((armature, "rotation", "LINEAR", (0, 0.5, 2), turns))
    return model


@feature
def vertices_without_weights_follow_the_root_of_the_skin():
    """The first joint of the list is a child of the second one, and a node that is no joint is above both."""
    model = skinned(lambda i: [(0, 0), (0, 0), (0, 0), (0, 0)] if i % 3 else halves(i))
    model.json["skins"][0]["joints"] = [1, 0, 2, 3]
    armature = model.add("nodes", {"name": "armature", "children": [0]})
    model.json["scenes"][0]["nodes"][0] = armature
    return model


@feature
def cubic_rotations_of_almost_unit_length():
    model = skinned(halves)
    keys = [(0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.6, 0.797), (0.1, 0.0, 0.0, 0.0)] * 2
    model.clip((1, "rotation", "CUBICSPLINE", (0, 1), model.accessor(keys)))
    return model


@feature
def weights_cubic_with_one_key():
    model = morphed(two_targets)
    model.clip((0, "weights", "CUBICSPLINE", (0.5,), model.accessor([(v,) for v in (9.0, 8.0, 0.25, 0.75, 7.0, 6.0)])))
    return model


@feature
def skin_clip_of_rotations():
    model = skinned(halves)
    turns = model.accessor([about_x(0), about_x(50), about_y(-30)])
    model.clip((1, "rotation", "LINEAR", (0, 0.5, 2), turns))
    return model


# --- morph targets ---


def bent(i, k=0):
    return (0, 0.125 * i, 0.25 * k) if i % 2 else (0, 0, 0)


def morphed(targets, mesh=None, node=None):
    """`targets(model)`: the list of targets."""
    model = Model()
    placed(model, [basic(model, attributes={"TANGENT": model.stream([(1, 0, 0, 1)] * 9)}, targets=targets(model))],
           **(mesh or {}))
    model.json["nodes"][0].update(node or {})
    return model


def target(model, k=0, *streams):
    return {name: model.stream([bent(i, k + place) for i in range(9)], bounds=name == "POSITION")
            for place, name in enumerate(streams or ("POSITION",))}


def two_targets(model):
    return [target(model, 0), target(model, 1)]


@feature
def morph_positions():
    return morphed(two_targets)


@feature
def morph_normals():
    return morphed(lambda model: [target(model, 0, "POSITION", "NORMAL")])


@feature
def morph_tangents():
    return morphed(lambda model: [target(model, 0, "POSITION", "NORMAL", "TANGENT")])


@feature
def morph_normals_only():
    return morphed(lambda model: [target(model, 0, "NORMAL")])


@feature
def morph_streams_of_one_target():
    return morphed(lambda model: [target(model, 0), target(model, 1, "POSITION", "NORMAL")])


@feature
def morph_target_that_moves_nothing():
    return morphed(lambda model: [{"POSITION": model.stream([(0, 0, 0)] * 9, bounds=True)}])


def sparse_target(model, base=None):
    accessor = model.sparse(9, 3, {1: (0, 0.5, 0), 8: (0.25, 0, -1)}, base)
    model.json["accessors"][accessor].update(min=[0, 0, -1], max=[0.25, 0.5, 0])
    return {"POSITION": accessor}


@feature
def morph_sparse():
    return morphed(lambda model: [sparse_target(model)])


@feature
def morph_sparse_with_view():
    return morphed(lambda model: [sparse_target(model, model.view(pack([(0, 0, 0)] * 9, F32)))])


@feature
def morph_names():
    return morphed(two_targets, {"extras": {"targetNames": ["smile", "left eye"]}})


@feature
def morph_mesh_weights():
    return morphed(two_targets, {"weights": [0.25, 0.75]})


@feature
def morph_node_weights():
    return morphed(two_targets, {"weights": [0.25, 0.75]}, {"weights": [0.25, 0.5]})


@feature
def morph_node_weights_alone():
    return morphed(two_targets, node={"weights": [0.1, 0]})


@feature
def morph_of_two_primitives():
    model = Model()
    return placed(model, [basic(model, targets=[target(model, k)]) for k in range(2)])


@feature
def morph_of_one_instance():
    model = morphed(two_targets, {"weights": [0.25, 0.75]})
    for i, weights in enumerate(([0.25, 0.75], [0, 0], [1, 0.75])):
        model.json["scenes"][0]["nodes"].append(model.add("nodes", {"name": "copy_%d" % i, "mesh": 0,
                                                                    "weights": weights}))
    return model


@feature
def morph_quantized():
    model = Model()
    model.uses("KHR_mesh_quantization")
    model.json["extensionsRequired"] = ["KHR_mesh_quantization"]
    rows = [(127 - 20 * i, 3 * i, -127) for i in range(9)]
    return placed(model, [basic(model, targets=[{"POSITION": model.stream(rows, S8, True, True)}])])


@feature
def morph_of_colors():
    model = Model()
    target_of_colors = {**target(model), "COLOR_0": model.stream([(0.5, 0, 0)] * 9)}
    colors = model.stream([(0.25, 0.5, 1)] * 9)
    return placed(model, [basic(model, attributes={"COLOR_0": colors}, targets=[target_of_colors])])


@feature
def morph_without_indices():
    """Seventeen streams: more than are compared at once when equal vertices are merged."""
    model = Model()
    shape = grid()
    order = [v for triangle in shape.triangles for v in triangle]

    def stream(rows, bounds=False):
        return model.stream([rows[v] for v in order], bounds=bounds)

    def alone(vertex):
        """Only one corner of the vertex is moved: it is no longer equal to the others."""
        rows = [(0, 0, 0)] * len(order)
        rows[order.index(vertex)] = (0, 0, 1)
        return model.stream(rows, bounds=True)
    attributes = {"POSITION": stream(shape.positions, True), "NORMAL": stream(shape.normals)}
    targets = [{"POSITION": stream([bent(i, k) for i in range(9)], True),
                "NORMAL": stream([bent(8 - i, k) for i in range(9)])} for k in range(6)]
    return placed(model, [{"attributes": attributes, "targets": [
        {"POSITION": alone(4)}, *targets, {"POSITION": alone(1)}, {"POSITION": alone(3)}]}])


def weights_clip(interpolation, component=F32):
    scale = {F32: 1.0, U8: 255, U16: 65535, S8: 127, S16: 32767}[component]
    parts = (0, 0.25, 1, 0.5, 0.75, 0.125)
    if interpolation == "CUBICSPLINE":
        parts = [v for k in range(3) for v in (0.5, -0.5, *parts[2 * k:2 * k + 2], 0.25, 0)]
    model = morphed(two_targets)
    values = [(v * scale if component == F32 else round(v * scale),) for v in parts]
    output = model.accessor(values, component, normalized=component != F32)
    model.clip((0, "weights", interpolation, (0.25, 1, 1.5), output))
    return model


@feature
def weights_step():
    return weights_clip("STEP")


@feature
def weights_linear():
    return weights_clip("LINEAR")


@feature
def weights_cubic():
    return weights_clip("CUBICSPLINE")


@feature
def weights_linear_u8n():
    return weights_clip("LINEAR", U8)


@feature
def weights_cubic_s16n():
    return weights_clip("CUBICSPLINE", S16)


@feature
def weights_that_rest_are_not_played():
    """The first clip keeps the weights of the mesh, the second those of neither; the copy has other weights."""
    model = morphed(two_targets, {"weights": [0.25, 0.75]})
    copy = model.add("nodes", {"name": "copy", "mesh": 0, "weights": [0.0, 1.0]})
    still = model.add("nodes", {"name": "still", "mesh": 0})
    model.json["scenes"][0]["nodes"] += [copy, still]
    rest = model.accessor([(0.25,), (0.75,), (0.25,), (0.75,)])
    cubic = model.accessor([(v,) for _ in range(2) for v in (0.0, 0.0, 0.25, 0.75, 0.0, 0.0)])
    bent_at_once = model.accessor([(v,) for _ in range(2) for v in (0.0, 0.0, 0.25, 0.75, 1.0, 0.0)])
    for node in (0, copy, still):
        model.clip((node, "weights", "LINEAR", (0, 1), rest))
        model.clip((node, "weights", "CUBICSPLINE", (0, 1), cubic))
    model.clip((0, "weights", "CUBICSPLINE", (0, 1), bent_at_once))
    return model


@feature
def skin_clips_that_rest_are_not_played():
    model = skinned(halves)
    places = model.accessor([(0.0, 0.5, 0.0)] * 2)
    rest = model.accessor([(0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0, -1.0)])
    splines = model.accessor([row for _ in range(2) for row in ((0.0, 0.0, 0.0), (0.0, 0.5, 0.0), (0.0, 0.25, 0.0))])
    model.clip((1, "translation", "LINEAR", (0, 1), places))
    model.clip((1, "rotation", "LINEAR", (0, 1), rest))
    model.clip((1, "translation", "CUBICSPLINE", (0, 1), splines))
    return model


@feature
def weights_beside_translation():
    model = weights_clip("LINEAR")
    model.json["animations"][0]["channels"].append({"sampler": 1, "target": {"node": 0, "path": "translation"}})
    model.json["animations"][0]["samplers"].append({
        "input": model.accessor([(0,), (3,)], bounds=True), "output": model.accessor([(0, 0, 0), (1, 2, 3)])})
    return model


# --- primitives and modes ---


def two_parts(**streams):
    """Two primitives; only the first one has the streams."""
    model = Model()
    more = {name: model.stream([rows(i) for i in range(9)]) for name, rows in streams.items()}
    return placed(model, [basic(model, attributes=more), basic(model, grid(2, 2, 1.0))])


@feature
def color_of_one_primitive():
    return two_parts(COLOR_0=lambda i: (i / 8, 0.5, 0, 0.25))


@feature
def uv_1_of_one_primitive():
    return two_parts(TEXCOORD_1=lambda i: (i / 8, 0.5))


@feature
def tangents_of_one_primitive():
    return two_parts(TANGENT=lambda i: (0, 0, 1, -1))


@feature
def eight_influences_of_one_primitive():
    model = skinned(lambda i: [(k, 0.125) for k in range(8)], 8)
    streams = {"JOINTS_0": model.stream([(1, 0, 0, 0)] * 9, U8), "WEIGHTS_0": model.stream([(1, 0, 0, 0)] * 9)}
    model.json["meshes"][0]["primitives"].append(basic(model, grid(2, 2, 1.0), attributes=streams))
    return model


@feature
def influences_of_one_primitive():
    model = skinned(halves)
    model.json["meshes"][0]["primitives"].append(basic(model, grid(2, 2, 1.0)))
    return model


def normals_missing(indexed):
    model = Model()
    shape = grid(2, 2, 1.0)
    second = {"attributes": {"POSITION": model.stream(shape.positions, bounds=True)},
              "indices": model.indices(shape.triangles, U16)}
    if not indexed:
        corners = [shape.positions[v] for triangle in shape.triangles for v in triangle]
        second = {"attributes": {"POSITION": model.stream(corners, bounds=True)}}
    return placed(model, [basic(model), second])


@feature
def normals_of_one_primitive():
    return normals_missing(True)


@feature
def normals_of_one_primitive_without_indices():
    return normals_missing(False)


@feature
def triangles_lines_and_points():
    model = Model()
    shape = grid()
    attributes = {"POSITION": model.stream(shape.positions, bounds=True)}
    return placed(model, [basic(model)] + [
        {"attributes": attributes, "mode": kind, "indices": model.accessor([(v,) for v in (0, 4, 4, 8)], U8, INDICES)}
        for kind in (LINES, POINTS)])


@feature
def primitives_of_one_array():
    """Each uses only a few of the vertices."""
    model = Model()
    shape = grid(6, 6)
    attributes = {"POSITION": model.stream(shape.positions, bounds=True), "TEXCOORD_0": model.stream(shape.uvs)}
    return placed(model, [{"attributes": attributes, "indices": model.indices(shape.triangles[k:k + 6], U16)}
                          for k in range(0, 72, 6)])


@feature
def three_materials():
    model = Model()
    paints = [model.slots({"roughnessFactor": 0.25 * k}, name="paint") for k in range(3)]
    return placed(model, [basic(model, grid(2, 2, k), material=paint) for k, paint in enumerate(paints)])


@feature
def without_indices():
    model = Model()
    shape = grid()
    order = [v for triangle in shape.triangles for v in triangle]
    streams = {"POSITION": model.stream([shape.positions[v] for v in order], bounds=True),
               "NORMAL": model.stream([shape.normals[v] for v in order]),
               "TEXCOORD_0": model.stream([shape.uvs[v] for v in order])}
    return placed(model, [{"attributes": streams}])


def mode(number, order, indexed=True):
    model = Model()
    shape = grid(3, 3)
    rows = shape.positions if indexed else [shape.positions[v] for v in order]
    primitive = {"attributes": {"POSITION": model.stream(rows, bounds=True)}, "mode": number}
    if indexed:
        primitive["indices"] = model.accessor([(v,) for v in order], U8, INDICES)
    return placed(model, [primitive])


@feature
def triangle_strip():
    return mode(TRIANGLE_STRIP, [0, 4, 1, 5, 2, 6, 3, 7])


@feature
def triangle_strips_that_are_joined():
    return mode(TRIANGLE_STRIP, [0, 4, 1, 5, 5, 8, 8, 12, 9, 13])


@feature
def triangle_strip_without_indices():
    return mode(TRIANGLE_STRIP, [0, 4, 1, 5, 2, 6, 3, 7], False)


@feature
def triangle_fan():
    return mode(TRIANGLE_FAN, [5, 0, 4, 8, 9, 10, 6, 2, 1])


@feature
def fan_of_many_triangles():
    """Their best order would be too expensive: all of them have one corner in common."""
    model = Model()
    count = 2400
    rows = [(0.0, 0.0, 0.0)] + [(math.cos(i / 1000), i / 1000, math.sin(i / 1000)) for i in range(count + 1)]
    return placed(model, [{"attributes": {"POSITION": model.stream(rows, bounds=True)},
                           "indices": model.indices([(0, i + 1, i + 2) for i in range(count)], U16)}])


@feature
def lines():
    return mode(LINES, [0, 1, 1, 2, 5, 9, 9, 5])


@feature
def line_strip():
    return mode(LINE_STRIP, [0, 1, 5, 9, 0])


@feature
def line_loop():
    return mode(LINE_LOOP, [0, 1, 5, 4])


@feature
def points():
    return mode(POINTS, [0, 3, 9, 3])


@feature
def points_without_indices():
    return mode(POINTS, [0, 3, 9, 15], False)


@feature
def degenerate_triangles():
    return mode(TRIANGLES, [0, 4, 1, 1, 1, 5, 4, 5, 1])


@feature
def only_degenerate_triangles():
    return mode(TRIANGLES, [0, 0, 4, 1, 5, 5])


@feature
def degenerate_triangles_without_indices():
    return mode(TRIANGLES, [0, 4, 1, 1, 1, 5, 4, 5, 1], False)


@feature
def equal_triangles():
    return mode(TRIANGLES, [0, 4, 1, 4, 1, 0, 0, 1, 4])


@feature
def indices_u32():
    model = Model()
    primitive = basic(model)
    primitive["indices"] = model.indices(grid().triangles, U32)
    return placed(model, [primitive])


# --- nodes ---


@feature
def node_matrix():
    model = plain_grid()
    model.json["nodes"][0]["matrix"] = [0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 4, 0, 1, 2, 3, 1]
    return model


@feature
def node_sheared():
    """With shear: of a parent, below it, and mirrored; with scales of 0."""
    model = plain_grid()
    matrices = ([1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1],
                [1, 0.25, 0.5, 0, 0.75, -2, 1, 0, 0.5, 0.25, 3, 0, 0, 1, 0, 1],
                [0.6, 0.8, 0, 0, -0.8, 0.6, 0, 0, 0, 0, 0, 0, 5, 0, 0, 1],
                [0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 6, 0, 0, 1],
                [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 1],
                [1, 1, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0, 8, 0, 0, 1],
                [0, 1, 0, 0, 1, 1, 0, 0, 0, 0.5, 0, 0, 9, 0, 0, 1])
    model.json["nodes"] = [{"name": "sheared %d" % i, "mesh": 0, "matrix": list(m)} for i, m in enumerate(matrices)]
    model.json["nodes"][0]["children"] = [1]
    model.json["nodes"][1]["children"] = [len(matrices)]
    model.json["nodes"].append({"mesh": 0, "translation": [1, 2, 3], "rotation": [0, 0.6, 0, 0.8]})
    model.json["scenes"][0]["nodes"] = [0, 2, 3, 4, 5, 6]
    return model


@feature
def node_hierarchy():
    model = plain_grid()
    model.json["nodes"][0]["children"] = [1, 2]
    model.add("nodes", {"name": "left", "mesh": 0, "translation": [-1, 0.5, 0], "scale": [1, 2, 3]})
    model.add("nodes", {"name": "right", "mesh": 0, "rotation": [0, 1, 0, 0]})
    return model


@feature
def node_without_a_name():
    model = plain_grid()
    del model.json["nodes"][0]["name"]
    return model


@feature
def nodes_of_one_name():
    model = plain_grid()
    model.json["scenes"][0]["nodes"].append(model.add("nodes", {"name": "grid", "translation": [1, 0, 0]}))
    return model


@feature
def second_scene():
    model = plain_grid()
    model.add("scenes", {"nodes": [model.add("nodes", {"name": "other"})]})
    return model


@feature
def meshes_of_one_name():
    model = plain_grid()
    other = model.add("meshes", {"name": "grid", "primitives": [basic(model, grid(1, 1, 2.0))]})
    model.json["scenes"][0]["nodes"].append(model.add("nodes", {"name": "other", "mesh": other}))
    return model


@feature
def node_scale_negative():
    model = plain_grid()
    model.json["nodes"][0]["scale"] = [-1, 2, 0.5]
    return model


@feature
def without_scenes():
    model = plain_grid()
    del model.json["scenes"], model.json["scene"]
    return model


@feature
def camera_perspective():
    model = plain_grid()
    model.add("cameras", {"type": "perspective", "perspective": {"yfov": 0.75, "aspectRatio": 1.5, "znear": 0.125,
                                                                 "zfar": 50.0}})
    model.json["nodes"][0]["camera"] = 0
    return model


@feature
def camera_orthographic():
    model = plain_grid()
    model.add("cameras", {"type": "orthographic", "orthographic": {"xmag": 3.0, "ymag": 2.0, "znear": 0.5,
                                                                      "zfar": 9.0}})
    model.json["nodes"][0]["camera"] = 0
    return model


def lit(light):
    model = plain_grid()
    model.uses("KHR_lights_punctual")
    model.json["extensions"] = {"KHR_lights_punctual": {"lights": [light]}}
    model.json["nodes"][0]["extensions"] = {"KHR_lights_punctual": {"light": 0}}
    return model


@feature
def light_point():
    return lit({"type": "point", "color": [1, 0.5, 0.25], "intensity": 30.5, "range": 12})


@feature
def light_spot():
    return lit({"type": "spot", "spot": {"innerConeAngle": 0.25, "outerConeAngle": 0.5}})


@feature
def light_directional():
    return lit({"type": "directional", "intensity": 100000})


@feature
def extras_components():
    model = plain_grid()
    model.json["nodes"][0]["extras"] = {"components": {"name": {"id": "hero"}, "light": {"intensity": 2.5,
                                                                                         "color": [0.5, 1, 0.25]}}}
    return model


@feature
def extras_of_fields():
    model = plain_grid()
    model.json["nodes"][0]["extras"] = {"light.range_m": 30, "light.kind": "spot", "light.casts_shadow": 1}
    return model


@feature
def extras_as_text():
    model = plain_grid()
    model.json["nodes"][0]["extras"] = {"light": '{"intensity": 4, "color": [1, 0.5, 0.25]}'}
    return model


@feature
def extras_of_scene_mesh_and_material():
    model = Model()
    painted(model, model.slots(extras={"light.range_m": 3, "light.intensity": 5}))
    model.json["meshes"][0]["extras"] = {"light.range_m": 4}
    model.json["scenes"][0]["extras"] = {"camera.far_m": 99.5}
    return model


@feature
def extras_of_an_accessor():
    model = plain_grid()
    model.json["accessors"][0]["extras"] = {"unit": "m"}
    return model


@feature
def extras_of_a_project():
    model = plain_grid()
    model.json["nodes"][0]["extras"] = {"health": 50}
    return model


def moved(path, interpolation, rows, component=F32):
    model = plain_grid()
    output = model.accessor(rows, component, normalized=component != F32)
    model.clip((0, path, interpolation, (0, 0.5, 2), output))
    return model


@feature
def clip_translation_linear():
    return moved("translation", "LINEAR", [(0, 0, 0), (1, 2, 3), (0, 0.5, 0)])


@feature
def clip_scale_step():
    return moved("scale", "STEP", [(1, 1, 1), (2, 2, 2), (1, 3, 1)])


@feature
def clip_rotation_cubic():
    return moved("rotation", "CUBICSPLINE", [row for degrees in (0, 60, -40)
                                             for row in ((0, 0, 0, 0), about_y(degrees), (0, 0.5, 0, 0))])


@feature
def clips_of_one_node():
    model = moved("translation", "LINEAR", [(0, 0, 0), (1, 2, 3), (0, 0.5, 0)])
    model.clip((0, "scale", "LINEAR", (1, 4), model.accessor([(1, 1, 1), (2, 3, 4)])))
    return model


@feature
def clip_of_a_node_outside_of_the_scene():
    model = plain_grid()
    model.add("nodes", {"name": "other"})
    model.clip((1, "scale", "LINEAR", (1, 4), model.accessor([(1, 1, 1), (2, 3, 4)])))
    return model


@feature
def clip_rotation_s16n():
    return moved("rotation", "LINEAR", [[round(32767 * v) for v in about_x(degrees)] for degrees in (0, 60, -40)], S16)


# --- materials ---


@feature
def material_factors():
    model = Model()
    return painted(model, model.slots({"baseColorFactor": [0.1, 0.2, 0.3, 1], "metallicFactor": 0.4,
                                       "roughnessFactor": 0.6}))


@feature
def material_defaults():
    model = Model()
    return painted(model, model.add("materials", {}))


@feature
def emissive_factor():
    model = Model()
    return painted(model, model.slots(emissiveFactor=[0.25, 0.5, 1]))


@feature
def glass():
    model = Model()
    model.uses("KHR_materials_transmission", "KHR_materials_volume", "KHR_materials_ior")
    return painted(model, model.slots({"baseColorFactor": [0.8, 0.9, 1, 0.5], "metallicFactor": 0, "roughnessFactor": 0.1}, extensions={
        "KHR_materials_transmission": {"transmissionFactor": 0.75}, "KHR_materials_ior": {"ior": 1.4},
        "KHR_materials_volume": {"thicknessFactor": 0.5, "attenuationDistance": 2, "attenuationColor": [0.25, 0.5, 1]}}))


@feature
def emissive_strength():
    model = Model()
    model.uses("KHR_materials_emissive_strength")
    return painted(model, model.slots(emissiveFactor=[0.1, 0.5, 1], extensions={
        "KHR_materials_emissive_strength": {"emissiveStrength": 12.5}}))


@feature
def alpha_mask():
    model = Model()
    return painted(model, model.slots(alphaMode="MASK", alphaCutoff=0.3))


@feature
def alpha_cutoff_above_one():
    model = Model()
    return painted(model, model.slots(alphaMode="MASK", alphaCutoff=1.5))


@feature
def alpha_mask_of_a_texture():
    model = Model()
    return painted(model, model.slots({"baseColorTexture": model.texture(rgba())}, alphaMode="MASK", alphaCutoff=0.4))


@feature
def alpha_blend():
    model = Model()
    return painted(model, model.slots({"baseColorFactor": [1, 1, 1, 0.5]}, alphaMode="BLEND"))


@feature
def alpha_blend_of_a_texture():
    model = Model()
    return painted(model, model.slots({"baseColorTexture": model.texture(rgba())}, alphaMode="BLEND"))


@feature
def alpha_of_an_opaque_material():
    model = Model()
    return painted(model, model.slots({"baseColorTexture": model.texture(rgba())}))


@feature
def caustics_and_refraction_of_a_material():
    model = Model()
    return painted(model, model.slots(alphaMode="BLEND", extras={"caustic_strength": 2.5, "refraction": 0.25}))


@feature
def normal_map_that_moves():
    model = Model()
    return painted(model, model.slots(normalTexture=model.texture(rgba()), extras={"normal_scroll": [0.25, 0, -0.125, 0.5]}))


@feature
def double_sided():
    model = Model()
    return painted(model, model.slots(doubleSided=True))


@feature
def unlit():
    model = Model()
    model.uses("KHR_materials_unlit")
    return painted(model, model.slots(extensions={"KHR_materials_unlit": {}}))


# --- textures ---


@feature
def slot_base_color():
    model = Model()
    return painted(model, model.slots({"baseColorTexture": model.texture(rgb())}))


@feature
def slot_metallic_roughness():
    model = Model()
    return painted(model, model.slots({"metallicRoughnessTexture": model.texture(rgb())}))


@feature
def slot_normal():
    model = Model()
    return painted(model, model.slots(normalTexture={**model.texture(bumps()), "scale": 0.75}))


@feature
def slot_occlusion():
    model = Model()
    return painted(model, model.slots(occlusionTexture={**model.texture(rgb()), "strength": 0.6}))


@feature
def slot_emissive():
    model = Model()
    return painted(model, model.slots(emissiveTexture=model.texture(rgb()), emissiveFactor=[1, 1, 1]))


@feature
def slot_emissive_with_alpha():
    model = Model()
    return painted(model, model.slots(emissiveTexture=model.texture(rgba()), emissiveFactor=[1, 1, 1],
                                      alphaMode="BLEND"))


@feature
def slots_of_two_samplers():
    model = Model()
    first = model.texture(rgb(), {"wrapS": CLAMP})
    sampler = model.add("samplers", {"wrapS": MIRROR})
    second = {"index": model.add("textures", {"source": 0, "sampler": sampler})}
    return painted(model, model.slots({"baseColorTexture": first}, emissiveTexture=second))


@feature
def slots_all():
    model = Model()
    packed = model.texture(rgb(), {"magFilter": NEAREST})
    return painted(model, model.slots(
        {"baseColorTexture": model.texture(rgba()), "metallicRoughnessTexture": packed},
        normalTexture={**model.texture(bumps()), "scale": -2}, occlusionTexture=packed,
        emissiveTexture=model.texture(rgb(16, 16, 50))))


@feature
def image_of_two_cutoffs():
    model = Model()
    info = model.texture(rgba())
    paints = [model.slots({"baseColorTexture": info}, alphaMode="MASK", alphaCutoff=0.25 * k) for k in (1, 2)]
    return placed(model, [basic(model, material=paint) for paint in paints])


@feature
def slots_of_one_image():
    """Occlusion, roughness and metallic."""
    model = Model()
    info = model.texture(rgb())
    return painted(model, model.slots({"metallicRoughnessTexture": info}, occlusionTexture=info))


@feature
def image_of_two_uses():
    model = Model()
    info = model.texture(bumps())
    return painted(model, model.slots({"baseColorTexture": info}, normalTexture=info))


@feature
def image_of_two_materials():
    model = Model()
    info = model.texture(rgb())
    paints = [model.slots({"baseColorTexture": info, "roughnessFactor": 0.5 * k}) for k in range(2)]
    return placed(model, [basic(model, material=paint) for paint in paints])


@feature
def texture_of_uv_1():
    model = Model()
    paint = model.slots({"baseColorTexture": {**model.texture(rgb()), "texCoord": 1}})
    return placed(model, [basic(model, material=paint, attributes={
        "TEXCOORD_1": model.stream([(i / 8, 1 - i / 8) for i in range(9)])})])


@feature
def texture_transform():
    model = Model()
    model.uses("KHR_texture_transform")
    info = {**model.texture(rgb()), "extensions": {"KHR_texture_transform": {
        "offset": [0.5, -0.25], "rotation": 0.3, "scale": [2, 0.1]}}}
    return painted(model, model.slots({"baseColorTexture": info}))


@feature
def texture_transform_with_uv_1():
    model = Model()
    model.uses("KHR_texture_transform")
    info = {**model.texture(rgb()), "extensions": {"KHR_texture_transform": {"texCoord": 1}}}
    paint = model.slots({"baseColorTexture": info})
    return placed(model, [basic(model, material=paint, attributes={
        "TEXCOORD_1": model.stream([(i / 8, 1 - i / 8) for i in range(9)])})])


@feature
def texture_of_uv_2():
    model = Model()
    paint = model.slots({"baseColorTexture": {**model.texture(rgb()), "texCoord": 2}})
    more = {"TEXCOORD_%d" % k: model.stream([(i / 8, k) for i in range(9)]) for k in (1, 2)}
    return placed(model, [basic(model, material=paint, attributes=more)])


def sampled(**sampler):
    model = Model()
    return painted(model, model.slots({"baseColorTexture": model.texture(rgb(), sampler)}))


def sampler_features():
    for name, code in (("repeat", REPEAT), ("clamp", CLAMP), ("mirror", MIRROR)):
        yield "wrap_u_" + name, {"wrapS": code}
        yield "wrap_v_" + name, {"wrapT": code}
    for name, code in (("nearest", NEAREST), ("linear", LINEAR)):
        yield "magnify_" + name, {"magFilter": code}
        yield "minify_" + name, {"minFilter": code}
    for code in range(4):
        yield "minify_%s_between_%s" % (("nearest", "linear")[code % 2], ("nearest", "linear")[code // 2]), {
            "minFilter": 9984 + code}


def imaged(data):
    model = Model()
    return painted(model, model.slots({"baseColorTexture": model.texture(data)}, alphaMode="BLEND"))


@feature
def image_file():
    model = Model()
    model.besides["image in a file.png"] = rgb()
    model.add("images", {"uri": "image%20in%20a%20file.png"})
    return painted(model, model.slots({"baseColorTexture": {"index": model.add("textures", {"source": 0})}}))


@feature
def image_data_uri():
    model = Model()
    model.add("images", {"uri": "data:image/png;base64," + base64.b64encode(rgb()).decode("ascii")})
    return painted(model, model.slots({"baseColorTexture": {"index": model.add("textures", {"source": 0})}}))


@feature
def image_jpeg():
    model = Model()
    model.image(jpeg(), "image/jpeg")
    return painted(model, model.slots({"baseColorTexture": {"index": model.add("textures", {"source": 0})}}))


@feature
def image_unused():
    model = plain_grid()
    model.image(rgb())
    return model


@feature
def image_grey():
    return imaged(png(20, 12, 0, lambda x, y: (100 + 5 * x + 4 * y,)))


@feature
def image_grey_alpha():
    return imaged(png(20, 12, 4, lambda x, y: (100 + 5 * x + 4 * y, 255 - 10 * x)))


@feature
def image_palette():
    return imaged(png(20, 12, 3, lambda x, y: (x + y,),
                      palette=bytes(v for i in range(31) for v in (8 * i, 90, 200 - i)),
                      alphas=bytes(255 - 5 * i for i in range(20))))


@feature
def image_of_16_bits():
    return imaged(png(20, 12, 2, lambda x, y: (257 * x + 9000, 700 * y + 128, 255 * (x + y) + 33), 16))


@feature
def image_of_16_bits_with_alpha():
    return imaged(png(20, 12, 6, lambda x, y: (1257 * x, 700 * y + 128, 20000, 65535 - 999 * x), 16))


@feature
def image_of_one_pixel():
    return imaged(png(1, 1, 2, lambda x, y: (200, 100, 50)))


@feature
def image_of_odd_size():
    return imaged(rgb(13, 7))


@feature
def image_of_another_format():
    model = Model()
    model.uses("EXT_texture_webp")
    webp = model.image(b"RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f\0\0\0\x10\x07\x10\x11\x11\x88\x88\xfe\x07\0",
                       "image/webp")
    texture = model.add("textures", {"extensions": {"EXT_texture_webp": {"source": webp}}})
    return painted(model, model.slots({"baseColorTexture": {"index": texture}}))


# --- files ---


@feature
def buffer_uri_with_parameters():
    model = plain_grid()
    model.uri = "data:application/octet-stream;charset=utf-8;base64,"
    return model


@feature
def buffers_two():
    """The second one in a file."""
    model = plain_grid()
    shape = grid(1, 1, 3.0)
    data = pack(shape.positions, F32)
    model.besides["buffers_two.bin"] = data
    model.second = {"byteLength": len(data), "uri": "buffers_two.bin"}
    view = model.add("bufferViews", {"buffer": 1, "byteLength": len(data), "target": ATTRIBUTES})
    model.json["meshes"][0]["primitives"].append({
        "attributes": {"POSITION": model.accessor_at(view, 0, shape.positions, bounds=True)},
        "indices": model.indices(shape.triangles, U8)})
    return model


@feature
def buffer_file():
    model = plain_grid()
    model.buffer = "buffer_file.bin"
    return model


@feature
def container():
    model = slot_base_color()
    model.container = True
    return model


@feature
def attribute_of_a_project():
    return with_stream("_TEMPERATURE", lambda i: (float(i),))


@feature
def uv_2():
    model = Model()
    return placed(model, [basic(model, attributes={
        "TEXCOORD_%d" % k: model.stream([(i / 8, k) for i in range(9)]) for k in (1, 2)})])


# --- images without a model ---


def textures():
    """(name, settings, image)."""
    def grey(x, y):
        return 60 + 5 * x + 3 * y
    yield "plain_rgba", {"format": "rgba8"}, rgba(13, 7)
    yield "plain_rgb", {"format": "rgba8"}, rgb(13, 7)
    yield "plain_grey", {"format": "rgba8"}, png(9, 14, 0, lambda x, y: (grey(x, y),))
    yield "plain_grey_alpha", {"format": "rgba8"}, png(9, 14, 4, lambda x, y: (grey(x, y), 255 - 9 * x))
    yield "plain_palette", {"format": "rgba8"}, png(
        9, 14, 3, lambda x, y: (x + y,), palette=bytes(v for i in range(23) for v in (8 * i, 90, 200 - i)),
        alphas=bytes(255 - 9 * i for i in range(15)))
    yield "plain_grey_of_16_bits", {"format": "rgba8"}, png(9, 14, 0, lambda x, y: (257 * grey(x, y) % 65536,), 16)
    yield "plain_rgba_of_16_bits", {"format": "rgba8"}, png(
        9, 14, 6, lambda x, y: (7001 * x, 4333 * y, 128 + 255 * (x + y), 65535 - 5000 * x), 16)
    yield "plain_mask", {"format": "r8", "usage": "mask"}, rgb(13, 7)
    yield "blocks_of_color", {}, rgb(30, 21)
    yield "blocks_of_color_and_alpha", {}, rgba(30, 21)
    yield "blocks_of_data", {"usage": "data"}, rgba(30, 21)
    yield "blocks_of_normals", {"usage": "normal"}, bumps(30, 21)
    yield "blocks_of_a_mask", {"usage": "mask"}, rgb(30, 21)


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__.split("\n\n")[1].strip())
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for function in FEATURES:
        function().save(folder, function.__name__)
    for name, sampler in sampler_features():
        sampled(**sampler).save(folder, name)
    for name, settings, image in textures():
        (folder / (name + ".png")).write_bytes(image)
        (folder / (name + ".texture.json")).write_text(json.dumps(settings) + "\n", encoding="ascii")


if __name__ == "__main__":
    main(sys.argv[1:])
