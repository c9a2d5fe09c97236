/* input_list.c - reads a list of inputs. A line that is invalid, or occurs twice, is reported; no file is opened. */
#include "input_list.h"

#include "asset_name.h"
#include "diag.h"
#include "hash.h"
#include "relative.h"
#include "sections.h"

/* --- lookup --- */

static u32* line_slot(const InputList* list, Text text, ResourceType type) {
    u32* slot = slots_first(&list->slots, hash_bytes(text.at, text.bytes, (u64)type));
    for (; *slot; slot = slots_next(&list->slots, slot)) {
        const InputLine* line = &list->lines.at[*slot - 1];
        if (line->type == type && text_equal(line->text, text)) break;
    }
    return slot;
}

static const InputLine* line_find(const InputList* list, Text text, ResourceType type) {
    const u32 row = list->slots.count ? *line_slot(list, text, type) : 0;
    return row ? &list->lines.at[row - 1] : NULL;
}

const InputLine* input_list_file(const InputList* list, const char* path) {
    return line_find(list, text_of(path), RESOURCE_NONE);
}

const InputLine* input_list_resource(const InputList* list, Text name, ResourceType type) {
    return line_find(list, name, type);
}

/* --- reading --- */

static u32 line_of(const InputList* list, u32 offset) {
    u32 line = 1;
    for (u32 i = 0; i < offset; i++) line += list->source.text[i] == '\n';
    return line;
}

/* What is wrong with the path of a file in the source folder; or NULL. */
static const char* path_fault(Text path) {
    u32 depth = 0;
    if (!path_is_below(path)) return "must be below the source folder";
    for (u32 i = 0, begin = 0; i <= path.bytes; i++) {
        if (i < path.bytes && path.at[i] != '/') continue;
        if (i == begin) return "has an empty part";
        if (path.at[begin] == '.')
            return "has a part that begins with a dot, which a build does not read";
        begin = i + 1;
        depth++;
    }
    return depth > TREE_DEPTH_MAX + 1 ? "is more than 64 folders deep" : NULL;
}

static bool text_begins(Text text, const char* word, Text* rest) {
    const u32 bytes = (u32)strlen(word);
    if (text.bytes < bytes || memcmp(text.at, word, bytes) != 0) return false;
    *rest = (Text){text.at + bytes, text.bytes - bytes};
    return true;
}

/* Returns false after reporting what is wrong with the line. */
static bool line_parse(const InputList* list, Text text, InputLine* line, Diagnostics* diag) {
    const u32   bytes = MAX_OF(text.bytes, 1u);
    const char* fault = NULL;
    if (memchr(text.at, 0, text.bytes) || (text.bytes && text.at[text.bytes - 1] == '\r')) {
        diag_error(diag, E0317, &list->source, line->offset, bytes,
                   "the line contains a control character; each line ends with a line feed only");
    } else if (text_begins(text, "file ", &line->text)) {
        fault = path_fault(line->text);
        if (fault)
            diag_error(diag, E0317, &list->source, line->offset + 5, line->text.bytes,
                       "the path \"%.*s\" %s", (int)line->text.bytes, line->text.at, fault);
        return !fault;
    } else if (text_begins(text, "resource ", &line->text) ||
               text_begins(text, "part ", &line->text)) {
        const Text resource = line->text;
        line->is_part = text.at[0] == 'p';
        if (resource_is_named(resource, &line->text, &line->type) &&
            resource_name_is_canonical(line->text))
            return true;
        diag_error(diag, E0317, &list->source, line->offset + text.bytes - resource.bytes,
                   MAX_OF(resource.bytes, 1u),
                   "\"%.*s\" is not the name of a resource, such as \"props/lamp.entity\"",
                   (int)resource.bytes, resource.at);
    } else {
        diag_error(diag, E0317, &list->source, line->offset, bytes,
                   "the line must have the form \"file PATH\", \"resource NAME.TYPE\" or \"part "
                   "NAME.TYPE\"");
    }
    return false;
}

/* Returns false after reporting that there is such a line already. */
static bool line_add(InputList* list, const InputLine* line, Diagnostics* diag) {
    u32* slot = line_slot(list, line->text, line->type);
    if (*slot) {
        diag_error(diag, E0317, &list->source, line->offset, 1,
                   "line %u contains the same already; remove one of them",
                   line_of(list, list->lines.at[*slot - 1].offset));
        return false;
    }
    *array_push(&list->lines) = *line;
    *slot = list->lines.count;
    return true;
}

/* As many as there are lines, so that they are not moved. */
static void lines_reserve(InputList* list, Tree* tree) {
    const char* end = list->source.text + list->source.bytes;
    u32         count = 1;
    for (const char* at = list->source.text; (at = memchr(at, '\n', (size_t)(end - at))); at++)
        count++;
    array_reserve(&list->lines, count);
    array_reserve(&tree->files, count);
    slots_alloc(&list->slots, slots_needed(count, 64));
}

static void lines_read(InputList* list, Tree* tree, Diagnostics* diag) {
    const char* at = list->source.text;
    const char* end = at + list->source.bytes;
    lines_reserve(list, tree);
    while (at < end) {
        const char* stop = memchr(at, '\n', (size_t)(end - at));
        const Text  text = {at, (u32)((stop ? stop : end) - at)};
        InputLine   line = {.offset = (u32)(at - list->source.text)};
        if (!stop)
            diag_error(diag, E0317, &list->source, line.offset, text.bytes,
                       "the last line does not end with a line feed; the list may be incomplete");
        else if (line_parse(list, text, &line, diag) && line_add(list, &line, diag) &&
                 line.type == RESOURCE_NONE)
            tree_add(tree, line.text);
        at += text.bytes + 1;
    }
}

ent_status input_list_read(InputList* list, const char* path, Tree* tree, Diagnostics* diag) {
    FileStamp stamp;
    tree->is_listed = true;
    if (file_copy_stamped(&list->view, path, &stamp, INPUT_LIST_BYTES_MAX, NULL) != ENT_OK)
        return ENT_IO;
    list->source = source_of(path, "", 0);
    if (list->view.size > INPUT_LIST_BYTES_MAX) {
        diag_error(diag, E0106, &list->source, 0, 1,
                   "the file size of %zu bytes exceeds the limit of %u bytes", list->view.size,
                   INPUT_LIST_BYTES_MAX);
        return ENT_OK;
    }
    list->source = source_of(path, (const char*)list->view.bytes, (u32)list->view.size);
    lines_read(list, tree, diag);
    return ENT_OK;
}

void input_list_drop(InputList* list) {
    array_drop(&list->lines);
    slots_drop(&list->slots);
    file_unmap(&list->view);
}

bool input_list_can_have(const char* path) {
    const size_t bytes = strlen(path);
    return !strchr(path, '\n') && bytes > 0 && path[bytes - 1] != '\r';
}
