/* move_journal.c - records a change, applies it, and completes interrupted changes. */
#include "move_journal.h"

#include <errno.h>
#include <stdio.h>

#include "asset_name.h"
#include "exit_codes.h"
#include "failure.h"
#include "folder_root.h"
#include "libc.h"
#include "process.h"
#include "sections.h"
#include "utf8.h"

#define JOURNAL_NAME ".entc.move"
#define MAGIC_BYTES  8

static const char magic[MAGIC_BYTES + 1] = "entcmv02";

typedef struct Journal {
    const char* root; /* without a trailing slash */
    const char* path; /* of the file, for messages */
    FolderRoot  folder;
    Arena       arena;
    Steps       steps;
    Hash128     place;   /* that the file names */
    const char* failed;  /* path of the step that failed */
    bool        removed; /* a file was removed, which cannot be undone */
} Journal;

/* Returns an exit code; always close it. */
static int journal_open(Journal* j, const char* root) {
    size_t bytes = strlen(root);
    while (bytes > 1 && root[bytes - 1] == '/') bytes--;
    *j = (Journal){.folder = {-1}};
    j->root = arena_text(&j->arena, (Text){root, (u32)bytes});
    j->path = arena_print(&j->arena, "%s/" JOURNAL_NAME, j->root);
    if (root_open(&j->folder, j->root) == ENT_OK) return EXIT_OK;
    return io_failure("cannot read the asset folder", j->root);
}

static void journal_close(Journal* j) {
    root_close(&j->folder);
    arena_drop(&j->arena);
}

static const char* path_in(Journal* j, const char* path) {
    return arena_print(&j->arena, "%s/%s", j->root, path);
}

/* Identifies the writer of a journal: this user, on this machine, in this folder. A folder that was
 * checked out or copied has another inode. */
static bool place_of(const Journal* j, Hash128* place) {
    char text[256];
    u64  number;
    machine_name(text, sizeof text - 64);
    if (*text == 0 || root_number(&j->folder, &number) != ENT_OK) return false;
    const size_t bytes = strlen(text);
    snprintf(text + bytes, sizeof text - bytes, " %llu %llu", (unsigned long long)user_number(),
             (unsigned long long)number);
    *place = hash_content(text, strlen(text));
    return true;
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
    size_t shift = 0; /* from offsets in the original file to those in the changed one */
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

static Bytes journal_bytes(const Steps* steps, Hash128 place) {
    Bytes   out = {0};
    Hash128 hash = {0, 0};
    put_bytes(&out, magic, MAGIC_BYTES);
    put_bytes(&out, &hash, sizeof hash);
    put_bytes(&out, &place, sizeof place);
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

/* A journal is rejected unless it has exactly the form in which it is written: then `has_errors` is
 * set and all values are empty. */
typedef struct Reader {
    const u8* at;
    size_t    left;
    Arena*    arena;
    bool      has_errors;
} Reader;

static void get_bytes(Reader* r, void* to, size_t count) {
    r->has_errors |= count > r->left;
    memset(to, 0, count);
    if (r->has_errors) return;
    memcpy(to, r->at, count);
    r->at += count;
    r->left -= count;
}

static u32 get_u32(Reader* r) {
    u32 value;
    get_bytes(r, &value, 4);
    return value;
}

/* A count; each item needs at least so many bytes. */
static u32 get_count(Reader* r, u32 bytes) {
    const u32 count = get_u32(r);
    r->has_errors |= count > r->left / bytes;
    return r->has_errors ? 0 : count;
}

static Text get_text(Reader* r) {
    const u32  bytes = get_count(r, 1);
    const Text text = {arena_text(r->arena, (Text){(const char*)r->at, bytes}), bytes};
    r->at += bytes;
    r->left -= bytes;
    return text;
}

static Text path_last(const char* path) {
    const char* slash = strrchr(path, '/');
    return text_of(slash ? slash + 1 : path);
}

/* Is it the path of a source file? */
static bool path_is_asset(const char* path) {
    return suffix_of(path_last(path)).kind == SUFFIX_VALID;
}

/* May it be the path of a file of the type data, or of one beside a model? A folder can have such a name too. */
static bool path_may_be_data(const char* path) {
    return suffix_of_data(path_last(path)).kind == SUFFIX_VALID && text_is_printable(text_of(path));
}

/* Every segment is a name that does not begin with a dot: files and folders with a dot are not
 * assets. */
static const char* get_path(Reader* r) {
    const Text  text = get_text(r);
    const char* path = text.at;
    r->has_errors |= strlen(path) != text.bytes; /* a NUL inside */
    for (const char* at = path; !r->has_errors; at++) {
        const size_t bytes = strcspn(at, "/");
        r->has_errors |= bytes == 0 || *at == '.';
        at += bytes;
        if (*at == 0) break;
    }
    return path;
}

/* Other files are never changed or removed. */
static const char* get_asset_path(Reader* r) {
    const char* path = get_path(r);
    r->has_errors |= !path_is_asset(path) && !path_may_be_data(path);
    return path;
}

static StepEdit get_edit(Reader* r) {
    StepEdit edit = {.path = get_asset_path(r)};
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

/* A file must remain an asset; a folder must not have the name of an asset. */
static StepMove get_move(Reader* r) {
    const char* from = get_path(r);
    const char* to = get_path(r);
    r->has_errors |= path_is_asset(from) != path_is_asset(to);
    return (StepMove){from, to};
}

bool journal_parse(const u8* bytes, size_t size, Arena* arena, Steps* steps, Hash128* place) {
    Reader  r = {bytes, size, arena, false};
    char    begin[MAGIC_BYTES];
    Hash128 hash;
    get_bytes(&r, begin, sizeof begin);
    get_bytes(&r, &hash, sizeof hash);
    if (r.has_errors || memcmp(begin, magic, MAGIC_BYTES) != 0) return false;
    if (!hash_equal(hash, hash_content(r.at, r.left))) return false;
    get_bytes(&r, place, sizeof *place);
    steps->text = get_text(&r).at;
    for (u32 n = get_count(&r, 40); n > 0 && !r.has_errors; n--)
        *array_push(&steps->edits) = get_edit(&r);
    for (u32 n = get_count(&r, 8); n > 0 && !r.has_errors; n--)
        *array_push(&steps->moves) = get_move(&r);
    for (u32 n = get_count(&r, 4); n > 0 && !r.has_errors; n--)
        *array_push(&steps->removals) = get_asset_path(&r);
    return !r.has_errors && r.left == 0;
}

/* --- steps --- */

typedef enum StepState {
    STEP_TODO,
    STEP_DONE,
    STEP_ODD,   /* another program changed the file */
    STEP_FAILED /* its state is unknown: see errno */
} StepState;

static StepState move_state(Journal* j, const StepMove* move) {
    FileKind     from, to;
    RootSpelling spelling = SPELLING_OTHER;
    j->failed = move->from;
    if (root_look(&j->folder, move->from, &from) != ENT_OK ||
        root_look(&j->folder, move->to, &to) != ENT_OK)
        return STEP_FAILED;
    if (from != FILE_NONE && to != FILE_NONE &&
        root_spelling(&j->folder, move->from, move->to, &spelling) != ENT_OK)
        return STEP_FAILED;
    if (spelling == SPELLING_FIRST) to = FILE_NONE;
    if (spelling == SPELLING_SECOND) from = FILE_NONE;
    if ((from == FILE_NONE) == (to == FILE_NONE)) return STEP_ODD;
    const FileKind kind = from == FILE_NONE ? to : from;
    const bool     is_file = path_is_asset(move->from);
    if (kind != (is_file ? FILE_REGULAR : FILE_FOLDER) &&
        (is_file || kind != FILE_REGULAR || !path_may_be_data(move->from)))
        return STEP_ODD;
    return from == FILE_NONE ? STEP_DONE : STEP_TODO;
}

/* Is a path moved by a move, or in a moved folder? */
static bool move_takes(const StepMove* move, const char* path) {
    const size_t bytes = strlen(move->from);
    return strncmp(path, move->from, bytes) == 0 && (path[bytes] == 0 || path[bytes] == '/');
}

/* A file that does not exist was moved: then all edits were applied before. */
static StepState missing_state(Journal* j, const char* path) {
    StepState state = STEP_ODD;
    for (u32 i = 0; i < j->steps.moves.count && state == STEP_ODD; i++) {
        const StepMove* move = &j->steps.moves.at[i];
        if (move_takes(move, path)) state = move_state(j, move);
        if (state == STEP_TODO) state = STEP_ODD;
    }
    j->failed = path;
    return state;
}

static StepState edit_state(Journal* j, const StepEdit* edit) {
    FileView view;
    j->failed = edit->path;
    const ent_status status = root_map(&j->folder, edit->path, &view);
    if (status == ENT_NOT_FOUND) return missing_state(j, edit->path);
    if (status != ENT_OK) return STEP_FAILED;
    const Hash128 hash = hash_content(view.bytes, view.size);
    file_unmap(&view);
    if (hash_equal(hash, edit->before)) return STEP_TODO;
    return hash_equal(hash, edit->after) ? STEP_DONE : STEP_ODD;
}

static StepState removal_state(Journal* j, const char* path) {
    FileKind kind;
    j->failed = path;
    if (root_look(&j->folder, path, &kind) != ENT_OK) return STEP_FAILED;
    if (kind == FILE_NONE) return STEP_DONE;
    return kind == FILE_FOLDER ? STEP_ODD : STEP_TODO;
}

/* Applies the splices to the file, or with `back` reverts them. */
static bool edit_make(Journal* j, const StepEdit* edit, bool back) {
    FileView view;
    Arena    arena = {0};
    bool     written = false;
    j->failed = edit->path;
    if (root_map(&j->folder, edit->path, &view) != ENT_OK) return false;
    size_t    size = view.size;
    const u8* bytes =
        splices_apply(&arena, view.bytes, &size, edit->splices, edit->splice_count, back);
    errno = ESTALE;
    if (bytes && hash_equal(hash_content(bytes, size), back ? edit->before : edit->after))
        written = root_rewrite(&j->folder, edit->path, bytes, size) == ENT_OK;
    const int kept = errno;
    file_unmap(&view);
    arena_drop(&arena);
    errno = kept;
    return written;
}

static bool move_make(Journal* j, const StepMove* move) {
    j->failed = move->from;
    return root_move(&j->folder, move->from, move->to) == ENT_OK;
}

static bool removal_make(Journal* j, const char* path) {
    j->failed = path;
    if (root_remove(&j->folder, path) != ENT_OK) return false;
    j->removed = true;
    root_remove_empty(&j->folder, path);
    return true;
}

static u32 step_count(const Steps* s) {
    return s->edits.count + s->moves.count + s->removals.count;
}

static StepState step_state(Journal* j, u32 i) {
    const Steps* s = &j->steps;
    if (i < s->edits.count) return edit_state(j, &s->edits.at[i]);
    i -= s->edits.count;
    if (i < s->moves.count) return move_state(j, &s->moves.at[i]);
    return removal_state(j, s->removals.at[i - s->moves.count]);
}

static bool step_make(Journal* j, u32 i) {
    const Steps* s = &j->steps;
    if (i < s->edits.count) return edit_make(j, &s->edits.at[i], false);
    i -= s->edits.count;
    if (i < s->moves.count) return move_make(j, &s->moves.at[i]);
    return removal_make(j, s->removals.at[i - s->moves.count]);
}

/* Another process that completes the same change may be faster: the result is the same. */
static bool step_take(Journal* j, u32 i) {
    StepState state = step_state(j, i);
    if (state == STEP_DONE || (state == STEP_TODO && step_make(j, i))) return true;
    const int reason = state == STEP_ODD ? ESTALE : errno;
    if (state == STEP_TODO) state = step_state(j, i);
    errno = reason;
    return state == STEP_DONE;
}

static bool steps_forward(Journal* j) {
    const Steps* s = &j->steps;
    for (u32 i = 0; i < step_count(s); i++) {
        if (!step_take(j, i)) return false;
    }
    for (u32 i = 0; i < s->moves.count; i++) root_remove_empty(&j->folder, s->moves.at[i].from);
    return true;
}

/* Reverts a step; a removal cannot be reverted. */
static bool steps_back(Journal* j) {
    const Steps* s = &j->steps;
    if (j->removed) return false;
    for (u32 i = s->moves.count; i-- > 0;) {
        const StepMove  back = {s->moves.at[i].to, s->moves.at[i].from};
        const StepState state = move_state(j, &back);
        if (state != STEP_DONE && (state != STEP_TODO || !move_make(j, &back))) return false;
        root_remove_empty(&j->folder, back.from); /* also folders that are no longer needed */
    }
    for (u32 i = s->edits.count; i-- > 0;) {
        const StepEdit* edit = &s->edits.at[i];
        const StepState state = edit_state(j, edit);
        if (state == STEP_TODO) continue;
        if (state != STEP_DONE || !edit_make(j, edit, true)) return false;
    }
    return true;
}

/* Returns STEP_ODD or STEP_FAILED when that is the state of any step; `failed` is its path. Before
 * the first step, a step that is already done is odd, too. */
static StepState steps_look(Journal* j, bool begun) {
    StepState state = STEP_TODO;
    for (u32 i = 0; i < step_count(&j->steps) && state < STEP_ODD; i++) {
        state = step_state(j, i);
        if (state == STEP_DONE && !begun) state = STEP_ODD;
    }
    return state;
}

/* --- the complete change --- */

static int journal_remove(Journal* j) {
    if (root_remove(&j->folder, JOURNAL_NAME) == ENT_OK) return EXIT_OK;
    return io_failure("cannot remove", j->path);
}

static int steps_failed(Journal* j) {
    const int code = io_failure("cannot change", path_in(j, j->failed));
    if (!steps_back(j)) {
        fprintf(stderr,
                "entc: error: the completed part of the change could not be undone; the next `entc "
                "build`, `mv` or `rm` of the folder will try to complete the change\n");
        return code;
    }
    fprintf(stderr, "entc: nothing was changed\n");
    const int removed = journal_remove(j);
    return removed == EXIT_OK ? code : removed;
}

/* Reports a state that prevents the change. */
static int steps_refused(Journal* j, StepState state) {
    const char* path = path_in(j, j->failed);
    if (state == STEP_FAILED) return io_failure("cannot access", path);
    fprintf(stderr,
            "entc: error: \"%s\" was changed by another program while entc was reading it; entc "
            "changed nothing; try again\n",
            path);
    return EXIT_IO;
}

/* After the journal is written, another entc process may find it and complete it. */
static int journal_take(Journal* j) {
    Hash128   place = {0, 0};
    StepState state = steps_look(j, false);
    if (state >= STEP_ODD) return steps_refused(j, state);
    const bool       known = place_of(j, &place); /* otherwise it is completed only on request */
    Bytes            bytes = journal_bytes(&j->steps, known ? place : (Hash128){0, 0});
    const ent_status status = root_create(&j->folder, JOURNAL_NAME, bytes.at, bytes.count);
    array_drop(&bytes);
    if (status != ENT_OK && errno == errno_of(SYSTEM_EXISTS)) {
        fprintf(stderr, "entc: error: another entc process is changing \"%s\" at this moment\n",
                j->root);
        return EXIT_IO;
    }
    if (status != ENT_OK) return io_failure("cannot write", j->path);
    state = steps_look(j, true);
    if (state < STEP_ODD) return steps_forward(j) ? journal_remove(j) : steps_failed(j);
    const int code = steps_refused(j, state);
    return journal_remove(j) == EXIT_OK ? code : EXIT_IO;
}

int steps_take(const Steps* steps, const char* root) {
    Journal j;
    int     code = journal_open(&j, root);
    j.steps = *steps;
    if (code == EXIT_OK) code = journal_take(&j);
    journal_close(&j);
    return code;
}

/* The text is from the file, and is written to a terminal. */
static const char* text_shown(Journal* j) {
    char* text = arena_text(&j->arena, text_of(j->steps.text));
    for (char* at = text; *at; at++) {
        if ((u8)*at < 0x20 || *at == 0x7f) *at = '?';
        if (at - text == 300) *at = 0;
    }
    return text;
}

static int journal_complete(Journal* j, const FileView* view) {
    const StepState state = steps_look(j, true);
    FileView        now;
    if (state == STEP_FAILED) return steps_refused(j, state);
    if (state == STEP_ODD) {
        fprintf(stderr,
                "entc: error: a change of \"%s\" was interrupted (%s), and \"%s\" has been changed "
                "since then; undo that change, or discard the interrupted one with `entc mv %s "
                "--drop` and check the state of the folder with version control\n",
                j->root, text_shown(j), path_in(j, j->failed), j->root);
        return EXIT_IO;
    }
    if (!steps_forward(j))
        return io_failure("cannot complete an interrupted change of", path_in(j, j->failed));
    fprintf(stderr, "entc: completed an interrupted change: %s\n", text_shown(j));
    /* Another entc process may have completed it too, removed the file, and begun another
     * change. */
    const ent_status status = root_map(&j->folder, JOURNAL_NAME, &now);
    if (status == ENT_NOT_FOUND) return EXIT_OK;
    if (status != ENT_OK) return io_failure("cannot read", j->path);
    const bool same = now.size == view->size && memcmp(now.bytes, view->bytes, now.size) == 0;
    file_unmap(&now);
    return same ? journal_remove(j) : EXIT_OK;
}

static int journal_refuse(Journal* j, const char* reason) {
    fprintf(stderr,
            "entc: error: \"%s\" contains a change that was not completed (%s)%s; `entc mv %s "
            "--finish` completes it, `entc mv %s --drop` discards it\n",
            j->root, text_shown(j), reason, j->root, j->root);
    return EXIT_IO;
}

static int journal_use(Journal* j, JournalUse use, const FileView* view) {
    Hash128 here = {0, 0};
    if (!journal_parse(view->bytes, view->size, &j->arena, &j->steps, &j->place)) {
        fprintf(stderr,
                "entc: error: \"%s\" is damaged, or was not written by this version of entc; "
                "`entc mv %s --drop` removes it and changes nothing else\n",
                j->path, j->root);
        return EXIT_IO;
    }
    if (use == JOURNAL_FINISH) return journal_complete(j, view);
    if (use == JOURNAL_REFUSE) return journal_refuse(j, ", or another entc process is changing it");
    if (place_of(j, &here) && hash_equal(here, j->place)) return journal_complete(j, view);
    return journal_refuse(
        j, " and was started by another user, on another machine or in a copy of the folder");
}

static int journal_find(Journal* j, JournalUse use) {
    FileKind kind;
    FileView view;
    if (root_look(&j->folder, JOURNAL_NAME, &kind) != ENT_OK)
        return io_failure("cannot access", j->path);
    if (kind == FILE_NONE && use >= JOURNAL_FINISH) {
        fprintf(stderr, "entc: error: \"%s\" contains no interrupted change\n", j->root);
        return EXIT_IO;
    }
    if (kind == FILE_NONE) return EXIT_OK;
    if (kind == FILE_REGULAR && use == JOURNAL_DROP) return journal_remove(j);
    if (kind != FILE_REGULAR) {
        fprintf(stderr, "entc: error: \"%s\" was not written by entc; remove it\n", j->path);
        return EXIT_IO;
    }
    const ent_status status = root_map(&j->folder, JOURNAL_NAME, &view);
    if (status == ENT_NOT_FOUND) return EXIT_OK; /* another entc process was faster */
    if (status != ENT_OK) return io_failure("cannot read", j->path);
    const int code = journal_use(j, use, &view);
    file_unmap(&view);
    return code;
}

int move_finish(const char* root, JournalUse use) {
    Journal j;
    int     code = journal_open(&j, root);
    if (code == EXIT_OK) code = journal_find(&j, use);
    steps_drop(&j.steps);
    journal_close(&j);
    return code;
}
