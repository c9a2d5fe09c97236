#!/usr/bin/env python3
"""gltf_oracle.py - checks that a glTF 2.0 model was compiled and spawned correctly.

    gltf_oracle.py MODEL.gltf|MODEL.glb PROBE.json [MODEL PROBE.json]...

Reads the model independently, in doubles, without code of entc, and compares with what a C program
reads after compiling and spawning. One line per mismatch, then `N values compared, N different`;
exit 0 when nothing differs, else 1. Python 3.9, standard library only.

The probe:

    {"model": "models/fox",                        only printed
     "entities":  [{"name": "fox", "parent": -1, "world": [12 numbers]}, ...],
     "meshes":    [{"vertices": n, "indices": n, "parts": n, "bounds": [6 numbers],
                    "surface": x}, ...],
     "skeletons": [{"joints": n}, ...],
     "clips":     [{"duration": s}, ...],
     "poses":     [{"skin": i, "clip": i, "time": t, "palette": [[12 numbers], ...]}, ...],
     "names":     {...}}                           for model_oracle.py

A matrix is rows 0 to 2 of a 4x4 matrix for column vectors.

  entities   [0] is the model's root with the identity; then the nodes of the default scene
             (`scene`, else scene 0, else every node without a parent), depth first, children in
             file order. `parent` indexes this list. `world` is relative to [0]. Names: letters and
             digits of the file's name, in lower case, begin those of the entity's (unless the
             file's is not ASCII); siblings differ.
  meshes     as the file's meshes. `parts`: primitives (those without POSITION are not there).
             `indices`: as lists, strips, fans and loops unrolled, without triangles of which two
             corners are the same vertex (but at least one triangle). `vertices`: different indices
             per indexed primitive; of others any number from its different positions to its
             different vertices. `bounds`: least and greatest x y z of vertices in use. `surface`:
             sum of the triangles' areas.
  skeletons  as the file's skins. `joints`: of the skin, nodes in between not counted.
  clips      as the file's animations. `duration`: last key of all tracks that animate a node of the
             scene; 0 without any.
  poses      any choice, each skin at least once when there are clips. palette[k] = global matrix of
             joint k in the scene, with the clip at `time` (clip -1: at rest), times inverse bind k.

Rotations are normalised: at rest, linear and step keys before, cubic ones after they
are interpolated. Times before the first or after the last key of a track give that key.

Tolerances: counts none; bounds 1e-6 of the mesh's greatest coordinate; surface 1e-4 of itself;
duration 1e-6 of itself. Matrices, columns 0 to 2: 1e-4 of the column's length; column 3: 1e-4 of
the number plus 1e-5 of the greatest distance from the origin that the product passes through.
"""
import base64
import json
import math
import re
import struct
import sys
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes

IDENTITY = [1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0, 0]
COMPONENT = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}
NORMALIZED = {5120: 127.0, 5121: 255.0, 5122: 32767.0, 5123: 65535.0}
WIDTH = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
STREAMS = ("POSITION", "NORMAL", "TANGENT", "TEXCOORD_0", "TEXCOORD_1", "COLOR_0", "JOINTS_0", "WEIGHTS_0",
           "JOINTS_1", "WEIGHTS_1", "JOINTS_2", "WEIGHTS_2", "JOINTS_3", "WEIGHTS_3")
DISPLACEMENTS = ("POSITION", "NORMAL", "TANGENT")
POINTS, LINES, LINE_LOOP, LINE_STRIP, TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN = range(7)


# --- matrices: 12 numbers, rows 0 to 2 ---


def multiply(a, b):
    out = []
    for r in range(0, 12, 4):
        for c in range(4):
            out.append(a[r] * b[c] + a[r + 1] * b[4 + c] + a[r + 2] * b[8 + c]
                       + (a[r + 3] if c == 3 else 0.0))
    return out


def from_columns(m):
    """From glTF's 16 numbers, column by column."""
    return [m[4 * c + r] for r in range(3) for c in range(4)]


def from_parts(translation, rotation, scale):
    x, y, z, w = unit(rotation)
    turn = ((1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
            (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
            (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)))
    return [v for r in range(3)
            for v in [turn[r][c] * scale[c] for c in range(3)] + [translation[r]]]


def unit(q):
    length = math.sqrt(sum(v * v for v in q))
    return [v / length for v in q]


def reach(m):
    """Distance of the matrix's origin from the origin."""
    return math.sqrt(m[3] ** 2 + m[7] ** 2 + m[11] ** 2)


def stretch(m):
    return math.sqrt(sum(m[r + c] ** 2 for r in (0, 4, 8) for c in range(3)))


# --- the file ---


class Model:
    def __init__(self, path):
        path = Path(path)
        self.folder = path.parent
        self.blob = None  # the binary chunk of a .glb
        self.read = {}    # accessors that have been read
        data = path.read_bytes()
        if data[:4] == b"glTF":
            data = self.split_container(data)
        self.json = json.loads(data.decode("utf-8"))
        self.buffers = [self.read_buffer(b) for b in self.items("buffers")]
        self.nodes = self.items("nodes")
        self.parent = {}
        for i, node in enumerate(self.nodes):
            for child in node.get("children", []):
                self.parent[child] = i
        self.order = self.walk_scene()

    def items(self, key):
        return self.json.get(key, [])

    def split_container(self, data):
        at, text = 12, None
        end = struct.unpack_from("<I", data, 8)[0]
        while at + 8 <= end:
            size, kind = struct.unpack_from("<I4s", data, at)
            chunk = data[at + 8:at + 8 + size]
            if kind == b"JSON" and text is None:
                text = chunk
            elif kind == b"BIN\0" and self.blob is None:
                self.blob = chunk
            at += 8 + size
        return text

    def read_buffer(self, buffer):
        uri = buffer.get("uri")
        if uri is None:
            return self.blob
        if uri.startswith("data:"):
            head, body = uri.split(",", 1)
            return base64.b64decode(body) if head.endswith(";base64") else unquote_to_bytes(body)
        return (self.folder / unquote(uri)).read_bytes()

    def walk_scene(self):
        """[(node, its parent's place in the entities)], for entities 1 and up."""
        scenes = self.items("scenes")
        if scenes:
            roots = scenes[self.json.get("scene", 0)].get("nodes", [])
        else:
            roots = [i for i in range(len(self.nodes)) if i not in self.parent]
        order, stack = [], [(root, 0) for root in reversed(roots)]
        while stack:
            node, parent = stack.pop()
            order.append((node, parent))
            if len(order) > len(self.nodes):
                raise ValueError("nodes are not a tree")
            children = self.nodes[node].get("children", [])
            stack += [(child, len(order)) for child in reversed(children)]
        return order

    def read_view(self, view, offset, count, component, width):
        """`count` tuples of `width` numbers, as in the file."""
        view = self.json["bufferViews"][view]
        one = struct.Struct("<%d%s" % (width, COMPONENT[component]))
        step = view.get("byteStride", one.size)
        start = view.get("byteOffset", 0) + offset
        data = self.buffers[view["buffer"]]
        return [one.unpack_from(data, start + i * step) for i in range(count)]

    def accessor(self, index):
        """The accessor's elements as tuples: floats, or ints when they are not normalised."""
        if index not in self.read:
            self.read[index] = self.read_accessor(index)
        return self.read[index]

    def read_accessor(self, index):
        a = self.json["accessors"][index]
        count, component, width = a["count"], a["componentType"], WIDTH[a["type"]]
        if "bufferView" in a:
            out = self.read_view(a["bufferView"], a.get("byteOffset", 0), count, component, width)
        else:
            out = [(0,) * width] * count
        if "sparse" in a:
            sparse = a["sparse"]
            at, new = sparse["indices"], sparse["values"]
            places = self.read_view(at["bufferView"], at.get("byteOffset", 0), sparse["count"],
                                    at["componentType"], 1)
            values = self.read_view(new["bufferView"], new.get("byteOffset", 0), sparse["count"],
                                    component, width)
            for (place,), value in zip(places, values):
                out[place] = value
        if a.get("normalized"):
            largest = NORMALIZED[component]
            out = [tuple(max(v / largest, -1.0) for v in value) for value in out]
        return out

    def scalars(self, index):
        return [value for (value,) in self.accessor(index)]


# --- the content of the file: nodes ---


def local_matrix(node, moved):
    """`moved`: the values of a clip for this node, by channel."""
    if "matrix" in node and not moved:
        return from_columns(node["matrix"])
    part = dict(node, **moved)
    return from_parts(part.get("translation", (0, 0, 0)), part.get("rotation", (0, 0, 0, 1)),
                      part.get("scale", (1, 1, 1)))


def global_matrix(model, node, moved, known):
    """Matrix from the node to the scene, and the maximum distance of the product from the origin."""
    chain = []
    while node is not None and node not in known:
        chain.append(node)
        node = model.parent.get(node)
    above, far = known.get(node, (IDENTITY, 0.0))
    for node in reversed(chain):
        local = local_matrix(model.nodes[node], moved.get(node, {}))
        far = max(far, reach(above) + stretch(above) * reach(local))
        above = multiply(above, local)
        known[node] = above, far
    return above, far


# --- the content of the file: meshes ---


def unroll(mode, indices):
    n = len(indices)
    if mode == LINE_STRIP:
        return [v for i in range(n - 1) for v in indices[i:i + 2]]
    if mode == LINE_LOOP:
        return unroll(LINE_STRIP, indices + indices[:1])
    if mode == TRIANGLE_STRIP:
        return [indices[i + k] for i in range(n - 2) for k in ((0, 2, 1) if i % 2 else (0, 1, 2))]
    if mode == TRIANGLE_FAN:
        return [v for i in range(1, n - 1) for v in (indices[i], indices[i + 1], indices[0])]
    return indices


def area(a, b, c):
    u = [b[i] - a[i] for i in range(3)]
    v = [c[i] - a[i] for i in range(3)]
    return 0.5 * math.sqrt((u[1] * v[2] - u[2] * v[1]) ** 2 + (u[2] * v[0] - u[0] * v[2]) ** 2
                           + (u[0] * v[1] - u[1] * v[0]) ** 2)


def single(values):
    """As 32-bit floats, with one zero."""
    return struct.pack("<%df" % len(values), *[v + 0.0 for v in values])


def vertex_keys(model, primitive):
    """For each vertex the bytes of all its streams; without normals, tangents are none."""
    attributes = primitive["attributes"]
    ignored = set() if "NORMAL" in attributes else {"TANGENT"}
    streams = [attributes[s] for s in STREAMS if s in attributes and s not in ignored]
    for target in primitive.get("targets", []):
        streams += [target[s] for s in DISPLACEMENTS if s in target and s not in ignored]
    # not single(): there -0 and 0 are equal, and a compiler that compares bytes may keep both
    parts = [[struct.pack("<%df" % len(row), *row) for row in model.accessor(s)] for s in streams]
    return [b"".join(row) for row in zip(*parts)]


def elements(model, primitive, count):
    """The indices of a primitive of `count` vertices as a list, without degenerate triangles."""
    mode = primitive.get("mode", TRIANGLES)
    indices = list(range(count))
    if "indices" in primitive:
        indices = model.scalars(primitive["indices"])
    indices = unroll(mode, indices)
    if mode < TRIANGLES:
        return indices[:len(indices) // 2 * 2] if mode == LINES else indices
    indices = indices[:len(indices) // 3 * 3]
    same = indices
    if "indices" not in primitive:
        keys = vertex_keys(model, primitive)
        same = [keys[i] for i in indices]
    kept = [v for i in range(0, len(indices), 3) if len(set(same[i:i + 3])) == 3 for v in indices[i:i + 3]]
    return kept or indices[:3]


def may_gain_tangents(model, primitive):
    material = primitive.get("material")
    return (material is not None and "normalTexture" in model.items("materials")[material] and
            not {"NORMAL", "TANGENT"} <= set(primitive["attributes"]) and primitive.get("mode", TRIANGLES) >= TRIANGLES)


def gains_normals(primitive, mesh):
    """Are its triangles flat because another primitive of the mesh has normals?"""
    return ("NORMAL" not in primitive["attributes"] and primitive.get("mode", TRIANGLES) >= TRIANGLES and
            any("NORMAL" in other["attributes"] for other in mesh["primitives"]))


def vertex_range(model, mesh, primitive, positions, used, corners):
    """The minimum and maximum number of vertices of the compiled primitive, of which a computed tangent or normal
    divides some."""
    fewest = len(used) if "indices" in primitive else len({single(positions[i]) for i in used})
    if may_gain_tangents(model, primitive) or gains_normals(primitive, mesh):
        return fewest, corners
    if "indices" in primitive:
        return fewest, fewest
    if primitive.get("mode", TRIANGLES) < TRIANGLES:
        return fewest, len(used)
    keys = vertex_keys(model, primitive)
    return fewest, len({keys[i] for i in used})


def is_visible(model, primitive):
    """Has it positions, and enough of them for one element?"""
    if "POSITION" not in primitive["attributes"]:
        return False
    mode = primitive.get("mode", TRIANGLES)
    index = primitive.get("indices", primitive["attributes"]["POSITION"])
    return model.json["accessors"][index]["count"] >= (1 if mode == POINTS else 2 if mode < TRIANGLES else 3)


def mesh_facts(model, mesh):
    facts = {"fewest": 0, "most": 0, "indices": 0, "parts": 0, "surface": 0.0}
    low, high = [math.inf] * 3, [-math.inf] * 3
    for primitive in mesh["primitives"]:
        if not is_visible(model, primitive):
            continue
        mode = primitive.get("mode", TRIANGLES)
        positions = model.accessor(primitive["attributes"]["POSITION"])
        indices = elements(model, primitive, len(positions))
        used = set(indices)
        fewest, largest = vertex_range(model, mesh, primitive, positions, used, len(indices))
        facts["fewest"] += fewest
        facts["most"] += largest
        facts["parts"] += 1
        facts["indices"] += len(indices)
        for k in range(3):
            low[k] = min(low[k], min(positions[i][k] for i in used))
            high[k] = max(high[k], max(positions[i][k] for i in used))
        if mode >= TRIANGLES:
            for i in range(0, len(indices) - 2, 3):
                facts["surface"] += area(*[positions[v] for v in indices[i:i + 3]])
    facts["bounds"] = low + high
    return facts


# --- the content of the file: clips ---


def tracks(model, animation):
    """(node, channel, interpolation, times, values) of the tracks that move a node of the scene."""
    scene = {node for node, _ in model.order}
    for channel in animation["channels"]:
        target = channel["target"]
        if target.get("node") in scene and target["path"] != "weights":
            sampler = animation["samplers"][channel["sampler"]]
            yield (target["node"], target["path"], sampler.get("interpolation", "LINEAR"),
                   model.scalars(sampler["input"]), model.accessor(sampler["output"]))


def duration(model, animation):
    """The last key of all tracks of nodes of the scene, those of weights included."""
    scene = {node for node, _ in model.order}
    return max([model.scalars(animation["samplers"][channel["sampler"]]["input"])[-1]
                for channel in animation["channels"] if channel["target"].get("node") in scene], default=0.0)


def slerp(a, b, t):
    a, b = unit(a), unit(b)
    dot = sum(x * y for x, y in zip(a, b))
    if dot < 0:
        b, dot = [-v for v in b], -dot
    if dot > 1 - 1e-12:
        return unit([x + (y - x) * t for x, y in zip(a, b)])
    angle = math.acos(dot)
    left, right = math.sin((1 - t) * angle), math.sin(t * angle)
    return [(x * left + y * right) / math.sin(angle) for x, y in zip(a, b)]


def hermite(v0, out0, in1, v1, t, seconds):
    """glTF 2.0, appendix C.5."""
    t2, t3 = t * t, t * t * t
    return [(2 * t3 - 3 * t2 + 1) * v0[i] + seconds * (t3 - 2 * t2 + t) * out0[i]
            + (3 * t2 - 2 * t3) * v1[i] + seconds * (t3 - t2) * in1[i] for i in range(len(v0))]


def sample(path, interpolation, times, values, time):
    cubic = interpolation == "CUBICSPLINE"
    key = values[1::3] if cubic else values
    if time <= times[0]:
        return key[0]
    if time >= times[-1]:
        return key[len(times) - 1]
    k = max(i for i in range(len(times)) if times[i] <= time)
    if interpolation == "STEP":
        return key[k]
    seconds = times[k + 1] - times[k]
    t = (time - times[k]) / seconds
    if cubic:
        return hermite(key[k], values[3 * k + 2], values[3 * k + 3], key[k + 1], t, seconds)
    if path == "rotation":
        return slerp(key[k], key[k + 1], t)
    return [a + (b - a) * t for a, b in zip(key[k], key[k + 1])]


def palette(model, skin, clip, time):
    """[(matrix, maximum distance of the product)] of the joints of a skin."""
    moved = {}
    if clip >= 0:
        for node, path, *track in tracks(model, model.items("animations")[clip]):
            moved.setdefault(node, {})[path] = sample(path, *track, time)
    skin = model.items("skins")[skin]
    binds = [IDENTITY] * len(skin["joints"])
    if "inverseBindMatrices" in skin:
        binds = [from_columns(m) for m in model.accessor(skin["inverseBindMatrices"])]
    known, out = {}, []
    for joint, bind in zip(skin["joints"], binds):
        matrix, far = global_matrix(model, joint, moved, known)
        far = max(far, reach(matrix) + stretch(matrix) * reach(bind))
        out.append((multiply(matrix, bind), far))
    return out


# --- comparing ---


class Report:
    def __init__(self, title):
        self.title, self.compared, self.different = title, 0, 0

    def wrong(self, where, text):
        self.different += 1
        print("%s: %s: %s" % (self.title, where, text))

    def check(self, where, passed, text):
        self.compared += 1
        if not passed:
            self.wrong(where, text)
        return passed

    def number(self, where, got, want, tolerance=0):
        holds = isinstance(got, (int, float)) and abs(got - want) <= tolerance  # false for NaN
        return self.check(where, holds, "%r, expected %.9g" % (got, want))

    def matrix(self, where, got, want, far):
        if not self.rows(where, got, 12):
            return
        column = [math.sqrt(sum(want[r + c] ** 2 for r in (0, 4, 8))) for c in range(3)]
        for i in range(12):
            if i % 4 == 3:
                tolerance = 1e-7 + 1e-5 * far + 1e-4 * abs(want[i])
            else:
                tolerance = 1e-7 + 1e-4 * column[i % 4]
            self.number("%s[%d]" % (where, i), got[i], want[i], tolerance)

    def rows(self, where, got, count):
        """True when `got` is a list of `count`; otherwise its content cannot be compared."""
        size = len(got) if isinstance(got, list) else -1
        return self.check(where, size == count,
                          "%s, expected %d" % ("not a list" if size < 0 else size, count))


def plain(name):
    return re.sub("[^a-z0-9]", "", name.lower())


def without_frames(got):
    """The entities without those that a sheared matrix needs above its own."""
    frames = {i for i, entity in enumerate(got) if entity.get("name", "").endswith("_frame")}
    places, kept = {-1: -1}, []
    for i, entity in enumerate(got):
        parent = entity.get("parent")
        while parent in frames:
            parent = got[parent].get("parent")
        places[i] = len(kept)
        if i not in frames:
            kept.append({**entity, "parent": places.get(parent)})
    return kept


def compare_entities(report, model, got):
    got = without_frames(got) if isinstance(got, list) else got
    if not report.rows("entities", got, 1 + len(model.order)):
        return
    report.number("entities[0].parent", got[0].get("parent"), -1)
    report.matrix("entities[0].world", got[0].get("world"), IDENTITY, 0)
    known, siblings = {}, set()
    for i, (node, parent) in enumerate(model.order, 1):
        where, entity = "entities[%d]" % i, got[i]
        report.number(where + ".parent", entity.get("parent"), parent)
        report.matrix(where + ".world", entity.get("world"),
                      *global_matrix(model, node, {}, known))
        name, source = entity.get("name", ""), model.nodes[node].get("name", "")
        if source.isascii():
            report.check(where + ".name", plain(name).startswith(plain(source)),
                         "%r, expected one like %r" % (name, source))
        report.check(where + ".name", name and (parent, name) not in siblings,
                     "%r is empty or a sibling's too" % name)
        siblings.add((parent, name))


def compare_meshes(report, model, got):
    if not report.rows("meshes", got, len(model.items("meshes"))):
        return
    for i, mesh in enumerate(model.items("meshes")):
        where, probe, want = "meshes[%d]." % i, got[i], mesh_facts(model, mesh)
        count = probe.get("vertices", -1)
        report.check(where + "vertices", want["fewest"] <= count <= want["most"],
                     "%r, expected %d to %d" % (count, want["fewest"], want["most"]))
        report.number(where + "indices", probe.get("indices"), want["indices"])
        report.number(where + "parts", probe.get("parts"), want["parts"])
        report.number(where + "surface", probe.get("surface"), want["surface"],
                      1e-4 * want["surface"])
        if want["parts"] and report.rows(where + "bounds", probe.get("bounds"), 6):
            tolerance = 1e-6 * max(map(abs, want["bounds"]))
            for k in range(6):
                report.number("%sbounds[%d]" % (where, k), probe["bounds"][k], want["bounds"][k],
                              tolerance)


def compare_skins_and_clips(report, model, skeletons, clips):
    if report.rows("skeletons", skeletons, len(model.items("skins"))):
        for i, skin in enumerate(model.items("skins")):
            report.number("skeletons[%d].joints" % i, skeletons[i].get("joints"),
                          len(skin["joints"]))
    if report.rows("clips", clips, len(model.items("animations"))):
        for i, animation in enumerate(model.items("animations")):
            want = duration(model, animation)
            report.number("clips[%d].duration" % i, clips[i].get("duration"), want, 1e-6 * want)


def compare_poses(report, model, got):
    skins, clips = len(model.items("skins")), len(model.items("animations"))
    for i, pose in enumerate(got):
        where = "poses[%d]" % i
        skin, clip = pose.get("skin", -1), pose.get("clip", -1)
        if not report.check(where, 0 <= skin < skins and -1 <= clip < clips,
                            "skin %r and clip %r are not in the model" % (skin, clip)):
            continue
        want = palette(model, skin, clip, pose["time"])
        where += " (skin %d, clip %d, %g s).palette" % (skin, clip, pose["time"])
        if report.rows(where, pose.get("palette"), len(want)):
            for k, (matrix, far) in enumerate(want):
                report.matrix("%s[%d]" % (where, k), pose["palette"][k], matrix, far)
    if clips:
        posed = {pose.get("skin") for pose in got if pose.get("clip", -1) >= 0}
        for skin in range(skins):
            report.check("poses", skin in posed, "none of skin %d with a clip" % skin)


def compare(model, probe):
    report = Report(probe.get("model", "?"))
    compare_entities(report, model, probe.get("entities"))
    compare_meshes(report, model, probe.get("meshes"))
    compare_skins_and_clips(report, model, probe.get("skeletons"), probe.get("clips"))
    compare_poses(report, model, probe.get("poses", []))
    return report


def check_files(path, probe):
    """(values compared, values that differ)."""
    try:
        with open(probe, encoding="utf-8") as file:
            report = compare(Model(path), json.load(file))
        return report.compared, report.different
    except (ValueError, OSError, LookupError, TypeError, AttributeError, ArithmeticError,
            struct.error) as error:
        # a probe or a model that does not match the description at the head of this file
        print("%s: cannot compare: %s: %s" % (probe, type(error).__name__, error))
        return 0, 1


def main(arguments):
    if not arguments or len(arguments) % 2:
        sys.exit(__doc__.split("\n\n")[1].strip())
    results = [check_files(*pair) for pair in zip(arguments[::2], arguments[1::2])]
    compared, different = map(sum, zip(*results))
    print("%d values compared, %d different" % (compared, different))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
