/* test_spawned_parts.c - a level that is spawned in parts follows its source: after random edits, removals, saves and
 * loads, what each part has made equals a plain model of names. */
#include <stdio.h>
#include <stdlib.h>

#include "ent.h"
#include "spawned_internal.h"
#include "test_source.h"
#include "world_internal.h"

#define NAMES  24
#define GROUPS 3 /* 1, 2, and 0: the base */
#define PARTS  5
#define NAMED  64 /* bytes of a path */

typedef enum State { ABSENT, ALIVE, DEAD } State;

/* An entity of the level, whose name and whose position is its number. */
typedef struct Named {
    bool   exists; /* in the source */
    u32    parent; /* or NONE */
    u32    group;  /* that is stated; of its parent, if that one is in a group */
    State  state;  /* in the world */
    u32    owner;  /* part that made it */
    Entity entity;
} Named;

typedef struct Part {
    Spawned   number; /* SPAWNED_NONE: it is not spawned */
    SpawnPart part;
    u32       which; /* number of a group, or name */
} Part;

typedef struct Yard {
    char*   folder;
    Library library;
    World*  world;
    Random  random;
    Named   name[NAMES];
    Part    part[PARTS];
    bool    existed[NAMES]; /* before the last edits */
} Yard;

/* --- the source --- */

static u32 group_of(const Yard* y, u32 n) {
    const u32 above = y->name[n].parent == NONE ? 0 : group_of(y, y->name[n].parent);
    return above ? above : y->name[n].group;
}

static bool is_below(const Yard* y, u32 n, u32 root) {
    while (n != NONE && n != root) n = y->name[n].parent;
    return n == root;
}

static void path_write(const Yard* y, u32 n, char* out) {
    if (y->name[n].parent == NONE) {
        snprintf(out, NAMED, "e%u", n);
        return;
    }
    path_write(y, y->name[n].parent, out);
    const size_t used = strlen(out);
    snprintf(out + used, NAMED - used, "/e%u", n);
}

static u32 depth_of(const Yard* y, u32 n) {
    return y->name[n].parent == NONE ? 1 : 1 + depth_of(y, y->name[n].parent);
}

static void level_write(const Yard* y) {
    static char text[NAMES * 256];
    size_t      used = (size_t)snprintf(text, sizeof text, "{ 'entities': [");
    bool        first = true;
    for (u32 n = 0; n < NAMES; n++) {
        const Named* e = &y->name[n];
        if (!e->exists) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s\n  { 'name': 'e%u'",
                                 first ? "" : ",", n);
        first = false;
        if (e->parent != NONE)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, ", 'parent': 'e%u'", e->parent);
        if (group_of(y, n) && (e->parent == NONE || group_of(y, e->parent) == 0))
            used += (size_t)snprintf(text + used, sizeof text - used, ", 'group': 'g%u'", e->group);
        used +=
            (size_t)snprintf(text + used, sizeof text - used,
                             ", 'components': { 'transform': { 'position': [%u, 0, 0] } } }", n);
    }
    snprintf(text + used, sizeof text - used, " ] }\n");
    test_write_quoted(y->folder, "src/yard.level.json", text);
    TEST_DONE(y->folder, "entc build src -o out -q");
}

static u32 name_random(Yard* y, bool exists) {
    for (u32 i = 0; i < 4 * NAMES; i++) {
        const u32 n = random_below(&y->random, NAMES);
        if (y->name[n].exists == exists) return n;
    }
    return NONE;
}

static void edit_add(Yard* y) {
    const u32 n = name_random(y, false);
    if (n == NONE || y->existed[n]) return; /* else it would be moved */
    u32 parent = random_below(&y->random, 3) ? name_random(y, true) : NONE;
    if (parent != NONE && depth_of(y, parent) > 5) parent = NONE;
    y->name[n] = (Named){
        .exists = true, .parent = parent, .group = random_below(&y->random, GROUPS), .owner = NONE};
}

static void edit_remove(Yard* y) {
    const u32 root = name_random(y, true);
    bool      gone[NAMES];
    if (root == NONE) return;
    for (u32 n = 0; n < NAMES; n++) gone[n] = y->name[n].exists && is_below(y, n, root);
    for (u32 n = 0; n < NAMES; n++) y->name[n].exists &= !gone[n];
}

/* Into another group, or below another entity, where both were before. */
static void edit_move(Yard* y) {
    const u32 n = name_random(y, true), to = name_random(y, true);
    if (n == NONE || !y->existed[n]) return;
    y->name[n].group = random_below(&y->random, GROUPS);
    if (to == NONE || !y->existed[to] || is_below(y, to, n) || depth_of(y, to) > 3) return;
    const u32 before = y->name[n].parent;
    y->name[n].parent = random_below(&y->random, 3) ? to : NONE;
    for (u32 i = 0; i < NAMES; i++) {
        if (y->name[i].exists && depth_of(y, i) > 7) y->name[n].parent = before;
    }
}

/* --- the model --- */

static bool part_has(const Yard* y, u32 k, u32 n) {
    const Part* p = &y->part[k];
    if (p->number == SPAWNED_NONE) return false;
    if (p->part == SPAWN_SUBTREE) return p->which != NONE && is_below(y, n, p->which);
    return group_of(y, n) == (p->part == SPAWN_BASE ? 0 : p->which);
}

/* The first one in the order of the world. */
static u32 part_first(const Yard* y, u32 n) {
    u32 found = NONE;
    for (u32 k = 0; k < PARTS; k++) {
        if (!part_has(y, k, n)) continue;
        if (found == NONE || (u32)y->part[k].number < (u32)y->part[found].number) found = k;
    }
    return found;
}

static u32 owner_of(const Yard* y, u32 n, const u32* owner) {
    const u32 parent = y->name[n].parent, above = parent == NONE ? NONE : owner[parent];
    return above != NONE && part_has(y, above, n) ? above : part_first(y, n);
}

/* Parents before their children. */
static u32 names_in_order(const Yard* y, u32* order) {
    u32 count = 0;
    for (u32 depth = 1; depth <= NAMES; depth++) {
        for (u32 n = 0; n < NAMES; n++) {
            if (y->name[n].exists && depth_of(y, n) == depth) order[count++] = n;
        }
    }
    return count;
}

static void model_patch(Yard* y) {
    u32       order[NAMES], owner[NAMES];
    const u32 count = names_in_order(y, order);
    for (u32 k = 0; k < PARTS; k++) {
        Part* p = &y->part[k];
        if (p->part == SPAWN_SUBTREE && p->which != NONE && !y->name[p->which].exists)
            p->which = NONE;
    }
    for (u32 i = 0; i < count; i++) {
        Named*    e = &y->name[order[i]];
        const u32 n = order[i], had = y->existed[n] && e->state != ABSENT ? e->owner : NONE;
        owner[n] = had != NONE && part_has(y, had, n) ? had : owner_of(y, n, owner);
        if (owner[n] == NONE) owner[n] = had;
        e->owner = owner[n];
        if (y->existed[n]) continue;
        if (owner[n] != NONE && (e->parent == NONE || y->name[e->parent].state == ALIVE))
            e->state = ALIVE; /* the entity is looked up */
    }
    for (u32 n = 0; n < NAMES; n++) {
        if (y->name[n].exists) continue;
        y->name[n].state = ABSENT;
    }
}

/* What the world has made, by the lists of all parts: each entity is that of the model, and all are there. */
static void model_check(Yard* y) {
    const Blob* blob = &ent_library_entry(&y->library, 0)->resource.blob;
    const u32   entities = blob->header->element_count;
    u32         index[NAMES], alive = 0, set = NONE;
    char        path[NAMED];
    for (u32 n = 0; n < NAMES; n++) {
        index[n] = NONE;
        if (!y->name[n].exists) continue;
        path_write(y, n, path);
        index[n] = ent_blob_path_find(blob, path);
        assert_true(index[n] < entities);
        alive += y->name[n].state == ALIVE;
    }
    assert_int_equal(ent_entity_count(y->world), alive);
    for (u32 k = 0; k < PARTS; k++) {
        SpawnedInfo info;
        if (y->part[k].number == SPAWNED_NONE) continue;
        assert_int_equal(ent_world_spawned_info(y->world, y->part[k].number, &info), ENT_OK);
        assert_int_equal(info.blob_entities, entities);
        if (set == NONE) set = info.set;
        assert_int_equal(info.set, set);
        for (u32 n = 0; n < NAMES; n++) {
            Named*       e = &y->name[n];
            const bool   expected = e->exists && e->state == ALIVE && e->owner == k;
            const u32    at = index[n] == NONE ? UINT32_MAX : index[n] - info.first;
            const Entity entity =
                index[n] >= info.first && at < info.count ? info.entities[at] : ENTITY_NULL;
            if (index[n] == NONE) continue;
            assert_int_equal(ent_entity_alive(y->world->entities, entity), expected);
            if (!expected) continue;
            if (e->entity != ENTITY_NULL) assert_int_equal(entity, e->entity);
            e->entity = entity;
            const u32 row = ent_transform_row(y->world, entity);
            assert_int_equal((u32)ent_transform_local(y->world, row).position.x, n);
        }
    }
    for (u32 n = 0; n < NAMES; n++) {
        if (y->name[n].state != ALIVE) y->name[n].entity = ENTITY_NULL;
    }
}

/* --- operations --- */

/* Is anything of the set known, beside what part `but` has made? Otherwise another part would begin a set of its own. */
static bool set_is_known(const Yard* y, u32 but) {
    for (u32 n = 0; n < NAMES; n++) {
        if (y->name[n].exists && y->name[n].state == ALIVE && y->name[n].owner != but) return true;
    }
    return false;
}

static u32 part_any(const Yard* y) {
    u32 k = 0;
    while (k < PARTS && y->part[k].number == SPAWNED_NONE) k++;
    return k;
}

static void op_spawn(Yard* y) {
    static Entity entities[NAMES];
    const Blob*   blob = &ent_library_entry(&y->library, 0)->resource.blob;
    const u32     k = random_below(&y->random, PARTS), any = part_any(y);
    Part*         p = &y->part[k];
    char          path[NAMED];
    SpawnOptions  options = {.spawned = &p->number};
    if (p->number != SPAWNED_NONE || (any < PARTS && !set_is_known(y, NONE))) return;
    p->part = k == 0 ? SPAWN_BASE : k < GROUPS ? SPAWN_GROUP : SPAWN_SUBTREE;
    p->which = k < GROUPS ? k : name_random(y, true);
    if (p->which == NONE) return;
    options.part = p->part;
    if (p->part == SPAWN_GROUP) {
        snprintf(path, sizeof path, "g%u", k);
        options.which = ent_blob_group_find(blob, path);
        if (options.which >= ent_blob_group_count(blob)) return;
    } else if (p->part == SPAWN_SUBTREE) {
        path_write(y, p->which, path);
        options.which = ent_blob_path_find(blob, path);
    }
    memset(entities, 0, sizeof entities);
    if (any < PARTS)
        assert_int_equal(ent_world_spawned_entities(y->world, y->part[any].number, entities),
                         ENT_OK);
    assert_int_equal(ent_world_spawn(y->world, blob, &options, entities), ENT_OK);
    assert_true(p->number != SPAWNED_NONE);
    for (u32 n = 0; n < NAMES; n++) {
        Named* e = &y->name[n];
        if (!e->exists || e->state != ABSENT || !part_has(y, k, n)) continue;
        e->state = ALIVE;
        e->owner = k;
    }
}

static void op_unspawn(Yard* y) {
    const u32 k = random_below(&y->random, PARTS);
    if (y->part[k].number == SPAWNED_NONE || !set_is_known(y, k)) return;
    assert_int_equal(ent_world_unspawn(y->world, y->part[k].number, 0, NULL), ENT_OK);
    y->part[k].number = SPAWNED_NONE;
    for (u32 n = 0; n < NAMES; n++) {
        if (y->name[n].owner == k) y->name[n].state = ABSENT;
    }
}

static void op_destroy(Yard* y) {
    const u32 n = name_random(y, true);
    if (n == NONE || y->name[n].state != ALIVE) return;
    assert_int_equal(ent_entity_destroy(y->world, &y->name[n].entity, 1), 1);
    y->name[n].state = DEAD;
}

static void op_edit(Yard* y) {
    LibraryChanges changes;
    WorldFollowed  followed;
    u32            numbers = 0;
    for (u32 n = 0; n < NAMES; n++) y->existed[n] = y->name[n].exists;
    for (u32 i = random_below(&y->random, 4); i < 5; i++) {
        switch (random_below(&y->random, 4)) {
        case 0: edit_remove(y); break;
        case 1: edit_move(y); break;
        default: edit_add(y);
        }
    }
    level_write(y);
    if (ent_library_follow(&y->library, &changes) != ENT_OK) fail_msg("%s", y->library.problem);
    for (u32 k = 0; k < PARTS; k++) numbers += y->part[k].number != SPAWNED_NONE;
    for (u32 again = 0; again < 2; again++) {
        assert_int_equal(ent_world_follow(y->world, &changes, &followed), ENT_OK);
        assert_int_equal(followed.spawns, changes.count && !again ? numbers : 0);
        assert_int_equal(followed.left, 0);
    }
    if (changes.count) model_patch(y); /* the edits may have no effect */
}

static void op_save(Yard* y) {
    const SaveOptions options = {.name = "saves/yard"};
    void *            bytes, *more;
    size_t            size, more_size;
    Blob              save;
    Spawned           at = SPAWNED_NONE, before = SPAWNED_NONE;
    World*            world = world_new(NULL);
    assert_int_equal(ent_world_save(y->world, &options, &bytes, &size), ENT_OK);
    assert_int_equal(ent_blob_open(&save, bytes, size, NULL, NULL), ENT_OK);
    /* Other sets exist before those of the save. */
    for (u32 i = random_below(&y->random, 3); i > 0; i--) {
        assert_int_equal(ent_world_spawn(world, &save, NULL, NULL), ENT_OK);
        ent_world_clear(world);
    }
    assert_int_equal(ent_world_spawn(world, &save, NULL, NULL), ENT_OK);
    assert_int_equal(ent_world_save(world, &options, &more, &more_size), ENT_OK);
    assert_int_equal(size, more_size);
    assert_memory_equal(bytes, more, size);
    ent_world_save_free(world, more, more_size);
    Spawned number[PARTS] = {0};
    for (;;) {
        u32 next = PARTS; /* in the order of the former world */
        for (u32 k = 0; k < PARTS; k++) {
            if ((u32)y->part[k].number <= (u32)before) continue;
            if (next == PARTS || (u32)y->part[k].number < (u32)y->part[next].number) next = k;
        }
        if (next == PARTS) break;
        before = y->part[next].number;
        at = ent_world_spawned_next(world, (ResourceRef){0, 0}, at);
        assert_true(at != SPAWNED_NONE);
        number[next] = at;
    }
    for (u32 k = 0; k < PARTS; k++) y->part[k].number = number[k];
    ent_world_save_free(y->world, bytes, size);
    ent_world_destroy(y->world);
    y->world = world;
    for (u32 n = 0; n < NAMES; n++) {
        if (y->name[n].state == DEAD) y->name[n].state = ABSENT;
        y->name[n].entity = ENTITY_NULL;
    }
}

static void sequence_run(u64 seed, u32 steps) {
    static Yard y;
    const Blob* blob;
    char        path[2048];
    memset(&y, 0, sizeof y);
    y.random.state = seed;
    y.folder = strdup(test_folder("spawned_parts"));
    for (u32 i = 0; i < 12; i++) edit_add(&y);
    level_write(&y);
    snprintf(path, sizeof path, "%s/out", y.folder);
    assert_int_equal(ent_library_open(&y.library, path, NULL), ENT_OK);
    assert_int_equal(ent_library_resource(&y.library, "yard", RESOURCE_LEVEL, &blob), ENT_OK);
    y.world = world_new(NULL);
    for (u32 step = 0; step < steps; step++) {
        switch (random_below(&y.random, 8)) {
        case 0:
        case 1:
        case 2: op_spawn(&y); break;
        case 3: op_unspawn(&y); break;
        case 4: op_destroy(&y); break;
        case 5: op_save(&y); break;
        default: op_edit(&y);
        }
        model_check(&y);
    }
    ent_world_destroy(y.world);
    ent_library_close(&y.library);
    free(y.folder);
}

static void parts_that_follow_random_edits_equal_a_plain_model(void** state) {
    const u64 seed = test_seed("spawned_parts", 1);
    const u32 sequences = getenv("TEST_FULL") ? 500 : SANITIZED ? 4 : 16;
    UNUSED(state);
    for (u32 i = 0; i < sequences; i++) sequence_run(seed + i, 30);
}

/* A save notes only for spawns of one set that another one has it: the others are found at once in the next save. */
static void joined_expect(const World* w, u32 joined) {
    u32 count = 0;
    for (u32 i = 0; i < w->spawned->count; i++)
        count += w->spawned->at[i].used && w->spawned->at[i].is_joined;
    assert_int_equal(count, joined);
}

/* A part that was destroyed is made again beside a spawn of everything: what is added belongs to one of both. */
static void spawn_of_everything_beside_a_part_follows(void** state) {
    static Yard       y;
    const SaveOptions saved = {.name = "saves/yard"};
    SpawnOptions      options = {0};
    Spawned           number[3];
    SpawnedInfo       info[2];
    LibraryChanges    changes;
    WorldFollowed     followed;
    Entity            entities[NAMES] = {0};
    const Blob*       blob;
    char              path[2048];
    void*             bytes;
    size_t            size;
    Blob              save;
    UNUSED(state);
    memset(&y, 0, sizeof y);
    y.folder = strdup(test_folder("spawned_parts_all"));
    for (u32 n = 0; n < 2; n++) y.name[n] = (Named){.exists = true, .parent = NONE, .group = n};
    level_write(&y);
    snprintf(path, sizeof path, "%s/out", y.folder);
    assert_int_equal(ent_library_open(&y.library, path, NULL), ENT_OK);
    assert_int_equal(ent_library_resource(&y.library, "yard", RESOURCE_LEVEL, &blob), ENT_OK);
    y.world = world_new(NULL);
    options.spawned = &number[2];
    assert_int_equal(ent_world_spawn(y.world, blob, &options, NULL), ENT_OK);
    joined_expect(y.world, 0);
    options.spawned = &number[0];
    assert_int_equal(ent_world_spawn(y.world, blob, &options, entities), ENT_OK);
    const u32 again = ent_blob_path_find(blob, "e1");
    assert_int_equal(ent_entity_destroy(y.world, &entities[again], 1), 1);
    entities[again] = ENTITY_NULL;
    options = (SpawnOptions){
        .spawned = &number[1], .part = SPAWN_GROUP, .which = ent_blob_group_find(blob, "g1")};
    assert_int_equal(ent_world_spawn(y.world, blob, &options, entities), ENT_OK);
    joined_expect(y.world, 2);
    y.name[2] = (Named){.exists = true, .parent = NONE}; /* before the part */
    level_write(&y);
    if (ent_library_follow(&y.library, &changes) != ENT_OK) fail_msg("%s", y.library.problem);
    assert_int_equal(ent_world_follow(y.world, &changes, &followed), ENT_OK);
    assert_int_equal(followed.spawns, 3);
    assert_int_equal(followed.left, 0);
    assert_int_equal(ent_entity_count(y.world), 6);
    for (u32 i = 0; i < 2; i++)
        assert_int_equal(ent_world_spawned_info(y.world, number[i], &info[i]), ENT_OK);
    assert_int_equal(info[0].set, info[1].set);
    assert_int_equal(info[0].first, 0);
    assert_int_equal(info[0].count, 3);
    assert_int_equal(ent_world_spawned_entities(y.world, number[1], entities), ENT_OK);
    for (u32 i = 0; i < 3; i++) assert_true(ent_entity_alive(y.world->entities, entities[i]));
    assert_int_equal(ent_world_save(y.world, &saved, &bytes, &size), ENT_OK);
    assert_int_equal(ent_blob_open(&save, bytes, size, NULL, NULL), ENT_OK);
    World* loaded = world_new(NULL);
    assert_int_equal(ent_world_spawn(loaded, &save, NULL, NULL), ENT_OK);
    joined_expect(loaded, 2);
    ent_world_destroy(loaded);
    ent_world_save_free(y.world, bytes, size);
    assert_int_equal(ent_world_unspawn(y.world, number[1], 0, NULL), ENT_OK);
    assert_int_equal(ent_world_unspawn(y.world, number[0], 0, NULL), ENT_OK);
    assert_int_equal(ent_entity_count(y.world), 3);
    ent_world_destroy(y.world);
    ent_library_close(&y.library);
    free(y.folder);
}

TEST_SUITE(spawned_parts) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_that_follow_random_edits_equal_a_plain_model),
        cmocka_unit_test(spawn_of_everything_beside_a_part_follows),
    };
    return TEST_RUN("spawned_parts", tests);
}
