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
    X(REMARK_EXTRAS, "extras", 0410, "such properties", "extras that are not components")          \
    X(REMARK_ROOTS, "scene_roots", 0411, "such entries",                                           \
      "a scene that lists the child of a node as a root")                                          \
    X(REMARK_ACCESSORS, "unused_accessors", 0411, "such accessors",                                \
      "an accessor that nothing uses and that is out of range of its buffer view")                 \
    X(REMARK_BOUNDS, "bounds", 0411, "such accessors",                                             \
      "an accessor without the min and max that glTF requires")                                    \
    X(REMARK_LENGTHS, "unit_lengths", 0411, "such accessors or nodes",                             \
      "rotations or weights that deviate from unit length by less than 0.01")                      \
    X(REMARK_DATA_URIS, "data_uris", 0411, "such URIs",                                            \
      "a data URI with parameters or escapes that glTF does not use")

#define MODEL_REMARK_NAME(NAME, text, code, several, meaning) NAME,
typedef enum ModelRemark { MODEL_REMARKS(MODEL_REMARK_NAME) MODEL_REMARK_COUNT } ModelRemark;
#undef MODEL_REMARK_NAME

static_assert(MODEL_REMARK_COUNT <= 32, "a bit for each kind");

#endif
