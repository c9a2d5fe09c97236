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
 *   Type      f32 Vec2 Vec3 Vec4 Quat u32 Bool32 Enum32 EntityRef NameRef ResourceRef
 *             PersistentRef
 *   default   REQUIRED, or V1(a) .. V4(a, b, c, d)
 *   lowest..  inclusive bounds of every number in the field; LOW and HIGH: any finite number
 *   argument  PLAIN; ENUM(LIST) for Enum32; REFERS_TO(RESOURCE_X) for ResourceRef; TEXT_IN(X) for a
 *             u32 that is an offset into the text section X
 */
#ifndef ENT_RECORD_H
#define ENT_RECORD_H

#include "shared.h"

#define RECORD_MEMBER(R, Type, name, fallback, lo, hi, unit, argument, text) Type name;

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

#define RECORD_FIELD_KINDS(X)                                                                      \
    X(f32, 1)                                                                                      \
    X(Vec2, 2)                                                                                     \
    X(Vec3, 3)                                                                                     \
    X(Vec4, 4)                                                                                     \
    X(Quat, 4)                                                                                     \
    X(u32, 1)                                                                                      \
    X(Bool32, 1)                                                                                   \
    X(Enum32, 1)                                                                                   \
    X(EntityRef, 1)                                                                                \
    X(NameRef, 1)                                                                                  \
    X(ResourceRef, 2)                                                                              \
    X(PersistentRef, 1)

#define RECORD_KIND_ENUM(Type, words) FIELD_##Type,
typedef enum EntFieldKind { RECORD_FIELD_KINDS(RECORD_KIND_ENUM) FIELD_KIND_COUNT } EntFieldKind;
typedef EntFieldKind FieldKind;
#undef RECORD_KIND_ENUM

#endif
#endif
