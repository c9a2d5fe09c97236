/* settings.h - entc.json in the source root: the settings of the complete project.
 *
 * Without the file, all names of variants are allowed. A key that a later version of entc adds is
 * one row of the table in settings.c: the reader, the messages and the schema follow. */
#ifndef ENTC_SETTINGS_H
#define ENTC_SETTINGS_H

#include "asset_name.h"
#include "diag_codes.h"
#include "memory.h"
#include "source_text.h"
#include "file.h"
#include "hash.h"
#include "model_remarks.h"
#include "tree.h"

#define SETTINGS_FILE      "entc.json"
#define SETTINGS_NAMES_MAX 1024 /* of languages, and of platforms */

/* The requested variant: `sign.fr.entity.json` for the language fr. NULL: the default file. */
typedef struct Variant {
    const char* lang;
    const char* platform;
} Variant;

/* A list of names, "languages" or "platforms". */
typedef struct SettingsNames {
    ARRAY(const char*) names;
    Slots slots; /* of the names, by hash */
    bool  given;
    u32   offset; /* of the list in the file, if it is defined */
} SettingsNames;

typedef struct Settings {
    bool           exists;     /* is there such a file? */
    bool           has_errors; /* it has errors, which were reported: it is ignored */
    Source         source;
    FileView       view;
    FileStamp      stamp;
    Hash128        hash;
    SettingsNames  languages, platforms;
    DiagSeverities severities; /* "diagnostics": { "W0316": "error" } */
    SettingsNames  accepted;   /* "models": { "accept": [..] }: kinds of remarks about models */
    SettingsNames  names_off;  /* "models": { "names_off": [..] }: rules for names of objects */
    bool           strict;     /* "models": { "strict": true }: what is repaired is an error */
    SettingsNames  raw;        /* "data": { "files": [..] }: patterns of files of the type data */
    Arena          arena;
} Settings;

/* A key of the file, or of an object in it. */
typedef struct SettingsKey {
    const char*        object; /* "models"; NULL: a key of the file */
    const char*        name;
    const char*        one;  /* the name of an item: "language"; NULL: the value is true or false */
    const char*        text; /* for the schema */
    size_t             member; /* of Settings: a SettingsNames, or a bool */
    const char* const* known;  /* [known_count] the valid names; NULL: any resource name */
    u32                known_count;
    bool               is_pattern; /* an item is a pattern of paths */
} SettingsKey;
u32 settings_keys(const SettingsKey** keys);

/* The object whose keys are codes of warnings, and whose values are their severities. */
#define SETTINGS_SEVERITIES "diagnostics"

/* [DIAG_SEVERITY_COUNT] The texts of severities; that of DIAG_USUAL is empty. */
extern const char* const settings_severities[];

/* Reads the file of a source folder that was listed, if there is one, and reports its errors. */
void settings_read(Settings* settings, const Tree* tree, Diagnostics* diag);
void settings_drop(Settings* settings);

/* Bit r: the project accepts remarks of the kind r in its models. */
u32 settings_accepted(const Settings* settings);

/* Bit r: the project does not use the rule r of MODEL_NAME_RULES. */
u32 settings_names_off(const Settings* settings);

/* Are faults of models that could be repaired errors in this project? */
bool settings_strict(const Settings* settings);

/* The suffix of a file of the folder. A file that a pattern selects is of the type data and of no
 * other type, except for NAME.TYPE.json, whose name states its type. `settings` may be NULL. */
Suffix settings_suffix(const Settings* settings, const char* path);

/* Are the languages and platforms of the project known? They are if one of the two lists is
 * defined; a list that is not is empty then. */
bool settings_have_variants(const Settings* settings);

/* Does the project have this language and platform? EXIT_USAGE, after reporting it, when not. */
int settings_check_variant(const Settings* settings, Variant variant);

/* Reports the tags of a file, "fr" or "fr.mobile", when no combination of a language and a platform
 * of the project selects them. */
void settings_check_tags(const Settings* settings, const Source* file, Text tags,
                         Diagnostics* diag);

#endif
