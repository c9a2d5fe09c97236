/* assets.h - the source folder: which file is which resource, read when it is first needed.
 *
 * A resource's name is its path from the root without suffixes, in one spelling only: lower-case
 * ASCII letters, digits, '_', '-' and '/'. Its type is the suffix. A glTF file is an entity, and
 * holds further resources below its own name. */
#ifndef ENTC_ASSETS_H
#define ENTC_ASSETS_H

#include "doc.h"
#include "file.h"
#include "model.h"
#include "registry.h"

typedef enum AssetForm { ASSET_JSON, ASSET_GLTF, ASSET_GLB } AssetForm;
typedef enum AssetState { ASSET_NEW, ASSET_GOOD, ASSET_BAD } AssetState;

typedef struct Asset {
    const char*  name; /* "props/lamp" */
    ResourceType type; /* of glTF: RESOURCE_ENTITY */
    AssetForm    form;
    AssetState   state;
    u32          index; /* in Assets.asset */
    Source       source;
    FileView     view;
    Doc          doc;   /* nodes, of entities, levels and glTF */
    Model*       model; /* of glTF */
} Asset;

typedef struct Assets {
    const char*     root; /* as the user typed it, without a slash at its end */
    char*           root_real;
    const Registry* registry;
    Diagnostics*    diag;
    Arena           arena;
    Asset**         asset; /* [count] sorted by name, then type */
    u32             count;
    u32*            slot; /* hash table of name.type; index + 1 */
    u32             slot_count;
    ARRAY(const char*) buffers; /* files beside models that were read */
    ARRAY(FileView) views;
} Assets;

/* Lists the folder. Names that are not canonical, and two files for one resource, are reported.
 * Returns  ENT_OK, ENT_NOT_FOUND or ENT_IO about the root itself. */
MUST_CHECK ent_status assets_open(Assets* assets, const char* root, const Registry* registry,
                                  Diagnostics* diag);
void                  assets_close(Assets* assets);

/* The source of a resource, or NULL: its own file, or for meshes, skeletons, clips and materials
 * the glTF file below whose name it stands, which is read for that. `index` is its row in the
 * model. */
Asset* assets_resource(Assets* assets, Text name, ResourceType type, u32* index);

/* Only by its own file. */
Asset* assets_file(const Assets* assets, Text name, ResourceType type);

/* Reads and parses a source; false when it has errors, which are reported once. */
bool asset_read(Assets* assets, Asset* asset);

/* Is the name canonical? If not, `fixed` [256] becomes what it should be. */
bool name_is_canonical(Text name, char fixed[256]);

/* Is a name that stands at `offset` canonical? If not, that is reported. */
bool assets_name_check(const Assets* assets, const Source* source, u32 offset, Text name);

/* Reports a resource that does not exist, and what may have been meant. */
void assets_missing(const Assets* assets, const Source* source, u32 offset, Text name,
                    ResourceType type);

/* The nearest name of a resource of that type, or NULL. */
const char* assets_nearest(const Assets* assets, Text name, ResourceType type);

#endif
