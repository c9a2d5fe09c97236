/* move_references.c - `entc mv --references`: rewrites the references to resources that another program has renamed already,
 * such as an object in the file of a model.
 *
 * The folder has errors then, because the references lead nowhere: what is compiled is tolerated as long as each source can be
 * read, because a reference is recorded before it is resolved. */
#include "diag_print.h"
#include "link_places.h"
#include "move_internal.h"
#include "move.h"

typedef struct Repointing {
    const BuildOptions* options;
    Links               links;
    Edits               edits;
    Steps               steps;
    Text         from, to; /* names without a type; of resources below both if there is no type */
    ResourceType type;     /* RESOURCE_NONE: of all types */
    u32          kept;     /* references that no text of a source contains */
} Repointing;

static int refuse(const char* text) { return move_refuse(EXIT_USAGE, text); }

static bool is_typed(const char* text, Text* name, ResourceType* type) {
    const char* dot = strrchr(text, '.');
    *name = text_of(text);
    *type = RESOURCE_NONE;
    if (dot && !strchr(dot, '/') && resource_is_named(*name, name, type)) return true;
    *name = text_of(text); /* with what is no type */
    *type = RESOURCE_NONE;
    return false;
}

static int names_parse(Repointing* r, const char* from, const char* to) {
    ResourceType to_type;
    const bool   has_type = is_typed(from, &r->from, &r->type);
    const bool   to_has_type = is_typed(to, &r->to, &to_type);
    char         text[512];
    if (has_type != to_has_type || r->type != to_type)
        return refuse("--references: OLD and NEW must be of the same type, such as "
                      "\"models/kit/crate.entity\" "
                      "and \"models/kit/box.entity\", or both be written without a type, such as "
                      "\"models/kit\" and \"models/props\"");
    if (text_equal(r->from, r->to)) return refuse("--references: OLD and NEW are the same name");
    const bool is_from = resource_name_is_canonical(r->from);
    if (is_from && resource_name_is_canonical(r->to)) return EXIT_OK;
    snprintf(text, sizeof text, "--references: \"%.400s\" is no name of a resource",
             is_from ? to : from);
    return refuse(text);
}

/* The new name of what a place refers to; NULL: it stays. */
static const char* name_after(Repointing* r, const LinkPlace* place) {
    const Text name = text_of(place->name);
    if (r->type != RESOURCE_NONE && r->type != place->type) return NULL;
    if (name.bytes < r->from.bytes || memcmp(name.at, r->from.at, r->from.bytes) != 0) return NULL;
    const char* rest = name.at + r->from.bytes;
    if (*rest && (r->type != RESOURCE_NONE || *rest != '/')) return NULL;
    return arena_print(&r->links.arena, "%.*s%s", (int)r->to.bytes, r->to.at, rest);
}

/* Is there a resource of this name? Reports when not. */
static int name_check(Repointing* r, const char* name, ResourceType type) {
    Assets* const assets = &r->links.projects.at[0]->assets;
    if (links_find(&r->links, text_of(name), type) || assets_have(assets, text_of(name), type))
        return EXIT_OK;
    const char* near = assets_nearest(assets, text_of(name), type);
    return move_refuse(
        EXIT_INVALID,
        arena_print(&r->links.arena, "--references: there is no \"%s.%s\" in \"%s\"%s%s%s%s%s",
                    name, ent_resource_suffix(type), r->links.root, ASSETS_NEAREST(near, type)));
}

/* Custom properties and what plugins generate can only be changed where they come from. */
static void kept_report(Repointing* r, const LinkPlace* place, const char* name) {
    fprintf(
        stderr, "entc: warning: mv: %s of \"%s/%s\" refers to \"%s.%s\"; change it to \"%s\" %s\n",
        place->kind == LINK_PROPERTY ? "a custom property" : "what a plugin generates",
        r->links.root, place->file->path, place->name, ent_resource_suffix(place->type), name,
        place->kind == LINK_PROPERTY ? "in the program that exports the file" : "in its content");
    r->kept++;
}

static int place_repoint(Repointing* r, const LinkPlace* place) {
    const char* name = name_after(r, place);
    if (!name || place->kind == LINK_MODEL || place->kind == LINK_PATTERN) return EXIT_OK;
    const int code = name_check(r, name, place->type);
    if (code != EXIT_OK) return code;
    if (place->kind >= LINK_COMPOSED) return kept_report(r, place, name), EXIT_OK;
    const char* key = strrchr(name, '/');
    const char* text =
        place->kind == LINK_ROOT
            ? arena_print(&r->links.arena, "\"%s.%s\"", name, ent_resource_suffix(place->type))
            : arena_print(&r->links.arena, "\"%s\"",
                          place->kind == LINK_COMPONENT && key ? key + 1 : name);
    edit_add(&r->edits, place->file, place->offset, place->bytes, text);
    return EXIT_OK;
}

static int repoint_do(Repointing* r) {
    Edits* const e = &r->edits;
    char         report[96];
    int          code = EXIT_OK;
    for (u32 i = 0; i < r->links.places.count && code == EXIT_OK; i++)
        code = place_repoint(r, &r->links.places.at[i]);
    if (code != EXIT_OK) return code;
    const char *dot = r->type ? "." : "", *type = r->type ? ent_resource_suffix(r->type) : "";
    if (e->list.count == 0) {
        if (!r->options->messages.quiet && r->kept == 0)
            fprintf(stderr, "entc: nothing was changed: nothing refers to \"%.*s%s%s\"\n",
                    (int)r->from.bytes, r->from.at, dot, type);
        return EXIT_OK;
    }
    r->steps.text = arena_print(&r->links.arena, "references to \"%.*s%s%s\" refer to \"%.*s%s%s\"",
                                (int)r->from.bytes, r->from.at, dot, type, (int)r->to.bytes,
                                r->to.at, dot, type);
    edits_collect_files(e, &r->steps);
    if (e->code != EXIT_OK) return e->code;
    snprintf(report, sizeof report, "%u reference%s in %u file%s rewritten", e->list.count,
             e->list.count == 1 ? "" : "s", e->files.count, e->files.count == 1 ? "" : "s");
    return edits_do(e, &r->steps, r->options, report);
}

int move_references_run(const BuildOptions* options, const char* from, const char* to) {
    Repointing r = {.options = options, .links = {.is_tolerant = true}};
    r.edits = (Edits){.links = &r.links, .command = "mv"};
    int code = names_parse(&r, from, to);
    if (code == EXIT_OK) code = links_open(&r.links, options, true, move_journal_use(options));
    if (code == EXIT_OK) code = repoint_do(&r);
    edits_drop(&r.edits);
    steps_drop(&r.steps);
    links_close(&r.links);
    return code;
}
