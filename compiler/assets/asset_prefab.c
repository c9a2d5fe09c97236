/* asset_prefab.c - finds the entity that a source instances: a file, or a part of a model. */
#include "assets.h"
#include "model.h"

Prefab assets_prefab_named(Assets* assets, Text name) {
    Asset* const asset = assets_file(assets, name, RESOURCE_ENTITY);
    if (asset) return (Prefab){asset, NONE};
    for (u32 bytes = name.bytes; bytes > 0;
         bytes--) { /* models/kit/crate: is models/kit a model? */
        if (name.at[bytes - 1] != '/') continue;
        Asset* const model = assets_model(assets, (Text){name.at, bytes - 1});
        if (!model || !model->content_file || !asset_read(assets, model)) continue;
        const ModelResource* r = model_named(model->content->model, name, RESOURCE_ENTITY);
        if (r) return (Prefab){model, r->index};
    }
    return prefab_none();
}

Prefab assets_prefab(Assets* assets, const Asset* asset, u32 instance) {
    const u32 offset = asset->content->doc->instances.at[instance].prefab;
    Prefab    prefab = prefab_known(assets, asset->content->doc, instance);
    Arena     arena = {0};
    if (offset == 0 || prefab.asset) return prefab;
    const JsonString text = json_string_at(&asset->source, offset);
    const Text       name = text.escaped ? text_of(json_decode(text, &arena)) : text.raw;
    prefab = assets_prefab_named(assets, name);
    if (prefab.asset) prefab_know(asset->content->doc, instance, prefab);
    arena_drop(&arena);
    return prefab;
}
