/* status.h - every runtime error of a library call: of files, blobs and the allocator. One list;
 * the enumerators and ent_status_text() expand from it.
 *
 * Errors of the caller are asserted, errors in the content are diagnostics of the compiler; neither
 * is a status. */
#ifndef ENT_STATUS_H
#define ENT_STATUS_H

#ifdef ENT_BUILD
#include "short_names.h"
#endif

#define ENT_STATUS_LIST(X)                                                                         \
    X(ENT_OK, "ok")                                                                                \
    X(ENT_NO_MEMORY, "out of memory")                                                              \
    X(ENT_NOT_FOUND, "no such file")                                                               \
    X(ENT_IO, "the file could not be read or written")                                             \
    X(ENT_TRUNCATED, "the blob ends before the end of its data")                                   \
    X(ENT_NOT_A_BLOB, "not a blob: the first four bytes are not ENTB")                             \
    X(ENT_OTHER_BYTE_ORDER, "the blob was written for the other byte order")                       \
    X(ENT_BAD_VERSION, "the blob has a format version that this build does not read")              \
    X(ENT_BAD_HASH, "the blob's content does not match its hash")                                  \
    X(ENT_BAD_FIELD, "a field of the blob has an invalid value")                                   \
    X(ENT_WRONG_TYPE, "the blob contains another type of resource than was requested")             \
    X(ENT_UNKNOWN_COMPONENT,                                                                       \
      "the blob contains a component type that is not registered in this world")                   \
    X(ENT_LIMIT, "a limit of the library was reached")                                             \
    X(ENT_EXISTS, "it already exists, and only one is allowed")                                    \
    X(ENT_NOT_A_BUNDLE, "not a bundle: the first four bytes are not ENTP")                         \
    X(ENT_BAD_PLUGIN, "the plugin cannot be used in this world")                                   \
    X(ENT_STALE, "an entity is not alive")                                                         \
    X(ENT_CYCLE, "the new parent is the entity itself or one of its descendants")                  \
    X(ENT_NO_TRANSFORM, "the parent and the child both need a transform")                          \
    X(ENT_UNKNOWN_RESOURCE, "a component refers to a resource that no source names")               \
    X(ENT_NO_DEVICE, "there is no Vulkan device that can be used")                                 \
    X(ENT_DEVICE_LOST, "the Vulkan device stopped working")                                        \
    X(ENT_DEVICE_FAULT, "the Vulkan driver refused a call")                                        \
    X(ENT_NOT_AN_INDEX, "not an index of outputs: the first four bytes are not ENTI")              \
    X(ENT_CHANGING, "a file is not the one that the index states; another build may be writing")

#define ENT_STATUS_ENUM(name, text) name,
typedef enum EntStatus { ENT_STATUS_LIST(ENT_STATUS_ENUM) ENT_STATUS_COUNT } EntStatus;
#undef ENT_STATUS_ENUM

/* The visibility of a library function for the linker, and results that must be checked. */
#if defined(__GNUC__)
#define ENT_API        __attribute__((visibility("default")))
#define ENT_MUST_CHECK __attribute__((warn_unused_result))
#else
#define ENT_API
#define ENT_MUST_CHECK
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* One English sentence, never NULL, for any value. */
ENT_API const char* ent_status_text(EntStatus status);

#ifdef __cplusplus
}
#endif

#endif
