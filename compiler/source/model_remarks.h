/* model_remarks.h - the kinds of remarks about a model file: what it contains and the outputs do
 * not, and faults that do not change its meaning. "models" in entc.json can accept each kind. */
#ifndef ENTC_MODEL_REMARKS_H
#define ENTC_MODEL_REMARKS_H

/*    NAME              in entc.json          code   several of them         what it is */
#define MODEL_REMARKS(X)                                                                           \
    X(REMARK_EXTENSIONS, "extensions", 0410, "such extensions",                                    \
      "data of a glTF extension that is not compiled")                                             \
    X(REMARK_ATTRIBUTES, "attributes", 0410, "such attributes",                                    \
      "an attribute of vertices that is not compiled")                                             \
    X(REMARK_MORPHS, "morph_targets", 0410, "such displacements",                                  \
      "a displacement of a morph target that is not compiled")                                     \
    X(REMARK_TEXTURES, "textures", 0410, "such textures", "a texture that is not compiled")        \
    X(REMARK_COLORS, "image_colors", 0410, "such images",                                          \
      "an image that states colours other than sRGB, which glTF ignores")                          \
    X(REMARK_PRIMITIVES, "primitives", 0410, "such primitives",                                    \
      "a primitive of which nothing is visible")                                                   \
    X(REMARK_CHANNELS, "animation_channels", 0410, "such channels",                                \
      "a channel of an animation that is not compiled")                                            \
    X(REMARK_SCENES, "scenes", 0410, "such scenes", "a scene other than the default one")          \
    X(REMARK_NODES, "nodes", 0410, "such nodes", "a node outside of the default scene")            \
    X(REMARK_UNUSED, "unused", 0410, "such objects",                                               \
      "an image, a camera, a light or a skin that nothing in the default scene uses")              \
    X(REMARK_NAMES, "node_names", 0410, "changed names",                                           \
      "a node with a name that is changed in the compiled entity")                                 \
    X(REMARK_RESOURCES, "resource_names", 0410, "changed names",                                   \
      "a mesh, skin, animation, material or image with a name that is changed in the name of its " \
      "resource, because it is not ASCII")                                                         \
    X(REMARK_EXTRAS, "extras", 0410, "such properties", "extras that are not components")          \
    X(REMARK_ROOTS, "scene_roots", 0411, "such entries",                                           \
      "a scene that lists the child of a node as a root")                                          \
    X(REMARK_ACCESSORS, "unused_accessors", 0410, "such accessors",                                \
      "an accessor that nothing uses and that is out of range of its buffer view")                 \
    X(REMARK_BOUNDS, "bounds", 0411, "such accessors",                                             \
      "min or max of an accessor that are missing or differ from its data, which are computed")    \
    X(REMARK_LENGTHS, "unit_lengths", 0411, "such accessors or nodes",                             \
      "rotations, normals, tangents or weights of another length, which are normalised")           \
    X(REMARK_DATA_URIS, "data_uris", 0411, "such URIs",                                            \
      "a data URI with a type, parameters or escapes that glTF does not use")                      \
    X(REMARK_FAULTS, "uncompiled_faults", 0410, "such faults",                                     \
      "a fault in a part that is not compiled")                                                    \
    X(REMARK_UNKNOWN, "unknown_values", 0410, "such values",                                       \
      "a value of an unknown kind: its default is compiled, or nothing")                           \
    X(REMARK_LIMITS, "limits", 0411, "such values",                                                \
      "a value outside of its bounds, which is limited to them")                                   \
    X(REMARK_LAYOUT, "layout", 0411, "such offsets or strides",                                    \
      "data with an alignment, a stride or a use that glTF does not allow")                        \
    X(REMARK_DECLARED, "declarations", 0411, "such extensions",                                    \
      "an extension that the lists of the file do not declare as glTF requires")                   \
    X(REMARK_CONTAINER, "container", 0411, "such places",                                          \
      "bytes or chunks that a .glb file must not have, or a buffer shorter than declared")         \
    X(REMARK_IMAGES, "image_types", 0411, "such images",                                           \
      "an image that is declared with another type, or without one")                               \
    X(REMARK_LISTS, "lists", 0411, "such lists",                                                   \
      "an empty list or object, a duplicate in a list, or a list of another length")               \
    X(REMARK_SKINS, "skins", 0411, "such skins or vertices",                                       \
      "joints, weights or skins that do not fit each other as glTF requires")                      \
    X(REMARK_KEYS, "keys", 0411, "such keys or channels",                                          \
      "keys of an animation at the same time, or of a node with a matrix")                         \
    X(REMARK_SHEAR, "shear", 0411, "such matrices",                                                \
      "a node with a matrix that is no translation, rotation and scale")                           \
    X(REMARK_SHADOWS, "shadows", 0414, "such lights",                                              \
      "lights of which nothing says whether they cast shadows")                                    \
    X(REMARK_ROLES, "object_names", 0415, "such objects",                                          \
      "an object that is a level of detail, a collider, a socket or left out because of its name") \
    X(REMARK_INVENTED, "invented", 0411, "such meshes",                                            \
      "data that glTF requires and the file does not contain, which is invented")

#define MODEL_REMARK_NAME(NAME, text, code, several, meaning) NAME,
typedef enum ModelRemark { MODEL_REMARKS(MODEL_REMARK_NAME) MODEL_REMARK_COUNT } ModelRemark;
#undef MODEL_REMARK_NAME

static_assert(MODEL_REMARK_COUNT <= 32, "a bit for each kind");

#endif
