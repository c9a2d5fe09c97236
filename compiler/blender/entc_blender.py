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
SUBTYPES = {"m": "DISTANCE", "rad": "ANGLE", "linear RGB": "COLOR"}


class Fault(Exception):
    """What prevents an export or a run of entc, as a sentence for the artist."""


# --- the project ---

def glb_of(scene):
    """The path of the file that the scene is exported to."""
    if scene.entc.file:
        return os.path.abspath(bpy.path.abspath(scene.entc.file))
    if not bpy.data.filepath:
        raise Fault("save the file first, or set the file to export to")
    folder, name = os.path.split(bpy.data.filepath)
    name = re.sub(r"[\x00-\x7f]", lambda c: c[0] if re.match("[a-z0-9_-]", c[0]) else "_", os.path.splitext(name)[0].lower())
    return os.path.join(folder, name + ".glb")


def source_of(scene):
    """The source folder: as it is set, or the nearest folder with entc.json around the exported file."""
    if scene.entc.source:
        return os.path.abspath(bpy.path.abspath(scene.entc.source))
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
    """Reads the components of the project: those of entc, and those that it declares."""
    source = source_of(scene)
    with tempfile.TemporaryDirectory() as folder:
        code, text = entc_run(["schema", source, "-o", folder])
        path = os.path.join(folder, "entity.schema.json")
        if not os.path.exists(path):
            raise Fault("entc wrote no schema (exit code %d): %s" % (code, text.strip().split("\n")[0]))
        with open(path, encoding="utf-8") as file:
            definitions = json.load(file)["definitions"]
    components.clear()
    for name, schema in definitions.items():
        if name.startswith("component."):
            components[name[len("component."):]] = schema.get("properties", {})
    schema_source[0] = source


def schema_try(scene):
    """Returns what prevents it, or None."""
    try:
        if schema_source[0] != source_of(scene):
            schema_read(scene)
    except Fault as fault:
        return str(fault)
    return None


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


def value_default(schema):
    """The value with which a field begins, or None: this add-on offers no values of its type."""
    kind = type_of(schema)
    if kind == "array":
        item = schema["items"]
        if type_of(item) not in ("number", "integer"):
            return None
        first = 0.0 if type_of(item) == "number" else 0
        value = schema.get("default", [first] * schema.get("minItems", 0))
        value = [type(first)(v) for v in value]
        return to_blender(schema.get("x-axes"), value) or None
    if kind == "number":
        return float(schema.get("default", max(0, schema.get("minimum", 0))))
    if kind == "integer":
        return min(max(int(schema.get("default", schema.get("minimum", 0))), INT_MIN), INT_MAX)
    if kind == "boolean":
        return int(schema.get("default", False))
    return schema.get("default", schema.get("enum", [""])[0]) if kind == "string" else None


def property_describe(owner, name, schema):
    """Bounds, unit and text of a property, as Blender shows them."""
    kind, bounds = type_of(schema), schema
    ui = {"description": schema.get("description", "")}
    if kind == "array":
        kind, bounds = type_of(schema["items"]), schema["items"]
    if kind in ("number", "integer"):
        for key, short in (("minimum", "min"), ("maximum", "max")):
            if key not in bounds:
                continue
            value = float(bounds[key]) if kind == "number" else min(max(bounds[key], INT_MIN), INT_MAX)
            ui[short] = ui["soft_" + short] = value
        if type_of(schema) != "array" or schema.get("x-unit") == "linear RGB":
            ui["subtype"] = SUBTYPES.get(schema.get("x-unit"), "NONE")
        if kind == "integer":
            ui.pop("subtype", None)
    elif kind == "boolean":
        ui.update(min=0, max=1)
    default = value_default(schema)
    if not isinstance(default, (str, dict)):
        ui["default"] = default
    owner.id_properties_ui(name).update(**ui)


def property_add(owner, name):
    """Adds a field with its default, and with the limits of its schema; keeps a value that exists."""
    schema = field_find(name)
    value = None if schema is None else value_default(schema)
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
    """Gives each prefab of a kit its name, so that the files that link the collection know it."""
    model = resource_of(scene) + "/"
    for collection in collections_below(scene.collection):
        if is_part(scene, collection):
            collection["prefab"] = model + collection.name
        elif collection.library is None and str(collection.get("prefab", "")).startswith(model):
            del collection["prefab"]  # it was a prefab of this kit


def prefab_of(found):
    """The name of the entity that an object instances, or None."""
    if found.get("prefab"):
        return found["prefab"]
    collection = found.instance_collection if found.instance_type == "COLLECTION" else None
    return collection.get("prefab") if collection else None


def path_of(found, kind):
    """The path of an object in the entity or level that it belongs to."""
    names = [found.name]
    while found.parent:
        found = found.parent
        names.insert(0, found.name)
    return "/".join(names[1:] if kind == "ROOTS" else names)


# --- the export ---

notices = []  # of the export that runs: (text, name of an object)
instanced = {}  # the objects that it exports as instances of prefabs, and the names of these


@contextlib.contextmanager
def instances_plain():
    """The exporter copies the objects of a collection below each instance of it, moves the instance by the offset of the
    collection, and leaves out its children: while it runs, instances of prefabs are plain empties."""
    for found in bpy.data.objects:
        if found.instance_type != "COLLECTION" or not found.instance_collection:
            continue
        if prefab_of(found):
            instanced[found] = prefab_of(found)
        elif found.library is None:
            notices.append(('the collection "%s" has no property "prefab": the objects of its instance are copied; mark it as an '
                            "asset in the kit, and save the kit with this add-on" % found.instance_collection.name, found.name))
    try:
        for found in instanced:
            found.instance_type = "NONE"
        yield
    finally:
        for found in instanced:
            found.instance_type = "COLLECTION"
        instanced.clear()


class glTF2ExportUserExtension:  # the name that Blender's exporter searches for
    """Hooks of Blender's exporter. It only prints what they raise: faults are collected in `notices`."""

    def gather_scene_hook(self, exported, scene, settings):
        """Completes the properties of the nodes: all of them exist now."""
        tree, kind = settings["vtree"], scene.entc.kind
        if exported.extras:
            exported.extras.pop("entc", None)
        parts = self.parts_of(scene)
        for key, node in tree.nodes.items():
            found = node.blender_object
            if node.blender_bone or found is None or getattr(node, "node", None) is None:
                continue
            extras = dict(node.node.extras or {})
            for name, value in extras.items():
                if isinstance(value, bpy.types.Object):
                    extras[name] = path_of(value, kind)
            if settings["gltf_apply"] and found.type == "MESH" and found.data.shape_keys:
                notices.append(("its shape keys are not exported, because modifiers are applied", found.name))
            if found in instanced:
                extras["prefab"] = instanced[found]
            if key in tree.roots and found in parts:
                extras["collection"] = parts[found].name
                extras["collection.offset"] = list(parts[found].instance_offset)
            node.node.extras = extras or None

    def parts_of(self, scene):
        """{root object: the collection that it belongs to}"""
        parts = {}
        for collection in collections_below(scene.collection):
            for found in collection.all_objects if is_part(scene, collection) else ():
                other = parts.setdefault(found, collection)
                if other != collection and found.parent is None:
                    notices.append(('the object is in the collections "%s" and "%s", which are both prefabs; it is exported in the '
                                    "first one only" % (other.name, collection.name), found.name))
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
            notices.append(("the add-on failed in %s: %s" % (function.__name__, error), None))
            raise
    return guarded


for _name, _function in list(vars(glTF2ExportUserExtension).items()):
    if _name.endswith("_hook"):
        setattr(glTF2ExportUserExtension, _name, hook_guard(_function))


def settings_write(glb, kind):
    """Sets what the model becomes in NAME.model.json beside it; other settings stay."""
    path, settings = os.path.splitext(glb)[0] + ".model.json", {}
    if os.path.exists(path):
        try:
            with open(path, encoding="utf-8") as file:
                settings = json.load(file)
            changed = {key: value for key, value in settings.items() if key not in ("as", "split")}
        except (OSError, ValueError, AttributeError) as error:
            raise Fault("%s cannot be read: %s" % (path, error)) from None
    else:
        changed = {}
    changed.update(SETTINGS[kind])
    states = {key: settings[key] for key in ("as", "split") if settings.get(key) not in (None, "entity", "none")}
    if states == SETTINGS[kind]:
        return
    try:
        with open(path + ".tmp", "w", encoding="utf-8") as file:
            json.dump(changed, file, indent=2, ensure_ascii=False)
            file.write("\n")
        os.replace(path + ".tmp", path)
    except OSError as error:
        raise Fault("%s cannot be written: %s" % (path, error)) from None


def file_replace(written, path):
    """Replaces a file completely, and not at all if it has the same content."""
    with open(written, "rb") as file:
        content = file.read()
    if os.path.exists(path):
        with open(path, "rb") as file:
            if file.read() == content:
                os.remove(written)
                return
    os.replace(written, path)


def scene_export(scene):
    """Exports the scene. Raises a Fault when no file was written; returns notices."""
    notices.clear()
    glb = glb_of(scene)
    folder, name = os.path.split(glb)
    if not re.fullmatch(r"[a-z0-9_-]+\.glb", name):
        raise Fault('the name of the exported file, "%s", must consist of a-z, 0-9, _ and -, and end with .glb' % name)
    resource_of(scene)
    written = os.path.join(folder, ".%s.tmp.glb" % name[:-len(".glb")])
    try:
        os.makedirs(folder, exist_ok=True)
        with instances_plain():
            bpy.ops.export_scene.gltf(filepath=written, export_format="GLB", use_active_scene=True, export_extras=True,
                                      export_yup=True, export_cameras=True, export_lights=True,
                                      export_apply=scene.entc.apply_modifiers)
        file_replace(written, glb)
    except (OSError, RuntimeError) as error:
        raise Fault("%s cannot be written: %s" % (glb, error)) from None
    settings_write(glb, scene.entc.kind)
    return list(notices)


# --- diagnostics ---

def finding_add(severity, message, place="", found=None, data=None, notes=""):
    row = bpy.context.window_manager.entc_findings.add()
    row.severity, row.message, row.place, row.notes = severity, message, place, notes
    row.object_list, row.object_name = (data or {}).get("list", "nodes" if found else ""), (data or {}).get("name", found or "")


def diagnostics_read(text):
    """Lists what entc wrote with --diag-format json."""
    for line in text.splitlines():
        if not line.startswith("{"):
            finding_add("error", line)
            continue
        row = json.loads(line)
        place = row["file"] + (":%d:%d" % (row["line"], row["column"]) if row["line"] else "")
        finding_add(row["severity"], "%s [%s]" % (row["message"], row["code"]), place, None, row.get("object"),
                    "; ".join(note["message"] for note in row["notes"]))


def scene_check(scene):
    """Runs entc, and lists what it reports. Returns its exit code."""
    source, output = source_of(scene), bpy.path.abspath(scene.entc.output)
    code, text = entc_run(["build", source, "-o", output, "--diag-format", "json"] if output
                          else ["check", source, "--diag-format", "json"])
    diagnostics_read(text)
    return code


def export_and_check(scene, export=True):
    """All of it; faults become findings. Returns whether there is no error."""
    findings = bpy.context.window_manager.entc_findings
    findings.clear()
    try:
        if export:
            collections_name(scene)
            for text, found in scene_export(scene):
                finding_add("warning", text, "", found)
        scene_check(scene)
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
        if not export_and_check(context.scene):
            self.report({"WARNING"}, "entc reports errors; they are listed in the panel entc")
        return {"FINISHED"}


class EntcCheck(bpy.types.Operator):
    """Let entc check the source folder, without an export"""
    bl_idname, bl_label = "entc.check", "Check"

    def execute(self, context):
        export_and_check(context.scene, False)
        return {"FINISHED"}


class EntcReload(bpy.types.Operator):
    """Read the components of the project again, after their declarations were changed"""
    bl_idname, bl_label = "entc.reload", "Reload components"

    def execute(self, context):
        try:
            schema_read(context.scene)
        except Fault as fault:
            self.report({"ERROR"}, str(fault))
            return {"CANCELLED"}
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
        return context.object is not None and context.object.library is None

    def invoke(self, context, _event):
        fault = schema_try(context.scene)
        if fault:
            self.report({"ERROR"}, fault)
            return {"CANCELLED"}
        context.window_manager.invoke_search_popup(self)
        return {"FINISHED"}


class EntcComponentAdd(ObjectOperator, bpy.types.Operator):
    """Add a component to the object, with all of its fields but references"""
    bl_idname, bl_label, bl_property = "entc.component_add", "Add component", "component"
    component: EnumProperty(name="Component", items=component_rows)

    def execute(self, context):
        fields = components[self.component]
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
        for other in context.view_layer.objects:
            other.select_set(other in found)
        context.view_layer.objects.active = next((f for f in found if f.name in context.view_layer.objects), None)
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
            layout.label(text="prefab: " + inherited)
        for component, fields in properties_of(found).items():
            box = layout.box()
            header = box.row()
            header.label(text=component)
            header.operator("entc.remove", text="", icon="X").name = component
            for field in fields:
                if field:
                    self.field_draw(box.row(), found, component + "." + field, field)
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

@persistent
def names_before_save(*_):
    """The names of prefabs are in the saved file."""
    try:
        collections_name(bpy.context.scene)
    except Fault:
        pass  # reported by the export


@persistent
def export_after_save(*_):
    if bpy.context.scene.entc.export_on_save:
        export_and_check(bpy.context.scene)


@persistent
def schema_forget(*_):
    components.clear()
    schema_source[0] = None


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
