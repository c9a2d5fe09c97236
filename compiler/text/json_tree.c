/* json_tree.c - builds the tree: scan strictly, let cJSON parse, walk both in step. */
#include "json_tree.h"

/* cJSON copies a number into 63 characters and reads it in the host's locale. Therefore each number
 * in its copy of the text is replaced by a 0 and spaces, and the values come from the scanner.
 * U+0000 would end its strings and is replaced by U+FFFD. */
static void blank(char* text, size_t bytes) {
    bool in_string = false;
    for (size_t i = 0; i < bytes; i++) {
        if (in_string && text[i] == '\\') {
            if (strncmp(text + i, "\\u0000", 6) == 0) memcpy(text + i, "\\ufffd", 6);
            i++;
        } else if (in_string) {
            in_string = text[i] != '"';
        } else if (text[i] == '"') {
            in_string = true;
        } else if (text[i] == '-' || (text[i] >= '0' && text[i] <= '9')) {
            text[i] = '0';
            while (i + 1 < bytes && text[i + 1] != '\0' && strchr("+-.eE0123456789", text[i + 1]))
                text[++i] = ' ';
        }
    }
}

static cJSON* parse(const char* text, size_t bytes) {
    char* copy = memory_alloc(bytes + 1);
    memcpy(copy, text, bytes);
    blank(copy, bytes);
    cJSON* root = cJSON_ParseWithLength(copy, bytes);
    memory_free(copy);
    return root;
}

static bool same_kind(const cJSON* node, JsonKind kind) {
    static const int kinds[] = {
        [JSON_NULL] = cJSON_NULL,     [JSON_FALSE] = cJSON_False,   [JSON_TRUE] = cJSON_True,
        [JSON_NUMBER] = cJSON_Number, [JSON_STRING] = cJSON_String, [JSON_ARRAY] = cJSON_Array,
        [JSON_OBJECT] = cJSON_Object,
    };
    return (node->type & 0xff) == kinds[kind];
}

static bool walk(JsonTree* tree, Json* json, cJSON* node);

static bool walk_children(JsonTree* tree, Json* json, cJSON* node, JsonKind kind) {
    JsonString key;
    cJSON*     child = node->child;
    if (!json_enter(json, kind)) return false;
    while (kind == JSON_OBJECT ? json_key(json, &key) : json_item(json)) {
        if (!child) return false;
        if (kind == JSON_OBJECT && !json->foreign && !json_equals(key, child->string)) return false;
        const bool foreign = kind == JSON_OBJECT && json_key_is_foreign(json, key);
        json->foreign += foreign;
        if (!walk(tree, json, child)) return false;
        json->foreign -= foreign;
        child = child->next;
    }
    return !child && !json->failed;
}

/* Recursion is bounded by JSON_DEPTH_MAX. */
static bool walk(JsonTree* tree, Json* json, cJSON* node) {
    JsonKind kind;
    if (!json_kind(json, &kind) || !same_kind(node, kind)) return false;
    if (tree->offsets.count == INT32_MAX) return false;
    node->valueint = (int)tree->offsets.count;
    *array_push(&tree->offsets) = json_offset(json);
    if (kind == JSON_ARRAY || kind == JSON_OBJECT) return walk_children(tree, json, node, kind);
    return kind == JSON_NUMBER ? json_number(json, &node->valuedouble) : json_skip(json);
}

/* `whole`: nothing may follow the value. */
static bool tree_open(JsonTree* tree, Json json, bool whole) {
    const Source* source = json.source;
    Json          scan = json;
    *tree = (JsonTree){.source = source, .diag = json.diag};
    if (!json_skip(&scan) || (whole && !json_end(&scan))) return false;

    const u32 begin = json_offset(&json);
    tree->root = parse(source->text + begin, (size_t)(scan.at - (source->text + begin)));
    if (!tree->root)
        memory_exhausted(source->bytes); /* the scanner accepted the text: there is no other
                                          * reason */
    if (walk(tree, &json, tree->root)) return true;
    diag_error(json.diag, E0101, source, begin, 1,
               "internal error: the scanner and the tree differ after %u values",
               tree->offsets.count);
    json_tree_close(tree);
    return false;
}

bool json_tree_open(JsonTree* tree, const Source* source, u32 offset, Diagnostics* diag) {
    return tree_open(tree, json_open(source, offset, diag), offset == 0);
}

bool json_tree_open_gltf(JsonTree* tree, const Source* source, Diagnostics* diag) {
    return tree_open(tree, json_open_gltf(source, diag), true);
}

void json_tree_close(JsonTree* tree) {
    cJSON_Delete(tree->root);
    tree->root = NULL;
    array_drop(&tree->offsets);
}

u32 json_tree_offset(const JsonTree* tree, const cJSON* node) {
    assert(node->valueint >= 0 && (u32)node->valueint < tree->offsets.count);
    return tree->offsets.at[node->valueint];
}

/* From the value back to the quotes of its key: from the beginning of the object, reports about all keys
 * of an object would take the square of their number. */
Text json_tree_key(const JsonTree* tree, const cJSON* member) {
    const char* text = tree->source->text;
    u32         end = json_tree_offset(tree, member), begin;
    while (end && text[end - 1] != '"') end--; /* white space and the colon */
    assert(end >= 2 && "the text has been read before");
    for (begin = end - 1; begin--;) {
        u32 escapes = 0;
        if (text[begin] != '"') continue;
        while (escapes < begin && text[begin - escapes - 1] == '\\') escapes++;
        if (escapes % 2 == 0) break; /* within a key, a quote has an odd number of them before it */
        begin -= escapes;
    }
    return (Text){text + begin, end - begin};
}

JsonKind json_tree_kind(const cJSON* node) {
    switch (node->type & 0xff) {
    case cJSON_False: return JSON_FALSE;
    case cJSON_True: return JSON_TRUE;
    case cJSON_Number: return JSON_NUMBER;
    case cJSON_String: return JSON_STRING;
    case cJSON_Array: return JSON_ARRAY;
    case cJSON_Object: return JSON_OBJECT;
    default: return JSON_NULL;
    }
}

const cJSON* json_tree_get(const cJSON* object, const char* key) {
    if (!cJSON_IsObject(object)) return NULL;
    const cJSON* member = object->child;
    while (member && strcmp(member->string, key) != 0) member = member->next;
    return member;
}
