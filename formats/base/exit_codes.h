/* exit_codes.h - the exit codes of the programs. */
#ifndef ENT_EXIT_CODES_H
#define ENT_EXIT_CODES_H

#include "status.h"

enum {
    EXIT_OK = 0,
    EXIT_USAGE = 1,   /* for `entc diff` and `entc conform` also: different */
    EXIT_IO = 2,      /* a file that is missing, unreadable or unwritable */
    EXIT_INVALID = 3, /* errors were reported, a blob is refused, `--check` would change files */
    EXIT_LIMIT = 4,   /* out of memory, or a stated limit */
    EXIT_UNSUPPORTED = 5, /* a blob of another format version, a plugin of another version */
    EXIT_DEVICE = 6,      /* there is no Vulkan device that can be used, or it failed */
};

static inline int exit_code_of(ent_status status) {
    switch (status) {
    case ENT_OK: return EXIT_OK;
    case ENT_NOT_FOUND:
    case ENT_IO: return EXIT_IO;
    case ENT_NO_MEMORY:
    case ENT_LIMIT: return EXIT_LIMIT;
    case ENT_BAD_VERSION: return EXIT_UNSUPPORTED;
    case ENT_NO_DEVICE:
    case ENT_DEVICE_LOST:
    case ENT_DEVICE_FAULT: return EXIT_DEVICE;
    default: return EXIT_INVALID;
    }
}

#endif
