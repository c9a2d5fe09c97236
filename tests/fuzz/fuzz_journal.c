/* make fuzz target=journal seconds=60
 *
 * An arbitrary journal of an interrupted change, in a source folder with links to other folders and
 * with folders whose names begin with a dot. Commands that only read change nothing; the one that
 * completes the change changes only assets, and nothing outside the folder. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exit_codes.h"
#include "fuzz.h"
#include "move_journal.h"

#define JOURNAL   "moved/src/.entc.move"
#define HASH_AT   8u  /* after the magic */
#define PLACE_AT  24u /* the hash is of everything from here on */
#define TEXT_AT   40u
#define EDITS_MAX 64u

static FuzzFiles outside, hidden;
static bool      untouched; /* the folder is as project_put left it */

/* --- the folder --- */

/* With everything in it, hidden or not; links are not followed. */
static void remove_all(const char* path) {
    struct stat    info;
    struct dirent* entry;
    char           below[4096];
    if (lstat(path, &info) != 0) return;
    if (!S_ISDIR(info.st_mode)) {
        unlink(path);
        return;
    }
    DIR* folder = opendir(path);
    while (folder && (entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
        remove_all(below);
    }
    if (folder) closedir(folder);
    rmdir(path);
}

static void text_put(const char* name, const char* text) { fuzz_write(name, text, strlen(text)); }

static void project_put(void) {
    if (untouched) return;
    remove_all(fuzz_path("moved"));
    text_put("moved/outside/x.entity.json", "{}");
    text_put("moved/outside/hooks/pre-commit.entity.json", "{}");
    text_put("moved/src/props/gate.entity.json",
             "{ \"children\": [ { \"name\": \"lamp\", \"prefab\": \"props/lamp\" } ] }\n");
    text_put("moved/src/props/lamp.entity.json", "{}");
    text_put("moved/src/mud.material.json", "{}");
    text_put("moved/src/readme.txt", "may be a resource of the type data\n");
    text_put("moved/src/.git/x.entity.json", "{}");
    text_put("moved/src/.git/hooks/post.entity.json", "{}");
    if (symlink("../outside", fuzz_path("moved/src/link")) != 0 ||
        symlink("../../outside/x.entity.json", fuzz_path("moved/src/props/l.entity.json")) != 0) {
        abort();
    }
    untouched = true;
}

static void project_check(void) {
    fuzz_same(&outside, "moved/outside", NULL);
    fuzz_same(&hidden, "moved/src/.git", NULL);
}

/* --- journals --- */

typedef struct Bytes {
    u8     at[1 << 16];
    size_t count;
} Bytes;

static void put(Bytes* b, const void* bytes, size_t count) {
    memcpy(b->at + b->count, bytes, count);
    b->count += count;
}

static void put_u32(Bytes* b, u32 value) { put(b, &value, 4); }

static void put_text(Bytes* b, const char* text) {
    put_u32(b, (u32)strlen(text));
    put(b, text, strlen(text));
}

/* edit, removal  NULL: there is none */
static void seed_make(const char* name, const char* edit, const char* from, const char* to,
                      const char* removal) {
    static Bytes b;
    const u8     zeros[32] = {0};
    b.count = 0;
    put(&b, "entcmv02", 8);
    put(&b, zeros, 32);
    put_text(&b, "a change");
    put_u32(&b, edit != NULL);
    if (edit) {
        put_text(&b, edit);
        put(&b, zeros, 32);
        put_u32(&b, 1);
        put_u32(&b, 2);
        put_text(&b, "");
        put_text(&b, "\"children\": [],");
    }
    put_u32(&b, 1);
    put_text(&b, from);
    put_text(&b, to);
    put_u32(&b, removal != NULL);
    if (removal) put_text(&b, removal);
    fuzz_journal_repair(b.at, b.count);
    fuzz_seed(name, b.at, b.count);
}

void fuzz_journal_seeds(void) {
    seed_make("rename", "props/gate.entity.json", "props/lamp.entity.json",
              "things/bulb.entity.json", "mud.material.json");
    seed_make("folder", "props/gate.entity.json", "props", "things", NULL);
    seed_make("through_a_link", "link/x.entity.json", "link/x.entity.json", "link/y.entity.json",
              "link/hooks/pre-commit.entity.json");
    seed_make("linked_file", "props/l.entity.json", "props/l.entity.json", "m.entity.json", NULL);
    seed_make("link_moved", NULL, "link", "link2", "props/l.entity.json");
    seed_make("hidden", ".git/x.entity.json", ".git/x.entity.json", "x.entity.json",
              ".git/hooks/post.entity.json");
    seed_make("into_hidden", NULL, "props/lamp.entity.json", ".git/hooks/lamp.entity.json", NULL);
    seed_make("upwards", NULL, "props/lamp.entity.json", "../outside/lamp.entity.json",
              "props/../../outside/x.entity.json");
    seed_make("absolute", NULL, "/etc/x.entity.json", "props/a.entity.json", "/etc/x.entity.json");
    seed_make("any_file", NULL, "readme.txt", "other.txt", "readme.txt");
    seed_make("into_itself", NULL, "props", "props/props", NULL);
}

/* The value at `*at`: a text after the count of its bytes; false at the end. */
static bool text_pass(const u8* data, size_t size, size_t* at, char* text, size_t room) {
    u32 bytes;
    if (size - *at < 4) return false;
    memcpy(&bytes, data + *at, 4);
    if (bytes > size - *at - 4) return false;
    if (text) snprintf(text, room, "%.*s", (int)bytes, (const char*)data + *at + 4);
    *at += 4 + (size_t)bytes;
    return true;
}

/* The hashes of an edit of a file, if it matches. */
static void edit_fix(u8* hashes, const char* path, const StepEdit* edit) {
    char   name[600];
    Arena  arena = {0};
    size_t size;
    snprintf(name, sizeof name, "moved/src/%.500s", path);
    u8* text = fuzz_read(name, &size);
    if (text) {
        const Hash128 before = hash_content(text, size);
        memcpy(hashes, &before, sizeof before);
        const u8* edited =
            splices_apply(&arena, text, &size, edit->splices, edit->splice_count, false);
        const Hash128 after = edited ? hash_content(edited, size) : before;
        memcpy(hashes + sizeof before, &after, sizeof after);
    }
    arena_drop(&arena);
    free(text);
}

static void hash_fix(u8* data, size_t size) {
    const Hash128 hash = hash_content(data + PLACE_AT, size - PLACE_AT);
    memcpy(data + HASH_AT, &hash, sizeof hash);
}

/* Edits are applied only between two known contents: both are looked up. */
static void edits_fix(u8* data, size_t size, const Steps* steps) {
    size_t at = TEXT_AT;
    u32    splices;
    if (!text_pass(data, size, &at, NULL, 0)) return;
    at += 4;
    for (u32 i = 0; i < steps->edits.count && i < EDITS_MAX; i++) {
        char path[600];
        if (!text_pass(data, size, &at, path, sizeof path) || size - at < 36) return;
        edit_fix(data + at, path, &steps->edits.at[i]);
        memcpy(&splices, data + at + 32, 4);
        at += 36;
        for (u32 k = 0; k < splices; k++) {
            at += 4;
            if (!text_pass(data, size, &at, NULL, 0) || !text_pass(data, size, &at, NULL, 0))
                return;
        }
    }
}

void fuzz_journal_repair(u8* data, size_t size) {
    Arena   arena = {0};
    Steps   steps = {0};
    Hash128 place;
    if (size < TEXT_AT) return;
    project_put();
    hash_fix(data, size);
    if (journal_parse(data, size, &arena, &steps, &place)) edits_fix(data, size, &steps);
    hash_fix(data, size);
    steps_drop(&steps);
    arena_drop(&arena);
}

/* --- the use of a journal --- */

/* A copy that was begun on another machine, whatever the fuzzer found out. */
static u8* foreign(const u8* data, size_t size) {
    u8* copy = malloc(size + 1);
    memcpy(copy, data, size);
    if (size < TEXT_AT) return copy;
    const Hash128 hash = hash_content(data + PLACE_AT, size - PLACE_AT);
    memset(copy + PLACE_AT, 0, TEXT_AT - PLACE_AT);
    if (memcmp(data + HASH_AT, &hash, sizeof hash) == 0) hash_fix(copy, size);
    return copy;
}

void fuzz_journal(const u8* data, size_t size) {
    static const JournalUse uses[] = {JOURNAL_REFUSE, JOURNAL_COMPLETE, JOURNAL_FINISH};
    project_put();
    if (!outside.count) {
        fuzz_keep(&outside, "moved/outside");
        fuzz_keep(&hidden, "moved/src/.git");
    }
    FuzzFiles before = {0};
    u8*       journal = foreign(data, size);
    untouched = false;
    fuzz_write(JOURNAL, journal, size);
    fuzz_keep(&before, "moved/src");
    for (u32 i = 0; i < COUNT_OF(uses); i++) {
        const int code = move_finish(fuzz_path("moved/src"), uses[i]);
        project_check();
        if (uses[i] == JOURNAL_FINISH) break; /* which may have changed assets */
        if (code != EXIT_IO) abort(); /* a journal of another machine blocks every command */
        fuzz_same(&before, "moved/src", NULL);
    }
    fuzz_write(JOURNAL, journal, size);
    if (move_finish(fuzz_path("moved/src"), JOURNAL_DROP) != EXIT_OK) abort();
    project_check();
    for (u32 i = 0; i < before.count; i++) {
        free((char*)before.file[i].name);
        free(before.file[i].bytes);
    }
    free(journal);
}

FUZZ_TARGET(journal)
