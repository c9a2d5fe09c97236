/* flat_plain.c - the entities of a level without prefabs, by several threads. */
#include "flat.h"
#include "threads.h"

#define PART_NODES_MIN 8192u
#define PARTS_MAX      64u

/* The entities below successive roots, for one thread. */
typedef struct Part {
    u32 first, end; /* nodes; the part contains the roots among them */
    u32 at;         /* index of its first entity in the complete list */
    ARRAY(FlatEntity) entities;
    bool deep; /* an entity exceeds the depth limit */
} Part;

typedef struct Parts {
    Flat*        flat;
    const Asset* asset;
    u32          count;
    Part         part[PARTS_MAX];
} Parts;

/* Entities are usually written near their parents: nodes are visited almost in their order. */
#define TREE_LOOK_AHEAD 64

/* Follows the links between nodes, so that no call per entity is needed. */
static void part_tree(Part* part, const Asset* asset, u32 root) {
    const u32 last = asset->content->doc->nodes.count - 1;
    u32       node = root, parent = NONE, depth = 1;
    for (;;) {
        const DocNode* n = doc_node(asset, node);
        const u32      entity = part->entities.count;
        PREFETCH(doc_node(asset, MIN_OF(node + TREE_LOOK_AHEAD, last)));
        array_prepare(&part->entities);
        *array_push(&part->entities) = (FlatEntity){.asset = asset->index & FLAT_ASSET_MAX,
                                                    .node = node,
                                                    .parent = parent,
                                                    .scope = NONE,
                                                    .first_layer = NONE};
        if (n->first_child != NONE) {
            node = n->first_child, parent = entity, depth++;
            if (depth > HIERARCHY_MAX) part->deep = true;
            continue;
        }
        while (depth > 1 && n->next == NONE) {
            n = doc_node(asset, part->entities.at[parent].node), depth--;
            parent = part->entities.at[parent].parent;
        }
        if (depth == 1) return;
        node = n->next;
    }
}

/* The roots are linked in the order of nodes. */
static void parts_expand(void* user, u32 first, u32 end, u32 worker) {
    Parts* parts = user;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) {
        Part* part = &parts->part[i];
        u32   root = part->first;
        array_reserve(&part->entities, part->end - part->first);
        while (root < part->end && doc_node(parts->asset, root)->parent != NONE) root++;
        if (root == part->end) continue;
        for (; root < part->end; root = doc_node(parts->asset, root)->next) { /* NONE comes last */
            part_tree(part, parts->asset, root);
        }
    }
}

static void parts_copy(void* user, u32 first, u32 end, u32 worker) {
    const Parts* parts = user;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) {
        const Part* part = &parts->part[i];
        FlatEntity* to = parts->flat->entities.at + part->at;
        memory_prepare(to, sizeof *to * part->entities.count);
        for (u32 k = 0; k < part->entities.count; k++) {
            to[k] = part->entities.at[k];
            if (to[k].parent != NONE) to[k].parent += part->at;
        }
    }
}

static void parts_run(Parts* parts, JobFunction run) {
    JobPool* pool = parts->flat->compile->assets->pool;
    JobGroup group = {0};
    if (parts->count == 1) {
        run(parts, 0, 1, 0);
        return;
    }
    ent_job_dispatch(pool, &group, parts->count, 1, run, parts);
    ent_job_wait(pool, &group);
}

static void parts_join(Parts* parts) {
    u32 count = 0;
    for (u32 i = 0; i < parts->count; i++) {
        parts->part[i].at = count;
        count += parts->part[i].entities.count;
    }
    if (parts->count == 1) {
        parts->flat->entities.at = parts->part[0].entities.at;
        parts->flat->entities.capacity = parts->part[0].entities.capacity;
        parts->part[0].entities.at = NULL;
    } else {
        array_reserve(&parts->flat->entities, count);
        parts_run(parts, parts_copy);
    }
    parts->flat->entities.count = count;
}

bool flat_plain_expand(Compile* c, Flat* flat) {
    const Doc*     doc = c->asset->content->doc;
    const JobPool* pool = c->assets->pool;
    const u32      nodes = doc->nodes.count, threads = threads_count(pool);
    if (c->asset->type != RESOURCE_LEVEL || doc->instances.count ||
        form_is_model(c->asset->form)) /* not all nodes of its doc are entities */
        return false;
    if (nodes > BLOB_ENTITIES_MAX) return false;
    const u32 max = threads == 1 ? 1 : MIN_OF(threads * 4, PARTS_MAX);
    Parts*    parts = memory_alloc(sizeof *parts);
    *parts = (Parts){
        .flat = flat, .asset = c->asset, .count = MAX_OF(MIN_OF(max, nodes / PART_NODES_MIN), 1u)};
    for (u32 i = 0; i < parts->count; i++) {
        parts->part[i].first = (u32)((u64)nodes * i / parts->count);
        parts->part[i].end = (u32)((u64)nodes * (i + 1) / parts->count);
    }
    parts_run(parts, parts_expand);
    bool succeeded = true;
    for (u32 i = 0; i < parts->count; i++) succeeded &= !parts->part[i].deep;
    if (succeeded) parts_join(parts);
    for (u32 i = 0; i < parts->count; i++) array_drop(&parts->part[i].entities);
    memory_free(parts);
    return succeeded;
}
