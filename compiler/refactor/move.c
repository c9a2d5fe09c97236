/* move.c - `entc mv`: determines the effect of a new name on every file of a folder.
 *
 * All changes are determined in memory, from the references that the compiler read, or that it read
 * before and that were stored: which files get another path, and which bytes of which files change.
 * Then move_journal.c applies them. */
#include "move.h"

#include <errno.h>
#include <stdlib.h>

#include "declare.h"
#include "diag.h"
#include "diag_print.h"
#include "link_paths.h"
#include "link_change.h"
#include "move_internal.h"
#include "path_pattern.h"

/* --- the arguments --- */

static bool is_resource(const char* text) {
    const char* dot = strrchr(text, '.');
    return dot && !strchr(dot, '/');
}

static Text without_slash(const char* text) {
    Text t = text_of(text);
    while (t.bytes > 1 && t.at[t.bytes - 1] == '/') t.bytes--;
    return t;
}

static int canonical_check(Move* m, Text name) {
    char fixed[256];
    if (resource_name_is_canonical(name)) return EXIT_OK;
    name_fix(name, fixed);
    if (name.bytes > 255) return REFUSE(EXIT_USAGE, "a name must not be longer than 255 bytes");
    return REFUSE(EXIT_USAGE,
                  "\"%.*s\" must be a path from the asset folder that contains only a-z, 0-9, '_', "
                  "'-' and '/'%s%s%s",
                  (int)name.bytes, name.at, *fixed ? "; write \"" : "", fixed, *fixed ? "\"" : "");
}

/* Nothing has that path: reports a suggestion. */
static int folder_missing(Move* m) {
    for (u32 i = 0; i < m->links.products.count; i++) {
        const LinkProduct* p = &m->links.products.at[i];
        if (!text_equal(text_of(p->name), m->from)) continue;
        const char* type = ent_resource_suffix(p->type);
        return REFUSE(EXIT_USAGE,
                      "\"%s\" is not a folder; to rename the resource, write \"%s.%s\" and a new "
                      "name with \".%s\"",
                      m->from.at, m->from.at, type, type);
    }
    return REFUSE(EXIT_IO, "there is no folder \"%s\" in \"%s\"", m->from.at, m->links.root);
}

/* Does the file system, because it ignores case, find the folder by its new name? Then this adds the steps that rename
 * it, and the folders above it whose case differs. */
static int folder_is_itself(Move* m) {
    const StepMove path = {arena_print(m->arena, "%s/", m->folder.at),
                           arena_print(m->arena, "%s/", m->to.at)};
    FolderRoot     root;
    RootSpelling   spelling = SPELLING_OTHER;
    if (root_open(&root, m->links.root) != ENT_OK)
        return io_failure("cannot read the asset folder", m->links.root);
    ent_status status = root_spelling(&root, m->folder.at, m->to.at, &spelling);
    m->is_itself = spelling == SPELLING_FIRST || spelling == SPELLING_SAME;
    if (status == ENT_OK && m->is_itself) status = move_folders_add(m, &root, &path, "");
    root_close(&root);
    return status == ENT_OK ? EXIT_OK : io_failure("cannot access", m->folder.at);
}

static int folder_parse(Move* m, const char* from, const char* to) {
    const char* second;
    char        fixed[256];
    m->kind = MOVE_FOLDER;
    m->folder = move_folder_find(m, without_slash(from), &second);
    if (second)
        return REFUSE(EXIT_INVALID,
                      "two folders have the name \"%s\", \"%.*s\" and \"%s\"; write one of them",
                      from, (int)m->folder.bytes, m->folder.at, second);
    m->folder = text_of(arena_text(m->arena, m->folder));
    name_fix(m->folder, fixed);
    m->from = text_of(arena_text(m->arena, text_of(fixed)));
    m->to = text_of(arena_text(m->arena, without_slash(to)));
    int code = canonical_check(m, m->to);
    if (code != EXIT_OK) return code;
    if (!path_is_below(m->folder)) return folder_missing(m);
    const char* last = strrchr(m->folder.at, '/');
    if (suffix_of(text_of(last ? last + 1 : m->folder.at)).kind == SUFFIX_VALID)
        return REFUSE(EXIT_INVALID, "the folder \"%s\" is named like a source; rename it manually",
                      m->folder.at);
    const char* path = arena_print(m->arena, "%s/%s", m->links.root, m->folder.at);
    FileKind    existing;
    if (file_look(path, false, &existing) != ENT_OK) return io_failure("cannot access", path);
    if (existing != FILE_FOLDER) return folder_missing(m);
    if (text_begins(to, m->folder) && (to[m->folder.bytes] == '/' || to[m->folder.bytes] == 0)) {
        return REFUSE(EXIT_USAGE, "cannot rename \"%s\" to \"%s\", which is %s", m->folder.at,
                      m->to.at, text_equal(m->folder, m->to) ? "its current name" : "in it");
    }
    path = arena_print(m->arena, "%s/%s", m->links.root, m->to.at);
    if (file_look(path, false, &existing) != ENT_OK) return io_failure("cannot access", path);
    if (existing == FILE_NONE) return EXIT_OK;
    code = folder_is_itself(m);
    if (code != EXIT_OK || m->is_itself) return code;
    const char* base = strrchr(m->folder.at, '/');
    return existing != FILE_FOLDER
               ? REFUSE(EXIT_INVALID, "\"%s\" already exists", path)
               : REFUSE(EXIT_INVALID,
                        "the folder \"%s\" already exists; to move into it, write \"%s/%s\"", path,
                        m->to.at, base ? base + 1 : m->folder.at);
}

static int resource_check(Move* m, const char* from, const char* to) {
    Text         name;
    ResourceType type;
    int          code;
    LinkProduct* product = links_named(&m->links, from, &code);
    if (!product) return code;
    const char* suffix = ent_resource_suffix(product->type);
    if (!product_is_of_file(product)) {
        return REFUSE(EXIT_INVALID,
                      "\"%s\" is part of the model \"%s/%s\"; rename \"%s.entity\", or rename it "
                      "in the program that exported the model",
                      from, m->links.root, product->file->path, product->file->asset->name);
    }
    const char* dot = strrchr(to, '.');
    if (!dot || strcmp(dot + 1, suffix) != 0) {
        const u32 bytes = dot ? (u32)(dot - to) : without_slash(to).bytes;
        return REFUSE(EXIT_USAGE, "the type of \"%s\" cannot be changed; write \"%.*s.%s\"", from,
                      (int)bytes, to, suffix);
    }
    resource_parse(to, &name, &type);
    m->from = text_of(product->name);
    m->to = text_of(arena_text(m->arena, name));
    m->type = type;
    if (text_equal(m->from, m->to)) return REFUSE(EXIT_USAGE, "\"%s\" is already its name", to);
    return canonical_check(m, m->to);
}

/* --- stored references --- */

/* Can an error that concerns the names be reported without reading the sources? */
static bool names_suffice(const Links* links, const void* user) {
    const char*  from = user;
    Text         name;
    ResourceType type;
    if (!from || !is_resource(from)) return true;
    return resource_is_named(text_of(from), &name, &type) && links_find(links, name, type);
}

/* Is the name of the resource to which a place refers changed? */
static bool place_changes(Move* m, const LinkPlace* place) {
    const LinkProduct* p = links_find(&m->links, text_of(place->name), place->type);
    return p && move_name_after(m, p) != p->name;
}

static bool target_changes(Move* m, const LinkTarget* target) {
    return move_changes_paths(m, target->file) && move_path_after(m, target->path) != target->path;
}

/* Saved references have no texts: reads the sources that change or move before anything is
 * reported. */
static void sources_load(Move* m) {
    Links* const l = &m->links;
    bool         valid = true;
    for (u32 i = 0; i < l->places.count && valid; i++) {
        if (place_changes(m, &l->places.at[i]))
            valid = links_load(l, (LinkFile*)l->places.at[i].file);
    }
    for (u32 i = 0; i < l->targets.count && valid; i++) {
        if (target_changes(m, &l->targets.at[i])) valid = links_load(l, l->targets.at[i].file);
    }
    for (u32 i = 0; i < l->files.count && valid; i++) {
        if (move_takes_file(m, l->files.at[i])) valid = links_load(l, l->files.at[i]);
    }
    m->is_stale = !valid;
}

/* --- conflicts --- */

typedef struct NewName {
    u64                id;
    const char*        name;
    const LinkProduct* product;
} NewName;

static int new_name_order(const void* a, const void* b) {
    const NewName *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return x->product < y->product ? -1 : x->product > y->product;
}

static int new_name_check(Move* m, const NewName* a, const NewName* b) {
    const LinkProduct *p = a->product, *q = b->product;
    if (p->type == q->type && strcmp(p->name, q->name) == 0) return EXIT_OK; /* variants */
    const bool         moves = move_takes_file(m, p->file);
    const LinkProduct* existing = moves ? q : p;
    const char*        type = ent_resource_suffix(existing->type);
    if (p->type == q->type && strcmp(a->name, b->name) == 0) {
        return REFUSE(EXIT_INVALID, "a%s %s \"%s\" already exists, from \"%s/%s\"",
                      *type == 'e' ? "n" : "", type, existing->name, m->links.root,
                      existing->file->path);
    }
    return REFUSE(EXIT_INVALID, "\"%s.%s\" has the same id as \"%s.%s\"; choose another name",
                  (moves ? a : b)->name, ent_resource_suffix((moves ? p : q)->type), existing->name,
                  type);
}

/* Two resources must not have the same name or id, independent of their files. */
static int names_check(Move* m) {
    const u32 count = m->links.products.count;
    NewName*  names = memory_alloc(sizeof(NewName) * ((size_t)count + 1));
    int       code = EXIT_OK;
    for (u32 i = 0; i < count && code == EXIT_OK; i++) {
        const LinkProduct* p = &m->links.products.at[i];
        const char*        name = move_name_after(m, p);
        names[i] = (NewName){hash_resource(text_of(name), ent_resource_suffix(p->type)), name, p};
        if (name != p->name) code = canonical_check(m, text_of(name));
    }
    if (code == EXIT_OK) qsort(names, count, sizeof *names, new_name_order);
    for (u32 i = 1; i < count && code == EXIT_OK; i++) {
        if (names[i - 1].id == names[i].id) code = new_name_check(m, &names[i - 1], &names[i]);
    }
    memory_free(names);
    return code;
}

/* A pattern of the settings must select a file after the move if it does so before. */
static int patterns_check(Move* m) {
    const Project* project = m->links.projects.at[0];
    for (u32 i = 0; i < m->paths.count; i++) {
        const StepMove* path = &m->paths.at[i];
        const bool      before = settings_suffix(&project->settings, path->from).form == ASSET_FILE;
        const bool      after = settings_suffix(&project->settings, path->to).form == ASSET_FILE;
        if (before == after || assets_have_data(&project->assets, path->from)) continue;
        return REFUSE(EXIT_INVALID,
                      before ? "no pattern of \"data\" in \"%s\" selects \"%s\", so that \"%s\" "
                               "would not be of the type data any more; add a pattern first"
                             : "a pattern of \"data\" in \"%s\" selects \"%s\", so that \"%s\" "
                               "would become a resource of the type data; choose another name",
                      project->settings.source.path, path->to, path->from);
    }
    return EXIT_OK;
}

/* If a symbolic link moves, or its target does, the target would change. */
static int symbolic_check(Move* m) {
    const Project* project = m->links.projects.at[0];
    const size_t   root = strlen(project->assets.root_real) + 1;
    char           real[4096];
    for (u32 i = 0; i < project->tree.files.count; i++) {
        const TreeFile* file = &project->tree.files.at[i];
        const char*     path = tree_relative(file);
        if (!file->link) continue;
        const ent_status status = path_resolve(file->path, real, sizeof real);
        if (status != ENT_OK && status != ENT_NOT_FOUND)
            return io_failure("cannot access", file->path);
        const bool inside = status == ENT_OK && strlen(real) > root;
        if (move_path_after(m, path) == path &&
            (!inside || move_path_after(m, real + root) == real + root))
            continue;
        return REFUSE(EXIT_INVALID,
                      "the target of the symbolic link \"%s\" would change; replace the link with "
                      "its target file, or move it manually",
                      file->path);
    }
    return EXIT_OK;
}

static const char* last_of(const char* name) {
    const char* slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

/* A name that a plugin generates is not a text in a source that could be changed, and the custom
 * properties of a model belong to the program that exports it. */
static int composed_check(Move* m) {
    for (u32 i = 0; i < m->links.places.count; i++) {
        const LinkPlace*   place = &m->links.places.at[i];
        const LinkProduct* p = links_find(&m->links, text_of(place->name), place->type);
        if ((place->kind != LINK_COMPOSED && place->kind != LINK_PROPERTY) || !p ||
            move_name_after(m, p) == p->name)
            continue;
        if (place->kind == LINK_PROPERTY)
            return REFUSE(EXIT_INVALID,
                          "a custom property of \"%s\" refers to \"%s.%s\"; change it where the "
                          "model is exported, or write it in \"components\" of the extras",
                          place->file->asset->source.path, place->name,
                          ent_resource_suffix(place->type));
        return REFUSE(EXIT_INVALID,
                      "a plugin generates a reference to \"%s.%s\" from the content of \"%s\"; "
                      "change this content first, so that the reference is not generated",
                      place->name, ent_resource_suffix(place->type),
                      place->file->asset->source.path);
    }
    return EXIT_OK;
}

/* A component's key is the last part of its current name. */
static int key_check(Move* m) {
    const char*     key = m->kind == MOVE_RESOURCE ? last_of(m->to.at) : "";
    const Registry* registry = &m->links.projects.at[0]->registry;
    if (m->kind != MOVE_RESOURCE || m->type != RESOURCE_COMPONENT ||
        strcmp(last_of(m->from.at), key) == 0)
        return EXIT_OK;
    for (u32 i = 0; i < registry->count; i++) {
        const bool same = strcmp(registry->names[i], key) == 0;
        if (!same && registry->types[i]->id != hash_name(text_of(key))) continue;
        return REFUSE(EXIT_INVALID, "%s a component \"%s\", from %s; choose another name",
                      same ? "there already is" : "its id would be that of", registry->names[i],
                      registry->compiler[i].from);
    }
    Diagnostics*       diag = diag_create();
    const LinkProduct* product = links_find(&m->links, m->from, m->type);
    const Source*      source = &product->file->asset->source;
    declaration_read(source, m->to.at, m->arena, diag);
    const bool succeeded = diag_error_count(diag) == 0;
    diag_print(diag, stderr, m->options->messages.format, m->options->messages.color);
    diag_destroy(diag);
    return succeeded ? EXIT_OK : EXIT_INVALID;
}

/* A pattern is not rewritten: whether the new name should match another one is not known. */
static void patterns_compare(Move* m) {
    for (u32 i = 0; i < m->links.places.count; i++) {
        const LinkPlace*   place = &m->links.places.at[i];
        const LinkProduct* p = links_find(&m->links, text_of(place->name), place->type);
        if (place->kind != LINK_PATTERN || !p || move_name_after(m, p) == p->name) continue;
        const char* type = ent_resource_suffix(place->type);
        const char* name = arena_print(m->arena, "%s.%s", move_name_after(m, p), type);
        const char* pattern =
            arena_text(m->arena, (Text){place->file->asset->source.text + place->offset + 1,
                                        place->bytes - 2});
        if (path_pattern_matches(pattern, name)) continue;
        fprintf(stderr,
                "entc: warning: mv: the pattern \"%s\" in \"%s\" does not match \"%s\", as it does "
                "\"%s.%s\"; change it if the package has to contain this resource\n",
                pattern, place->file->asset->source.path, name, place->name, type);
    }
}

/* --- rewritten references --- */

static void place_edit(Move* m, const LinkPlace* place) {
    const LinkProduct* p = links_find(&m->links, text_of(place->name), place->type);
    const char*        name = p ? move_name_after(m, p) : NULL;
    const char*        text = NULL;
    if (!name || strcmp(name, p->name) == 0 || place->kind >= LINK_COMPOSED) return;
    if (place->kind == LINK_COMPONENT) {
        if (strcmp(last_of(name), last_of(p->name)) == 0) return;
        text = arena_print(m->arena, "\"%s\"", last_of(name));
    } else if (place->kind == LINK_ROOT) {
        text = arena_print(m->arena, "\"%s.%s\"", name, ent_resource_suffix(place->type));
    } else {
        text = arena_print(m->arena, "\"%s\"", name);
    }
    edit_add(&m->edits, place->file, place->offset, place->bytes, text);
    m->places++;
}

/* Computes the new relative path in a file, because the file and the target may move; NULL when it
 * stays the same. */
static const char* relative_after(Move* m, const LinkFile* file, const LinkPath* link) {
    const char* root = m->links.projects.at[0]->assets.root_real;
    const char* path = arena_print(m->arena, "%s/%s", root, file->path);
    const char* target = link_path_target(&m->links, file, link);
    const char* new_target = target;
    const Text  inside = text_of(arena_print(m->arena, "%s/", root));
    if (text_begins(target, inside)) {
        new_target = move_path_after(m, target + inside.bytes);
        new_target = arena_print(m->arena, "%s%s", inside.at, new_target);
    }
    const char* new_path = arena_print(m->arena, "%s%s", inside.at, move_path_after(m, file->path));
    const char* before = path_between(m->arena, path, target);
    const char* after = path_between(m->arena, new_path, new_target);
    return strcmp(before, after) == 0 ? NULL : after;
}

/* The path of a buffer or an image. */
static void path_edit(void* user, LinkFile* file, const LinkPath* path) {
    Move*       m = user;
    const char* after = relative_after(m, file, path);
    if (!after) return;
    const char* text = path->uri
                           ? arena_print(m->arena, "\"%s\"", uri_encode(m->arena, after, path->uri))
                           : json_quoted(m->arena, after);
    edit_add(&m->edits, file, path->offset, path->bytes, text);
}

/* "$schema": "../../.entc/schema/level.schema.json" must still refer to that file. */
static void schema_edit(Move* m, const LinkFile* file) {
    Json       json = json_open(&file->asset->source, 0, m->links.projects.at[0]->diag);
    JsonString key, value;
    JsonKind   kind = JSON_NULL;
    if (!json_kind(&json, &kind) || kind != JSON_OBJECT || !json_enter(&json, kind)) return;
    while (json_key(&json, &key)) {
        const u32 offset = json_offset(&json);
        if (!json_equals(key, "$schema") || !json_kind(&json, &kind) || kind != JSON_STRING) {
            json_skip(&json);
            continue;
        }
        json_string(&json, &value);
        const char* relative = json_decode(value, m->arena);
        const char* path = arena_print(m->arena, "%s/%s", m->links.root, file->path);
        if (uri_has_scheme(relative) || *relative == '/' || *relative == '#' || !*relative) return;
        path =
            arena_print(m->arena, "%.*s%s", (int)(strrchr(path, '/') + 1 - path), path, relative);
        FileKind existing;
        if (file_look(path, true, &existing) != ENT_OK) m->code = io_failure("cannot access", path);
        if (m->code != EXIT_OK || existing != FILE_REGULAR) return;
        const LinkPath link = {.relative = relative};
        const char*    after = relative_after(m, file, &link);
        if (after)
            edit_add(&m->edits, file, offset, value.raw.bytes + 2, json_quoted(m->arena, after));
        return;
    }
}

static void edits_collect(Move* m) {
    for (u32 i = 0; i < m->links.places.count; i++) place_edit(m, &m->links.places.at[i]);
    for (u32 i = 0; i < m->links.files.count; i++) {
        LinkFile* file = m->links.files.at[i];
        if (form_is_bytes(file->asset->form) || !links_are_loaded(&m->links, file)) continue;
        if (file->asset->form == ASSET_JSON && move_takes_file(m, file)) schema_edit(m, file);
        if (move_changes_paths(m, file)) link_paths_visit(&m->links, file, path_edit, m);
    }
}

static int file_move_order(const void* a, const void* b) {
    return strcmp(((const FileMove*)a)->from, ((const FileMove*)b)->from);
}

/* The files of edits, and those that only move. */
static void files_collect(Move* m) {
    Edits* const e = &m->edits;
    edits_collect_files(e, &m->steps);
    const u32 edited = e->files.count;
    for (u32 i = 0; i < edited; i++) e->files.at[i].to = move_path_after(m, e->files.at[i].from);
    for (u32 i = 0; i < m->paths.count; i++) {
        const StepMove* path = &m->paths.at[i];
        bool            known = false;
        for (u32 k = 0; k < edited && !known; k++)
            known = strcmp(e->files.at[k].from, path->from) == 0;
        if (!known) *array_push(&e->files) = (FileMove){.from = path->from, .to = path->to};
    }
    if (e->files.count) qsort(e->files.at, e->files.count, sizeof(FileMove), file_move_order);
}

/* --- what the change is for the references that are stored --- */

static const char* path_changed(void* user, const char* path) {
    return move_path_after(user, path);
}

static const char* name_changed(void* user, const LinkProduct* product) {
    return move_name_after(user, product);
}

static const char* target_changed(void* user, const LinkTarget* target) {
    return target_changes(user, target) ? move_path_after(user, target->path) : target->path;
}

/* --- the complete move --- */

static void steps_collect(Move* m) {
    const char* type = m->kind == MOVE_FOLDER ? "" : ent_resource_suffix(m->type);
    const char* dot = m->kind == MOVE_FOLDER ? "" : ".";
    if (m->kind == MOVE_CANONICAL)
        m->steps.text =
            m->paths.count == 1
                ? arena_print(m->arena, "gave \"%s\" its canonical name, \"%s\"", m->paths.at->from,
                              m->paths.at->to)
                : arena_print(m->arena, "gave %u files their canonical names", m->paths.count);
    else
        m->steps.text = arena_print(m->arena, "renamed \"%s%s%s\" to \"%s%s%s\"",
                                    m->kind == MOVE_FOLDER ? m->folder.at : m->from.at, dot, type,
                                    m->to.at, dot, type);
    if (m->kind == MOVE_FOLDER && !m->is_itself)
        *array_push(&m->steps.moves) = (StepMove){m->folder.at, m->to.at};
}

static int move_do(Move* m) {
    if (m->kind == MOVE_CANONICAL && m->paths.count == 0) {
        if (!m->options->messages.quiet)
            fputs("entc: nothing was changed: all files have canonical names\n", stderr);
        return EXIT_OK;
    }
    const u32 edited = m->steps.edits.count;
    char      report[64];
    snprintf(report, sizeof report, "%u reference%s rewritten, %u file%s changed", m->places,
             m->places == 1 ? "" : "s", edited, edited == 1 ? "" : "s");
    return edits_do(&m->edits, &m->steps, m->options, report);
}

static int move_plan(Move* m, const char* from, const char* to) {
    int code = EXIT_OK;
    m->kind = from ? MOVE_RESOURCE : MOVE_CANONICAL;
    if (from) code = is_resource(from) ? resource_check(m, from, to) : folder_parse(m, from, to);
    if (code != EXIT_OK) return code;
    move_paths_collect(m);
    if (m->links.stored) sources_load(m);
    if (m->is_stale) return EXIT_OK;
    if (code == EXIT_OK) code = symbolic_check(m);
    if (code == EXIT_OK) code = names_check(m);
    if (code == EXIT_OK) code = move_paths_steps(m);
    if (code == EXIT_OK) code = patterns_check(m);
    if (code == EXIT_OK) code = key_check(m);
    if (code == EXIT_OK) code = composed_check(m);
    if (code != EXIT_OK) return code;
    patterns_compare(m);
    edits_collect(m);
    files_collect(m);
    steps_collect(m);
    return m->code != EXIT_OK ? m->code : m->edits.code;
}

/* Stores the references as they are after the change, unless the folder has to be compiled to know
 * them. */
static int references_store(Move* m) {
    const LinksChange change = {.edits = &m->edits,
                                .steps = &m->steps,
                                .path_after = path_changed,
                                .name_after = name_changed,
                                .target_after = target_changed,
                                .user = m};
    const bool        has_other_key = m->kind == MOVE_RESOURCE && m->type == RESOURCE_COMPONENT &&
                               strcmp(last_of(m->from.at), last_of(m->to.at)) != 0;
    if (!m->store.out || m->options->mode == BUILD_DRY_RUN || has_other_key) return EXIT_OK;
    return links_change(&m->links, &m->store, &change) ? links_store(&m->links, &m->store)
                                                       : EXIT_OK;
}

/* Returns an exit code. With `is_distrusted`, or when it sets `is_stale`, stored references are not
 * used. */
static int move_try(const BuildOptions* options, const char* from, const char* to,
                    bool is_distrusted, bool* is_stale) {
    Move m = {.options = options, .store = {.is_distrusted = is_distrusted}};
    m.arena = &m.links.arena;
    m.edits = (Edits){.links = &m.links, .command = "mv"};
    m.links.needs_project = true;
    int code = links_open_stored(&m.links, &m.store, options, move_journal_use(options),
                                 names_suffice, from);
    if (code == EXIT_OK) code = move_plan(&m, from, to);
    *is_stale = m.is_stale;
    if (code == EXIT_OK && !m.is_stale) {
        code = move_do(&m);
        if (code == EXIT_OK) code = references_store(&m);
    }
    array_drop(&m.paths);
    array_drop(&m.besides);
    edits_drop(&m.edits);
    steps_drop(&m.steps);
    links_close(&m.links);
    link_store_close(&m.store);
    return code;
}

int move_run(const BuildOptions* options, const char* from, const char* to) {
    bool is_stale = false;
    int  code = move_try(options, from, to, false, &is_stale);
    if (is_stale) code = move_try(options, from, to, true, &is_stale);
    return code;
}
