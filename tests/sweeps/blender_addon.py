"""A kit and a level that Blender writes with the add-on of entc, and what the add-on shows of mistakes in them.

    blender -b --factory-startup -P tests/sweeps/blender_addon.py -- PHASE ROOT ENTC

PHASE is one of

    install    installs compiler/blender/entc_blender.py as a user does
    others     ROOT/src/models/chests.blend, chest.blend and pair.blend, the other kinds of files
    kit        ROOT/src/models/kit.blend, four collections that are assets, one of which instances another one
    level      ROOT/src/levels/town.blend, instances of the linked collections; ROOT/wanted.json has the meshes that Blender
               shows in it, as kit_oracle.py compares them
    mistakes   mistakes in this level, the diagnostics of which select the object that they are about
    tutorial   the ten steps of compiler/TUTORIAL.md, in ROOT/tutorial
    traps      what goes wrong between files, scenes and modes
    hostile    properties, names and files that no level has

It ends with `N checks`, or with an error of Python.
"""
import json
import math
import os
import re
import subprocess
import sys

import bpy
from mathutils import Quaternion, Vector

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from blender_kits import resource, row  # noqa: E402
from blender_scenes import BLUE, GREEN, RED, box, camera, light, link  # noqa: E402

PHASE, ROOT, ENTC = sys.argv[sys.argv.index("--") + 1:]
ADDON = "entc_blender"
checks = 0


def check(holds, *what):
    global checks
    checks += 1
    if not holds:
        raise AssertionError(" ".join(str(w) for w in what))


def begin(file=None):
    """An empty scene, or a file, with the add-on."""
    if file:
        bpy.ops.wm.open_mainfile(filepath=file)
    else:
        bpy.ops.wm.read_factory_settings(use_empty=True)
    if ADDON not in bpy.context.preferences.addons:
        bpy.ops.preferences.addon_enable(module=ADDON)
    bpy.context.preferences.addons[ADDON].preferences.entc = ENTC
    return bpy.context.scene


def findings():
    return [(f.severity, f.message, f.object_name) for f in bpy.context.window_manager.entc_findings]


def active(found):
    bpy.context.view_layer.objects.active = found
    return found


def component(found, name):
    active(found)
    check(bpy.ops.entc.component_add(component=name) == {"FINISHED"}, name)


def field(found, name, value):
    active(found)
    bpy.ops.entc.field_add(field=name)
    found[name] = value


def install():
    bpy.ops.preferences.addon_install(filepath=os.path.abspath("compiler/blender/entc_blender.py"), overwrite=True)
    scene = begin()
    check(scene.entc.kind == "ENTITY" and not scene.entc.export_on_save)
    bpy.ops.preferences.addon_disable(module=ADDON)
    check(not hasattr(bpy.types.Scene, "entc"), "unregistered")
    os.makedirs(ROOT + "/src/gameplay", exist_ok=True)
    os.makedirs(ROOT + "/src/models", exist_ok=True)
    os.makedirs(ROOT + "/src/levels", exist_ok=True)
    with open(ROOT + "/src/entc.json", "w", encoding="utf-8") as file:
        file.write('{ "models": { "accept": ["resource_names", "node_names", "shadows"] } }\n')
    with open(ROOT + "/src/gameplay/health.component.json", "w", encoding="utf-8") as file:
        file.write('{ "fields": { "points": { "type": "u32", "default": 70, "min": 1, "max": 500 },\n'
                   '  "kind": { "type": "enum", "enum": ["wood", "iron"], "default": "iron" },\n'
                   '  "armed": { "type": "bool", "default": false }, "sight": { "type": "f32", "count": 3, "axes": "direction", "default": [0, 1, 0] },\n'
                   '  "reach": { "type": "f32", "unit": "m", "min": 0, "max": 9, "default": 2 }, "guard": { "type": "entity" } } }\n')
    with open(ROOT + "/src/gameplay/limits.component.json", "w", encoding="utf-8") as file:
        file.write('{ "fields": { "mask": { "type": "u32", "default": 4294967295 }, "low": { "type": "f32", "min": -9, "max": -1 },\n'
                   '  "many": { "type": "u32", "array": 2, "min": 1, "max": 5 }, "big": { "type": "u32", "min": 3000000000 },\n'
                   '  "near": { "type": "i32", "min": 5, "max": 9 } } }\n')


# --- a kit of collections ---

def part(name, offset):
    collection = bpy.data.collections.new(name)
    bpy.context.scene.collection.children.link(collection)
    collection.asset_mark()
    collection.instance_offset = offset
    return collection


def moved(found, collection):
    for other in found.users_collection:
        other.objects.unlink(found)
    collection.objects.link(found)
    return found


def kit():
    scene = begin()
    scene.entc.kind = "COLLECTIONS"
    bpy.ops.wm.save_as_mainfile(filepath=ROOT + "/src/models/kit.blend")
    check(not os.path.exists(ROOT + "/src/models/kit.glb"), "it is exported only if the artist wants that")
    crate = part("Old Crate", (3, 0, 0))
    body = moved(box("Body", RED, (2, 1, 1), None, (3, 0, 0.5)), crate)
    body.rotation_euler = (0, 0, math.radians(30))
    moved(box("Lid", GREEN, (1.6, 0.8, 0.2), body, (0, 0, 0.6)), crate)
    moved(box("Handle", BLUE, (0.2, 0.2, 0.6), None, (3.5, 1, 0.3)), crate)
    lamp = part("Lamp", (8, 0, 0))
    post = moved(box("Post", BLUE, (0.2, 0.2, 2), None, (8, 0, 1)), lamp)
    moved(light("Bulb", "POINT", 60, post, (0, 0, 1.2)), lamp)
    component(post, "health")
    check(post["health.points"] == 70 and post["health.kind"] == "iron" and post["health.armed"] == 0, dict(post.items()))
    check(list(post["health.sight"]) == [0, 0, 1], "the axis Y of entc is Z", list(post["health.sight"]))
    check("health.guard" not in post, "references are added one by one")
    shown = post.id_properties_ui("health.reach").as_dict()
    check(shown["subtype"] == "DISTANCE" and abs(shown["max"] - 9) < 1e-5 and shown["min"] == 0 and shown["default"] == 2, shown)
    check("Unit: m" in shown["description"], shown)
    post["health.sight"] = (0.0, 1.0, 0.0)
    bpy.ops.entc.choose(field="health.kind", choice="wood")
    bpy.ops.entc.toggle(field="health.armed")
    bpy.ops.entc.field_add(field="health.guard")
    bpy.ops.entc.refer(field="health.guard", target="Bulb")
    bpy.ops.entc.remove(name="health.reach")
    check("health.reach" not in post and post["health.guard"] == bpy.data.objects["Bulb"])
    scene.objects["Bulb"].name = "Bright"  # the reference follows
    gate = part("Gate", (0, 8, 0))
    door = moved(box("Door", GREEN, (1, 0.1, 2), None, (0, 8, 1)), gate)
    for frame, angle in ((1, 0), (25, 90)):
        door.rotation_euler = (0, 0, math.radians(angle))
        door.keyframe_insert("rotation_euler", frame=frame)
    for name, frame in (("creak", 7), ("creak", 13), ("open", 25)):
        door.animation_data.action.pose_markers.new(name).frame = frame
    door.rotation_euler = (0, 0, 0)
    stand = part("Stand", (0, -8, 0))
    moved(box("Table", RED, (4, 2, 0.1), None, (0, -8, 1)), stand)
    for i in range(2):
        found = moved(link("On %d" % i, None, None, (2 * i - 1, -8, 1.1)), stand)
        found.instance_type, found.instance_collection = "COLLECTION", crate
        found.scale = (0.5, 0.5, -0.5 if i else 0.5)
    scene.entc.export_on_save = True
    bpy.ops.wm.save_mainfile()
    check(findings() == [], findings())
    check(crate["prefab"] == "models/kit/Old Crate", dict(crate.items()))
    before = os.stat(ROOT + "/src/models/kit.glb")
    bpy.ops.wm.save_mainfile()
    after = os.stat(ROOT + "/src/models/kit.glb")
    check((before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns), "the same content is not written again")
    check(not [name for name in os.listdir(ROOT + "/src/models") if "tmp" in name])


# --- other kinds of files ---

def refer(found, target):
    active(found)
    bpy.ops.entc.field_add(field="camera.target")
    bpy.ops.entc.refer(field="camera.target", target=target)


def others():
    """References between objects, in a kit of objects, in one prefab with a root and in one with several."""
    for name, kind, roots in (("chests", "ROOTS", 2), ("chest", "ENTITY", 1), ("pair", "ENTITY", 2)):
        scene = begin()
        scene.entc.kind = kind
        bpy.ops.wm.save_as_mainfile(filepath="%s/src/models/%s.blend" % (ROOT, name))
        for i in range(roots):
            chest = box("Chest %d" % i, RED, (1, 1, 1), None, (3 * i, 1, 0))
            lock = link("Lock %d" % i, None, link("Lid %d" % i, None, chest), (0, 0, 1))
            refer(lock, "Lid %d" % i)
        bpy.ops.entc.export()
        check(findings() == [], name, findings())


# --- a level of instances ---

def instance(name, collection, location, turn=None, scale=(1, 1, 1), parent=None):
    found = link(name, None, parent, location)
    found.instance_type, found.instance_collection = "COLLECTION", collection
    found.rotation_mode, found.scale = "QUATERNION", scale
    found.rotation_quaternion = Quaternion(turn or (1, 0, 0, 0))
    return found


def meshes_shown():
    """What Blender shows: the meshes of all instances, with their matrices."""
    bpy.context.view_layer.update()
    found = []
    for each in bpy.context.evaluated_depsgraph_get().object_instances:
        if each.object.type == "MESH":
            model = "models/kit/" if each.is_instance else "levels/town/"
            found.append(row(model + resource(each.object.original.data.name), each.matrix_world.copy()))
    return found


def level():
    scene = begin()
    scene.entc.kind = "LEVEL"
    bpy.ops.wm.save_as_mainfile(filepath=ROOT + "/src/levels/town.blend")
    with bpy.data.libraries.load(ROOT + "/src/models/kit.blend", link=True, relative=True) as (_, to):
        to.collections = ["Old Crate", "Lamp", "Gate", "Stand"]
    crate, lamp, gate, stand = to.collections
    half, one = math.sqrt(0.5), (1, 0, 0, 0)
    field(instance("Box", crate, (1, 2, 0), (half, 0, 0, half), (1, 2, 1)), "point_mass.mass", 7.0)
    instance("Mirrored", crate, (-3, 2, 0), one, (-1, 1, 1))["group"] = "night"
    instance("Lamp 1", lamp, (4, -1, 0), (0, 0, 0, 1))
    post = instance("Lamp 2", lamp, (-4, -1, 0.5))
    above = link("Yard", None, None, (0, 4, 0))
    instance("Way in", gate, (0, 2, 0), one, (1, 1, 1.5), above)
    instance("Stand", stand, (0, -4, 0))
    floor = box("Floor", BLUE, (20, 20, 0.2), None, (0, 0, -0.1))
    field(floor, "collider.kind", "plane")
    field(floor, "collider.normal", (0.0, 0.0, 1.0))
    lift = instance("Lift", gate, (8, 4, 0))
    for frame, height in ((1, 0), (25, 3)):
        lift.location.z = height
        lift.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    refer(link("Watch", None, None, (9, 4, 0)), "Lift")
    view = camera("View", (2, -16, 9), (0, 1, 0))
    active(view)
    bpy.ops.entc.field_add(field="camera.target")
    bpy.ops.entc.refer(field="camera.target", target="Lamp 2")
    post.name = "Far lamp"
    light("Sun", "SUN", 3, None, (0, 0, 9), (0.6, 0.25, 0.4))
    scene.entc.export_on_save = True
    with open(ROOT + "/src/levels/town.model.json", "w", encoding="utf-8") as file:
        file.write('{ "lights": { "cast_shadows": true }, "split": "roots" }\n')
    bpy.ops.wm.save_mainfile()
    check(findings() == [], findings())
    with open(ROOT + "/src/levels/town.model.json", encoding="utf-8") as file:
        check(json.load(file) == {"lights": {"cast_shadows": True}, "as": "level"}, "the settings that are not ours stay")
    with open(ROOT + "/wanted.json", "w", encoding="utf-8") as file:
        json.dump({"levels/town.level": meshes_shown()}, file)
    panels_draw(scene)
    yard()


def yard():
    """What HAND in blender_addon.sh has: the same level in JSON."""
    scene = begin()
    scene.entc.kind = "LEVEL"
    bpy.ops.wm.save_as_mainfile(filepath=ROOT + "/src/levels/yard.blend")
    with bpy.data.libraries.load(ROOT + "/src/models/kit.blend", link=True, relative=True) as (_, to):
        to.collections = ["Old Crate", "Lamp", "Gate"]
    crate, lamp, gate = to.collections
    field(instance("Crate 1", crate, (1, 2, 0)), "point_mass.mass", 7.0)
    field(instance("Crate 2", crate, (1, 2, 1), (0, 0, 0, 1)), "point_mass.velocity", (1.0, 2.0, 3.0))
    instance("Lamp 1", lamp, (4, -1, 0), (0, 0, 0, 1), (2, 2, 2))["group"] = "night"
    instance("Way in", gate, (0, -2, 0), None, (1, 1, 1), link("Yard", None, None, (0, 4, 0)))
    torch = link("Torch", None, None, (0, 0, 3))
    component(torch, "light")
    bpy.ops.entc.choose(field="light.kind", choice="spot")
    bpy.ops.entc.toggle(field="light.casts_shadow")
    torch["light.color"], torch["light.range_m"] = (1.0, 0.5, 0.25), 25.0
    component(torch, "health")
    torch["health.sight"], torch["health.points"] = (0.0, 1.0, 0.0), 9
    field(torch, "health.guard", "Crate 1/Body")
    bpy.ops.entc.field_add(field="camera.target")
    bpy.ops.entc.refer(field="camera.target", target="Way in")
    scene.entc.export_on_save = True
    bpy.ops.wm.save_mainfile()
    check(findings() == [], findings())


# --- panels ---

class Layout:
    """Takes the place of Blender's layout, which exists only in a window: records what is drawn."""

    def __init__(self, shown):
        self.shown = shown

    def __getattr__(self, name):
        def call(*arguments, **keys):
            self.shown.append((name, arguments, keys))
            return self if name in ("row", "column", "box") else type("Operator", (), {})()
        return call


def panel_draw(panel):
    shown = []
    stand_in = type("Panel", (), {"layout": Layout(shown), **{k: v for k, v in vars(panel).items() if k.endswith("_draw")}})
    panel.draw(stand_in(), bpy.context)
    return shown


def panels_draw(scene):
    active(scene.objects["Box"])
    shown = panel_draw(bpy.types.OBJECT_PT_entc)
    check(any(call[0] == "label" and call[2].get("text") == "prefab: models/kit/Old Crate" for call in shown), shown)
    check(any(call[0] == "prop" and call[1][1] == '["point_mass.mass"]' for call in shown), shown)
    for name in ("Floor", "View"):
        active(scene.objects[name])
        shown = panel_draw(bpy.types.OBJECT_PT_entc)
        check(any(call[0] == "operator" and call[1][0] in ("entc.choose", "entc.refer") for call in shown), shown)
    check(any(call[2].get("text") == "Far lamp" for call in shown), shown)


# --- mistakes ---

def mistakes():
    scene = begin(ROOT + "/src/levels/town.blend")
    scene.objects["Floor"]["collider.radius_m"] = -1.0
    scene.objects["Yard"]["prefab"] = "models/kit/Old Crat"
    scene.objects["Sun"].data["castshadow"] = 1
    scene.objects["Floor"].data.name = "Ground \"1\"\n"
    scene.objects["Floor"].data["lihgt.range_m"] = 3.0
    bpy.ops.wm.save_mainfile()
    found = {name: (severity, text) for severity, text, name in findings()}
    check(found.get("Floor", ("", ""))[0] == "error" and "radius_m" in found["Floor"][1], found)
    check("did you mean" in found["Yard"][1] and "models/kit/old_crate" in found["Yard"][1], found)
    check(found["Sun"][0] == "warning" and "casts_shadow" in found["Sun"][1], found)
    for index, finding in enumerate(bpy.context.window_manager.entc_findings):
        name = finding.object_name
        check(bpy.ops.entc.select(index=index) == {"FINISHED"}, name, finding.message)
        wanted = {"Ground \"1\"\n": "Floor"}.get(name, name)
        selected = [each.name for each in scene.objects if each.select_get()]
        check(selected == [wanted] and bpy.context.object.name == wanted, selected, "instead of", wanted)
    shown = panel_draw(bpy.types.VIEW3D_PT_entc)
    check(sum(call[0] == "operator" and call[1][0] == "entc.select" for call in shown) == len(findings()) == 4, findings())
    scene.objects["Floor"]["collider.radius_m"] = 1.0
    del scene.objects["Yard"]["prefab"], scene.objects["Sun"].data["castshadow"], scene.objects["Floor"].data["lihgt.range_m"]
    scene.objects["Floor"].data.name = "Floor"
    bpy.ops.wm.save_mainfile()
    check(findings() == [], findings())


# --- the tutorial ---

def lines_match(wanted, printed):
    """A line of the page may contain "...", as in the suite pages."""
    pattern = "\n".join(re.escape(line).replace(re.escape("..."), ".*") for line in wanted)
    return re.fullmatch(pattern, "\n".join(printed)) is not None


def shell_run(block):
    commands = block.split("$ ")[1:]
    for command in commands:
        line, *wanted = command.rstrip("\n").split("\n")
        done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False,
                              env={**os.environ, "PATH": os.path.dirname(ENTC) + ":" + os.environ["PATH"]})
        check(done.returncode == 0, line, done.stderr)
        check(lines_match(wanted, (done.stdout + done.stderr).splitlines()), line, done.stdout, done.stderr)


def tutorial():
    """The ten steps of compiler/TUTORIAL.md, in an empty folder."""
    with open("compiler/TUTORIAL.md", encoding="utf-8") as file:
        page = file.read().split("in ten steps\n", 1)[1].split("\n## ", 1)[0]
    addon = os.path.abspath("compiler/blender/entc_blender.py")
    page = page.replace("/usr/local/share/entc/entc_blender.py", addon)
    check([int(n) for n in re.findall(r"^\*\*(\d+)\. ", page, re.M)] == list(range(1, 11)), "ten steps")
    os.makedirs(ROOT + "/tutorial", exist_ok=True)
    os.chdir(ROOT + "/tutorial")
    known, said = {}, []
    known["print"] = lambda *words: said.append(" ".join(map(str, words)))
    for kind, text in re.findall(r"^```(python|sh norun)\n(.*?)^```", page, re.M | re.S):
        if kind == "python":
            exec(compile(text, "TUTORIAL.md", "exec"), known)  # pylint: disable=exec-used
            bpy.context.preferences.addons[ADDON].preferences.entc = ENTC
        else:
            shell_run(text)
    check(said == ["error Crate 1 mass must be from 1e-09 to 1e+12 kg, not -5.0 [E0203]"], said)
    check(findings() == [], findings())
    check(bpy.context.object.name == "Crate 1", bpy.context.object.name)
    check(os.path.getsize("yard.png") > 1000)


# --- what goes wrong between files, scenes and modes ---

def stays(path, call, *words):
    """A call that reports this as an error, and does not change the file."""
    with open(path, "rb") as file:
        before = file.read()
    call()
    check(findings() and findings()[-1][0] == "error" and all(word in findings()[-1][1] for word in words), findings())
    with open(path, "rb") as file:
        check(file.read() == before, path)


def kit_of(path, name):
    scene = begin()
    scene.entc.kind = "COLLECTIONS"
    moved(box("Body", RED, (1, 1, 1), None, (0, 0, 0)), part(name, (0, 0, 0)))
    scene.entc.export_on_save = True
    bpy.ops.wm.save_as_mainfile(filepath=path)
    return scene


def linked(path, name):
    with bpy.data.libraries.load(path, link=True, relative=False) as (_, to):
        to.collections = [name]
    return to.collections[0]


def traps():
    one, level_path = ROOT + "/src/models/one.blend", ROOT + "/src/levels/traps"
    kit_of(one, "A/B")
    bpy.ops.wm.save_as_mainfile(filepath=ROOT + "/src/models/two.blend")
    check(linked_names(ROOT + "/src/models/two.blend") == ["models/two/A_B"], "names after saving under another name")
    check(linked_names(one) == ["models/one/A_B"], "names after the first save")
    scene = begin()
    scene.entc.kind, scene.entc.export_on_save = "LEVEL", True
    bpy.ops.wm.save_as_mainfile(filepath=level_path + ".blend")
    instance("At", linked(one, "A/B"), (1, 0, 0))
    target = box("Odd/name\u2028x", RED, (1, 1, 1), None, (0, 0, 0))
    seen = link("Seen", None, target)
    field(target, "point_mass.mass", 2.0)
    refer(seen, target.name)
    bpy.ops.wm.save_as_mainfile(filepath=level_path + ".blend")
    check(findings() == [], findings())
    target["point_mass.mass"] = -1.0
    bpy.ops.wm.save_mainfile()
    check([f[2] for f in findings()] == [target.name], findings())
    target.hide_set(True)
    check(bpy.ops.entc.select(index=0) == {"CANCELLED"}, "it is hidden")
    target.hide_set(False)
    target["point_mass.mass"] = 2.0
    active(target)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.entc.export()
    check(target.mode == "EDIT", target.mode)
    bpy.ops.object.mode_set(mode="OBJECT")
    other = bpy.data.scenes.new("Other")
    other.entc.export_on_save = True
    stays(level_path + ".glb", bpy.ops.wm.save_mainfile, "two scenes")
    other.entc.file, other.entc.kind = ROOT + "/src/levels/other.glb", "LEVEL"
    bpy.ops.wm.save_mainfile()
    check(findings() == [] and os.path.exists(ROOT + "/src/levels/other.glb") and bpy.context.scene == scene, findings())
    tool = ROOT + "/tool"
    for text, words in (("exit 3", "exit code 3"), ("echo '{bad' >&2; exit 3", "{bad"), ("kill -SEGV $$", "exit code -11")):
        with open(tool, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n%s\n" % text)
        os.chmod(tool, 0o755)
        bpy.context.preferences.addons[ADDON].preferences.entc = tool
        bpy.ops.entc.check()
        check(len(findings()) == 1 and words in findings()[0][1], findings())
    bpy.context.preferences.addons[ADDON].preferences.entc = ENTC
    with open(level_path + ".model.json", "wb") as file:
        file.write(b"\xef\xbb\xbf{ \"lods\": 2 }")
    bpy.ops.entc.export()
    with open(level_path + ".model.json", "rb") as file:
        check(file.read() == b'{\n  "lods": 2,\n  "as": "level"\n}\n')
    with open(level_path + ".model.json", "w", encoding="utf-8") as file:
        file.write("[]")
    scene.objects["At"].location = (5, 0, 0)
    stays(level_path + ".glb", bpy.ops.entc.export, "must contain an object")
    os.remove(level_path + ".model.json")
    bpy.ops.wm.save_mainfile()
    begin(one)
    bpy.data.collections["A/B"].name = "C"
    bpy.ops.wm.save_mainfile()
    begin(level_path + ".blend")
    stays(level_path + ".glb", bpy.ops.entc.export, "At", "A/B", "no longer in")
    for name in ("levels/traps.glb", "levels/traps.model.json", "levels/other.glb", "levels/other.model.json"):
        os.remove(ROOT + "/src/" + name)
    types_check()
    places_check()


def linked_names(path):
    begin()
    with bpy.data.libraries.load(path, link=True) as (existing, to):
        to.collections = existing.collections
    return sorted(collection.get("prefab", "") for collection in to.collections)


def types_check():
    """First values within their bounds, and values of other types."""
    scene = begin()
    scene.entc.file = ROOT + "/src/models/types.glb"
    found = link("Found")
    component(found, "limits")
    values = {name: found[name].to_list() if hasattr(found[name], "to_list") else found[name] for name in found.keys()}
    check(values == {"limits.mask": 4294967295.0, "limits.low": -1.0, "limits.many": [1, 1], "limits.big": 3e9, "limits.near": 5}, values)
    found["light.range_m"], found["light.kind"], found["light.color"] = 5, {"a": 1}, [1, 0, 0]
    check(bpy.ops.entc.reload() == {"FINISHED"}, "values of other types")
    check(isinstance(found["light.range_m"], float) and found["light.range_m"] == 5, found["light.range_m"])
    del found["light.kind"]
    bpy.ops.entc.export()
    check(findings() == [], findings())
    active(light("Lamp", "SPOT", 100))
    check(bpy.ops.entc.component_add(component="light") == {"CANCELLED"}, "Blender exports its light")
    field(link("Named"), "name.id", "x")
    active(link("Called"))
    component(bpy.context.object, "name")
    check(bpy.context.object["name.id"] == "Called", dict(bpy.context.object.items()))
    with open(ROOT + "/src/gameplay/wrong.component.json", "w", encoding="utf-8") as file:
        file.write("{")
    check(bpy.ops.entc.reload() == {"FINISHED"}, "with a declaration that is wrong")
    component(found, "collider")
    os.remove(ROOT + "/src/gameplay/wrong.component.json")
    os.remove(ROOT + "/src/models/types.glb")


def places_check():
    """References to objects that have another place in the entity than in Blender, and to objects that have none."""
    scene = begin()
    scene.entc.kind, scene.entc.file = "ROOTS", ROOT + "/src/models/places.glb"
    first, second = box("First", RED), box("Second", RED)
    refer(link("Self", None, first), "First")
    refer(link("Wrong", None, first), "Second")
    second.keyframe_insert("location", frame=1)
    second.location = (1, 0, 0)
    second.keyframe_insert("location", frame=9)
    refer(link("Framed", None, second), "Second")
    deleted = link("Deleted", None, second)
    refer(link("Lost", None, second), "Deleted")
    bpy.data.objects.remove(deleted)
    bpy.ops.entc.export()
    texts = {name: text for _, text, name in findings()}
    check("another prefab" in texts.pop("Wrong") and "deleted" in texts.pop("Lost") and not texts, texts)
    os.remove(ROOT + "/src/models/places.glb")
    os.remove(ROOT + "/src/models/places.model.json")
    scene = begin()
    scene.entc.kind, scene.entc.file = "LEVEL", ROOT + "/src/levels/rig.glb"
    rig = link("Rig", bpy.data.armatures.new("Rig"))
    active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    bone = rig.data.edit_bones.new("Bone")
    bone.tail = (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    hat = box("Hat", RED, (1, 1, 1), rig)
    hat.parent_type, hat.parent_bone = "BONE", "Bone"
    refer(link("View"), "Hat")
    bpy.ops.entc.export()
    check(findings() == [], findings())
    skin = box("Skin", RED, (1, 1, 1), rig)
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    skin.vertex_groups.new(name="Bone").add(range(8), 1, "REPLACE")
    refer(link("Other"), "Skin")
    bpy.ops.entc.export()
    check(findings() == [], findings())
    os.remove(ROOT + "/src/levels/rig.glb")
    os.remove(ROOT + "/src/levels/rig.model.json")


# --- what no level has ---

def hostile():
    scene = begin()
    glb = ROOT + "/src/levels/odd.glb"
    check(not bpy.ops.entc.export() == {"CANCELLED"} and "save the file first" in findings()[0][1], findings())
    scene.entc.file, scene.entc.source = glb, ROOT + "/src/models"
    bpy.ops.entc.export()
    check("is not below the source folder" in findings()[0][1] and not os.path.exists(glb), findings())
    scene.entc.file, scene.entc.source = ROOT + "/src/levels/Odd.glb", ""
    bpy.ops.entc.export()
    check("must consist of a-z" in findings()[0][1], findings())
    scene.entc.file = glb
    bpy.context.preferences.addons[ADDON].preferences.entc = ROOT + "/no/entc"
    bpy.ops.entc.export()
    check("was not found; set its path" in findings()[0][1] and os.path.exists(glb), findings())
    bpy.context.preferences.addons[ADDON].preferences.entc = ENTC
    with open(ROOT + "/src/levels/odd.model.json", "w", encoding="utf-8") as file:
        file.write("{ not JSON")
    bpy.ops.entc.export()
    check("odd.model.json cannot be read" in findings()[0][1], findings())
    os.remove(ROOT + "/src/levels/odd.model.json")
    local = bpy.data.collections.new("Heap of \"things\"")
    found = moved(box("Thing", RED, (1, 1, 1), None, (0, 0, 0)), local)
    instance("Copies", local, (1, 0, 0))
    found.shape_key_add(name="Basis")
    found["prefab"] = {"a": [1.0, 2.0]}
    found["light"] = "a text\nof \"two\" lines" * 1000
    found["health.points"] = Vector((1, 2, 3))
    found["health.kind"] = "gold"
    found["group"] = [1] * 1000
    found["deep"] = {"a": {"b": {"c": {"d": {"e": 1}}}}}
    for i in range(1000):
        found["p%d.x" % i] = i
    other = link("Empty", None, None, (0, 0, 0))
    other["camera.target"] = scene
    other["prefab"] = ""
    bpy.ops.entc.export()
    texts = " ".join(text for _, text, _ in findings())
    check('the collection "Heap of "things"" has no property "prefab"' in texts, texts)
    check("its shape keys are not exported" in texts, texts)
    check(any(severity == "error" and name == "Thing" for severity, _, name in findings()), findings())
    check("Traceback" not in texts and "the add-on failed" not in texts, texts)
    os.remove(glb)


{"install": install, "others": others, "kit": kit, "level": level, "mistakes": mistakes, "tutorial": tutorial, "traps": traps, "hostile": hostile}[PHASE]()
print("%d checks" % checks)
