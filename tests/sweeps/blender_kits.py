"""Kits of props and levels of empties, exported by Blender, beside the matrices that Blender computes for them.

    blender -b --factory-startup -P tests/sweeps/blender_kits.py -- ROOT

Writes ROOT/src, a source folder, and ROOT/wanted.json, the meshes that its entities and levels show, as kit_oracle.py compares
them: [mesh, matrix with Y upwards, mass].

    models/kit      ten props by root objects, some turned, scaled or mirrored, with objects below them
    models/yards    five collections of several objects, which begin at the origin of the collection
    models/sets     a kit whose props contain empties that instance those of the other kits
    levels/town     empties that instance all of them, some below others, in groups
    levels/mirror   the same instances, mirrored
    levels/wind     vectors in properties
    levels/glass    panes and bodies of glass before boxes
"""
import json
import math
import os
import sys

import bpy
from mathutils import Matrix

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from blender_scenes import BLUE, GREEN, RED, YELLOW, box, camera, light, link, material  # noqa: E402

TO_Y_UP = Matrix(((1, 0, 0, 0), (0, 0, 1, 0), (0, -1, 0, 0), (0, 0, 0, 1)))
COLORS = RED, GREEN, BLUE, YELLOW
wanted, prefabs = {}, {}


def row(mesh, matrix, mass=None):
    turned = TO_Y_UP @ matrix @ TO_Y_UP.inverted()
    return [mesh, [list(line) for line in turned[:3]], mass]


def begin():
    bpy.ops.wm.read_factory_settings(use_empty=True)


def export(path, settings):
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    bpy.ops.export_scene.gltf(filepath=path + ".glb", export_format="GLB", export_extras=True, export_lights=True,
                              export_cameras=True, export_yup=True)
    with open(path + ".model.json", "w", encoding="utf-8") as file:
        json.dump(settings, file)


def below(found):
    yield found
    for child in found.children:
        yield from below(child)


def shown(found, model):
    """[mesh, matrix in Blender's axes] of an object and what is below it, relative to the file."""
    out = []
    for each in below(found):
        if each.type == "MESH":
            out.append((model + "/" + resource(each.data.name), each.matrix_world.copy()))
        if "prefab" in each:
            out += [(mesh, each.matrix_world @ matrix) for mesh, matrix in prefabs[each["prefab"]]]
    return out


def resource(name):
    return "".join(c if c.isalnum() else "_" for c in name.lower())


def note(model, parts):
    """`parts`: {name: (place, roots)}"""
    everything = []
    for name, (place, roots) in parts.items():
        back = Matrix.Translation(place).inverted()
        meshes = [(mesh, back @ matrix) for found in roots for mesh, matrix in shown(found, model)]
        prefabs[model + "/" + resource(name)] = meshes
        wanted[model + "/" + resource(name) + ".entity"] = [row(*pair) for pair in meshes]
        everything += [row(mesh, Matrix.Translation(place) @ matrix) for mesh, matrix in meshes]
    wanted[model + ".entity"] = everything


def turned(found, i):
    found.rotation_euler = (0.3 * (i % 3), 0.2 * (i % 2), 0.7 * i)
    found.scale = [(1, 1.5, 0.5)[i % 3] * (-1 if i % 4 == 3 and k == 0 else 1) for k in range(3)]


def kit(root):
    begin()
    parts = {}
    for i in range(10):
        found = box("Prop %d" % i, COLORS[i % 4], (1, 1, 0.5 + 0.1 * i), None, (3 * i, i % 3, 0))
        if i % 2:
            turned(found, i)
        if i % 3 == 0:
            lid = box("Lid %d" % i, COLORS[(i + 1) % 4], (0.5, 0.5, 0.2), found, (0, 0, 0.6))
            lid.rotation_euler = (0, 0, 0.5)
        parts["Prop %d" % i] = (found.location.copy(), [found])
    bpy.context.view_layer.update()
    note("models/kit", parts)
    export(os.path.join(root, "src/models/kit"), {"split": "roots"})


def yards(root):
    begin()
    parts = {}
    for i in range(5):
        place, roots = (8 * i, -4, 0), []
        for k in range(1 + i % 3):
            found = box("Stone %d %d" % (i, k), COLORS[k % 4], (1, 0.6, 0.4), None, (8 * i + k, -4 + k, 0.3 * k))
            turned(found, i + k)
            found["collection"] = "Yard %d" % i
            found["collection.offset"] = place
            roots.append(found)
        parts["Yard %d" % i] = (place, roots)
    bpy.context.view_layer.update()
    note("models/yards", parts)
    export(os.path.join(root, "src/models/yards"), {"split": "collections"})


def place(name, prefab, parent=None, location=(0, 0, 0), angles=(0, 0, 0), scale=(1, 1, 1)):
    found = link(name, None, parent, location)
    found.rotation_euler, found.scale = angles, scale
    found["prefab"] = prefab
    return found


def sets(root):
    begin()
    parts = {}
    for i in range(4):
        floor = box("Floor %d" % i, COLORS[i], (4, 4, 0.1), None, (10 * i, 0, 0))
        for k in range(3):
            place("Place %d %d" % (i, k), "models/kit/prop_%d" % ((3 * i + k) % 10), floor, (k - 1, 0.5 * k, 0.3), (0, 0, 0.4 * k),
                  [1 + 0.5 * k] * 3)
        place("Yard %d" % i, "models/yards/yard_%d" % i, floor, (0, -1, 0.2), (0.1, 0, 1), (0.5, 0.5, 0.5))
        parts["Floor %d" % i] = (floor.location.copy(), [floor])
    bpy.context.view_layer.update()
    note("models/sets", parts)
    export(os.path.join(root, "src/models/sets"), {"split": "roots"})


def level(root, name, side):
    """Empties in rows; every third one is below another empty, which is turned."""
    begin()
    roots = []
    for i, prefab in enumerate(sorted(prefabs)):
        scale = [(1, 0.5, 2)[i % 3] * (side if k == i % 3 else 1) for k in range(3)]
        parent = None
        if i % 3 == 2:
            parent = link("Above %d" % i, None, None, (0.5 * i, 2, 0))
            parent.rotation_euler = (0, 0.1, 0.3)
            roots.append(parent)
        found = place("Here %d" % i, prefab, parent, (i % 5 * 4 - 8, i // 5 * 4, 0), (0, 0.1 * (i % 2), 0.5 * i), scale)
        if parent is None:
            roots.append(found)
            if i % 4 == 0:
                found["group"] = "night" if i % 8 else "day"
    light("Sun", "SUN", 3, None, (0, 0, 9), (0.6, 0.25, 0.4))
    camera("View", (0, -22, 14), (0, 6, 0))
    bpy.context.view_layer.update()
    wanted["levels/" + name + ".level"] = [row(*pair) for found in roots for pair in shown(found, "levels/" + name)]
    export(os.path.join(root, "src/levels", name), {"as": "level"})


def wind(root):
    begin()
    found = place("Ball", "models/kit/prop_0", None, (1, 2, 3))
    found["point_mass.velocity"] = (1.0, 2.0, 3.0)
    found["point_mass.mass"] = 7
    emitter = link("Spring", None, None, (0, 0, 0))
    emitter["emitter.velocity_m_s"] = (0.0, 0.0, 5.0)
    emitter["emitter.half_extent_m"] = (1.0, 2.0, 3.0)
    emitter["fluid.gravity_m_s2"] = (0.0, 0.0, -3.5)
    emitter["fluid.color"] = (0.25, 0.5, 0.75)
    bpy.context.view_layer.update()
    rows = shown(found, "levels/wind")
    wanted["levels/wind.level"] = [row(*pair, 7 if pair[0] == "models/kit/prop_0" else None) for pair in rows]
    export(os.path.join(root, "src/levels/wind"), {"as": "level"})


def glass_of(name, color, thick=0.0, rough=0.0, index=1.5):
    found = material(name, color)
    found.use_backface_culling = True
    shader = found.node_tree.nodes["Principled BSDF"]
    for key, value in (("Transmission", 1), ("Roughness", rough), ("IOR", index), ("Metallic", 0)):
        shader.inputs[key].default_value = value
    if thick:
        found["thickness_m"] = thick
    return found


def glass(root):
    """From the left: a clear pane, a red and a green one that overlap, a body that refracts, and rough glass."""
    begin()
    for i in range(9):
        box("Post %d" % i, COLORS[i % 4], (0.5, 0.5, 3), None, (1.2 * i - 4.8, 3, 1.5))
    box("Ground", (0.5, 0.5, 0.5), (16, 12, 0.2), None, (0, 0, -0.1))
    panes = (("Clear", (-4.2, 0, 1.2), (1.6, 0.05, 2.2), (1, 1, 1), 0, 0), ("Red", (-2, 0, 1.2), (1.6, 0.05, 2.2), (1, 0.15, 0.1), 0, 0),
             ("Green", (-1.2, -0.6, 1), (1.6, 0.05, 1.8), (0.2, 1, 0.2), 0, 0), ("Body", (1.2, 0, 1), (1.8, 1, 1.8), (0.8, 0.9, 1), 1, 0),
             ("Rough", (3.8, 0, 1.2), (1.6, 0.05, 2.2), (1, 1, 1), 0, 0.6))
    for name, at, size, color, thick, rough in panes:
        found = box(name, color, size, None, at)
        found.data.materials.clear()
        found.data.materials.append(glass_of(name, color, thick, rough))
        for polygon in found.data.polygons:
            polygon.material_index = 0
    light("Sun", "SUN", 3, None, (0, 0, 9), (0.7, 0.3, 0))
    camera("View", (0, -12, 3), (0, 0, 1.2))
    bpy.context.view_layer.update()
    wanted["levels/glass.level"] = [row(*pair) for found in bpy.context.scene.objects for pair in shown(found, "levels/glass")
                                    if found.parent is None]
    export(os.path.join(root, "src/levels/glass"), {"as": "level"})


def main(root):
    kit(root)
    yards(root)
    sets(root)
    level(root, "town", 1)
    level(root, "mirror", -1)
    wind(root)
    glass(root)
    with open(os.path.join(root, "wanted.json"), "w", encoding="utf-8") as file:
        json.dump(wanted, file)


assert math.isclose(TO_Y_UP.determinant(), 1)
if __name__ == "__main__":
    main(sys.argv[sys.argv.index("--") + 1])
