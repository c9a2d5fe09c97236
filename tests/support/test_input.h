/* test_input.h - a text for the scanner of JSON. */
#ifndef TEST_INPUT_H
#define TEST_INPUT_H

#include <stdlib.h>

#include "diag.h"
#include "diag_print.h"

/* A text in memory of exactly its size, so that a sanitizer detects access after its end. */
typedef struct Input {
    Source       source;
    Diagnostics* diag;
    char*        text;
} Input;

static inline Input input_open(const char* text, size_t bytes) {
    Input input = {.diag = diag_create(), .text = malloc(bytes + 1)};
    memcpy(input.text, text, bytes);
    input.text[bytes] = 0;
    input.source = source_of("input", input.text, (u32)bytes);
    return input;
}

static inline void input_close(Input* input) {
    diag_destroy(input->diag);
    free(input->text);
}

#endif
