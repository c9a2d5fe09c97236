/* json_internal.h - shared by the parts of the scanner. Only json*.c include it. */
#ifndef ENTC_JSON_INTERNAL_H
#define ENTC_JSON_INTERNAL_H

#include "diag.h"
#include "json.h"

static inline u32 offset_of(const Json* json, const char* at) {
    return (u32)(at - json->source->text);
}

/* Reports once and stops the cursor. */
#define FAIL(json, code, at, ...)                                                                  \
    do {                                                                                           \
        if (!(json)->failed) {                                                                     \
            diag_error((json)->diag, code, (json)->source, offset_of(json, at), 1, __VA_ARGS__);   \
        }                                                                                          \
        (json)->failed = true;                                                                     \
        return false;                                                                              \
    } while (0)

static inline bool is_word_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Is this complete word at the cursor? */
static inline bool word_is(const Json* json, const char* text, u32 bytes) {
    return (size_t)(json->end - json->at) >= bytes && memcmp(json->at, text, bytes) == 0 &&
           !is_word_byte(json->at[bytes]);
}

/* --- json.c --- */

/* Reads a string with escapes, characters of more than one byte, or errors. */
bool json_string_scan(Json* json, JsonString* value);

/* Checks a number of any form. */
bool json_number_skip(Json* json);

/* Decodes one character of a scanned string into at most 4 bytes; returns how many. U+0000 becomes
 * U+FFFD. */
u32 json_decode_next(const char** place, u8 out[4]);

/* --- json_fault.c --- */

#define FOUND_BYTES 40

/* Describes what is at `at` for a message: a word, a character, or the number of a byte. */
const char* json_found_text(const Json* json, const char* at, char out[FOUND_BYTES]);

/* Each reports why the text at the cursor is invalid, stops the cursor, and returns false. */
bool json_comment_fault(Json* json);
bool json_value_fault(Json* json);
bool json_key_fault(Json* json);
bool json_colon_fault(Json* json);
bool json_separator_fault(Json* json, char close, const char* what); /* neither ',' nor `close` */
bool json_comma_fault(Json* json, char close);                       /* a comma before `close` */
bool json_depth_fault(Json* json);
bool json_end_fault(Json* json); /* the text continues after its end */

#endif
