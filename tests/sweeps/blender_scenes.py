"""Scenes with animated objects, exported by Blender, beside the matrices that Blender computes for them.

    blender -b --factory-startup -P tests/sweeps/blender_scenes.py -- OUT [NAME...]

Writes OUT/NAME/NAME.glb and OUT/NAME/poses.json for each scene:

    {"fps": 24,
     "objects": [{"name": N, "kind": "object", "view" or "skin", "moves": true or false}],
     "poses": [{"frame": F, "time": S, "matrices": {N: [16 numbers]}, "weights": {N: [numbers]}}]}

A matrix is matrix_world of the evaluated object, row by row, with Z upwards. "view" are cameras and lights, whose axes
the exporter turns; "skin" are armatures and the meshes that they deform. The exporter writes a key of frame F at F / fps seconds, whatever the first frame of the action is.
"""
import json
import math
import os
import re
import sys

import bpy
from mathutils import Matrix, Vector

FPS = 24
LAST = 36  # no action ends later; poses are written for two frames more, in which everything rests
SCENES = {}
RED, GREEN, BLUE = (0.8, 0.05, 0.05), (0.05, 0.6, 0.08), (0.05, 0.15, 0.8)
YELLOW, VIOLET, GREY, WHITE = (0.8, 0.6, 0.05), (0.5, 0.08, 0.6), (0.3, 0.3, 0.3), (0.9, 0.9, 0.9)


def scene(function):
    SCENES[function.__name__] = function
    return function


# --- objects ---

def link(name, data=None, parent=None, location=(0, 0, 0)):
    found = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(found)
    found.location = location
    found.parent = parent
    return found


def material(name, color):
    found = bpy.data.materials.new(name)
    found.use_nodes = True
    shader = found.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*color, 1)
    shader.inputs["Roughness"].default_value = 0.8
    return found


def box(name, color, size=(1, 1, 1), parent=None, location=(0, 0, 0)):
    """Its side towards +X is white and lower than the others, its side towards -Y is dark: no two directions look alike."""
    mesh = bpy.data.meshes.new(name)
    x, y, z = (v / 2 for v in size)
    corners = [(-x, -y, -z), (x, -y, -z), (x, y, -z), (-x, y, -z), (-x, -y, z), (x, -y, z / 3), (x, y, z / 3), (-x, y, z)]
    sides = [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
    mesh.from_pydata(corners, [], sides)
    for part, value in (("", color), (" end", WHITE), (" front", tuple(v / 4 for v in color))):
        mesh.materials.append(material(name + part, value))
    mesh.polygons[3].material_index = 1
    mesh.polygons[2].material_index = 2
    return link(name, mesh, parent, location)


def sphere(name, color, radius, subdivisions, parent=None, location=(0, 0, 0)):
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=subdivisions, radius=radius)
    found = bpy.context.active_object
    found.name = found.data.name = name
    found.data.materials.append(material(name, color))
    found.location = location
    found.parent = parent
    return found


def light(name, kind, energy, parent=None, location=(0, 0, 0), angles=(0, 0, 0)):
    data = bpy.data.lights.new(name, kind)
    data.energy = energy
    found = link(name, data, parent, location)
    found.rotation_euler = angles
    return found


def camera(name, location, target, parent=None):
    data = bpy.data.cameras.new(name)
    data.lens = 35
    found = link(name, data, parent, location)
    found.rotation_euler = (Vector(target) - Vector(location)).to_track_quat("-Z", "Y").to_euler()
    return found


def stage(location=(0, -10, 4), target=(0, 0, 1)):
    """A floor, a sun and a camera."""
    mesh = bpy.data.meshes.new("Floor")
    mesh.from_pydata([(-8, -8, -0.01), (8, -8, -0.01), (8, 8, -0.01), (-8, 8, -0.01)], [], [(0, 1, 2, 3)])
    mesh.materials.append(material("Floor", GREY))
    link("Floor", mesh, None, (0, 1, 0))
    light("Sun", "SUN", 3, None, (0, 0, 6), (0.6, 0.25, 0.4))
    if location:
        camera("View", location, target)


def parent_kept(found, parent):
    """As Blender's command does it: the object stays where it is."""
    bpy.context.view_layer.update()
    found.parent = parent
    found.matrix_parent_inverse = parent.matrix_world.inverted()


# --- animation ---

def keys(found, path, values, kind="LINEAR"):
    """Keys of a property by frames; the action belongs to this object only."""
    for frame, value in values.items():
        setattr(found, path, value)
        found.keyframe_insert(path, frame=frame)
    for curve in found.id_data.animation_data.action.fcurves:
        if curve.data_path == found.path_from_id(path):
            for point in curve.keyframe_points:
                point.interpolation = kind


def driver(found, path, index, expression, source, channel):
    """The property follows a channel of another object."""
    drawn = found.driver_add(path, index).driver
    drawn.type = "SCRIPTED"
    drawn.expression = expression
    variable = drawn.variables.new()
    variable.name = "v"
    variable.type = "TRANSFORMS"
    variable.targets[0].id = source
    variable.targets[0].transform_type = channel
    variable.targets[0].transform_space = "WORLD_SPACE"


# --- the scenes ---

@scene
def five():
    """Five objects with an action each, of different kinds and lengths."""
    keys(box("Spin.001", RED, location=(-4, 0, 1)), "rotation_euler", {1: (0, 0, 0), 25: (0.4, 1.2, 2.5)})
    keys(box("Lift", GREEN, location=(-2, 0, 0.5)), "location", {0: (-2, 0, 0.5), 13: (-2, 0.5, 3), 25: (-2, 0, 0.5)}, "BEZIER")
    keys(box("Pulse", BLUE, location=(0, 0, 1)), "scale", {1: (1, 1, 1), 12: (1.5, 0.5, 2), 30: (0.5, 1, 0.7)}, "BEZIER")
    keys(box("Step", YELLOW, location=(2, 0, 0.5)), "location", {5: (2, 0, 0.5), 11: (2, 1, 1), 17: (2, -1, 1.5), 23: (2, 0, 2)}, "CONSTANT")
    tumble = box("Tumble over", VIOLET, location=(4, 0, 1))
    tumble.rotation_mode = "QUATERNION"
    keys(tumble, "rotation_quaternion", {1: (1, 0, 0, 0), 10: (0.7, 0.5, -0.3, 0.4), LAST: (0.1, -0.9, 0.2, 0.3)}, "BEZIER")
    keys(tumble, "location", {3: (4, 0, 1), 20: (4, 1, 2.5)})
    keys(tumble, "scale", {1: (1, 1, 1), 30: (0.6, 0.6, 0.6)})
    stage((0, -13, 4))


@scene
def door():
    """A door whose origin was moved to its hinge, with a handle, a lamp, a spot light and a collider."""
    box("Wall", GREY, (2, 0.3, 3), None, (-2, 0, 1.5))
    leaf = box("Door", YELLOW, (2, 0.15, 2.6), None, (0, 0, 1.3))
    bpy.context.scene.cursor.location = (-1, 0, 0)
    leaf.select_set(True)
    bpy.context.view_layer.objects.active = leaf
    bpy.ops.object.origin_set(type="ORIGIN_CURSOR")
    for name, color, size, at in (("Handle", RED, (0.3, 0.4, 0.1), (0.7, -0.2, 1.2)), ("Door_col", BLUE, (1.8, 0.1, 2.4), (0, 0, 1.3))):
        parent_kept(box(name, color, size, None, at), leaf)
    parent_kept(light("Lamp", "POINT", 60, None, (0.5, -0.6, 2.2), (0.3, 0.2, 0.1)), leaf)
    spot = light("Spot", "SPOT", 80, leaf, (1, -0.5, 2.4), (0.8, 0, 0.5))
    keys(leaf, "rotation_euler", {1: (0, 0, 0), 25: (0, 0, math.radians(-100))}, "BEZIER")
    keys(spot, "rotation_euler", {1: (0.8, 0, 0.5), 30: (0.2, 0.5, -0.9)})
    stage((2, -9, 4))


@scene
def mirrored():
    """Negative scales, of which the exporter mirrors all three axes and turns the object."""
    side = box("Mirror X", RED, location=(-4, 0, 1))
    side.scale = (-1, 1, 1)
    keys(side, "rotation_euler", {1: (0, 0, 0.2), 25: (0.6, -0.4, 2.2)})
    deep = box("Mirror all", GREEN, location=(-2, 0, 1))
    deep.scale = (-0.8, -0.8, -0.8)
    keys(deep, "rotation_euler", {0: (0.1, 0, 0), 20: (0.1, 1.3, -0.7)}, "BEZIER")
    keys(deep, "location", {0: (-2, 0, 1), 20: (-2, 0.5, 2)}, "BEZIER")
    keys(box("Mirror grows", BLUE, location=(0, 0, 1)), "scale", {1: (1, -1, 1), 25: (1.5, -0.5, 1.2)})
    flip = box("Flip", YELLOW, location=(2, 0, 1))
    keys(flip, "scale", {1: (1, 1, 1), 25: (-1.1, 1, 1)})
    keys(flip, "rotation_euler", {1: (0, 0, 0), 25: (0.3, 0.2, 0.4)})
    holder = link("Holder", location=(4, 0, 1))
    holder.scale = (1, 1, -1)
    keys(holder, "rotation_euler", {1: (0, 0, 0), LAST: (0.2, 0.8, 0.5)}, "BEZIER")
    inner = box("Inner", VIOLET, (0.8, 0.8, 0.8), holder, (0, 0, -0.5))
    keys(inner, "rotation_euler", {1: (0, 0, 0), 18: (0.9, 0.4, 0)})
    stage((0, -13, 4))


@scene
def cameras():
    """A camera on an arm of a dolly, beside one that does not move relative to the dolly."""
    for name, color, at in (("Near", RED, (-2, 0, 0.5)), ("Middle", GREEN, (0, 2, 0.5)), ("Far", BLUE, (2, 4, 0.5))):
        box(name, color, location=at)
    dolly = link("Dolly", location=(-3, -8, 0.5))
    keys(dolly, "location", {1: (-3, -8, 0.5), 16: (0, -9, 1), 32: (3, -7, 0.5)}, "BEZIER")
    keys(dolly, "rotation_euler", {1: (0, 0, -0.3), 32: (0, 0, 0.3)})
    arm = link("Arm", None, dolly, (0, 0, 0.5))
    arm.scale = (1.25, 1.25, 1.25)
    keys(arm, "rotation_euler", {1: (0, 0, 0), 24: (0.1, -0.15, 0)}, "BEZIER")
    crane = camera("Crane", (0, 0, 2), (0, 8, 0.5), arm)
    keys(crane, "rotation_euler", {4: tuple(crane.rotation_euler), 28: (1.2, 0.1, 0.1)})
    camera("Fixed", (0.5, 0, 1), (0, 8, 0.5), dolly)
    stage(None)


@scene
def drivers():
    """Objects without an action that drivers move: the exporter samples them when they are selected."""
    car = box("Car", RED, (2, 1, 0.6), None, (-3, 0, 1))
    keys(car, "location", {1: (-3, 0, 1), LAST: (3, 1, 1)}, "BEZIER")
    wheel = box("Wheel", GREEN, (1, 0.3, 1), None, (-3, -2, 1))
    driver(wheel, "rotation_euler", 1, "v / 0.5", car, "LOC_X")
    driver(wheel, "location", 0, "v", car, "LOC_X")
    gear = box("Gear", BLUE, (0.8, 0.3, 0.8), None, (0, 2.5, 1.5))
    driver(gear, "rotation_euler", 1, "-0.5 * v + 0.3", wheel, "ROT_Y")
    gauge = box("Gauge", YELLOW, (0.5, 0.5, 1), None, (2, -2.5, 0.6))
    driver(gauge, "scale", 2, "1 + v * v / 9", car, "LOC_X")
    box("Needle", VIOLET, (0.2, 0.2, 0.8), gauge, (0, 0, 0.9))
    stage((0, -11, 4))
    bpy.ops.object.select_all(action="SELECT")
    return {"use_selection": True}


@scene
def shapes():
    """Shape keys with an animation: of a face that rests, of one that moves too, and a box that only moves."""
    for name, color, at in (("Face", RED, (-2.5, 0, 1.5)), ("Bouncer", GREEN, (0, 0, 1.2))):
        ball = sphere(name, color, 1, 3, None, at)
        ball.shape_key_add(name="Basis")
        wide, tall = ball.shape_key_add(name="Wide"), ball.shape_key_add(name="Tall")
        for vertex in range(len(ball.data.vertices)):
            if wide.data[vertex].co.x > 0:
                wide.data[vertex].co *= 1.5
            if tall.data[vertex].co.z > 0:
                tall.data[vertex].co.z *= 1.8
        keys(wide, "value", {1: 0.0, 20: 1.0})
        keys(tall, "value", {5: 0.2, 15: 1.0, 30: 0.0}, "BEZIER")
    keys(ball, "location", {1: (0, 0, 1.2), 12: (0.5, 0, 2), 24: (0, 0, 1.2)}, "BEZIER")
    keys(box("Slider", BLUE, location=(2.5, 0, 0.5)), "location", {0: (2.5, -1, 0.5), 30: (3, 2, 0.5)})
    stage()


@scene
def lods():
    """Three meshes that are levels of detail by their names, below one parent that moves."""
    parent = link("Bush", location=(-2, 0, 1))
    keys(parent, "location", {1: (-2, 0, 1), 30: (2, 1, 1.5)}, "BEZIER")
    keys(parent, "rotation_euler", {1: (0, 0, 0), 30: (0.3, 0.2, 3)})
    for level in range(3):
        sphere("Bush_LOD%d" % level, GREEN, 1.2, 3 - level, parent)
    box("Stem", YELLOW, (0.4, 0.4, 1), parent, (0, 0, -1.2))
    stage()


def rig_bones():
    data = bpy.data.armatures.new("Rig")
    rig = link("Rig", data, None, (0.5, 0.3, 0))
    rig.rotation_euler = (0, 0, 0.4)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bones = {"spine": (None, (0, 0, 0), (0, 0, 1.5)), "head": ("spine", (0, 0, 1.5), (0, 0, 2.1)),
             "arm": ("spine", (0.2, 0, 1.4), (1.2, 0, 1.3)), "hand": ("arm", (1.2, 0, 1.3), (1.7, -0.1, 1.3))}
    for name, (parent, head, tail) in bones.items():
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
        bone.parent = data.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig, bones


def rig_skin(rig, bones):
    """A bar along each bone that follows only this bone."""
    corners, sides, owners = [], [], []
    for name, (_, head, tail) in bones.items():
        head, tail = Vector(head), Vector(tail)
        side = (tail - head).orthogonal().normalized() * 0.15
        other = (tail - head).normalized().cross(side)
        first = len(corners)
        corners += [tuple(at + a * side + b * other) for at in (head, tail) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        sides += [tuple(first + k for k in face) for face in
                  ((3, 2, 1, 0), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))]
        owners += [name] * 8
    mesh = bpy.data.meshes.new("Body")
    mesh.from_pydata(corners, [], sides)
    mesh.materials.append(material("Body", RED))
    body = link("Body", mesh, rig)
    for name in bones:
        body.vertex_groups.new(name=name).add([v for v, owner in enumerate(owners) if owner == name], 1, "REPLACE")
    body.modifiers.new("Armature", "ARMATURE").object = rig


@scene
def sockets():
    """A rig with an action that also moves the rig. Two empty objects, a sword and a torch belong to its bones, a pack to it."""
    rig, bones = rig_bones()
    rig_skin(rig, bones)
    for name, bone, at, angles in (("socket_hand", "hand", (0, 0.1, 0), (0.2, 0.1, 0.5)), ("socket_head", "head", (0.1, 0, 0.2), (0, 0, 0))):
        socket = link(name, None, rig, at)
        socket.rotation_euler = angles
        socket.parent_type, socket.parent_bone = "BONE", bone
    sword = box("Sword", GREEN, (0.1, 1.2, 0.1), rig, (0, 0.5, 0))
    torch = light("Torch", "POINT", 30, rig, (0, 0.2, -0.1), (0.4, 0.3, 0.2))
    for found in (sword, torch):
        found.parent_type, found.parent_bone = "BONE", "hand"
    box("Pack", BLUE, (0.5, 0.3, 0.6), rig, (0, 0.4, 1))
    # At the first frame the rig rests: the exporter needs it for objects that belong to bones. It leaves out what is
    # below such an object.
    poses = {"spine": {1: (0, 0, 0), 16: (0.1, 0.5, 0.1), 30: (0, -0.3, 0)}, "arm": {1: (0, 0, 0), 12: (0.8, 0.2, 0.3), 30: (-0.4, 0, 0.5)},
             "hand": {1: (0, 0, 0), 20: (0.3, 0.9, -0.4)}, "head": {1: (0, 0, 0), 24: (0.3, 0.6, 0)}}
    for name, angles in poses.items():
        rig.pose.bones[name].rotation_mode = "XYZ"
        keys(rig.pose.bones[name], "rotation_euler", angles, "BEZIER")
    keys(rig, "location", {1: (0.5, 0.3, 0), 20: (1, 0.8, 0.5)})
    stage((1, -7, 3))


# --- the files ---

def kind_of(found):
    if found.type in ("CAMERA", "LIGHT"):
        return "view"
    return "skin" if found.type == "ARMATURE" or found.find_armature() else "object"


def pose_at(frame):
    bpy.context.scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    matrices, weights = {}, {}
    for found in bpy.context.scene.objects:
        evaluated = found.evaluated_get(graph)
        matrices[found.name] = [v for row in evaluated.matrix_world for v in row]
        if found.type == "MESH" and found.data.shape_keys:
            weights[found.name] = [key.value for key in evaluated.data.shape_keys.key_blocks[1:]]
    return {"frame": frame, "time": frame / FPS, "matrices": matrices, "weights": weights}


def object_of(found, poses):
    places = [Matrix([pose["matrices"][found.name][k:k + 4] for k in (0, 4, 8, 12)]) for pose in poses]
    moves = any(abs(a - b) > 1e-3 for place in places for x, y in zip(place, places[0]) for a, b in zip(x, y))
    return {"name": found.name, "kind": kind_of(found), "moves": moves}


def scene_build(name):
    """Returns the arguments of the exporter that this scene needs."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = FPS
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, LAST
    arguments = SCENES[name]() or {}
    bpy.context.scene.frame_set(1)
    return arguments


def scene_write(name, folder):
    os.makedirs(folder, exist_ok=True)
    arguments = scene_build(name)
    bpy.ops.export_scene.gltf(filepath=os.path.join(folder, name + ".glb"), export_format="GLB", export_lights=True,
                              export_cameras=True, export_extras=True, export_yup=True, export_apply=False,
                              export_force_sampling=True, export_optimize_animation_size=False, **arguments)
    poses = [pose_at(frame) for frame in range(LAST + 3)]
    # A level of detail of another object has no entity.
    objects = [object_of(found, poses) for found in bpy.context.scene.objects if not re.search("_LOD[1-9]", found.name)]
    with open(os.path.join(folder, "poses.json"), "w", encoding="utf-8") as file:
        json.dump({"fps": FPS, "objects": objects, "poses": poses}, file)


def main():
    arguments = sys.argv[sys.argv.index("--") + 1:]
    for name in arguments[1:] or SCENES:
        scene_write(name, os.path.join(arguments[0], name))


if __name__ == "__main__":
    main()
