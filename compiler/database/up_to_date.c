/* up_to_date.c - compares two folders with a build database. */
#include "up_to_date.h"

#include <errno.h>

#include "assets.h"
#include "path_alike.h"
#include "sections.h"
#include "source_map.h"
#include "threads.h"

typedef struct Check {
    UpToDateRow* row;
    const char*  path;
    Hash128      built;  /* or DATABASE_UNREAD */
    int          unread; /* errno: its content is unknown */
} Check;

typedef struct Compare {
    UpToDate*       up_to_date;
    const Settings* settings;
    ARRAY(Check) checks; /* files that have to be read */
} Compare;

static UpToDateState state_of(Hash128 hash, Hash128 built) {
    const bool same = hash_equal(hash, built) || hash_equal(built, DATABASE_UNREAD) ||
                      hash_equal(built, DATABASE_UNLISTED);
    return same ? UP_TO_DATE_SAME : UP_TO_DATE_CHANGED;
}

/* Compares a file with `was`, which the build database has of it. `built`: the content that the last build read or
 * wrote; `stored_ns`: when `was` was read. */
static void row_match(Compare* compare, UpToDateRow* row, const TreeFile* f,
                      const DatabaseMap* stored, Hash128 built, u64 stored_ns) {
    if (f->kind != FILE_REGULAR) return;
    row->stamp = f->stamp;
    row->hash = stored->hash;
    row->state = state_of(stored->hash, built);
    if (!database_is_settled(compare->up_to_date->database, &stored->stamp, &f->stamp, stored_ns))
        *array_push(&compare->checks) = (Check){row, f->path, built, 0};
}

static void check_run(void* user, u32 first, u32 end, u32 worker) {
    const Compare* compare = user;
    FileView       view;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) {
        Check*       check = &compare->checks.at[i];
        UpToDateRow* row = check->row;
        row->state = UP_TO_DATE_CHANGED;
        row->hash = (Hash128){0};
        const ent_status status = file_map_stamped(&view, check->path, &row->stamp);
        if (status != ENT_OK && status != ENT_NOT_FOUND) check->unread = errno;
        if (status != ENT_OK) continue;
        row->hash = hash_content(view.bytes, view.size);
        row->state = state_of(row->hash, check->built);
        file_unmap(&view);
    }
}

/* True when every file that a build would read is in the build database. */
static bool sources_match(Compare* compare, const Tree* tree) {
    const Database* db = compare->up_to_date->database;
    bool            known = true;
    for (u32 i = 0; i < tree->files.count; i++) {
        const TreeFile*     f = &tree->files.at[i];
        const u32           row = database_file(db, tree_relative(f));
        const DatabaseFile* stored = row == NONE ? NULL : &db->files[row];
        if (stored) {
            const DatabaseMap content = {stored->stamp, stored->hash};
            compare->up_to_date->source[row].file = i;
            row_match(compare, &compare->up_to_date->source[row], f, &content, stored->built,
                      db->head->scanned_ns);
        }
        if (stored && !hash_equal(stored->built, DATABASE_UNLISTED)) continue;
        if (f->kind == FILE_FOLDER || assets_concern(compare->settings, tree_relative(f)) ||
            strcmp(tree_relative(f), SETTINGS_FILE) == 0)
            known = false;
        else
            *array_push(&compare->up_to_date->others) = i;
    }
    return known;
}

/* A path that a model spells in another way leads to a file as long as no other one is alike. */
static bool alike_match(Compare* compare, const Tree* tree) {
    const Database* db = compare->up_to_date->database;
    bool            known = true;
    for (u32 i = 0; i < db->head->file_count; i++) {
        if (!(db->files[i].flags & DATABASE_ALIKE)) continue;
        const char* path = database_text(db, db->files[i].path);
        if (path_alike_count(tree, path) < 2) continue;
        compare->up_to_date->source[i].state = UP_TO_DATE_CHANGED;
        known = false;
    }
    return known;
}

ResourceType output_named(const char* path, Text* name, bool* map) {
    const u32 tail = (u32)strlen(SOURCE_MAP_SUFFIX);
    Text      text = text_of(path);
    *map = text.bytes > tail && strcmp(path + text.bytes - tail, SOURCE_MAP_SUFFIX) == 0;
    if (*map) text.bytes -= tail;
    name->at = path;
    for (u32 dot = text.bytes; dot-- > 0 && path[dot] != '/';) {
        if (path[dot] != '.') continue;
        name->bytes = dot;
        return resource_from_suffix((Text){path + dot + 1, text.bytes - dot - 1});
    }
    return RESOURCE_NONE;
}

/* True when every file that could be an output is in the build database. */
static bool outputs_match(Compare* compare, const Tree* tree) {
    const Database* db = compare->up_to_date->database;
    bool            known = true;
    for (u32 i = 0; i < tree->files.count; i++) {
        Text         name;
        bool         map;
        ResourceType type = output_named(tree_relative(&tree->files.at[i]), &name, &map);
        if (type == RESOURCE_NONE) continue;
        const u32 row = database_product(db, name, type);
        if (row == NONE || (map && db->products[row].map == NONE)) {
            known = false;
            continue;
        }
        const DatabaseProduct* p = &db->products[row];
        const DatabaseMap      stored = map ? db->maps[p->map] : (DatabaseMap){p->stamp, p->hash};
        UpToDateRow*           now =
            map ? &compare->up_to_date->map[p->map] : &compare->up_to_date->output[row];
        now->file = i;
        row_match(compare, now, &tree->files.at[i], &stored, stored.hash, db->head->written_ns);
    }
    return known;
}

static bool rows_same(const UpToDateRow* rows, u32 count) {
    bool same = true;
    for (u32 i = 0; i < count && same; i++) same = rows[i].state == UP_TO_DATE_SAME;
    return same;
}

void up_to_date_compare(UpToDate* up_to_date, const Database* database, const Tree* sources,
                        const Tree* outputs, const Settings* settings, JobPool* pool) {
    Compare compare = {.up_to_date = up_to_date, .settings = settings};
    *up_to_date = (UpToDate){.database = database};
    if (!database->head) return;
    const u32 files = database->head->file_count, products = database->head->product_count;
    const u32 maps = database->head->map_count;
    up_to_date->source = memory_alloc(sizeof(UpToDateRow) * files);
    up_to_date->output = memory_alloc(sizeof(UpToDateRow) * products);
    up_to_date->map = memory_alloc(sizeof(UpToDateRow) * maps);
    for (u32 i = 0; i < files; i++) {
        const bool listed = !hash_equal(database->files[i].built, DATABASE_UNLISTED);
        up_to_date->source[i].file = NONE;
        up_to_date->source[i].state = listed ? UP_TO_DATE_REMOVED : UP_TO_DATE_SAME;
    }
    for (u32 i = 0; i < products; i++) up_to_date->output[i].file = NONE;
    for (u32 i = 0; i < maps; i++) up_to_date->map[i].file = NONE;
    up_to_date->known = sources_match(&compare, sources);
    up_to_date->known &= alike_match(&compare, sources);
    up_to_date->known &= outputs_match(&compare, outputs);
    up_to_date->stale = compare.checks.count > 0;
    threads_run(pool, compare.checks.count, 16, check_run, &compare);
    for (u32 i = 0; i < compare.checks.count && !up_to_date->unread; i++) {
        up_to_date->unread_reason = compare.checks.at[i].unread;
        if (up_to_date->unread_reason) up_to_date->unread = compare.checks.at[i].path;
    }
    array_drop(&compare.checks);
    up_to_date->idle = up_to_date->known && rows_same(up_to_date->source, files) &&
                       rows_same(up_to_date->output, products);
}

void up_to_date_drop(UpToDate* up_to_date) {
    memory_free(up_to_date->source);
    memory_free(up_to_date->output);
    memory_free(up_to_date->map);
    array_drop(&up_to_date->others);
    *up_to_date = (UpToDate){0};
}
