/* record.h - what a field table is, and the macros that expand one. Private: hosts get the structs
 * written out, in records.h.
 *
 * A record is written once, as a list of rows
 *
 *     F(R, Type, name, default, lowest, highest, unit, argument, "what it means")
 *
 * and from that list come the C struct, the GLSL struct (the same header is legal GLSL), reading
 * from JSON with type, range and default, verifying, dumping, diffing, and the byte order.
 *
 *   Type      f32 Vec2 Vec3 Vec4 Quat u32 i32 Bool32 Enum32 Flags32 EntityRef NameRef
 *             ResourceRef PersistentRef TextRef
 *   default   REQUIRED, or V1(a) .. V4(a, b, c, d)
 *   lowest..  inclusive bounds of every number in the field; LOW and HIGH: any finite number; of Enum32 and
 *             Flags32 0, 0, because theirs follow from the texts
 *   argument  PLAIN; ENUM(LIST) for Enum32 and Flags32, whose texts are those of RECORD_ENUM(.., LIST); REFERS_TO(RESOURCE_X) for ResourceRef; TEXT_IN(X) for a
 *             u32 that is an offset into the text section X
 *
 * An array of up to RECORD_ARRAY_MAX values is the row F##_ARRAY(R, count, Type, name, ..): default
 * and bounds are those of each element. */
#ifndef ENT_RECORD_H
#define ENT_RECORD_H

#include "shared.h"

/* Names for C and GLSL of the types that only records have; shared.h has the others. */
#ifdef GL_core_profile
#define Bool32        uint
#define Enum32        uint
#define Flags32       uint
#define EntityRef     uint
#define NameRef       uint
#define ResourceRef   uvec2
#define PersistentRef uint
#define TextRef       uint
#define resource      resource_ /* a reserved word in GLSL, the name of a field here */
#else
typedef EntBool32        Bool32;
typedef EntEnum32        Enum32;
typedef EntFlags32       Flags32;
typedef EntEntityRef     EntityRef;
typedef EntNameRef       NameRef;
typedef EntPersistentRef PersistentRef;
typedef EntResourceRef   ResourceRef;
typedef EntTextRef       TextRef;
#endif

#define RECORD_ARRAY_MAX 16

#define RECORD_MEMBER(R, Type, name, fallback, lo, hi, unit, argument, text) Type name;
#define RECORD_MEMBER_ARRAY(R, count, Type, name, fallback, lo, hi, unit, argument, text)          \
    Type name[count];

#ifdef GL_core_profile
#define RECORD_ENUM(Type, LIST)
#define RECORD(Name, FIELDS)                                                                       \
    struct Name {                                                                                  \
        FIELDS(RECORD_MEMBER, Name)                                                                \
    };
#else
#define RECORD(Name, FIELDS)                                                                       \
    typedef struct Ent##Name {                                                                     \
        FIELDS(RECORD_MEMBER, Name)                                                                \
    } Ent##Name;                                                                                   \
    typedef Ent##Name Name;

#define RECORD_ENUM_NAME(name, text) name,
#define RECORD_ENUM(Type, LIST)                                                                    \
    typedef enum Ent##Type{LIST(RECORD_ENUM_NAME) LIST##_COUNT} Ent##Type;                         \
    typedef Ent##Type Type;

#include <stddef.h>

/* Every form in which the words of a field are read; fields.c has the functions of each.
 *
 *   class    NUMBERS: numbers, between the bounds of the field; CHOICE: some of a few values;
 *            LINK: a reference, which has no default
 *   words    how many words its functions read and write: the least and the largest number
 *   json     what a schema calls the value, or the items of its array */
#define RECORD_FIELD_FORMS(X)                                                                      \
    X(FLOATS, NUMBERS, 1, 4, "number")                                                             \
    X(UNIT, NUMBERS, 4, 4, "number") /* floats, the sum of whose squares is 1 */                   \
    X(INTEGER, NUMBERS, 1, 1, "integer")                                                           \
    X(SIGNED, NUMBERS, 1, 1, "integer")                                                            \
    X(BOOL, CHOICE, 1, 1, "boolean")                                                               \
    X(ENUM, CHOICE, 1, 1, "string")                                                                \
    X(FLAGS, CHOICE, 1, 1, "array") /* any number of the texts */                                  \
    X(ENTITY, LINK, 1, 1, "string")                                                                \
    X(NAME, LINK, 1, 1, "string")                                                                  \
    X(RESOURCE, LINK, 2, 2, "string")                                                              \
    X(PERSISTENT, LINK, 1, 1, "string")                                                            \
    X(TEXT, LINK, 1, 1, "string") /* index of a string of the blob, or of the world */

/* Every kind of field, in the order of its number, with all properties that the modules use;
 * fields.c expands the rows.
 *
 *   Type      in this tree and in GLSL: above, or in shared.h
 *   C type    in the installed headers
 *   words     of 32 bits
 *   form      a row of RECORD_FIELD_FORMS
 *   bounds    BOUNDED: each field has its own; FIXED: they follow from the kind
 *   lo, hi    the widest bounds of a word; enums and resources are checked in another way
 *   null      every word of a reference that refers to nothing
 *   declared  "type" in a declaration; kinds that share it differ in "count"
 *   json      what JSON must hold
 *   comment   its comment in a generated header; for a BOUNDED kind only where there is no unit */
#define RECORD_FIELD_KINDS(X)                                                                      \
    X(f32, "float", 1, FLOATS, BOUNDED, LOW, HIGH, 0, "f32", "a number", "a number")               \
    X(Vec2, "EntVec2", 2, FLOATS, BOUNDED, LOW, HIGH, 0, "f32", "an array of 2 numbers",           \
      "a number")                                                                                  \
    X(Vec3, "EntVec3", 3, FLOATS, BOUNDED, LOW, HIGH, 0, "f32", "an array of 3 numbers",           \
      "a number")                                                                                  \
    X(Vec4, "EntVec4", 4, FLOATS, BOUNDED, LOW, HIGH, 0, "f32", "an array of 4 numbers",           \
      "a number")                                                                                  \
    X(Quat, "EntQuat", 4, UNIT, FIXED, -1, 1, 0, "quat", "an array of 4 numbers",                  \
      "x y z w, unit length")                                                                      \
    X(u32, "uint32_t", 1, INTEGER, BOUNDED, 0, ALL, 0, "u32", "an integer", "an integer")          \
    X(Bool32, "EntBool32", 1, BOOL, FIXED, 0, 1, 0, "bool", "true or false", "0 or 1")             \
    X(Enum32, "EntEnum32", 1, ENUM, FIXED, 0, 0, 0, "enum", "a string", "")                        \
    X(EntityRef, "EntEntityRef", 1, ENTITY, FIXED, 0, ALL, UINT32_MAX, "entity",                   \
      "a string with the path of an entity", "in a world: EntEntity")                              \
    X(NameRef, "EntNameRef", 1, NAME, FIXED, 0, ALL, 0, "name", "a string with a name",            \
      "hash of a name")                                                                            \
    X(ResourceRef, "EntResourceRef", 2, RESOURCE, FIXED, 0, 0, 0, "resource",                      \
      "a string with the name of a resource", "id of a resource: ")                                \
    X(PersistentRef, "EntPersistentRef", 1, PERSISTENT, FIXED, 0, ID31, 0, "persistent",           \
      "a persistent id or a string with the path of an entity", "for ent_persistent_find")         \
    X(i32, "int32_t", 1, SIGNED, BOUNDED, I32_LOW, I32_HIGH, 0, "i32", "an integer", "an integer") \
    X(Flags32, "EntFlags32", 1, FLAGS, FIXED, 0, ALL, 0, "flags", "an array of strings",           \
      "bits of ")                                                                                  \
    X(TextRef, "EntTextRef", 1, TEXT, FIXED, 0, ALL, 0, "text", "a string", "for ent_world_text")

#define RECORD_KIND_ENUM(Type, ...) FIELD_##Type,
typedef enum EntFieldKind { RECORD_FIELD_KINDS(RECORD_KIND_ENUM) FIELD_KIND_COUNT } EntFieldKind;
typedef EntFieldKind FieldKind;
#undef RECORD_KIND_ENUM

#endif
#endif
