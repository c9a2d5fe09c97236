"""entc_blender.py - an add-on for Blender 3.4: kits of props and levels for entc, and what entc reports about them.

What an artist sets is custom properties, which Blender stores in its file: "light.range_m" of an object is the field range_m of
its component light, with the unit, bounds and choices of the JSON Schema that `entc schema` writes. Blender's glTF exporter
writes them; this add-on makes of its export, while it runs,

    an instance of a collection         the property "prefab", instead of copies of the objects
    a collection marked as an asset     "collection" and "collection.offset" of its root objects, in a kit of collections
    an object as the value of a field   its path in the file
    pose markers of an action           "events.NAME" of the animation, in seconds

The panel "entc" in the sidebar of the 3D view (N) exports when the file is saved, runs `entc check` or `entc build`, and lists its
diagnostics; a click selects the object that one is about. README.md describes all of it.
"""
import contextlib
import json
import os
import re
import struct
import subprocess
import tempfile

import bpy
from bpy.app.handlers import persistent
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, IntProperty, PointerProperty, StringProperty

bl_info = {
    "name": "entc",
    "author": "the authors of entc",
    "version": (1, 0, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > entc; Properties > Object > entc",
    "description": "Kits and levels for entc: components, prefabs, export on save, diagnostics",
    "category": "Import-Export",
}

SECONDS_MAX = 600  # that entc may run
INT_MIN, INT_MAX = -2**31, 2**31 - 1  # of a custom property
KINDS = (("ENTITY", "One prefab", "The whole file is one entity"),
         ("ROOTS", "Kit of objects", "Each root object is a prefab of its own"),
         ("COLLECTIONS", "Kit of collections", "Each collection that is marked as an asset is a prefab of its own"),
         ("LEVEL", "Level", "The root objects are the entities of a level"))
SETTINGS = {"ENTITY": {}, "ROOTS": {"split": "roots"}, "COLLECTIONS": {"split": "collections"}, "LEVEL": {"as": "level"}}
EXPORTED = {"transform": "ANY", "light": "LIGHT", "camera": "CAMERA"}  # what Blender's exporter writes of an object of this type
SUBTYPES = {"m": "DISTANCE", "rad": "ANGLE", "linear RGB": "COLOR"}


class Fault(Exception):
    """What prevents an export or a run of entc, as a sentence for the artist."""


# --- the project ---

def glb_of(scene):
    """The path of the file that the scene is exported to."""
    if scene.entc.file:
        return folder_of(scene.entc.file)
    if not bpy.data.filepath:
        raise Fault("save the file first, or set the file to export to")
    folder, name = os.path.split(bpy.data.filepath)
    name = re.sub(r"[\x00-\x7f]", lambda c: c[0] if re.match("[a-z0-9_-]", c[0]) else "_", os.path.splitext(name)[0].lower())
    return os.path.join(folder, name + ".glb")


def folder_of(path):
    """A folder that is set; "//" is that of the Blender file."""
    if path.startswith("//") and not bpy.data.filepath:
        raise Fault("save the file first: the folder %s is relative to it" % path)
    return os.path.abspath(bpy.path.abspath(path))


def source_of(scene):
    """The source folder: as it is set, or the nearest folder with entc.json around the exported file."""
    if scene.entc.source:
        return folder_of(scene.entc.source)
    folder = os.path.dirname(glb_of(scene))
    while not os.path.exists(os.path.join(folder, "entc.json")):
        above = os.path.dirname(folder)
        if above == folder:
            raise Fault("no folder around the exported file contains entc.json; set the source folder")
        folder = above
    return folder


def resource_of(scene):
    """The name of the resource that the exported file is: "models/kit"."""
    glb, source = glb_of(scene), source_of(scene)
    name = os.path.relpath(os.path.splitext(glb)[0], source).replace(os.sep, "/")
    if name.startswith("../"):
        raise Fault("the exported file %s is not below the source folder %s" % (glb, source))
    return name


def entc_run(arguments):
    """Runs entc, and returns its exit code and what it wrote to standard error."""
    program = bpy.context.preferences.addons[__name__].preferences.entc
    try:
        done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              timeout=SECONDS_MAX, check=False)
    except FileNotFoundError:
        raise Fault("the program %s was not found; set its path in the preferences of this add-on" % program) from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Fault("%s cannot be run: %s" % (program, error)) from None
    return done.returncode, done.stderr.decode("utf-8", "replace")


# --- components, from the JSON Schema ---

components = {}  # of the project whose schema was read: {"light": {"range_m": the schema of the field}}
schema_source = [None]  # the folder of this project


def schema_read(scene):
    """Reads the components of the project: those of entc, and those that it declares. While a declaration is wrong, those of
    entc alone; returns then what is wrong, otherwise None."""
    source = source_of(scene)
    problem = None
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "entity.schema.json")
        code, text = entc_run(["schema", source, "-o", folder])
        if not os.path.exists(path):
            problem = "the declarations of the project cannot be read: %s" % text.strip().split("\n")[0]
            code, text = entc_run(["schema", "-o", folder])
        if not os.path.exists(path):
            raise Fault("entc wrote no schema (exit code %d): %s" % (code, text.strip().split("\n")[0]))
        with open(path, encoding="utf-8") as file:
            definitions = json.load(file)["definitions"]
    components.clear()
    for name, schema in definitions.items():
        if name.startswith("component."):
            components[name[len("component."):]] = schema.get("properties", {})
    schema_source[0] = source
    return problem


def schema_try(scene):
    """Returns what prevents it, or None."""
    try:
        return schema_read(scene) if schema_source[0] != source_of(scene) else None
    except Fault as fault:
        return str(fault)


def field_find(name):
    """The schema of "light.range_m", or None."""
    component, _, field = name.partition(".")
    return components.get(component, {}).get(field)


def type_of(schema):
    """The JSON type of a value, without null."""
    kind = schema.get("type", "string" if "enum" in schema else None)
    return next((k for k in kind if k != "null"), None) if isinstance(kind, list) else kind


def to_blender(axes, v):
    """A vector of entc, whose axis Y points up, in Blender's axes."""
    if axes == "size":
        return [v[0], v[2], v[1]]
    return [v[0], -v[2] + 0.0, v[1], *v[3:]] if axes else v


def bound_of(schema, key, otherwise):
    """A bound of a number. Those of a schema are the last numbers that round to the bound, as floats of 32 bits."""
    bound = schema.get(key, otherwise)
    return struct.unpack("f", struct.pack("f", bound))[0] if type_of(schema) == "number" and key in schema else bound


def number_first(schema):
    """The default of a number, or the one nearest to 0; an integer that is too large for a property is a number with a point."""
    value = schema.get("default", min(max(0, bound_of(schema, "minimum", 0)), bound_of(schema, "maximum", float("inf"))))
    return int(value) if type_of(schema) == "integer" and INT_MIN <= value <= INT_MAX else float(value)


def value_default(schema, found=None):
    """The value with which a field begins, or None: this add-on offers no values of its type. `found`: the object that gets it."""
    kind = type_of(schema)
    if kind == "array":
        item = schema["items"]
        if type_of(item) not in ("number", "integer"):
            return None
        first = number_first(item)
        value = [type(first)(v) for v in schema.get("default", [first] * schema.get("minItems", 0))]
        return to_blender(schema.get("x-axes"), value) or None
    if kind in ("number", "integer"):
        return number_first(schema)
    if kind == "boolean":
        return int(schema.get("default", False))
    if kind != "string":
        return None
    return schema.get("default", schema["enum"][0] if "enum" in schema else found.name if found and "x-refers-to" not in schema else "")


def property_describe(owner, name, schema):
    """Bounds, unit and text of a property, as Blender shows them; a number of another type becomes one of this type."""
    kind, bounds, default = type_of(schema), schema, value_default(schema)
    ui = {"description": schema.get("description", "")}
    if kind == "array":
        kind, bounds = type_of(schema["items"]), schema["items"]
    if kind in ("number", "integer"):
        number = type(default[0] if isinstance(default, list) else default)
        value = owner[name].to_list() if hasattr(owner[name], "to_list") else owner[name]
        if isinstance(value, list) == isinstance(default, list):
            values = value if isinstance(value, list) else [value]
            if any(isinstance(v, (int, float)) and not isinstance(v, number) for v in values):
                owner[name] = [number(v) for v in values] if isinstance(value, list) else number(value)
        for key, short in (("minimum", "min"), ("maximum", "max")):
            if key in bounds:
                limit = bound_of(bounds, key, 0)
                limit = float(limit) if number is float else min(max(limit, INT_MIN), INT_MAX)
                ui[short] = ui["soft_" + short] = limit
        if number is float and (type_of(schema) != "array" or schema.get("x-unit") == "linear RGB"):
            ui["subtype"] = SUBTYPES.get(schema.get("x-unit"), "NONE")
        ui["default"] = default
    elif kind == "boolean":
        ui.update(min=0, max=1, default=default)
    try:
        owner.id_properties_ui(name).update(**ui)
    except TypeError:
        pass  # the value is of another type, which entc reports


def property_add(owner, name):
    """Adds a field with its default, and with the limits of its schema; keeps a value that exists."""
    schema = field_find(name)
    value = None if schema is None else value_default(schema, owner)
    if value is None:
        return False
    if name not in owner:
        owner[name] = value
    property_describe(owner, name, schema)
    return True


def properties_of(owner):
    """{component: [field]} of the properties of an object that are fields of components."""
    found = {}
    for name in owner.keys():
        component, _, field = name.partition(".")
        if component in components:
            found.setdefault(component, []).append(field)
    return found


# --- prefabs ---

def is_part(scene, collection):
    """Is it a prefab of the kit that this file is?"""
    return scene.entc.kind == "COLLECTIONS" and collection.library is None and collection.asset_data is not None


def collections_below(collection):
    for child in collection.children:
        yield child
        yield from collections_below(child)


def collections_name(scene):
    """Gives each prefab of a kit its name, so that the files that link the collection know it. Returns whether a name changed."""
    model, changed = resource_of(scene) + "/", False
    for collection in collections_below(scene.collection):
        name, known = model + collection.name.replace("/", "_"), collection.get("prefab")
        if is_part(scene, collection) and any(found.parent is None for found in collection.all_objects):
            if known != name:
                collection["prefab"], changed = name, True
        elif collection.library is None and str(known).startswith(model):
            del collection["prefab"]  # it was a prefab of this kit
            changed = True
    return changed


def prefab_of(found):
    """The name of the entity that an object instances, or None."""
    if found.get("prefab"):
        return found["prefab"]
    collection = found.instance_collection if found.instance_type == "COLLECTION" else None
    return collection.get("prefab") if collection else None


# --- the export ---

notices = []  # of the export that runs: (text, name of an object)
failures = []  # of its hooks
instanced = {}  # the objects that it exports as instances of prefabs, and the names of these


def instance_notice(found):
    """What is lost at an instance of a collection that is no prefab."""
    children = [other.name for other in bpy.data.objects if other.parent == found]
    notices.append(('the collection "%s" has no property "prefab": the objects of its instance are copied%s; mark it as an asset in '
                    "the kit, and save the kit with this add-on"
                    % (found.instance_collection.name, ", and its children left out: " + ", ".join(children) if children else ""),
                    found.name))


def instances_find(scene):
    """Sets `instanced`. Raises a Fault for an instance whose collection is gone: without it, the object would vanish."""
    instanced.clear()
    for found in bpy.data.objects:
        collection = found.instance_collection
        if found.instance_type != "COLLECTION" or not collection:
            continue
        if collection.library and not collection.all_objects and not collection.keys():
            raise Fault('"%s" instances the collection "%s", which is no longer in %s; choose another one, or relocate the library'
                        % (found.name, collection.name, bpy.path.abspath(collection.library.filepath)))
        if prefab_of(found):
            instanced[found] = str(prefab_of(found))
        elif found.name in scene.objects and found.library is None:
            instance_notice(found)


@contextlib.contextmanager
def instances_plain(scene):
    """The exporter copies the objects of a collection below each instance of it, moves the instance by the offset of the
    collection, and leaves out its children: while it runs, instances of prefabs are plain empties."""
    instances_find(scene)
    active = bpy.context.view_layer.objects.active
    mode = active.mode if active else "OBJECT"
    try:
        for found in instanced:
            found.instance_type = "NONE"
        yield
    finally:
        for found in instanced:
            found.instance_type = "COLLECTION"
        instanced.clear()
        if active and active.mode != mode:  # the exporter leaves edit mode
            bpy.ops.object.mode_set(mode=mode)


def name_plain(name):
    return "".join("_" if c == "/" or ord(c) < 32 or ord(c) == 127 else c for c in name)


class Paths:
    """The paths of exported objects in the entities and levels that they belong to."""

    def __init__(self, tree, kind, parts, animations):
        self.tree, self.kind, self.parts = tree, kind, parts
        self.moved = {id(channel.target.node) for animation in animations for channel in animation.channels}
        self.keys = {}
        exported = {id(node.node): key for key, node in tree.nodes.items() if getattr(node, "node", None) is not None}
        skins = [tree.nodes[key].node.skin for key in exported.values() if tree.nodes[key].node.skin]
        self.animated = {self.chain(exported[key])[0] for key in self.moved if key in exported}
        self.boned = {self.chain(exported[id(joint)])[0] for skin in skins for joint in skin.joints if id(joint) in exported}
        for key, node in tree.nodes.items():
            if node.blender_object is not None and not node.blender_bone and getattr(node, "node", None) is not None:
                self.keys.setdefault(node.blender_object, key)

    def chain(self, key):
        keys = [key]
        while self.tree.nodes[keys[0]].parent_uuid is not None:
            keys.insert(0, self.tree.nodes[keys[0]].parent_uuid)
        return keys

    def part_of(self, root):
        """What a root object belongs to: its prefab, or the file."""
        if self.kind == "ROOTS":
            return root
        return self.parts.get(self.tree.nodes[root].blender_object) if self.kind == "COLLECTIONS" else None

    def find(self, owner, target):
        """The path of an object that another one refers to, or None after a notice."""
        name = self.tree.nodes[owner].blender_object.name
        if target not in self.keys:
            notices.append(('it refers to "%s", which is not exported' % target.name, name))
            return None
        chain = self.chain(self.keys[target])
        root = self.tree.nodes[chain[0]]
        if self.part_of(chain[0]) != self.part_of(self.chain(owner)[0]):
            notices.append(('it refers to "%s", which is in another prefab' % target.name, name))
            return None
        names = [name_plain(self.tree.nodes[key].node.name) for key in chain]
        has_bones = chain[0] in self.boned
        if self.kind == "LEVEL" and (has_bones or chain[0] in self.animated and root.blender_object in instanced):
            names.insert(0, names[0])  # an entity is added above it
        is_framed = has_bones or id(root.node) in self.moved or chain[0] in self.animated and root.blender_object in instanced
        if self.kind == "ROOTS" and not is_framed:
            names.pop(0)  # the object is the root; otherwise one is added above it
        return "/".join(names) or "."


class glTF2ExportUserExtension:  # the name that Blender's exporter searches for
    """Hooks of Blender's exporter. It only prints what they raise: faults are collected in `failures`."""

    def gather_scene_hook(self, exported, scene, settings):
        """Completes the properties of the nodes: all of them exist now."""
        tree = settings["vtree"]
        if exported.extras:
            exported.extras.pop("entc", None)
        self.parts = self.parts_of(scene)
        for key, node in tree.nodes.items():
            found = node.blender_object
            if node.blender_bone or found is None or getattr(node, "node", None) is None:
                continue
            extras = dict(node.node.extras or {})
            if settings["gltf_apply"] and found.type == "MESH" and found.data.shape_keys:
                notices.append(("its shape keys are not exported, because modifiers are applied", found.name))
            if any(modifier.type == "NODES" for modifier in found.modifiers):
                notices.append(("what its geometry nodes instance is not exported; make the instances real", found.name))
            if found in instanced:
                extras["prefab"] = instanced[found]
            if key in tree.roots and found in self.parts:
                extras["collection"] = self.parts[found].name
                extras["collection.offset"] = list(self.parts[found].instance_offset)
            node.node.extras = extras or None

    def gather_gltf_hook(self, _active, _scenes, animations, settings):
        """Objects as the values of fields become paths."""
        tree = settings["vtree"]
        paths = Paths(tree, bpy.context.scene.entc.kind, self.parts, animations)
        for key, node in tree.nodes.items():
            extras = getattr(getattr(node, "node", None), "extras", None) or {}
            if node.blender_bone or node.blender_object is None:
                continue
            for name in [name for name, value in extras.items() if isinstance(value, bpy.types.Object)]:
                extras[name] = paths.find(key, extras[name])
                if extras[name] is None:
                    del extras[name]
            for name in node.blender_object.keys():
                if node.blender_object[name] is None:
                    notices.append(("%s refers to an object that was deleted" % name, node.blender_object.name))

    def parts_of(self, scene):
        """{root object: the collection that it belongs to}"""
        parts = {}
        for collection in collections_below(scene.collection):
            if not is_part(scene, collection):
                continue
            inside = set(collection.all_objects)
            roots = [found for found in inside if found.parent is None]
            if not roots:
                notices.append(('the collection "%s" is no prefab: it contains no object without a parent' % collection.name, None))
            for found in sorted(inside, key=lambda each: each.name):
                above = found
                while above.parent:
                    above = above.parent
                if above not in inside and roots:
                    notices.append(('it is in the collection "%s", but the object at the root, "%s", is not: the prefab is without it'
                                    % (collection.name, above.name), found.name))
            for found in sorted(roots, key=lambda each: each.name):
                other = parts.setdefault(found, collection)
                if other != collection:
                    notices.append(('the object is in the collections "%s" and "%s", which are both prefabs; it is exported in the '
                                    "first one only" % (other.name, collection.name), found.name))
                for below in found.children_recursive:
                    if below not in inside:
                        notices.append(('it is not in the collection "%s", but below "%s", which is: the prefab contains it'
                                        % (collection.name, found.name), below.name))
        return parts

    def gather_animation_hook(self, animation, action, _found, _settings):
        """Pose markers are events, with the times that the exporter gives to frames."""
        events = {}
        for marker in sorted(action.pose_markers, key=lambda m: m.frame):
            events.setdefault("events." + marker.name, []).append(marker.frame / bpy.context.scene.render.fps)
        if events:
            animation.extras = {**(animation.extras or {}), **events}

    def merge_animation_extensions_hook(self, source, target, _settings):
        """The exporter replaces the events of one animation by those of another of the same name."""
        for name, times in (source.extras or {}).items():
            known = (target.extras or {}).get(name)
            if name.startswith("events.") and isinstance(times, list) and isinstance(known, list):
                source.extras[name] = sorted(set(known + times))


def hook_guard(function):
    """The exporter prints what a hook raises, and continues with a file that would be wrong."""
    def guarded(*arguments):
        try:
            return function(*arguments)
        except Exception as error:
            failures.append("%s: %s" % (function.__name__, error))
            raise
    return guarded


for _name, _function in list(vars(glTF2ExportUserExtension).items()):
    if _name.endswith("_hook"):
        setattr(glTF2ExportUserExtension, _name, hook_guard(_function))


def settings_read(glb, kind):
    """What NAME.model.json beside the model has to contain, as text; None: it does so already."""
    path, settings = os.path.splitext(glb)[0] + ".model.json", {}
    if os.path.exists(path):
        try:
            with open(path, encoding="utf-8-sig") as file:
                settings = json.load(file)
        except (OSError, ValueError) as error:
            raise Fault("%s cannot be read: %s" % (path, error)) from None
        if not isinstance(settings, dict):
            raise Fault("%s must contain an object" % path)
    states = {key: settings[key] for key in ("as", "split") if settings.get(key) not in (None, "entity", "none")}
    if states == SETTINGS[kind]:
        return None
    changed = {key: value for key, value in settings.items() if key not in ("as", "split")}
    return json.dumps({**changed, **SETTINGS[kind]}, indent=2, ensure_ascii=False) + "\n"


def file_replace(written, path):
    """Replaces a file completely, and not at all if it has the same content."""
    with open(written, "rb") as file:
        content = file.read()
    if os.path.exists(path):
        with open(path, "rb") as file:
            if file.read() == content:
                return
    os.replace(written, path)


def exporter_run(scene, written):
    """Lets Blender write the file."""
    notices.clear()
    failures.clear()
    before = bpy.context.window.scene
    try:
        bpy.context.window.scene = scene
        with instances_plain(scene):
            bpy.ops.export_scene.gltf(filepath=written, export_format="GLB", use_active_scene=True, export_extras=True,
                                      export_yup=True, export_cameras=True, export_lights=True,
                                      export_apply=scene.entc.apply_modifiers)
    except AttributeError:
        raise Fault("Blender's exporter is switched off; enable the add-on Import-Export: glTF 2.0 format") from None
    except RuntimeError as error:
        raise Fault("the exporter of Blender failed: %s" % str(error).strip().split("\n")[-1]) from None
    finally:
        bpy.context.window.scene = before
    if failures:
        raise Fault("the add-on failed in " + "; ".join(failures))


def scene_export(scene):
    """Exports the scene. Raises a Fault when no file was written; returns notices."""
    glb = glb_of(scene)
    folder, name = os.path.split(glb)
    if not re.fullmatch(r"[a-z0-9_-]+\.glb", name):
        raise Fault('the name of the exported file, "%s", must consist of a-z, 0-9, _ and -, and end with .glb' % name)
    resource_of(scene)
    written = os.path.join(folder, ".%s.tmp.glb" % name[:-len(".glb")])
    settings, path = settings_read(glb, scene.entc.kind), os.path.splitext(glb)[0] + ".model.json"
    try:
        os.makedirs(folder, exist_ok=True)
        exporter_run(scene, written)
        file_replace(written, glb)
        if settings is not None:
            with open(written, "w", encoding="utf-8") as file:
                file.write(settings)
            os.replace(written, path)
    except OSError as error:
        raise Fault("%s cannot be written: %s" % (glb, error)) from None
    finally:
        with contextlib.suppress(OSError):
            os.remove(written)
    return list(notices)


# --- diagnostics ---

def finding_add(severity, message, place="", found=None, data=None, notes=""):
    row = bpy.context.window_manager.entc_findings.add()
    row.severity, row.message, row.place, row.notes = severity, message, place, notes
    row.object_list, row.object_name = (data or {}).get("list", "nodes" if found else ""), (data or {}).get("name", found or "")


def diagnostics_read(text, glb):
    """Lists what entc wrote with --diag-format json. `glb`: the file whose objects can be selected."""
    for line in text.split("\n"):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            place = row["file"] + (":%d:%d" % (row["line"], row["column"]) if row["line"] else "")
            is_here = os.path.realpath(row["file"]) == os.path.realpath(glb)
            finding_add(row["severity"], "%s [%s]" % (row["message"], row["code"]), place, None,
                        row.get("object") if is_here else None, "; ".join(note["message"] for note in row["notes"]))
        except (ValueError, KeyError, TypeError):
            if line.startswith("entc: error") or not line.startswith("entc: "):  # not: which files are not read
                finding_add("error", line)


def scene_check(scene):
    """Runs entc, and lists what it reports."""
    source, output = source_of(scene), scene.entc.output and folder_of(scene.entc.output)
    code, text = entc_run(["build", source, "-o", output, "--diag-format", "json"] if output
                          else ["check", source, "--diag-format", "json"])
    diagnostics_read(text, glb_of(scene))
    if code and not any(row.severity == "error" for row in bpy.context.window_manager.entc_findings):
        finding_add("error", "entc failed with the exit code %d: %s" % (code, text.strip().split("\n")[-1]))


def export_and_check(scenes, export=True):
    """All of it; faults become findings. Returns whether there is no error."""
    findings = bpy.context.window_manager.entc_findings
    findings.clear()
    try:
        files = [glb_of(scene) for scene in scenes]
        if len(set(files)) < len(files):
            raise Fault("two scenes are exported to the same file; set the file of one of them")
        for scene in scenes if export else ():
            collections_name(scene)
            for text, found in scene_export(scene):
                finding_add("warning", text, "", found)
        for source in {source_of(scene): scene for scene in scenes}.values():
            scene_check(source)
    except Fault as fault:
        finding_add("error", str(fault))
    return not any(row.severity == "error" for row in findings)


def objects_of(row, scene):
    """The objects that a diagnostic is about: also those with this mesh, light or material."""
    name = row.object_name

    def concerns(found):
        data = found.data
        return {"nodes": found.name == name,
                "meshes": found.type == "MESH" and data.name == name,
                "lights": found.type == "LIGHT" and data.name == name,
                "cameras": found.type == "CAMERA" and data.name == name,
                "materials": any(slot.material and slot.material.name == name for slot in found.material_slots),
                "animations": bool(found.animation_data and found.animation_data.action and
                                   found.animation_data.action.name == name)}.get(row.object_list, False)

    return [found for found in scene.objects if concerns(found)] if name else []


# --- operators ---

class EntcExport(bpy.types.Operator):
    """Export the scene, and let entc check it"""
    bl_idname, bl_label = "entc.export", "Export"

    def execute(self, context):
        if not export_and_check([context.scene]):
            self.report({"WARNING"}, "entc reports errors; they are listed in the panel entc")
        return {"FINISHED"}


class EntcCheck(bpy.types.Operator):
    """Let entc check the source folder, without an export"""
    bl_idname, bl_label = "entc.check", "Check"

    def execute(self, context):
        export_and_check([context.scene], False)
        return {"FINISHED"}


class EntcReload(bpy.types.Operator):
    """Read the components of the project again, after their declarations were changed"""
    bl_idname, bl_label = "entc.reload", "Reload components"

    def execute(self, context):
        try:
            problem = schema_read(context.scene)
        except Fault as fault:
            self.report({"ERROR"}, str(fault))
            return {"CANCELLED"}
        if problem:
            self.report({"WARNING"}, problem)
        for found in context.scene.objects:
            for component, fields in properties_of(found).items() if found.library is None else ():
                for field in fields:
                    if field_find(component + "." + field):
                        property_describe(found, component + "." + field, field_find(component + "." + field))
        return {"FINISHED"}


enum_rows = []  # Blender does not keep the texts of dynamic choices


def rows_keep(rows):
    enum_rows[:] = rows
    return enum_rows


def component_rows(_self, context):
    schema_try(context.scene)
    return rows_keep([(name, name, "") for name in components])


def field_rows(_self, context):
    schema_try(context.scene)
    return rows_keep([(c + "." + f, c + "." + f, schema.get("description", "")) for c, fields in components.items()
                      for f, schema in fields.items() if value_default(schema) is not None])


def choice_rows(self, context):
    schema_try(context.scene)
    return rows_keep([(text, text, "") for text in (field_find(self.field) or {}).get("enum", ())])


def object_rows(_self, context):
    return rows_keep([(found.name, found.name, "") for found in context.scene.objects])


class ObjectOperator:
    """Of the active object."""
    bl_options = {"UNDO"}

    @classmethod
    def poll(cls, context):
        found = context.object  # what is added to a library override is not stored
        return found is not None and found.library is None and found.override_library is None

    def invoke(self, context, _event):
        fault = schema_try(context.scene)
        if fault:
            self.report({"ERROR"}, fault)
        if not components:
            return {"CANCELLED"}
        context.window_manager.invoke_search_popup(self)
        return {"FINISHED"}


class EntcComponentAdd(ObjectOperator, bpy.types.Operator):
    """Add a component to the object, with all of its fields but references"""
    bl_idname, bl_label, bl_property = "entc.component_add", "Add component", "component"
    component: EnumProperty(name="Component", items=component_rows)

    def execute(self, context):
        fields, kind = components[self.component], EXPORTED.get(self.component)
        if kind in ("ANY", context.object.type):
            self.report({"WARNING"}, "Blender's %s of the object is exported; Add field adds what Blender has not" % self.component)
            return {"CANCELLED"}
        shown = [f for f, schema in fields.items() if "x-refers-to" not in schema and type_of(schema) != "object"]
        added = [property_add(context.object, self.component + "." + f) for f in shown]
        if not any(added):
            context.object[self.component] = {}
        return {"FINISHED"}


class EntcFieldAdd(ObjectOperator, bpy.types.Operator):
    """Add one field of a component to the object: what it overrides of its prefab, or differs from its default"""
    bl_idname, bl_label, bl_property = "entc.field_add", "Add field", "field"
    field: EnumProperty(name="Field", items=field_rows)

    def execute(self, context):
        property_add(context.object, self.field)
        return {"FINISHED"}


class EntcRemove(ObjectOperator, bpy.types.Operator):
    """Remove the field, or the component, from the object"""
    bl_idname, bl_label = "entc.remove", "Remove"
    name: StringProperty()

    def invoke(self, context, _event):
        return self.execute(context)

    def execute(self, context):
        for name in list(context.object.keys()):
            if name == self.name or name.startswith(self.name + "."):
                del context.object[name]
        return {"FINISHED"}


class EntcChoose(ObjectOperator, bpy.types.Operator):
    """Choose the value of the field"""
    bl_idname, bl_label, bl_property = "entc.choose", "Choose", "choice"
    field: StringProperty()
    choice: EnumProperty(name="Value", items=choice_rows)

    def execute(self, context):
        context.object[self.field] = self.choice
        return {"FINISHED"}


class EntcToggle(ObjectOperator, bpy.types.Operator):
    """Switch the field on or off"""
    bl_idname, bl_label = "entc.toggle", "Switch"
    field: StringProperty()

    def invoke(self, context, _event):
        return self.execute(context)

    def execute(self, context):
        context.object[self.field] = int(not context.object[self.field])
        return {"FINISHED"}


class EntcRefer(ObjectOperator, bpy.types.Operator):
    """Choose the object that the field refers to; it may be renamed later"""
    bl_idname, bl_label, bl_property = "entc.refer", "Refer to", "target"
    field: StringProperty()
    target: EnumProperty(name="Object", items=object_rows)

    def execute(self, context):
        if self.field in context.object:
            del context.object[self.field]  # a text cannot become an object
        context.object[self.field] = context.scene.objects[self.target]
        return {"FINISHED"}


class EntcSelect(bpy.types.Operator):
    """Select the object that this is about, and show all of the message in the status bar"""
    bl_idname, bl_label = "entc.select", "Select the object"
    index: IntProperty()

    def execute(self, context):
        row = context.window_manager.entc_findings[self.index]
        found = objects_of(row, context.scene)
        self.report({"INFO"}, "; ".join(text for text in (row.place, row.message, row.notes) if text))
        if not found:
            return {"CANCELLED"}
        shown = [each for each in found if each.name in context.view_layer.objects and each.visible_get()]
        if not shown:
            self.report({"WARNING"}, "%s is hidden, or excluded from the view layer" % found[0].name)
            return {"CANCELLED"}
        for other in context.view_layer.objects:
            other.select_set(other in shown)
        context.view_layer.objects.active = shown[0]
        return {"FINISHED"}


# --- panels ---

class EntcFinding(bpy.types.PropertyGroup):
    severity: StringProperty()
    message: StringProperty()
    notes: StringProperty()
    place: StringProperty()
    object_list: StringProperty()
    object_name: StringProperty()


class EntcScene(bpy.types.PropertyGroup):
    kind: EnumProperty(name="Becomes", items=KINDS, description="What entc makes of the file")
    export_on_save: BoolProperty(name="Export when saving", description="Export and check whenever the Blender file is saved")
    apply_modifiers: BoolProperty(name="Apply modifiers", default=True, description="Export meshes as they look. Shape keys are lost")
    file: StringProperty(name="File", subtype="FILE_PATH", description="The .glb file; empty: beside the Blender file")
    source: StringProperty(name="Source folder", subtype="DIR_PATH", description="Empty: the nearest folder with entc.json")
    output: StringProperty(name="Output folder", subtype="DIR_PATH", description="Where entc builds to; empty: it only checks")


class EntcPreferences(bpy.types.AddonPreferences):
    bl_idname = __name__
    entc: StringProperty(name="Path of entc", subtype="FILE_PATH", default="entc")

    def draw(self, _context):
        self.layout.prop(self, "entc")


class EntcScenePanel(bpy.types.Panel):
    bl_idname, bl_label, bl_category = "VIEW3D_PT_entc", "entc", "entc"
    bl_space_type, bl_region_type = "VIEW_3D", "UI"

    def draw(self, context):
        settings = context.scene.entc
        column = self.layout.column()
        column.use_property_split, column.use_property_decorate = True, False
        for name in ("kind", "file", "source", "output", "apply_modifiers", "export_on_save"):
            column.prop(settings, name)
        row = column.row(align=True)
        row.operator("entc.export")
        row.operator("entc.check")
        for index, finding in enumerate(context.window_manager.entc_findings):
            box = column.box()
            icon = "ERROR" if finding.severity == "error" else "INFO"
            text = finding.object_name or os.path.basename(finding.place) or "entc"
            box.operator("entc.select", text=text, icon=icon).index = index
            lines = box.column()
            lines.scale_y = 0.7
            for line in wrapped(finding.message, max(context.region.width // 8, 20) if context.region else 40):
                lines.label(text=line)


def wrapped(text, width):
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


class EntcObjectPanel(bpy.types.Panel):
    bl_idname, bl_label = "OBJECT_PT_entc", "entc"
    bl_space_type, bl_region_type, bl_context = "PROPERTIES", "WINDOW", "object"

    def draw(self, context):
        found, layout = context.object, self.layout
        for name in ("prefab", "group"):
            if name in found:
                layout.prop(found, '["%s"]' % name, text=name)
        inherited = prefab_of(found)
        if inherited and "prefab" not in found:
            layout.label(text="prefab: %s" % inherited)
        for component, fields in properties_of(found).items():
            box = layout.box()
            header = box.row()
            header.label(text=component)
            header.operator("entc.remove", text="", icon="X").name = component
            for field in fields:
                if field:
                    self.field_draw(box.row(), found, component + "." + field, field)
                elif isinstance(found[component], str):
                    box.prop(found, '["%s"]' % component, text="")
        row = layout.row(align=True)
        row.operator("entc.component_add")
        row.operator("entc.field_add")
        row.operator("entc.reload", text="", icon="FILE_REFRESH")

    def field_draw(self, row, found, name, label):
        schema = field_find(name) or {}
        if "enum" in schema:
            row.label(text=label)
            row.operator("entc.choose", text=str(found[name])).field = name
        elif type_of(schema) == "boolean":
            row.operator("entc.toggle", text=label, icon="CHECKBOX_HLT" if found[name] else "CHECKBOX_DEHLT").field = name
        elif schema.get("x-refers-to") == "entity":
            row.label(text=label)
            target = found[name]
            row.operator("entc.refer", text=getattr(target, "name", None) or target or "none").field = name
        else:
            row.prop(found, '["%s"]' % name, text=label)
        row.operator("entc.remove", text="", icon="X").name = name


# --- registration ---

saving = [False]  # the file is saved once more


@persistent
def names_before_save(*_):
    """The names of prefabs are in the saved file."""
    for scene in bpy.data.scenes:
        with contextlib.suppress(Fault):  # reported by the export
            collections_name(scene)


@persistent
def export_after_save(*_):
    """Exports what is to be exported. The file has another name after it was saved under it, and so have its prefabs."""
    if saving[0]:
        return
    changed = False
    for scene in bpy.data.scenes:
        with contextlib.suppress(Fault):
            changed |= collections_name(scene)
    if changed:
        saving[0] = True
        try:
            bpy.ops.wm.save_mainfile()
        finally:
            saving[0] = False
    scenes = [scene for scene in bpy.data.scenes if scene.entc.export_on_save]
    if scenes:
        export_and_check(scenes)


def schema_after_load():
    """For the panel of the object, as soon as there is a window."""
    schema_try(bpy.context.scene)
    for area in bpy.context.screen.areas if bpy.context.screen else ():
        area.tag_redraw()


@persistent
def schema_forget(*_):
    components.clear()
    schema_source[0] = None
    if not bpy.app.background:
        bpy.app.timers.register(schema_after_load, first_interval=0.1)


CLASSES = (EntcFinding, EntcScene, EntcPreferences, EntcExport, EntcCheck, EntcReload, EntcComponentAdd, EntcFieldAdd, EntcRemove,
           EntcChoose, EntcToggle, EntcRefer, EntcSelect, EntcScenePanel, EntcObjectPanel)
HANDLERS = (("save_pre", names_before_save), ("save_post", export_after_save), ("load_post", schema_forget))


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)
    bpy.types.Scene.entc = PointerProperty(type=EntcScene)
    bpy.types.WindowManager.entc_findings = CollectionProperty(type=EntcFinding, options={"SKIP_SAVE"})
    for name, function in HANDLERS:
        getattr(bpy.app.handlers, name).append(function)


def unregister():
    for name, function in HANDLERS:
        getattr(bpy.app.handlers, name).remove(function)
    del bpy.types.WindowManager.entc_findings
    del bpy.types.Scene.entc
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
