"""Models of a chosen size, for tests that measure how the cost grows with the size.

Each function takes the number of triangles (or of nodes) and returns the files of a source folder,
{path: bytes}. The bytes are the same on every run. SHAPES lists all of them by name.
Python 3.9, standard library only.
"""
import array
import base64
import json
import math
import random
import struct
import sys
import zlib

U32, F32 = 5125, 5126
TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN = 4, 5, 6


def chunk(kind, data, fill):
    data += fill * (-len(data) % 4)
    return struct.pack("<I4s", len(data), kind) + data


def glb(file, data):
    """A .glb of a JSON object and the bytes of its buffer."""
    text = chunk(b"JSON", json.dumps(file, separators=(",", ":")).encode(), b" ")
    body = text + (chunk(b"BIN\0", bytes(data), b"\0") if data else b"")
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


def packed(form, values):
    words = array.array(form, values)
    if sys.byteorder == "big":
        words.byteswap()
    return words.tobytes()


def scene(primitive):
    return {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
            "nodes": [{"name": "shape", "mesh": 0}], "meshes": [{"primitives": [primitive]}]}


def model(points, indices=None, mode=TRIANGLES):
    """One mesh of one primitive. Points: flat list of coordinates."""
    positions = packed("f", points)
    data = positions
    low = [min(column) for column in axes(positions)]
    high = [max(column) for column in axes(positions)]
    primitive = {"attributes": {"POSITION": 0}, "mode": mode}
    file = scene(primitive)
    file["accessors"] = [{"bufferView": 0, "componentType": F32, "count": len(points) // 3,
                          "type": "VEC3", "min": low, "max": high}]
    file["bufferViews"] = [{"buffer": 0, "byteOffset": 0, "byteLength": len(positions)}]
    if indices is not None:
        words = packed("I", indices)
        primitive["indices"] = 1
        file["accessors"].append({"bufferView": 1, "componentType": U32, "count": len(indices),
                                  "type": "SCALAR"})
        file["bufferViews"].append({"buffer": 0, "byteOffset": len(data),
                                    "byteLength": len(words)})
        data += words
    file["buffers"] = [{"byteLength": len(data)}]
    return {"shape.glb": glb(file, data)}


def axes(positions):
    """The coordinates as stored in the file: min and max must be exact."""
    words = array.array("f", positions)
    if sys.byteorder == "big":
        words.byteswap()
    return words[0::3], words[1::3], words[2::3]


def circle(count, z=0.0):
    points = []
    for i in range(count):
        angle = 2 * math.pi * i / count
        points += [math.cos(angle), math.sin(angle), z]
    return points


def fan(n):
    """n triangles around one vertex, each sharing an edge with the next; indexed."""
    indices = []
    for i in range(1, n + 1):
        indices += [0, i, i + 1]
    return model([0.0, 0.0, 0.0] + circle(n + 1), indices)


def fan_mode(n):
    """The same triangles as a TRIANGLE_FAN without indices."""
    return model([0.0, 0.0, 0.0] + circle(n + 1), None, TRIANGLE_FAN)


def star(n):
    """n triangles around one vertex, without any other common vertex."""
    indices = []
    for i in range(n):
        indices += [0, 2 * i + 1, 2 * i + 2]
    return model([0.0, 0.0, 0.0] + circle(2 * n), indices)


def spindle(n):
    """Two vertices of valence n / 2, joined by a ring."""
    ring = max(n // 2, 3)
    points = circle(ring) + [0.0, 0.0, 1.0, 0.0, 0.0, -1.0]
    indices = []
    for i in range(ring):
        k = (i + 1) % ring
        indices += [i, k, ring, k, i, ring + 1]
    return model(points, indices)


def hubs(n):
    """Fans of about sqrt(n) triangles each: many vertices of a rather high valence."""
    size = max(int(math.sqrt(n)), 1)
    points, indices = [], []
    for f in range(max(n // size, 1)):
        first = len(points) // 3
        points += [0.0, 0.0, float(f)] + circle(size + 1, float(f))
        for i in range(first + 1, first + 1 + size):
            indices += [first, i, i + 1]
    return model(points, indices)


def crossed(n):
    """Every triangle has one corner at each of three groups of sqrt(n / 3) vertices."""
    size = max(int(math.sqrt(n / 3)), 1)
    points = circle(size) + circle(size, 1.0) + circle(size, 2.0)
    dice = random.Random(n)
    indices = []
    for _ in range(n):
        indices += [dice.randrange(size), size + dice.randrange(size),
                    2 * size + dice.randrange(size)]
    return model(points, indices)


def zeros(n):
    """n triangles whose positions have no data: every coordinate is zero. The file has 300 bytes."""
    file = scene({"attributes": {"POSITION": 0}})
    file["accessors"] = [{"componentType": F32, "count": 3 * n, "type": "VEC3",
                          "min": [0, 0, 0], "max": [0, 0, 0]}]
    return {"shape.glb": glb(file, b"")}


def zeros_stored(n):
    """The same with the zeros in the file."""
    return model([0.0] * (9 * n))


def zeros_indexed(n):
    """Triangles with different indices at one point."""
    return model([0.0] * (9 * n), list(range(3 * n)))


def degenerate(n):
    """One real triangle, and n that use one vertex two or three times."""
    indices = [0, 1, 2]
    for i in range(n):
        indices += [0, 1 + i % 2, 0]
    return model([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], indices)


def repeated(n):
    """One triangle, n times."""
    return model([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], [0, 1, 2] * n)


def strip(n):
    """n triangles of a TRIANGLE_STRIP without indices."""
    points = []
    for i in range(n + 2):
        points += [float(i // 2), float(i % 2), 0.0]
    return model(points, None, TRIANGLE_STRIP)


def grid(n):
    """About n triangles of a regular grid, indexed row by row."""
    side = max(int(math.sqrt(n / 2)), 1)
    points, indices = [], []
    for y in range(side + 1):
        for x in range(side + 1):
            points += [float(x), float(y), 0.0]
    for y in range(side):
        for x in range(side):
            a = y * (side + 1) + x
            b = a + side + 1
            indices += [a, a + 1, b + 1, a, b + 1, b]
    return model(points, indices)


def soup(n):
    """n triangles at random places that share no vertex; without indices."""
    dice = random.Random(n)
    return model([dice.random() for _ in range(9 * n)])


def shared(n):
    """n primitives of one triangle, each with separate indices into one array of n vertices."""
    points = []
    for i in range(max(n, 3)):
        points += [float(i % 1000), float(i // 1000), float(i % 7)]
    count = len(points) // 3
    positions = packed("f", points)
    triples = [(i % count, (i + 1) % count, (i + 2) % count) for i in range(n)]
    words = packed("I", [index for triple in triples for index in triple])
    file = scene({})
    file["accessors"] = [{"bufferView": 0, "componentType": F32, "count": count, "type": "VEC3",
                          "min": [min(column) for column in axes(positions)],
                          "max": [max(column) for column in axes(positions)]}]
    file["accessors"] += [{"bufferView": 1, "byteOffset": 12 * i, "componentType": U32, "count": 3,
                           "type": "SCALAR"} for i in range(n)]
    file["bufferViews"] = [
        {"buffer": 0, "byteOffset": 0, "byteLength": len(positions)},
        {"buffer": 0, "byteOffset": len(positions), "byteLength": len(words)}]
    file["buffers"] = [{"byteLength": len(positions) + len(words)}]
    file["meshes"] = [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1 + i}
                                      for i in range(n)]}]
    return {"shape.glb": glb(file, positions + words)}


def nodes(n):
    """n nodes without a name, without skin, mesh or animation."""
    file = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": list(range(n))}],
            "nodes": [{}] * n}
    return {"shape.glb": glb(file, b"")}


def extensions(n):
    """n names of extensions, each used by a node."""
    names = ["X_%d" % i for i in range(n)]
    file = {"asset": {"version": "2.0"}, "extensionsUsed": names,
            "nodes": [{"extensions": {name: {}}} for name in names]}
    return {"shape.glb": glb(file, b"")}


def texture_sets(n):
    """One triangle with n sets of texture coordinates."""
    attributes = {"TEXCOORD_%d" % i: 1 for i in range(n)}
    file = scene({"attributes": dict(attributes, POSITION=0)})
    file["accessors"] = [{"componentType": F32, "count": 3, "type": "VEC3",
                          "min": [0, 0, 0], "max": [0, 0, 0]},
                         {"componentType": F32, "count": 3, "type": "VEC2"}]
    return {"shape.glb": glb(file, b"")}


def png_chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def flat_map():
    """A normal map of one pixel, as a data URI."""
    data = (b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)) +
            png_chunk(b"IDAT", zlib.compress(b"\0\x80\x80\xff")) + png_chunk(b"IEND", b""))
    return "data:image/png;base64," + base64.b64encode(data).decode()


def mapped(shape):
    """The same triangles with a normal map, whose texture coordinates are x and y: tangents are computed."""
    def make(n):
        data = shape(n)["shape.glb"]
        (size,) = struct.unpack_from("<I", data, 12)
        file, body = json.loads(data[20:20 + size]), data[28 + size:]
        points = file["accessors"][0]
        file["bufferViews"].append({**file["bufferViews"][points["bufferView"]], "byteStride": 12})
        file["accessors"].append({"bufferView": len(file["bufferViews"]) - 1, "componentType": F32,
                                  "count": points["count"], "type": "VEC2"})
        for primitive in file["meshes"][0]["primitives"]:
            primitive["attributes"]["TEXCOORD_0"] = len(file["accessors"]) - 1
            primitive["material"] = 0
        file["materials"] = [{"normalTexture": {"index": 0}}]
        file["textures"], file["images"] = [{"source": 0}], [{"uri": flat_map()}]
        return {"shape.glb": glb(file, body)}
    make.__name__ = shape.__name__ + "_mapped"
    return make


SHAPES = {shape.__name__: shape for shape in (
    *map(mapped, (fan, star, spindle, crossed, repeated, grid)),
    fan, fan_mode, star, spindle, hubs, crossed, zeros, zeros_stored, zeros_indexed, degenerate,
    repeated, strip, grid, soup, shared, nodes,
    extensions, texture_sets)}


def main():
    """shapes_models.py SHAPE COUNT FOLDER: writes the files of one shape."""
    from pathlib import Path
    shape, count, folder = sys.argv[1:]
    for path, data in SHAPES[shape](int(count)).items():
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / path).write_bytes(data)


if __name__ == "__main__":
    main()
