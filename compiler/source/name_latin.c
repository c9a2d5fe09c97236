/* name_latin.c - tables of letters, by ranges of Unicode. */
#include "name_latin.h"

#include "utf8.h"

/* A lower case letter, a digit or '_' stands for itself; an upper case letter is a row of `several`; '-'
 * is left out; '.' has no equivalent. */
static const char several[][LATIN_BYTES] = {"ae", "ss", "th", "oe", "ij", "dz",   "lj", "nj",
                                            "ch", "zh", "kh", "ts", "sh", "shch", "ie", "iu",
                                            "ia", "ps", "hv", "oi", "db", "qp"};

static const char latin_basic[] = /* from U+00A0 on */
    "__________a__-____23_m___1o_____aaaaaaAceeeeiiiidnooooo_ouuuuyCBaaaaaaAceeeeiiii"
    "dnooooo_ouuuuyCyaaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiEEjjkkqlllllll"
    "lllnnnnnnnnnooooooDDrrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzsbbbb..occdddd.ee"
    "effg.Siikkl..nnoooTTpp.....ttttuu.vyyzz.............FFFGGGHHHaaiioouuuuuuuuuueaa"
    "aaAAggggkkoooo..jFFFggS.nnaaAAooaaaaeeeeiiiioooorrrruuuusstt..hhnd..zzaaeeoooooo"
    "ooyylntjUVaccltsz..buveejjqqrryy";

static const char latin_additional[] = /* from U+1E00 on */
    "aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmmmmmmnnnnnnnnoooo"
    "oooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvvwwwwwwwwwwxxxxyyzzzzzzhtwyasssB."
    "aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeeeeeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuu"
    "uuyyyyyyyy..vvyy";

static const char greek_basic[] = /* from U+0370 on */
    "....__...._..._.....__a_eii.o.yoiavgdeziCiklmnxopr.styfIRoiyaeiiyavgdeziCiklmnxo"
    "prsstyfIRoiyoyo.vCyyyfp.........................krsjCe_..s......";

static const char greek_extended[] = /* from U+1F00 on */
    "aaaaaaaaaaaaaaaaeeeeee..eeeeee..iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiioooooo..oooooo.."
    "yyyyyyyy.y.y.y.yooooooooooooooooaaeeiiiiooyyoo..aaaaaaaaaaaaaaaaiiiiiiiiiiiiiiii"
    "ooooooooooooooooaaaaa.aaaaaaa_i___iii.iieeiii___iiii..iiiiii.___yyyyrryyyyyyr___"
    "..ooo.ooooooo__.";

static const char cyrillic[] = /* from U+0400 on */
    "eedgOFiijGHckiuFabvgdeJziiklmnoprstufKLIMNOy-ePQabvgdeJziiklmnoprstufKLIMNOy-ePQ"
    "eedgOFiijGHckiuF";

static const char superscripts[] = /* from U+2070 on */
    "0i__456789_____n0123456789_____";

typedef struct LatinRange {
    u32         first, count;
    const char* table; /* NULL: every character of the range is left out */
} LatinRange;

#define RANGE(first, table)                                                                        \
    { first, sizeof(table) - 1, table }

static const LatinRange ranges[] = {RANGE(0x00a0, latin_basic),  RANGE(0x1e00, latin_additional),
                                    RANGE(0x0370, greek_basic),  RANGE(0x1f00, greek_extended),
                                    RANGE(0x0400, cyrillic),     RANGE(0x0490, "gg"),
                                    RANGE(0x2070, superscripts), {0x0300, 0x70, NULL},
                                    {0x1ab0, 0x50, NULL},        {0x1dc0, 0x40, NULL},
                                    {0x200b, 5, NULL},           {0x202a, 5, NULL},
                                    {0x2060, 0x10, NULL},        {0xfe00, 0x10, NULL},
                                    {0xfe20, 0x10, NULL},        {0xfeff, 1, NULL}};

static bool table_latin(char c, char latin[LATIN_BYTES]) {
    if (c == '.') return false;
    if (c >= 'A' && c <= 'Z') {
        memcpy(latin, several[c - 'A'], LATIN_BYTES);
    } else {
        latin[0] = c == '-' ? 0 : c;
        latin[1] = 0;
    }
    return true;
}

/* The ASCII characters of full width, and ligatures of f. */
static bool wide_latin(u32 c, char latin[LATIN_BYTES]) {
    static const char ligatures[][LATIN_BYTES] = {"ff", "fi", "fl", "ffi", "ffl", "st", "st"};
    if (c >= 0xfb00 && c < 0xfb00 + COUNT_OF(ligatures)) {
        memcpy(latin, ligatures[c - 0xfb00], LATIN_BYTES);
        return true;
    }
    if (c < 0xff01 || c > 0xff5e) return false;
    const char ascii = (char)(c - 0xff01 + '!');
    const bool upper = ascii >= 'A' && ascii <= 'Z';
    const bool kept =
        (ascii >= 'a' && ascii <= 'z') || (ascii >= '0' && ascii <= '9') || ascii == '-';
    latin[0] = upper ? (char)(ascii - 'A' + 'a') : kept ? ascii : '_';
    latin[1] = 0;
    return true;
}

bool latin_of(u32 c, char latin[LATIN_BYTES]) {
    static_assert(sizeof several / sizeof *several <= 26, "a letter for each row");
    for (u32 i = 0; i < COUNT_OF(ranges); i++) {
        const LatinRange* range = &ranges[i];
        if (c < range->first || c - range->first >= range->count) continue;
        return table_latin(range->table ? range->table[c - range->first] : '-', latin);
    }
    if (c >= 0x2000 && c < 0x2060) return table_latin('_', latin); /* spaces, dashes, quotes */
    return wide_latin(c, latin);
}

u32 utf8_character(const char* at, const char* end, u32* bytes) {
    static const u8 first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    *bytes = at < end ? utf8_length(at, end) : 0;
    u32 character = *bytes == 0 ? 0 : (u8)*at & first_bits[*bytes];
    for (u32 i = 1; i < *bytes; i++) character = character << 6 | ((u8)at[i] & 0x3f);
    return character;
}
