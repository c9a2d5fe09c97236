/* fix_overrides.c - writes the values of prefabs that overrides replace into these overrides. */
#include "fix_overrides.h"

#include <stdlib.h>

#include "edits.h"
#include "exit_codes.h"
#include "move.h"

/* --- positions in the text of an override --- */

/* The value of the key at an offset. */
static Text value_of_key(const Source* source, u32 key) {
    u32 at = key + json_value_text(source, key).bytes;
    while (source->text[at] != ':') at++;
    do at++;
    while (strchr(" \t\r\n", source->text[at]));
    return json_value_text(source, at);
}

/* The white space before the first member of an object: a new member continues its style. */
static Text member_space(Text object) {
    u32 end = 1;
    while (end < object.bytes && strchr(" \t\r\n", object.at[end])) end++;
    return (Text){object.at + 1, end - 1};
}

/* Where the last member of an object ends. */
static u32 members_end(Text object) {
    u32 end = object.bytes - 1;
    while (strchr(" \t\r\n", object.at[end - 1])) end--;
    return end;
}

/* Are two JSON values equal but for white space between tokens? */
static bool is_same_json(Text a, Text b) {
    bool in_string = false;
    for (u32 i = 0, k = 0;; i++, k++) {
        while (!in_string && i < a.bytes && strchr(" \t\r\n", a.at[i])) i++;
        while (!in_string && k < b.bytes && strchr(" \t\r\n", b.at[k])) k++;
        if (i == a.bytes || k == b.bytes) return i == a.bytes && k == b.bytes;
        if (a.at[i] != b.at[k]) return false;
        if (a.at[i] == '"') in_string = !in_string;
        if (in_string && a.at[i] == '\\') {
            if (++i == a.bytes || ++k == b.bytes || a.at[i] != b.at[k]) return false;
        }
    }
}

/* --- edits --- */

static void override_edit(Edits* e, const LinkFile* file, const DocOverride* override,
                          const char* text) {
    const Source* source = &file->asset->source;
    if (override->was) {
        const Text now = json_value_text(source, override->was);
        if (!is_same_json(now, text_of(text))) edit_add(e, file, override->was, now.bytes, text);
        return;
    }
    const Text object = value_of_key(source, override->offset), space = member_space(object);
    const u32  offset = (u32)(object.at - source->text) + members_end(object);
    edit_add(e, file, offset, 0,
             arena_print(&e->links->arena, ",%.*s\"was\": %s", (int)space.bytes, space.at, text));
}

/* The recorded components of one override, which follow each other. Returns the end. */
static u32 override_record(Edits* e, u32 first) {
    Links* const   l = e->links;
    const LinkWas* was = &l->was.at[first];
    const char*    text = "{";
    u32            end = first;
    for (; end < l->was.count; end++) {
        const LinkWas* at = &l->was.at[end];
        if (at->file != was->file || at->override != was->override) break;
        text = arena_print(&l->arena, "%s%s \"%s\": %s", text, end == first ? "" : ",", at->key,
                           at->text);
    }
    const DocOverride* override = &was->file->asset->content->doc->overrides.at[was->override];
    override_edit(e, was->file, override, arena_print(&l->arena, "%s }", text));
    return end;
}

static int was_order(const void* a, const void* b) {
    const LinkWas *x = a, *y = b;
    const int      path = x->file == y->file ? 0 : strcmp(x->file->path, y->file->path);
    if (path) return path;
    if (x->override != y->override) return x->override < y->override ? -1 : 1;
    return strcmp(x->key, y->key);
}

int fix_overrides_run(const BuildOptions* options) {
    Links links = {.needs_was = true};
    Edits edits = {.links = &links, .command = "fix-overrides"};
    Steps steps = {.text = "recorded what overrides replace"};
    int   code = links_open(&links, options, true, move_journal_use(options));
    if (code == EXIT_OK) {
        if (links.was.count) qsort(links.was.at, links.was.count, sizeof(LinkWas), was_order);
        for (u32 i = 0; i < links.was.count;) i = override_record(&edits, i);
        edits_collect_files(&edits, &steps);
        code = edits.code;
    }
    if (code == EXIT_OK) {
        char report[64];
        snprintf(report, sizeof report, "%u override%s in %u file%s changed", edits.list.count,
                 edits.list.count == 1 ? "" : "s", edits.files.count,
                 edits.files.count == 1 ? "" : "s");
        code = edits_do(&edits, &steps, options, report);
    }
    edits_drop(&edits);
    steps_drop(&steps);
    links_close(&links);
    return code;
}
