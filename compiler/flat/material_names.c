/* material_names.c - "materials": { "red": .. } of a mesh names one of its materials, by the name that it has in the model. */
#include "material_names.h"

#include "component_members.h"
#include "diag_print.h"
#include "diag.h"
#include "flat_places.h"
#include "mesh.h"
#include "mesh_material.h"
#include "model.h"

/* A name in a list, and the mesh that has it. */
typedef struct Named {
    Compile*      c;
    const Source* source;
    u32           offset; /* of the name */
    JsonString    name;
    const char*   mesh; /* its resource */
} Named;

static const char* last_segment(const char* name) {
    const char* slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

/* The material of a mesh with a name: the one to which the author gave it, or else the one whose resource has it. */
static const ModelResource* material_find(const Model* model, u32 mesh, Text name) {
    const ModelResource* found = NULL;
    for (u32 i = model->mesh_first[mesh]; i < model->mesh_first[mesh + 1]; i++) {
        const ModelResource* r = model_resource(model, RESOURCE_MATERIAL, model->mesh_material[i]);
        if (text_equal(text_of(model->material_names[r->index]), name)) return r;
        if (!found && text_equal(text_of(last_segment(r->name)), name)) found = r;
    }
    return found;
}

#define NAMES_MAX 64u /* that a message lists */

static void unknown_report(const Named* n, const Model* model, u32 mesh) {
    const char* names[NAMES_MAX];
    char        list[512] = "";
    u32         count = 0;
    for (u32 i = model->mesh_first[mesh]; i < model->mesh_first[mesh + 1] && count < NAMES_MAX; i++)
        names[count++] =
            last_segment(model_resource(model, RESOURCE_MATERIAL, model->mesh_material[i])->name);
    if (count) diag_names(list, sizeof list, names, count, count);
    diag_error(n->c->diag, E0302, n->source, n->offset, n->name.raw.bytes + 2,
               "the mesh \"%s\" has no material \"%.*s\"%s%s%s%s%s", n->mesh,
               (int)n->name.raw.bytes, n->name.raw.at,
               count ? "; it has " : "; it has no materials", list,
               DIAG_NEAREST(diag_nearest(n->name.raw, names, count)));
}

/* Returns the material with the name, or that of no resource after reporting an error. */
static ResourceRef name_resolve(const Named* n) {
    u32            index;
    Compile* const c = n->c;
    Asset* const model_asset = assets_resource(c->assets, text_of(n->mesh), RESOURCE_MESH, &index);
    if (!model_asset || !compile_read(c, model_asset, n->source, n->offset)) return resource_ref(0);
    const Model*         model = model_asset->content->model;
    const ModelResource* found = material_find(model, index, compile_text(c, n->name));
    if (found) return compile_reference(c, found->name, RESOURCE_MATERIAL, n->source, n->offset);
    unknown_report(n, model, index);
    return resource_ref(0);
}

/* The resource of mesh number `index` of an entity; NULL: it has none, or it was not resolved. */
static const char* mesh_of(Compile* c, Output* out, u32 entity, u32 index, bool* exists) {
    const ComponentType* t = &ent_component_types()[COMPONENT_MESH];
    const MeshRecord*    record = output_column(out, t, 0);
    const u32*           owner = output_owners(out, t);
    u32                  row = flat_row(out, COMPONENT_MESH, entity);
    while (row > 0 && row != NONE && owner[row - 1] == entity) row--;
    *exists = row != NONE && row + index < output_count(out, t) && owner[row + index] == entity;
    const u64               id = *exists ? resource_id(record[row + index].resource) : 0;
    const CompileReference* r = id ? compile_reference_find(c, id) : NULL;
    return r ? r->name : NULL;
}

/* A material has two names, of which a list may contain one. */
static void twice_check(const Named* n, const MeshMaterialRecord* record, const u32* owner, u32 i) {
    const u64 id = resource_id(record[i].replaced);
    for (u32 k = i; id && k > 0 && owner[k - 1] == owner[i]; k--) {
        if (record[k - 1].mesh != record[i].mesh || resource_id(record[k - 1].replaced) != id)
            continue;
        diag_error(n->c->diag, E0206, n->source, n->offset, n->name.raw.bytes + 2,
                   "\"%.*s\" is a material of the mesh \"%s\" that another name in this list "
                   "replaces already; write one of the two",
                   (int)n->name.raw.bytes, n->name.raw.at, n->mesh);
        return;
    }
}

static void material_resolve(Compile* c, Output* out, MeshMaterialRecord* all, const u32* owner,
                             u32 row) {
    MeshMaterialRecord* record = &all[row];
    const Asset*        asset = c->assets->asset[record->replaced.hi];
    const u32           offset = record->replaced.lo;
    bool                exists;
    record->mesh &= ~MEMBER_IS_UNRESOLVED;
    Named n = {c, &asset->source, offset, json_string_at(&asset->source, offset),
               mesh_of(c, out, owner[row], record->mesh, &exists)};
    record->replaced = resource_ref(0);
    if (!exists && !c->incomplete)
        diag_error(c->diag, E0206, n.source, offset, n.name.raw.bytes + 2,
                   "the entity has no mesh whose material \"%.*s\" could be replaced",
                   (int)n.name.raw.bytes, n.name.raw.at);
    if (!n.mesh) return;
    record->replaced = name_resolve(&n);
    twice_check(&n, all, owner, row);
}

static void materials_finish(Compile* c, Output* out) {
    const ComponentType* t = &ent_component_types()[COMPONENT_MESH_MATERIAL];
    const u32            count = output_count(out, t);
    const u32*           owner = output_owners(out, t);
    MeshMaterialRecord*  record = output_column(out, t, 0);
    for (u32 i = 0; i < count; i++)
        if (record[i].mesh & MEMBER_IS_UNRESOLVED) material_resolve(c, out, record, owner, i);
}

const CompileHooks mesh_material_compile_hooks = {.finish = materials_finish};
