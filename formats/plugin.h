/* plugin.h - how a shared library adds component types to entc and to a world.
 *
 * There are two interfaces. The library exports ent_get_plugin_api(id, version), with which the
 * program queries what the library can do; the program passes get_ent_api(id, version) to the
 * library, which queries with it what the program can do. Both return a table of functions, or NULL
 * when they do not have that version:
 *
 *     static const EntApiInstance2* ent;
 *
 *     static const char* setup(EntPluginHost* host, EntApiGet* get_ent_api) {
 *         const EntApiCompiler1* compiler =
 *             (const EntApiCompiler1*)get_ent_api(ENT_API_COMPILER, 1);
 *         ent = (const EntApiInstance2*)get_ent_api(ENT_API_INSTANCE, 2);
 *         if (!compiler || !ent) return "entc is too old";
 *         compiler->add_component(host, &wind);
 *         return NULL;
 *     }
 *     static const EntPluginCompiler2 table = {setup, NULL};
 *
 *     const void* ent_get_plugin_api(uint32_t id, uint32_t version) {
 *         return id == ENT_PLUGIN_COMPILER && version == 2 ? &table : NULL;
 *     }
 *
 * The number at the end of a type's name is its version. Such a type is never changed; an addition
 * is a type with the next number. Before version 1.0, it replaces the old type: a plugin and a
 * program without a version in common report that, and the plugin is built again.
 *
 * All objects of the program are opaque pointers; nothing has to be linked. world_plugin.h has
 * the part for worlds.
 *
 * Source   N. Frykholm, Building an Engine Plugin System, 2014. */
#ifndef ENT_PLUGIN_H
#define ENT_PLUGIN_H

#include <stddef.h>

#include "lists.h"
#include "status.h"
#include "types.h"

/* The table of that id and version; NULL: there is none. It exists as long as the library or
 * program that returned it. */
typedef const void* EntApiGet(uint32_t id, uint32_t version);

#ifdef __cplusplus
extern "C" {
#endif

/* The function that a plugin defines and its linker exports. */
ENT_API EntApiGet ent_get_plugin_api;

#ifdef __cplusplus
}
#endif

/* The tables that a program requests from a plugin. */
enum {
    ENT_PLUGIN_COMPILER = 1, /* EntPluginCompiler2 */
    ENT_PLUGIN_RUNTIME = 2   /* EntPluginRuntime2, in world_plugin.h */
};

/* The tables that a plugin requests from the program. */
enum {
    ENT_API_COMPILER = 1, /* EntApiCompiler1 */
    ENT_API_INSTANCE = 2, /* EntApiInstance2 */
    ENT_API_JSON = 3,     /* EntApiJson1 */
    ENT_API_WORLD = 4     /* EntApiWorld3, in world_plugin.h */
};

/* The entc process that has loaded this plugin, from setup to close. */
typedef struct EntPluginHost EntPluginHost;

/* One instance of one component, valid during one call. */
typedef struct EntPluginInstance EntPluginInstance;

/* --- description of a component --- */

#define ENT_PLUGIN_FIELDS_MAX       64
#define ENT_PLUGIN_RECORD_BYTES_MAX 1024
#define ENT_PLUGIN_ORDER_MAX        1000000
#define ENT_PLUGIN_NOTHING          UINT32_MAX /* no value here; no entity */

#define ENT_PLUGIN_LOW  (-3.402823466e38) /* bounds of a float that may be any finite number, */
#define ENT_PLUGIN_HIGH 3.402823466e38
#define ENT_PLUGIN_ALL  4294967295.0 /* and the highest uint32_t */

/* One field of a record, as a row of a list of fields defines it. */
typedef struct EntPluginField1 {
    const char*        name;       /* the JSON key: a-z first, then a-z, 0-9 and single '_' */
    const char*        type;       /* "f32" "Vec2" "Vec3" .. : see "Types" below */
    uint32_t           offset;     /* bytes from the record's start; records have no padding */
    uint32_t           bytes;      /* of the type, or of all elements of an array of it */
    uint32_t           required;   /* 1: it has no default, JSON must contain it; or 0 */
    double             value[4];   /* the default of numbers, EntBool32 and EntEnum32 */
    double             lo, hi;     /* inclusive, of every number in the field */
    const char*        unit;       /* "" or NULL when it has none */
    const char*        text;       /* one line for the manual; "" or NULL */
    const char* const* texts;      /* [text_count] of an EntEnum32 or EntFlags32 */
    uint32_t           text_count; /* */
    uint32_t           refers_to;  /* EntResourceType of an EntResourceRef */
} EntPluginField1;

/* A list of fields becomes a C struct and an array of EntPluginField1:
 *
 *     #define WIND_KIND(X) X(WIND_STEADY, "steady") X(WIND_GUSTY, "gusty")
 *     #define WIND_FIELDS(F, R)                                                                   \
 *         F(R, Vec3, direction, V3(1, 0, 0), -1, 1, "", PLAIN, "where it blows")                  \
 *         F(R, Enum32, kind, V1(0), 0, 0, "", ENUM(WIND_KIND), "how it blows")
 *     ENT_PLUGIN_ENUM(WindKind, WIND_KIND)
 *     ENT_PLUGIN_RECORD(WindRecord, WIND_FIELDS)
 *     ENT_PLUGIN_TEXTS(WIND_KIND)
 *     static const EntPluginField1 wind_fields[] = {WIND_FIELDS(ENT_PLUGIN_FIELD, WindRecord)};
 *
 * Row        F(R, Type, name, default, lowest, highest, unit, argument, "what it means")
 *            F##_ARRAY(R, count, Type, name, ..): an array of 2 to 16 values, not of Flags32;
 *            default and bounds are those of each element
 * Types      f32 Vec2 Vec3 Vec4 Quat u32 i32 Bool32 Enum32 Flags32 EntityRef NameRef ResourceRef
 *            PersistentRef TextRef
 * Defaults   REQUIRED, V1(a) .. V4(a, b, c, d); NO_ENTITY, NO_NAME, NO_PERSISTENT, NO_RESOURCE and
 *            NO_TEXT of references
 * Bounds     inclusive, of each number; ENT_PLUGIN_LOW, ENT_PLUGIN_HIGH: any finite float
 * Arguments  PLAIN, ENUM(LIST) of Enum32 and Flags32, REFERS_TO(ENT_RESOURCE_MESH) */
#define ENT_PLUGIN_MEMBER(R, Type, name, fallback, lo, hi, unit, argument, text)                   \
    ENT_PLUGIN_TYPE_##Type name;
#define ENT_PLUGIN_MEMBER_ARRAY(R, count, Type, name, fallback, lo, hi, unit, argument, text)      \
    ENT_PLUGIN_TYPE_##Type name[count];
#define ENT_PLUGIN_RECORD(Name, FIELDS)                                                            \
    typedef struct Name {                                                                          \
        FIELDS(ENT_PLUGIN_MEMBER, Name)                                                            \
    } Name;
#define ENT_PLUGIN_ENUM_NAME(name, text) name,
#define ENT_PLUGIN_ENUM(Name, LIST)                                                                \
    typedef enum Name { LIST(ENT_PLUGIN_ENUM_NAME) LIST##_COUNT } Name;
#define ENT_PLUGIN_FIELD(R, Type, field, fallback, lowest, highest, unit, argument, text)          \
    {#field,                                                                                       \
     #Type,                                                                                        \
     ENT_PLUGIN_U32(offsetof(R, field)),                                                           \
     ENT_PLUGIN_U32(sizeof(ENT_PLUGIN_TYPE_##Type)),                                               \
     ENT_PLUGIN_VALUE_##fallback,                                                                  \
     lowest,                                                                                       \
     highest,                                                                                      \
     unit,                                                                                         \
     text,                                                                                         \
     ENT_PLUGIN_ARGUMENT_##argument},

#define ENT_PLUGIN_FIELD_ARRAY(R, count, Type, field, fallback, lowest, highest, unit, argument,   \
                               text)                                                               \
    {#field,                                                                                       \
     #Type,                                                                                        \
     ENT_PLUGIN_U32(offsetof(R, field)),                                                           \
     ENT_PLUGIN_U32(sizeof(ENT_PLUGIN_TYPE_##Type) * (count)),                                     \
     ENT_PLUGIN_VALUE_##fallback,                                                                  \
     lowest,                                                                                       \
     highest,                                                                                      \
     unit,                                                                                         \
     text,                                                                                         \
     ENT_PLUGIN_ARGUMENT_##argument},

#define ENT_PLUGIN_TYPE_f32           float
#define ENT_PLUGIN_TYPE_Vec2          EntVec2
#define ENT_PLUGIN_TYPE_Vec3          EntVec3
#define ENT_PLUGIN_TYPE_Vec4          EntVec4
#define ENT_PLUGIN_TYPE_Quat          EntQuat
#define ENT_PLUGIN_TYPE_u32           uint32_t
#define ENT_PLUGIN_TYPE_i32           int32_t
#define ENT_PLUGIN_TYPE_Bool32        EntBool32
#define ENT_PLUGIN_TYPE_Enum32        EntEnum32
#define ENT_PLUGIN_TYPE_Flags32       EntFlags32
#define ENT_PLUGIN_TYPE_EntityRef     EntEntityRef
#define ENT_PLUGIN_TYPE_NameRef       EntNameRef
#define ENT_PLUGIN_TYPE_ResourceRef   EntResourceRef
#define ENT_PLUGIN_TYPE_PersistentRef EntPersistentRef
#define ENT_PLUGIN_TYPE_TextRef       EntTextRef

#define ENT_PLUGIN_TEXT(name, text) text,
#define ENT_PLUGIN_TEXTS(LIST)                                                                     \
    static const char* const LIST##_ENT_PLUGIN_TEXTS[] = {LIST(ENT_PLUGIN_TEXT)};

#define ENT_PLUGIN_VALUE_REQUIRED                                                                  \
    1, { 0, 0, 0, 0 }
#define ENT_PLUGIN_VALUE_V1(a)                                                                     \
    0, { a, 0, 0, 0 }
#define ENT_PLUGIN_VALUE_V2(a, b)                                                                  \
    0, { a, b, 0, 0 }
#define ENT_PLUGIN_VALUE_V3(a, b, c)                                                               \
    0, { a, b, c, 0 }
#define ENT_PLUGIN_VALUE_V4(a, b, c, d)                                                            \
    0, { a, b, c, d }
#define ENT_PLUGIN_VALUE_NO_ENTITY                                                                 \
    0, { ENT_PLUGIN_ALL, 0, 0, 0 }
#define ENT_PLUGIN_VALUE_NO_NAME                                                                   \
    0, { 0, 0, 0, 0 }
#define ENT_PLUGIN_VALUE_NO_PERSISTENT                                                             \
    0, { 0, 0, 0, 0 }
#define ENT_PLUGIN_VALUE_NO_TEXT                                                                   \
    0, { 0, 0, 0, 0 }
#define ENT_PLUGIN_VALUE_NO_RESOURCE                                                               \
    0, { 0, 0, 0, 0 }

#define ENT_PLUGIN_ARGUMENT_PLAIN ENT_PLUGIN_NULL, 0, 0
#define ENT_PLUGIN_ARGUMENT_ENUM(LIST)                                                             \
    LIST##_ENT_PLUGIN_TEXTS,                                                                       \
        ENT_PLUGIN_U32(sizeof LIST##_ENT_PLUGIN_TEXTS / sizeof LIST##_ENT_PLUGIN_TEXTS[0]), 0
#define ENT_PLUGIN_ARGUMENT_REFERS_TO(resource) ENT_PLUGIN_NULL, 0, resource

#ifdef __cplusplus
#define ENT_PLUGIN_NULL   nullptr
#define ENT_PLUGIN_U32(x) static_cast<uint32_t>(x)
#else
#define ENT_PLUGIN_NULL   NULL
#define ENT_PLUGIN_U32(x) ((uint32_t)(x))
#endif

/* Reads the object at the instance's place into its record, which holds the defaults and the values
 * of lower layers: it is called once for each layer, the prefab's first, and writes only the fields
 * that its layer sets. Errors are reported through EntApiInstance2; then the record is ignored.
 *
 * Needs    to be callable from multiple threads at once, for different instances; and to compute
 *          the same record from the same text: no clock, no file, no state of its own. entc keeps
 *          results for as long as the plugin's file and the sources stay the same. */
typedef void EntPluginCompile1(EntPluginInstance* instance, void* record, void* user);

/* Checks rules between fields of a record, after all layers are read without errors. It may change
 * the record. The needs are the same. */
typedef void EntPluginCheck1(EntPluginInstance* instance, void* record, void* user);

typedef struct EntPluginComponent1 {
    const char*            name;   /* the JSON key, with the rules for the name of a field */
    const EntPluginField1* fields; /* [field_count] in the order of their offsets */
    uint32_t field_count; /* 1 to ENT_PLUGIN_FIELDS_MAX; by_field: to ENT_COMPONENT_COLUMNS_MAX */
    uint32_t bytes;       /* sizeof the record: the sum of its fields */
    uint32_t order;       /* spawn order, the lowest first; up to ENT_PLUGIN_ORDER_MAX */
    uint32_t several;     /* 1: an entity may have multiple instances; or 0 */
    uint32_t by_field;    /* 1: structure of arrays, 0: array of structures */
    uint32_t direct;      /* 1: most entities have one: look it up in an array; or 0 */
    EntPluginCompile1* compile; /* NULL: the record has only these fields, read by their types */
    EntPluginCheck1*   check;   /* or NULL */
    void*              user;    /* for compile and check */
} EntPluginComponent1;

/* --- ENT_PLUGIN_COMPILER: functions of the plugin for entc --- */

typedef struct EntPluginCompiler2 {
    /* Called once, before anything is read: requests the tables that it needs and adds its
     * components.
     * Returns NULL, or the reason why the plugin cannot be used, as the end of a sentence. */
    const char* (*setup)(EntPluginHost* host, EntApiGet* get_ent_api);

    /* Called once after all other calls, also when setup failed: releases what setup allocated.
     * NULL: nothing to release. */
    void (*close)(EntPluginHost* host);
} EntPluginCompiler2;

/* --- ENT_API_COMPILER: functions of entc for a plugin --- */

typedef struct EntApiCompiler1 {
    /* Adds a component type; returns 0 when that is not possible, which is reported. All that it
     * points to is copied, except the functions and `user`.
     * Needs    to be called by setup; later it does nothing and returns 0. */
    int (*add_component)(EntPluginHost* host, const EntPluginComponent1* component);

    /* Prints a sentence for the user of entc, without a line end; -q suppresses it. Any thread. */
    void (*log)(EntPluginHost* host, const char* text);

    /* [bytes], zeroed, aligned to 16, until it is freed, at the latest by close; never NULL: entc
     * exits when memory is exhausted. Any thread. */
    void* (*alloc)(EntPluginHost* host, size_t bytes);
    void (*free)(EntPluginHost* host, void* memory);
} EntApiCompiler1;

/* --- ENT_API_INSTANCE: functions of entc for one instance ---
 *
 * `at` is a place in the JSON text, from ENT_API_JSON: where a value begins. Errors are reported
 * there, with the plugin's name. All functions are called on the thread that called the plugin. */

typedef struct EntApiInstance2 {
    /* Reports what is wrong, as a sentence without a full stop; entc continues to find more errors,
     * and writes no output. A note belongs to the newest error of this call. */
    void (*error)(EntPluginInstance* instance, uint32_t at, const char* text);
    void (*note)(EntPluginInstance* instance, uint32_t at, const char* text);

    /* Reads every field of the record that this layer's object has, with all checks of kind, range
     * and references. Keys that are neither fields nor among `others`, which the plugin reads
     * itself, are reported as unknown.
     *   others  [other_count]; may be NULL */
    void (*fields)(EntPluginInstance* instance, const char* const* others, uint32_t other_count);

    /* Reads the value at a place as the field of that number: for a key of another name. Returns 0
     * when the value is invalid, which is reported. */
    int (*field)(EntPluginInstance* instance, uint32_t field, uint32_t at);

    /* The plugin has written this field of the record: it counts as set when it is required. */
    void (*give)(EntPluginInstance* instance, uint32_t field);

    /* The value of a field of a reference type: for the path of an entity, a name, the name of a
     * resource of a type. An unresolved reference is reported at the place, and the null reference
     * is returned. */
    EntEntityRef (*entity)(EntPluginInstance* instance, uint32_t at, const char* path);
    EntNameRef (*name)(EntPluginInstance* instance, uint32_t at, const char* name);
    EntResourceRef (*resource)(EntPluginInstance* instance, uint32_t at, uint32_t type,
                               const char* name);

    /* [bytes], zeroed, aligned to 16, until the level or entity is compiled; never NULL. */
    void* (*alloc)(EntPluginInstance* instance, size_t bytes);

    /* Reads a string that must be one of [count] texts; returns 0 when it is none, which is
     * reported with the nearest of the texts.
     *   texts   [count]
     *   choice  receives its number */
    int (*choice)(EntPluginInstance* instance, uint32_t at, const char* const* texts,
                  uint32_t count, uint32_t* choice);
} EntApiInstance2;

/* --- ENT_API_JSON: the text of an instance --- */

typedef enum EntPluginJson {
    ENT_PLUGIN_JSON_NULL,
    ENT_PLUGIN_JSON_FALSE,
    ENT_PLUGIN_JSON_TRUE,
    ENT_PLUGIN_JSON_NUMBER,
    ENT_PLUGIN_JSON_STRING,
    ENT_PLUGIN_JSON_ARRAY,
    ENT_PLUGIN_JSON_OBJECT
} EntPluginJson;

/* The position of a walk over an object or array; all zero before the first step. */
typedef struct EntPluginMember1 {
    const char* key;    /* decoded, NUL-terminated; of an item NULL; lasts as ApiInstance.alloc's */
    uint32_t    key_at; /* where the key is; of an item ENT_PLUGIN_NOTHING */
    uint32_t    value;  /* where the value begins */
    uint32_t    next;   /* for the next step */
} EntPluginMember1;

typedef struct EntApiJson1 {
    /* Where the instance's own object begins. */
    uint32_t (*root)(EntPluginInstance* instance);

    uint32_t (*kind)(EntPluginInstance* instance, uint32_t at); /* EntPluginJson */

    /* Where the value of a key begins; ENT_PLUGIN_NOTHING when the object has none.
     * Cost     one pass over the object. */
    uint32_t (*member)(EntPluginInstance* instance, uint32_t object, const char* key);

    /* The next member of an object or item of an array; 0 after the last. $comment and $schema are
     * skipped. */
    int (*next)(EntPluginInstance* instance, uint32_t container, EntPluginMember1* member);

    /* Values. Each returns 0, or NULL, when the value has another kind, which is reported. */
    int (*number)(EntPluginInstance* instance, uint32_t at, double* value);
    int (*truth)(EntPluginInstance* instance, uint32_t at, int* value);
    const char* (*text)(EntPluginInstance* instance, uint32_t at,
                        uint32_t* bytes); /* decoded, with a NUL */

    /* A complete value as it is in the source: valid JSON, without a NUL.
     *   bytes  receives its length */
    const char* (*source)(EntPluginInstance* instance, uint32_t at, uint32_t* bytes);
} EntApiJson1;

#endif
