/* asset_name.h - how resources and their files are named.
 *
 * A file is NAME.TYPE.json, a model NAME.gltf or NAME.glb with its settings NAME.model.json, or an
 * image NAME.png, NAME.jpg or NAME.jpeg, which is a texture. NAME.EXT.data.json makes NAME.EXT, any
 * file with an extension, the resource NAME of the type data. Up to two tags between name and type
 * or extension make it a variant for a language, a platform or both: `sign.fr.entity.json`.
 *
 * The name of a resource has one spelling. JSON files must have it; other programs write models, images and raw data,
 * which may have any name: the resource gets the canonical spelling of it. */
#ifndef ENTC_ASSET_NAME_H
#define ENTC_ASSET_NAME_H

#include "base.h"
#include "blob.h"

typedef enum AssetForm {
    ASSET_JSON,
    ASSET_GLTF,
    ASSET_GLB,
    ASSET_IMAGE,
    ASSET_FILE,    /* of the type data, because of the settings of the project */
    ASSET_SETTINGS /* of a model: no source of its own */
} AssetForm;

static inline bool form_is_model(AssetForm form) { return form == ASSET_GLTF || form == ASSET_GLB; }

/* Its content is not text: no position in it is ever reported. */
static inline bool form_is_bytes(AssetForm form) {
    return form == ASSET_IMAGE || form == ASSET_FILE;
}

/* May the file have any name? */
static inline bool form_has_any_name(AssetForm form) {
    return form != ASSET_JSON && form != ASSET_SETTINGS;
}

#define DATA_SUFFIX ".data.json"

typedef enum SuffixKind {
    SUFFIX_NONE,
    SUFFIX_UNKNOWN,
    SUFFIX_NOT_JSON,
    SUFFIX_BARE, /* of the type data, but the file has no extension */
    SUFFIX_VALID
} SuffixKind;

typedef struct Suffix {
    SuffixKind   kind;
    u32          name_bytes; /* of the file name before its tags and suffixes */
    ResourceType type;
    AssetForm    form;
    Text         type_text;
    Text         tags; /* "fr" or "fr.mobile" */
} Suffix;

/* Does the name of a file state a type in front of ".json"? Then it has no other, whatever the
 * settings of the project are. */
static inline bool suffix_is_typed(Suffix suffix) {
    return suffix.kind > SUFFIX_UNKNOWN &&
           (suffix.form == ASSET_JSON || suffix.form == ASSET_SETTINGS);
}

/* Can it be the name of a language or a platform? It has a letter: a part of digits belongs to the name of a file, as in
 * "wood.001.png". */
bool tag_is_valid(Text tag);

/* Parses the name of a file; SUFFIX_NONE: entc ignores files of this kind. */
Suffix suffix_of(Text file);

/* The same for a file that is of the type data: "theme.fr.ogg" is theme, with the tag fr. */
Suffix suffix_of_data(Text file);

/* The path of the file to which NAME.EXT.data.json belongs; empty for another path. */
Text data_file_of(Text path);

/* Writes the canonical spelling of a name, as far as it can be determined. Characters that are not ASCII
 * become the Latin letters that stand for them: see name_latin.h. Where there are none, or no letter
 * at all, the segment ends with the hash of its text. */
void name_fix(Text name, char fixed[256]);

/* The name of the resource of a source, by the path of the file below the source folder and its suffix: a part of the
 * path, or, in `fixed`, the canonical spelling of it if the file may have any name. Empty, with the reason, if it has
 * none; `fixed` is a proposal then, or empty. */
Text source_name(const char* path, const Suffix* suffix, char fixed[256], const char** reason);

/* The canonical spelling of the path of any file: that of each name, without the last extension, and the extension in
 * lower case. Paths that have none, as they are too long, stay what they are. Returns it, or `path`. */
#define PATH_ALIKE_BYTES 320
Text path_canonical(Text path, char canonical[PATH_ALIKE_BYTES]);

/* The same for a name from a model, in which '/' and '\\' are like any other character that is not
 * allowed. `distinct`: the name ends with its hash if it is not ASCII. Returns the bytes; 0 for a
 * name of which nothing remains, and for one in ASCII that is too long. Another long name is cut, and
 * ends with its hash. */
#define NAME_SEGMENT_BYTES 200
u32 name_fix_segment(Text name, bool distinct, char fixed[NAME_SEGMENT_BYTES + 1]);

/* Is a character of the name not ASCII? */
bool name_is_foreign(Text name);

/* The same for a name in a reference, which may have the suffix of a file. Empty for one that
 * is too long. */
void name_fix_reference(Text name, char fixed[256]);

/* Splits NAME.TYPE. Returns false when it has no such form. */
bool resource_is_named(Text resource, Text* name, ResourceType* type);

/* The same for an argument of the command line; reports when it has not. */
bool resource_parse(const char* resource, Text* name, ResourceType* type);

#endif
