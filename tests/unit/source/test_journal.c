/* test_journal.c - the record of an interrupted change is as untrusted as the folder that contains
 * it: what a hostile one cannot do, and what each command does with one of entc. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "file.h"
#include "process.h"
#include "hash.h"
#include "move_journal.h"
#include "test_worlds_support.h"

/* --- journals written by hand --- */

typedef struct Draft {
    u8  bytes[4096];
    u32 count;
} Draft;

static void put_bytes(Draft* d, const void* bytes, size_t count) {
    assert_true(d->count + count <= sizeof d->bytes);
    memcpy(d->bytes + d->count, bytes, count);
    d->count += (u32)count;
}
static void put_u32(Draft* d, u32 value) { put_bytes(d, &value, 4); }
static void put_text(Draft* d, const char* text) {
    put_u32(d, (u32)strlen(text));
    put_bytes(d, text, strlen(text));
}

/* The content of a journal: one edit, one move and one removal, each omitted when its path is NULL.
 * The edit replaces the complete content of the file by `written`. */
typedef struct Change {
    const char *edit, *before, *written;
    const char *from, *to;
    const char* removed;
    u32         offset;    /* of the edit in the file */
    const char* pretended; /* the content of which `after` is the hash; NULL: `written` */
} Change;

static void put_change(Draft* d, const Change* change) {
    put_text(d, "renamed \"a\" to \"b\"");
    put_u32(d, change->edit ? 1 : 0);
    if (change->edit) {
        const Hash128 before = hash_content(change->before, strlen(change->before));
        const char*   content = change->pretended ? change->pretended : change->written;
        const Hash128 after = hash_content(content, strlen(content));
        put_text(d, change->edit);
        put_bytes(d, &before, sizeof before);
        put_bytes(d, &after, sizeof after);
        put_u32(d, 1);
        put_u32(d, change->offset);
        put_text(d, change->before);
        put_text(d, change->written);
    }
    put_u32(d, change->from ? 1 : 0);
    if (change->from) {
        put_text(d, change->from);
        put_text(d, change->to);
    }
    put_u32(d, change->removed ? 1 : 0);
    if (change->removed) put_text(d, change->removed);
}

/* Version 1 contained no place: it was executed wherever it was found. */
static void journal_write_at(const char* folder, u32 version, Hash128 place, const Change* change) {
    Draft   d = {.count = 0};
    Hash128 hash = {0, 0};
    put_bytes(&d, version == 1 ? "entcmv01" : "entcmv02", 8);
    put_bytes(&d, &hash, sizeof hash);
    if (version != 1) put_bytes(&d, &place, sizeof place);
    put_change(&d, change);
    hash = hash_content(d.bytes + 24, d.count - 24);
    memcpy(d.bytes + 8, &hash, sizeof hash);
    test_write(folder, "src/.entc.move", d.bytes, d.count);
}

static void journal_write(const char* folder, u32 version, const Change* change) {
    journal_write_at(folder, version, (Hash128){1, 2}, change);
}

/* FOLDER/src with a source, a .git, and a link to FOLDER/outside. The caller frees the path. */
static char* checkout_new(const char* name) {
    static const TestFile files[] = {
        {"src/a.material.json", "{}\n"},
        {"src/b.component.json",
         "{ \"fields\": { \"x\": { \"type\": \"f32\", \"default\": 1 } } }\n"},
        {"src/Makefile", "all:\n"},
        {"src/hook.material.json", "{}\n"},
        {"src/.git/config", "[core]\n"},
        {"outside/victim.material.json", "{}\n"}};
    char* folder = strdup(test_folder(name));
    for (u32 i = 0; i < COUNT_OF(files); i++) test_write_text(folder, files[i].name, files[i].text);
    TEST_DONE(folder, "ln -s ../outside src/link");
    return folder;
}

#define SNAPSHOT "(find src outside | LC_ALL=C sort; cat src/*.json src/.git/* outside/*)"

/* --- a journal that another program wrote --- */

/* None of these changes anything below the source folder. */
static const char* const readers[] = {"build src -o out --dry-run",
                                      "build src -o out --check",
                                      "build src -o out --list-outputs",
                                      "build src -o out --emit-ninja n",
                                      "compile src a.material -o blob",
                                      "why src -o out",
                                      "deps src a.material",
                                      "refs src a.material",
                                      "unused src --root a.material",
                                      "codegen src",
                                      "schema src -o schema",
                                      "schema src -o schema --check",
                                      "mv src a.material c.material --dry-run",
                                      "rm src a.material --dry-run"};
static const char* const writers[] = {"build src -o out", "mv src a.material c.material",
                                      "rm src a.material"};

static void refused(const char* folder, const char* command, const char* text) {
    TEST_DONE(folder, SNAPSHOT " > before");
    TestRun run = test_command(folder, "entc %s", command);
    if (run.code != 2 || !strstr(run.err, text))
        fail_msg("%s: exit code %d, \"%s\" is expected: %s", command, run.code, text, run.err);
    test_run_free(&run);
    TestRun same = test_command(folder, SNAPSHOT " | diff before -");
    if (same.code != 0) fail_msg("%s has changed the folder: %s", command, same.out);
    test_run_free(&same);
}

static void journal_of_other_folder_or_version_is_refused(void** state) {
    static const Change plant = {.from = "hook.material.json", .to = ".git/hooks/pre-commit"};
    static const Change leave = {.removed = "link/victim.material.json"};
    static const Change plain = {.from = "hook.material.json", .to = "moved.material.json"};
    UNUSED(state);
    char* folder = checkout_new("journal/checkout");
    for (u32 i = 0; i < COUNT_OF(readers) + COUNT_OF(writers); i++) {
        const u32   first = COUNT_OF(readers);
        const char* command = i < first ? readers[i] : writers[i - first];
        journal_write(folder, 1, &plant);
        refused(folder, command, "was not written by this version of entc");
        journal_write(folder, 1, &leave);
        refused(folder, command, "was not written by this version of entc");
        journal_write(folder, 2, &plain);
        refused(folder, command, "`entc mv src --finish` completes it, `entc mv src --drop`");
    }
    free(folder);
}

/* Also when the user requests it: paths that no change of entc contains. */
static void journal_with_path_outside_the_folder_is_refused(void** state) {
    static const char* const paths[] = {"../outside/x.material.json",
                                        "/tmp/x.material.json",
                                        ".git/x.material.json",
                                        "a//x.material.json",
                                        "./x.material.json",
                                        "a/../x.material.json",
                                        "a/.hidden/x.material.json",
                                        "",
                                        "x/",
                                        ".x.material.json"};
    UNUSED(state);
    char* folder = checkout_new("journal/paths");
    for (u32 i = 0; i < COUNT_OF(paths); i++) {
        const Change changes[] = {
            {.edit = paths[i], .before = "{}\n", .written = "[]\n"},
            {.from = "a.material.json", .to = paths[i]},
            {.from = paths[i], .to = "x.material.json"},
            {.removed = paths[i]},
        };
        for (u32 k = 0; k < COUNT_OF(changes); k++) {
            journal_write(folder, 2, &changes[k]);
            refused(folder, "mv src --finish", "is damaged, or was not written by this version");
        }
    }
    free(folder);
}

/* Valid names, but not of sources; and a source that becomes something else. */
static void journal_that_changes_other_files_is_refused(void** state) {
    static const Change changes[] = {
        {.edit = "Makefile", .before = "all:\n", .written = "all: invalid\n"},
        {.removed = "Makefile"},
        {.removed = "a.material.json/Makefile"},
        {.from = "a.material.json", .to = "Makefile2"},
        {.from = "Makefile", .to = "x.material.json"},
    };
    UNUSED(state);
    char* folder = checkout_new("journal/sources");
    for (u32 i = 0; i < COUNT_OF(changes); i++) {
        journal_write(folder, 2, &changes[i]);
        refused(folder, "mv src --finish", "is damaged, or was not written by this version");
    }
    static const Change file = {.from = "Makefile", .to = "x"}; /* named like a folder */
    journal_write(folder, 2, &file);
    refused(folder, "mv src --finish", "\"src/Makefile\" has been changed since");
    free(folder);
}

/* A link in the path, or at its end. */
static void journal_with_link_in_its_path_is_refused(void** state) {
    static const Change changes[] = {
        {.edit = "link/victim.material.json", .before = "{}\n", .written = "[]\n"},
        {.from = "hook.material.json", .to = "link/planted.material.json"},
        {.from = "link/victim.material.json", .to = "stolen.material.json"},
        {.removed = "link/victim.material.json"},
        {.edit = "end.material.json", .before = "{}\n", .written = "[]\n"},
    };
    UNUSED(state);
    char* folder = checkout_new("journal/links");
    TEST_DONE(folder, "ln -s ../outside/victim.material.json src/end.material.json");
    for (u32 i = 0; i < COUNT_OF(changes); i++) {
        journal_write(folder, 2, &changes[i]);
        refused(folder, "mv src --finish", "Too many levels of symbolic links");
    }
    free(folder);
}

/* An entry with the name of the journal that is no regular file. */
static void journal_that_is_no_regular_file_is_refused(void** state) {
    static const char* const obstacles[] = {"mkdir src/.entc.move", "mkfifo src/.entc.move",
                                            "ln -s ../outside/victim.material.json src/.entc.move"};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(obstacles); i++) {
        char* folder = checkout_new("journal/kinds");
        TEST_DONE(folder, "%s", obstacles[i]);
        refused(folder, "build src -o out", "was not written by entc; remove it");
        refused(folder, "mv src --drop", "was not written by entc; remove it");
        free(folder);
    }
}

/* Steps that cannot be taken are not reported as completed, and the journal stays. */
static void journal_step_that_fails_is_reported(void** state) {
    static const Change edit = {.edit = "hook.material.json", .before = "{}\n", .written = "[]\n"};
    static const Change move = {.from = "hook.material.json",
                                .to = "a.material.json/x.material.json"};
    UNUSED(state);
    char* folder = checkout_new("journal/failed");
    journal_write(folder, 2, &move);
    refused(folder, "mv src --finish", "cannot complete an interrupted change of");
    if (SANITIZED) {
        free(folder);
        TEST_SKIP("a sanitizer's program cannot be traced");
    }
    TEST_NEEDS("strace");
    /* The file is read to look at its state twice, and then to change it. */
    for (u32 when = 1; when <= 3; when++) {
        journal_write(folder, 2, &edit);
        TEST_DONE(folder,
                  "strace -f -o trace -P hook.material.json -P src/hook.material.json -e "
                  "trace=openat -e inject=openat:error=EIO:when=%u entc mv src --finish 2> said; "
                  "test $? = 2 && grep -q 'Input/output error' said && test -e src/.entc.move && "
                  "grep -qx '{}' src/hook.material.json",
                  when);
    }
    TEST_DONE(folder, "entc mv src --finish && grep -qx '\\[\\]' src/hook.material.json");
    free(folder);
}

/* One edit and two moves: when a step fails, those before it are undone; when that fails as well,
 * the journal stays for the next command. */
static void journal_steps_before_a_failed_one_are_undone(void** state) {
    static const struct {
        const char* when; /* of the renames: edit, move, move, and back */
        bool        undone;
    } rows[] = {{"1", true},   {"2", true},   {"3", true},     {"1+", true},
                {"2+", false}, {"3+", false}, {"3..4", false}, {"3+2", false}};
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("a sanitizer's program cannot be traced");
    TEST_NEEDS("strace");
    const char* folder = test_folder("journal/undone");
    test_write_text(folder, "kept/a.material.json", "{}\n");
    test_write_text(folder, "kept/a.fr.material.json", "{}\n");
    test_write_text(folder, "kept/p.package.json", "{ \"roots\": [\"a.material\"] }\n");
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        TEST_DONE(folder,
                  "rm -rf src out && cp -r kept src && strace -f -o trace -e trace=renameat -e "
                  "inject=renameat:error=EIO:when=%s entc mv src a.material sub/c.material 2> "
                  "said; test $? = 2 && grep -q 'Input/output error' said",
                  rows[i].when);
        if (rows[i].undone) {
            TEST_DONE(folder, "grep -q 'nothing was changed' said && diff -r kept src");
            continue;
        }
        TEST_DONE(folder, "grep -q 'could not be undone' said && "
                          "test -e src/.entc.move");
        EXPECT(folder, 0, "completed an interrupted change", "entc build src -o out");
        TEST_DONE(folder, "test \"$(find src -type f | sort | xargs)\" = 'src/p.package.json "
                          "src/sub/c.fr.material.json src/sub/c.material.json' && "
                          "grep -q sub/c.material src/p.package.json");
    }
}

/* A journal of a change of which some steps are done, and of a folder that was changed since. */
static void journal_in_any_state_of_its_folder_is_completed_or_refused(void** state) {
#define DIR_EDIT .edit = "dir.1/x.material.json", .before = "{}\n", .written = "[]\n"
#define DIR_MOVE .from = "dir.1", .to = "dir.2"
    static const struct {
        const char* prepare;
        Change      change;
        const char* check; /* NULL: the change is refused */
        const char* message;
    } rows[] = {
        {"true", {.removed = "dir.1/x.material.json"}, "! test -e src/dir.1", "completed"},
        {"true", {DIR_EDIT, DIR_MOVE}, "grep -q '\\[' src/dir.2/x.material.json", "completed"},
        {"echo '[]' > src/dir.1/x.material.json; mv src/dir.1 src/dir.2",
         {DIR_EDIT, DIR_MOVE},
         "test -e src/dir.2/x.material.json",
         "completed"},
        {"rm src/dir.1/x.material.json", {DIR_EDIT, DIR_MOVE}, NULL, "changed since then"},
        {"rm src/hook.material.json",
         {.removed = "hook.material.json"},
         "test -e src/a.material.json",
         "completed"},
        {"mkdir src/dir.1/y.material.json",
         {.removed = "dir.1/y.material.json"},
         NULL,
         "changed since then"},
        {"cp src/a.material.json src/c.material.json",
         {.from = "a.material.json", .to = "c.material.json"},
         NULL,
         "changed since then"},
        {"mv src/hook.material.json src/moved.material.json",
         {.edit = "gone.material.json",
          .before = "{}\n",
          .written = "[]\n",
          .from = "hook.material.json",
          .to = "moved.material.json"},
         NULL,
         "changed since then"},
        {"true",
         {.edit = "hook.material.json", .before = "{}\n", .written = "[]\n", .offset = 9},
         NULL,
         "Stale file handle"},
        {"true",
         {.edit = "hook.material.json", .before = "{}\n", .written = "[]\n", .pretended = "{ }\n"},
         NULL,
         "Stale file handle"},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        char* folder = checkout_new("journal/states");
        test_write_text(folder, "src/dir.1/x.material.json", "{}\n");
        TEST_DONE(folder, "%s", rows[i].prepare);
        journal_write(folder, 2, &rows[i].change);
        if (rows[i].check)
            EXPECT(folder, 0, rows[i].message, "entc mv src --finish && %s", rows[i].check);
        else
            refused(folder, "mv src --finish", rows[i].message);
        free(folder);
    }
#undef DIR_EDIT
#undef DIR_MOVE
}

static void journal_is_completed_by_finish_and_removed_by_drop(void** state) {
    static const Change plain = {.from = "hook.material.json", .to = "sub/moved.material.json"};
    UNUSED(state);
    char* folder = checkout_new("journal/finish");
    EXPECT(folder, 2, "contains no interrupted change", "entc mv src --finish");
    EXPECT(folder, 1,
           "expected SRC OLD NEW, SRC --references OLD NEW, SRC --canonical, SRC --finish or SRC "
           "--drop",
           "entc mv src --finish --drop");
    EXPECT(folder, 1,
           "expected SRC OLD NEW, SRC --references OLD NEW, SRC --canonical, SRC --finish or SRC "
           "--drop",
           "entc mv src a.material");
    journal_write(folder, 2, &plain);
    TEST_DONE(folder, "entc mv src --drop && test -e src/hook.material.json && "
                      "! test -e src/.entc.move && ! test -e src/sub");
    journal_write(folder, 2, &plain);
    EXPECT(folder, 0, "completed an interrupted change: renamed \"a\" to \"b\"",
           "entc mv src --finish && test -e src/sub/moved.material.json && "
           "! test -e src/.entc.move && ! test -e src/hook.material.json");
    free(folder);
}

/* The text is printed on a terminal, which interprets control characters. */
static void journal_text_with_control_characters_is_not_printed(void** state) {
    UNUSED(state);
    char*   folder = checkout_new("journal/escapes");
    Draft   d = {.count = 0};
    Hash128 hash = {0, 0};
    put_bytes(&d, "entcmv02", 8);
    put_bytes(&d, &hash, sizeof hash);
    put_bytes(&d, &hash, sizeof hash);
    char long_text[400] = "\x1b]0;owned\x07\x7f\n";
    memset(long_text + strlen(long_text), 'x', sizeof long_text - 1 - strlen(long_text));
    put_text(&d, long_text);
    put_u32(&d, 0);
    put_u32(&d, 0);
    put_u32(&d, 0);
    hash = hash_content(d.bytes + 24, d.count - 24);
    memcpy(d.bytes + 8, &hash, sizeof hash);
    test_write(folder, "src/.entc.move", d.bytes, d.count);
    TestRun run = test_command(folder, "entc build src -o out");
    assert_int_equal(run.code, 2);
    assert_null(strchr(run.err, '\x1b'));
    assert_null(strchr(run.err, '\x07'));
    assert_null(strchr(run.err, '\x7f'));
    assert_int_equal(strspn(strstr(run.err, "xxx"), "x"), 300 - strlen("?]0;owned???"));
    assert_non_null(strstr(run.err, "owned"));
    test_run_free(&run);
    free(folder);
}

/* --- a journal of entc --- */

/* A command that reads a folder with an interrupted change reports it and leaves it unchanged; in a
 * copy of the folder no command completes it without a request. */
static void interrupted_change_is_reported_or_completed_by_next_command(void** state) {
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("a program with sanitizers cannot be traced");
    TEST_NEEDS("strace");
    char* folder = checkout_new("journal/own");
    TEST_DONE(folder, "rm src/link; strace -f -o trace -e inject=renameat:signal=SIGKILL:when=1 "
                      "entc mv src a.material sub/c.material; test -e src/.entc.move && "
                      "cp -a src copy");
    for (u32 i = 0; i < COUNT_OF(readers); i++)
        refused(folder, readers[i], "contains a change that was not completed");
    EXPECT(folder, 2, "in a copy of the folder", "entc build copy -o out2");
    EXPECT(folder, 0,
           "completed an interrupted change: renamed \"a.material\" to \"sub/c.material\"",
           "entc build src -o out && test -e src/sub/c.material.json && "
           "! test -e src/.entc.move");
    free(folder);
}

/* The first of two files is removed, then the process ends. */
static void interrupted_removal_is_completed_by_next_build(void** state) {
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("a program with sanitizers cannot be traced");
    TEST_NEEDS("strace");
    char* folder = checkout_new("journal/removal");
    TEST_DONE(folder, "rm src/link; cp src/a.material.json src/a.fr.material.json; "
                      "strace -f -o trace -e inject=unlinkat:signal=SIGKILL:when=3 "
                      "entc rm src a.material; test -e src/.entc.move && "
                      "test $(ls src/a.* | wc -l) = 1");
    EXPECT(folder, 0, "completed an interrupted change: removed \"a.material\"",
           "entc build src -o out && ! ls src/a.* && ! test -e src/.entc.move");
    free(folder);
}

/* The second of two files cannot be removed: the first removal cannot be undone. */
static void failed_removal_leaves_its_journal(void** state) {
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("a program with sanitizers cannot be traced");
    TEST_NEEDS("strace");
    char* folder = checkout_new("journal/removal_failed");
    TEST_DONE(folder, "rm src/link; cp src/a.material.json src/a.fr.material.json");
    EXPECT(folder, 2, "the completed part of the change could not be undone",
           "strace -f -o trace -e inject=unlinkat:error=EIO:when=3+ entc rm src a.material");
    TEST_DONE(folder, "test -e src/.entc.move && test $(ls src/a.* | wc -l) = 1");
    EXPECT(folder, 0, "completed an interrupted change: removed \"a.material\"",
           "entc build src -o out && ! ls src/a.* && ! test -e src/.entc.move");
    free(folder);
}

/* A journal that appears while entc writes its own. */
static void change_begun_by_another_process_is_reported(void** state) {
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("a program with sanitizers cannot be traced");
    TEST_NEEDS("strace");
    char* folder = checkout_new("journal/begun");
    TEST_DONE(folder, "rm src/link");
    EXPECT(folder, 2, "another entc process is changing \"src\" at this moment",
           "strace -f -o trace -e inject=linkat:error=EEXIST entc mv src a.material c.material");
    EXPECT(folder, 2, "cannot write \"src/.entc.move\": Input/output error",
           "strace -f -o trace -e inject=linkat:error=EIO entc mv src a.material c.material");
    TEST_DONE(folder, "test -e src/a.material.json && ! test -e src/.entc.move");
    free(folder);
}

/* After its steps the journal is read again: another process may have removed it, or it cannot be
 * read. */
static void journal_read_again_after_its_steps_is_checked(void** state) {
    static const Change plain = {.from = "hook.material.json", .to = "moved.material.json"};
    static const char   finish[] =
        "strace -f -o trace -P .entc.move -P src/.entc.move -e trace=openat "
        "-e inject=openat:error=%s entc mv src --finish";
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("a program with sanitizers cannot be traced");
    TEST_NEEDS("strace");
    char* folder = checkout_new("journal/again");
    journal_write(folder, 2, &plain);
    EXPECT(folder, 0, "", finish, "ENOENT:when=1");
    EXPECT(folder, 2, "cannot read \"src/.entc.move\": Input/output error", finish, "EIO:when=1");
    EXPECT(folder, 2, "cannot access \"src/.entc.move\": Input/output error",
           "strace -f -o trace -P .entc.move -P src/.entc.move -e trace=newfstatat "
           "-e inject=newfstatat:error=EIO entc build src -o out");
    EXPECT(folder, 0, "completed an interrupted change", finish, "ENOENT:when=2");
    EXPECT(folder, 2, "cannot read \"src/.entc.move\": Input/output error", finish, "EIO:when=2");
    TEST_DONE(folder, "test -e src/moved.material.json && test -e src/.entc.move");
    free(folder);
}

/* Without an id of the machine, a journal could come from anywhere. */
static void journal_on_machine_without_id_is_refused(void** state) {
    static const Change plain = {.from = "hook.material.json", .to = "moved.material.json"};
    struct stat         info;
    char                path[1024], text[64];
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("a program with sanitizers cannot be traced");
    TEST_NEEDS("strace");
    char* folder = checkout_new("journal/nameless");
    snprintf(path, sizeof path, "%s/src", folder);
    assert_int_equal(stat(path, &info), 0);
    snprintf(text, sizeof text, " %llu %llu", (unsigned long long)user_number(),
             (unsigned long long)info.st_ino);
    const Hash128 places[] = {hash_content(text, strlen(text)), {0, 0}};
    for (u32 i = 0; i < COUNT_OF(places); i++) {
        journal_write_at(folder, 2, places[i], &plain);
        EXPECT(folder, 2, "was started by another user, on another machine or in a copy",
               "strace -f -o trace -P /etc/machine-id -P /proc/sys/kernel/random/boot_id "
               "-e trace=openat -e inject=openat:error=ENOENT entc build src -o out");
    }
    free(folder);
}

static void message_about_folder_omits_its_trailing_slashes(void** state) {
    UNUSED(state);
    char* folder = checkout_new("journal/slashes");
    test_write_text(folder, "src/.entc.move", "damaged");
    EXPECT(folder, 2, "\"src/.entc.move\" is damaged", "entc build src// -o out");
    EXPECT(folder, 2, "\"/\" contains no interrupted change", "entc mv / --drop");
    free(folder);
}

static bool parses_as_it_is(Guard* guard, const u8* bytes, size_t size) {
    Arena      arena = {0};
    Steps      steps = {0};
    Hash128    place;
    const bool valid =
        journal_parse(memcpy(guard_at(guard, size), bytes, size), size, &arena, &steps, &place);
    steps_drop(&steps);
    arena_drop(&arena);
    return valid;
}

static bool parses(Guard* guard, u8* bytes, size_t size) {
    const Hash128 hash = hash_content(bytes + 24, size > 24 ? size - 24 : 0);
    if (size >= 24) memcpy(bytes + 8, &hash, sizeof hash);
    return parses_as_it_is(guard, bytes, size);
}

/* No memory after the last byte can be read. */
static void journal_truncated_or_with_wrong_counts_is_refused(void** state) {
    static const Change change = {.edit = "a.material.json",
                                  .before = "{}",
                                  .written = "[]",
                                  .from = "b.material.json",
                                  .to = "sub/c.material.json",
                                  .removed = "d.material.json"};
    Draft               d = {.count = 0};
    Hash128             zero = {0, 0};
    Guard               guard;
    UNUSED(state);
    put_bytes(&d, "entcmv02", 8);
    put_bytes(&d, &zero, sizeof zero);
    put_bytes(&d, &zero, sizeof zero);
    put_change(&d, &change);
    guard_open(&guard, sizeof d.bytes);
    assert_true(parses(&guard, d.bytes, d.count));
    for (u32 n = 0; n < d.count; n++) assert_false(parses(&guard, d.bytes, n));
    for (u32 at = 40; at + 4 <= d.count; at++) {
        const Draft kept = d;
        const u32   large[] = {UINT32_MAX, d.count, d.count - at};
        for (u32 k = 0; k < COUNT_OF(large); k++) {
            memcpy(d.bytes + at, &large[k], 4);
            (void)parses(&guard, d.bytes, d.count); /* a hash or a text may be anything */
        }
        d = kept;
    }
    d.bytes[d.count] = 0;
    assert_false(parses(&guard, d.bytes, d.count + 1));
    const u32 path = d.count - (u32)strlen(change.removed) - 4; /* a path with a NUL at its end */
    d.bytes[path]++;
    assert_false(parses(&guard, d.bytes, d.count + 1));
    d.bytes[path]--;
    assert_true(parses(&guard, d.bytes, d.count));
    for (u32 at = 0; at < d.count; at++) { /* another magic, hash or content */
        d.bytes[at] ^= 1;
        assert_false(parses_as_it_is(&guard, d.bytes, d.count));
        d.bytes[at] ^= 1;
    }
    guard_close(&guard);
}

/* Splices of a hostile journal, in which the hashes of the complete file may be valid. */
static void journal_with_splice_out_of_range_is_refused(void** state) {
    static const struct {
        u32         offset[2];
        const char* before[2];
        bool        valid;
    } rows[] = {
        {{0, 3}, {"ab", "de"}, true}, {{0, 6}, {"ab", ""}, true},
        {{0, 7}, {"ab", ""}, false},  {{0, 5}, {"ab", "fg"}, false},
        {{0, 1}, {"ab", "b"}, false}, {{3, 2}, {"d", "c"}, false},
        {{7, 7}, {"", ""}, false},    {{0, UINT32_MAX}, {"a", "a"}, false},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        Arena  arena = {0};
        Splice splices[2];
        size_t size = 6;
        for (u32 k = 0; k < 2; k++)
            splices[k] = (Splice){rows[i].offset[k], text_of(rows[i].before[k]), text_of("xyz")};
        u8* out = splices_apply(&arena, (const u8*)"abcdef", &size, splices, 2, false);
        if ((out != NULL) != rows[i].valid) fail_msg("row %u", i);
        if (out) { /* and back again */
            out = splices_apply(&arena, out, &size, splices, 2, true);
            assert_non_null(out);
            assert_int_equal(size, 6);
            assert_memory_equal(out, "abcdef", 6);
        }
        arena_drop(&arena);
    }
}

/* --- files written elsewhere follow no link either --- */

static void output_folder_that_is_a_link_is_not_written_through(void** state) {
    UNUSED(state);
    char* folder = checkout_new("journal/out");
    TEST_DONE(folder, "rm src/link && mkdir src/sub && echo {} >src/sub/s.material.json && "
                      "mkdir out elsewhere && ln -s ../elsewhere out/sub");
    EXPECT(folder, 2, "the folder \"out/sub\" is a symbolic link, which is not followed",
           "entc build src -o out");
    TEST_DONE(folder, "test -z \"$(ls elsewhere)\" && ! test -e out/a.material && rm out/sub && "
                      "entc build src -o out && entc pack out -o p.pak && mkdir un && "
                      "ln -s ../elsewhere un/sub");
    EXPECT(folder, 2, "Too many levels of symbolic links", "entc unpack p.pak -o un");
    TEST_DONE(folder, "test -z \"$(ls elsewhere)\" && mkdir sch && touch elsewhere/mine && "
                      "ln -s ../elsewhere/mine sch/entity.schema.json && "
                      "entc schema src -o sch && ! test -s elsewhere/mine && "
                      "! test -h sch/entity.schema.json");
    free(folder);
}

/* The build database is written beside OUT, not to the target of a link with its name. */
static void build_database_that_is_a_link_is_not_used(void** state) {
    UNUSED(state);
    char* folder = checkout_new("journal/database");
    TEST_DONE(folder,
              "rm src/link && mkdir elsewhere && ln -s elsewhere .out.entc && "
              "entc build src -o out -q && test -z \"$(ls elsewhere)\" && "
              "test -e out/.entc/database && rm -r out/.entc && ln -s ../elsewhere out/.entc");
    EXPECT(folder, 2, "cannot write the build database in \"out\": Too many levels",
           "entc build src -o out --force");
    TEST_DONE(folder, "test -z \"$(ls elsewhere)\"");
    free(folder);
}

TEST_SUITE(journal) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(journal_of_other_folder_or_version_is_refused),
        cmocka_unit_test(journal_with_path_outside_the_folder_is_refused),
        cmocka_unit_test(journal_that_changes_other_files_is_refused),
        cmocka_unit_test(journal_with_link_in_its_path_is_refused),
        cmocka_unit_test(journal_that_is_no_regular_file_is_refused),
        cmocka_unit_test(journal_step_that_fails_is_reported),
        cmocka_unit_test(journal_steps_before_a_failed_one_are_undone),
        cmocka_unit_test(journal_in_any_state_of_its_folder_is_completed_or_refused),
        cmocka_unit_test(failed_removal_leaves_its_journal),
        cmocka_unit_test(journal_read_again_after_its_steps_is_checked),
        cmocka_unit_test(change_begun_by_another_process_is_reported),
        cmocka_unit_test(journal_is_completed_by_finish_and_removed_by_drop),
        cmocka_unit_test(journal_text_with_control_characters_is_not_printed),
        cmocka_unit_test(interrupted_change_is_reported_or_completed_by_next_command),
        cmocka_unit_test(interrupted_removal_is_completed_by_next_build),
        cmocka_unit_test(journal_on_machine_without_id_is_refused),
        cmocka_unit_test(message_about_folder_omits_its_trailing_slashes),
        cmocka_unit_test(journal_truncated_or_with_wrong_counts_is_refused),
        cmocka_unit_test(journal_with_splice_out_of_range_is_refused),
        cmocka_unit_test(output_folder_that_is_a_link_is_not_written_through),
        cmocka_unit_test(build_database_that_is_a_link_is_not_used),
    };
    return TEST_RUN("journal", tests);
}
