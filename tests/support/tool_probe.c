/* tool_probe.c - the compiled content of a model, as numbers: the probe for gltf_oracle.py, and the
 * names of its resources for model_oracle.py.
 *
 *     tool_probe SRC OUT NAME > probe.json */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "assets.h"
#include "base.h"
#include "diag_print.h"
#include "ent.h"
#include "model.h"
#include "records.h"

typedef struct Probe {
    const char* folder;
    const char* name;
    Resource    entity;
    World*      world;
} Probe;

static void fail(const char* what, const char* reason) {
    fprintf(stderr, "tool_probe: %s: %s\n", what, reason);
    exit(1);
}

static Resource open_resource(const Probe* p, const char* name, u32 type) {
    Resource  resource;
    BlobFault fault;
    char      path[4096];
    snprintf(path, sizeof path, "%s/%s.%s", p->folder, name, ent_resource_suffix(type));
    const ent_status status = ent_resource_open(&resource, path, NULL, &fault);
    if (status != ENT_OK) fail(path, fault.reason[0] ? fault.reason : ent_status_text(status));
    return resource;
}

static void put_matrix(const Mat34* m) {
    for (int i = 0; i < 12; i++) printf("%s%.9g", i ? "," : "[", (f64)m->m[i / 4][i % 4]);
    printf("]");
}

static void put_entities(const Probe* p) {
    const Blob*   blob = &p->entity.blob;
    const u32     count = blob->header->element_count;
    const u32*    parent = ent_blob_data(blob, ent_blob_section(blob, SECTION_PARENT));
    const Entity* entity = ent_transform_rows(p->world).entity;
    printf("\"entities\":[\n");
    for (u32 i = 0; i < count; i++) {
        const Mat34* world = ent_transform_world(p->world, entity[i]);
        const Entity above = ent_transform_parent(p->world, entity[i]);
        if ((parent[i] == UINT32_MAX) != (above == ENTITY_NULL)) fail(p->name, "parent was lost");
        if (above && above != entity[parent[i]]) fail(p->name, "another parent than in the blob");
        printf("%s{\"name\":\"%s\",\"parent\":%d,\"world\":", i ? ",\n" : "",
               i ? ent_blob_name(blob, i) : p->name, (int)parent[i]);
        put_matrix(world);
        printf("}");
    }
    printf("],\n");
}

static f64 triangle_area(const Vec3* a, const Vec3* b, const Vec3* c) {
    const f64 ux = (f64)b->x - a->x, uy = (f64)b->y - a->y, uz = (f64)b->z - a->z;
    const f64 vx = (f64)c->x - a->x, vy = (f64)c->y - a->y, vz = (f64)c->z - a->z;
    const f64 x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    return sqrt(x * x + y * y + z * z) / 2;
}

static void put_mesh(const Probe* p, const char* name) {
    Resource                mesh = open_resource(p, name, RESOURCE_MESH);
    const Blob*             blob = &mesh.blob;
    const BlobSection*      parts = ent_blob_section(blob, SECTION_MESH_PART);
    const BlobSection*      indices = ent_blob_section(blob, SECTION_INDEX);
    const MeshPartRecord*   part = ent_blob_data(blob, parts);
    const MeshBoundsRecord* bounds =
        ent_blob_data(blob, ent_blob_section(blob, SECTION_MESH_BOUNDS));
    const Vec3* position = ent_blob_data(blob, ent_blob_section(blob, SECTION_POSITION));
    const u32*  index = ent_blob_data(blob, indices);
    f64         surface = 0;
    for (u32 i = 0; i < parts->count; i++) {
        for (u32 k = 0; part[i].topology == MESH_TRIANGLES && k < part[i].index_count; k += 3) {
            const u32* t = &index[part[i].first_index + k];
            surface += triangle_area(&position[t[0]], &position[t[1]], &position[t[2]]);
        }
    }
    printf(
        "{\"vertices\":%u,\"indices\":%u,\"parts\":%u,\"bounds\":[%.9g,%.9g,%.9g,%.9g,%.9g,%.9g],"
        "\"surface\":%.9g}",
        blob->header->element_count, indices->count, parts->count, (f64)bounds->bounds_min.x,
        (f64)bounds->bounds_min.y, (f64)bounds->bounds_min.z, (f64)bounds->bounds_max.x,
        (f64)bounds->bounds_max.y, (f64)bounds->bounds_max.z, surface);
    ent_resource_close(&mesh);
}

static void put_poses(const Probe* p, u32 skin, const char* skeleton_name, int clip,
                      const char* clip_name, bool* first) {
    Resource         skeleton = open_resource(p, skeleton_name, RESOURCE_SKELETON), motion = {0};
    const Blob*      blob = &skeleton.blob;
    const u32        joints = ent_skeleton_joint_count(blob), binds = ent_skeleton_bind_count(blob);
    TransformRecord* pose = malloc(sizeof *pose * joints);
    Mat34*           model = malloc(sizeof *model * joints);
    Mat34*           palette = malloc(sizeof *palette * binds);
    if (clip_name) motion = open_resource(p, clip_name, RESOURCE_CLIP);
    const f32 duration = clip_name ? ent_clip_duration(&motion.blob) : 0;
    for (u32 step = 0; step <= (clip_name ? 7u : 0u); step++) {
        const f32 time = duration * (f32)step / 6; /* the last one is after the end */
        ent_clip_sample(clip_name ? &motion.blob : NULL, blob, time, pose);
        ent_skeleton_palette(blob, pose, model, palette);
        printf("%s{\"skin\":%u,\"clip\":%d,\"time\":%.9g,\"palette\":[", *first ? "" : ",\n", skin,
               clip, (f64)time);
        *first = false;
        for (u32 i = 0; i < binds; i++) {
            if (i) printf(",");
            put_matrix(&palette[i]);
        }
        printf("]}");
    }
    free(pose);
    free(model);
    free(palette);
    if (clip_name) ent_resource_close(&motion);
    ent_resource_close(&skeleton);
}

/* The names of the resources of the model, in the order of the file: blobs do not contain them, the
 * compiler does. */
typedef struct List {
    const char** name; /* [count] */
    u32          count;
} List;

static List meshes, skeletons, clips, materials, textures;

static List* list_of(ResourceType type) {
    switch (type) {
    case RESOURCE_MESH: return &meshes;
    case RESOURCE_SKELETON: return &skeletons;
    case RESOURCE_CLIP: return &clips;
    case RESOURCE_MATERIAL: return &materials;
    default: return &textures;
    }
}

static void lists_read(Assets* assets, const char* name) {
    Asset* asset = assets_file(assets, text_of(name), RESOURCE_ENTITY);
    if (!asset || !asset_read(assets, asset) || !asset->content->model) fail(name, "is no model");
    for (u32 i = 0; i < asset->content->model->resource_count; i++) {
        const ModelResource* r = &asset->content->model->resources[i];
        List*                list = list_of(r->type);
        if (!list->name)
            list->name = calloc(asset->content->model->resource_count, sizeof *list->name);
        list->name[list->count++] = r->name;
    }
}

static void put_list(const char* key, const List* list, const char* end) {
    printf("\"%s\":[", key);
    for (u32 i = 0; i < list->count; i++) printf("%s\"%s\"", i ? "," : "", list->name[i]);
    printf("]%s", end);
}

static void put_names(void) {
    printf("\"names\":{");
    put_list("meshes", &meshes, ",\n");
    put_list("skeletons", &skeletons, ",\n");
    put_list("clips", &clips, ",\n");
    put_list("materials", &materials, ",\n");
    put_list("textures", &textures, "},\n");
}

static void put_resources(const Probe* p) {
    bool first = true;
    printf("\"meshes\":[");
    for (u32 i = 0; i < meshes.count; i++) {
        if (i) printf(",\n");
        put_mesh(p, meshes.name[i]);
    }
    printf("],\n\"skeletons\":[");
    for (u32 i = 0; i < skeletons.count; i++) {
        Resource skeleton = open_resource(p, skeletons.name[i], RESOURCE_SKELETON);
        printf("%s{\"joints\":%u}", i ? "," : "", ent_skeleton_bind_count(&skeleton.blob));
        ent_resource_close(&skeleton);
    }
    printf("],\n\"clips\":[");
    for (u32 i = 0; i < clips.count; i++) {
        Resource clip = open_resource(p, clips.name[i], RESOURCE_CLIP);
        printf("%s{\"duration\":%.9g}", i ? "," : "", (f64)ent_clip_duration(&clip.blob));
        ent_resource_close(&clip);
    }
    printf("],\n\"poses\":[");
    for (u32 s = 0; s < skeletons.count; s++) {
        put_poses(p, s, skeletons.name[s], -1, NULL, &first);
        for (u32 c = 0; c < clips.count; c++) {
            put_poses(p, s, skeletons.name[s], (int)c, clips.name[c], &first);
        }
    }
    printf("]}\n");
}

int main(int argc, char** argv) {
    static Registry registry;
    Probe           p = {0};
    Tree            tree;
    Assets          assets;
    const char*     failed;
    Diagnostics*    diag = diag_create();
    if (argc != 4) fail("usage", "tool_probe SRC OUT NAME");
    if (!registry_init(&registry, diag) ||
        tree_read(&tree, argv[1], false, NULL, &failed) != ENT_OK ||
        !assets_open(&assets, &tree, &registry, NULL, (Variant){0}, diag)) {
        fail(argv[1], "cannot be read");
    }
    p.folder = argv[2];
    p.name = argv[3];
    lists_read(&assets, p.name);
    p.entity = open_resource(&p, p.name, RESOURCE_ENTITY);
    if (ent_world_create(&p.world, NULL) != ENT_OK) fail(p.name, "no world");
    const SpawnOptions strict = {.strict = 1};
    const ent_status   status = ent_world_spawn(p.world, &p.entity.blob, &strict, NULL);
    if (status != ENT_OK) fail(p.name, ent_status_text(status));
    printf("{\"model\":\"%s\",\n", p.name);
    put_names();
    put_entities(&p);
    put_resources(&p);
    ent_world_destroy(p.world);
    ent_resource_close(&p.entity);
    assets_close(&assets);
    tree_drop(&tree);
    diag_destroy(diag);
    free((void*)meshes.name);
    free((void*)skeletons.name);
    free((void*)clips.name);
    free((void*)materials.name);
    free((void*)textures.name);
    return 0;
}
