/* model.h - a glTF file: the nodes of its entity, and the named resources that it contains. */
#ifndef ENTC_MODEL_H
#define ENTC_MODEL_H

#include "doc.h"
#include "gltf.h"
#include "image.h"
#include "model_settings.h"

/* A mesh, skeleton, clip, material or texture in a model. */
typedef struct ModelResource {
    ResourceType type;
    u32          index; /* in GltfModel's array of that kind */
    const char*  name;  /* "models/fox/walk" */
    u64          id;
} ModelResource;

/* Settings of a model for its textures: an entry of "textures" in NAME.model.json. */
typedef struct ModelTextureRule {
    const char*     image;    /* the name of an image, or "*": all of them */
    TextureSettings settings; /* those fields are applied for which bit f of `given` is set */
    u64             given;
    u32             offset, bytes; /* of the key */
    bool            is_used;       /* there is such an image */
} ModelTextureRule;

typedef struct ModelTextureRules {
    const Source*     source; /* the text of the settings; NULL: there are none */
    ModelTextureRule* at;     /* [count] in the order of the text */
    u32               count;
} ModelTextureRules;

/* How a texture of a model is compiled. */
typedef struct ModelTexture {
    TextureSettings         settings;
    const ModelTextureRule* rule; /* the last one that was applied, or NULL */
    ImageInfo               image;
    bool                    has_image; /* it could be read: `image` is valid */
} ModelTexture;

typedef struct Model {
    GltfModel         gltf;
    ModelSettings     settings;
    ModelTextureRules texture_rules;
    ModelNaming       naming;
    ModelLights       lights;
    struct ModelTops* tops;         /* what becomes of its root objects */
    bool              lights_given; /* by the settings: casting or not */
    ModelTexture*     textures;     /* [gltf.texture_count] */
    ModelResource*    resources;    /* [resource_count] */
    u32               resource_count;
    u32*              by_id; /* [resource_count] rows of resources in the order of their ids */
    u32* node_path; /* [gltf.node_count] hash of the path of a node that a joint or track refers
                     * to */
    u32 *mesh_first,
        *mesh_material; /* the materials of mesh i, each once: from mesh_first[i] up to the next */
    const char** material_names;         /* [gltf.material_count] as in the file */
    u32 *        light_ids, *camera_ids; /* of the names of those that clips animate; NULL: none */
} Model;

struct Assets;
struct Asset;

/* Reads the model and fills *asset->content->doc: node 0 is an additional root, the parent of the nodes of
 * the scene. Returns false, with diagnostics, when the file is not valid. */
bool model_read(struct Assets* assets, struct Asset* asset, Diagnostics* diag);

/* Reads asset->content->model->gltf again, from the same files. Returns false when this fails. */
bool model_read_again(struct Assets* assets, struct Asset* asset);

/* Reads the settings of a model, and those of its textures, from the file with its name, if there is
 * one: model_file.c. Returns false, with diagnostics, when it is not valid. */
bool model_settings_read(struct Assets* assets, struct Asset* asset, Model* model,
                         Diagnostics* diag);

/* Do settings, when the files are listed, make a level of the model? */
bool model_settings_choose_level(const char* path);

/* Returns the object of a key of settings; NULL: there is none, or it is not one, which is reported. */
const JsonToken* model_settings_object(const Source* source, Diagnostics* diag,
                                       const JsonToken* settings, const char* key);

/* Reads "textures" of settings: model_textures.c. Errors are reported. */
void model_textures_read(ModelTextureRules* rules, const Source* source, const JsonToken* settings,
                         Arena* arena, Diagnostics* diag);

/* Fills model->textures: the rule "*", and then the one with the name of the image. Reports a rule for
 * an image that the model does not have. Needs the names of the resources. */
void model_textures_apply(Model* model, Arena* arena, Diagnostics* diag);

/* Adds the remarks about images whose colours are not sRGB. */
void model_images_remark(const Model* model, Arena* arena);

/* Reads a file that a model refers to, with a path as in Beside, before the model is read. Returns
 * false when this fails. */
const struct Beside* model_beside(const struct Assets* assets, struct Asset* asset,
                                  const char* path);

/* Finds the image of the settings of a texture, and reads its bytes. Returns false, with a
 * diagnostic, when there is none. */
bool texture_read(struct Assets* assets, struct Asset* asset, Diagnostics* diag);

/* The same for NAME.EXT.data.json and the file NAME.EXT. */
bool data_settings_read(struct Assets* assets, struct Asset* asset, Diagnostics* diag);

/* Returns the resource with an id, or with a name and type; NULL when there is none. */
const ModelResource* model_find(const Model* model, u64 id);
const ModelResource* model_named(const Model* model, Text name, ResourceType type);

/* Returns the resource with a type and an index in the glTF arrays. */
const ModelResource* model_resource(const Model* model, ResourceType type, u32 index);

#endif
