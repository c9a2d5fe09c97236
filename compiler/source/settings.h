/* settings.h - entc.json in the source root: what holds for the project as a whole.
 *
 * Without the file nothing is known, and everything is allowed. A key that a later version of entc
 * adds is one row of the table in settings.c: the reader, the messages and the schema follow. */
#ifndef ENTC_SETTINGS_H
#define ENTC_SETTINGS_H

#include "asset_name.h"
#include "file.h"
#include "hash.h"

#define SETTINGS_FILE      "entc.json"
#define SETTINGS_NAMES_MAX 1024 /* of languages, and of platforms */

/* Which variants are wanted: `sign.fr.entity.json` for the language fr. NULL: the plain file. */
typedef struct Variant {
    const char* lang;
    const char* platform;
} Variant;

/* A list of names, "languages" or "platforms". */
typedef struct SettingsNames {
    ARRAY(const char*) names;
    bool given;
    u32  offset; /* of the list in the file, when it is given */
} SettingsNames;

typedef struct Settings {
    bool          there;  /* is there such a file? */
    bool          faulty; /* it has errors, which were reported: nothing is known */
    Source        source;
    FileView      view;
    FileStamp     stamp;
    Hash128       hash;
    SettingsNames languages, platforms;
    Arena         arena;
} Settings;

/* A key of the file. */
typedef struct SettingsKey {
    const char* name;
    const char* one;    /* what an item of its list is: "language" */
    const char* text;   /* for the schema */
    size_t      member; /* of Settings: a SettingsNames */
} SettingsKey;
u32 settings_keys(const SettingsKey** keys);

/* Reads the file of a source folder, if there is one, and reports what is wrong with it. */
void settings_read(Settings* settings, const char* folder, Diagnostics* diag);
void settings_drop(Settings* settings);

/* Are the languages and platforms of the project known? They are as soon as one of the two lists is
 * given; one that is not is empty then. */
bool settings_know_variants(const Settings* settings);

/* Does the project have this language and platform? EXIT_USAGE, after reporting it, when not. */
int settings_check_variant(const Settings* settings, Variant variant);

/* Reports the tags of a file, "fr" or "fr.mobile", when no language and platform of the project
 * together choose them. */
void settings_check_tags(const Settings* settings, const Source* file, Text tags,
                         Diagnostics* diag);

#endif
