/* field_numbers.c - reads numbers and arrays of numbers from JSON text, and reports those that are
 * probably meant in another way. */
#include <math.h>

#include "field_forms.h"

void value_wrong_kind(Instance* in, const Json* json, const Field* f, const char* wanted,
                      JsonKind found) {
    diag_error(in->diag, E0202, in->source, (u32)(json->at - in->source->text), 1,
               "%s must be %s, not %s", f->name, wanted, json_kind_name(found));
}

bool value_expect(Instance* in, Json* json, const Field* f, JsonKind kind) {
    JsonKind found = JSON_NULL;
    if (!json_kind(json, &found)) return false;
    if (found == kind) return true;
    value_wrong_kind(in, json, f, field_kind(f)->json, found);
    json_skip(json);
    return false;
}

/* "from 0 to 10"; a side without a bound is omitted. */
static void range_print(const Field* f, char* range, size_t room) {
    const bool whole = !field_is_float(f);
    const int  digits = whole ? 15 : 9;
    const bool low = whole || (f32)f->lo > (f32)LOW, high = whole || (f32)f->hi < (f32)HIGH;
    if (low == high)
        snprintf(range, room, "from %.*g to %.*g", digits, f->lo, digits, f->hi);
    else
        snprintf(range, room, "%s %.*g", low ? "at least" : "at most", digits, low ? f->lo : f->hi);
}

bool number_read(Instance* in, Json* json, const Field* f, f64* value) {
    JsonKind  found = JSON_NULL;
    const u32 offset = json_offset(json);
    if (!json_kind(json, &found)) return false;
    if (found != JSON_NUMBER) {
        value_wrong_kind(in, json, f, field_words(f) > 1 ? "made of numbers" : field_kind(f)->json,
                         found);
        json_skip(json);
        return false;
    }
    if (!json_number(json, value)) return false;
    const bool whole = !field_is_float(f);
    const f64  lo = whole ? f->lo : (f64)(f32)f->lo, hi = whole ? f->hi : (f64)(f32)f->hi;
    const bool vanishes = (f32)*value == 0; /* and remains on the same side of a bound that is 0 */
    const f64  stored = whole || vanishes ? *value : (f64)(f32)*value;
    const u32  bytes = (u32)(json->at - in->source->text) - offset;
    if (whole && !json_number_is_whole(in->source, offset)) {
        diag_error(in->diag, E0105, in->source, offset, bytes, "%s must be an integer", f->name);
        return false;
    }
    if (!(stored >= lo && stored <= hi)) {
        const bool words = strchr(f->unit, ' ') != NULL; /* "linear RGB" */
        const bool turns = field_form(f) == FORM_UNIT;
        char       range[96];
        range_print(f, range, sizeof range);
        diag_error(in->diag, E0203, in->source, offset, bytes, "%s%s must be %s%s%s%s, not %.*s",
                   f->name, turns ? " is a quaternion x y z w: its numbers" : "", range,
                   words      ? " ("
                   : *f->unit ? " "
                              : "",
                   f->unit, words ? ")" : "", (int)MIN_OF(bytes, 40u), in->source->text + offset);
        return false;
    }
    return true;
}

static void quaternion_finish(Instance* in, const Field* f, u32 offset, f64 q[4]) {
    f64 length;
    if (quaternion_normalise(q, &length)) return;
    diag_error(in->diag, E0203, in->source, offset, 1,
               "%s must be a quaternion x y z w of length 1; its length is %.4g", f->name, length);
}

/* The digits of a number without fraction and exponent; no bytes for other numbers. */
static Text whole_digits(const Json* json, const char* first) {
    const char* digits = first + (*first == '-');
    const Text  text = {digits, (u32)(json->at - digits)};
    for (u32 i = 0; i < text.bytes; i++) {
        if (text.at[i] < '0' || text.at[i] > '9') return (Text){digits, 0};
    }
    return text;
}

/* Warns about integers at `offset`, one or an array of them, that a float cannot represent exactly.
 * An author who writes all digits of such a number relies on them. A number in a prefab is reported
 * when the prefab is compiled. */
static void whole_check(const Instance* in, const Field* f, u32 offset, u32 words) {
    if (in->source != in->own) return;
    Json json = json_open(in->source, offset, in->diag);
    json_offset(&json);
    if (words > 1 && !json_enter(&json, JSON_ARRAY)) return;
    for (u32 i = 0; i < words && (words == 1 || json_item(&json)); i++) {
        const u32   at = json_offset(&json);
        const char* first = json.at;
        f64         value;
        char        stored[64];
        if (!json_number(&json, &value)) return;
        const Text digits = whole_digits(&json, first);
        snprintf(stored, sizeof stored, "%.0f", fabs((f64)(f32)value));
        if (digits.bytes == 0 || text_equal(digits, text_of(stored))) continue;
        diag_warning(in->diag, W0703, in->source, at, (u32)(json.at - first),
                     "%s: %.*s is stored as %s%s, because a 32-bit float represents all integers "
                     "only up to %.0f",
                     f->name, (int)MIN_OF((u32)(json.at - first), 60u), first, value < 0 ? "-" : "",
                     stored, WHOLE_MAX);
    }
}

static bool whole_is_large(const f64* value, u32 words) {
    f64 most = 0;
    for (u32 i = 0; i < words; i++) most = MAX_OF(most, fabs(value[i]));
    return most > WHOLE_MAX;
}

static void floats_store(const f64* value, u32 words, u8* to) {
    f32 number[4];
    assert(words <= COUNT_OF(number)); /* of one element */
    for (u32 i = 0; i < words; i++) number[i] = (f32)value[i];
    memcpy(to, number, sizeof(f32) * words);
}

/* "[1, 0.5, 0]" */
static void array_print(const f64* value, u32 count, char* text, size_t room) {
    size_t used = (size_t)snprintf(text, room, "[");
    for (u32 i = 0; i < count && used < room; i++) {
        used += (size_t)snprintf(text + used, room - used, "%s%.7g", i ? ", " : "", value[i]);
    }
    if (used < room) snprintf(text + used, room - used, "]");
}

/* The rotation about x by angle[0] degrees, then about y, then about z. */
static void euler_quaternion(const f64 angle[3], f64 q[4]) {
    f64 s[3], c[3];
    for (u32 i = 0; i < 3; i++) {
        const f64 half = angle[i] * (3.14159265358979323846 / 360);
        s[i] = sin(half), c[i] = cos(half);
    }
    q[0] = s[0] * c[1] * c[2] - c[0] * s[1] * s[2];
    q[1] = c[0] * s[1] * c[2] + s[0] * c[1] * s[2];
    q[2] = c[0] * c[1] * s[2] - s[0] * s[1] * c[2];
    q[3] = c[0] * c[1] * c[2] + s[0] * s[1] * s[2];
    for (u32 i = 0; i < 4; i++) q[i] = fabs(q[i]) < 1e-7 ? 0 : q[i];
}

static void euler_hint(const Instance* in, u32 offset, const f64 angle[3]) {
    f64  q[4];
    char angles[128], text[128];
    euler_quaternion(angle, q);
    array_print(angle, 3, angles, sizeof angles);
    array_print(q, 4, text, sizeof text);
    diag_note(
        in->diag, in->source, offset, 1,
        "a rotation is a quaternion x y z w; for the Euler angles %s in degrees, in the order "
        "XYZ (about x first, then y, then z), write %s",
        angles, text);
}

/* After an error in an array of numbers: what the author probably wanted to write. A number that
 * could not be read is NaN. */
static void array_hint(const Instance* in, const Field* f, u32 offset, const f64* value,
                       u32 count) {
    const u32 words = field_words(f);
    f64       divided[4], most = 0;
    char      text[128];
    assert(words <= COUNT_OF(divided)); /* of one element */
    for (u32 i = 0; i < MIN_OF(count, words); i++) {
        if (isnan(value[i])) return;
        most = MAX_OF(most, value[i] < 0 ? HIGH : value[i]);
        divided[i] = value[i] / 255;
    }
    if (f->kind == FIELD_Quat) {
        if (count == 3) euler_hint(in, offset, value);
    } else if (count == words && f->lo == 0 && f->hi == 1 && most > 1 && most <= 255) {
        array_print(divided, words, text, sizeof text);
        diag_note(in->diag, in->source, offset, 1,
                  "if the numbers are from 0 to 255, divide them by 255: %s", text);
    }
}

static void floats_finish(Instance* in, const Field* f, u32 offset, f64* value, u8* to) {
    const u32 words = field_words(f);
    if (whole_is_large(value, words)) whole_check(in, f, offset, words);
    if (field_form(f) == FORM_UNIT) quaternion_finish(in, f, offset, value);
    floats_store(value, words, to);
}

static void floats_read_general(Instance* in, Json* json, const Field* f, u8* to) {
    f64       value[4] = {0, 0, 0, 1};
    const u32 words = field_words(f), offset = json_offset(json);
    const u32 errors = diag_error_count(in->diag);
    u32       count = 0;
    assert(words <= COUNT_OF(value)); /* of one element */
    if (words == 1) {
        count = number_read(in, json, f, &value[0]);
    } else {
        if (!value_expect(in, json, f, JSON_ARRAY) || !json_enter(json, JSON_ARRAY)) return;
        for (f64 extra; json_item(json); count++) {
            if (count < words) value[count] = NAN; /* until it is read */
            number_read(in, json, f, count < words ? &value[count] : &extra);
        }
    }
    if (json->failed) return;
    if (count != words && diag_error_count(in->diag) == errors) {
        diag_error(in->diag, E0202, in->source, offset, 1, "%s must be %s, but has %u", f->name,
                   field_kind(f)->json, count);
    }
    if (diag_error_count(in->diag) != errors) {
        if (words >= 3) array_hint(in, f, offset, value, count);
        return;
    }
    floats_finish(in, f, offset, value, to);
}

/* Reads the most frequent form quickly: numbers in brackets, or one number. The general code reads
 * anything else, and reports a number that is out of range. */
static inline void floats_read_plain(Instance* in, Json* json, const Field* f, u8* to, u32 words) {
    const char* const start = json->at;
    const f32         lo = (f32)f->lo, hi = (f32)f->hi;
    f64               value[4];
    f32               number[4], most = 0;
    assert(words <= COUNT_OF(value) && words <= COUNT_OF(number)); /* of one element */
    bool is_valid = json_numbers(json, value, words);
    for (u32 i = 0; i < words && is_valid; i++) {
        number[i] = (f32)value[i];
        is_valid = number[i] >= lo && number[i] <= hi;
        most = MAX_OF(most, fabsf(number[i]));
    }
    if (!is_valid) {
        json->at = start;
        floats_read_general(in, json, f, to);
    } else if (most >= (f32)WHOLE_MAX || field_form(f) == FORM_UNIT) {
        const char* const after = json->at;
        json->at = start;
        const u32 offset = json_offset(json);
        json->at = after;
        floats_finish(in, f, offset, value, to);
    } else {
        memcpy(to, number, sizeof(f32) * words);
    }
}

void floats_read(Instance* in, Json* json, const Field* f, u8* to) {
    switch (field_words(f)) {
    case 1: floats_read_plain(in, json, f, to, 1); return;
    case 2: floats_read_plain(in, json, f, to, 2); return;
    case 3: floats_read_plain(in, json, f, to, 3); return;
    default: floats_read_plain(in, json, f, to, 4); return;
    }
}
