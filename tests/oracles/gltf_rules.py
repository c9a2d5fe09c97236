"""Models that each violate one rule of glTF, named by the code that Khronos' validator gives it.

    gltf_rules.py write FOLDER            FOLDER/CODE/src/m.gltf or m.glb, with the files beside it
    gltf_rules.py random FOLDER SEED N    FOLDER/SEED-I/src/m.gltf: valid models in which a few values are changed
    gltf_rules.py check ENTC FOLDER PAGE  compiles each, and compares with the table of rules of the page (GLTF.md), and
                                          what was repaired with the outputs of a model that is right

In the table, a rule is "repaired" (a warning W0411 of the kind in the third column), "left out" (W0410, likewise), "refused"
(an error) or "accepted" (nothing is said about it). The last line is the tally.
"""
import base64
import copy
import json
import math
import os
import random
import re
import struct
import subprocess
import sys
import zlib

FLOAT, UBYTE, USHORT, UINT, BYTE = 5126, 5121, 5123, 5125, 5120
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
CODES = {FLOAT: "f", UBYTE: "B", USHORT: "H", UINT: "I", BYTE: "b"}


def png(channels=3):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    head = struct.pack(">IIBBBBB", 4, 4, 8, 2 if channels == 3 else 6, 0, 0, 0)
    rows = b"".join(b"\0" + bytes([90, 120, 150] * 4) for _ in range(4))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Model:
    """A valid model with one of everything: a skinned, morphed, textured triangle, its animation, a camera and a light."""

    def __init__(self):
        self.bytes = bytearray()
        self.binary = None  # a function of (json, bytes) that returns the bytes of a .glb
        self.files = {}
        self.json = {"asset": {"version": "2.0"}, "extensionsUsed": ["KHR_lights_punctual"], "bufferViews": [], "accessors": []}
        j = self.json
        self.position = self.array("VEC3", [0, 0, 0, 1, 0, 0, 0, 1, 0], bounds=True, target=34962)
        self.normal = self.array("VEC3", [0, 0, 1] * 3, target=34962)
        self.uv = self.array("VEC2", [0, 0, 1, 0, 0, 1], target=34962)
        self.joint = self.array("VEC4", [0, 1, 0, 0] * 3, UBYTE, target=34962)
        self.weight = self.array("VEC4", [0.5, 0.5, 0, 0] * 3, target=34962)
        self.color = self.array("VEC4", [0.5, 0.5, 0.5, 1] * 3, target=34962)
        self.index = self.array("SCALAR", [0, 1, 2], USHORT, target=34963)
        self.moved = self.array("VEC3", [0, 0, 1] * 3, bounds=True, target=34962)
        self.bind = self.array("MAT4", [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] * 2)
        self.time = self.array("SCALAR", [0, 1], bounds=True)
        self.turn = self.array("VEC4", [0, 0, 0, 1, 0, 0, 1, 0])
        self.way = self.array("VEC3", [0, 0, 0, 1, 0, 0])
        j["images"] = [{"bufferView": self.view(png()), "mimeType": "image/png"}]
        j["samplers"] = [{"magFilter": 9729, "minFilter": 9987}]
        j["textures"] = [{"source": 0, "sampler": 0}]
        j["materials"] = [{"name": "paint", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]
        j["meshes"] = [{"name": "hull", "weights": [0.25], "primitives": [{
            "attributes": {"POSITION": self.position, "NORMAL": self.normal, "TEXCOORD_0": self.uv,
                           "JOINTS_0": self.joint, "WEIGHTS_0": self.weight},
            "indices": self.index, "material": 0, "targets": [{"POSITION": self.moved}]}]}]
        j["skins"] = [{"joints": [1, 2], "inverseBindMatrices": self.bind}]
        j["cameras"] = [{"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}}]
        j["extensions"] = {"KHR_lights_punctual": {"lights": [{"type": "spot", "spot": {}}]}}
        j["nodes"] = [{"name": "hull", "mesh": 0, "skin": 0}, {"name": "hip", "children": [2]}, {"name": "knee"},
                      {"name": "eye", "camera": 0}, {"name": "lamp", "extensions": {"KHR_lights_punctual": {"light": 0}}}]
        j["scenes"] = [{"nodes": [0, 1, 3, 4]}]
        j["scene"] = 0
        j["animations"] = [{"name": "walk", "samplers": [{"input": self.time, "output": self.turn}],
                            "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}]}]

    def view(self, data, target=None):
        self.bytes += b"\0" * (-len(self.bytes) % 4)
        self.json["bufferViews"].append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data)})
        if target:
            self.json["bufferViews"][-1]["target"] = target
        self.bytes += data
        return len(self.json["bufferViews"]) - 1

    def array(self, kind, numbers, component=FLOAT, bounds=False, target=None, **more):
        data = struct.pack("<%d%s" % (len(numbers), CODES[component]), *numbers)
        width = WIDTHS[kind]
        count = len(numbers) // width
        if target == 34962 and len(data) // count % 4:
            target = None
        a = {"bufferView": self.view(data, target), "componentType": component, "type": kind, "count": count, **more}
        if bounds:
            rows = [numbers[i * width:(i + 1) * width] for i in range(count)]
            a["min"], a["max"] = [min(c) for c in zip(*rows)], [max(c) for c in zip(*rows)]
        self.json["accessors"].append(a)
        return len(self.json["accessors"]) - 1

    def accessor(self, index):
        return self.json["accessors"][index]

    def view_of(self, index):
        return self.json["bufferViews"][self.accessor(index)["bufferView"]]

    def put(self, index, numbers, component=FLOAT):
        at = self.view_of(index)["byteOffset"] + self.accessor(index).get("byteOffset", 0)
        data = struct.pack("<%d%s" % (len(numbers), CODES[component]), *numbers)
        self.bytes[at:at + len(data)] = data

    @property
    def primitive(self):
        return self.json["meshes"][0]["primitives"][0]

    @property
    def attributes(self):
        return self.primitive["attributes"]

    @property
    def light(self):
        return self.json["extensions"]["KHR_lights_punctual"]["lights"][0]

    def save(self, folder):
        os.makedirs(folder, exist_ok=True)
        for name, data in self.files.items():
            with open(os.path.join(folder, name), "wb") as out:
                out.write(data)
        self.json.setdefault("buffers", [{"byteLength": len(self.bytes)}])
        if self.binary:
            with open(os.path.join(folder, "m.glb"), "wb") as out:
                out.write(self.binary(self.json, bytes(self.bytes)))
            return
        for buffer in self.json["buffers"]:
            if "uri" not in buffer:
                buffer["uri"] = "data:application/octet-stream;base64," + base64.b64encode(self.bytes).decode()
        with open(os.path.join(folder, "m.gltf"), "w", encoding="utf-8") as out:
            out.write(self.json if isinstance(self.json, str) else json.dumps(self.json, indent=1))


# --- containers ---

def chunk(kind, data, pad=b" ", align=True):
    data += pad * (-len(data) % 4) if align else b""
    return struct.pack("<I4s", len(data), kind) + data


def glb(*chunks, length=None, version=2, magic=b"glTF", more=b""):
    body = b"".join(chunks)
    return magic + struct.pack("<II", version, 12 + len(body) if length is None else length) + body + more


def text_of(j):
    return json.dumps(j).encode()


def glb_file(j, data, **options):
    return glb(chunk(b"JSON", text_of(j)), chunk(b"BIN\0", data, b"\0"), **options)


def in_glb(make):
    def change(m):
        m.binary = make
    return change


# --- the rules ---

RULES = {}


def rule(code):
    def add(change):
        RULES.setdefault(code, []).append(change)
        return change
    return add


def simple(code, text):
    """The statement `text` changes the model m, whose document is j."""
    def change(m):
        exec(text, {"m": m, "j": m.json, "math": math, "copy": copy, "base64": base64,  # pylint: disable=exec-used
                    **{n: globals()[n] for n in ("FLOAT", "UBYTE", "USHORT", "UINT", "BYTE", "png", "struct")}})
    RULES.setdefault(code, []).append(change)


for code_, text_ in [line.split("  ", 1) for line in """
ARRAY_LENGTH_NOT_IN_LIST  j["nodes"][1]["translation"] = [1, 2]
ARRAY_TYPE_MISMATCH  j["nodes"][1]["translation"] = [1, 2, "3"]
DUPLICATE_ELEMENTS  j["scenes"][0]["nodes"].append(0)
DUPLICATE_ELEMENTS  j["nodes"][1]["children"] = [2, 2]
DUPLICATE_ELEMENTS  j["extensionsUsed"] *= 2
EMPTY_ENTITY  j["nodes"][3]["children"] = []
EMPTY_ENTITY  j["extensionsRequired"] = []
EMPTY_ENTITY  j["meshes"].append({"name": "none", "primitives": []})
INVALID_INDEX  j["nodes"][0]["mesh"] = -1
INVALID_URI  j["images"][0] = {"uri": ":a"}
ONE_OF_MISMATCH  j["cameras"][0]["orthographic"] = {"xmag": 1, "ymag": 1, "znear": 0, "zfar": 1}
PATTERN_MISMATCH  j["asset"]["version"] = "two"
TYPE_MISMATCH  j["nodes"][0]["mesh"] = "hull"
UNDEFINED_PROPERTY  del j["bufferViews"][0]["byteLength"]
UNEXPECTED_PROPERTY  j["nodes"][0]["colour"] = 1
UNSATISFIED_DEPENDENCY  del m.accessor(m.joint)["bufferView"]; m.accessor(m.joint)["byteOffset"] = 4
VALUE_MULTIPLE_OF  m.view_of(m.normal)["byteStride"] = 13; m.view_of(m.normal)["byteLength"] = 38
VALUE_NOT_IN_LIST  j["materials"][0]["alphaMode"] = "ADD"
VALUE_NOT_IN_LIST  j["samplers"][0]["magFilter"] = 1
VALUE_NOT_IN_LIST  j["animations"][0]["samplers"][0]["interpolation"] = "SMOOTH"
VALUE_NOT_IN_RANGE  j["materials"][0]["pbrMetallicRoughness"]["roughnessFactor"] = 1.5
VALUE_NOT_IN_RANGE  m.light["intensity"] = -3
VALUE_NOT_IN_RANGE  j["materials"][0]["emissiveFactor"] = [2, 0, 0]
VALUE_NOT_IN_RANGE  m.light["color"] = [2, 1, 0]
ACCESSOR_NORMALIZED_INVALID  m.accessor(m.normal)["normalized"] = True
ACCESSOR_OFFSET_ALIGNMENT  m.accessor(m.normal)["byteOffset"] = 2; m.view_of(m.normal)["byteOffset"] -= 2; m.view_of(m.normal)["byteLength"] += 2
ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE  m.accessor(m.normal)["sparse"] = {"count": 4, "indices": {"bufferView": m.view(bytes(8)), "componentType": UBYTE}, "values": {"bufferView": m.view(bytes(48))}}
ANIMATION_CHANNEL_TARGET_NODE_SKIN  j["animations"][0]["channels"][0]["target"]["node"] = 0
ASSET_MIN_VERSION_GREATER_THAN_VERSION  j["asset"]["minVersion"] = "2.1"
BUFFER_VIEW_TOO_BIG_BYTE_STRIDE  m.array("VEC3", [0, 0, 1], target=34962); j["bufferViews"][-1]["byteStride"] = 16
CAMERA_XMAG_YMAG_NEGATIVE  j["cameras"][0] = {"type": "orthographic", "orthographic": {"xmag": -2, "ymag": 1, "znear": 0, "zfar": 9}}
CAMERA_XMAG_YMAG_ZERO  j["cameras"][0] = {"type": "orthographic", "orthographic": {"xmag": 0, "ymag": 1, "znear": 0, "zfar": 9}}
CAMERA_YFOV_GEQUAL_PI  j["cameras"][0]["perspective"]["yfov"] = 4
CAMERA_ZFAR_LEQUAL_ZNEAR  j["cameras"][0]["perspective"]["zfar"] = 0.05
INVALID_EXTENSION_NAME_FORMAT  j["extensionsUsed"].append("tags"); j["extensions"]["tags"] = {}
KHR_LIGHTS_PUNCTUAL_LIGHT_SPOT_ANGLES  m.light["spot"] = {"innerConeAngle": 0.5, "outerConeAngle": 0.5}
KHR_MATERIALS_EMISSIVE_STRENGTH_ZERO_FACTOR  j["extensionsUsed"].append("KHR_materials_emissive_strength"); j["materials"][0]["extensions"] = {"KHR_materials_emissive_strength": {"emissiveStrength": 2}}
MATERIAL_ALPHA_CUTOFF_INVALID_MODE  j["materials"][0]["alphaCutoff"] = 0.5
MESH_INVALID_WEIGHTS_COUNT  j["meshes"][0]["weights"] = [0.5, 0.5]
MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT  j["meshes"][0]["primitives"].append({"attributes": m.attributes})
MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY  m.attributes["TEXCOORD_2"] = m.uv
MESH_PRIMITIVE_INVALID_ATTRIBUTE  m.attributes["COLOUR"] = m.color
MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH  m.attributes["JOINTS_1"] = m.joint
MESH_PRIMITIVE_NO_POSITION  j["meshes"].append({"primitives": [{"attributes": {"NORMAL": m.normal}}]})
MESH_PRIMITIVE_TANGENT_WITHOUT_NORMAL  del m.attributes["NORMAL"]; m.attributes["TANGENT"] = m.array("VEC4", [1, 0, 0, 1] * 3, target=34962)
NODE_EMPTY  j["nodes"].append({}); j["scenes"][0]["nodes"].append(5)
NODE_MATRIX_DEFAULT  j["nodes"][3]["matrix"] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
NODE_MATRIX_NON_TRS  j["nodes"][3]["matrix"] = [1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
NODE_MATRIX_TRS  j["nodes"][3].update(matrix=[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 2, 0, 0, 1], translation=[0, 0, 1])
NODE_SKINNED_MESH_LOCAL_TRANSFORMS  j["nodes"][0]["translation"] = [1, 0, 0]
NODE_SKINNED_MESH_NON_ROOT  j["nodes"][3]["children"] = [0]; j["scenes"][0]["nodes"] = [1, 3, 4]
NODE_SKIN_NO_SCENE  j["scenes"][0]["nodes"] = [0, 3, 4]
NON_OBJECT_EXTRAS  j["nodes"][0]["extras"] = 5
NON_REQUIRED_EXTENSION  j["extensionsUsed"].append("KHR_mesh_quantization")
ROTATION_NON_UNIT  j["nodes"][1]["rotation"] = [0, 0, 0.5, 0.5]
ROTATION_NON_UNIT  j["nodes"][1]["rotation"] = [0, 0, 0, 0]
IMAGE_UNRECOGNIZED_FORMAT  j["images"][0]["bufferView"] = m.view(bytes(40))
SKIN_NO_COMMON_ROOT  del j["nodes"][1]["children"]; j["scenes"][0]["nodes"].append(2)
SKIN_SKELETON_INVALID  j["skins"][0]["skeleton"] = 3
UNKNOWN_ASSET_MAJOR_VERSION  j["asset"]["version"] = "3.0"
UNKNOWN_ASSET_MINOR_VERSION  j["asset"]["version"] = "2.9"
UNUSED_EXTENSION_REQUIRED  j["extensionsRequired"] = ["KHR_texture_transform"]
ACCESSOR_SMALL_BYTESTRIDE  m.view_of(m.normal)["byteStride"] = 8
ACCESSOR_TOO_LONG  m.accessor(m.normal)["count"] = 4
ACCESSOR_TOTAL_OFFSET_ALIGNMENT  m.bytes += bytes(64); m.view_of(m.normal)["byteOffset"] += 1
ACCESSOR_USAGE_OVERRIDE  m.attributes["_INDEX"] = m.index; m.accessor(m.index)["count"] = 3
ANIMATION_CHANNEL_TARGET_NODE_MATRIX  j["nodes"][1]["matrix"] = [2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 2, 0, 0, 1]
ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS  del j["meshes"][0]["weights"]; del m.primitive["targets"]; s = m.array("SCALAR", [0, 1]); j["animations"][0]["samplers"].append({"input": m.time, "output": s}); j["animations"][0]["channels"].append({"sampler": 1, "target": {"node": 0, "path": "weights"}})
ANIMATION_DUPLICATE_TARGETS  j["animations"][0]["channels"] *= 2
ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE  m.view_of(m.turn)["byteStride"] = 16
ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT  j["animations"][0]["samplers"][0]["input"] = m.array("SCALAR", [0, 1], USHORT, bounds=True)
ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS  j["animations"][0]["samplers"][0] = {"input": m.array("SCALAR", [0], bounds=True), "output": m.array("VEC4", [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]), "interpolation": "CUBICSPLINE"}
ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS  del m.accessor(m.time)["min"]
ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT  m.accessor(m.turn)["count"] = 1
ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT  j["animations"][0]["samplers"][0]["output"] = m.way
BUFFER_VIEW_TARGET_OVERRIDE  m.view_of(m.position)["target"] = 34963
BUFFER_VIEW_TOO_LONG  m.view_of(m.normal)["byteLength"] = 100000
IMAGE_BUFFER_VIEW_WITH_BYTESTRIDE  j["bufferViews"][j["images"][0]["bufferView"]]["byteStride"] = 4
INVALID_IBM_ACCESSOR_COUNT  m.accessor(m.bind)["count"] = 1
MESH_PRIMITIVE_ACCESSOR_UNALIGNED  a = copy.deepcopy(m.accessor(m.color)); j["accessors"].append(a); a.update(bufferView=m.view(bytes(64)), byteOffset=2, componentType=UBYTE, normalized=True); m.attributes["COLOR_0"] = len(j["accessors"]) - 1
MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE  a = copy.deepcopy(m.accessor(m.normal)); j["accessors"].append(a); m.attributes["_N"] = len(j["accessors"]) - 1
MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT  m.attributes["TEXCOORD_0"] = m.normal
MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_UNSIGNED_INT  m.attributes["_ID"] = m.array("SCALAR", [0, 1, 2], UINT, target=34962)
MESH_PRIMITIVE_GENERATED_TANGENT_SPACE  j["materials"][0]["normalTexture"] = {"index": 0}
MESH_PRIMITIVE_INCOMPATIBLE_MODE  m.primitive["indices"] = m.array("SCALAR", [0, 1, 2, 0], USHORT, target=34963)
MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT  m.primitive["indices"] = m.array("SCALAR", [0, 1, 2], FLOAT)
MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE  m.primitive["indices"] = m.array("SCALAR", [0, 0, 1, 0, 2, 0], USHORT, count=3); j["bufferViews"][-1]["byteStride"] = 4
MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT  m.primitive["targets"][0]["POSITION"] = m.array("VEC3", [0, 0, 1] * 2, bounds=True, target=34962)
MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR  m.primitive["targets"][0]["NORMAL"] = m.normal; del m.attributes["NORMAL"]
MESH_PRIMITIVE_NO_TANGENT_SPACE  j["extensionsUsed"].append("KHR_materials_clearcoat"); j["materials"][0]["extensions"] = {"KHR_materials_clearcoat": {"clearcoatFactor": 1, "clearcoatNormalTexture": {"index": 0}}}
MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS  del m.accessor(m.position)["max"]
MESH_PRIMITIVE_TOO_FEW_TEXCOORDS  del m.attributes["TEXCOORD_0"]
MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT  m.accessor(m.normal)["count"] = 2
NODE_LOOP  j["nodes"][2]["children"] = [1]
NODE_PARENT_OVERRIDE  j["nodes"][3]["children"] = [2]
NODE_SKINNED_MESH_WITHOUT_SKIN  del j["nodes"][0]["skin"]
NODE_SKIN_WITH_NON_SKINNED_MESH  del m.attributes["JOINTS_0"]; del m.attributes["WEIGHTS_0"]
NODE_WEIGHTS_INVALID  j["nodes"][0]["weights"] = [0.5, 0.5]
SCENE_NON_ROOT_NODE  j["scenes"][0]["nodes"].append(2)
SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE  m.view_of(m.bind)["byteStride"] = 64
SKIN_IBM_INVALID_FORMAT  j["skins"][0]["inverseBindMatrices"] = m.turn
UNDECLARED_EXTENSION  j["extensionsUsed"] = ["KHR_texture_transform"]; j["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["extensions"] = {"KHR_texture_transform": {"scale": [2, 2]}}
UNEXPECTED_EXTENSION_OBJECT  j["nodes"][3]["extensions"] = {"KHR_texture_transform": {}}; j["extensionsUsed"].append("KHR_texture_transform")
UNRESOLVED_REFERENCE  j["nodes"][0]["mesh"] = 7
UNUSED_OBJECT  j["materials"].append({"name": "spare"})
UNUSED_MESH_TANGENT  m.attributes["TANGENT"] = m.array("VEC4", [1, 0, 0, 1] * 3, target=34962)
ACCESSOR_ANIMATION_INPUT_NEGATIVE  m.put(m.time, [-1, 1]); m.accessor(m.time)["min"] = [-1]
ACCESSOR_ANIMATION_INPUT_NON_INCREASING  m.put(m.time, [1, 1]); m.accessor(m.time)["min"] = [1]
ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION  m.put(m.turn, [0, 0, 0, 2])
ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND  m.accessor(m.position)["max"] = [0.5, 1, 0]
ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND  m.accessor(m.position)["min"] = [0.5, 0, 0]
ACCESSOR_INDEX_OOB  m.put(m.index, [0, 1, 3], USHORT)
ACCESSOR_INDEX_PRIMITIVE_RESTART  m.put(m.index, [0, 1, 65535], USHORT)
ACCESSOR_INDEX_TRIANGLE_DEGENERATE  m.primitive["indices"] = m.array("SCALAR", [0, 1, 2, 0, 1, 1], USHORT, target=34963)
ACCESSOR_INVALID_FLOAT  m.put(m.normal, [float("nan"), 0, 1])
ACCESSOR_INVALID_IBM  m.put(m.bind, [1, 0, 0, 0.0005])
ACCESSOR_INVALID_SIGN  m.attributes["TANGENT"] = m.array("VEC4", [1, 0, 0, 0.5] * 3, target=34962)
ACCESSOR_JOINTS_INDEX_DUPLICATE  m.put(m.joint, [1, 1, 0, 0], UBYTE)
ACCESSOR_JOINTS_INDEX_OOB  m.put(m.joint, [0, 7, 0, 0], UBYTE)
ACCESSOR_JOINTS_USED_ZERO_WEIGHT  m.put(m.joint, [0, 1, 1, 0], UBYTE)
ACCESSOR_MAX_MISMATCH  m.accessor(m.position)["max"] = [3, 1, 0]
ACCESSOR_MIN_MISMATCH  m.accessor(m.position)["min"] = [-3, 0, 0]
ACCESSOR_NON_CLAMPED  m.attributes["COLOR_0"] = m.color; m.put(m.color, [1.5, 0, 0, 1])
ACCESSOR_SPARSE_INDEX_OOB  m.accessor(m.normal)["sparse"] = {"count": 1, "indices": {"bufferView": m.view(bytes([9])), "componentType": UBYTE}, "values": {"bufferView": m.view(struct.pack("<3f", 0, 0, 1))}}
ACCESSOR_SPARSE_INDICES_NON_INCREASING  m.accessor(m.normal)["sparse"] = {"count": 2, "indices": {"bufferView": m.view(bytes([1, 0])), "componentType": UBYTE}, "values": {"bufferView": m.view(struct.pack("<6f", 0, 0, 1, 0, 0, 1))}}
ACCESSOR_VECTOR3_NON_UNIT  m.put(m.normal, [0, 0, 2])
ACCESSOR_VECTOR3_NON_UNIT  m.put(m.normal, [0, 0, 0])
ACCESSOR_WEIGHTS_NEGATIVE  m.put(m.weight, [1.5, -0.5, 0, 0])
ACCESSOR_WEIGHTS_NON_NORMALIZED  m.put(m.weight, [0.5, 0.2, 0, 0])
ACCESSOR_WEIGHTS_NON_NORMALIZED  m.put(m.weight, [0, 0, 0, 0])
BUFFER_BYTE_LENGTH_MISMATCH  j["buffers"] = [{"byteLength": len(m.bytes) + 8}]
BUFFER_DATA_URI_MIME_TYPE_INVALID  j["buffers"] = [{"byteLength": len(m.bytes), "uri": "data:text/plain;base64," + base64.b64encode(m.bytes).decode()}]
BUFFER_MISSING_GLB_DATA  m.binary = lambda d, b: glb(chunk(b"JSON", text_of(d)))
IMAGE_DATA_INVALID  v = j["bufferViews"][j["images"][0]["bufferView"]]; m.bytes[v["byteOffset"] + 8:v["byteOffset"] + 12] = bytes(4)
IMAGE_MIME_TYPE_INVALID  j["images"][0]["mimeType"] = "image/jpeg"
IMAGE_NPOT_DIMENSIONS  j["images"][0]["name"] = "same"
IMAGE_UNEXPECTED_EOS  j["bufferViews"][j["images"][0]["bufferView"]]["byteLength"] = 20
""".strip().split("\n") if line]:
    if code_ not in ("BUFFER_MISSING_GLB_DATA", "IMAGE_NPOT_DIMENSIONS"):
        simple(code_, text_)


@rule("INVALID_JSON")
def _(m):
    m.json = "{ \"asset\": "


@rule("IMAGE_NON_ENABLED_MIME_TYPE")
def _(m):
    webp = base64.b64decode("UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA=")
    m.json["images"][0] = {"bufferView": m.view(webp), "mimeType": "image/webp"}


@rule("BUFFER_VIEW_INVALID_BYTE_STRIDE")
def _(m):
    m.primitive["indices"] = m.array("SCALAR", [0, 0, 1, 0, 2, 0], USHORT, count=3, target=34963)
    m.json["bufferViews"][-1]["byteStride"] = 4


@rule("ACCESSOR_MATRIX_ALIGNMENT")
def _(m):
    m.view_of(m.bind)["byteLength"] -= 2
    m.accessor(m.bind)["byteOffset"] = 2
    m.view_of(m.bind)["byteOffset"] -= 2
    m.view_of(m.bind)["byteLength"] += 4


RULES.update({
    "BUFFER_MISSING_GLB_DATA": [in_glb(lambda j, b: glb(chunk(b"JSON", text_of(j))))],
    "BUFFER_GLB_CHUNK_TOO_BIG": [in_glb(lambda j, b: glb(chunk(b"JSON", text_of(j)), chunk(b"BIN\0", b + bytes(8))))],
    "GLB_CHUNK_LENGTH_UNALIGNED": [in_glb(lambda j, b: glb(chunk(b"JSON", text_of(j)),
                                                          chunk(b"BIN\0", b + bytes(1 + -len(b) % 4), align=False)))],
    "GLB_CHUNK_TOO_BIG": [in_glb(lambda j, b: glb(chunk(b"JSON", text_of(j)), struct.pack("<I4s", len(b) + 64, b"BIN\0") + b))],
    "GLB_DUPLICATE_CHUNK": [in_glb(lambda j, b: glb(chunk(b"JSON", text_of(j)), chunk(b"BIN\0", b), chunk(b"BIN\0", b)))],
    "GLB_EMPTY_CHUNK": [in_glb(lambda j, b: glb(chunk(b"JSON", b""), chunk(b"BIN\0", b)))],
    "GLB_EXTRA_DATA": [in_glb(lambda j, b: glb_file(j, b, more=b"behind"))],
    "GLB_INVALID_MAGIC": [in_glb(lambda j, b: glb_file(j, b, magic=b"gltf"))],
    "GLB_INVALID_VERSION": [in_glb(lambda j, b: glb_file(j, b, version=1))],
    "GLB_LENGTH_MISMATCH": [in_glb(lambda j, b: glb_file(j, b, length=len(glb_file(j, b)) + 8))],
    "GLB_LENGTH_TOO_SMALL": [in_glb(lambda j, b: glb_file(j, b, length=8))],
    "GLB_UNEXPECTED_BIN_CHUNK": [in_glb(lambda j, b: glb(chunk(b"JSON", text_of(j)), chunk(b"MORE", b"abcd"),
                                                        chunk(b"BIN\0", b)))],
    "GLB_UNEXPECTED_END_OF_CHUNK_DATA": [in_glb(lambda j, b: glb_file(j, b)[:-8])],
    "GLB_UNEXPECTED_END_OF_CHUNK_HEADER": [in_glb(lambda j, b: glb_file(j, b, length=len(glb_file(j, b)) + 4) + b"abcd")],
    "GLB_UNEXPECTED_END_OF_HEADER": [in_glb(lambda j, b: b"glTF\2\0")],
    "GLB_UNEXPECTED_FIRST_CHUNK": [in_glb(lambda j, b: glb(chunk(b"BIN\0", b), chunk(b"JSON", text_of(j))))],
    "GLB_UNKNOWN_CHUNK_TYPE": [in_glb(lambda j, b: glb(chunk(b"JSON", text_of(j)), chunk(b"BIN\0", b), chunk(b"MORE", b"abcd")))],
})


# --- the models that are right, whose outputs equal those of the repaired ones: by default the valid model ---

NEXT_AFTER_1 = struct.unpack("<f", struct.pack("<I", 0x3f800001))[0]
FIFTH = struct.unpack("<f", struct.pack("<f", 0.2))[0]
UNIQUE = None  # no valid model means the same

RIGHT = {
    "ACCESSOR_ANIMATION_INPUT_NON_INCREASING": "m.put(m.time, [1, NEXT_AFTER_1]); m.accessor(m.time).update(min=[1], max=[NEXT_AFTER_1])",
    "ACCESSOR_INVALID_SIGN": "m.attributes['TANGENT'] = m.array('VEC4', [1, 0, 0, 1] * 3, target=34962)",
    "ACCESSOR_JOINTS_INDEX_DUPLICATE": UNIQUE,
    "ACCESSOR_NON_CLAMPED": "m.attributes['COLOR_0'] = m.color; m.put(m.color, [1, 0, 0, 1])",
    "ACCESSOR_WEIGHTS_NEGATIVE": "m.put(m.weight, [1, 0, 0, 0])",
    "ACCESSOR_WEIGHTS_NON_NORMALIZED": "m.put(m.weight, [0.5 / (0.5 + FIFTH), FIFTH / (0.5 + FIFTH), 0, 0])",
    "ACCESSOR_WEIGHTS_NON_NORMALIZED-2": "m.put(m.weight, [1, 0, 0, 0])",
    "ANIMATION_CHANNEL_TARGET_NODE_MATRIX": "j['nodes'][1].update(scale=[2, 1, 1], translation=[2, 0, 0])",
    "ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS":
        "j['animations'][0]['samplers'][0] = {'input': m.array('SCALAR', [0], bounds=True), "
        "'output': m.array('VEC4', [0, 0, 0, 1]), 'interpolation': 'STEP'}",
    "CAMERA_YFOV_GEQUAL_PI": "j['cameras'][0]['perspective']['yfov'] = 3.14",
    "KHR_LIGHTS_PUNCTUAL_LIGHT_SPOT_ANGLES": UNIQUE,
    "MESH_INVALID_WEIGHTS_COUNT": "j['meshes'][0]['weights'] = [0.5]",
    "MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT":
        "z = m.array('VEC3', [0] * 9, bounds=True, target=34962); "
        "j['meshes'][0]['primitives'].append({'attributes': m.attributes, 'targets': [{'POSITION': z}]})",
    "MESH_PRIMITIVE_ACCESSOR_UNALIGNED": "m.attributes['COLOR_0'] = m.array('VEC4', [0] * 12, UBYTE, normalized=True, target=34962)",
    "MESH_PRIMITIVE_TOO_FEW_TEXCOORDS": UNIQUE,
    # by the angle of the right singular vectors of [[1, 1], [0, 1]], as a frame with rotation and scale
    "NODE_MATRIX_NON_TRS": "v = -math.atan((math.sqrt(5) - 1) / 2); c, s = math.cos(v), math.sin(v); u = math.atan2(s, c + s); "
                           "j['nodes'][3]['rotation'] = [0, 0, math.sin(-v / 2), math.cos(v / 2)]; "
                           "j['nodes'].append({'name': 'eye_frame', 'children': [3], 'rotation': [0, 0, math.sin(u / 2), "
                           "math.cos(u / 2)], 'scale': [math.hypot(c + s, s), math.hypot(c - s, c), 1]}); "
                           "j['scenes'][0]['nodes'][2] = 5",
    "NODE_MATRIX_TRS": "j['nodes'][3]['translation'] = [2, 0, 0]",
    "NODE_SKIN_NO_SCENE": "j['scenes'][0]['nodes'] = [0, 3, 4, 1]",
    "NODE_SKIN_WITH_NON_SKINNED_MESH": "del m.attributes['JOINTS_0'], m.attributes['WEIGHTS_0'], j['nodes'][0]['skin']",
    "NODE_WEIGHTS_INVALID": "j['nodes'][0]['weights'] = [0.5]",
    "ROTATION_NON_UNIT": "j['nodes'][1]['rotation'] = [0, 0, math.sqrt(0.5), math.sqrt(0.5)]",
    "SKIN_NO_COMMON_ROOT": UNIQUE,
    "UNDECLARED_EXTENSION":
        "j['extensionsUsed'].append('KHR_texture_transform'); j['materials'][0]['pbrMetallicRoughness']"
        "['baseColorTexture']['extensions'] = {'KHR_texture_transform': {'scale': [2, 2]}}",
    "UNSATISFIED_DEPENDENCY": "del m.accessor(m.joint)['bufferView']",
    "VALUE_NOT_IN_RANGE-2": "m.light['intensity'] = 0",
    "VALUE_NOT_IN_RANGE-3": "j['materials'][0]['emissiveFactor'] = [1, 0, 0]",
    "VALUE_NOT_IN_RANGE-4": "m.light['color'] = [1, 0.5, 0]; m.light['intensity'] = 2",
}


def files_below(folder):
    """{path: bytes}"""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(at, name), "rb") as file:
                found[os.path.relpath(os.path.join(at, name), folder)] = file.read()
    return found


def right_fault(entc, folder, name):
    """The outputs that are not those of the model that is right."""
    text, right = RIGHT.get(name, ""), folder + "-right"
    if text is UNIQUE:
        return None
    model = Model()
    exec(text, {"m": model, "j": model.json, **globals()})  # pylint: disable=exec-used
    model.save(os.path.join(right, "src"))
    run = subprocess.run([entc, "build", os.path.join(right, "src"), "-o", os.path.join(right, "out"), "-q"], capture_output=True,
                         text=True, check=False)
    if run.returncode != 0:
        return "the model that is right is refused: " + run.stderr.split("\n")[0]
    found, wanted = (files_below(os.path.join(f, "out")) for f in (folder, right))
    other = sorted(n for n in {**found, **wanted} if found.get(n) != wanted.get(n))
    return "not equal to the model that is right: %s" % ", ".join(other) if other else None


def write(folder):
    for code, changes in RULES.items():
        for i, change in enumerate(changes):
            model = Model()
            change(model)
            target = os.path.join(folder, code if i == 0 else "%s-%d" % (code, i + 1), "src")
            if isinstance(model.json, str):
                os.makedirs(target, exist_ok=True)
                with open(os.path.join(target, "m.gltf"), "w", encoding="utf-8") as out:
                    out.write(model.json)
            else:
                model.save(target)
    Model().save(os.path.join(folder, "VALID", "src"))


# --- random changes ---

VALUES = (0, 1, 2, 3, -1, 0.5, 1.5, 5126, 5121, 34962, 34963, True, "", "name", [], {}, None, "SCALAR", "VEC3", [0, 0, 0])
KEYS = ("name", "extras", "extensions", "byteOffset", "byteStride", "target", "normalized", "min", "max", "matrix", "translation", "rotation",
        "scale", "weights", "skin", "mesh", "camera", "children", "skeleton", "mode", "material", "indices", "alphaMode",
        "alphaCutoff", "doubleSided", "interpolation", "aspectRatio", "zfar", "range", "intensity", "color", "texCoord", "sampler")


def places_of(value):
    """Every object and array of the document."""
    found, stack = [], [value]
    while stack:
        at = stack.pop()
        if isinstance(at, (dict, list)):
            found.append(at)
            stack.extend(at.values() if isinstance(at, dict) else at)
    return found


def change_one(dice, document):
    at = dice.choice(places_of(document))
    keys = sorted(at) if isinstance(at, dict) else list(range(len(at)))
    kind = dice.choice(("set", "set", "number", "drop", "add", "repeat"))
    key = dice.choice(keys) if keys else None
    if kind == "add" and isinstance(at, dict):
        at[dice.choice(KEYS)] = copy.deepcopy(dice.choice(VALUES))
    elif key is None:
        return
    elif kind == "drop":
        del at[key]
    elif kind == "repeat" and isinstance(at, list):
        at.append(copy.deepcopy(at[key]))
    elif kind == "number" and isinstance(at[key], (int, float)) and not isinstance(at[key], bool):
        at[key] = dice.choice((at[key] + 1, at[key] * 2, at[key] / 2, -at[key], at[key] + 4))
    elif kind == "set" and not isinstance(at[key], (dict, list)):
        at[key] = copy.deepcopy(dice.choice(VALUES))


def write_random(folder, seed, count):
    for i in range(count):
        dice = random.Random(seed * 1000003 + i)
        model = Model()
        for change in dice.sample([c for code in sorted(RULES) for c in RULES[code] if not code.startswith(("GLB", "INVALID_JSON"))],
                                  dice.choice((0, 0, 1))):
            change(model)
        for _ in range(dice.choice((1, 1, 2, 3))):
            if isinstance(model.json, dict):
                change_one(dice, model.json)
        try:
            model.save(os.path.join(folder, "%d-%d" % (seed, i), "src"))
        except (TypeError, KeyError, AttributeError, ValueError, struct.error):
            Model().save(os.path.join(folder, "%d-%d" % (seed, i), "src"))


# --- the table of the page ---

def table_read(page):
    rows = {}
    with open(page, encoding="utf-8") as text:
        for line in text:
            found = re.match(r"\| ([A-Z0-9_]+) \| (repaired|left out|refused|accepted)(.*?) \|.*\|$", line)
            if found:
                rows[found.group(1)] = (found.group(2), re.findall(r"`(\w+)`", line))
    return rows


WARNING = {"repaired": "W0411", "left out": "W0410"}


def fault_of(entc, folder, does, kinds):
    """What is not as the table says; None: all is."""
    src, out = os.path.join(folder, "src"), os.path.join(folder, "out")
    run = subprocess.run([entc, "build", src, "-o", out], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 3):
        return "exit code %d" % run.returncode
    refused = run.returncode == 3
    if does == "refused":
        return None if refused else "it was compiled"
    if refused:
        return "it was refused: " + run.stderr.split("\n")[0]
    if does == "accepted":
        return None if "W0411" not in run.stderr else "a remark: " + run.stderr.split("\n")[0]
    if WARNING[does] not in run.stderr:
        return "no %s: %s" % (WARNING[does], run.stderr.split("\n")[0])
    if kinds and not any('"%s"' % kind in run.stderr for kind in kinds):
        return "no remark of the kinds %s: %s" % (kinds, run.stderr.split("\n")[0])
    return right_fault(entc, folder, os.path.basename(folder)) if does == "repaired" else None


def check(entc, folder, page):
    rows = table_read(page)
    passed = failed = 0
    faults = []
    for name in sorted(os.listdir(folder)):
        code = name.split("-")[0]
        does, kinds = ("accepted", []) if code == "VALID" else rows.get(code, (None, None))
        fault = "is not in the table" if does is None else fault_of(entc, os.path.join(folder, name), does, kinds)
        if fault:
            faults.append("%s (%s): %s" % (name, does, fault))
        passed, failed = passed + (not fault), failed + bool(fault)
    print("\n".join(faults))
    print("%d passed, %d failed" % (passed, failed))
    return failed == 0 and passed > 0


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2])
    elif sys.argv[1] == "random":
        write_random(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        sys.exit(0 if check(*sys.argv[2:]) else 1)
