/* move_entity.c - `entc mv SRC RESOURCE:PATH NAME`: renames an entity of a resource, in overrides and
 * references too. */
#include <stdlib.h>

#include "edits.h"
#include "exit_codes.h"
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

static int rename_do(Edits* e, const BuildOptions* options, const LinkRename* r,
                     const char* written) {
    int   code = EXIT_OK;
    Steps steps = {.text =
                       arena_print(&e->links->arena, "renamed \"%s\" to \"%s\"", written, r->name)};
    if (!links_named(
            e->links,
            arena_print(&e->links->arena, "%s.%s", r->resource, ent_resource_suffix(r->type)),
            &code))
        return code;
    texts_edit(e);
    edits_collect_files(e, &steps);
    if (e->code == EXIT_OK) {
        char report[64];
        snprintf(report, sizeof report, "%u place%s in %u file%s changed", e->list.count,
                 e->list.count == 1 ? "" : "s", e->files.count, e->files.count == 1 ? "" : "s");
        e->code = edits_do(e, &steps, options, report);
    }
    steps_drop(&steps);
    return e->code;
}

int move_entity_run(const BuildOptions* options, const char* from, const char* name) {
    char* const text = memory_alloc(strlen(from) + 1);
    LinkRename  rename = {0};
    Links       links = {.rename = &rename};
    Edits       edits = {.links = &links, .command = "mv"};
    strcpy(text, from);
    int code = rename_parse(&rename, text, name);
    if (code == EXIT_OK) {
        code = links_open(&links, options, true, move_journal_use(options));
        if (code == EXIT_OK) code = rename_do(&edits, options, &rename, from);
        edits_drop(&edits);
        links_close(&links);
    }
    memory_free(text);
    return code;
}
