/* settings.c - reads entc.json, and validates the names of variants with it. */
#include "settings.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>

#include "diag.h"
#include "exit_codes.h"
#include "hash.h"
#include "json_tokens.h"
#include "lfs_pointer.h"
#include "model_rules.h"
#include "path_pattern.h"
#include "sections.h"
#include "slots.h"

#define FILE_BYTES_MAX (1u << 20)
#define LIST_BYTES     200 /* of names in a message */

static const char* const remarks[] = {
#define REMARK_TEXT(NAME, text, code, several, meaning) text,
    MODEL_REMARKS(REMARK_TEXT)
#undef REMARK_TEXT
};

static const char* const name_rules[] = {
#define RULE_TEXT(F, R, name, text) #name,
    MODEL_NAME_RULES(RULE_TEXT, , )
#undef RULE_TEXT
};

static const char models[] = "models"; /* keys of one object have the same pointer */

static const SettingsKey keys[] = {
    {NULL, "languages", "language",
     "The languages of the project, as used by --lang and the names of variants: "
     "\"sign.fr.entity.json\" is a variant for the language fr.",
     offsetof(Settings, languages), NULL, 0, false},
    {NULL, "platforms", "platform",
     "The platforms of the project, as used by --platform and the names of variants: "
     "\"rock.mobile.gltf\" is a variant for the platform mobile.",
     offsetof(Settings, platforms), NULL, 0, false},
    {models, "accept", "kind of remark",
     "The kinds of remarks about models that are not reported: what a model contains and the "
     "outputs "
     "do not, and faults that do not change its meaning.",
     offsetof(Settings, accepted), remarks, COUNT_OF(remarks), false},
    {models, "names_off", "rule for names",
     "The rules by which names of objects in models mean something, such as \"Tree_LOD1\", and "
     "that "
     "the project does not use. NAME.model.json can state them for one model.",
     offsetof(Settings, names_off), name_rules, COUNT_OF(name_rules), false},
    {models, "strict", NULL,
     "true: faults of models that entc would repair, and report as warnings W0411, are errors.",
     offsetof(Settings, strict), NULL, 0, false},
    {"data", "files", "pattern",
     "The files that are resources of the type data, their bytes unchanged: patterns of names "
     "(\"*.ogg\") or of paths from the source folder (\"scripts/**/*.lua\").",
     offsetof(Settings, raw), NULL, 0, true},
};

const char* const settings_severities[] = {
#define SEVERITY_TEXT(severity, text) text,
    DIAG_SEVERITIES(SEVERITY_TEXT)
#undef SEVERITY_TEXT
};

u32 settings_keys(const SettingsKey** out) {
    *out = keys;
    return COUNT_OF(keys);
}

static SettingsNames* names_of(Settings* s, const SettingsKey* key) {
    return (SettingsNames*)((char*)s + key->member);
}

/* --- reading --- */

static void wrong_kind(const Settings* s, const JsonToken* value, const char* what,
                       Diagnostics* diag) {
    diag_error(diag, E0202, &s->source, json_token_offset(&s->source, value), 1, "%s, not %s", what,
               json_kind_name(json_token_kind(value)));
}

static bool name_exists(const SettingsNames* list, Text name) {
    if (list->names.count == 0) return false;
    const u32* slot = slots_first(&list->slots, hash_bytes(name.at, name.bytes, 0));
    while (*slot && !text_equal(text_of(list->names.at[*slot - 1]), name))
        slot = slots_next(&list->slots, slot);
    return *slot;
}

static void name_keep(SettingsNames* list, const char* name) {
    if (list->names.count == 0) slots_alloc(&list->slots, slots_needed(SETTINGS_NAMES_MAX, 16));
    assert(list->names.count < SETTINGS_NAMES_MAX);
    *array_push(&list->names) = name;
    *slots_free(&list->slots, hash_bytes(name, strlen(name), 0)) = list->names.count;
}

static void names_drop(SettingsNames* list) {
    array_drop(&list->names);
    slots_drop(&list->slots);
}

/* Is it one of the names that the key allows? Reports when it is not. */
static bool name_check_listed(Settings* s, const SettingsKey* key, u32 offset, const char* name,
                              Diagnostics* diag) {
    char list[512];
    for (u32 i = 0; i < key->known_count; i++) {
        if (strcmp(key->known[i], name) == 0) return true;
    }
    const char* near = diag_nearest(text_of(name), key->known, key->known_count);
    diag_error(diag, E0205, &s->source, offset, (u32)strlen(name) + 2,
               "\"%.64s\" is not a %s; expected one of %s%s%s%s", name, key->one,
               diag_names(list, sizeof list, key->known, key->known_count, key->known_count),
               DIAG_NEAREST(near));
    return false;
}

/* Is a name, which is used in file names, spelled like a resource name? Reports when it is not. */
static bool name_check_spelling(Settings* s, const SettingsKey* key, u32 offset, u32 bytes,
                                const char* name, Diagnostics* diag) {
    char fixed[256];
    if (tag_is_valid(text_of(name))) return true;
    if (resource_name_is_canonical(text_of(name)) && !strchr(name, '/')) {
        diag_error(
            diag, E0301, &s->source, offset, bytes,
            "the name of a %s must contain a letter, because a part of digits belongs to the "
            "name of a file",
            key->one);
        return false;
    }
    name_fix(text_of(name), fixed);
    for (char* at = fixed; *at; at++) {
        if (*at == '/') *at = '_';
    }
    diag_error(diag, E0301, &s->source, offset, bytes,
               "the name of a %s may contain only a-z, 0-9, '_' and '-'%s%s%s", key->one,
               *fixed ? "; write \"" : "", fixed, *fixed ? "\"" : "");
    return false;
}

static bool pattern_check(Settings* s, u32 offset, u32 bytes, const char* pattern,
                          Diagnostics* diag) {
    const char* fault = path_pattern_fault(pattern);
    if (fault)
        diag_error(diag, E0210, &s->source, offset, bytes, "invalid pattern \"%.200s\": %s",
                   pattern, fault);
    return !fault;
}

/* One item of a list. */
static void name_add(Settings* s, const SettingsKey* key, u32 offset, JsonString string,
                     Diagnostics* diag) {
    SettingsNames* list = names_of(s, key);
    const char*    name = json_decode(string, &s->arena);
    const u32      bytes = string.raw.bytes + 2;
    const bool     is_valid = key->known ? name_check_listed(s, key, offset, name, diag)
                              : key->is_pattern
                                  ? pattern_check(s, offset, bytes, name, diag)
                                  : name_check_spelling(s, key, offset, bytes, name, diag);
    if (!is_valid) return;
    if (name_exists(list, text_of(name))) {
        diag_error(diag, E0209, &s->source, offset, bytes,
                   "duplicate item \"%s\"; remove one of the two", name);
    } else if (list->names.count == SETTINGS_NAMES_MAX) {
        diag_error(diag, E0309, &s->source, offset, bytes, "a project may have at most %u %s",
                   SETTINGS_NAMES_MAX, key->is_pattern ? "patterns of files" : key->name);
    } else {
        name_keep(list, name);
    }
}

static void names_read(Settings* s, const SettingsKey* key, const JsonToken* value,
                       Diagnostics* diag) {
    SettingsNames* list = names_of(s, key);
    char           what[64];
    list->given = true;
    list->offset = json_token_offset(&s->source, value);
    snprintf(what, sizeof what, "\"%s\" must be an array of strings", key->name);
    if (!json_token_is(value, JSON_ARRAY)) {
        wrong_kind(s, value, what, diag);
        return;
    }
    snprintf(what, sizeof what, "a %s must be a string", key->one);
    for (const JsonToken* item = json_first(value); item; item = json_next(item)) {
        if (json_token_is(item, JSON_STRING))
            name_add(s, key, json_token_offset(&s->source, item), json_token_string(item), diag);
        else
            wrong_kind(s, item, what, diag);
    }
}

static void switch_read(Settings* s, const SettingsKey* key, const JsonToken* value,
                        Diagnostics* diag) {
    char what[64];
    snprintf(what, sizeof what, "\"%s\" must be true or false", key->name);
    if (json_token_is(value, JSON_TRUE) || json_token_is(value, JSON_FALSE))
        *(bool*)((char*)s + key->member) = json_token_is_true(value);
    else
        wrong_kind(s, value, what, diag);
}

/* --- severities --- */

/* Returns the code of a warning, or DIAG_CODE_COUNT after reporting an error. */
static DiagCode severity_code(const Settings* s, JsonString key, Diagnostics* diag) {
    const u32      at = (u32)(key.raw.at - s->source.text) - 1, bytes = key.raw.bytes + 2;
    const DiagCode code = diag_code_named(key.raw);
    const char*    warnings[DIAG_CODE_COUNT];
    u32            count = 0;
    if (code < DIAG_CODE_COUNT && diag_code_is_warning(code)) return code;
    for (u32 i = 0; i < DIAG_CODE_COUNT; i++) {
        if (diag_code_is_warning((DiagCode)i)) warnings[count++] = diag_code_name((DiagCode)i);
    }
    const char* near = diag_nearest(key.raw, warnings, count);
    char        list[512];
    if (code < DIAG_CODE_COUNT) {
        diag_error(diag, E0201, &s->source, at, bytes,
                   "%s is the code of an error, which cannot have another severity; only codes of "
                   "warnings, which begin with W, can be set",
                   diag_code_name(code));
    } else if (near) {
        diag_error(diag, E0201, &s->source, at, bytes,
                   "there is no warning with the code \"%.*s\"%s%s%s",
                   (int)MIN_OF(key.raw.bytes, 64u), key.raw.at, DIAG_NEAREST(near));
    } else {
        diag_error(diag, E0201, &s->source, at, bytes,
                   "there is no warning with the code \"%.*s\"; expected one of %s",
                   (int)MIN_OF(key.raw.bytes, 64u), key.raw.at,
                   diag_names(list, sizeof list, warnings, count, count));
    }
    return DIAG_CODE_COUNT;
}

static void severity_set(Settings* s, DiagCode code, u32 offset, JsonString text,
                         Diagnostics* diag) {
    const char* const* known = &settings_severities[DIAG_OFF];
    const u32          count = DIAG_SEVERITY_COUNT - DIAG_OFF;
    char               list[64];
    for (u32 i = 0; i < count; i++) {
        if (!json_equals(text, known[i])) continue;
        s->severities.of[code] = (u8)(DIAG_OFF + i);
        return;
    }
    diag_error(diag, E0205, &s->source, offset, text.raw.bytes + 2,
               "\"%.*s\" is not a severity; expected one of %s%s%s%s",
               (int)MIN_OF(text.raw.bytes, 64u), text.raw.at,
               diag_names(list, sizeof list, known, count, count),
               DIAG_NEAREST(diag_nearest(text.raw, known, count)));
}

static void severities_read(Settings* s, const JsonToken* object, Diagnostics* diag) {
    for (const JsonToken* m = json_first(object); m; m = json_next(m)) {
        const JsonString key = json_token_key(m);
        const DiagCode code = json_key_is_note(key) ? DIAG_CODE_COUNT : severity_code(s, key, diag);
        if (code == DIAG_CODE_COUNT) continue;
        if (json_token_is(m, JSON_STRING))
            severity_set(s, code, json_token_offset(&s->source, m), json_token_string(m), diag);
        else
            wrong_kind(s, m, "the severity of a diagnostic must be a string", diag);
    }
}

/* --- keys --- */

static bool key_is_in(const SettingsKey* key, const char* object) {
    return object ? key->object && strcmp(key->object, object) == 0 : !key->object;
}

/* `object` is the key of the object that contains it; NULL: the file. */
static void unknown_key(const Settings* s, const char* object, JsonString key, Diagnostics* diag) {
    const char* known[COUNT_OF(keys) + 1];
    u32         count = 0;
    if (!object) known[count++] = SETTINGS_SEVERITIES;
    for (u32 i = 0; i < COUNT_OF(keys); i++) {
        assert(count < COUNT_OF(known)); /* at most one for each key */
        if (key_is_in(&keys[i], object))
            known[count++] = keys[i].name;
        else if (!object)
            known[count++] = keys[i].object;
    }
    diag_error(diag, E0201, &s->source, (u32)(key.raw.at - s->source.text) - 1, key.raw.bytes + 2,
               "unknown key \"%.*s\" in the settings of a project%s%s%s", (int)key.raw.bytes,
               key.raw.at, DIAG_NEAREST(diag_nearest(key.raw, known, count)));
}

static void object_read(Settings* s, const char* object, const JsonToken* value, Diagnostics* diag);

/* The value of a key whose value is an object. */
static void object_enter(Settings* s, const char* object, const JsonToken* value,
                         Diagnostics* diag) {
    char what[64];
    snprintf(what, sizeof what, "\"%s\" must be an object", object);
    if (!json_token_is(value, JSON_OBJECT))
        wrong_kind(s, value, what, diag);
    else if (strcmp(object, SETTINGS_SEVERITIES) == 0)
        severities_read(s, value, diag);
    else
        object_read(s, object, value, diag);
}

static void key_read(Settings* s, const char* object, const JsonToken* value, Diagnostics* diag) {
    const JsonString key = json_token_key(value);
    if (!object && json_equals(key, SETTINGS_SEVERITIES)) {
        object_enter(s, SETTINGS_SEVERITIES, value, diag);
        return;
    }
    for (u32 i = 0; i < COUNT_OF(keys); i++) {
        if (key_is_in(&keys[i], object) && json_equals(key, keys[i].name)) {
            if (keys[i].one)
                names_read(s, &keys[i], value, diag);
            else
                switch_read(s, &keys[i], value, diag);
            return;
        }
        if (!object && keys[i].object && json_equals(key, keys[i].object)) {
            object_enter(s, keys[i].object, value, diag);
            return;
        }
    }
    if (!json_key_is_note(key)) unknown_key(s, object, key, diag);
}

static void object_read(Settings* s, const char* object, const JsonToken* value,
                        Diagnostics* diag) {
    for (const JsonToken* m = json_first(value); m; m = json_next(m)) key_read(s, object, m, diag);
}

static void text_read(Settings* s, Diagnostics* diag) {
    JsonTokens tokens;
    if (json_tokens_open(&tokens, &s->source, diag)) {
        const JsonToken* root = json_tokens_root(&tokens);
        if (json_token_is(root, JSON_OBJECT))
            object_read(s, NULL, root, diag);
        else
            wrong_kind(s, root, "the settings of a project must be an object", diag);
    }
    json_tokens_close(&tokens);
}

/* A file that is read, or a symbolic link to one in the folder. Whether there is a file outside has
 * no effect on what is reported, and its content is not. */
static bool is_in_folder(const char* path, const char* folder) {
    char     real[4096], root[4096];
    FileKind kind;
    if (file_look(path, false, &kind) != ENT_OK || kind != FILE_OTHER) return true;
    if (path_resolve(path, real, sizeof real) != ENT_OK ||
        path_resolve(folder, root, sizeof root) != ENT_OK)
        return false;
    const size_t bytes = strlen(root);
    return strncmp(real, root, bytes) == 0 && real[bytes] == '/';
}

void settings_read(Settings* s, const Tree* tree, Diagnostics* diag) {
    ent_status status = ENT_OK;
    const u32  errors = diag_error_count(diag);
    *s = (Settings){0};
    s->source = source_of(arena_print(&s->arena, "%s/" SETTINGS_FILE, tree->root), "", 0);
    const bool inside = tree->is_listed || is_in_folder(s->source.path, tree->root);
    if (inside)
        status = file_copy_stamped(&s->view, s->source.path, &s->stamp, FILE_BYTES_MAX, NULL);
    if (status == ENT_NOT_FOUND && !tree->is_listed) return;
    s->exists = true;
    if (!inside) {
        diag_error(diag, E0302, &s->source, 0, 1,
                   "the symbolic link does not lead to a file in the asset folder");
    } else if (status != ENT_OK) {
        const int error = errno;
        diag_error(diag, diag_unread_code(error), &s->source, 0, 1, "the file cannot be read: %s",
                   strerror(error));
    } else if (s->view.size > FILE_BYTES_MAX) {
        diag_error(diag, E0106, &s->source, 0, 1,
                   "the file size of %zu bytes exceeds the limit of %u bytes", s->view.size,
                   FILE_BYTES_MAX);
    } else if (lfs_is_pointer(s->view.bytes, s->view.size)) {
        diag_error(diag, E0110, &s->source, 0, 1, "the file cannot be read: " LFS_POINTER_TEXT);
    } else {
        s->source.text = (const char*)s->view.bytes;
        s->source.bytes = (u32)s->view.size;
        s->hash = hash_content(s->view.bytes, s->view.size);
        text_read(s, diag);
    }
    s->has_errors = diag_error_count(diag) != errors;
}

void settings_drop(Settings* s) {
    names_drop(&s->languages);
    names_drop(&s->platforms);
    names_drop(&s->accepted);
    names_drop(&s->names_off);
    names_drop(&s->raw);
    file_unmap(&s->view);
    arena_drop(&s->arena);
}

u32 settings_accepted(const Settings* s) {
    u32 accepted = 0;
    for (u32 i = 0; i < COUNT_OF(remarks) && !s->has_errors; i++) {
        accepted |= (u32)name_exists(&s->accepted, text_of(remarks[i])) << i;
    }
    return accepted;
}

u32 settings_names_off(const Settings* s) {
    u32 off = 0;
    for (u32 i = 0; i < COUNT_OF(name_rules) && !s->has_errors; i++)
        off |= (u32)name_exists(&s->names_off, text_of(name_rules[i])) << i;
    return off;
}

bool settings_strict(const Settings* s) { return s->strict && !s->has_errors; }

/* --- files of the type data --- */

/* Does a pattern select the path, or its canonical spelling? */
static bool is_raw(const Settings* s, const char* path) {
    char alike[PATH_ALIKE_BYTES];
    bool found = false;
    for (u32 i = 0; i < s->raw.names.count && !found; i++)
        found = path_pattern_matches(s->raw.names.at[i], path);
    if (found || path[strspn(path, "abcdefghijklmnopqrstuvwxyz0123456789_-./")] == 0) return found;
    const Text canonical = path_canonical(text_of(path), alike);
    alike[canonical.at == path ? 0 : canonical.bytes] = 0;
    for (u32 i = 0; i < s->raw.names.count && !found; i++)
        found = path_pattern_matches(s->raw.names.at[i], alike);
    return found;
}

Suffix settings_suffix(const Settings* s, const char* path) {
    const char*  slash = strrchr(path, '/');
    const Text   base = text_of(slash ? slash + 1 : path);
    const Suffix suffix = suffix_of(base);
    if (!s || s->raw.names.count == 0 || suffix_is_typed(suffix) ||
        strcmp(path, SETTINGS_FILE) == 0)
        return suffix;
    return is_raw(s, path) ? suffix_of_data(base) : suffix;
}

/* --- variants --- */

bool settings_have_variants(const Settings* s) {
    return !s->has_errors && (s->languages.given || s->platforms.given);
}

/* "de, en, fr"; names that do not fit are counted. */
static void list_print(const SettingsNames* list, char* text, size_t room) {
    size_t used = 0;
    *text = 0;
    for (u32 i = 0; i < list->names.count; i++) {
        const size_t more = strlen(list->names.at[i]) + 2;
        if (used + more + sizeof " and 1024 more" > room) {
            snprintf(text + used, room - used, " and %u more", list->names.count - i);
            return;
        }
        used +=
            (size_t)snprintf(text + used, room - used, "%s%s", i ? ", " : "", list->names.at[i]);
    }
}

/* A suggestion: a name with a similar spelling, or the longest name with which the word begins, as
 * "french" with "fr". */
static const char* name_intended(Text word, const char* const* names, u32 count) {
    const char* near = diag_nearest(word, names, count);
    u32         max = 1;
    if (near) return near;
    for (u32 i = 0; i < count; i++) {
        const Text name = text_of(names[i]);
        if (name.bytes <= max || name.bytes > word.bytes) continue;
        if (memcmp(name.at, word.at, name.bytes) == 0) max = name.bytes, near = names[i];
    }
    return near;
}

static int name_check_known(const Settings* s, const SettingsNames* list, const char* one,
                            const char* name) {
    char text[LIST_BYTES];
    if (!name || name_exists(list, text_of(name))) return EXIT_OK;
    list_print(list, text, sizeof text);
    const char* near = name_intended(text_of(name), list->names.at, list->names.count);
    fprintf(stderr, "entc: error: \"%s\" does not list the %s \"%s\"; %s%s%s%s%s\n", s->source.path,
            one, name,
            *text         ? "it lists "
            : list->given ? "its list is empty"
                          : "there is no such list",
            text, DIAG_NEAREST(near));
    return EXIT_USAGE;
}

int settings_check_variant(const Settings* s, Variant variant) {
    if (!settings_have_variants(s)) return EXIT_OK;
    const int code = name_check_known(s, &s->languages, "language", variant.lang);
    return code == EXIT_OK ? name_check_known(s, &s->platforms, "platform", variant.platform)
                           : code;
}

static void unknown_tag(const Settings* s, const Source* file, Text tag, Diagnostics* diag) {
    const SettingsNames *l = &s->languages, *p = &s->platforms;
    const u32            count = l->names.count + p->names.count;
    const char**         names = memory_alloc(sizeof *names * ((size_t)count + 1));
    for (u32 i = 0; i < count; i++) {
        names[i] = i < l->names.count ? l->names.at[i] : p->names.at[i - l->names.count];
    }
    char languages[LIST_BYTES], platforms[LIST_BYTES];
    list_print(l, languages, sizeof languages);
    list_print(p, platforms, sizeof platforms);
    diag_error(diag, E0315, file, 0, 1,
               "\"%.*s\" is neither a language nor a platform of the project; languages: %s; "
               "platforms: %s%s%s%s",
               (int)tag.bytes, tag.at, *languages ? languages : "none",
               *platforms ? platforms : "none", DIAG_NEAREST(name_intended(tag, names, count)));
    diag_note(diag, &s->source, l->given ? l->offset : p->offset, 1, "they are listed here");
    memory_free(names);
}

void settings_check_tags(const Settings* s, const Source* file, Text tags, Diagnostics* diag) {
    const SettingsNames *l = &s->languages, *p = &s->platforms;
    u32                  dot = 0;
    if (tags.bytes == 0 || !settings_have_variants(s)) return;
    while (dot < tags.bytes && tags.at[dot] != '.') dot++;
    const u32  behind = MIN_OF(dot + 1, tags.bytes);
    const Text tag[2] = {{tags.at, dot}, {tags.at + behind, tags.bytes - behind}};
    const u32  count = tag[1].bytes ? 2 : 1;
    bool       is_language[2] = {0}, is_platform[2] = {0};
    assert(count <= COUNT_OF(is_language) && count <= COUNT_OF(is_platform));
    for (u32 i = 0; i < count; i++) {
        is_language[i] = name_exists(l, tag[i]);
        is_platform[i] = name_exists(p, tag[i]);
        if (is_language[i] || is_platform[i]) continue;
        unknown_tag(s, file, tag[i], diag);
        return;
    }
    const bool both = (is_language[0] && is_platform[1]) || (is_platform[0] && is_language[1]);
    if (count == 1 || both || text_equal(tag[0], tag[1])) return;
    diag_error(diag, E0315, file, 0, 1,
               "\"%.*s\" and \"%.*s\" are both %ss; a variant may have at most one language and "
               "one platform",
               (int)tag[0].bytes, tag[0].at, (int)tag[1].bytes, tag[1].at,
               is_language[0] ? "language" : "platform");
    diag_note(diag, &s->source, is_language[0] ? l->offset : p->offset, 1, "they are listed here");
}
