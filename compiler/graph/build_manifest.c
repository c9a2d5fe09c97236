/* build_manifest.c - writes all outputs and their inputs as JSON, from the build database.
 *
 * Paths are relative to the output folder and the source folder. Nothing depends on the machine, the
 * time or what a build had to compile: equal sources and options give equal bytes. */
#include "build_manifest.h"

#include <errno.h>
#include <stdlib.h>

#include "build_internal.h"
#include "failure.h"
#include "libc.h"
#include "pretty.h"
#include "print.h"
#include "sections.h"
#include "source_map.h"
#include "order.h"

typedef struct Manifest {
    const Database* database;
    Pretty          w;
    Arena           arena;
    ARRAY(const char*) texts; /* of the list that is written next */
} Manifest;

/* Writes the collected texts, each once. */
static void texts_write(Manifest* m, const char* key) {
    if (m->texts.count) qsort(m->texts.at, m->texts.count, sizeof *m->texts.at, order_texts);
    pretty_array(&m->w, key);
    for (u32 i = 0; i < m->texts.count; i++) {
        if (i == 0 || strcmp(m->texts.at[i - 1], m->texts.at[i]) != 0)
            pretty_text(&m->w, NULL, m->texts.at[i]);
    }
    pretty_end(&m->w);
    m->texts.count = 0;
}

static void content_write(Manifest* m, const char* path, u64 bytes, Hash128 hash) {
    char text[40];
    snprintf(text, sizeof text, "%016llx%016llx", (unsigned long long)hash.high,
             (unsigned long long)hash.low);
    pretty_text(&m->w, "path", path);
    pretty_number(&m->w, "bytes", (f64)bytes);
    pretty_text(&m->w, "xxh3_128", text);
}

static const char* resource_text(Manifest* m, u32 name, u32 type) {
    return arena_print(&m->arena, "%s.%s", database_text(m->database, name),
                       ent_resource_suffix(type));
}

static void product_write(Manifest* m, const DatabaseProduct* p) {
    const Database* db = m->database;
    const char*     path = resource_text(m, p->name, p->type);
    pretty_object(&m->w, NULL);
    content_write(m, path, p->stamp.size, p->hash);
    for (u32 i = p->first_read; i < p->first_read + p->read_count; i++) {
        *array_push(&m->texts) = database_text(db, db->files[db->reads[i].file].path);
    }
    texts_write(m, "inputs");
    for (u32 i = p->first_need; i < p->first_need + p->need_count; i++) {
        const DatabaseNeed* need = &db->needs[i];
        if (need->type == RESOURCE_NONE || need->type >= RESOURCE_COUNT) continue;
        *array_push(&m->texts) = resource_text(m, need->name, need->type);
    }
    texts_write(m, "needs");
    pretty_end(&m->w);
    if (p->map == NONE) return;
    const DatabaseMap* map = &db->maps[p->map];
    pretty_object(&m->w, NULL);
    content_write(m, arena_print(&m->arena, "%s" SOURCE_MAP_SUFFIX, path), map->stamp.size,
                  map->hash);
    pretty_text(&m->w, "source_map_of", path);
    pretty_end(&m->w);
}

/* Files of other variants are in the build database too, but are not read. */
static void inputs_write(Manifest* m) {
    const Database* db = m->database;
    for (u32 i = 0; i < db->head->file_count; i++) {
        if (database_is_read(&db->files[i]))
            *array_push(&m->texts) = database_text(db, db->files[i].path);
    }
    if (m->texts.count) qsort(m->texts.at, m->texts.count, sizeof *m->texts.at, order_texts);
    pretty_array(&m->w, "inputs");
    for (u32 i = 0; i < m->texts.count; i++) {
        const DatabaseFile* file = &db->files[database_file(db, m->texts.at[i])];
        pretty_object(&m->w, NULL);
        content_write(m, m->texts.at[i], file->stamp.size, file->built);
        pretty_end(&m->w);
    }
    pretty_end(&m->w);
    m->texts.count = 0;
}

static void manifest_print(Manifest* m) {
    pretty_object(&m->w, NULL);
    pretty_bool(&m->w, "complete", !m->database->head->invalid);
    pretty_array(&m->w, "outputs");
    for (u32 i = 0; i < m->database->head->product_count; i++) {
        const DatabaseProduct* product = &m->database->products[i];
        if (!(product->flags & DATABASE_FAILED)) product_write(m, product);
    }
    pretty_end(&m->w);
    inputs_write(m);
    pretty_end(&m->w);
}

int manifest_write(const char* path, const char* out) {
    Database         database;
    Print            print;
    Manifest         m = {.database = &database};
    const ent_status status = database_open(&database, out, DATABASE_ALL);
    if (status != ENT_OK) return io_failure("cannot read the build database in", out);
    if (!database.head) {
        errno = errno_of(SYSTEM_ABSENT);
        return io_failure("cannot read the build database in", out);
    }
    m.w.out = print_begin(&print);
    manifest_print(&m);
    database_close(&database);
    array_drop(&m.texts);
    arena_drop(&m.arena);
    return print_put(&print, path, NULL);
}
