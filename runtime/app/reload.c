/* reload.c - follows the builds of a folder or a bundle, and patches the world when the level has changed. */
#include "reload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "exit_codes.h"
#include "fields.h"
#include "clock.h"
#include "file.h"
#include "libc.h"
#include "temporary.h"
#include "folder_watch.h"
#include "hash.h"

#define LOOK_MS    100 /* between two looks at the index, when the kernel reports nothing */
#define PATH_BYTES 1024

/* --- printing --- */

/* Prints the reference with this id; the references are sorted by id. */
static void resource_print(const Blob* blob, ResourceRef id) {
    const BlobSection* s = ent_blob_section(blob, SECTION_REFERENCE);
    for (u32 i = 0; s && i < s->count; i++) {
        const ReferenceRecord* r = (const ReferenceRecord*)ent_blob_data(blob, s) + i;
        if (resource_id(r->id) != resource_id(id)) continue;
        printf("%s.%s", ent_blob_reference_name(blob, i), ent_resource_suffix(r->type));
        return;
    }
    if (resource_id(id) == 0)
        printf("none");
    else
        printf("0x%08x%08x", id.hi, id.lo);
}

static void path_print(const Blob* blob, u32 entity) {
    char path[PATH_BYTES];
    ent_blob_path(blob, entity, path, sizeof path);
    printf("%s", path);
}

/* The name with this id, of an entity or a group, if the blob contains it. */
static const char* name_find(const Blob* blob, u32 id) {
    const BlobSection* offsets = ent_blob_section(blob, SECTION_NAME_OFFSET);
    const BlobSection* names = ent_blob_section(blob, SECTION_NAME);
    const char*        text = names ? ent_blob_data(blob, names) : NULL;
    const u32*         offset = offsets ? ent_blob_data(blob, offsets) : NULL;
    for (u32 i = 0; text && offset && i < offsets->count; i++) {
        const char* name = text + offset[i];
        if (*name && hash_name(text_of(name)) == id) return name;
    }
    for (u32 i = 0; i < ent_blob_group_count(blob); i++) {
        if (ent_blob_group_id(blob, i) == id) return ent_blob_group_name(blob, i);
    }
    return NULL;
}

static void name_print(const Blob* blob, u32 id) {
    const char* name = id ? name_find(blob, id) : NULL;
    if (name && *name)
        printf("%s", name);
    else
        printf("0x%08x", id);
}

/* Prints the entity of the blob that has the id, and the id. */
static void persistent_print(const Blob* blob, u32 id) {
    const ComponentType* type = &ent_component_types()[COMPONENT_PERSISTENT_ID];
    const BlobSection*   s = ent_blob_component(blob, type->id);
    const u32*           owner = s ? ent_blob_data(blob, s) : NULL;
    const u32*           row = s ? (const void*)ent_blob_column(blob, s, type, 0) : NULL;
    u32                  at = 0;
    while (row && at < s->count && row[at] != id) at++;
    if (id == 0) {
        printf("none");
    } else if (row && at < s->count) {
        path_print(blob, owner[at]);
        printf(" (%u)", id);
    } else {
        printf("%u", id);
    }
}

static void element_print(const Blob* blob, const Field* f, const void* words) {
    char        text[FIELD_TEXT_BYTES];
    u32         word;
    ResourceRef id;
    memcpy(&word, words, sizeof word);
    if (f->kind == FIELD_EntityRef) {
        if (word == NONE)
            printf("none");
        else
            path_print(blob, word);
    } else if (f->kind == FIELD_ResourceRef) {
        memcpy(&id, words, sizeof id);
        resource_print(blob, id);
    } else if (f->kind == FIELD_NameRef) {
        name_print(blob, word);
    } else if (f->kind == FIELD_PersistentRef) {
        persistent_print(blob, word);
    } else if (f->kind == FIELD_TextRef) {
        printf("\"%s\"", ent_blob_text(blob, word));
    } else {
        field_value_text(f, words, false, text);
        printf("%s", text);
    }
}

static void value_print(const Blob* blob, const Field* f, const u8* words) {
    const Field element = field_element(f);
    for (u32 i = 0; i < field_elements(f); i++) {
        if (i) printf(", ");
        element_print(blob, &element, words + i * element.bytes);
    }
}

static void instance_print(const char* sign, const Blob* blob, u32 entity,
                           const ComponentType* type, u32 position) {
    printf("%s ", sign);
    path_print(blob, entity);
    printf(": %s", type->record.name);
    if (type->several == SEVERAL) printf("[%u]", position);
}

static void part_print(const Patch* p, const PatchPart* part) {
    for (u32 i = 0; i < part->removed_count; i++) {
        const PatchInstance* gone = &part->removed[i];
        instance_print("-", p->old_blob, gone->entity, part->type, gone->position);
        printf("\n");
    }
    for (u32 i = 0; i < part->added_count; i++) {
        const PatchInstance* more = &part->added[i];
        instance_print("+", p->new_blob, more->entity, part->type, more->position);
        printf("\n");
    }
    for (u32 i = 0; i < part->changed_count; i++) {
        const PatchChange* c = &part->changed[i];
        const Field*       f = &part->type->record.fields[c->field];
        instance_print("~", p->new_blob, c->entity, part->type, c->position);
        printf(".%s: ", f->name);
        if (part->converted)
            printf("converted");
        else
            value_print(p->old_blob, f,
                        ent_patch_words(p->old_blob, part->type, c->old_row, c->field));
        printf(" -> ");
        value_print(p->new_blob, f, ent_patch_words(p->new_blob, part->type, c->new_row, c->field));
        printf("\n");
    }
}

static void patch_print(const Patch* p) {
    for (u32 i = 0; i < p->removed_count; i++) {
        printf("- entity ");
        path_print(p->old_blob, p->removed[i]);
        printf("\n");
    }
    for (u32 i = 0; i < p->added_count; i++) {
        printf("+ entity ");
        path_print(p->new_blob, p->added[i]);
        printf("\n");
    }
    for (u32 i = 0; i < p->moved_count; i++) {
        printf("> entity ");
        path_print(p->old_blob, p->moved[i].old_index);
        printf(": is ");
        path_print(p->new_blob, p->moved[i].new_index);
        printf("\n");
    }
    for (u32 i = 0; i < p->part_count; i++) part_print(p, &p->part[i]);
}

static void counts_print(const Patch* p, const PatchResult* result, u64 ns) {
    u32 changed = 0;
    for (u32 i = 0; i < p->part_count; i++) {
        const PatchPart* part = &p->part[i];
        changed += part->added_count + part->removed_count + part->changed_count;
    }
    printf("reloaded: %u added, %u removed, %u re-parented, %u changed", p->added_count,
           p->removed_count, p->moved_count, changed);
    if (result->passed_over) printf(", %u passed over", result->passed_over);
    printf(", %.2f ms\n", (f64)ns / 1e6);
    if (p->unknown_count == 0) return;
    printf("%u component type%s of the level %s not registered in this world; restart to see %s\n",
           p->unknown_count, p->unknown_count == 1 ? "" : "s", p->unknown_count == 1 ? "is" : "are",
           p->unknown_count == 1 ? "it" : "them");
}

/* --- a reload --- */

typedef struct Problem {
    char reported[sizeof((Library*)0)->problem]; /* the last reported one; "" after a success */
    char text[sizeof((Library*)0)->problem];
} Problem;

static ent_status refused(Problem* problem, ent_status status, const char* text) {
    snprintf(problem->text, sizeof problem->text, "%s", text);
    return status;
}

/* Converts the instances of changed declarations, and registers the types that are new. The first that is refused is
 * the problem. */
static ent_status types_follow(const Reload* r, const LibraryChanges* changes, Problem* problem) {
    ent_status first = ENT_OK;
    char       text[512];
    for (u32 i = 0; i < changes->count; i++) {
        const LibraryChange* change = &changes->change[i];
        const Blob*          blob = &change->entry->resource.blob;
        if (blob->header->resource_type != RESOURCE_COMPONENT || change->kind == LIBRARY_REMOVED)
            continue;
        ent_status status = ent_world_redeclare(r->world, blob);
        if (status == ENT_NOT_FOUND) status = ent_world_declare(r->world, blob);
        if (status == ENT_OK || status == ENT_EXISTS) continue; /* the level states which type */
        snprintf(text, sizeof text, "the component \"%s\": %s", change->entry->name,
                 ent_status_text(status));
        if (first == ENT_OK) first = refused(problem, status, text);
    }
    return first;
}

/* Checks that no component type of the program or a plugin is now declared differently, and validates the blob. */
static ent_status types_validate(const Reload* r, const Blob* blob, Problem* problem) {
    char text[160];
    for (u32 i = 0; i < ent_world_manager_count(r->world); i++) {
        const ComponentType* type = &ent_world_manager_at(r->world, i)->desc.type;
        const BlobSection*   s = ent_blob_component(blob, type->id);
        BlobFault            fault;
        if (s && s->layout != type->layout) {
            snprintf(text, sizeof text,
                     "the fields of the component \"%s\" have changed; restart required",
                     type->record.name);
            return refused(problem, ENT_UNKNOWN_COMPONENT, text);
        }
        if (ent_blob_validate(blob, type, &fault) == ENT_OK) continue;
        snprintf(problem->text, sizeof problem->text, "%s at offset %u: %s", fault.field,
                 fault.offset, fault.reason);
        return fault.status;
    }
    return ENT_OK;
}

static ent_status world_follow(Reload* r, const Patch* p, u64 start) {
    PatchResult result;
    Entity*     entities = malloc(sizeof(Entity) * ((size_t)p->new_count + 1));
    ent_status  status = ENT_NO_MEMORY;
    if (entities) status = ent_world_patch(r->world, p, NULL, r->entities, entities, &result);
    if (status != ENT_OK) {
        free(entities);
        return status;
    }
    free(r->entities);
    r->entities = entities;
    if (r->verbose) patch_print(p);
    counts_print(p, &result, clock_ns() - start);
    return ENT_OK;
}

static ent_status blob_follow(Reload* r, const Blob* before, const Blob* blob, Problem* problem) {
    const u64 start = clock_ns();
    Patch*    patch;
    TRY(types_validate(r, blob, problem));
    ent_status status = ent_patch_create(&patch, r->world, before, blob, NULL);
    if (status != ENT_OK) return refused(problem, status, ent_status_text(status));
    if (r->strict && patch->unknown_count)
        status = ENT_UNKNOWN_COMPONENT;
    else
        status = world_follow(r, patch, start);
    ent_patch_destroy(patch);
    return status == ENT_OK ? status : refused(problem, status, ent_status_text(status));
}

/* The level of which the world consists, when the library has one that the world cannot follow. */
typedef struct Held {
    void*      bytes;  /* NULL: it is the one of the library, unless it */
    bool       lost;   /* could not be kept */
    ent_status status; /* of the last attempt */
    Blob       blob;
    bool       differs; /* the world or the library, from the last picture */
} Held;

static void held_drop(Held* held) {
    free(held->bytes);
    *held = (Held){.differs = held->differs};
}

static void held_copy(Held* held, const Blob* blob) {
    const BlobOptions options = {.skip_hash = 1};
    held->bytes = aligned_alloc(16, (size_t)align_up(blob->size, 16));
    if (held->bytes) memcpy(held->bytes, blob->bytes, blob->size);
    if (held->bytes &&
        ent_blob_open(&held->blob, held->bytes, blob->size, &options, NULL) != ENT_OK)
        held_drop(held);
}

/* `before`: the blob that the library has replaced. */
static ent_status level_patch(Reload* r, Held* held, const Blob* before, Problem* problem) {
    if (held->lost)
        return refused(problem, ENT_NO_MEMORY,
                       "there was no memory to keep the level of the world; restart required");
    held->status = blob_follow(r, held->bytes ? &held->blob : before, r->blob, problem);
    const ent_status status = held->status;
    if (status == ENT_OK) {
        held->differs = true;
        held_drop(held);
    } else if (!held->bytes) {
        held_copy(held, before);
        held->lost = !held->bytes;
    }
    return status;
}

static void change_print(const LibraryChange* change) {
    static const char* const signs[] = {"~", "+", "-"};
    const LibraryEntry*      entry = change->entry;
    printf("%s %s.%s", signs[change->kind], entry->name,
           ent_resource_suffix(entry->resource.blob.header->resource_type));
    if (change->referrer)
        printf(": %s.%s refers to it", change->referrer->name,
               ent_resource_suffix(change->referrer->resource.blob.header->resource_type));
    printf("\n");
}

/* Resources other than the level: how many there are, or each of them. */
static void resources_print(const Reload* r, const LibraryChanges* changes, u64 ns) {
    u32  count = 0;
    bool patches = false; /* then that is reported */
    for (u32 i = 0; i < changes->count; i++) {
        const LibraryChange* change = &changes->change[i];
        const bool           is_level = &change->entry->resource.blob == r->blob;
        if (!is_level && (r->verbose || change->kind == LIBRARY_REMOVED)) change_print(change);
        patches |= is_level && change->before;
        count += !is_level;
    }
    if (count == 0 || patches) return;
    printf("read: %u resource%s, %.2f ms\n", count, count == 1 ? "" : "s", (f64)ns / 1e6);
}

/* Takes what a build has changed, and patches the world when the level is among it. */
static ent_status level_follow(Reload* r, Held* held, Problem* problem) {
    LibraryChanges   changes;
    const u64        start = clock_ns();
    const ent_status followed = ent_library_follow(r->library, &changes);
    if (followed != ENT_OK) return refused(problem, followed, r->library->problem);
    resources_print(r, &changes, clock_ns() - start);
    held->differs |= changes.count > 0;
    /* A level with instances of a type that is refused is refused as well, and kept until it can be used. */
    const ent_status types = types_follow(r, &changes, problem);
    if (r->blob->header->resource_type == RESOURCE_MESH) return types;
    for (u32 i = 0; i < changes.count; i++) {
        const LibraryChange* change = &changes.change[i];
        if (&change->entry->resource.blob != r->blob || !change->before) continue;
        return level_patch(r, held, change->before, problem);
    }
    if (types != ENT_OK) return types;
    /* With another declaration, or with more memory, the same level may be usable. */
    if (held->bytes && (changes.count || held->status == ENT_NO_MEMORY))
        return level_patch(r, held, NULL, problem);
    return held->status;
}

/* The picture of the world as it is now, in which a level that cannot be used has changed nothing. */
static ent_status picture_renew(const Reload* r) {
    const u64        start = clock_ns();
    const char*      reason;
    const ent_status status = frames_draw_again(r->pictures, &reason);
    if (status == ENT_OK)
        printf("drawn: %s, %.2f ms\n", r->png, (f64)(clock_ns() - start) / 1e6);
    else
        printf("not drawn: %s\n", reason);
    return status == ENT_DEVICE_LOST ? status : ENT_OK;
}

/* A problem is reported only once, although the level is checked repeatedly. *code: why it ends; false: it goes on. */
static bool level_look(Reload* r, Held* held, Problem* problem, int* code) {
    const ent_status status = level_follow(r, held, problem);
    if (status != ENT_OK && strcmp(problem->text, problem->reported) != 0) {
        printf("not reloaded: %s\n", problem->text);
    }
    snprintf(problem->reported, sizeof problem->reported, "%s",
             status == ENT_OK ? "" : problem->text);
    *code = EXIT_OK;
    if (r->pictures && held->differs && picture_renew(r) != ENT_OK) *code = EXIT_DEVICE;
    held->differs = false;
    if (fflush(stdout) != 0) *code = EXIT_IO;
    return *code == EXIT_OK;
}

/* --- the watch loop --- */

/* The file that a build replaces last: the index of a folder, or the bundle. */
static ent_status watch_open(const Reload* r, FolderWatch** watch) {
    char        folder[PATH_BYTES];
    FileKind    kind;
    const char* slash = strrchr(r->folder, '/');
    TRY(file_look(r->folder, true, &kind));
    if (kind == FILE_FOLDER) return folder_watch_open_entry(watch, r->folder, OUTPUT_INDEX_FILE);
    if (!slash) return folder_watch_open_entry(watch, ".", r->folder);
    const int wrote = snprintf(folder, sizeof folder, "%.*s", (int)(slash - r->folder), r->folder);
    if ((size_t)wrote >= sizeof folder) return ENT_LIMIT;
    return folder_watch_open_entry(watch, wrote ? folder : "/", slash + 1);
}

/* Without a watch, as when the folder does not exist or the kernel's limit is reached, it waits for
 * the next look. */
static void change_wait(const Reload* r, FolderWatch** watch) {
    ent_status status = *watch ? ENT_OK : watch_open(r, watch);
    if (status == ENT_OK && *watch) status = folder_watch_wait_max(*watch, LOOK_MS);
    if (status == ENT_OK && *watch) return;
    folder_watch_close(*watch);
    *watch = NULL;
    clock_wait_ms(LOOK_MS);
}

int reload_watch(Reload* r) {
    static Problem problem;
    Held           held = {0};
    FolderWatch*   watch = NULL;
    file_clean_on_end();
    signals_exit_with(EXIT_OK);
    printf("watching %s/%s.%s\n", r->folder, r->level,
           ent_resource_suffix(r->blob->header->resource_type));
    /* The first look finds changes since the library was opened. */
    int code;
    while (level_look(r, &held, &problem, &code)) change_wait(r, &watch);
    folder_watch_close(watch);
    held_drop(&held);
    return code;
}
