/* flat_cost.c - counts entities, layers and bytes of a resource before its prefabs are instanced.
 *
 * A source has the same cost wherever it is instanced, so each instance is only one addition.
 * Several threads may estimate a source at the same time: all of them compute the same numbers. */
#include "flat_cost.h"

#define NODE_BYTES (2ull * sizeof(u32) + 1) /* parent, beginning of the name, end of the name */

typedef struct Count {
    Assets*    assets;
    FlatFault* fault;
    FlatChain  chain;
} Count;

static u64 sum(u64 a, u64 b) { return MIN_OF(a + b, COST_MAX); }

/* --- known costs --- */

static bool cost_load(const AssetCost* known, AssetCost* out) {
    if (!__atomic_load_n(&known->known, __ATOMIC_ACQUIRE)) return false;
    out->cost.entities = __atomic_load_n(&known->cost.entities, __ATOMIC_RELAXED);
    out->cost.layers = __atomic_load_n(&known->cost.layers, __ATOMIC_RELAXED);
    out->cost.bytes = __atomic_load_n(&known->cost.bytes, __ATOMIC_RELAXED);
    out->root_types[0] = __atomic_load_n(&known->root_types[0], __ATOMIC_RELAXED);
    out->root_types[1] = __atomic_load_n(&known->root_types[1], __ATOMIC_RELAXED);
    return true;
}

static void cost_store(AssetCost* known, const AssetCost* cost) {
    __atomic_store_n(&known->cost.entities, cost->cost.entities, __ATOMIC_RELAXED);
    __atomic_store_n(&known->cost.layers, cost->cost.layers, __ATOMIC_RELAXED);
    __atomic_store_n(&known->cost.bytes, cost->cost.bytes, __ATOMIC_RELAXED);
    __atomic_store_n(&known->root_types[0], cost->root_types[0], __ATOMIC_RELAXED);
    __atomic_store_n(&known->root_types[1], cost->root_types[1], __ATOMIC_RELAXED);
    __atomic_store_n(&known->known, 1u, __ATOMIC_RELEASE);
}

/* --- components --- */

/* The number of instances of a component with more than one. */
static u32 instances_count(const Asset* asset, const DocComponent* c) {
    if (c->form == DOC_ARRAY || c->form == DOC_MEMBERS)
        return json_token_count(doc_value(asset->content->doc, c));
    return *(const u32*)asset->content->doc->records.at[c->offset];
}

static bool is_multiple(const DocComponent* c) {
    return c->form == DOC_ARRAY || c->form == DOC_RECORDS || c->form == DOC_MEMBERS;
}

/* The bytes that components add to an entity with the types in `types`, to which their types are
 * added. */
static u64 components_bytes(const Count* k, const Asset* asset, u32 first, u32 count, u64* types) {
    const Doc* doc = asset->content->doc;
    u64        bytes = 0;
    for (u32 i = first; i < first + count; i++) {
        const DocComponent* c = &doc->components.at[i];
        const u64           row = k->assets->registry->types[c->type]->record.bytes + sizeof(u32);
        u64*                word = &types[c->type / 64];
        const u64           bit = 1ull << c->type % 64;
        if (is_multiple(c))
            bytes = sum(bytes, row * instances_count(asset, c));
        else if (c->form != DOC_NULL && !(*word & bit))
            bytes = sum(bytes, row);
        *word |= bit;
    }
    return bytes;
}

/* --- prefabs --- */

static bool entity_count(Count* k, Prefab of, AssetCost* out);

static bool chain_has(const FlatChain* chain, Prefab of) {
    for (u32 i = 0; i < chain->count; i++) {
        if (prefab_same(chain->at[i], of)) return true;
    }
    return false;
}

/* The cost of the prefab of a node; nothing when it has none. */
static bool prefab_count(Count* k, Asset* asset, u32 node, AssetCost* out) {
    const u32    row = asset->content->doc->nodes.at[node].instance - 1;
    const Prefab prefab = assets_prefab(k->assets, asset, row);
    FlatChain*   chain = &k->chain;
    if (!prefab.asset) return true;
    if (chain_has(chain, prefab) || chain->count > FLAT_DEPTH_MAX) {
        *k->fault = (FlatFault){*chain, asset, node};
        return false;
    }
    if (cost_load(prefab_cost(prefab), out)) return true;
    chain->at[chain->count] = prefab;
    chain->offset[chain->count++] = asset->content->doc->instances.at[row].prefab;
    const bool is_read =
        asset_hold_nodes(k->assets, prefab.asset) && asset_read(k->assets, prefab.asset);
    const bool succeeded = !is_read || entity_count(k, prefab, out);
    asset_release_nodes(k->assets, prefab.asset);
    chain->count--;
    return succeeded;
}

/* --- nodes --- */

/* The cost of the overrides of an instance. */
static void overrides_count(const Count* k, const Asset* asset, const DocInstance* instance,
                            Cost* cost) {
    for (u32 i = 0; i < instance->override_count; i++) {
        const DocOverride* o = &asset->content->doc->overrides.at[instance->first_override + i];
        u64                types[2] = {0};
        cost->layers = sum(cost->layers, 1);
        cost->bytes = sum(
            cost->bytes, components_bytes(k, asset, o->first_component, o->component_count, types));
    }
}

/* `is_root`: of the source, or of a part of a model. */
static bool node_count(Count* k, Asset* asset, u32 index, bool is_root, AssetCost* out) {
    const DocNode* node = &asset->content->doc->nodes.at[index];
    AssetCost      prefab_cost = {0};
    if (node->instance) {
        const DocInstance instance = doc_instance(asset->content->doc, node);
        if (!prefab_count(k, asset, index, &prefab_cost)) return false;
        overrides_count(k, asset, &instance, &prefab_cost.cost);
    }
    if (prefab_cost.cost.entities == 0) {
        prefab_cost.cost.entities = 1;
        prefab_cost.cost.bytes = sum(prefab_cost.cost.bytes, NODE_BYTES);
    }
    prefab_cost.cost.layers = sum(prefab_cost.cost.layers, 1);
    prefab_cost.cost.bytes = sum(prefab_cost.cost.bytes, node->name_bytes);
    prefab_cost.cost.bytes = sum(prefab_cost.cost.bytes,
                                 components_bytes(k, asset, node->first_component,
                                                  node->component_count, prefab_cost.root_types));
    out->cost.entities = sum(out->cost.entities, prefab_cost.cost.entities);
    out->cost.layers = sum(out->cost.layers, prefab_cost.cost.layers);
    out->cost.bytes = sum(out->cost.bytes, prefab_cost.cost.bytes);
    if (is_root) memcpy(out->root_types, prefab_cost.root_types, sizeof prefab_cost.root_types);
    return true;
}

/* Without prefabs, nothing has to be looked up. */
static void plain_count(const Count* k, const Asset* asset, AssetCost* out) {
    const Doc*                  doc = asset->content->doc;
    const ComponentType* const* types = k->assets->registry->types;
    u64                         bytes = 0;
    out->cost.entities = out->cost.layers = doc->nodes.count;
    for (u32 i = 0; i < doc->nodes.count; i++) bytes += doc->nodes.at[i].name_bytes;
    for (u32 i = 0; i < doc->components.count; i++) {
        const DocComponent* c = &doc->components.at[i];
        const u64           row = types[c->type]->record.bytes + sizeof(u32);
        if (is_multiple(c))
            bytes += row * instances_count(asset, c);
        else if (c->form != DOC_NULL)
            bytes += row;
    }
    out->cost.bytes = bytes + doc->nodes.count * NODE_BYTES;
    if (doc->nodes.count == 0) return;
    const DocNode* root = &doc->nodes.at[0];
    components_bytes(k, asset, root->first_component, root->component_count, out->root_types);
}

/* The next node of a tree, in the order of its list; NONE: there is none. */
static u32 tree_next(const Doc* doc, u32 root, u32 node) {
    if (doc->nodes.at[node].first_child != NONE) return doc->nodes.at[node].first_child;
    while (node != root && doc->nodes.at[node].next == NONE) node = doc->nodes.at[node].parent;
    return node == root ? NONE : doc->nodes.at[node].next;
}

static bool tree_count(Count* k, Asset* asset, u32 root, AssetCost* out) {
    for (u32 node = root; node != NONE; node = tree_next(asset->content->doc, root, node))
        if (!node_count(k, asset, node, node == root, out)) return false;
    return true;
}

static bool entity_count(Count* k, Prefab of, AssetCost* out) {
    const Doc* doc = of.asset->content->doc;
    *out = (AssetCost){0};
    if (of.asset->content->parts) {
        if (!tree_count(k, of.asset, prefab_root(of), out)) return false;
    } else if (doc->instances.count == 0) {
        plain_count(k, of.asset, out);
    } else {
        for (u32 i = 0; i < doc->nodes.count; i++)
            if (!node_count(k, of.asset, i, i == 0, out)) return false;
    }
    cost_store(prefab_cost(of), out);
    return true;
}

/* --- the complete resource --- */

bool flat_cost(Assets* assets, Prefab of, Cost* cost, FlatFault* fault) {
    AssetCost total;
    bool      succeeded = cost_load(prefab_cost(of), &total);
    if (!succeeded) {
        Count k; /* the chain is long: only the used part is initialised */
        k.assets = assets;
        k.fault = fault;
        k.chain.at[0] = of;
        k.chain.count = 1;
        succeeded = entity_count(&k, of, &total);
    }
    if (succeeded) *cost = total.cost;
    return succeeded;
}

Prefab flat_cost_max(Prefab of, Assets* assets, u32* node, u64* entities) {
    const Doc* doc = of.asset->content->doc;
    Prefab     max = prefab_none();
    AssetCost  cost;
    *entities = 0;
    for (u32 i = 0; i < doc->nodes.count; i++) {
        const u32    row = doc->nodes.at[i].instance;
        const Prefab prefab = row ? assets_prefab(assets, of.asset, row - 1) : prefab_none();
        if (!prefab.asset || !cost_load(prefab_cost(prefab), &cost)) continue;
        if (cost.cost.entities <= *entities) continue;
        max = prefab;
        *node = i;
        *entities = cost.cost.entities;
    }
    return max;
}
