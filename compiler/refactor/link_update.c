/* link_update.c - replaces the references of the files that were compiled. */
#include "link_update.h"

#include "exit_codes.h"

bool links_agree(const Links* stored, const Links* compiled, bool every) {
    bool agree = compiled->files.count == stored->files.count;
    for (u32 i = 0; i < compiled->files.count && agree; i++) {
        const LinkFile *file = compiled->files.at[i], *known = links_file(stored, file->path);
        agree = known != NULL;
        if (!agree || !job_once_done(&file->asset->load) || (known->reached && !every)) continue;
        agree = hash_equal(file->asset->content->hash, known->hash);
    }
    return agree;
}

/* Removes what the files that were reached contain. */
static void parts_drop(Links* l) {
    u32 kept = 0;
    for (u32 i = 0; i < l->places.count; i++) {
        if (!l->places.at[i].file->reached) l->places.at[kept++] = l->places.at[i];
    }
    l->places.count = kept;
    kept = 0;
    for (u32 i = 0; i < l->targets.count; i++) {
        if (!l->targets.at[i].file->reached) l->targets.at[kept++] = l->targets.at[i];
    }
    l->targets.count = kept;
    kept = 0;
    for (u32 i = 0; i < l->besides.count; i++) {
        if (!l->besides.at[i].file->reached) l->besides.at[kept++] = l->besides.at[i];
    }
    l->besides.count = kept;
}

/* Adds what they contain now. Their resources have the same names as before. */
static void parts_add(Links* l, const Links* part) {
    for (u32 i = 0; i < part->places.count; i++) {
        LinkPlace place = part->places.at[i];
        place.file = links_file(l, place.file->path);
        place.name = arena_text(&l->arena, text_of(place.name));
        *array_push(&l->places) = place;
    }
    for (u32 i = 0; i < part->targets.count; i++) {
        const LinkTarget* target = &part->targets.at[i];
        LinkFile*         file = links_file(l, target->file->path);
        if (file->reached)
            *array_push(&l->targets) =
                (LinkTarget){file, arena_text(&l->arena, text_of(target->path))};
    }
    for (u32 i = 0; i < part->besides.count; i++) {
        const LinkBeside* beside = &part->besides.at[i];
        LinkFile*         file = links_file(l, beside->file->path);
        if (file->reached)
            *array_push(&l->besides) =
                (LinkBeside){file, arena_text(&l->arena, text_of(beside->path)), beside->hash};
    }
    for (u32 i = 0; i < part->files.count; i++) {
        const LinkFile* from = part->files.at[i];
        LinkFile*       file = links_file(l, from->path);
        if (file->reached) {
            file->hash = from->hash;
            file->asset->content->image_offset = from->asset->content->image_offset;
        }
        file->reached = false;
    }
}

int links_update(Links* l, const BuildOptions* o, JournalUse use, bool* agree) {
    Links     part = {.selection = l};
    LinkStore store = {0}; /* what is known about the files is known already */
    links_reach_dependents(l);
    const int code = links_open(&part, o, true, use);
    *agree = code == EXIT_OK && links_agree(l, &part, false);
    if (*agree) {
        links_sort_files(&part);
        links_complete(&part, &store);
        parts_drop(l);
        parts_add(l, &part);
        links_settle(l);
    }
    links_close(&part);
    link_store_close(&store);
    return code;
}
