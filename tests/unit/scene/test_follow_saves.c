/* test_follow_saves.c - random edits of a project, while a world that was spawned from it runs: after each one, `entc diff` of a
 * save of that world and of a save of a fresh start finds what the host changed, and nothing else. What the host
 * changed is a plain table (follow_host.h). */
#include <stdio.h>

#include "ent.h"
#include "follow_host.h"
#include "rows.h"

#define LINES_MAX 1200
#define LINE_MAX  300

/* --- lines of entc diff --- */

typedef struct Lines {
    char line[LINES_MAX][LINE_MAX];
    u32  count;
} Lines;

static void line_add(Lines* lines, const char* format, ...) PRINTF_LIKE(2, 3);
static void line_add(Lines* lines, const char* format, ...) {
    va_list arguments;
    assert_true(lines->count < LINES_MAX);
    va_start(arguments, format);
    const int length = vsnprintf(lines->line[lines->count++], LINE_MAX, format, arguments);
    va_end(arguments);
    assert_true(length < LINE_MAX);
}

static int line_compare(const void* a, const void* b) { return strcmp(a, b); }

static void lines_sort(Lines* lines) { qsort(lines->line, lines->count, LINE_MAX, line_compare); }

static void value_text(const Flat* flat, u32 kind, u32 value, char text[static 160]) {
    char path[128];
    switch (kind) {
    case TOWN_F32: snprintf(text, 160, "%u.5", value); break;
    case TOWN_BOOL: snprintf(text, 160, value ? "true" : "false"); break;
    case TOWN_ENUM: snprintf(text, 160, "\"m%u\"", value); break;
    case TOWN_TEXT: snprintf(text, 160, value ? "\"t%u\"" : "\"\"", value); break;
    case TOWN_POSITION: snprintf(text, 160, "[%u, 0, 0]", value); break;
    case TOWN_MATERIAL:
        snprintf(text, 160, value ? "\"paints/p%u.material\"" : "null", value);
        break;
    case TOWN_MESH: snprintf(text, 160, "\"models/%s/box.mesh\"", value ? "disc" : "box"); break;
    case TOWN_ENTITY:
        if (value == 0 || !flat->entity[value - 1].exists) {
            snprintf(text, 160, "null");
            break;
        }
        town_path(flat, value - 1, path);
        snprintf(text, 160, "{\"path\": \"%s\"}", path);
        break;
    default: snprintf(text, 160, "%u", value);
    }
}

static bool is_several(u32 part) {
    return part == TOWN_LIGHT || part == TOWN_MESHES || part == TOWN_TAG || part == TOWN_TAG_2;
}

/* The beginning of a line about an entity. */
static void line_begin(char line[static LINE_MAX], const char* change, const char* path, u32 part) {
    const char* row = is_several(part) ? part == TOWN_TAG_2 ? ", \"row\": 1" : ", \"row\": 0" : "";
    if (part == NONE)
        snprintf(line, LINE_MAX, "{\"change\": \"%s\", \"entity\": \"%s\"", change, path);
    else
        snprintf(line, LINE_MAX, "{\"change\": \"%s\", \"entity\": \"%s\", \"table\": \"%s\"%s",
                 change, path, town_part_name(part), row);
}

static void parts_compare(Lines* lines, const Flat* a, const Flat* b, u32 i, const char* path) {
    const FlatEntity *x = &a->entity[i], *y = &b->entity[i];
    char              line[LINE_MAX], from[160], to[160];
    for (u32 part = 0; part < TOWN_PARTS; part++) {
        if (x->has[part] != y->has[part]) {
            line_begin(line, x->has[part] ? "removed" : "added", path, part);
            line_add(lines, "%s}", line);
        }
        line_begin(line, "changed", path, part);
        for (u32 f = 0; f < TOWN_FIELDS && x->has[part] && y->has[part]; f++) {
            const TownField* field = &b->field[part][f];
            if (!field->serial) continue;
            value_text(a, field->kind, x->value[part][f], from);
            value_text(b, field->kind, y->value[part][f], to);
            if (strcmp(from, to) == 0) continue;
            line_add(lines, "%s, \"field\": \"%s\", \"a\": %s, \"b\": %s}", line, field->name, from,
                     to);
        }
    }
}

/* Of two tables without entities that were replaced. */
static void flats_compare(Lines* lines, const Flat* a, const Flat* b) {
    char path[128], line[LINE_MAX];
    for (u32 i = 0; i < TOWN_ENTITIES; i++) {
        if (!a->entity[i].exists && !b->entity[i].exists) continue;
        town_path(a->entity[i].exists ? a : b, i, path);
        line_begin(line, a->entity[i].exists ? "removed" : "added", path, NONE);
        if (a->entity[i].exists && b->entity[i].exists)
            parts_compare(lines, a, b, i, path);
        else
            line_add(lines, "%s}", line);
    }
}

/* What a save has of the entities of the host, which have no names. */
static void created_expect(Lines* lines, const Flat* fresh, const Host* host) {
    char path[160];
    for (u32 i = 0; i < host->created_count; i++) {
        const Created* c = &host->created[i];
        if (!c->alive) continue;
        *path = 0;
        if (c->parent != NONE) town_path(fresh, c->parent, path), strcat(path, "/");
        line_add(lines, "{\"change\": \"removed\", \"entity\": \"%s#\"}", path);
    }
}

static void lines_expect(Lines* lines, const Flat* fresh, const Host* host) {
    static Flat running;
    lines->count = 0;
    town_run(fresh, host, &running);
    flats_compare(lines, &running, fresh);
    created_expect(lines, fresh, host);
    lines_sort(lines);
}

/* Without numbers of entities, which depend on the order in which they were created. */
static void line_simplify(Lines* lines, const char* at, size_t length) {
    char   line[LINE_MAX];
    size_t used = 0;
    assert_true(length < sizeof line);
    for (const char* end = at + length; at < end;) {
        if (strncmp(at, "\"index\": ", 9) == 0) {
            at = strstr(at, ", ") + 2;
            continue;
        }
        line[used++] = *at;
        if (*at++ == '#') at += strspn(at, "0123456789");
    }
    line[used] = 0;
    line_add(lines, "%s", line);
}

/* The order of entities is not defined by the sources, and the table of references follows from the values. */
static void lines_read(Lines* lines, const char* text) {
    lines->count = 0;
    for (const char *at = text, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        if (strncmp(at, "  {", 3) != 0) continue;
        const char* order = strstr(at, "order of entities differs");
        const char* reference = strstr(at, "\"table\": \"reference\"");
        if ((order && order < end) || (reference && reference < end)) continue;
        line_simplify(lines, at + 2, (size_t)(end - at) - 2 - (end[-1] == ','));
    }
    lines_sort(lines);
}

/* Fails with the lines that only one side has. */
static void lines_equal(const Lines* found, const Lines* expected, const char* when) {
    u32 faults = 0;
    for (u32 i = 0, k = 0; i < found->count || k < expected->count;) {
        const int order = i == found->count      ? 1
                          : k == expected->count ? -1
                                                 : strcmp(found->line[i], expected->line[k]);
        if (order < 0) print_error("only found:    %s\n", found->line[i]), faults++;
        if (order > 0) print_error("only expected: %s\n", expected->line[k]), faults++;
        i += order <= 0, k += order >= 0;
    }
    if (faults) fail_msg("after %s", when);
}

/* --- worlds --- */

typedef struct Running {
    Library     library;
    World*      world;
    const Blob* level;
    const Blob* package; /* names all resources, also those to which only the host refers */
    Spawned     spawned;
    char        log[2000];
} Running;

static void log_keep(void* user, LogLevel level, const char* text) {
    char* log = user;
    if (level == LOG_ERROR) snprintf(log, sizeof((Running*)0)->log, "%s", text);
}

static void types_declare(Running* r) {
    for (u32 i = 0; i < r->library.count; i++) {
        const Blob* blob = &ent_library_entry(&r->library, i)->resource.blob;
        if (blob->header->resource_type != RESOURCE_COMPONENT) continue;
        assert_int_equal(ent_world_declare(r->world, blob), ENT_OK);
    }
}

static void running_begin(Running* r, const char* folder, const char* source) {
    char path[2048];
    *r = (Running){.spawned = SPAWNED_NONE};
    const WorldDesc    desc = {.log = {log_keep, r->log}};
    const SpawnOptions options = {.spawned = &r->spawned};
    snprintf(path, sizeof path, "%s/%s", folder, source);
    assert_int_equal(ent_library_open(&r->library, path, NULL), ENT_OK);
    if (ent_library_load(&r->library, "all", RESOURCE_PACKAGE, &r->package) != ENT_OK)
        fail_msg("%s", r->library.problem);
    r->level = ent_library_find(&r->library, ent_resource_ref("yard", RESOURCE_LEVEL));
    assert_int_equal(ent_world_create(&r->world, &desc), ENT_OK);
    types_declare(r);
    assert_int_equal(ent_world_spawn(r->world, r->level, &options, NULL), ENT_OK);
}

static void running_end(Running* r) {
    ent_world_destroy(r->world);
    ent_library_close(&r->library);
}

static void running_save(Running* r, const char* folder, const char* name) {
    void*             bytes;
    size_t            size;
    Entity*           at = calloc(r->level->header->element_count + 1u, sizeof *at);
    const SaveSource  sources[] = {{r->level, at}, {r->package, NULL}};
    const SaveOptions options = {.name = "save", .sources = sources, .source_count = 2};
    assert_int_equal(ent_world_spawned_entities(r->world, r->spawned, at), ENT_OK);
    if (ent_world_save(r->world, &options, &bytes, &size) != ENT_OK) fail_msg("%s", r->log);
    test_write(folder, name, bytes, size);
    ent_world_save_free(r->world, bytes, size);
    free(at);
}

/* Entity of the table, in the world. */
static Entity entity_of(const Running* r, const Flat* flat, u32 index) {
    Entity* at = calloc(r->level->header->element_count + 1u, sizeof *at);
    char    path[128];
    town_path(flat, index, path);
    const u32 found = ent_blob_path_find(r->level, path);
    assert_true(found < r->level->header->element_count);
    assert_int_equal(ent_world_spawned_entities(r->world, r->spawned, at), ENT_OK);
    const Entity entity = at[found];
    free(at);
    return entity;
}

/* Also of materials, meshes, textures and data. */
static void libraries_equal(const Library* running, const Library* fresh) {
    for (u32 i = 0; i < fresh->count; i++) {
        const LibraryEntry* entry = ent_library_entry(fresh, i);
        const Blob*         blob = ent_library_find(running, entry->id);
        if (!blob || blob->size != entry->resource.blob.size ||
            memcmp(blob->bytes, entry->resource.blob.bytes, blob->size) != 0)
            fail_msg("%s.%s is not the one on the disk", entry->name,
                     ent_resource_suffix(entry->resource.blob.header->resource_type));
    }
}

/* --- the host --- */

typedef struct Game {
    char*   folder;
    bool    bundle;
    Random  random;
    Town    town;
    Flat    flat; /* of the sources that the world has followed */
    Host    host;
    Running running;
} Game;

static u32 part_row(const Running* r, u32 part, Entity entity) {
    const Manager* m = ent_world_manager_by_name(r->world, town_part_name(part));
    const u32      row = ent_manager_row(m, ent_world_entities(r->world), entity);
    assert_true(row != MANAGER_NO_ROW);
    return part == TOWN_TAG_2 ? ent_manager_next(m, row) : row;
}

static const Field* field_of(const Running* r, u32 part, const char* name, u8** words, u32 row) {
    const Manager*    m = ent_world_manager_by_name(r->world, town_part_name(part));
    const RecordType* record = &m->desc.type.record;
    u32               f = 0;
    while (f < record->field_count && strcmp(record->fields[f].name, name) != 0) f++;
    assert_true(f < record->field_count);
    const u32 column = m->desc.type.columns == BY_FIELD ? f : 0;
    *words = (u8*)ent_manager_get(m, row, column) + record->fields[f].offset -
             ent_component_column_offset(&m->desc.type, column);
    return &record->fields[f];
}

/* The words of a value in the world; returns their bytes. */
static u32 value_words(const Game* g, const Field* field, u32 kind, u32 value, u32 out[static 3]) {
    char        text[160];
    ResourceRef ref = {0, 0};
    const f32   number = (f32)value + (kind == TOWN_F32 ? 0.5f : 0);
    out[0] = value, out[1] = out[2] = 0;
    snprintf(text, sizeof text, kind == TOWN_ENUM ? "m%u" : "t%u", value);
    switch (kind) {
    case TOWN_F32:
    case TOWN_NUMBER:
    case TOWN_POSITION: memcpy(out, &number, 4); break;
    case TOWN_ENUM:
        for (out[0] = 0; strcmp(field->texts[out[0]], text) != 0;) out[0]++;
        break;
    case TOWN_TEXT:
        assert_int_equal(ent_world_text_add(g->running.world, value ? text : "", out), ENT_OK);
        break;
    case TOWN_MATERIAL:
        snprintf(text, sizeof text, "paints/p%u", value);
        if (value) ref = ent_resource_ref(text, RESOURCE_MATERIAL);
        break;
    case TOWN_MESH:
        ref = ent_resource_ref(value ? "models/disc/box" : "models/box/box", RESOURCE_MESH);
        break;
    case TOWN_ENTITY: out[0] = value ? entity_of(&g->running, &g->flat, value - 1) : ENTITY_NULL;
    }
    if (kind != TOWN_MATERIAL && kind != TOWN_MESH) return field->bytes;
    memcpy(out, &ref, sizeof ref);
    return sizeof ref;
}

static void value_put(Game* g, u32 part, u32 f, Entity entity, u32 value) {
    const TownField* field = &g->flat.field[part][f];
    const u32        row = part_row(&g->running, part, entity);
    u8*              to;
    u32              words[3];
    const Field*     type = field_of(&g->running, part, field->name, &to, row);
    const u32        bytes = value_words(g, type, field->kind, value, words);
    if (part != TOWN_TRANSFORM) {
        memcpy(to, words, bytes);
        return;
    }
    TransformRecord local = ent_transform_local(g->running.world, row);
    memcpy(&local.position, words, sizeof local.position);
    ent_transform_set_local(g->running.world, row, &local);
}

/* An entity of the table that the running world contains, or NONE. */
static u32 entity_any(Game* g) {
    for (u32 tries = 0; tries < 200; tries++) {
        const u32 at = random_below(&g->random, TOWN_ENTITIES);
        if (g->flat.entity[at].exists && !g->host.absent[at]) return at;
    }
    return NONE;
}

static void host_write(Game* g) {
    static Flat running;
    town_run(&g->flat, &g->host, &running);
    for (u32 tries = 0; tries < 100; tries++) {
        const u32        i = entity_any(g), part = random_below(&g->random, TOWN_PARTS);
        const u32        f = random_below(&g->random, TOWN_FIELDS);
        const TownField* field = &g->flat.field[part][f];
        if (i == NONE || !running.entity[i].has[part] || !field->serial) continue;
        const u32 value = town_value(&g->random, &running, field->kind);
        value_put(g, part, f, entity_of(&g->running, &g->flat, i), value);
        g->host.set[i][part][f] = true;
        g->host.value[i][part][f] = value;
        return;
    }
}

static void host_mark(Game* g) {
    const u32 i = entity_any(g);
    u32       row;
    if (i == NONE || g->host.marked[i]) return;
    Manager* m = ent_world_manager_by_name(g->running.world, "marker");
    assert_int_equal(
        ent_manager_create(g->running.world, m, entity_of(&g->running, &g->flat, i), &row), ENT_OK);
    g->host.marked[i] = true;
    for (u32 f = 0; f < TOWN_FIELDS; f++) {
        g->host.set[i][TOWN_MARKER][f] = g->flat.field[TOWN_MARKER][f].serial != 0;
        g->host.value[i][TOWN_MARKER][f] = g->flat.field[TOWN_MARKER][f].fallback;
    }
}

static void host_remove_part(Game* g) {
    const u32 i = entity_any(g), part = random_below(&g->random, 2) ? TOWN_LIGHT : TOWN_HEALTH;
    if (i == NONE || !g->flat.entity[i].has[part] || g->host.removed[i][part]) return;
    Manager* m = ent_world_manager_by_name(g->running.world, town_part_name(part));
    ent_manager_remove(g->running.world, m,
                       part_row(&g->running, part, entity_of(&g->running, &g->flat, i)));
    g->host.removed[i][part] = true;
}

static void host_create(Game* g) {
    Host*     host = &g->host;
    Created*  c = &host->created[host->created_count];
    World*    w = g->running.world;
    const u32 i = random_below(&g->random, 2) ? entity_any(g) : NONE;
    u32       row;
    if (host->created_count == TOWN_CREATED_MAX) return;
    *c = (Created){.alive = true, .parent = i};
    assert_int_equal(ent_entity_create(w, &c->entity, 1), ENT_OK);
    assert_int_equal(
        ent_manager_create(w, ent_world_manager_by_name(w, "transform"), c->entity, &row), ENT_OK);
    assert_int_equal(ent_manager_create(w, ent_world_manager_by_name(w, "health"), c->entity, &row),
                     ENT_OK);
    for (u32 f = 0; f < TOWN_FIELDS; f++) {
        const u32 kind = g->flat.field[TOWN_HEALTH][f].kind;
        if (!g->flat.field[TOWN_HEALTH][f].serial) continue;
        c->value[f] = kind == TOWN_ENTITY ? 0 : town_value(&g->random, &g->flat, kind);
        value_put(g, TOWN_HEALTH, f, c->entity, c->value[f]);
    }
    if (i != NONE)
        assert_int_equal(ent_transform_attach(w, c->entity, entity_of(&g->running, &g->flat, i), 0),
                         ENT_OK);
    host->created_count++;
}

static bool is_below(const Flat* flat, u32 entity, u32 top) {
    while (entity != NONE && entity != top) entity = flat->entity[entity].parent;
    return entity == top;
}

static void host_destroy(Game* g) {
    const u32 top = entity_any(g);
    u32       left = 0;
    for (u32 i = 0; i < TOWN_NODES; i++)
        left += g->flat.entity[i].exists && !g->host.absent[i] && !is_below(&g->flat, i, top);
    if (top == NONE || left < 4) return;
    const Entity entity = entity_of(&g->running, &g->flat, top);
    assert_int_equal(ent_entity_destroy_subtrees(g->running.world, &entity, 1, NULL), ENT_OK);
    for (u32 i = 0; i < TOWN_ENTITIES; i++) {
        if (g->flat.entity[i].exists && is_below(&g->flat, i, top)) g->host.absent[i] = true;
    }
    for (u32 i = 0; i < g->host.created_count; i++) {
        Created* c = &g->host.created[i];
        if (c->parent != NONE && is_below(&g->flat, c->parent, top)) c->alive = false;
    }
}

static void host_play(Game* g) {
    for (u32 i = 0; i < 3; i++) host_write(g);
    if (random_below(&g->random, 3) == 0) host_mark(g);
    if (random_below(&g->random, 6) == 0) host_remove_part(g);
    if (random_below(&g->random, 8) == 0) host_destroy(g);
    if (random_below(&g->random, 8) == 0 || g->host.created_count == 0) host_create(g);
}

/* The saves differ in the complete entity: its values are compared here. */
static void created_equal(Game* g) {
    for (u32 i = 0; i < g->host.created_count; i++) {
        const Created* c = &g->host.created[i];
        for (u32 f = 0; f < TOWN_FIELDS && c->alive; f++) {
            const TownField* field = &g->flat.field[TOWN_HEALTH][f];
            u8*              at;
            u32              words[3];
            if (!field->serial) continue;
            const Field* type = field_of(&g->running, TOWN_HEALTH, field->name, &at,
                                         part_row(&g->running, TOWN_HEALTH, c->entity));
            const u32    bytes = value_words(g, type, field->kind, c->value[f], words);
            if (field->kind == TOWN_TEXT)
                assert_string_equal(ent_world_text(g->running.world, *(TextRef*)(void*)at),
                                    ent_world_text(g->running.world, words[0]));
            else
                assert_memory_equal(at, words, bytes);
        }
    }
}

/* --- the flow --- */

static void build(const Game* g, int code) {
    TestRun run = test_command(g->folder, "entc build src -o out -q%s",
                               g->bundle ? " && entc pack out -o all.pak" : "");
    if (run.code != code) fail_msg("%d: %s", run.code, run.err);
    test_run_free(&run);
}

static const char* source_of(const Game* g) { return g->bundle ? "all.pak" : "out"; }

static void game_begin(Game* g, const char* name, bool bundle, u64 seed) {
    memset(g, 0, sizeof *g);
    g->folder = strdup(test_folder(name));
    g->bundle = bundle;
    g->random.state = test_seed(name, seed);
    town_begin(&g->town, g->random.state + 1);
    town_write(&g->town, g->folder);
    build(g, 0);
    town_flatten(&g->town, &g->flat);
    running_begin(&g->running, g->folder, source_of(g));
}

static void game_end(Game* g) {
    running_end(&g->running);
    free(g->folder);
}

/* The lines of entc diff between the running world and a fresh start. */
static void game_diff(Game* g, Lines* found) {
    Running fresh;
    running_begin(&fresh, g->folder, source_of(g));
    running_save(&g->running, g->folder, "running.level");
    running_save(&fresh, g->folder, "fresh.level");
    TestRun run = test_command(g->folder, "entc diff --json running.level fresh.level");
    if (run.code > 1) fail_msg("%d: %s", run.code, run.err);
    lines_read(found, run.out);
    test_run_free(&run);
    running_end(&fresh);
}

/* Returns how many differences there are. */
static u32 game_compare(Game* g, const char* when) {
    static Lines found, expected;
    Running      fresh;
    game_diff(g, &found);
    lines_expect(&expected, &g->flat, &g->host);
    lines_equal(&found, &expected, when);
    created_equal(g);
    running_begin(&fresh, g->folder, source_of(g));
    libraries_equal(&g->running.library, &fresh.library);
    running_end(&fresh);
    return expected.count;
}

/* Returns how many resources were replaced. */
static u32 game_follow(Game* g) {
    LibraryChanges changes;
    WorldFollowed  followed;
    if (ent_library_follow(&g->running.library, &changes) != ENT_OK)
        fail_msg("%s", g->running.library.problem);
    if (ent_world_follow(g->running.world, &changes, &followed) != ENT_OK)
        fail_msg("%s: %s", followed.failed->name, g->running.log);
    assert_int_equal(followed.left, 0);
    return changes.count;
}

/* A build that fails changes nothing, and the world goes on. */
static void wrong_file_step(Game* g) {
    town_spoil(&g->town, g->folder);
    build(g, 3);
    assert_int_equal(game_follow(g), 0);
    game_compare(g, "a wrong file");
}

static u32 edit_step(Game* g, TownEditKind kind) {
    static Flat after;
    for (u32 i = 0; i < TOWN_NODES; i++) g->town.avoided[i] = g->host.absent[i];
    town_edit(&g->town, kind);
    for (u32 i = random_below(&g->random, 6); i > 0; i--) town_edit(&g->town, TOWN_EDIT_VALUE);
    town_write(&g->town, g->folder);
    build(g, 0);
    town_flatten(&g->town, &after);
    game_follow(g);
    town_host_follow(&g->host, &g->flat, &after);
    g->flat = after;
    return game_compare(g, town_edit_texts[kind]);
}

static void history_run(const char* name, bool bundle, u64 seed) {
    static Game  g;
    TownEditKind order[TOWN_EDIT_COUNT];
    const u32    usual = SANITIZED ? TOWN_EDIT_COUNT : 2 * TOWN_EDIT_COUNT;
    const u32    edits = getenv("TEST_FULL") ? 200 : usual;
    u32          differences = 0;
    game_begin(&g, name, bundle, seed);
    for (u32 i = 0; i < TOWN_EDIT_COUNT; i++) order[i] = (TownEditKind)i;
    for (u32 i = 0; i < edits; i++) {
        const u32          at = i % TOWN_EDIT_COUNT;
        const u32          other = at + random_below(&g.random, TOWN_EDIT_COUNT - at);
        const TownEditKind kind = order[other];
        order[other] = order[at], order[at] = kind;
        host_play(&g);
        if (random_below(&g.random, 4) == 0) wrong_file_step(&g);
        differences += edit_step(&g, kind);
    }
    assert_true(differences > edits);
    game_end(&g);
}

/* The comparison finds each edit before the world has followed it, and nothing afterwards. */
static void edits_that_were_not_followed_are_found_in_the_saves(void** state) {
    static const TownEditKind kinds[] = {TOWN_EDIT_VALUE, TOWN_EDIT_PREFAB, TOWN_EDIT_PART,
                                         TOWN_EDIT_ADD,   TOWN_EDIT_REMOVE, TOWN_EDIT_PREFAB_PART};
    static Game               g;
    static Flat               after;
    static Lines              found, expected;
    u32                       differences = 0;
    UNUSED(state);
    game_begin(&g, "follow_saves_late", false, 13);
    for (u32 i = 0; i < 2 * COUNT_OF(kinds); i++) {
        town_edit(&g.town, kinds[i % COUNT_OF(kinds)]);
        town_write(&g.town, g.folder);
        build(&g, 0);
        town_flatten(&g.town, &after);
        game_diff(&g, &found);
        expected.count = 0;
        flats_compare(&expected, &g.flat, &after);
        lines_sort(&expected);
        lines_equal(&found, &expected, town_edit_texts[kinds[i % COUNT_OF(kinds)]]);
        differences += found.count;
        game_follow(&g);
        g.flat = after;
        game_diff(&g, &found);
        expected.count = 0;
        lines_equal(&found, &expected, "it was followed");
    }
    assert_true(differences >= COUNT_OF(kinds));
    game_end(&g);
}

static void saves_differ_in_what_the_host_changed_after_edits_of_a_folder(void** state) {
    UNUSED(state);
    history_run("follow_saves", false, 11);
}

static void saves_differ_in_what_the_host_changed_after_edits_of_a_bundle(void** state) {
    UNUSED(state);
    history_run("follow_saves_pak", true, 12);
}

TEST_SUITE(follow_saves) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_that_were_not_followed_are_found_in_the_saves),
        cmocka_unit_test(saves_differ_in_what_the_host_changed_after_edits_of_a_folder),
        cmocka_unit_test(saves_differ_in_what_the_host_changed_after_edits_of_a_bundle)};
    return TEST_RUN("follow_saves", tests);
}
