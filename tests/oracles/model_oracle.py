#!/usr/bin/env python3
"""model_oracle.py - compares every value of compiled models with the glTF files.

    model_oracle.py MODEL OUT NAMES.json [MODEL OUT NAMES.json]...
    model_oracle.py --textures IMAGE.png BLOB.texture [IMAGE.png BLOB.texture]...

Reads the glTF file with gltf_oracle.py and the blobs below the folder OUT with format_reader.py; NAMES.json is what
tool_probe prints. Poses, transforms and counts are compared by gltf_oracle.py. The second form compares the first level
of textures with their images.

  meshes     each part has the elements of its primitive: without triangles of which two corners are the same vertex,
             but at least one. Elements are matched by the positions and uvs of their corners, which are equal bit for
             bit; if several are equal, by the nearest other streams. Normals and tangents: 1e-4, because they are
             normalised. Colours: 1 / 65535. Weights: 2 / 65535 of the normalised ones, at most eight. A stream that
             only other primitives of the mesh have: normals of the triangles, the tangent 1 0 0 1, white, zeros. Tangents that
             are computed: those of tangent_oracle.py for the compiled triangles, also of each displaced surface.
  morphs     displacements equal, rows that are absent are zero; reach 1e-6 of itself.
  clips      times and values equal; rotations that are not cubic 1e-6, because they are normalised.
  materials  all factors and texture slots equal, as 32-bit floats.
  textures   the sampler, the format, and the first level: plain formats equal, others within a bound of the PSNR.
             Images that are not PNG files are skipped.

The environment variable MODEL_ORACLE_PSNR=1 prints the PSNR of each texture.

One line per mismatch, then `N values compared, N different[, N skipped]`; exit 0 when nothing differs, else 1. Python
3.9, standard library only.
"""
import base64
import json
import math
import os
import struct
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes

import format_reader
import gltf_oracle
import picture_reader
import tangent_oracle
from gltf_oracle import TRIANGLES, elements, is_visible, unit

TOPOLOGY = (2, 1, 1, 1, 0, 0, 0)  # of a mode: triangles, lines, points
CORNERS = (3, 2, 1)               # of a topology
REPEAT, NEAREST, LINEAR = 10497, 9728, 9729
WRAPS = {REPEAT: "repeat", 33071: "clamp", 33648: "mirror"}
# (minify, between_levels, all levels) of a filter
FILTERS = {9728: ("nearest", "nearest", False), 9729: ("linear", "nearest", False),
           9984: ("nearest", "nearest", True), 9985: ("linear", "nearest", True),
           9986: ("nearest", "linear", True), 9987: ("linear", "linear", True)}
SLOTS = (("base_color", "baseColorTexture"), ("metallic_roughness", "metallicRoughnessTexture"),
         ("normal", "normalTexture"), ("occlusion", "occlusionTexture"), ("emissive", "emissiveTexture"))
JPEG = b"\xff\xd8\xff"
IN_SURFACE = ("base_color", "metallic_roughness")
# Lowest PSNR of blocks, in dB. Our smooth images: 37.4 of three channels, 44.4 of one; FlightHelmet: 33.1 (occlusion,
# roughness and metallic in one image) and 45.2.
COLOR_BOUND, VALUE_BOUND = 32.0, 42.0
PLAIN_SIDE = 16  # smaller images are never compressed
HARM_MIN = 8.0  # of 255: an image that is not compressed is so far from blocks with colours on lines


class Report(gltf_oracle.Report):
    def __init__(self, title):
        super().__init__(title)
        self.skipped = 0

    def same(self, where, got, want, tolerance=0.0):
        """Numbers, or sequences of numbers."""
        if not isinstance(want, (tuple, list)):
            got, want = (got,), (want,)
        self.compared += len(want)
        if len(got) == len(want) and (got == want or all(abs(a - b) <= tolerance for a, b in zip(got, want))):
            return True
        self.wrong(where, "%s, expected %s" % (shown(got), shown(want)))
        return False

    def equal(self, where, got, want):
        return self.check(where, got == want, "%r, expected %r" % (got, want))


def shown(numbers):
    return " ".join("%.9g" % v if isinstance(v, (int, float)) else repr(v) for v in numbers)


def singles(row):
    """Numbers as 32-bit floats."""
    return struct.unpack("<%df" % len(row), struct.pack("<%df" % len(row), *row))


def single(value):
    return singles((value,))[0]


def index_of(ids):
    """A resource id of two words."""
    return ids[1] << 32 | ids[0]


# --- the file: vertices ---


class Vertices:
    """The streams of a primitive as they should be compiled; None for those that it does not have."""

    def __init__(self, model, primitive):
        self.model, self.attributes = model, primitive["attributes"]
        self.position = self.floats(self.attributes, "POSITION")
        self.uv = self.floats(self.attributes, "TEXCOORD_0")
        self.uv_1 = self.floats(self.attributes, "TEXCOORD_1")
        self.normal = self.read("NORMAL", unit)
        self.tangent = self.read("TANGENT", lambda row: unit(row[:3]) + [row[3]]) if self.normal else None
        self.map = normal_map_of(model, primitive, self)  # of which tangents are computed, or None
        self.color = self.read("COLOR_0", lambda row: (tuple(row) + (1.0,))[:4])
        self.influences = self.read_influences()
        keys = ("POSITION", "NORMAL", "TANGENT" if self.normal else "none")
        self.targets = [tuple(self.floats(target, key) for key in keys)
                        for target in primitive.get("targets", [])]
        none = (0.0, 0.0)
        count = len(self.position)
        self.keys = [struct.pack("<7f", *row) for row in
                     (p + a + b for p, a, b in zip(self.position, self.uv or [none] * count,
                                                   self.uv_1 or [none] * count))]

    def floats(self, owner, key):
        if key not in owner:
            return None
        rows = self.model.accessor(owner[key])
        return [singles(row) for row in rows]

    def read(self, key, change):
        rows = self.floats(self.attributes, key)
        return rows and [change(row) for row in rows]

    def read_influences(self):
        """For each vertex {joint: weight} of its heaviest eight, with the sum 1."""
        if "JOINTS_0" not in self.attributes:
            return None
        out = []
        sets = [zip(self.model.accessor(self.attributes["JOINTS_%d" % k]),
                    self.model.accessor(self.attributes["WEIGHTS_%d" % k]))
                for k in range(8) if "JOINTS_%d" % k in self.attributes]
        for row in zip(*sets):
            pairs = [pair for joints, weights in row for pair in zip(weights, joints) if pair[0] > 0]
            pairs = sorted(pairs, key=lambda pair: -pair[0])[:8]
            total = sum(weight for weight, _ in pairs)
            out.append({joint: weight / total for weight, joint in pairs} if pairs else {self.root_joint(): 1.0})
        return out

    def root_joint(self):
        """The number of the first joint, in the skin of a node with the primitive, that is no child of another one."""
        for node in self.model.nodes:
            meshes = [self.model.items("meshes")[node["mesh"]]] if "mesh" in node and "skin" in node else []
            if any(primitive["attributes"] is self.attributes for mesh in meshes for primitive in mesh["primitives"]):
                joints = self.model.items("skins")[node["skin"]]["joints"]
                parents = parents_of(self.model)
                return next(i for i, joint in enumerate(joints) if parents.get(joint) not in joints)
        return 0

    def max_influences(self):
        return max(map(len, self.influences)) if self.influences else 0


# --- the blob: vertices ---


def halves(row):
    return [half for word in row for half in (word & 0xffff, word >> 16)]


class Stored:
    """The vertices of a mesh."""

    def __init__(self, blob):
        def first(name):
            return [row[0] for row in blob.rows_of(name)] or None
        self.position, self.uv, self.uv_1 = first("position"), first("uv"), first("uv_1")
        self.normal, self.tangent = first("normal"), first("tangent")
        self.color = [[v / 65535 for v in halves(row)] for row in blob.rows_of("color")] or None
        self.influences = None
        if "vertex_joints" in blob.by_name:
            joints, weights = blob.rows_of("vertex_joints"), blob.rows_of("vertex_weights")
            if "vertex_joints_1" in blob.by_name:
                joints = [a + b for a, b in zip(joints, blob.rows_of("vertex_joints_1"))]
                weights = [a + b for a, b in zip(weights, blob.rows_of("vertex_weights_1"))]
            self.influences = [{joint: weight / 65535 for joint, weight in zip(halves(j), halves(w)) if weight}
                               for j, w in zip(joints, weights)]
        rows = [row[0] for row in blob.rows_of("morph_vertex")]
        self.displacements = [first("morph_" + name) for name in ("position", "normal", "tangent")]
        self.rows = [{rows[k]: k for k in range(target[3], target[3] + target[4])}
                     for target in blob.rows_of("morph_target")]
        none = (0.0, 0.0)
        count = len(self.position)
        self.keys = [struct.pack("<7f", *row) for row in
                     (p + a + b for p, a, b in zip(self.position, self.uv or [none] * count,
                                                   self.uv_1 or [none] * count))]


# --- meshes ---


class Pairing:
    """Compares vertices of a primitive with vertices of the blob, each pair once."""

    def __init__(self, report, title, source, stored):
        self.report, self.title, self.source, self.stored = report, title, source, stored
        self.known, self.done = {}, set()

    def faults(self, s, b):
        """[(stream, what it has, what it should have)] and the number of values."""
        if (s, b) not in self.known:
            self.known[s, b] = self.compare(s, b)
        return self.known[s, b]

    def compare(self, s, b):
        source, stored, out = self.source, self.stored, []
        count = 3 + (2 if stored.uv else 0) + (2 if stored.uv_1 else 0)  # of the key
        for name, tolerance, filled in (("normal", 1e-4, (0, 0, 1)), ("tangent", 1e-4, (1, 0, 0, 1)),
                                        ("color", 1.01 / 65535, (1, 1, 1, 1))):
            rows = getattr(stored, name)
            if rows is None:
                continue
            if (name == "tangent" and source.map) or (name == "normal" and source.flat):
                continue
            mine = getattr(source, name)
            want = mine[s] if mine else filled
            count += len(want)
            if any(abs(x - y) > tolerance for x, y in zip(rows[b], want)):
                out.append((name, shown(rows[b]), shown(want)))
        if stored.influences:
            want = source.influences[s] if source.influences else {0: 1.0}
            got = stored.influences[b]
            count += len(want)
            if any(abs(got.get(k, 0) - want.get(k, 0)) > 2 / 65535 for k in {*got, *want}):
                out.append(("weights", repr(got), repr(want)))
        for t, rows in enumerate(stored.rows):
            row = rows.get(b)
            for k, name in enumerate(("position", "normal", "tangent")):
                if (k == 1 and source.flat) or (k == 2 and source.map):
                    continue
                mine = source.targets[t][k] if t < len(source.targets) else None
                got = (0.0, 0.0, 0.0)
                if row is not None and stored.displacements[k]:
                    got = stored.displacements[k][row]
                want = mine[s] if mine else (0.0, 0.0, 0.0)
                count += 3
                if got != want:
                    out.append(("target %d, displacement of the %s" % (t, name), shown(got), shown(want)))
        return out, count

    def distance(self, one, other):
        return sum(len(self.faults(s, b)[0]) for s, b in zip(one, other))

    def accept(self, one, other):
        for s, b in zip(one, other):
            if (s, b) in self.done:
                continue
            self.done.add((s, b))
            faults, count = self.faults(s, b)
            self.report.compared += count
            for name, got, want in faults:
                self.report.wrong("%s, vertex %d, %s" % (self.title, s, name), "%s, expected %s" % (got, want))


def rotations(corners):
    return [corners[i:] + corners[:i] for i in range(3)] if len(corners) == 3 else [corners]


def by_key(keys, indices, corners):
    """{keys of an element's corners: its elements}; a triangle begins with its least key."""
    out = {}
    for i in range(0, len(indices), corners):
        turned = rotations(tuple(indices[i:i + corners]))
        named = [tuple([keys[v] for v in turn]) for turn in turned]
        least = min(named)
        out.setdefault(least, []).append([turn for turn, name in zip(turned, named) if name == least])
    return out


def match(report, title, pairing, ours, theirs):
    for key, sources in ours.items():
        found = theirs.pop(key, [])
        report.compared += 1
        for turns in sources:
            if not found:
                report.wrong(title, "the element of the vertices %s is missing" % shown(turns[0]))
                continue
            choices = [(one, other, place) for place, others in enumerate(found)
                       for one in turns[:1] for other in others]
            if len(choices) == 1:
                one, other, place = choices[0]
            else:
                one, other, place = min(choices, key=lambda choice: pairing.distance(choice[0], choice[1]))
            pairing.accept(one, other)
            found.pop(place)
        if found:
            theirs[key] = found
    for elements_left in theirs.values():
        for turns in elements_left:
            report.wrong(title, "has an element of the vertices %s that is not in the file" % shown(turns[0]))


def normal_map_of(model, primitive, source):
    """The slot of the normal map whose coordinates the primitive has, if it has no tangents."""
    material = primitive.get("material")
    if source.tangent or material is None or primitive.get("mode", TRIANGLES) < TRIANGLES:
        return None
    slots = [slot for slot in slots_of(model, model.items("materials")[material]) if slot.slot == "normal"]
    return slots[0] if slots and (source.uv, source.uv_1)[slots[0].uv_set] else None


def transformed(uv, transform):
    turn = transform.get("rotation", 0)
    u, v = [a * b for a, b in zip(uv, transform.get("scale", (1, 1)))]
    c, s = math.cos(turn), math.sin(turn)
    x, y = transform.get("offset", (0, 0))
    return (x + c * u + s * v, y - s * u + c * v)


def moved(stored, target, stream, rows, v):
    """A row as a target displaces it; target -1: as it is."""
    row = stored.rows[target].get(v) if target >= 0 else None
    by = stored.displacements[stream][row] if row is not None and stored.displacements[stream] else (0, 0, 0)
    return tuple(a + b for a, b in zip(rows[v], by))


def compare_flat(report, title, source, stored, listed):
    """Each corner of a triangle without normals has that of the triangle, also as each target displaces it."""
    for t in range(-1, len(stored.rows)):
        for i in range(0, len(listed), 3):
            places = [moved(stored, t, 0, stored.position, v) for v in listed[i:i + 3]]
            face = tangent_oracle.face_normal(*places)
            if tangent_oracle.Face([(place, face, (0, 0)) for place in places]).thin:
                continue
            for v in listed[i:i + 3]:
                got = moved(stored, t, 1, stored.normal, v)
                report.compared += 3
                if any(abs(x - y) > 1e-4 for x, y in zip(got, face)):
                    report.wrong("%s, vertex %d, flat normal, target %d" % (title, v, t),
                                 "%s, expected %s" % (shown(got), shown(face)))


def compare_tangents(report, title, source, stored, listed):
    """Of the compiled triangles of a part, and of these as each target displaces them."""
    uvs = (stored.uv, stored.uv_1)[source.map.uv_set]
    for t in range(-1, len(stored.rows)):
        if t >= 0 and not any(source.targets[t][:2]):
            continue
        triangles, tangents = [], []
        for i in range(0, len(listed), 3):
            places = [moved(stored, t, 0, stored.position, v) for v in listed[i:i + 3]]
            flat = None if stored.normal else tuple(tangent_oracle.face_normal(*places))
            normals = [flat or tuple(unit(moved(stored, t, 1, stored.normal, v))) for v in listed[i:i + 3]]
            coordinates = [transformed(uvs[v], source.map.transform) for v in listed[i:i + 3]]
            triangles.append(list(zip(places, normals, coordinates)))
            tangents += [moved(stored, t, 2, stored.tangent, v) + stored.tangent[v][3:] for v in listed[i:i + 3]]
        where = title if t < 0 else "%s, target %d" % (title, t)
        tangent_oracle.compare(report, where, triangles, tangents, t >= 0)


def compare_part(report, title, model, primitive, blob, stored, row, names, source):
    material, topology, first, count = row[:4]
    indices = elements(model, primitive, len(source.position))
    want = names["materials"][primitive["material"]] if "material" in primitive else None
    got = blob.references[index_of(material)][1] if index_of(material) else None
    report.equal(title + ".material", got, want)
    kind = TOPOLOGY[primitive.get("mode", TRIANGLES)]
    source.flat = stored.normal and not source.normal and CORNERS[kind] == 3
    report.equal(title + ".topology", topology, kind)
    used = [source.position[v] for v in set(indices)]
    report.same(title + ".bounds_min", row[6], tuple(map(min, zip(*used))))
    report.same(title + ".bounds_max", row[7], tuple(map(max, zip(*used))))
    listed = [line[0] for line in blob.rows_of("index")[first:first + count]]
    pairing = Pairing(report, title, source, stored)
    match(report, title, pairing, by_key(source.keys, indices, CORNERS[kind]),
          by_key(stored.keys, listed, CORNERS[topology]))
    if source.flat:
        compare_flat(report, title, source, stored, listed)
    if source.map:
        compare_tangents(report, title, source, stored, listed)
    return [[rows[v] for v in set(indices)] if rows else [] for rows in (t[0] for t in source.targets)]


def compare_streams(report, title, sources, stored, blob):
    """Each stream of a primitive is in the blob, and no other one."""
    for name in ("normal", "tangent", "uv", "uv_1", "color", "influences"):
        report.equal("%s has %s" % (title, name), getattr(stored, name) is not None,
                     any(getattr(source, name) is not None or (name == "tangent" and source.map) for source in sources))
    report.equal(title + " has vertex_joints_1", "vertex_joints_1" in blob.by_name,
                 any(source.max_influences() > 4 for source in sources))


def compare_targets(report, title, mesh, blob, moved):
    """`moved`: of each part and target the displacements of its positions."""
    targets = blob.rows_of("morph_target")
    count = len(mesh["primitives"][0].get("targets", []))
    if not report.equal(title + ".morph_target", len(targets), count):
        return
    texts = mesh.get("extras", {}).get("targetNames", [])
    weights = mesh.get("weights", [0] * count)
    for t, (name, weight, reach, first, rows) in enumerate(targets):
        where = "%s.morph_target[%d]" % (title, t)
        report.equal(where + ".name", blob.texts_at[name], texts[t] if t < len(texts) else "")
        report.same(where + ".weight", weight, single(weights[t]))
        largest = max([math.sqrt(sum(v * v for v in row)) for part in moved for row in part[t]], default=0)
        report.same(where + ".reach_m", reach, largest, 1e-6 * largest)
        streams = [blob.rows_of("morph_" + k)[first:first + rows] for k in ("position", "normal", "tangent")]
        zeros = sum(not any(any(row[0]) for row in all_of) for all_of in zip(*[s for s in streams if s]))
        report.equal(where + ": rows that move nothing", zeros, 0)


def compare_mesh(report, title, model, mesh, blob, names):
    parts = [p for p in mesh["primitives"] if is_visible(model, p)]
    rows = blob.rows_of("mesh_part")
    if not report.equal(title + ".mesh_part", len(rows), len(parts)):
        return
    stored, sources = Stored(blob), [Vertices(model, part) for part in parts]
    compare_streams(report, title, sources, stored, blob)
    moved = [compare_part(report, "%s, part %d" % (title, i), model, part, blob, stored, row, names, source)
             for i, (part, row, source) in enumerate(zip(parts, rows, sources))]
    compare_targets(report, title, mesh, blob, moved)


# --- entities ---


def components_of(blob):
    """{name of the type: {entity: [rows]}}, a row by the names of its fields."""
    out = {}
    for section in blob.sections:
        if section.kind != 2 or not section.record:
            continue
        owners = out.setdefault(section.record.name, {})
        names = [field.name for field in section.record.fields]
        for owner, row in zip(section.owner, section.rows):
            owners.setdefault(owner, []).append(dict(zip(names, row)))
    return out


def reference(blob, ids):
    return blob.references[index_of(ids)][1] if index_of(ids) else None


def compare_weights(report, where, model, node, got):
    """Node weights that differ from those of the mesh."""
    want = {}
    if "weights" in node and "mesh" in node:
        mesh = model.items("meshes")[node["mesh"]]
        usual = mesh.get("weights", [0] * len(node["weights"]))
        want = {t: single(a) for t, (a, b) in enumerate(zip(node["weights"], usual)) if single(a) != single(b)}
    report.compared += len(want)
    report.equal(where + ".morph_weight", {row["target"]: row["weight"] for row in got}, want)


def clips_of_weights(model, node):
    """Animations that move the weights of a node."""
    return [i for i, animation in enumerate(model.items("animations")) if node in moved_by(model, animation, True)]


def rest_of(model, index, path):
    """What the channel of a node animates, as it is without an animation."""
    node = model.nodes[index]
    if path != "weights":
        usual = {"translation": (0, 0, 0), "rotation": (0, 0, 0, 1), "scale": (1, 1, 1)}[path]
        return node.get(path, usual)
    mesh = model.items("meshes")[node["mesh"]]
    count = max(len(p.get("targets", [])) for p in mesh["primitives"])
    return node.get("weights", mesh.get("weights", [0] * count))


def moved_by(model, animation, weights):
    """The nodes with a channel of which some key differs from what the node has at rest."""
    moved = set()
    for node, path, sampler in channels_of(model, animation, weights):
        if "matrix" in model.nodes[node]:
            moved.add(node)
            continue
        rest = rest_of(model, node, path)
        rows = [tuple(row) for row in model.accessor(sampler["output"])]
        flat = [value for row in rows for value in row]
        keys = [flat[i:i + len(rest)] for i in range(0, len(flat), len(rest))]
        cubic = sampler.get("interpolation") == "CUBICSPLINE"
        tangents = [value for i, key in enumerate(keys) if cubic and i % 3 != 1 for value in key]
        values = keys[1::3] if cubic else keys

        def near(key, sign=1):
            return all(abs(sign * a - b) <= 1e-5 * max(1, abs(a), abs(b)) for a, b in zip(key, rest))
        still = all(near(key) or (path == "rotation" and near(key, -1)) for key in values)
        if not still or any(tangents):
            moved.add(node)
    return moved


def parents_of(model):
    """{node: the node above it}"""
    return {child: parent for parent, node in enumerate(model.nodes) for child in node.get("children", ())}


def above(model, node):
    """The node and those above it."""
    parents, found = parents_of(model), []
    while node is not None:
        found.append(node)
        node = parents.get(node)
    return found


def is_sheared(node):
    """Are two columns of its matrix not at a right angle?"""
    matrix = node.get("matrix", [0] * 16)
    columns = [matrix[0:3], matrix[4:7], matrix[8:11]]
    sizes = [math.hypot(*c) for c in columns]
    return any(abs(sum(a * b for a, b in zip(columns[i], columns[i - 1]))) > 2e-4 * sizes[i] * sizes[i - 1] for i in range(3))


def entities_of(model):
    """[(entity, node)] The node of a sheared matrix has an entity above its own."""
    found, entity = [], 0
    for node, _ in model.order:
        entity += 2 if is_sheared(model.nodes[node]) else 1
        found.append((entity, node))
    return found


def clips_of_skin(model, skin):
    """Animations that move a joint of the skin; if there are none, those that move a node above one."""
    joints = set(model.items("skins")[skin]["joints"])
    higher = {node for joint in joints for node in above(model, joint)}
    moved = [moved_by(model, animation, False) for animation in model.items("animations")]
    return [i for i, nodes in enumerate(moved) if nodes & joints] or [i for i, nodes in enumerate(moved) if nodes & higher]


def followed_bone(model, index, extra):
    """(the first node that wears a skin, a bone of this skin) that a node follows, or None. A bone is a joint or a node
    above one. A node below a bone follows it; a bone that is seen follows itself. A bone that neither is a joint nor
    is moved by an animation, or below a node that is, stays where it is."""
    worn = [(node, model.items("skins")[model.nodes[node]["skin"]]["joints"])
            for node, _ in model.order if {"skin", "mesh"} <= set(model.nodes[node])]
    moved = {node for animation in model.items("animations") for node in moved_by(model, animation, False)}
    node = model.nodes[index]

    def wearer(bone):
        if bone is None or not (set(above(model, bone)) & moved or any(bone in joints for _, joints in worn)):
            return None
        return next(((skinned, bone) for skinned, joints in worn
                     if any(bone in above(model, joint) for joint in joints)), None)
    if any(index in above(model, joint) for _, joints in worn for joint in joints):
        seen = ("mesh" in node and "skin" not in node) or "camera" in node or extra or \
            "KHR_lights_punctual" in node.get("extensions", {})
        return wearer(index) if seen else None
    if "skin" in node and not node.get("children"):
        return None
    return wearer(parents_of(model).get(index))


def compare_follower(report, where, model, blob, index, rows, extra):
    followed = followed_bone(model, index, extra)
    if not report.equal(where + " has the component attach_to_joint", len(rows), int(followed is not None)) or not followed:
        return
    node = model.nodes[index] if followed[1] != index else {}
    entities = {node: entity for entity, node in entities_of(model)}
    report.equal(where + ".skin", rows[0]["skin"], entities[followed[0]])
    report.equal(where + ".joint", rows[0]["joint"], name_ids(model, blob)[followed[1]])
    for field, key, usual in (("position", "translation", (0, 0, 0)), ("rotation", "rotation", (0, 0, 0, 1)), ("scale", "scale", (1, 1, 1))):
        if "matrix" not in node:
            report.same("%s.%s" % (where, field), rows[0][field], singles(node.get(key, usual)))


def animators_of(model):
    """({node: number of its animator}, [animation of each animator]). The first animation that moves a node; bones of a
    skin that a node wears are moved by that."""
    worn = [joint for node, _ in model.order if {"skin", "mesh"} <= set(model.nodes[node])
            for joint in model.items("skins")[model.nodes[node]["skin"]]["joints"]]
    bones = {node for joint in worn for node in above(model, joint)}
    first = {}
    for number, animation in enumerate(model.items("animations")):
        for node in moved_by(model, animation, False) - bones:
            first.setdefault(node, number)
    order = sorted(set(first.values()))
    return {node: order.index(number) for node, number in first.items()}, order


def compare_animators(report, model, blob, rows, names):
    played = animators_of(model)[1]
    if not report.equal("entities[0]: animators", len(rows), len(played)):
        return
    for i, (row, number) in enumerate(zip(rows, played)):
        where = "entities[0].animator[%d]" % i
        report.equal(where + ".clip", reference(blob, row["clip"]), names["clips"][number])
        for name, want in (("time_s", 0), ("second_time_s", 0), ("speed", 1), ("blend", 0), ("end", 0)):
            report.equal("%s.%s" % (where, name), row[name], want)


def compare_animated(report, where, model, blob, index, rows):
    moved, node = animators_of(model)[0], model.nodes[index]
    if not report.equal(where + " has the component animated_node", len(rows), int(index in moved)) or not rows:
        return
    report.equal(where + ".animator", rows[0]["animator"], 0)
    report.equal(where + ".index", rows[0]["index"], moved[index])
    report.equal(where + ".node", rows[0]["node"], node_ids(model, blob)[index])
    for field, key, usual in (("position", "translation", (0, 0, 0)), ("rotation", "rotation", (0, 0, 0, 1)), ("scale", "scale", (1, 1, 1))):
        if "matrix" not in node:
            report.same("%s.%s" % (where, field), rows[0][field], singles(node.get(key, usual)))


def is_skin(model, index):
    """Has the node a skeleton, or weights that are animated?"""
    node = model.nodes[index]
    return "skin" in node or ("mesh" in node and bool(clips_of_weights(model, index)))


def compare_skin(report, where, model, blob, index, row, names):
    node, weights = model.nodes[index], clips_of_weights(model, index)
    skeleton = names["skeletons"][node["skin"]] if "skin" in node else None
    clips = (clips_of_skin(model, node["skin"]) if "skin" in node else []) or weights
    report.equal(where + ".skeleton", reference(blob, row["skeleton"]), skeleton)
    report.equal(where + ".clip", reference(blob, row["clip"]), names["clips"][clips[0]] if clips else None)
    report.equal(where + ".second_clip", reference(blob, row["second_clip"]), None)
    report.equal(where + ".root", row["root"], 0 if "skin" in node else format_reader.NO_ENTITY)
    report.equal(where + ".node", row["node"], node_ids(model, blob)[index] if weights else 0)
    for name, want in (("time_s", 0), ("second_time_s", 0), ("speed", 1), ("blend", 0), ("end", 0)):
        report.equal("%s.%s" % (where, name), row[name], want)


def compare_camera(report, where, camera, row):
    lens = camera[camera["type"]]
    want = {"kind": ("perspective", "orthographic").index(camera["type"]), "target": format_reader.NO_ENTITY}
    if camera["type"] == "perspective":
        want.update(vertical_fov_rad=lens["yfov"], aspect=lens.get("aspectRatio", 0), near_m=lens["znear"],
                    far_m=lens.get("zfar", 0))
    else:
        want.update(height_m=2 * lens["ymag"], aspect=lens["xmag"] / lens["ymag"], near_m=max(lens["znear"], 1e-5),
                    far_m=lens["zfar"])
    for key, value in want.items():
        report.same("%s.camera.%s" % (where, key), row[key], single(value) if isinstance(value, float) else value)


def range_of(light):
    """Without a range, the distance at which a lamp illuminates 0.01 lx."""
    reach = 1e6 if light["type"] == "directional" else math.sqrt(light.get("intensity", 1) / 0.01)
    return light.get("range", min(max(reach, 0.001), 1e6))


def compare_light(report, where, light, row):
    spot = light.get("spot", {})
    kind = ("point", "spot", "directional").index(light["type"])
    inner, outer = spot.get("innerConeAngle", 0), spot.get("outerConeAngle", math.pi / 4)
    for key, value in (("kind", kind), ("color", singles(light.get("color", (1, 1, 1)))),
                       ("intensity", single(light.get("intensity", 1))), ("range_m", single(range_of(light))),
                       ("inner_angle_rad", single(inner)), ("outer_angle_rad", single(outer))):
        report.same("%s.light.%s" % (where, key), row[key], value)


def extras_components(records, *layers):
    """{component: {field: value}} of the extras of objects, the last one has precedence."""
    out = {}
    for owner in layers:
        extras = owner.get("extras")
        for key, value in extras.items() if isinstance(extras, dict) else ():
            name, _, field = key.partition(".")
            found = {name: value}
            if key == "components":
                found = value
            elif field:
                found = {name: {field: value}}
            elif isinstance(value, str) and name in records:
                found = {name: json.loads(value)}
            for component, fields in found.items():
                if component in records and isinstance(fields, dict):
                    out.setdefault(component, {}).update(fields)
    return out


def extras_of(model, page, node):
    """Those of its materials, its mesh and its own."""
    records = {record.name: record for record in page.components.values()}
    mesh = model.items("meshes")[node["mesh"]] if "mesh" in node else {"primitives": []}
    materials = [model.items("materials")[p["material"]] for p in mesh["primitives"] if "material" in p]
    return extras_components(records, *materials, mesh, node)


def compare_extras(report, where, blob, components, found, entity):
    """Numbers, flags, texts and lists of numbers."""
    records = {record.name: record for record in blob.page.components.values()}
    for name, fields in components.items():
        rows = found.get(name, {}).get(entity, [])
        if not report.equal("%s has the component %s" % (where, name), len(rows), 1):
            continue
        for field in records[name].fields:
            want = fields.get(field.name)
            if want is None or isinstance(want, dict):
                continue
            here = "%s.%s.%s" % (where, name, field.name)
            got = rows[0][field.name]
            if isinstance(want, str):
                want = field.list.index(want) if field.kind == "Enum32" else format_reader.id32(want)
                report.equal(here, got, want)
            elif isinstance(want, list):
                report.same(here, got, singles(want))
            else:
                report.same(here, got, single(want) if field.kind == "f32" else int(want))


def compare_entities(report, model, blob, names):
    found = components_of(blob)
    scenes = model.items("scenes")
    extra = extras_components({record.name for record in blob.page.components.values()},
                              scenes[model.json.get("scene", 0)] if scenes else {})
    compare_extras(report, "entities[0]", blob, extra, found, 0)
    if "animator" not in extra:
        compare_animators(report, model, blob, found.get("animator", {}).get(0, []), names)
    for entity, index in entities_of(model):
        node = model.nodes[index]
        where = "entities[%d]" % entity
        extra = extras_of(model, blob.page, node)
        light = node.get("extensions", {}).get("KHR_lights_punctual")
        rows = {}
        for name in ("mesh", "skin", "camera", "light"):
            rows[name] = found.get(name, {}).get(entity, [])
            is_present = light is not None if name == "light" else name in node
            if name == "skin":
                is_present = is_skin(model, index)
            if name not in extra:
                report.equal("%s has the component %s" % (where, name), len(rows[name]), int(is_present))
        if "mesh" in node and rows["mesh"]:
            report.equal(where + ".mesh", reference(blob, rows["mesh"][0]["resource"]), names["meshes"][node["mesh"]])
        if is_skin(model, index) and rows["skin"] and "skin" not in extra:
            compare_skin(report, where + ".skin", model, blob, index, rows["skin"][0], names)
        if "attach_to_joint" not in extra:
            compare_follower(report, where + ".attach_to_joint", model, blob, index, found.get("attach_to_joint", {}).get(entity, []),
                             extras_components({record.name: record for record in blob.page.components.values()}, node))
        if "animated_node" not in extra:
            compare_animated(report, where + ".animated_node", model, blob, index, found.get("animated_node", {}).get(entity, []))
        compare_weights(report, where, model, node, found.get("morph_weight", {}).get(entity, []))
        if "camera" in node and rows["camera"]:
            compare_camera(report, where, model.items("cameras")[node["camera"]], rows["camera"][0])
        if light is not None and rows["light"]:
            lights = model.json["extensions"]["KHR_lights_punctual"]["lights"]
            compare_light(report, where, lights[light["light"]], rows["light"][0])
        compare_extras(report, where, blob, extra, found, entity)


# --- skeletons and clips ---


def node_ids(model, blob):
    """{node: id of its path below the root}."""
    return {node: format_reader.id32(blob.path(entity).split("/", 1)[1])
            for entity, node in entities_of(model)}


def name_ids(model, blob):
    """{node: id of its own name}."""
    return {node: format_reader.id32(blob.path(entity).rsplit("/", 1)[1])
            for entity, node in entities_of(model)}


def compare_skeleton(report, title, model, skin, blob, ids, entity):
    binds, joints = blob.rows_of("bind"), blob.rows_of("joint")
    if not report.equal(title + ".bind", len(binds), len(skin["joints"])):
        return
    matrices = [gltf_oracle.IDENTITY] * len(binds)
    if "inverseBindMatrices" in skin:
        matrices = [gltf_oracle.from_columns(m) for m in model.accessor(skin["inverseBindMatrices"])]
    for i, (row, joint, matrix) in enumerate(zip(binds, skin["joints"], matrices)):
        where = "%s.bind[%d]" % (title, i)
        report.equal(where + ".joint", joints[row[0]][1], ids[joint])
        report.equal(where + ".name", joints[row[0]][2], name_ids(model, entity)[joint])
        report.same(where, row[1] + row[2] + row[3], tuple(matrix))


def channels_of(model, animation, weights):
    """Channels that are compiled: (node, path, sampler)."""
    scene = {node for node, _ in model.order}
    for channel in animation["channels"]:
        target = channel["target"]
        if target.get("node") in scene and (target["path"] == "weights") == weights:
            yield target["node"], target["path"], animation["samplers"][channel["sampler"]]


def compare_keys(report, where, model, sampler, blob, row, sections, values):
    """`row` ends with interpolation, first_time, key_count and first_value."""
    interpolation, first, keys, place = row[2:]
    times = model.scalars(sampler["input"])
    kinds = ("STEP", "LINEAR", "CUBICSPLINE")
    want = sampler.get("interpolation", "LINEAR")
    if want == "CUBICSPLINE" and len(times) == 1:  # its tangents have no meaning
        want, values = "STEP", values[len(values) // 3:len(values) // 3 * 2]
    report.equal(where + ".interpolation", kinds[interpolation], want)
    if report.equal(where + ".key_count", keys, len(times)):
        stored = [line[0] for line in blob.rows_of(sections[0])[first:first + keys]]
        report.same(where + ".times", stored, list(times))
        got = [line[0] for line in blob.rows_of(sections[1])[place:place + len(values)]]
        unit_length = row[1] == 1 and sections[0] == "key_time" and interpolation < 2
        report.same(where + ".values", got, values, 1e-6 if unit_length else 0)


def rotation_unpacked(low, high):
    """Two words as FORMAT.md describes them."""
    parts = [low & 0xfffff, low >> 20 | (high & 0xff) << 12, high >> 8 & 0xfffff]
    q = [(part / 1048575 * 2 - 1) * math.sqrt(0.5) for part in parts]
    q.insert(high >> 28 & 3, math.sqrt(max(1 - sum(v * v for v in q), 0)))
    return q


def vector_unpacked(box, low, high):
    parts = [low & 0x1fffff, low >> 21 | (high & 0x3ff) << 11, high >> 10 & 0x1fffff]
    return [box[i] + box[3 + i] * part / 2097151 for i, part in enumerate(parts)]


def stored_values(blob, row):
    """The values of the keys of a track that is not cubic, and how much each may differ."""
    _, channel, _, packing, _, keys, first = row
    if packing == 0:
        size = 4 if channel == 1 else 3
        flat = [line[0] for line in blob.rows_of("key_value")[first:first + keys * size]]
        return [flat[i:i + size] for i in range(0, len(flat), size)], 1e-6 if channel == 1 else 0
    words = [line[0] for line in blob.rows_of("key_packed")[first:first + keys * 2 + (0 if channel == 1 else 6)]]
    if channel == 1:
        return [rotation_unpacked(*words[i:i + 2]) for i in range(0, len(words), 2)], 3e-6
    box = struct.unpack("<6f", struct.pack("<6I", *words[:6]))
    return [vector_unpacked(box, *words[i:i + 2]) for i in range(6, len(words), 2)], 1e-6 * max(box[3:]) + 1e-12


def farthest(got, want):
    """The largest difference of a component; q and -q are the same rotation."""
    apart = max(abs(a - b) for a, b in zip(got, want))
    return min(apart, max(abs(a + b) for a, b in zip(got, want))) if len(want) == 4 else apart


def rest_value(node, path):
    usual = {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]}
    return node.get(path, usual[path])


def compare_packed(report, where, model, node, path, times, values, blob, row):
    """A track that may be left out because it keeps the rest pose, may have one key, and may be packed."""
    size = 1e-5 * max([1.0] + [abs(v) for value in values for v in value])
    if row is None:
        apart = max(farthest(value, rest_value(node, path)) for value in values)
        report.check(where, apart <= size, "is left out, but differs from the rest pose by %g" % apart)
        return
    got, largest = stored_values(blob, row)
    if len(got) == 1 and len(values) > 1:
        apart = max(farthest(got[0], value) for value in values)
        report.check(where, apart <= size, "has one key, but its values differ by %g" % apart)
        return
    if not report.equal(where + ".key_count", len(got), len(values)):
        return
    stored = [line[0] for line in blob.rows_of("key_time")[row[4]:row[4] + row[5]]]
    report.same(where + ".times", stored, list(times))
    for i, (have, value) in enumerate(zip(got, values)):
        report.check("%s.values[%d]" % (where, i), farthest(have, value) <= largest + 1e-7 * size,
                     "is %r, expected %r" % (have, value))


def compare_cubic(report, where, model, sampler, blob, row):
    values = [v for value in model.accessor(sampler["output"]) for v in singles(value)]
    report.equal(where + ".packing", row[3], 0)
    compare_keys(report, where, model, sampler, blob, row[:3] + row[4:], ("key_time", "key_value"), values)


def compare_clip(report, title, model, animation, blob, ids):
    rows = {(row[0], row[1]): row for row in blob.rows_of("track")}
    for i, (node, path, sampler) in enumerate(channels_of(model, animation, False)):
        where = "%s.channels[%d]" % (title, i)
        row = rows.pop((ids[node], ("translation", "rotation", "scale").index(path)), None)
        values = model.accessor(sampler["output"])
        if sampler.get("interpolation") == "CUBICSPLINE":
            if row is not None and row[2] == 2:
                compare_cubic(report, where, model, sampler, blob, row)
                continue
            values = values[1::3]
        elif path == "rotation":
            values = [unit(value) for value in values]
        compare_packed(report, where, model, model.nodes[node], path, model.scalars(sampler["input"]), values, blob, row)
    report.equal(title + ": tracks without a channel", len(rows), 0)
    morphs = list(channels_of(model, animation, True))
    if report.equal(title + ".morph_track", len(blob.rows_of("morph_track")), len(morphs)):
        for i, ((node, _, sampler), row) in enumerate(zip(morphs, blob.rows_of("morph_track"))):
            where = "%s.morph_track[%d]" % (title, i)
            mesh = model.items("meshes")[model.nodes[node]["mesh"]]
            report.equal(where + ".node", row[0], ids[node])
            report.equal(where + ".target_count", row[1], len(mesh["primitives"][0]["targets"]))
            values = list(singles(model.scalars(sampler["output"])))
            compare_keys(report, where, model, sampler, blob, row, ("morph_time", "morph_weights"), values)


# --- materials ---


def transmission_of(material):
    return material.get("extensions", {}).get("KHR_materials_transmission", {}).get("transmissionFactor", 0)


def compare_factors(report, title, material, row):
    surface = material.get("pbrMetallicRoughness", {})
    color = singles(surface.get("baseColorFactor", (1, 1, 1, 1)))
    extension = material.get("extensions", {}).get("KHR_materials_emissive_strength", {})
    strength = extension.get("emissiveStrength", 1)
    emissive = [v * strength for v in material.get("emissiveFactor", (0, 0, 0))]
    properties = material.get("extras", {})
    glass = transmission_of(material)
    coat = material.get("extensions", {}).get("KHR_materials_clearcoat", {})
    body = material.get("extensions", {}).get("KHR_materials_volume", {}) if glass else {}
    index = material.get("extensions", {}).get("KHR_materials_ior", {}).get("ior", 1.5)
    thick = properties.get("thickness_m", body.get("thicknessFactor", 0)) if glass else 0
    left = [1 if thick == 0 or "attenuationDistance" not in body else v ** (thick / body["attenuationDistance"])
            for v in body.get("attenuationColor", [1, 1, 1])]
    alpha = "BLEND" if glass else material.get("alphaMode", "OPAQUE")
    opacity = 1 if glass and material.get("alphaMode", "OPAQUE") == "OPAQUE" else color[3]
    # Nothing reaches such a cutoff.
    is_gone = material.get("alphaMode") == "MASK" and material.get("alphaCutoff", 0.5) > 1
    want = {"base_color": color[:3], "opacity": 0 if is_gone else opacity, "alpha_mode": ("OPAQUE", "MASK", "BLEND").index(alpha),
            "alpha_cutoff": single(min(material.get("alphaCutoff", 0.5), 1)),
            "roughness": single(surface.get("roughnessFactor", 1)),
            "metallic": single(surface.get("metallicFactor", 1)), "emissive": singles(emissive),
            "refraction": single(properties.get("refraction", 2 * (min(index, 3) - 1) if glass else 0)),
            "transmission": single(glass), "transmission_color": singles(left),
            "thickness_m": single(thick), "clearcoat": single(coat.get("clearcoatFactor", 0)),
            "clearcoat_roughness": single(coat.get("clearcoatRoughnessFactor", 0)),
            "caustic_strength": single(properties.get("caustic_strength", 0)),
            "normal_scroll": [single(v) for v in properties.get("normal_scroll", [0, 0, 0, 0])], "double_sided": int(material.get("doubleSided", False))}
    for key, value in want.items():
        report.same("%s.%s" % (title, key), row[key], value)


def image_bytes(model, index):
    image = model.items("images")[index]
    if "bufferView" in image:
        view = model.json["bufferViews"][image["bufferView"]]
        start = view.get("byteOffset", 0)
        return bytes(model.buffers[view["buffer"]][start:start + view["byteLength"]])
    uri = image["uri"]
    if uri.startswith("data:"):
        head, body = uri.split(",", 1)
        return base64.b64decode(unquote(body)) if head.endswith(";base64") else unquote_to_bytes(body)
    return (model.folder / unquote(uri)).read_bytes()


def slot_info(material, slot, key):
    owner = material.get("pbrMetallicRoughness", {}) if slot in IN_SURFACE else material
    return owner.get(key)


class Slot:
    """A texture slot of a material."""

    def __init__(self, model, material, slot, info):
        self.info, self.slot = info, slot
        self.texture = model.items("textures")[info["index"]]
        self.image = self.texture.get("source")
        self.transform = info.get("extensions", {}).get("KHR_texture_transform", {})
        self.uv_set = self.transform.get("texCoord", info.get("texCoord", 0))
        self.sampler = {}
        if "sampler" in self.texture:
            self.sampler = model.items("samplers")[self.texture["sampler"]]
        self.kind, self.has_alpha, cutoff = "data", False, None
        if slot in ("base_color", "emissive"):
            self.kind = "color"
        if slot == "normal":
            self.kind = "normal"
        if slot == "occlusion":
            surface = slot_info(material, *SLOTS[1])
            other = model.items("textures")[surface["index"]].get("source") if surface else None
            self.kind = "data" if self.image == other else "mask"
        if slot == "base_color" and material.get("alphaMode", "OPAQUE") != "OPAQUE":
            self.has_alpha = True
            opacity = material.get("pbrMetallicRoughness", {}).get("baseColorFactor", (1, 1, 1, 1))[3]
            if material["alphaMode"] == "MASK" and not transmission_of(material) and opacity > 0 and material.get("alphaCutoff", 0.5) <= 1:
                cutoff = min(material.get("alphaCutoff", 0.5) / opacity, 1)
        self.settings = (self.image, self.kind, self.has_alpha, cutoff, *sampler_of(self.sampler))

    def is_compiled(self, model):
        """Images of other formats, and sets of coordinates after the second one, are not."""
        if self.image is None or self.uv_set > 1:
            return False
        return image_bytes(model, self.image).startswith((picture_reader.PNG, JPEG))


def sampler_of(sampler):
    """(wrap_u, wrap_v, magnify, minify, between_levels, all levels)."""
    magnify = "nearest" if sampler.get("magFilter") == NEAREST else "linear"
    return (WRAPS[sampler.get("wrapS", REPEAT)], WRAPS[sampler.get("wrapT", REPEAT)], magnify,
            *FILTERS[sampler.get("minFilter", 9987)])


def slots_of(model, material):
    slots = [Slot(model, material, slot, info) for slot, key in SLOTS
             for info in [slot_info(material, slot, key)] if info]
    return [slot for slot in slots if slot.is_compiled(model)]


def compare_slots(report, title, slots, blob):
    """Yields each slot with the name of its texture."""
    rows = blob.rows_of("material_texture")
    names = blob.page.records["material_texture"].fields[0].list
    if not report.equal(title + ".slots", [names[row[0]] for row in rows], [slot.slot for slot in slots]):
        return []
    for slot, (_, _, uv_set, offset, rotation, scale, strength) in zip(slots, rows):
        where = "%s.%s" % (title, slot.slot)
        key = {"normal": "scale", "occlusion": "strength"}.get(slot.slot)
        report.equal(where + ".uv_set", uv_set, slot.uv_set)
        report.same(where + ".offset", offset, singles(slot.transform.get("offset", (0, 0))))
        report.same(where + ".rotation_rad", rotation, single(slot.transform.get("rotation", 0)))
        report.same(where + ".scale", scale, singles(slot.transform.get("scale", (1, 1))))
        report.same(where + ".strength", strength, single(slot.info.get(key, 1) if key else 1))
    return [(slot, blob.references[index_of(row[1])][1]) for slot, row in zip(slots, rows)]


# --- textures ---


def shown_texture(blob):
    """The fields of the record, enums as texts."""
    record = blob.page.records["texture"]
    return {field.name: blob.show(field, value) for field, value in zip(record.fields, blob.rows_of("texture")[0])}


def blocks_harm(picture, has_alpha):
    """Is the best that blocks with colours on a straight line can do far from the image? The line through the mean
    with the direction of the largest variance has the least error in the squares of all channels together."""
    planes = picture.planes[:3]
    total, count = 0.0, 0
    for top in range(0, picture.height, 4):
        for left in range(0, picture.width, 4):
            at = [y * picture.width + x for y in range(top, min(top + 4, picture.height))
                  for x in range(left, min(left + 4, picture.width))]
            colors = [[plane[i] for plane in planes] for i in at if not has_alpha or picture.planes[3][i]]
            if len({tuple(color) for color in colors}) < 2:
                continue
            total += squares_from_line(colors)
            count += len(colors)
    return count > 0 and (total / count) ** 0.5 > HARM_MIN


def squares_from_line(colors):
    mean = [sum(channel) / len(colors) for channel in zip(*colors)]
    apart = [[a - b for a, b in zip(color, mean)] for color in colors]
    axis = max(apart, key=lambda d: sum(v * v for v in d))
    for _ in range(20):  # the power method
        turned = [sum(d[c] * sum(a * b for a, b in zip(d, axis)) for d in apart) for c in range(3)]
        length = sum(v * v for v in turned) ** 0.5
        if length == 0:
            return 0.0
        axis = [v / length for v in turned]
    return sum(sum(v * v for v in d) - sum(a * b for a, b in zip(d, axis)) ** 2 for d in apart)


def compare_size(report, title, picture, info):
    return report.equal(title + ".size", (info["width"], info["height"]), (picture.width, picture.height))


def compare_pixels(report, title, picture, blob, has_alpha):
    """The first level with the image."""
    info = shown_texture(blob)
    if not compare_size(report, title, picture, info):
        return
    section, first = blob.by_name["texture_data"], blob.rows_of("texture_level")[0]
    data = blob.data[section.offset:section.offset + first[1]]
    planes = picture.planes[:3] + [picture.planes[3] if has_alpha else b"\xff" * len(picture.planes[0])]
    got = picture_reader.decode(info["format"], data, picture.width, picture.height)
    if info["format"] in ("rgba8", "r8"):
        for channel, plane in got:
            report.compared += len(plane)
            if plane != planes[channel]:
                report.wrong("%s, channel %d" % (title, channel), "%d pixels differ" %
                             sum(a != b for a, b in zip(plane, planes[channel])))
        return
    groups = [got[:3], got[3:]] if info["format"] in ("bc1", "bc3") else [[one] for one in got]
    for group in [group for group in groups if group]:
        bound = COLOR_BOUND if len(group) == 3 else VALUE_BOUND
        value = picture_reader.psnr([(plane, planes[channel]) for channel, plane in group])
        if os.environ.get("MODEL_ORACLE_PSNR"):
            print("%s: %s: %s: %.2f dB" % (report.title, title, info["format"], value))
        report.check("%s, channel %d" % (title, group[0][0]), value >= bound,
                     "%s with a PSNR of %.2f dB, expected %.2f" % (info["format"], value, bound))


def compare_texture(report, title, model, slot, blob):
    info = shown_texture(blob)
    for key, want in zip(("wrap_u", "wrap_v", "magnify", "minify", "between_levels"), sampler_of(slot.sampler)):
        report.equal("%s.%s" % (title, key), info[key], want)
    largest = max(info["width"], info["height"]).bit_length()
    report.equal(title + ".level_count", info["level_count"], largest if sampler_of(slot.sampler)[5] else 1)
    report.equal(title + ".color_space", info["color_space"], "srgb" if slot.kind == "color" else "linear")
    report.equal(title + ".premultiplied", info["premultiplied"], False)
    data = image_bytes(model, slot.image)
    if data[:8] != picture_reader.PNG:
        report.skipped += 1
        return
    picture = picture_reader.read_png(data)
    if not compare_size(report, title, picture, info):
        return
    transparent = slot.has_alpha and picture.planes[3].count(b"\xff") < len(picture.planes[3])
    plain = "r8" if slot.kind == "mask" else "rgba8"
    pixels = {"normal": "bc5", "mask": "bc4"}.get(slot.kind, "bc3" if transparent else "bc1")
    if info["magnify"] == "nearest" or max(picture.width, picture.height) <= PLAIN_SIDE:
        pixels = plain
    elif info["format"] == plain:  # only an image that compression would change too much
        pixels = plain
        report.check(title + ".format", blocks_harm(picture, slot.has_alpha),
                     "%s, but blocks would be similar enough" % plain)
    if report.equal(title + ".format", info["format"], pixels):
        compare_pixels(report, title, picture, blob, slot.has_alpha)


def compare_materials(report, model, names, read):
    """Materials, and then the textures to which they refer."""
    textures, named = {}, {}
    for i, material in enumerate(model.items("materials")):
        title = "materials[%d]" % i
        blob = read(names["materials"][i], "material")
        record = blob.page.records["material"]
        row = dict(zip([field.name for field in record.fields], blob.rows_of("material")[0]))
        compare_factors(report, title, material, row)
        for slot, name in compare_slots(report, title, slots_of(model, material), blob):
            report.equal("%s.%s: one texture for each use of an image" % (title, slot.slot),
                         named.setdefault(slot.settings, name), name)
            textures.setdefault(name, slot)
    report.equal("textures", sorted(textures), sorted(names["textures"]))
    report.equal("number of textures", len(textures), len(named))
    for name, slot in textures.items():
        compare_texture(report, name, model, slot, read(name, "texture"))


# --- files ---


def compare_model(report, page, path, folder, names):
    def read(name, kind):
        return format_reader.read_blob(page, "%s/%s.%s" % (folder, name, kind))
    model = gltf_oracle.Model(path)
    for key, kind in (("meshes", "meshes"), ("skins", "skeletons"), ("animations", "clips"),
                      ("materials", "materials")):
        if not report.equal("number of " + kind, len(names[kind]), len(model.items(key))):
            return
    entity = read(report.title, "entity")
    ids = node_ids(model, entity)
    compare_entities(report, model, entity, names)
    for i, mesh in enumerate(model.items("meshes")):
        compare_mesh(report, "meshes[%d]" % i, model, mesh, read(names["meshes"][i], "mesh"), names)
    for i, skin in enumerate(model.items("skins")):
        compare_skeleton(report, "skins[%d]" % i, model, skin, read(names["skeletons"][i], "skeleton"), ids,
                         entity)
    for i, animation in enumerate(model.items("animations")):
        compare_clip(report, "animations[%d]" % i, model, animation, read(names["clips"][i], "clip"), ids)
    compare_materials(report, model, names, read)


def check_model(page, path, folder, probe):
    with open(probe, encoding="utf-8") as file:
        probe = json.load(file)
    report = Report(probe["model"])
    compare_model(report, page, path, folder, probe["names"])
    return report


def check_texture(page, image, texture):
    report = Report(texture)
    blob = format_reader.read_blob(page, texture)
    picture = picture_reader.read_png(Path(image).read_bytes())
    compare_pixels(report, "level 0", picture, blob, blob.rows_of("texture")[0][4] in (0, 3))
    return report


def main(arguments):
    textures = arguments[:1] == ["--textures"]
    check, files = (check_texture, arguments[1:]) if textures else (check_model, arguments)
    step = 2 if textures else 3
    if not files or len(files) % step:
        sys.exit(__doc__.split("\n\n")[1].strip("\n"))
    page = format_reader.Page(Path(__file__).resolve().parent.parent.parent / "formats" / "FORMAT.md")
    total = Counter(compared=0, different=0, skipped=0)
    for i in range(0, len(files), step):
        try:
            report = check(page, *files[i:i + step])
            total.update(compared=report.compared, different=report.different, skipped=report.skipped)
        except (ValueError, OSError, LookupError, TypeError, AttributeError, ArithmeticError, struct.error,
                format_reader.Refused) as error:
            print("%s: cannot compare: %s: %s" % (files[i], type(error).__name__, error))
            total["different"] += 1
    skipped = ", %d skipped" % total["skipped"] if total["skipped"] else ""
    print("%d values compared, %d different%s" % (total["compared"], total["different"], skipped))
    return 1 if total["different"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
