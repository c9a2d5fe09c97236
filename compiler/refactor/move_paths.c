/* move_paths.c - which files a rename moves, and their new paths. */
#include <stdlib.h>

#include "link_paths.h"
#include "move_internal.h"
#include "order.h"
#include "utf8.h"

int move_refuse(int code, const char* text) {
    fprintf(stderr, "entc: error: mv: %s\n", text);
    return code;
}

static int step_move_order(const void* a, const void* b) {
    return strcmp(((const StepMove*)a)->from, ((const StepMove*)b)->from);
}

/* The new path of a file in the folder. */
const char* move_path_after(Move* m, const char* path) {
    if (m->kind == MOVE_FOLDER) {
        if (!text_begins(path, m->folder) || path[m->folder.bytes] != '/') return path;
        return arena_print(m->arena, "%s%s", m->to.at, path + m->folder.bytes);
    }
    const StepMove  wanted = {path, NULL};
    const StepMove* found = m->paths.count ? bsearch(&wanted, m->paths.at, m->paths.count,
                                                     sizeof wanted, step_move_order)
                                           : NULL;
    return found ? found->to : path;
}

bool move_takes_file(Move* m, const LinkFile* file) {
    return strcmp(move_path_after(m, file->path), file->path) != 0;
}

/* The new name of a resource: the name of its file, and the part that a model adds. */
const char* move_name_after(Move* m, const LinkProduct* p) {
    if (m->kind == MOVE_CANONICAL || !move_takes_file(m, p->file)) return p->name;
    return arena_print(m->arena, "%s%s", m->to.at, p->name + m->from.bytes);
}

/* Does a move change the relative paths of a file? Those of a model refer to images and buffers, which move with a
 * folder, and alone if they are textures or data too. */
bool move_changes_paths(Move* m, const LinkFile* file) {
    return file->asset->form == ASSET_JSON || m->kind != MOVE_RESOURCE ||
           m->type == RESOURCE_TEXTURE || m->type == RESOURCE_DATA || move_takes_file(m, file);
}

/* "Sign.fr.PNG", with another name: the tags stay, and the extension in lower case. */
static const char* path_with_name(Move* m, Text name, const TreeFile* file, const Suffix* suffix) {
    char* to = arena_print(m->arena, "%.*s%s", (int)name.bytes, name.at,
                           file->path + file->name + suffix->name_bytes);
    for (char* at = to + name.bytes; *at && form_has_any_name(suffix->form); at++)
        if (*at >= 'A' && *at <= 'Z') *at = (char)(*at - 'A' + 'a');
    return to;
}

static void beside_add(void* user, LinkFile* file, const LinkPath* path) {
    Move*       m = user;
    const char* target = link_path_target(&m->links, file, path);
    const Text  root = text_of(m->links.projects.at[0]->assets.root_real);
    if (text_begins(target, root) && target[root.bytes] == '/')
        *array_push(&m->besides) = target + root.bytes + 1;
}

/* The files to which models refer. */
static void besides_collect(Move* m) {
    Links* l = &m->links;
    for (u32 i = 0; i < l->targets.count && l->stored; i++)
        *array_push(&m->besides) = l->targets.at[i].path;
    for (u32 i = 0; i < l->files.count && !l->stored; i++)
        if (form_is_model(l->files.at[i]->asset->form))
            link_paths_visit(l, l->files.at[i], beside_add, m);
    if (m->besides.count)
        qsort(m->besides.at, m->besides.count, sizeof *m->besides.at, order_texts);
}

static bool is_beside(const Move* m, const char* path) {
    return m->besides.count &&
           bsearch(&path, m->besides.at, m->besides.count, sizeof *m->besides.at, order_texts);
}

/* A file that is no source, and to which no model refers, keeps its name, but stays beside the others. */
static const char* path_of_other(Move* m, const TreeFile* file) {
    char         room[PATH_ALIKE_BYTES];
    const char*  path = tree_relative(file);
    const u32    folder = file->name - file->relative;
    const Suffix suffix = suffix_of_data(text_of(path + folder));
    const Text   to = path_canonical(text_of(path), room);
    if (suffix.kind != SUFFIX_VALID || !text_is_printable(text_of(path)) || to.at == path ||
        strchr(path, '\\'))
        return path; /* the journal contains no such paths */
    if (is_beside(m, path)) return arena_text(m->arena, to);
    Text folder_to = to;
    while (folder_to.bytes > 0 && folder_to.at[folder_to.bytes - 1] != '/') folder_to.bytes--;
    return arena_print(m->arena, "%.*s%s", (int)folder_to.bytes, folder_to.at, path + folder);
}

static const char* path_fixed(Move* m, const TreeFile* file, const Suffix* suffix) {
    const char* reason;
    char        fixed[256];
    const char* path = tree_relative(file);
    if (file->kind != FILE_REGULAR || file->link) return path;
    if (suffix->kind != SUFFIX_VALID) return path_of_other(m, file);
    if (!form_has_any_name(suffix->form)) return path;
    const Text name = source_name(path, suffix, fixed, &reason);
    return reason ? path : path_with_name(m, name, file, suffix);
}

/* One of two images with one name belongs to a model, so that the resource is the other one. */
static bool is_of_model(const Move* m, Asset* asset) {
    return asset && asset->has_namesake &&
           assets_image_is_owned(&m->links.projects.at[0]->assets, asset);
}

/* The type that the suffix of the files says: of a model also if its settings make a level of it. */
static ResourceType type_written(const Move* m) {
    if (m->kind != MOVE_RESOURCE || m->type != RESOURCE_LEVEL) return m->type;
    const LinkProduct* p = links_find(&m->links, m->from, m->type);
    return p && form_is_model(p->file->asset->form) ? RESOURCE_ENTITY : m->type;
}

/* Variants of a resource move together, with all resources in them. */
void move_paths_collect(Move* m) {
    const Project* project = m->links.projects.at[0];
    const Tree*    tree = &project->tree;
    if (m->kind == MOVE_CANONICAL) besides_collect(m);
    const ResourceType written = type_written(m);
    for (u32 i = 0; i < tree->files.count; i++) {
        const TreeFile* file = &tree->files.at[i];
        const char*     path = tree_relative(file);
        const Suffix    suffix = assets_suffix(&project->assets, path);
        const char*     reason;
        const char*     to = path;
        char            fixed[256];
        if (m->kind == MOVE_FOLDER)
            to = move_path_after(m, path);
        else if (m->kind == MOVE_CANONICAL)
            to = path_fixed(m, file, &suffix);
        else if (suffix.kind == SUFFIX_VALID && suffix.type == written &&
                 text_equal(source_name(path, &suffix, fixed, &reason), m->from) &&
                 !is_of_model(m, project->assets.of_file[i]))
            to = path_with_name(m, m->to, file, &suffix);
        if (strcmp(to, path) != 0) *array_push(&m->paths) = (StepMove){path, to};
    }
    if (m->paths.count) qsort(m->paths.at, m->paths.count, sizeof *m->paths.at, step_move_order);
}

/* The path of a folder of the sources: as it is written, or the one of which it is the canonical spelling. */
Text move_folder_find(Move* m, Text from, const char** second) {
    const Tree* tree = &m->links.projects.at[0]->tree;
    char        fixed[256];
    Text        alike = {0};
    *second = NULL;
    for (u32 i = 0; i < tree->files.count; i++) {
        const char* path = tree_relative(&tree->files.at[i]);
        if (text_begins(path, from) && path[from.bytes] == '/') return from;
    }
    for (u32 i = 0; i < tree->files.count; i++) {
        const char* path = tree_relative(&tree->files.at[i]);
        for (const char* at = path; (at = strchr(at, '/')); at++) {
            const Text folder = {path, (u32)(at - path)};
            name_fix(folder, fixed);
            if (!text_equal(text_of(fixed), from) || text_equal(folder, alike)) continue;
            if (alike.at) *second = arena_text(m->arena, folder);
            if (!alike.at) alike = folder;
        }
    }
    return alike.at ? alike : from;
}

static int step_target_order(const void* a, const void* b) {
    return strcmp(((const StepMove*)a)->to, ((const StepMove*)b)->to);
}

/* Sources with one name were reported before: these are other files. */
static int paths_compare(Move* m) {
    StepMove* by_target = ARENA_NEW(m->arena, StepMove, m->paths.count + 1);
    for (u32 i = 0; i < m->paths.count; i++) by_target[i] = m->paths.at[i];
    if (m->paths.count) qsort(by_target, m->paths.count, sizeof *by_target, step_target_order);
    for (u32 i = 1; i < m->paths.count; i++) {
        if (strcmp(by_target[i - 1].to, by_target[i].to) == 0)
            return REFUSE(EXIT_INVALID,
                          "\"%s\" and \"%s\" would both become \"%s\"; rename one of them",
                          by_target[i - 1].from, by_target[i].from, by_target[i].to);
    }
    return EXIT_OK;
}

ent_status move_folders_add(Move* m, const FolderRoot* root, const StepMove* path,
                            const char* before) {
    const char *from = path->from, *to = path->to;
    while ((from = strchr(from, '/')) && (to = strchr(to, '/'))) {
        const Text   old_folder = {path->from, (u32)(from++ - path->from)};
        const Text   new_folder = {path->to, (u32)(to++ - path->to)};
        RootSpelling spelling;
        if (text_equal(old_folder, new_folder) ||
            text_begins(before, (Text){path->from, old_folder.bytes + 1}))
            continue;
        const StepMove step = {arena_text(m->arena, old_folder), arena_text(m->arena, new_folder)};
        TRY(root_spelling(root, step.from, step.to, &spelling));
        if (spelling == SPELLING_FIRST) *array_push(&m->steps.moves) = step;
    }
    return ENT_OK;
}

static int path_add(Move* m, const FolderRoot* root, u32 i) {
    const StepMove* path = &m->paths.at[i];
    const char*  before = i ? m->paths.at[i - 1].from : ""; /* in order: its folders were added */
    const char*  to = arena_print(m->arena, "%s/%s", m->links.root, path->to);
    FileKind     existing;
    RootSpelling spelling = SPELLING_OTHER;
    if ((m->kind == MOVE_CANONICAL && move_folders_add(m, root, path, before) != ENT_OK) ||
        root_look(root, path->to, &existing) != ENT_OK ||
        (existing != FILE_NONE && root_spelling(root, path->from, path->to, &spelling) != ENT_OK))
        return io_failure("cannot access", to);
    if (existing != FILE_NONE && spelling != SPELLING_SAME && spelling != SPELLING_FIRST)
        return REFUSE(EXIT_INVALID, "\"%s\" already exists", to);
    if (spelling != SPELLING_SAME) *array_push(&m->steps.moves) = *path;
    return EXIT_OK;
}

int move_paths_steps(Move* m) {
    FolderRoot root;
    int        code = EXIT_OK;
    if (m->kind == MOVE_FOLDER) return paths_compare(m);
    if (root_open(&root, m->links.root) != ENT_OK)
        return io_failure("cannot read the asset folder", m->links.root);
    for (u32 i = 0; i < m->paths.count && code == EXIT_OK; i++) code = path_add(m, &root, i);
    root_close(&root);
    return code == EXIT_OK ? paths_compare(m) : code;
}
