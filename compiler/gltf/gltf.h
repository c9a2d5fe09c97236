/* gltf.h - reads a glTF 2.0 file (.gltf or .glb) into plain arrays, independent of the blob format.
 *
 * The file is validated here: every index, every accessor against its buffer, finite numbers, unit
 * quaternions. Code that uses the arrays need not check anything. Source: Khronos Group, glTF 2.0
 * specification, 2021; KHR_lights_punctual; KHR_mesh_quantization; KHR_texture_transform. */
#ifndef ENTC_GLTF_H
#define ENTC_GLTF_H

#include "clip.h"
#include "diag_codes.h"
#include "gltf_file.h"
#include "gltf_remark.h"
#include "material.h"
#include "mesh_data.h"
#include "model_settings.h"
#include "skeleton.h"
#include "texture_settings.h"

/* Writes how a message speaks of an object of the file: mesh "Wall" (meshes[2].primitives[0]), by the name of
 * the object in the list with which the path begins; or only the path, if that has no name. */
#define GLTF_PATH_BYTES   256
#define GLTF_OBJECT_BYTES 360 /* of a path, a quoted name and the word before it */
const char* gltf_object_print(char out[GLTF_OBJECT_BYTES], const char* path, const char* name);

/* A custom property: a member of extras. */
typedef struct GltfProperty {
    const char* key;
    const char* text;   /* decoded, of a string; or NULL */
    Text        value;  /* its text */
    u32         offset; /* of this */
} GltfProperty;

/* The extras of an object that are not used otherwise. */
typedef struct GltfExtras {
    GltfProperty* properties; /* [count] in the order of the file */
    u32           count;
    const char*   name; /* of the object that has them, "" when it has none */
} GltfExtras;

/* A node of the default scene, parents before children, children in the file's order (depth first).
 */
typedef struct GltfNode {
    const char* name;   /* as in the file, "" when it has none; not yet unique or cleaned */
    u32         parent; /* in this array, or NONE */
    u32         source; /* index in the file */
    u32         mesh, skin, camera, light; /* in the arrays below, or NONE */
    u32         collider;                  /* likewise */
    f32*        weights;                   /* [targets of the mesh] of this instance, or NULL */
    GltfExtras  extras;
    u32         offset;        /* of the node's object in the text; of a frame: of the matrix */
    bool        is_frame;      /* the outer one of the two nodes of a matrix with shear */
    bool        is_socket;     /* by its name */
    bool        has_lost_mesh; /* by its name */
} GltfNode;

/* The displacements of a morph target. Absent streams are NULL. */
typedef struct GltfTarget {
    const Vec3* positions; /* [vertex_count] */
    const Vec3* normals;   /* [vertex_count] */
    const Vec3* tangents;  /* [vertex_count] */
} GltfTarget;

/* One primitive, as lists: strips, fans and loops are unrolled. Absent streams are NULL. */
typedef struct GltfPrimitive {
    Enum32 topology; /* MESH_TRIANGLES .. */
    u32    material; /* or NONE */
    u32    vertex_count, index_count;
    Vec3*  positions;    /* [vertex_count] */
    Vec3*  normals;      /* [vertex_count] */
    Vec4*  tangents;     /* [vertex_count] */
    Vec2*  uvs;          /* [vertex_count] TEXCOORD_0 */
    Vec2*  uvs_1;        /* [vertex_count] TEXCOORD_1 */
    u16*   colors;       /* [vertex_count * 4] COLOR_0 in units of 1 / 65535 */
    u16*   joints;       /* [vertex_count * influences] */
    f32*   weights;      /* [vertex_count * influences] not negative; of eight, the largest first */
    u32    influences;   /* 4, or 8 when a vertex needs more than 4; 0: there are none */
    Vec2*  tangent_uvs;  /* [vertex_count] of the normal map, from which tangents are computed */
    GltfTarget* targets; /* [target_count of the mesh] */
    u32*        indices; /* [index_count], each < vertex_count; 0 1 2 .. when the file has no
                       * indices */
    bool        indexed; /* the file had indices */
    bool        strip;   /* it was a strip of triangles: degenerate ones join its pieces */
    u32         source;  /* index in the file */
    u32         offset;  /* of its object in the text */
} GltfPrimitive;

/* A level of detail of a mesh. */
struct GltfMeshLevel;

typedef enum GltfMeshForm { GLTF_DRAWN, GLTF_HULL, GLTF_TRIANGLES } GltfMeshForm;

typedef struct GltfMesh {
    const char*           name;
    GltfMeshForm          form; /* what is compiled of it: only a collider, unless it is drawn */
    GltfPrimitive*        primitives;
    const char**          target_names;   /* [target_count] "" when it has none */
    f32*                  target_weights; /* [target_count] or NULL: all 0 */
    struct GltfMeshLevel* levels;         /* [level_count] of detail, besides the mesh itself */
    GltfExtras            extras;
    u32                   primitive_count, target_count, level_count;
    u32                   offset;
} GltfMesh;

/* A level of detail that is another mesh of the file. */
typedef struct GltfMeshLevel {
    GltfMesh mesh;     /* without levels */
    EntMat34 place;    /* in the space of the full mesh */
    bool     is_moved; /* `place` is not the identity */
    u32      source;   /* the mesh, in the file */
} GltfMeshLevel;

/* A texture of a material. */
typedef struct GltfMaterialTexture {
    MaterialTextureRecord record;  /* without `texture` */
    u32                   texture; /* in GltfModel.textures */
} GltfMaterialTexture;

typedef struct GltfMaterial {
    const char*          name;
    MaterialRecord       record;
    GltfMaterialTexture* textures; /* [texture_count] in the order of the slots */
    GltfExtras           extras;
    u32                  texture_count;
    u32                  offset;
    bool                 is_opaque; /* its alpha has no meaning, also if it is blended as glass */
} GltfMaterial;

/* An image as one or more slots read it: slots that need other levels or another sampler have a
 * texture of their own. */
typedef struct GltfTexture {
    const char*     name; /* of the image, or of its file without the suffix */
    TextureSettings settings;
    const u8*       bytes; /* [size] a PNG or JPEG file */
    u64             size;
    u32             image;  /* in GltfModel.image_names */
    u32             offset; /* of the image's object in the text */
} GltfTexture;

typedef struct GltfSkin {
    const char* name;
    u32*        joints;       /* [joint_count] index into GltfModel.nodes */
    f32 (*inverse_binds)[12]; /* [joint_count] upper three rows; identity when the file has none */
    u32 joint_count;
    u32 offset;
} GltfSkin;

typedef struct GltfTrack {
    u32    node; /* index into GltfModel.nodes */
    Enum32 channel, interpolation;
    u32    key_count;
    f32*   times;  /* [key_count] ascending, not negative */
    f32*   values; /* [key_count * (3 or 4) * (3 when cubic)], rotations normalised unless cubic */
} GltfTrack;

/* A track of the weights of the morph targets of a node's mesh. */
typedef struct GltfMorphTrack {
    u32    node; /* index into GltfModel.nodes */
    Enum32 interpolation;
    u32    target_count, key_count;
    f32*   times;  /* [key_count] ascending, not negative */
    f32*   values; /* [key_count * target_count * (3 when cubic)] */
} GltfMorphTrack;

/* A track of a CLIP_PROPERTY of a light or camera, and of all nodes that have it. */
typedef struct GltfPropertyTrack {
    u32    object; /* index into GltfModel.lights or cameras */
    Enum32 property, interpolation;
    u32    key_count;
    f32*   times;  /* [key_count] ascending, not negative */
    f32*   values; /* [key_count * (1, or 3 of colours) * (3 when cubic)] */
} GltfPropertyTrack;

/* Of a light or camera. */
typedef struct GltfNamed {
    const char* text; /* "" when it has none; not unique */
    u32         offset;
} GltfNamed;

typedef struct GltfEvent {
    const char* name;
    f32         time_s;
} GltfEvent;

typedef struct GltfClip {
    const char*        name;
    GltfTrack*         tracks;     /* of nodes in the scene */
    GltfMorphTrack*    morphs;     /* likewise */
    GltfPropertyTrack* properties; /* of lights and cameras in the scene */
    GltfEvent*         events;     /* in the order of their times */
    u32                track_count, morph_count, property_count, event_count;
    f32                duration_s; /* time of the last key */
    u32                offset;
} GltfClip;

typedef struct GltfModel {
    Source      json;      /* the text to which all offsets refer */
    const char* generator; /* the program that wrote the file; "" when it does not say so */
    GltfNode*   nodes;
    struct EntTransformRecord*
                  locals; /* [node_count] of each node: a matrix is decomposed; one with shear
 is that of two nodes */
    GltfMesh*     meshes;
    GltfMaterial* materials;
    GltfTexture*  textures;
    const char**  image_names; /* [image_count] like those of textures, also of unused images */
    GltfSkin*     skins;
    GltfClip*     clips;
    struct EntCameraRecord* cameras;
    struct EntLightRecord*  lights;
    struct EntColliderRecord*
                colliders;       /* [collider_count] of nodes, by their names; without `resource` */
    u32*        collider_meshes; /* [collider_count] of hulls and triangles; or NONE */
    GltfNamed * light_names, *camera_names;
    GltfExtras* light_extras; /* [light_count] */
    GltfExtras  scene_extras; /* of the default scene */
    u32         scene;        /* its index in the file */
    f32 extent; /* largest extent of the bounds at rest, of nodes and vertices; 0 without clips */
    GltfRemarks* remarks; /* to be reported when the model is complete */
    u32          node_count, mesh_count, material_count, texture_count, skin_count, clip_count;
    u32          camera_count, light_count, image_count, collider_count;
    u32          file_nodes;      /* number of nodes in the file; node_count are in the scene */
    bool         refers_to_files; /* a buffer or an image has a relative URI */
} GltfModel;

/* How the reader accesses other files of the model: returns the bytes of `uri`, relative to the
 * folder of the model, or NULL with `why` set ("the file does not exist"), and `code` when it is
 * not E0405. Called with decoded URIs. `named` is called for all images, also for those that no
 * material uses and that are not read. */
typedef struct GltfFiles {
    const u8* (*read)(void* user, const char* uri, size_t* bytes, const char** reason,
                      DiagCode* code);
    void (*named)(void* user, const char* uri);
    void* user;
} GltfFiles;

/* Reads one model from an open file; all its memory belongs to the arena. Returns false, with at least
 * one diagnostic, when the model is not valid; `out` is then unusable.
 *
 *   naming  what names of nodes mean */
bool gltf_read(GltfModel* out, const GltfFile* file, const GltfFiles* files,
               const ModelNaming* naming, Arena* arena, Diagnostics* diag);

/* Forgets all but the numbers of objects, before the arena is dropped. */
void gltf_forget(GltfModel* model);

/* The fields of materials that are custom properties, because glTF has no member for them. */
#define GLTF_MATERIAL_KEYS                                                                         \
    { "refraction", "caustic_strength", "normal_scroll", "thickness_m" }

#endif
