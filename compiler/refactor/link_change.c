/* link_change.c - converts the references of a folder to the state after a change. */
#include "link_change.h"

#include "search.h"

/* A symbolic link has the stamp and the content of another file. */
static bool has_symbolic_links(const Tree* tree) {
    bool has = false;
    for (u32 i = 0; i < tree->files.count; i++) has |= tree->files.at[i].link;
    return has;
}

/* --- names --- */

/* A reference is renamed with the first resource of that name; variants have to move together. */
static bool variants_agree(const Links* l, const char* const* after) {
    for (u32 i = 1; i < l->products.count; i++) {
        const LinkProduct *a = &l->products.at[i - 1], *b = &l->products.at[i];
        if (a->type == b->type && strcmp(a->name, b->name) == 0 &&
            strcmp(after[i - 1], after[i]) != 0)
            return false;
    }
    return true;
}

static void places_rename(Links* l, const char* const* after) {
    for (u32 i = 0; i < l->places.count; i++) {
        LinkPlace*         place = &l->places.at[i];
        const LinkProduct* p = links_find(l, text_of(place->name), place->type);
        if (p) place->name = after[p - l->products.at];
    }
}

/* The name of a file is that of its own resource. */
static void products_rename(Links* l, const char* const* after) {
    for (u32 i = 0; i < l->products.count; i++) {
        LinkProduct* p = &l->products.at[i];
        if (!product_is_of_file(p)) p->name = after[i];
    }
    for (u32 i = 0; i < l->products.count; i++) {
        LinkProduct* p = &l->products.at[i];
        if (product_is_of_file(p)) p->name = p->file->asset->name = after[i];
    }
}

/* A pattern may match other resources under their new names. */
static bool has_patterns(const Links* l) {
    bool has = false;
    for (u32 i = 0; i < l->places.count; i++) has |= l->places.at[i].kind == LINK_PATTERN;
    return has;
}

static bool names_convert(Links* l, const LinksChange* change) {
    const char** after = memory_alloc(sizeof *after * ((size_t)l->products.count + 1));
    bool         changes = false;
    for (u32 i = 0; i < l->products.count; i++) {
        after[i] = change->name_after(change->user, &l->products.at[i]);
        changes |= after[i] != l->products.at[i].name;
    }
    const bool agree = !changes || (!has_patterns(l) && variants_agree(l, after));
    if (agree) {
        places_rename(l, after);
        products_rename(l, after);
    }
    memory_free(after);
    return agree;
}

/* --- positions --- */

/* The edits of one file before a position, in the order of both. */
typedef struct Shift {
    const TextEdit* edit; /* [count] the next ones */
    u32             count;
    u32             at;            /* up to here, line breaks were searched */
    u32             bytes, column; /* by which a position, and one in its line, moves */
} Shift;

/* The number of edits of one file from `first` on. */
static u32 edits_of(const Edits* e, u32 first) {
    u32 end = first;
    while (end < e->list.count && e->list.at[end].file == e->list.at[first].file) end++;
    return end - first;
}

static void shift_pass_lines(Shift* s, const char* text, u32 to) {
    if (memchr(text + s->at, '\n', to - s->at)) s->column = 0;
    s->at = to;
}

static void shift_to(Shift* s, const char* text, u32 offset) {
    for (; s->count && s->edit->offset < offset; s->edit++, s->count--) {
        const u32 more = (u32)strlen(s->edit->text) - s->edit->bytes;
        shift_pass_lines(s, text, s->edit->offset);
        s->bytes += more;
        s->column += more;
    }
    shift_pass_lines(s, text, offset);
}

/* Places are in the order of their paths and offsets. */
static void places_convert(Links* l, Shift s) {
    LinkFile* const file = (LinkFile*)s.edit->file;
    const char*     text = file->asset->source.text;
    Shift           image = s;
    for (u32 i = links_first_place(l, file); i < l->places.count && l->places.at[i].file == file;
         i++) {
        LinkPlace* place = &l->places.at[i];
        shift_to(&s, text, place->offset);
        if (s.count && s.edit->offset == place->offset && place->bytes)
            place->bytes = (u32)strlen(s.edit->text);
        place->offset += s.bytes;
        place->column += s.column;
    }
    if (file->asset->content->image_offset == 0) return;
    shift_to(&image, text, file->asset->content->image_offset);
    file->asset->content->image_offset += image.bytes;
}

static void positions_convert(Links* l, const Edits* e) {
    for (u32 first = 0, count; first < e->list.count; first += count) {
        count = edits_of(e, first);
        places_convert(l, (Shift){.edit = &e->list.at[first], .count = count});
    }
}

/* --- files --- */

/* Both are in the order of their paths. */
static const StepEdit* step_of(const Steps* steps, const char* path) {
    Search s = search_between(0, steps->edits.count);
    while (search_continues(&s))
        search_narrow(&s, strcmp(steps->edits.at[s.middle].path, path) < 0);
    const StepEdit* step = s.first < steps->edits.count ? &steps->edits.at[s.first] : NULL;
    return step && strcmp(step->path, path) == 0 ? step : NULL;
}

/* A source whose path changes, after all of them were found by their old paths. */
typedef struct NewPath {
    LinkFile*   source;
    const char* path; /* with the root */
} NewPath;
typedef ARRAY(NewPath) NewPaths;

/* A file of the folder, which was possibly moved or edited. */
static void file_convert(Links* l, TreeFile* file, const LinksChange* change, NewPaths* paths) {
    const char*     before = tree_relative(file);
    const char*     after = change->path_after(change->user, before);
    const StepEdit* step = step_of(change->steps, before);
    if (after == before && !step) return;
    LinkFile* source = links_file(l, before);
    assert((source || !step) && "only sources are edited");
    file->path = arena_print(&l->arena, "%s/%s", l->root, after);
    if (step) source->hash = step->after;
    if (source) *array_push(paths) = (NewPath){source, file->path};
}

static void files_convert(Links* l, const Tree* tree, const LinksChange* change) {
    NewPaths paths = {0};
    for (u32 i = 0; i < l->besides.count; i++)
        l->besides.at[i].path = change->path_after(change->user, l->besides.at[i].path);
    for (u32 i = 0; i < tree->files.count; i++) file_convert(l, &tree->files.at[i], change, &paths);
    for (u32 i = 0; i < paths.count; i++) {
        LinkFile* source = paths.at[i].source;
        source->asset->source.path = paths.at[i].path;
        source->path = paths.at[i].path + strlen(l->root) + 1;
    }
    array_drop(&paths);
}

bool links_change(Links* l, const LinkStore* store, const LinksChange* change) {
    if (has_symbolic_links(store->tree) || !names_convert(l, change)) return false;
    for (u32 i = 0; i < l->targets.count; i++)
        l->targets.at[i].path = change->target_after(change->user, &l->targets.at[i]);
    positions_convert(l, change->edits);
    files_convert(l, store->tree, change);
    links_settle(l);
    return true;
}
