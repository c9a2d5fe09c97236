/* move_entity.c - `entc mv SRC RESOURCE:PATH NAME`: renames an entity of a resource, in overrides and
 * references too.
 *
 * Which texts contain its name is determined by compiling. With stored references, only the resource
 * and those that refer to it, through any number of others, are compiled. */
#include <stdlib.h>

#include "exit_codes.h"
#include "link_change.h"
#include "link_update.h"
#include "move.h"

static int text_order(const void* a, const void* b) {
    const LinkText *x = a, *y = b;
    const int       path = x->file == y->file ? 0 : strcmp(x->file->path, y->file->path);
    return path ? path : x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* A text of a model is found once for each resource of the model. */
static void texts_edit(Edits* e) {
    Links* const l = e->links;
    if (l->renames.count) qsort(l->renames.at, l->renames.count, sizeof(LinkText), text_order);
    for (u32 i = 0; i < l->renames.count; i++) {
        const LinkText* t = &l->renames.at[i];
        if (i && text_order(t, t - 1) == 0) continue;
        edit_add(e, t->file, t->offset, t->bytes, t->text);
    }
}

static int refuse(const char* form, const char* first, const char* second) {
    fputs("entc: error: mv: ", stderr);
    fprintf(stderr, form, first, second);
    fputc('\n', stderr);
    return EXIT_USAGE;
}

/* Separates "props/lamp.entity:bulb/filament". `text` is the memory for the parts. */
static int rename_parse(LinkRename* r, char* text, const char* name) {
    char* const  colon = strchr(text, ':');
    const char*  fault = entity_name_fault(text_of(name));
    Text         resource;
    ResourceType type;
    *colon = 0;
    if (!resource_parse(text, &resource, &type)) return EXIT_USAGE;
    if (type != RESOURCE_ENTITY && type != RESOURCE_LEVEL)
        return refuse("\"%s\" has no entities; only entities and levels have%s", text, "");
    if (fault) return refuse("the name \"%s\" %s", name, fault);
    const char* last = strrchr(colon + 1, '/');
    if (strcmp(last ? last + 1 : colon + 1, name) == 0)
        return refuse("\"%s\" is already its name%s", name, "");
    text[resource.bytes] = 0;
    *r = (LinkRename){.resource = text, .path = colon + 1, .name = name, .type = type};
    return EXIT_OK;
}

/* --- stored references --- */

static bool resource_suffices(const Links* links, const void* user) {
    const LinkRename* r = user;
    return links_find(links, text_of(r->resource), r->type) != NULL;
}

/* Reaches the files of the resource, and all that refer to them. */
static void dependents_reach(Links* l, const LinkRename* r) {
    const LinkProduct* end = l->products.at + l->products.count;
    for (LinkProduct* p = links_find(l, text_of(r->resource), r->type);
         p < end && p->type == r->type && strcmp(p->name, r->resource) == 0; p++)
        p->file->reached = true;
    links_reach_dependents(l);
}

/* Gives the texts of the sources that were compiled to the stored references. Returns false when a
 * position that was stored is not in them. */
static bool texts_share(Links* stored, const Links* compiled) {
    bool fit = true;
    for (u32 i = 0; i < compiled->files.count && fit; i++) {
        const LinkFile* file = compiled->files.at[i];
        if (!job_once_done(&file->asset->load)) continue;
        const LinkFile* known = links_file(stored, file->path);
        known->asset->source = source_file_text(&file->asset->source);
        fit = form_is_bytes(file->asset->form) || links_fit(stored, known, compiled->diag);
    }
    return fit;
}

static const char* path_same(void* user, const char* path) {
    UNUSED(user);
    return path;
}

static const char* name_same(void* user, const LinkProduct* product) {
    UNUSED(user);
    return product->name;
}

static const char* target_same(void* user, const LinkTarget* target) {
    UNUSED(user);
    return target->path;
}

typedef struct Renaming {
    const BuildOptions* options;
    LinkRename*         rename;
    const char*         written;
    LinkStore           store;
    Links               known;    /* stored references, or all that were compiled */
    Links               selected; /* that were compiled, when references were stored */
    Edits               edits;
    Steps               steps;
    bool is_stale; /* a source is not the one from which stored references were read */
} Renaming;

/* The edits are in the order of their files, which the stored references contain too. */
static int references_store(Renaming* r) {
    const LinksChange change = {.edits = &r->edits,
                                .steps = &r->steps,
                                .path_after = path_same,
                                .name_after = name_same,
                                .target_after = target_same};
    if (!r->store.out || r->options->mode == BUILD_DRY_RUN) return EXIT_OK;
    for (u32 i = 0; i < r->edits.list.count && r->known.stored; i++) {
        TextEdit* edit = &r->edits.list.at[i];
        edit->file = links_file(&r->known, edit->file->path);
    }
    return links_change(&r->known, &r->store, &change) ? links_store(&r->known, &r->store)
                                                       : EXIT_OK;
}

static int renaming_open(Renaming* r) {
    const JournalUse use = move_journal_use(r->options);
    r->known.rename = r->selected.rename = r->rename;
    r->edits = (Edits){.links = &r->known, .command = "mv"};
    int code =
        links_open_stored(&r->known, &r->store, r->options, use, resource_suffices, r->rename);
    if (code != EXIT_OK || !r->known.stored) return code;
    dependents_reach(&r->known, r->rename);
    r->selected.selection = &r->known;
    r->edits.links = &r->selected;
    code = links_open(&r->selected, r->options, true, use);
    r->is_stale = code == EXIT_OK && (!links_agree(&r->known, &r->selected, true) ||
                                      !texts_share(&r->known, &r->selected));
    return code;
}

static int rename_do(Renaming* r) {
    Edits* const e = &r->edits;
    int          code;
    if (!links_named(e->links,
                     arena_print(&e->links->arena, "%s.%s", r->rename->resource,
                                 ent_resource_suffix(r->rename->type)),
                     &code))
        return code;
    r->steps.text =
        arena_print(&e->links->arena, "renamed \"%s\" to \"%s\"", r->written, r->rename->name);
    texts_edit(e);
    edits_collect_files(e, &r->steps);
    if (e->code != EXIT_OK) return e->code;
    char report[64];
    snprintf(report, sizeof report, "%u place%s in %u file%s changed", e->list.count,
             e->list.count == 1 ? "" : "s", e->files.count, e->files.count == 1 ? "" : "s");
    return edits_do(e, &r->steps, r->options, report);
}

static int renaming_try(Renaming* r) {
    int code = renaming_open(r);
    if (code == EXIT_OK && !r->is_stale) code = rename_do(r);
    if (code == EXIT_OK && !r->is_stale) code = references_store(r);
    edits_drop(&r->edits);
    steps_drop(&r->steps);
    links_close(&r->selected);
    links_close(&r->known);
    link_store_close(&r->store);
    return code;
}

int move_entity_run(const BuildOptions* options, const char* from, const char* name) {
    char* const text = memory_alloc(strlen(from) + 1);
    LinkRename  rename = {0};
    strcpy(text, from);
    int code = rename_parse(&rename, text, name);
    if (code == EXIT_OK) {
        Renaming r = {.options = options, .rename = &rename, .written = from};
        code = renaming_try(&r);
        if (r.is_stale) {
            rename.found = 0;
            r = (Renaming){.options = options, .rename = &rename, .written = from};
            r.store.is_distrusted = true;
            code = renaming_try(&r);
        }
    }
    memory_free(text);
    return code;
}
