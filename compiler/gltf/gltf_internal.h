/* gltf_internal.h - shared by the parts of the glTF reader. Only gltf*.c include it.
 *
 * Every reader reports errors and continues with a valid value, so that one run reports all errors.
 * A message begins with the path of the value in the file, followed by the error. */
#ifndef ENTC_GLTF_INTERNAL_H
#define ENTC_GLTF_INTERNAL_H

#include <math.h>

#include "diag_codes.h"
#include "fields.h"
#include "gltf.h"
#include "gltf_cost.h"

#define GLTF_WEIGHTS       3u  /* the path of morph targets, behind those of CLIP_CHANNEL */
#define GLTF_INTENSITY_MAX 1e9 /* of lights */
#define GLTF_FOV_MIN       0.001
#define GLTF_FOV_MAX       3.14

/* Within these, lengths are normalised without a remark, as the Khronos validator accepts them. */
#define GLTF_UNIT_TOLERANCE   0.00769            /* of a rotation's length */
#define GLTF_NORMAL_TOLERANCE 0.00674            /* of a normal's and a tangent's */
#define GLTF_NO_LIMIT         9007199254740992.0 /* 2^53: beyond it integers are not exact */

/* The bounds of a number. */
typedef struct GltfRange {
    f64 low, high;
} GltfRange;
#define GLTF_ANY  ((GltfRange){LOW, HIGH})
#define GLTF_UNIT ((GltfRange){0, 1})

/* What happens to errors. A part is read quietly before it is known whether something uses it. */
typedef enum GltfMode {
    GLTF_LOUD,       /* they are reported */
    GLTF_UNCOMPILED, /* they are remarks: the part is not compiled */
    GLTF_QUIET       /* nothing is reported */
} GltfMode;

/* The use of a buffer view; a view should have only one use. */
typedef enum GltfUse {
    USE_NOTHING,
    USE_VERTICES,
    USE_INDICES,
    USE_BINDS,
    USE_IMAGE,
    USE_OTHER, /* keys of animations, sparse data */
    USE_TIMES, /* of an accessor only; its view is for other data */
    USE_VALUES /* likewise */
} GltfUse;

/*  X(name, columns, rows) */
#define GLTF_TYPE_LIST(X)                                                                          \
    X(SCALAR, 1, 1)                                                                                \
    X(VEC2, 1, 2) X(VEC3, 1, 3) X(VEC4, 1, 4) X(MAT2, 2, 2) X(MAT3, 3, 3) X(MAT4, 4, 4)
#define GLTF_TYPE_ENUM(name, columns, rows) GLTF_##name,
typedef enum GltfType { GLTF_TYPE_LIST(GLTF_TYPE_ENUM) GLTF_TYPE_COUNT } GltfType;
#undef GLTF_TYPE_ENUM
#define GLTF_TYPE_BIT(name) (1u << GLTF_##name)

/* Component types as bits, bit i = 5120 + i; the normalised ones 8 bits higher. */
enum {
    FORMAT_BYTE = 1 << 0,
    FORMAT_UBYTE = 1 << 1,
    FORMAT_SHORT = 1 << 2,
    FORMAT_USHORT = 1 << 3,
    FORMAT_UINT = 1 << 5,
    FORMAT_FLOAT = 1 << 6,
    FORMAT_BYTE_N = 1 << 8,
    FORMAT_UBYTE_N = 1 << 9,
    FORMAT_SHORT_N = 1 << 10,
    FORMAT_USHORT_N = 1 << 11
};

typedef struct GltfBuffer {
    const u8* at; /* NULL: cannot be read, which was reported */
    u64       bytes;
} GltfBuffer;

typedef struct GltfView {
    const JsonToken* json;
    const u8*        at; /* NULL: not valid */
    u64              offset, bytes;
    u32              stride;   /* 0: tightly packed */
    bool             reported; /* that it is not valid */
    bool             remarked; /* likewise, because something that is not compiled uses it */
    GltfUse          use;
    u32              vertices_of; /* accessor that uses it for vertices, or NONE */
} GltfView;

typedef struct GltfAccessor {
    const JsonToken* json;
    bool             valid;
    bool             used; /* by something that is compiled: what is not valid was reported */
    GltfType         type;
    u32              format;     /* one FORMAT bit */
    u32              components; /* 1 to 16 */
    u32              component_bytes, element_bytes;
    u32              count;
    u32              view; /* or NONE: zeros */
    u64              offset;
    const u8*        at; /* first element, or NULL: zeros */
    u32              stride;
    u32              sparse_count;
    u32              sparse_bytes;   /* of one sparse index: 1, 2 or 4 */
    const u8*        sparse_indices; /* [sparse_count] */
    const u8*        sparse_values;  /* [sparse_count] elements, packed */
    f32*             floats;         /* [count * components] once decoded */
    u32*             integers;       /* [count * components] once decoded */
    bool             failed;         /* decoding it was tried and reported */
    bool             checked;        /* its data was read once, or reading it failed */
    bool             in_unit;        /* all numbers that were read are from 0 to 1 */
    GltfUse          use;            /* the first one; an accessor has only one use */
} GltfAccessor;

typedef struct GltfImage {
    const u8* at; /* [bytes] NULL: it is in another file, which is read when it is used */
    u64       bytes;
    bool      plain;   /* a PNG or JPEG file, or another file of unknown type */
    bool      is_read; /* the members above are set */
    bool      used;    /* by a slot of a material */
} GltfImage;

/* The properties of a mesh that are needed for nodes. */
typedef struct GltfMeshUse {
    u32  joint_max;   /* highest joint to which a vertex refers */
    u32  joint_limit; /* least number of joints of the skins of its nodes, or NONE */
    u32  joint_root;  /* of the first of these skins: the number of its root */
    bool skinned;     /* some primitive has joints */
} GltfMeshUse;

typedef struct GltfName {
    const char*      text;
    const JsonToken* at;
} GltfName;

/* Texts of an array, sorted. */
typedef struct GltfNames {
    GltfName* at; /* [count] equal ones in the order of the file */
    u32       count;
} GltfNames;

typedef struct GltfList {
    const JsonToken** at; /* [count] may contain values that are not objects; those were reported */
    u32               count;
    const char*       key;
    const char*       owner; /* "the file" */
} GltfList;

typedef struct GltfLists {
    GltfList buffers, views, accessors, nodes, skins, cameras;
    GltfList lights, images, meshes, textures, samplers;
} GltfLists;

/* What a JSON pointer refers to. */
typedef struct GltfPointer {
    u32 object;   /* in the list of nodes, lights or cameras */
    u32 path;     /* of a node: as gltf_path_find */
    u32 property; /* of a light or camera: CLIP_PROPERTY; NONE: of a node */
} GltfPointer;

/* A light, before clips that animate it are known. */
typedef struct GltfLight {
    f64  scale;            /* what exceeds 1 in its color: of its intensity; at least 1 */
    f64  color, intensity; /* the largest animated ones, in the terms of the file */
    bool has_range;        /* in the file */
    bool is_used;          /* by a node */
} GltfLight;

/* What clips animate of lights and cameras. */
typedef struct GltfProperties {
    GltfLight* lights; /* [lists.lights.count] */
    bool *     has_camera,
        *has_light; /* [lists.cameras.count, lists.lights.count] does a node of the scene refer to it? */
    u32* stamps[3]; /* by property; [the lights or cameras] as g->stamp */
} GltfProperties;

/* What a node is by its name. */
typedef enum GltfRole {
    ROLE_NONE,
    ROLE_LEFT_OUT,    /* with what is below it */
    ROLE_LEVEL,       /* of detail of another node */
    ROLE_LEVEL_ALONE, /* by its name, but there is no node that it fits: it stays what it is */
    ROLE_LEVEL_EMPTY, /* the same of a node without a mesh */
    ROLE_SOCKET,
    ROLE_BOX, /* colliders from here on */
    ROLE_SPHERE,
    ROLE_CAPSULE,
    ROLE_HULL,
    ROLE_TRIANGLES
} GltfRole;

typedef struct GltfNaming {
    u32 base; /* of a level: the node of the file that has it */
    u8  role, level;
} GltfNaming;

/* How the nodes of the file are connected, and which are compiled. */
typedef struct GltfNodes {
    const JsonToken* roots;       /* of the default scene; NULL: it has no list */
    u32*             parent;      /* [lists.nodes.count] index in the file, or NONE */
    u32*             of_scene;    /* [lists.nodes.count] index in out->nodes, or NONE */
    bool*            is_reached;  /* [lists.nodes.count] it is in the default scene */
    GltfNaming*      naming;      /* [lists.nodes.count] or NULL: no name means anything */
    bool*            is_left_out; /* [lists.nodes.count] because of its name or one above it */
    bool             is_valid;    /* what is in the default scene is a tree */
    u32              drawn_count; /* of out->nodes; the others are only joints */
    u32*             joint_count; /* [lists.skins.count] */
    bool*            skin_placed; /* [lists.skins.count] all its joints are in out->nodes */
} GltfNodes;

typedef struct Gltf {
    GltfModel*         out;
    const GltfFiles*   files;
    const ModelNaming* naming;
    Arena*             arena;
    Diagnostics*       diag;
    const JsonToken*   root;  /* of the text */
    const u8*          chunk; /* the BIN chunk of a .glb, or NULL */
    u64                chunk_bytes;
    u32                error_count;    /* reported here; the diagnostics ignore duplicates */
    bool               quantized;      /* KHR_mesh_quantization is required */
    GltfNames          used, required; /* extensions */
    GltfLists          lists;
    GltfBuffer*        buffers;
    GltfView*          views;
    GltfAccessor*      accessors;
    GltfImage*         images;   /* [lists.images.count] */
    GltfMeshUse*       mesh_use; /* [out->mesh_count] */
    GltfNodes          nodes;
    GltfProperties     properties;
    u32*               stamps; /* [lists.nodes.count * 4] see gltf_stamp */
    u32                stamp;
    u64                decoded_bytes;
    GltfMode           mode;
} Gltf;

/* --- gltf_value.c: typed reading of the tree --- */

void gltf_error(Gltf* g, DiagCode code, const JsonToken* at, const char* format, ...)
    PRINTF_LIKE(4, 5);

/* Sets what happens to errors; returns what it was before. */
GltfMode gltf_mode(Gltf* g, GltfMode mode);

/* A remark: the text follows the path of the value. `subject`: see GltfRemark. */
void gltf_remark(Gltf* g, ModelRemark kind, const char* subject, const JsonToken* at,
                 const char* format, ...) PRINTF_LIKE(5, 6);

/* Writes how a message speaks of an object of a list: see gltf_object_print. */
const char* gltf_object(const Gltf* g, const GltfList* list, u32 index,
                        char out[GLTF_OBJECT_BYTES]);
#define GLTF_OBJECT(g, list, index) gltf_object(g, list, index, (char[GLTF_OBJECT_BYTES]){0})

/* Is the value of this kind? Reports when not. */
bool gltf_is(Gltf* g, const JsonToken* value, JsonKind kind);

/* Returns a member of this kind; NULL when it is absent, or of another kind, which is reported. */
const JsonToken* gltf_member(Gltf* g, const JsonToken* object, const char* key, JsonKind kind);
/* The same, but absence is reported too. */
const JsonToken* gltf_need(Gltf* g, const JsonToken* object, const char* key, JsonKind kind);
/* An extension's object on this object, or NULL. */
const JsonToken* gltf_extension(Gltf* g, const JsonToken* object, const char* name);

/* [list->count] Does a node of the file refer to this camera or light? `drawn`: one that is drawn, which is known after
 * gltf_read_scene. */
bool* gltf_rows_used(Gltf* g, const GltfList* list, const char* extension, const char* key,
                     bool drawn);

/* Is a custom property of a material one of its fields? */
bool gltf_is_material_key(const char* key);

/* Returns `fallback` when absent or invalid; the latter is reported. Bounds are inclusive: a number outside of
 * them is limited, with a remark, an integer is invalid; an unknown choice is `fallback`, with a remark unless that is
 * NONE. */
f64 gltf_limited(Gltf* g, const JsonToken* value, f64 low, f64 high); /* of a number */
f64 gltf_number(Gltf* g, const JsonToken* object, const char* key, f64 fallback, f64 low, f64 high);
u64 gltf_uint(Gltf* g, const JsonToken* object, const char* key, u64 fallback, f64 low, f64 high);
bool gltf_bool(Gltf* g, const JsonToken* object, const char* key, bool fallback);
u32  gltf_choice(Gltf* g, const JsonToken* object, const char* key, u32 fallback,
                 const char* const* texts, u32 count);

/* Returns an index into a list of the file; NONE when absent or invalid. */
u32 gltf_index(Gltf* g, const JsonToken* object, const char* key, const GltfList* list);
u32 gltf_index_of(Gltf* g, const JsonToken* value, const GltfList* list);

/* Reads [count] numbers; returns false, with `out` unchanged, when absent or invalid. */
bool gltf_vector(Gltf* g, const JsonToken* object, const char* key, f64* out, u32 count,
                 GltfRange range);

/* Returns a copy of the name of an object; "" when it has none. */
const char* gltf_name(Gltf* g, const JsonToken* object);

/* Reads an array of objects; an absent one is an empty list. */
GltfList gltf_list(Gltf* g, const JsonToken* object, const char* key);

/* Are all elements of a list of nodes in range? Reports when not. Duplicates are a remark, or with `once` an
 * error. */
bool gltf_node_list(Gltf* g, const JsonToken* array, bool once);

/* Marks one of four columns of a node; false when it was marked since g->stamp last changed. */
bool gltf_stamp(Gltf* g, u32 node, u32 column);

u32 gltf_offset(const Gltf* g, const JsonToken* node);

/* The decoded text of a string, and the key of a member, in the arena. */
const char* gltf_text(const Gltf* g, const JsonToken* string);
const char* gltf_key(const Gltf* g, const JsonToken* member);

/* Counts memory that the file requests; returns false, after reporting it, when it exceeds the
 * limit. */
bool gltf_charge(Gltf* g, const JsonToken* at, u64 bytes);

/* --- the parts, in the order in which they run --- */

void gltf_check_schema(Gltf* g);   /* gltf_schema.c */
void gltf_read_buffers(Gltf* g);   /* gltf_buffer.c */
void gltf_read_accessors(Gltf* g); /* gltf_accessor.c */
void gltf_read_materials(Gltf* g); /* gltf_material.c */
void gltf_read_cameras(Gltf* g);   /* gltf_material.c */
void gltf_read_lights(Gltf* g);    /* gltf_material.c */
void gltf_read_roots(Gltf* g);     /* gltf_scene.c: what meshes need of their skins */
void gltf_read_roles(Gltf* g);     /* gltf_roles.c */
void gltf_read_meshes(Gltf* g);    /* gltf_mesh.c */
void gltf_read_scene(Gltf* g);     /* gltf_scene.c */
void gltf_read_clips(Gltf* g);     /* gltf_clip.c */
void gltf_scale_lights(Gltf* g);   /* gltf_material.c: when all clips were read */
void gltf_read_events(Gltf* g, const JsonToken* animation, GltfClip* out); /* gltf_event.c */

/* gltf_roles.c: what a node of the file is by its name. */
GltfRole gltf_role(const Gltf* g, u32 node);
/* gltf_apply.c: when everything was read. */
void gltf_apply_roles(Gltf* g);

/* gltf_pointer.c: paths of channels in the order of CLIP_CHANNEL, and GLTF_WEIGHTS. */
extern const char* const gltf_paths[];
/* The index of a path, or NONE. */
u32 gltf_path_find(const char* path);
/* Reads the pointer of a target that has one. False, after reporting why: the channel is not compiled. */
bool gltf_pointer_read(Gltf* g, const JsonToken* target, GltfPointer* out);
/* The lights or cameras that have a property. */
const GltfList* gltf_property_owners(const Gltf* g, u32 property);
void            gltf_read_images(Gltf* g);   /* gltf_image.c */
void            gltf_read_textures(Gltf* g); /* gltf_texture.c */
void            gltf_need_tangents(Gltf* g); /* gltf_texture.c */
void            gltf_check_links(Gltf* g);   /* gltf_link.c */
void            gltf_read_morphs(Gltf* g);   /* gltf_morph.c */
void            gltf_check_unread(Gltf* g);  /* gltf_accessor.c: data that was not decoded */
void            gltf_read_extras(Gltf* g);   /* gltf_extras.c */
void            gltf_find_losses(Gltf* g);   /* gltf_loss.c */

/* --- gltf_transform.c --- */

void gltf_read_transform(Gltf* g, const JsonToken* node, struct EntTransformRecord* out);

/* Has the matrix of a node shear? Then this is the transform of the frame in which the node is; its own is the rest. */
bool gltf_read_frame(Gltf* g, const JsonToken* node, struct EntTransformRecord* frame);

/* [4] Does it differ from 0 0 0 1 by the rounding of an exporter at most? */
bool gltf_last_row_is_near(const f64* row);

/* --- gltf.c --- */

/* Reads the strings of an array; other values are omitted. */
GltfNames gltf_names(Gltf* g, const JsonToken* array);
bool      gltf_names_have(const GltfNames* names, const char* text);

/* Is it an extension of materials that is not compiled? */
bool gltf_ignores_extension(const char* extension);

/* --- gltf_schema.c --- */

/* Is it an extension with objects that are validated? */
bool gltf_supports_extension(const char* name);

/* Are the objects of the extension compiled completely? */
bool gltf_compiles_extension(const char* name);

/* Does light pass the material? */
bool gltf_is_glass(Gltf* g, const JsonToken* material);

/* --- gltf_extras.c --- */

/* The lists of objects whose extras are read: those of their members at a greater depth are not. */
bool gltf_reads_extras(const char* list);

/* --- gltf_uri.c --- */

/* data:[TYPE][;PARAMETER=VALUE]..[;base64],DATA with its %41 replaced */
typedef struct GltfDataUri {
    Text        type; /* "image/png", or empty */
    const char* at;   /* [bytes] */
    u64         bytes;
    bool        is_base64;
} GltfDataUri;

bool gltf_is_data_uri(const JsonToken* uri);
bool gltf_data_uri(Gltf* g, const JsonToken* uri, GltfDataUri* data); /* false: reported */

/* Decodes strict RFC 4648: padded, no other characters, unused bits zero. Returns NULL when it is
 * not. */
const u8* gltf_base64(Gltf* g, const char* text, u64 length, u64* bytes);

/* Are the texts equal, ignoring the case of letters? */
bool gltf_same_letters(Text text, const char* lower);

/* --- gltf_buffer.c --- */

/* Returns a buffer view; NULL, after reporting it, when it is not valid. */
const GltfView* gltf_view(Gltf* g, u32 index);

/* Claims a buffer view for one use; a remark at `at` when it has another use. */
void gltf_claim_view(Gltf* g, const JsonToken* at, u32 view, GltfUse use);

/* Reads the other file to which a URI refers; NULL, after reporting it, when this fails. */
const u8* gltf_read_file(Gltf* g, const JsonToken* uri, u64* bytes);

/* --- gltf_material.c --- */

/* Is a camera or a light of a kind that is compiled? */
bool gltf_kind_is_known(const JsonToken* json);

/* --- gltf_image.c --- */

/* Returns an image, which is read when it is first used. */
const GltfImage* gltf_image(Gltf* g, u32 index);

/* Does the content begin as that of a PNG or JPEG file? */
bool gltf_image_is_known(const u8* bytes, u64 size);

/* --- gltf_accessor.c --- */

/* Returns the accessor to which a member refers, when it is valid and has one of these types and
 * formats; otherwise NULL, after reporting it. Absent: NULL, not
 * reported. */
GltfAccessor* gltf_accessor(Gltf* g, const JsonToken* object, const char* key, GltfUse use,
                            u32 types, u32 formats);

/* Returns all elements, decoded once; NULL, after reporting it, when the data is invalid. */
const f32* gltf_floats(Gltf* g, GltfAccessor* accessor);
const u32* gltf_integers(Gltf* g, GltfAccessor* accessor);

/* The same for a value that is the index of an accessor; `key` is its name in messages. */
GltfAccessor* gltf_accessor_of(Gltf* g, const JsonToken* at, const char* key, GltfUse use,
                               u32 types, u32 formats);

/* Is the accessor valid? If it is out of range of its view, this is reported because it is used. */
bool gltf_accessor_is_usable(Gltf* g, u32 index);

/* A remark when min and max are not defined, which glTF requires for `what`. */
void gltf_need_bounds(Gltf* g, const GltfAccessor* accessor, const char* what);

static inline u32 gltf_u32(const u8* at) {
    return (u32)at[0] | (u32)at[1] << 8 | (u32)at[2] << 16 | (u32)at[3] << 24;
}

#endif
