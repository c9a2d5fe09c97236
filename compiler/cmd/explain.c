/* explain.c - prints what a diagnostic code means, what causes it, and what repairs it. */
#include <stdio.h>

#include "diag.h"
#include "options.h"

static int list_print(void) {
    for (u32 i = 0; i < DIAG_CODE_COUNT; i++)
        printf("%s  %s\n", diag_code_name((DiagCode)i), diag_code_text((DiagCode)i));
    return EXIT_OK;
}

/* Codes are written in upper case. */
static DiagCode code_read(const char* text) {
    char   upper[8];
    size_t bytes = 0;
    for (; text[bytes] && bytes < sizeof upper - 1; bytes++)
        upper[bytes] = (char)(text[bytes] >= 'a' && text[bytes] <= 'z' ? text[bytes] - 'a' + 'A'
                                                                       : text[bytes]);
    upper[bytes] = 0;
    return text[bytes] ? DIAG_CODE_COUNT : diag_code_named(text_of(upper));
}

COMMAND(explain) {
    if (o->arguments.count == 0) return list_print();
    const char*    text = o->arguments.at[0];
    const DiagCode code = code_read(text);
    if (code == DIAG_CODE_COUNT) {
        char quoted[DIAG_NAME_BYTES];
        fprintf(stderr,
                "entc: error: explain: there is no code %s; \"entc explain\" lists all codes\n",
                diag_name(quoted, text));
        return EXIT_USAGE;
    }
    const DiagExplanation e = diag_explanation(code);
    printf("%s: %s\n\nCause: %s\n\nRepair: %s\n", diag_code_name(code), diag_code_text(code),
           e.cause, e.repair);
    return EXIT_OK;
}
