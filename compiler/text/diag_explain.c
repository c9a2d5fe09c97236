/* diag_explain.c - the cause of each diagnostic, and what repairs it: entc explain, and compiler/ERRORS.md. */
#include "diag_codes.h"

static const DiagExplanation explanations[DIAG_CODE_COUNT] = {
    [E0101] = {"The text breaks a rule of JSON at the position that is shown: a comma or a bracket "
               "is missing or too many, "
               "a key has no quotes, or a comment is written as in other formats.",
               "Correct the text at that position. Keys that begin with \"//\" are ignored: write "
               "notes as such a key."},
    [E0102] =
        {"The file was saved in another encoding, such as Latin-1 or UTF-16, or it is damaged.",
         "Save the file as UTF-8. A byte-order mark at its beginning is allowed."},
    [E0103] = {"An object contains the same key twice; one of the two values would be ignored "
               "without notice.",
               "Remove one of them, or merge their values."},
    [E0104] = {"Arrays and objects are nested more deeply than 128 levels.",
               "Usually a generator has written an endless structure. Place children in prefabs to "
               "reduce the depth."},
    [E0105] = {"The number is larger than a 64-bit float can be, or a field of whole numbers has a "
               "fraction.",
               "Write a number within the bounds that the message states; whole numbers without a "
               "fraction."},
    [E0106] = {"The file exceeds the size that entc reads. A source has at most 1 GiB, a file of "
               "settings less.",
               "Divide the level into several levels or prefabs, or reduce the file."},
    [E0107] = {"The operating system refused to open or read the file, or it was modified while it "
               "was being read.",
               "Check its permissions and whether it still exists; build again when another "
               "program was writing it."},
    [E0108] =
        {"The process has reached a limit of memory or of open files while it read this file.",
         "Raise the limit (ulimit -n, ulimit -v), or use fewer threads with -j."},
    [E0109] = {"A string contains the character U+0000, which ends texts in C.",
               "Remove the escape \\u0000 from the string."},
    [E0110] = {"The file is a pointer of git lfs: its content was not fetched when the repository "
               "was cloned.",
               "Run \"git lfs pull\" in the repository, and build again."},
    [E0201] =
        {"The object has no key of this name. Usually the key is misspelt, or belongs to another "
         "object.",
         "Use the key that the message suggests. \"entc schema\" lists all keys for editors."},
    [E0202] = {"The value is of another kind than the field: a string instead of a number, one "
               "object instead of an array.",
               "Write a value of the kind that the message states."},
    [E0203] = {"The number is outside of the bounds of the field.",
               "Use a number between the bounds that the message states; mind the unit at the end "
               "of the field's name."},
    [E0204] = {"A field without a default, or a key that every such object needs, is not written.",
               "Add the key that the message names."},
    [E0205] = {"The text is none of those that this field may have.",
               "Use one of the texts that the message lists."},
    [E0206] =
        {"Two fields of a component contradict each other, such as a minimum above the maximum.",
         "Change one of the fields that the message names."},
    [E0207] = {"There is no component type of this name: neither a built-in one, nor one of a "
               "declaration or a plugin.",
               "Correct the name, add NAME.component.json to the folder, or load the plugin with "
               "--plugin."},
    [E0208] = {"The component is written as an array, but an entity may have only one of its type.",
               "Write a single object, or place the others on child entities."},
    [E0209] = {"A list contains the same item twice.", "Remove one of the two."},
    [E0210] =
        {"The pattern of paths is not valid, such as an empty one or one that leaves the folder.",
         "Write a relative path in which * stands for any part of a name, and ** between slashes "
         "for any folders."},
    [E0301] = {"The name of a resource has one spelling only: lower-case letters, digits, \"_\", "
               "\"-\" and \"/\" below the root "
               "of the folder, without a suffix.",
               "Use the spelling that the message suggests, and rename the file with \"entc mv\" "
               "if necessary."},
    [E0302] = {"Nothing in the folder has this name and type. The file was renamed, removed, or is "
               "misspelt.",
               "Use the name that the message suggests, or restore the file. \"entc mv\" keeps "
               "references when it renames."},
    [E0303] = {"Two files define one resource, such as lamp.gltf and lamp.entity.json, or two "
               "variants match equally well.",
               "Rename one of the two, or add a variant that has both tags."},
    [E0304] = {"The name of an entity or a group is empty, too long, begins with \"#\" or \"$\", "
               "or contains \"/\" or a control "
               "character.",
               "Choose a name without these characters."},
    [E0305] =
        {"Two entities below one parent have the same name, so that a path would not be unique.",
         "Rename one of the two entities."},
    [E0306] = {"A field refers to an entity by a path that leads to none: the entity was renamed, "
               "moved or removed, or the "
               "path does not begin where this file begins.",
               "Write the path from the root of the file, with \"/\" between names; \"entc mv\" "
               "renames an entity with all its "
               "references."},
    [E0307] = {"An override names an entity that the prefab does not contain, often after the "
               "prefab was changed.",
               "Correct the path, or remove the override; \"entc mv\" renames an entity with its "
               "overrides."},
    [E0308] = {"A prefab contains itself through others, or entities are parents of each other.",
               "Break the circle that the message shows at one of its steps."},
    [E0309] =
        {"The level, a hierarchy or an output is larger than a limit of the format, or than "
         "--max-output.",
         "Divide it, or raise --max-output if the size is intended; the message states the limit."},
    [E0310] = {"The hashes of two different names are equal, so that they could not be "
               "distinguished at runtime. This is "
               "rare.",
               "Rename one of the two."},
    [E0311] = {"An entity with a group is inside of another group; groups are not nested.",
               "Remove one of the two \"group\" keys."},
    [E0312] = {"An entity of one group refers to one of another group, which may be spawned "
               "without the other.",
               "Place both in one group, or one of them in the base, which always exists."},
    [E0313] =
        {"Two entities have the same persistent id, so that a save could not tell them apart.",
         "Remove the id from one of them; a copy of an entity needs an id of its own."},
    [E0314] = {"A persistent reference leads to an entity without a persistent id.",
               "Give that entity a persistent_id."},
    [E0315] = {"A tag in the name of the file is no language and no platform of the project, or it "
               "has two of one kind.",
               "Correct the tag, or add it to \"languages\" or \"platforms\" in entc.json."},
    [E0317] = {"The list of --inputs has a line that is not \"file PATH\", \"resource NAME.TYPE\" "
               "or \"part NAME.TYPE\", "
               "that names no file below the source folder, or that occurs twice; or its last line "
               "is incomplete.",
               "Write the list again, for example with \"entc deps SRC NAME.TYPE --inputs FILE\"."},
    [W0318] = {"Models, images and files of the type data may have any name; the resource of such "
               "a file gets the canonical spelling of "
               "it: in lower case, without accents, with '_' for other characters.",
               "Nothing has to be done. \"entc mv SRC --canonical\" gives the files the names of "
               "their resources; \"diagnostics\" in "
               "entc.json can turn the remark off."},
    [W0316] = {"The override recorded which value of the prefab it replaces, and the prefab has "
               "another value now.",
               "Check whether the override is still intended; \"entc fix-overrides\" records the "
               "new value."},
    [E0401] = {"The file is not glTF 2.0: another version, no valid container, or no glTF at all.",
               "Export the model again as glTF 2.0, as .glb or .gltf."},
    [E0402] =
        {"The file states that it cannot be read without an extension that entc does not have.",
         "Export without that extension, for example without compression of meshes."},
    [E0403] =
        {"A property of the model is missing, has another kind, or is out of range, so that the "
         "file is damaged.",
         "Export the model again; report it to the author of the exporter if that does not help."},
    [E0404] = {"An accessor or a view reaches beyond its buffer: the file is truncated, or belongs "
               "to another .bin file.",
               "Export the model again, and copy all of its files together."},
    [E0405] =
        {"A file to which the model refers does not exist, cannot be read, or is outside of the "
         "folder.",
         "Copy the file next to the model, in the spelling that the model has, or export as .glb."},
    [E0406] =
        {"The data contains numbers that are not finite, or directions without a length.",
         "Repair the mesh or the animation in the program that wrote it, and export it again."},
    [E0407] = {"The model uses a feature of glTF that blobs do not have.",
               "Change the model as the message states, and export it again."},
    [E0410] = {"With --strict-models, everything in a model that is not compiled is an error.",
               "Remove it from the model, or accept it in \"models\" of entc.json."},
    [E0411] = {"With --strict-models or \"strict\", a violation of glTF that can be repaired is an "
               "error.",
               "Export the model again, or accept the kind of remark in entc.json."},
    [E0414] = {"With --strict-models: lights of models exist, and nothing states whether they cast "
               "shadows.",
               "Write \"lights\": { \"cast_shadows\": true } or false in NAME.model.json beside "
               "the model, or give a light the custom property casts_shadow."},
    [E0415] =
        {"With --strict-models: objects of a model are levels of detail, colliders or sockets, "
         "or left out, because of their names, and the settings of the model do not confirm "
         "the rule.",
         "Write \"names\": { \"lods\": true } or false in NAME.model.json beside the model, "
         "with the rule that the message states, or rename the objects."},
    [E0412] = {"The image cannot be decoded, or its kind, size or colours are not supported.",
               "Save it as PNG or JPEG with 8 bits per channel, within the size that the message "
               "states."},
    [E0501] = {"A plugin has checked its component, and reports the error with its own text.",
               "Follow the message; it comes from the plugin."},
    [E0502] = {"A plugin does not follow the interface: its library was built for another version, "
               "or has an error.",
               "Build the plugin with the headers of this version; the message names the rule that "
               "it breaks."},
    [E0601] = {"A size, or a number of entities, draw calls or triangles, exceeds the limit in the "
               "budget file.",
               "Reduce the content, or raise the limit at the position that is shown."},
    [W0408] = {"Triangles of a mesh have no area; they are left out.",
               "Merge equal vertices in the program that wrote the mesh, if the triangles are not "
               "intended."},
    [W0410] =
        {"The model contains data that is not compiled, such as an extension or a second scene.",
         "Remove it from the model, or accept the kind of remark in \"models\" of entc.json."},
    [W0411] = {"The model violates glTF in a way that does not change its meaning; the fault is "
               "repaired.",
               "Export it again, or accept the kind of remark in \"models\" of entc.json."},
    [W0412] = {"An image in the folder cannot be used as a texture, and nothing refers to it.",
               "Move it out of the folder, or save it as PNG or JPEG if it is to be a texture."},
    [W0413] = {"The image states colours other than sRGB; they are read as if they were sRGB.",
               "Convert the image to sRGB in an image editor."},
    [W0414] = {"Lights of models exist, and nothing states whether they cast shadows: glTF cannot.",
               "Write \"lights\": { \"cast_shadows\": true } or false in NAME.model.json beside "
               "the model, or give a light the custom property casts_shadow."},
    [W0415] =
        {"Objects of a model are levels of detail, colliders or sockets, or left out, because "
         "of their names.",
         "Write \"names\": { \"lods\": true } or false in NAME.model.json beside the model, "
         "with the rule that the message states, or accept the kind of remark in \"models\" of "
         "entc.json."},
    [W0701] =
        {"A step of the fluid is longer than its stability limit, so that particles may explode.",
         "Use the step that the message states, and more substeps."},
    [W0702] = {"A scale of 0 makes the entity and its children flat.",
               "Use a small number for a thin object, or remove the entity."},
    [W0703] = {"The integer has more digits than a 32-bit float can store, so that another number "
               "is stored.",
               "Write a number with at most 24 significant bits, or store it in an integer field."},
    [W0704] =
        {"The far_m of a camera is hardly greater than near_m, so that almost nothing is visible.",
         "Set far_m to the value that the message states, or to 0 for no limit."},
    [W0705] = {"A file named entc.json is in a subfolder, where it is not read.",
               "Move its content into entc.json in the root of the source folder."},
    [W0706] = {"A component type has been renamed. The older name is still read.",
               "Use the new name, which the message states; the fields have kept their names."},
    [W0707] = {"Some particles of a fluid are inside a collider when the level starts. They are "
               "pushed to its surface in the first step, where they are too dense.",
               "Move the fluid or the collider, or make the box of the fluid smaller."},
    [W0708] = {"Two fluids have particles in the same place when the level starts.",
               "Move one of them, or make its box smaller."},
    [W0709] = {"The emitters of a fluid or a particle_system need more particles than its capacity "
               "has room for. Where the capacity is reached, nothing is emitted.",
               "Set capacity to the number that the message states, or emit fewer particles."},
    [W0710] =
        {"The entity of an emitter or a sink, or the one that its `target` names, has neither "
         "a fluid nor a particle_system.",
         "Set `target` to the entity of the fluid or the particle_system."},
    [W0711] =
        {"Two fluids of a level pass through each other, because they cannot be computed together.",
         "Give both the same smoothing_radius_m, step_s, substeps, gravity_m_s2 and model."},
    [W0712] =
        {"An entity with a collider and a point_mass is moved by a fluid, from the position of "
         "its point_mass on: its transform follows this position.",
         "Leave out `position`: it is then where the transform is."},
    [W0713] = {"An object of a model instances a prefab whose root is rotated or scaled. An uneven "
               "scale of "
               "the object would shear what is rotated, and the objects below it would be moved.",
               "Apply the rotation and scale of the object that is the prefab (in Blender: Ctrl+A, "
               "Rotation & Scale)."},
};

DiagExplanation diag_explanation(DiagCode code) { return explanations[code]; }
