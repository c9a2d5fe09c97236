"""A yard with two doors that clips turn, each with a lamp that goes up and down and is dimmed.

    make_door.py SRC

Writes SRC/door.gltf with its buffer, and the level SRC/yard.level.json.
"""
import json
import os
import struct
import sys


def box(low, high):
    """Vertices, normals and indices of a box."""
    points, normals, indices = [], [], []
    for axis in range(3):
        for side in (0, 1):
            u, v = (axis + 1) % 3, (axis + 2) % 3
            first = len(points)
            for a, b in ((0, 0), (1, 0), (1, 1), (0, 1)):
                p = [0, 0, 0]
                p[axis] = (low, high)[side][axis]
                p[u] = (low, high)[a][u]
                p[v] = (low, high)[b][v]
                points.append(p)
                normals.append([(1 if side else -1) if k == axis else 0 for k in range(3)])
            order = (0, 1, 2, 0, 2, 3) if side else (0, 2, 1, 0, 3, 2)
            indices += [first + k for k in order]
    return points, normals, indices


class Buffer:
    def __init__(self):
        self.data, self.views, self.accessors = b"", [], []

    def add(self, kind, rows, component=5126):
        flat = [v for row in rows for v in (row if isinstance(row, (list, tuple)) else [row])]
        data = struct.pack(f"<{len(flat)}{'f' if component == 5126 else 'H'}", *flat)
        self.views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": len(data)})
        self.data += data + bytes(-len(data) % 4)
        accessor = {"bufferView": len(self.views) - 1, "componentType": component, "count": len(rows), "type": kind}
        columns = list(zip(*rows)) if isinstance(rows[0], (list, tuple)) else [rows]
        if component == 5126:
            accessor["min"], accessor["max"] = [min(c) for c in columns], [max(c) for c in columns]
        self.accessors.append(accessor)
        return len(self.accessors) - 1


def mesh(buffer, low, high):
    points, normals, indices = box(low, high)
    return {"primitives": [{"attributes": {"POSITION": buffer.add("VEC3", points),
                                           "NORMAL": buffer.add("VEC3", normals)},
                            "indices": buffer.add("SCALAR", indices, 5123)}]}


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    b = Buffer()
    half = 0.5 ** 0.5
    meshes = [mesh(b, (0, 0, -0.05), (1, 2, 0.05)), mesh(b, (-0.1, -0.1, -0.1), (0.1, 0.1, 0.1)),
              mesh(b, (-6, -0.2, -6), (6, 0, 6))]
    times = b.add("SCALAR", [0.0, 1.0, 2.0])
    turn = b.add("VEC4", [(0, 0, 0, 1), (0, half, 0, half), (0, 0, 0, 1)])
    rise = b.add("VEC3", [(0.5, 2.2, 0.6), (0.5, 1.0, 0.6), (0.5, 2.2, 0.6)])
    dim = b.add("SCALAR", [60.0, 5.0, 60.0])
    nodes = [{"name": "leaf", "mesh": 0, "children": [1, 2]}, {"name": "knob", "mesh": 1, "translation": [0.8, 1, 0.15]},
             {"name": "lamp", "translation": [0.5, 2.2, 0.6], "extensions": {"KHR_lights_punctual": {"light": 0}}}]
    pointer = {"KHR_animation_pointer": {"pointer": "/extensions/KHR_lights_punctual/lights/0/intensity"}}
    clip = {"name": "open", "samplers": [{"input": times, "output": output} for output in (turn, rise, dim)],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}},
                         {"sampler": 1, "target": {"node": 2, "path": "translation"}},
                         {"sampler": 2, "target": {"path": "pointer", "extensions": pointer}}]}
    lights = {"lights": [{"type": "point", "intensity": 60, "range": 8, "color": [1, 0.7, 0.4]}]}
    model = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": nodes,
             "extensionsUsed": ["KHR_lights_punctual", "KHR_animation_pointer"], "extensions": {"KHR_lights_punctual": lights},
             "meshes": meshes[:2], "animations": [clip], "accessors": b.accessors, "bufferViews": b.views,
             "buffers": [{"uri": "door.bin", "byteLength": len(b.data)}]}
    floor = dict(model, nodes=[{"name": "floor", "mesh": 0}], meshes=meshes[2:])
    for key in ("animations", "extensionsUsed", "extensions"):
        del floor[key]
    for name, content in (("door.gltf", model), ("floor.gltf", floor)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
            json.dump(content, out)
    with open(os.path.join(folder, "door.bin"), "wb") as out:
        out.write(b.data)
    sun = {"kind": "directional", "intensity": 2, "casts_shadow": True}
    entities = [{"name": "floor", "prefab": "floor"},
                {"name": "left", "prefab": "door", "components": {"transform": {"position": [-1.5, 0, 0]}}},
                {"name": "right", "prefab": "door", "components": {"transform": {"position": [0.5, 0, 0]},
                                                                   "animator": {"speed": 0.5}},
                 "overrides": {"leaf/lamp": {"components": {"light": {"casts_shadow": True}}}}},
                {"name": "sun", "components": {"transform": {"rotation": [-0.5, 0.2, 0, 0.84]}, "light": sun}}]
    with open(os.path.join(folder, "yard.level.json"), "w", encoding="utf-8") as out:
        json.dump({"entities": entities}, out)


main()
