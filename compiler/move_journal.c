/* move_journal.c - writes down what is to be done, does it, and finishes what others began. */
#include "move_journal.h"

#include <errno.h>
#include <stdio.h>

#include "diag.h"
#include "exit_codes.h"
#include "file.h"

#define JOURNAL_NAME ".entc.move"
#define MAGIC_BYTES  8

static const char magic[MAGIC_BYTES + 1] = "entcmv01";

typedef struct Journal {
    const char* root; /* without a slash at its end */
    const char* path;
    Arena       arena;
    Steps       steps;
    const char* failed; /* path of what could not be done */
} Journal;

static void journal_init(Journal* j, const char* root) {
    size_t bytes = strlen(root);
    while (bytes > 1 && root[bytes - 1] == '/') bytes--;
    *j = (Journal){0};
    j->root = arena_text(&j->arena, (Text){root, (u32)bytes});
    j->path = arena_print(&j->arena, "%s/" JOURNAL_NAME, j->root);
}

static const char* path_in(Journal* j, const char* path) {
    return arena_print(&j->arena, "%s/%s", j->root, path);
}

void steps_drop(Steps* steps) {
    array_drop(&steps->edits);
    array_drop(&steps->moves);
    array_drop(&steps->removals);
}

u8* splices_apply(Arena* arena, const u8* bytes, size_t* size, const Splice* splices, u32 count,
                  bool back) {
    size_t room = *size, at = 0, filled = 0;
    for (u32 i = 0; i < count; i++) room += splices[i].before.bytes + splices[i].after.bytes;
    u8*    out = arena_alloc(arena, room + 1);
    size_t shift = 0; /* from offsets in the file as it was to those in the changed one */
    for (u32 i = 0; i < count; i++) {
        const Text   from = back ? splices[i].after : splices[i].before;
        const Text   to = back ? splices[i].before : splices[i].after;
        const size_t offset = splices[i].offset + (back ? shift : 0);
        if (offset < at || offset > *size || from.bytes > *size - offset) return NULL;
        memcpy(out + filled, bytes + at, offset - at);
        filled += offset - at;
        if (to.bytes) memcpy(out + filled, to.at, to.bytes);
        filled += to.bytes;
        at = offset + from.bytes;
        shift += (size_t)splices[i].after.bytes - splices[i].before.bytes;
    }
    memcpy(out + filled, bytes + at, *size - at);
    *size = filled + (*size - at);
    return out;
}

/* --- the journal as bytes --- */

typedef ARRAY(u8) Bytes;

static void put_bytes(Bytes* out, const void* bytes, size_t count) {
    const u32 at = out->count;
    array_reserve(out, at + (u32)count + 1);
    if (count) memcpy(out->at + at, bytes, count);
    out->count = at + (u32)count;
}

static void put_u32(Bytes* out, u32 value) { put_bytes(out, &value, 4); }

static void put_text(Bytes* out, Text text) {
    put_u32(out, text.bytes);
    put_bytes(out, text.at, text.bytes);
}

static void put_edit(Bytes* out, const StepEdit* edit) {
    put_text(out, text_of(edit->path));
    put_bytes(out, &edit->before, sizeof edit->before);
    put_bytes(out, &edit->after, sizeof edit->after);
    put_u32(out, edit->splice_count);
    for (u32 i = 0; i < edit->splice_count; i++) {
        put_u32(out, edit->splices[i].offset);
        put_text(out, edit->splices[i].before);
        put_text(out, edit->splices[i].after);
    }
}

static Bytes journal_bytes(const Steps* steps) {
    Bytes   out = {0};
    Hash128 hash = {0, 0};
    put_bytes(&out, magic, MAGIC_BYTES);
    put_bytes(&out, &hash, sizeof hash);
    put_text(&out, text_of(steps->text));
    put_u32(&out, steps->edits.count);
    for (u32 i = 0; i < steps->edits.count; i++) put_edit(&out, &steps->edits.at[i]);
    put_u32(&out, steps->moves.count);
    for (u32 i = 0; i < steps->moves.count; i++) {
        put_text(&out, text_of(steps->moves.at[i].from));
        put_text(&out, text_of(steps->moves.at[i].to));
    }
    put_u32(&out, steps->removals.count);
    for (u32 i = 0; i < steps->removals.count; i++) put_text(&out, text_of(steps->removals.at[i]));
    const u32 head = MAGIC_BYTES + sizeof hash;
    hash = hash_content(out.at + head, out.count - head);
    memcpy(out.at + MAGIC_BYTES, &hash, sizeof hash);
    return out;
}

/* What is read was written by us, or is refused: then `bad` is set and everything is empty. */
typedef struct Reader {
    const u8* at;
    size_t    left;
    Arena*    arena;
    bool      bad;
} Reader;

static void get_bytes(Reader* r, void* to, size_t count) {
    r->bad |= count > r->left;
    memset(to, 0, count);
    if (r->bad) return;
    memcpy(to, r->at, count);
    r->at += count;
    r->left -= count;
}

static u32 get_u32(Reader* r) {
    u32 value;
    get_bytes(r, &value, 4);
    return value;
}

/* How many of something: each takes at least that many bytes. */
static u32 get_count(Reader* r, u32 bytes) {
    const u32 count = get_u32(r);
    r->bad |= count > r->left / bytes;
    return r->bad ? 0 : count;
}

static Text get_text(Reader* r) {
    const u32  bytes = get_count(r, 1);
    const Text text = {arena_text(r->arena, (Text){(const char*)r->at, bytes}), bytes};
    r->at += bytes;
    r->left -= bytes;
    return text;
}

/* A path that leads out of the folder is none of ours. */
static const char* get_path(Reader* r) {
    const char* path = get_text(r).at;
    r->bad |= *path == 0 || *path == '/';
    for (const char* at = path; *at; at += *at == '/') {
        const size_t bytes = strcspn(at, "/");
        r->bad |= bytes == 2 && at[0] == '.' && at[1] == '.';
        at += bytes;
    }
    return path;
}

static StepEdit get_edit(Reader* r) {
    StepEdit edit = {.path = get_path(r)};
    get_bytes(r, &edit.before, sizeof edit.before);
    get_bytes(r, &edit.after, sizeof edit.after);
    edit.splice_count = get_count(r, 12);
    Splice* splices = ARENA_NEW(r->arena, Splice, edit.splice_count + 1);
    for (u32 i = 0; i < edit.splice_count; i++) {
        splices[i].offset = get_u32(r);
        splices[i].before = get_text(r);
        splices[i].after = get_text(r);
    }
    edit.splices = splices;
    return edit;
}

static bool journal_read(Journal* j, const FileView* view) {
    Reader  r = {view->bytes, view->size, &j->arena, false};
    char    begin[MAGIC_BYTES];
    Hash128 hash;
    Steps*  steps = &j->steps;
    get_bytes(&r, begin, sizeof begin);
    get_bytes(&r, &hash, sizeof hash);
    if (r.bad || memcmp(begin, magic, MAGIC_BYTES) != 0) return false;
    if (!hash_equal(hash, hash_content(r.at, r.left))) return false;
    steps->text = get_text(&r).at;
    for (u32 n = get_count(&r, 40); n > 0 && !r.bad; n--) *array_push(&steps->edits) = get_edit(&r);
    for (u32 n = get_count(&r, 8); n > 0 && !r.bad; n--) {
        const char* from = get_path(&r);
        *array_push(&steps->moves) = (StepMove){from, get_path(&r)};
    }
    for (u32 n = get_count(&r, 4); n > 0 && !r.bad; n--)
        *array_push(&steps->removals) = get_path(&r);
    return !r.bad && r.left == 0;
}

/* --- steps --- */

typedef enum StepState { STEP_TODO, STEP_DONE, STEP_ODD } StepState;

static StepState move_state(Journal* j, const StepMove* move) {
    const bool from = file_kind(path_in(j, move->from), false) != FILE_NONE;
    const bool to = file_kind(path_in(j, move->to), false) != FILE_NONE;
    if (from == to) return STEP_ODD;
    return from ? STEP_TODO : STEP_DONE;
}

/* Has a file gone with a move? Then all edits were made before. */
static bool path_has_moved(Journal* j, const char* path) {
    for (u32 i = 0; i < j->steps.moves.count; i++) {
        const StepMove* move = &j->steps.moves.at[i];
        const size_t    bytes = strlen(move->from);
        if (strncmp(path, move->from, bytes) != 0) continue;
        if (path[bytes] != 0 && path[bytes] != '/') continue;
        if (move_state(j, move) == STEP_DONE) return true;
    }
    return false;
}

static StepState edit_state(Journal* j, const StepEdit* edit) {
    FileView view;
    if (file_map(&view, path_in(j, edit->path)) != ENT_OK) {
        return path_has_moved(j, edit->path) ? STEP_DONE : STEP_ODD;
    }
    const Hash128 hash = hash_content(view.bytes, view.size);
    file_unmap(&view);
    if (hash_equal(hash, edit->before)) return STEP_TODO;
    return hash_equal(hash, edit->after) ? STEP_DONE : STEP_ODD;
}

static bool edit_make(Journal* j, const StepEdit* edit, bool back) {
    FileView    view;
    Arena       arena = {0};
    const char* path = path_in(j, edit->path);
    bool        made = false;
    j->failed = path;
    if (file_map(&view, path) != ENT_OK) return false;
    size_t    size = view.size;
    const u8* bytes =
        splices_apply(&arena, view.bytes, &size, edit->splices, edit->splice_count, back);
    errno = EINVAL;
    if (bytes && hash_equal(hash_content(bytes, size), back ? edit->before : edit->after)) {
        made = file_rewrite(path, bytes, size) == ENT_OK;
    }
    const int kept = errno;
    file_unmap(&view);
    arena_drop(&arena);
    errno = kept;
    return made;
}

/* Somebody else who finishes the same may be faster: what counts is that it is done. */
static bool move_make(Journal* j, const StepMove* move) {
    j->failed = path_in(j, move->from);
    if (file_move(j->failed, path_in(j, move->to)) == ENT_OK) return true;
    const int kept = errno;
    if (move_state(j, move) == STEP_DONE) return true;
    errno = kept;
    return false;
}

static bool steps_forward(Journal* j) {
    const Steps* s = &j->steps;
    const size_t keep = strlen(j->root);
    for (u32 i = 0; i < s->edits.count; i++) {
        const StepEdit* edit = &s->edits.at[i];
        if (edit_state(j, edit) == STEP_TODO && !edit_make(j, edit, false)) return false;
    }
    for (u32 i = 0; i < s->moves.count; i++) {
        const StepMove* move = &s->moves.at[i];
        if (move_state(j, move) == STEP_TODO && !move_make(j, move)) return false;
    }
    for (u32 i = 0; i < s->removals.count; i++) {
        j->failed = path_in(j, s->removals.at[i]);
        if (file_remove(j->failed) != ENT_OK) return false;
        folders_remove_empty(j->failed, keep);
    }
    for (u32 i = 0; i < s->moves.count; i++) {
        folders_remove_empty(path_in(j, s->moves.at[i].from), keep);
    }
    return true;
}

/* The other way; a removal has no way back, but they are all in one folder, where the first one
 * fails or none does. */
static bool steps_back(Journal* j) {
    const Steps* s = &j->steps;
    for (u32 i = s->moves.count; i-- > 0;) {
        const StepMove back = {s->moves.at[i].to, s->moves.at[i].from};
        if (move_state(j, &back) == STEP_TODO && !move_make(j, &back)) return false;
        folders_remove_empty(path_in(j, back.from), strlen(j->root));
    }
    for (u32 i = s->edits.count; i-- > 0;) {
        const StepEdit* edit = &s->edits.at[i];
        if (edit_state(j, edit) == STEP_DONE && !edit_make(j, edit, true)) return false;
    }
    return true;
}

/* What is not as it was and not as it is to be; NULL when nothing is. With `begun`, steps may be
 * done already. */
static const char* steps_odd(Journal* j, bool begun) {
    const Steps* s = &j->steps;
    for (u32 i = 0; i < s->edits.count; i++) {
        const StepState state = edit_state(j, &s->edits.at[i]);
        if (state == STEP_ODD || (state == STEP_DONE && !begun)) return s->edits.at[i].path;
    }
    for (u32 i = 0; i < s->moves.count; i++) {
        const StepState state = move_state(j, &s->moves.at[i]);
        if (state == STEP_ODD || (state == STEP_DONE && !begun)) return s->moves.at[i].from;
    }
    return NULL;
}

/* --- the whole --- */

static int journal_remove(Journal* j) {
    if (file_remove(j->path) == ENT_OK) return EXIT_OK;
    return io_failure("cannot remove", j->path);
}

static int steps_failed(Journal* j) {
    const char* failed = j->failed;
    const int   code = io_failure("cannot change", failed);
    if (!steps_back(j)) {
        fprintf(stderr,
                "entc: error: what was done before cannot be taken back; the next `entc build`, "
                "`mv` or `rm` of the folder will try to finish it\n");
        return code;
    }
    fprintf(stderr, "entc: nothing was changed\n");
    return journal_remove(j) == EXIT_OK ? code : EXIT_IO;
}

static int steps_changed(const Journal* j, const char* odd) {
    fprintf(
        stderr,
        "entc: error: \"%s/%s\" was changed while it was read; nothing was changed by entc, try "
        "again\n",
        j->root, odd);
    return EXIT_IO;
}

/* Once the journal is there, another entc may find it and help. */
static int journal_take(Journal* j) {
    const char* odd = steps_odd(j, false);
    if (odd) return steps_changed(j, odd);
    Bytes            bytes = journal_bytes(&j->steps);
    const ent_status status = file_create(j->path, bytes.at, bytes.count);
    array_drop(&bytes);
    if (status != ENT_OK && errno == EEXIST) {
        fprintf(stderr, "entc: error: another entc is changing \"%s\" right now\n", j->root);
        return EXIT_IO;
    }
    if (status != ENT_OK) return io_failure("cannot write", j->path);
    odd = steps_odd(j, true);
    if (!odd) return steps_forward(j) ? journal_remove(j) : steps_failed(j);
    journal_remove(j);
    return steps_changed(j, odd);
}

int steps_take(const Steps* steps, const char* root) {
    Journal j;
    journal_init(&j, root);
    j.steps = *steps;
    const int code = journal_take(&j);
    arena_drop(&j.arena);
    return code;
}

static int journal_finish(Journal* j, const FileView* view) {
    if (!journal_read(j, view)) {
        fprintf(stderr,
                "entc: error: \"%s\" was left by another version of entc, which was interrupted; "
                "let that one finish, or look at what git says has changed and remove it\n",
                j->path);
        return EXIT_IO;
    }
    const char* odd = steps_odd(j, true);
    if (odd) {
        fprintf(stderr,
                "entc: error: a change was interrupted (%s), and \"%s/%s\" is no more what it was "
                "then; take its change back, or remove \"%s\" and look at what git says has "
                "changed\n",
                j->steps.text, j->root, odd, j->path);
        return EXIT_IO;
    }
    if (!steps_forward(j)) return io_failure("cannot finish what was interrupted", j->failed);
    fprintf(stderr, "entc: finished what was interrupted: %s\n", j->steps.text);
    return file_holds(j->path, view->bytes, view->size) ? journal_remove(j) : EXIT_OK;
}

int move_finish(const char* root) {
    Journal  j;
    FileView view;
    int      code = EXIT_OK;
    journal_init(&j, root);
    if (file_kind(j.path, false) != FILE_NONE) {
        if (file_map(&view, j.path) == ENT_OK) {
            code = journal_finish(&j, &view);
            file_unmap(&view);
        } else if (errno != ENOENT) {
            code = io_failure("cannot read", j.path);
        }
    }
    steps_drop(&j.steps);
    arena_drop(&j.arena);
    return code;
}
