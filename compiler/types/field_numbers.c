/* field_numbers.c - reads numbers and arrays of numbers from JSON text, and reports those that are
 * probably meant in another way. */
#include <math.h>

#include "diag.h"
#include "field_forms.h"

void value_wrong_kind(Instance* in, const JsonToken* value, const Field* f, const char* wanted) {
    diag_error(in->diag, E0202, in->source, json_token_offset(in->source, value), 1,
               "%s must be %s, not %s", f->name, wanted, json_kind_name(json_token_kind(value)));
}

bool value_expect(Instance* in, const JsonToken* value, const Field* f, JsonKind kind) {
    if (json_token_is(value, kind)) return true;
    value_wrong_kind(in, value, f, field_kind(f)->json);
    return false;
}

/* "from 0 to 10"; a side without a bound is omitted. */
static void range_print(const Field* f, char* range, size_t room) {
    const bool is_integer = !field_is_float(f);
    const int  digits = is_integer ? 15 : 9;
    const bool low = is_integer || (f32)f->lo > (f32)LOW,
               high = is_integer || (f32)f->hi < (f32)HIGH;
    if (low == high)
        snprintf(range, room, "from %.*g to %.*g", digits, f->lo, digits, f->hi);
    else
        snprintf(range, room, "%s %.*g", low ? "at least" : "at most", digits, low ? f->lo : f->hi);
}

static void range_report(Instance* in, const JsonToken* value, const Field* f) {
    const bool words = strchr(f->unit, ' ') != NULL; /* "linear RGB" */
    const bool turns = field_form(f) == FORM_UNIT;
    char       range[96];
    range_print(f, range, sizeof range);
    diag_error(in->diag, E0203, in->source, json_token_offset(in->source, value), value->bytes,
               "%s%s must be %s%s%s%s, not %.*s", f->name,
               turns ? " is a quaternion x y z w: its numbers" : "", range,
               words      ? " ("
               : *f->unit ? " "
                          : "",
               f->unit, words ? ")" : "", (int)MIN_OF(value->bytes, 40u), value->at);
}

bool number_read(Instance* in, const JsonToken* value, const Field* f, f64* number) {
    if (!json_token_is(value, JSON_NUMBER)) {
        value_wrong_kind(in, value, f,
                         field_words(f) > 1 ? "made of numbers" : field_kind(f)->json);
        return false;
    }
    *number = json_token_number(value);
    const bool is_integer = !field_is_float(f);
    const f64  lo = is_integer ? f->lo : (f64)(f32)f->lo, hi = is_integer ? f->hi : (f64)(f32)f->hi;
    const bool vanishes = (f32)*number == 0; /* and remains on the same side of a bound that is 0 */
    const f64  stored = is_integer || vanishes ? *number : (f64)(f32)*number;
    if (is_integer && !json_token_is_integer(value)) {
        diag_error(in->diag, E0105, in->source, json_token_offset(in->source, value), value->bytes,
                   "%s must be an integer", f->name);
        return false;
    }
    if (stored >= lo && stored <= hi) return true;
    range_report(in, value, f);
    return false;
}

static void quaternion_finish(Instance* in, const JsonToken* value, const Field* f, f64 q[4]) {
    f64 length;
    if (quaternion_normalise(q, &length)) return;
    diag_error(in->diag, E0203, in->source, json_token_offset(in->source, value), 1,
               "%s must be a quaternion x y z w of length 1; its length is %.4g", f->name, length);
}

/* The digits of a number without fraction and exponent; no bytes for other numbers. */
static Text integer_digits(const JsonToken* number) {
    const u32  sign = *number->at == '-';
    const Text text = {number->at + sign, number->bytes - sign};
    for (u32 i = 0; i < text.bytes; i++) {
        if (text.at[i] < '0' || text.at[i] > '9') return (Text){text.at, 0};
    }
    return text;
}

/* Warns about an integer that a float cannot represent exactly. An author who writes all digits of such
 * a number relies on them. */
static void integer_check(const Instance* in, const JsonToken* number, const Field* f) {
    const Text digits = integer_digits(number);
    const f64  value = json_token_number(number);
    char       stored[64];
    snprintf(stored, sizeof stored, "%.0f", fabs((f64)(f32)value));
    if (digits.bytes == 0 || text_equal(digits, text_of(stored))) return;
    diag_warning(in->diag, W0703, in->source, json_token_offset(in->source, number), number->bytes,
                 "%s: %.*s is stored as %s%s, because a 32-bit float represents all integers "
                 "only up to %.0f",
                 f->name, (int)MIN_OF(number->bytes, 60u), number->at, value < 0 ? "-" : "", stored,
                 INTEGER_MAX);
}

/* One number, or those of an array. A number in a prefab is reported when the prefab is compiled. */
static void wholes_check(const Instance* in, const JsonToken* value, const Field* f) {
    if (in->source != in->asset_source) return;
    if (json_token_is(value, JSON_NUMBER)) integer_check(in, value, f);
    for (const JsonToken* item = json_first(value); item; item = json_next(item))
        integer_check(in, item, f);
}

static bool integer_is_large(const f64* value, u32 words) {
    f64 max = 0;
    for (u32 i = 0; i < words; i++) max = MAX_OF(max, fabs(value[i]));
    return max > INTEGER_MAX;
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

static void euler_hint(const Instance* in, const JsonToken* at, const f64 angle[3]) {
    f64  q[4];
    char angles[128], text[128];
    euler_quaternion(angle, q);
    array_print(angle, 3, angles, sizeof angles);
    array_print(q, 4, text, sizeof text);
    diag_note(
        in->diag, in->source, json_token_offset(in->source, at), 1,
        "a rotation is a quaternion x y z w; for the Euler angles %s in degrees, in the order "
        "XYZ (about x first, then y, then z), write %s",
        angles, text);
}

/* After an error in an array of numbers: what the author probably wanted to write. A number that
 * could not be read is NaN. */
static void array_hint(const Instance* in, const JsonToken* at, const Field* f, const f64* value,
                       u32 count) {
    const u32 words = field_words(f);
    f64       divided[4], max = 0;
    char      text[128];
    assert(words <= COUNT_OF(divided)); /* of one element */
    for (u32 i = 0; i < MIN_OF(count, words); i++) {
        if (isnan(value[i])) return;
        max = MAX_OF(max, value[i] < 0 ? HIGH : value[i]);
        divided[i] = value[i] / 255;
    }
    if (f->kind == FIELD_Quat) {
        if (count == 3) euler_hint(in, at, value);
    } else if (count == words && f->lo == 0 && f->hi == 1 && max > 1 && max <= 255) {
        array_print(divided, words, text, sizeof text);
        diag_note(in->diag, in->source, json_token_offset(in->source, at), 1,
                  "if the numbers are from 0 to 255, divide them by 255: %s", text);
    }
}

/* Of numbers in an array; the number of those that were in it, or NONE when it is none. */
static u32 items_read(Instance* in, const JsonToken* array, const Field* f, f64* value) {
    const u32 words = field_words(f);
    u32       count = 0;
    f64       extra;
    if (!value_expect(in, array, f, JSON_ARRAY)) return NONE;
    for (const JsonToken* item = json_first(array); item; item = json_next(item), count++) {
        if (count < words) value[count] = NAN; /* until it is read */
        number_read(in, item, f, count < words ? &value[count] : &extra);
    }
    return count;
}

static void floats_read(Instance* in, const JsonToken* at, const Field* f, u8* to) {
    f64       value[4] = {0, 0, 0, 1};
    f32       number[4];
    const u32 words = field_words(f), errors = diag_error_count(in->diag);
    assert(words <= COUNT_OF(value) && words <= COUNT_OF(number)); /* of one element */
    const u32 count = words == 1 ? number_read(in, at, f, &value[0]) : items_read(in, at, f, value);
    if (count == NONE) return;
    if (count != words && diag_error_count(in->diag) == errors) {
        diag_error(in->diag, E0202, in->source, json_token_offset(in->source, at), 1,
                   "%s must be %s, but has %u", f->name, field_kind(f)->json, count);
    }
    if (diag_error_count(in->diag) != errors) {
        if (words >= 3) array_hint(in, at, f, value, count);
        return;
    }
    if (integer_is_large(value, words)) wholes_check(in, at, f);
    if (field_form(f) == FORM_UNIT) quaternion_finish(in, at, f, value);
    for (u32 i = 0; i < words; i++) number[i] = (f32)value[i];
    memcpy(to, number, sizeof(f32) * words);
}

void numbers_read(Instance* in, const JsonToken* value, const Field* f, u8* to) {
    const char* const end = in->source->text + in->source->bytes;
    const u32         words = field_words(f);
    f64               number;
    if (!field_is_float(f) && integer_scan(f, value->at, end, to)) return;
    if (field_is_float(f) && floats_scan(value->at, end, (F32Range){(f32)f->lo, (f32)f->hi}, words,
                                         field_form(f) == FORM_UNIT, to))
        return;
    if (field_is_float(f))
        floats_read(in, value, f, to);
    else if (number_read(in, value, f, &number))
        field_number_store(f, number, to);
}
