/* exit_codes.h - what entc tells the shell. */
#ifndef ENTC_EXIT_CODES_H
#define ENTC_EXIT_CODES_H

enum {
    EXIT_OK = 0,
    EXIT_USAGE = 1,       /* and `diff`: different */
    EXIT_IO = 2,          /* a file that is missing, unreadable or unwritable */
    EXIT_INVALID = 3,     /* diagnostics were told */
    EXIT_LIMIT = 4,       /* out of memory, or a stated limit */
    EXIT_UNSUPPORTED = 5, /* a blob of another format version */
};

#endif
