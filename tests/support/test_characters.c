/* test_characters.c - compiles and spawns levels of models that move. */
#include "test_characters.h"

#include <stdio.h>

#include "rows.h"

/* `crowd`: 200 characters with different clips, times, blends and places. */
static const char script[] =
    "import json, random\n"
    "r = random.Random(3)\n"
    "names = {'walker': ['walk', 'run', 'rest'], 'worm': ['wave'], 'ball': ['faces']}\n"
    "entities = []\n"
    "for i in range(200):\n"
    "    model = ('walker', 'walker', 'walker', 'ball', 'worm')[i % 5 if i < 60 else i % 4]\n"
    "    skin = {'clip': '%s/%s' % (model, r.choice(names[model])), 'time_s': round(r.uniform(0, "
    "3), 3),\n"
    "            'speed': r.choice([1, 0.7, 1.5, -1]), 'end': r.choice(['loop', 'loop', 'hold'])}\n"
    "    if model == 'walker' and i % 3 == 0:\n"
    "        skin.update(second_clip='walker/rest', blend=round(r.uniform(0, 1), 2))\n"
    "    target = {'walker': 'walker/body', 'worm': 'worm/skin', 'ball': 'ball'}[model]\n"
    "    scale = r.choice([1, 1, 0.8, 1.3])\n"
    "    entities.append({'name': 'c%d' % i, 'prefab': model, 'overrides': {target: {'components': "
    "{'skin': skin}}},\n"
    "        'components': {'transform': {'position': [i % 20 * 1.6 - 16, 0, i // 20 * -1.8],\n"
    "            'rotation': [0, 1, 0, 0] if i % 7 == 0 else [0, 0, 0, 1],\n"
    "            'scale': [-scale if i % 11 == 0 else scale, scale, scale]}}})\n"
    "json.dump({'entities': entities}, open('src/crowd.level.json', 'w'))\n"
    "torch = {'skin': 'man/walker/body', 'joint': 'hand_l', 'position': [0, -0.3, 0.1], 'scale': "
    "[0.1, 0.1, 0.1]}\n"
    "place = {'position': [2, 0.5, 1], 'rotation': [0, 0.6, 0, 0.8]}\n"
    "json.dump({'entities': [\n"
    "    {'name': 'man', 'prefab': 'walker', 'components': {'transform': place}},\n"
    "    {'name': 'torch', 'components': {'transform': {}, 'attach_to_joint': torch, 'mesh': "
    "{'resource': "
    "'ball/mesh_0'}},\n"
    "     'children': [{'name': 'flame', 'components': {'transform': {'position': [0, 1, 0]}}}]},\n"
    "    {'name': 'lost', 'components': {'transform': {'position': [1, 2, 3]},\n"
    "     'attach_to_joint': dict(torch, joint='tail')}}]}, open('src/torch.level.json', 'w'))\n";

const char* characters_folder(void) {
    static char* folder;
    if (folder) return folder;
    folder = strdup(test_folder("characters"));
    TEST_DONE(".", "python3 tests/support/make_characters.py '%s/src'", folder);
    test_write_text(folder, "levels.py", script);
    TEST_DONE(folder, "python3 levels.py && entc build src -o out -q");
    return folder;
}

void characters_open(Characters* c, const char* level) { characters_open_in(c, level, NULL); }

void characters_open_in(Characters* c, const char* level, const WorldDesc* desc) {
    const Blob* blob;
    char        path[1100];
    *c = (Characters){0};
    snprintf(path, sizeof path, "%s/out", characters_folder());
    assert_int_equal(ent_library_open(&c->library, path, NULL), ENT_OK);
    assert_int_equal(ent_library_load(&c->library, level, RESOURCE_LEVEL, &blob), ENT_OK);
    assert_int_equal(ent_world_create(&c->world, desc), ENT_OK);
    assert_int_equal(ent_world_spawn(c->world, blob, NULL, NULL), ENT_OK);
    assert_int_equal(ent_skins_create(&c->skins, c->world, &c->library), ENT_OK);
}

void characters_close(Characters* c) {
    ent_skins_destroy(c->skins);
    ent_world_destroy(c->world);
    ent_library_close(&c->library);
}

Entity characters_entity(const Characters* c, u32 row) {
    assert_true(row < ent_skin_rows(c->world).count);
    return ent_skin_rows(c->world).entity[row];
}

const Blob* characters_blob(const Characters* c, const char* name, u32 type) {
    const Blob* blob = ent_library_find(&c->library, ent_resource_ref(name, type));
    assert_non_null(blob);
    return blob;
}
