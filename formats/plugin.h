/* plugin.h - how a shared library brings component types to entc and to a world.
 *
 * There are two doors. The library exports get_plugin_api(id, version), by which the program asks
 * for what the library can do; the program hands it get_ent_api(id, version), by which the library
 * asks for what the program can do. Both answer with a table of functions, or NULL when they do not
 * have that version:
 *
 *     static const ApiInstance1* ent;
 *
 *     static const char* setup(PluginHost* host, ApiGet* get_ent_api) {
 *         const ApiCompiler1* compiler = get_ent_api(API_COMPILER, 1);
 *         ent = get_ent_api(API_INSTANCE, 1);
 *         if (!compiler || !ent) return "entc is too old";
 *         compiler->add_component(host, &wind);
 *         return NULL;
 *     }
 *     static const PluginCompiler1 offer = {setup};
 *     const void* get_plugin_api(u32 id, u32 version) {
 *         return id == PLUGIN_COMPILER && version == 1 ? &offer : NULL;
 *     }
 *
 * The number behind a type's name is its version. Such a type never changes: what is new comes as a
 * type with the next number, and the old ones stay and go on working. So a library that was built
 * with this header works with every later program. Whoever asks takes the newest version that it
 * was built with and can live with older ones.
 *
 * Everything of the program is behind an opaque pointer; nothing has to be linked. tests/ has
 * examples, and runtime/scene/world_plugin.h has the part for worlds.
 *
 * Source   N. Frykholm, Building an Engine Plugin System, 2014. */
#ifndef ENT_PLUGIN_H
#define ENT_PLUGIN_H

#include "record.h"
#include "resources.h"
#include "status.h"

/* The table of that id and version; NULL: there is none. It lasts as long as who gave it. */
typedef const void* ApiGet(u32 id, u32 version);

#ifdef __cplusplus
extern "C" {
#endif

/* What a plugin defines and its linker exports. */
ENT_API ApiGet get_plugin_api;

#ifdef __cplusplus
}
#endif

/* What a program asks a plugin for. */
enum {
    PLUGIN_COMPILER = 1, /* PluginCompiler1, 2 */
    PLUGIN_RUNTIME = 2   /* PluginRuntime1, 2, in world_plugin.h */
};

/* What a plugin asks the program for. */
enum {
    API_COMPILER = 1, /* ApiCompiler1 */
    API_INSTANCE = 2, /* ApiInstance1, 2 */
    API_JSON = 3,     /* ApiJson1 */
    API_WORLD = 4     /* ApiWorld1, 2, in world_plugin.h */
};

/* entc that has loaded this plugin, from setup to close. */
typedef struct PluginHost PluginHost;

/* One instance of one component, for the length of one call. */
typedef struct PluginInstance PluginInstance;

/* --- what a component is --- */

#define PLUGIN_FIELDS_MAX       64
#define PLUGIN_RECORD_BYTES_MAX 1024
#define PLUGIN_ORDER_MAX        1000000
#define PLUGIN_NOTHING          UINT32_MAX /* no value here; no entity */

#define PLUGIN_LOW  (-3.402823466e38) /* bounds of a float that may be any finite number, */
#define PLUGIN_HIGH 3.402823466e38
#define PLUGIN_ALL  4294967295.0 /* and the highest u32 */

/* One field of a record, as a row of record.h says it. */
typedef struct PluginField1 {
    const char*        name;       /* the JSON key: a-z first, then a-z, 0-9 and single '_' */
    const char*        type;       /* "f32" "Vec2" "Vec3" .. : a type of record.h */
    u32                offset;     /* bytes from the record's start; records have no padding */
    u32                bytes;      /* of the type */
    u32                required;   /* 1: it has no default, JSON must give it; or 0 */
    double             value[4];   /* the default of numbers, Bool32 and Enum32 */
    double             lo, hi;     /* inclusive, of every number in the field */
    const char*        unit;       /* "" or NULL when it has none */
    const char*        text;       /* one line for the manual; "" or NULL */
    const char* const* texts;      /* [text_count] of an Enum32 */
    u32                text_count; /* */
    u32                refers_to;  /* ResourceType of a ResourceRef */
} PluginField1;

/* The rows of a field list become an array of PluginField1:
 *
 *     #define WIND_KIND(X) X(WIND_STEADY, "steady") X(WIND_GUSTY, "gusty")
 *     #define WIND_FIELDS(F, R)                                                                 \
 *         F(R, Vec3, direction, V3(1, 0, 0), -1, 1, "", PLAIN, "where it blows")                \
 *         F(R, Enum32, kind, V1(0), 0, 1, "", ENUM(WIND_KIND), "how it blows")
 *     RECORD_ENUM(WindKind, WIND_KIND)
 *     RECORD(WindRecord, WIND_FIELDS)
 *     PLUGIN_TEXTS(WIND_KIND)
 *     static const PluginField1 wind_fields[] = {WIND_FIELDS(PLUGIN_FIELD, WindRecord)};
 *
 * Defaults: REQUIRED, V1(a) .. V4(a, b, c, d); NOBODY, NO_NAME, NO_PERSISTENT and NO_RESOURCE of
 * links. Arguments: PLAIN, ENUM(LIST), REFERS_TO(RESOURCE_X). */
#define PLUGIN_FIELD(R, Type, field, fallback, lowest, highest, unit, argument, text)              \
    {#field,                                                                                       \
     #Type,                                                                                        \
     (u32)offsetof(R, field),                                                                      \
     (u32)sizeof(Type),                                                                            \
     PLUGIN_VALUE_##fallback,                                                                      \
     lowest,                                                                                       \
     highest,                                                                                      \
     unit,                                                                                         \
     text,                                                                                         \
     PLUGIN_ARGUMENT_##argument},
#define PLUGIN_TEXT(name, text) text,
#define PLUGIN_TEXTS(LIST)      static const char* const LIST##_PLUGIN_TEXTS[] = {LIST(PLUGIN_TEXT)};

#define PLUGIN_VALUE_REQUIRED                                                                      \
    1, { 0, 0, 0, 0 }
#define PLUGIN_VALUE_V1(a)                                                                         \
    0, { a, 0, 0, 0 }
#define PLUGIN_VALUE_V2(a, b)                                                                      \
    0, { a, b, 0, 0 }
#define PLUGIN_VALUE_V3(a, b, c)                                                                   \
    0, { a, b, c, 0 }
#define PLUGIN_VALUE_V4(a, b, c, d)                                                                \
    0, { a, b, c, d }
#define PLUGIN_VALUE_NOBODY                                                                        \
    0, { PLUGIN_ALL, 0, 0, 0 }
#define PLUGIN_VALUE_NO_NAME                                                                       \
    0, { 0, 0, 0, 0 }
#define PLUGIN_VALUE_NO_PERSISTENT                                                                 \
    0, { 0, 0, 0, 0 }
#define PLUGIN_VALUE_NO_RESOURCE                                                                   \
    0, { 0, 0, 0, 0 }

#define PLUGIN_ARGUMENT_PLAIN NULL, 0, 0
#define PLUGIN_ARGUMENT_ENUM(LIST)                                                                 \
    LIST##_PLUGIN_TEXTS, (u32)(sizeof LIST##_PLUGIN_TEXTS / sizeof LIST##_PLUGIN_TEXTS[0]), 0
#define PLUGIN_ARGUMENT_REFERS_TO(resource) NULL, 0, resource

/* Reads the object at the instance's place into its record, which holds the defaults and what lower
 * layers gave: it is called once for each layer, the prefab's first, and touches only what its
 * layer says. What is wrong is told through ApiInstance; then the record does not matter.
 *
 * Needs    that it may be called from several threads at once, for different instances; and that
 *          the same text gives the same record: no clock, no file, no state of its own. entc keeps
 *          results for as long as the plugin's file and the sources stay the same. */
typedef void PluginCompile1(PluginInstance* instance, void* record, void* user);

/* Looks at a record when all layers are read and nothing was wrong: rules between fields. It may
 * change the record. Needs the same. */
typedef void PluginCheck1(PluginInstance* instance, void* record, void* user);

typedef struct PluginComponent1 {
    const char*         name;    /* the JSON key, written as a field's name is */
    const PluginField1* fields;  /* [field_count] in the order of their offsets */
    u32             field_count; /* 1 to PLUGIN_FIELDS_MAX; by field: to COMPONENT_COLUMNS_MAX */
    u32             bytes;       /* sizeof the record: the sum of its fields */
    u32             order;       /* spawn order, see components.h; up to PLUGIN_ORDER_MAX */
    u32             several;     /* 1: an entity may have more than one; or 0 */
    u32             by_field;    /* 1: an array for each field, 0: one array of records */
    u32             direct;      /* 1: most entities have one: look it up in an array; or 0 */
    PluginCompile1* compile;     /* NULL: the fields are all that it has, and read as such */
    PluginCheck1*   check;       /* or NULL */
    void*           user;        /* for compile and check */
} PluginComponent1;

/* --- PLUGIN_COMPILER: what the plugin does for entc --- */

typedef struct PluginCompiler1 {
    /* Called once, before anything is read: takes the tables that it needs and adds its components.
     * Returns NULL, or why the plugin cannot be used, as the end of a sentence. */
    const char* (*setup)(PluginHost* host, ApiGet* get_ent_api);
} PluginCompiler1;

typedef struct PluginCompiler2 {
    const char* (*setup)(PluginHost* host, ApiGet* get_ent_api); /* as in version 1 */

    /* Called once behind everything else, also when setup failed: gives back what setup took. */
    void (*close)(PluginHost* host);
} PluginCompiler2;

/* --- API_COMPILER: what entc does for a plugin as a whole --- */

typedef struct ApiCompiler1 {
    /* Adds a component type; false when it cannot be, which is told. What it points to is copied,
     * but for the functions and `user`.
     * Needs    to be called by setup; later on it does nothing and returns 0. */
    int (*add_component)(PluginHost* host, const PluginComponent1* component);

    /* A sentence for whoever runs entc, without a line end; -q keeps it back. Any thread. */
    void (*log)(PluginHost* host, const char* text);

    /* [bytes], zeroed, aligned to 16, until it is given back, at the latest by close; never NULL:
     * entc ends when it has no memory. Any thread. */
    void* (*alloc)(PluginHost* host, size_t bytes);
    void (*free)(PluginHost* host, void* memory);
} ApiCompiler1;

/* --- API_INSTANCE: what entc does for one instance ---
 *
 * `at` is a place in the JSON text, from API_JSON: where a value begins. Errors are told there,
 * with the plugin's name. All of it from the thread that called the plugin. */

typedef struct ApiInstance1 {
    /* Tells what is wrong, as a sentence without a full stop; entc goes on to find more, and writes
     * nothing. A note belongs to the newest error of this call. */
    void (*error)(PluginInstance* instance, u32 at, const char* text);
    void (*note)(PluginInstance* instance, u32 at, const char* text);

    /* Reads every field of the record that this layer's object has, with all checks of kind, range
     * and links. Keys that are neither fields nor among `others`, which the plugin reads itself,
     * are told as unknown. others  [other_count]; may be NULL */
    void (*fields)(PluginInstance* instance, const char* const* others, u32 other_count);

    /* Reads the value at a place as the field of that number: the same for a key of another name.
     * False when something was wrong, which is told. */
    int (*field)(PluginInstance* instance, u32 field, u32 at);

    /* The plugin has written this field of the record: it counts as given when it is required. */
    void (*give)(PluginInstance* instance, u32 field);

    /* What a field of a link's type holds: for the path of an entity, a name, the name of a
     * resource of a type. What leads nowhere is told at the place, and gives the link that leads
     * nowhere. */
    EntityRef (*entity)(PluginInstance* instance, u32 at, const char* path);
    NameRef (*name)(PluginInstance* instance, u32 at, const char* name);
    ResourceRef (*resource)(PluginInstance* instance, u32 at, u32 type, const char* name);

    /* [bytes], zeroed, aligned to 16, until the level or entity is compiled; never NULL. */
    void* (*alloc)(PluginInstance* instance, size_t bytes);
} ApiInstance1;

typedef struct ApiInstance2 {
    void (*error)(PluginInstance* instance, u32 at, const char* text); /* as in version 1, */
    void (*note)(PluginInstance* instance, u32 at, const char* text);
    void (*fields)(PluginInstance* instance, const char* const* others, u32 other_count);
    int (*field)(PluginInstance* instance, u32 field, u32 at);
    void (*give)(PluginInstance* instance, u32 field);
    EntityRef (*entity)(PluginInstance* instance, u32 at, const char* path);
    NameRef (*name)(PluginInstance* instance, u32 at, const char* name);
    ResourceRef (*resource)(PluginInstance* instance, u32 at, u32 type, const char* name);
    void* (*alloc)(PluginInstance* instance, size_t bytes); /* up to here */

    /* Reads a string that must be one of some texts; false when it is none, which is told with the
     * text that may have been meant.
     *   texts   [count]
     *   choice  receives its number */
    int (*choice)(PluginInstance* instance, u32 at, const char* const* texts, u32 count,
                  u32* choice);
} ApiInstance2;

/* --- API_JSON: the text of an instance --- */

typedef enum PluginJson {
    PLUGIN_JSON_NULL,
    PLUGIN_JSON_FALSE,
    PLUGIN_JSON_TRUE,
    PLUGIN_JSON_NUMBER,
    PLUGIN_JSON_STRING,
    PLUGIN_JSON_ARRAY,
    PLUGIN_JSON_OBJECT
} PluginJson;

/* Where a walk over an object or array stands; all zero before the first step. */
typedef struct PluginMember1 {
    const char* key;    /* decoded, NUL-terminated; of an item NULL; lasts as ApiInstance.alloc's */
    u32         key_at; /* where it stands; of an item PLUGIN_NOTHING */
    u32         value;  /* where the value begins */
    u32         next;   /* for the next step */
} PluginMember1;

typedef struct ApiJson1 {
    /* Where the instance's own object begins. */
    u32 (*root)(PluginInstance* instance);

    u32 (*kind)(PluginInstance* instance, u32 at); /* PluginJson */

    /* Where the value of a key begins; PLUGIN_NOTHING when the object has none.
     * Cost     one pass over the object. */
    u32 (*member)(PluginInstance* instance, u32 object, const char* key);

    /* The next member of an object or item of an array; 0 behind the last. $comment and $schema are
     * passed over. */
    int (*next)(PluginInstance* instance, u32 container, PluginMember1* member);

    /* Values. Each returns false, or NULL, when another kind stands there, which is told. */
    int (*number)(PluginInstance* instance, u32 at, double* value);
    int (*truth)(PluginInstance* instance, u32 at, int* value);
    const char* (*text)(PluginInstance* instance, u32 at, u32* bytes); /* decoded, with a NUL */

    /* A whole value as it stands in the source: valid JSON, without a NUL.
     *   bytes  receives its length */
    const char* (*source)(PluginInstance* instance, u32 at, u32* bytes);
} ApiJson1;

#endif
