/* depfile.c - writes the inputs of a compiled resource as rules for GNU make and ninja.
 *
 * The two programs read most characters of a path in the same way, but not all. A path that the requested
 * program, or by default one of the two, would read as another one is reported, and nothing is written. */
#include "build_internal.h"
#include "diag.h"
#include "plugin_load.h"
#include "print.h"

/* How a byte of a path is written; NULL: it cannot be. A byte without a row is written as it is, but control
 * characters, which ninja does not read. */
typedef struct Spelling {
    char        byte;
    const char* make;
    const char* ninja;
} Spelling;

static const Spelling spellings[] = {
    {'\t', "\\\t", NULL}, {'\n', NULL, NULL},  {' ', "\\ ", "\\ "}, {'"', "\"", NULL},
    {'#', "\\#", "\\#"},  {'$', "$$", "$$"},   {'&', "&", NULL},    {'\'', "'", NULL},
    {'*', "\\*", NULL},   {':', "\\:", "\\:"}, {';', NULL, NULL},   {'<', "<", NULL},
    {'>', ">", NULL},     {'?', "\\?", NULL},  {'[', "\\[", "["},   {'^', "^", NULL},
    {'`', "`", NULL},     {'|', "\\|", NULL},
};

/* The spelling for one program; `plain` receives a byte that is written as it is. */
static const char* spelling_for(bool ninja, char byte, char plain[2]) {
    const bool control = (u8)byte < 0x20 || byte == 0x7f;
    for (u32 i = 0; i < COUNT_OF(spellings); i++) {
        if (spellings[i].byte == byte) return ninja ? spellings[i].ninja : spellings[i].make;
    }
    plain[0] = byte, plain[1] = 0;
    return ninja && control ? NULL : plain;
}

static bool for_make(DepfileFormat format) { return format != DEPFILE_NINJA; }
static bool for_ninja(DepfileFormat format) { return format != DEPFILE_MAKE; }

static const char* spelling_of(DepfileFormat format, char byte, char plain[2]) {
    const char* ninja = spelling_for(true, byte, plain);
    const char* make = spelling_for(false, byte, plain);
    if (format == DEPFILE_MAKE) return make;
    if (format == DEPFILE_NINJA) return ninja;
    return make && ninja && strcmp(make, ninja) == 0 ? make : NULL;
}

/* `count` backslashes before the byte `next`, which is 0 at the end of the path. Before a character that is
 * written with a backslash, make reads half of them, and ninja only before a space. 0: they cannot be
 * written. */
static u32 backslashes_for(DepfileFormat format, u32 count, char next) {
    char        plain[2];
    const char* spelling = next ? spelling_of(format, next, plain) : NULL;
    if (!spelling) return 0;
    if (for_make(format) && next == '=') return 0;
    if (for_ninja(format) && next == '$') return 0;
    if (spelling[0] != '\\') return count;
    if (next == ' ') return count * 2;
    if (format == DEPFILE_BOTH) return 0;
    return format == DEPFILE_MAKE ? count * 2 : count;
}

/* The end of a path: the space before the next input is part of it for make, which also reads "a(b)" as a
 * member of an archive, and a colon is not part of it for ninja. */
static bool ends_badly(DepfileFormat format, const char* path) {
    const char last = path[strlen(path) - 1];
    const bool archive = last == ')' && strchr(path, '(');
    return (for_make(format) && (last == ' ' || last == '\t' || archive)) ||
           (for_ninja(format) && last == ':');
}

/* Make replaces a ~ at the beginning by the folder of a user, also after "./", and where a word has a wildcard
 * character, each backslash in it is removed. */
static bool is_expanded(DepfileFormat format, const char* path) {
    const bool home = *path == '~' && strchr(path, '/');
    const bool pattern = strpbrk(path, "*?[") && strchr(path, '\\');
    return for_make(format) && (home || pattern);
}

/* A path as an input, or as a target, in which make reads a % and a = in other ways. False: it cannot be
 * written. */
static bool path_put(FILE* out, DepfileFormat format, const char* path, bool target) {
    char plain[2];
    if (!*path || ends_badly(format, path) || is_expanded(format, path)) return false;
    if (*path == '~') fputs("./", out); /* make would replace it by the folder of a user */
    while (*path) {
        u32 slashes = 0;
        while (path[slashes] == '\\') slashes++;
        if (slashes) {
            path += slashes;
            const u32 written = backslashes_for(format, slashes, *path);
            if (written == 0) return false;
            for (u32 i = 0; i < written; i++) fputc('\\', out);
        }
        const char* spelling = spelling_of(format, *path, plain);
        if (!spelling) return false;
        if (target && for_make(format) && *path == '=') return false;
        if (target && for_make(format) && *path == '%') fputc('\\', out);
        fputs(spelling, out);
        path++;
    }
    return true;
}

/* --- the inputs --- */

typedef ARRAY(const char*) Inputs;

/* The sources that were read, now or when the blob was stored in the cache, and the sources of the resources
 * that are needed at runtime, which must exist. */
static bool* assets_find(const Build* b) {
    bool* input = memory_alloc(sizeof(bool) * ((size_t)b->assets.count + 1));
    for (u32 i = 0; i < b->assets.count; i++) {
        input[i] = b->assets.asset[i]->state != ASSET_NEW;
    }
    for (u32 i = 0; i < b->products.count; i++) {
        const Product* p = &b->products.at[i];
        for (u32 k = 0; p->compiled && k < p->compiled->edge_count; k++) {
            const Edge* edge = &p->compiled->edges[k];
            if (edge->type >= RESOURCE_COUNT) continue;
            const Asset* asset = assets_file(&b->assets, text_of(edge->name), edge->type);
            if (asset) input[asset->index] = true;
        }
    }
    return input;
}

static void inputs_find(const Build* b, Inputs* inputs) {
    bool*          input = assets_find(b);
    const Plugins* plugins = b->registry.plugins;
    for (u32 i = 0; plugins && i < plugins->count; i++) *array_push(inputs) = plugins->at[i].path;
    if (b->settings.exists) *array_push(inputs) = b->settings.source.path;
    for (u32 i = 0; i < b->assets.count; i++) {
        const Asset* asset = b->assets.asset[i];
        if (!input[i]) continue;
        *array_push(inputs) = asset->source.path;
        for (u32 k = 0; k < asset->content->besides.count; k++)
            *array_push(inputs) = asset->content->besides.at[k].path;
    }
    memory_free(input);
}

/* After the target, make reads "a=b" as a variable, but not after another input. */
static bool inputs_order(DepfileFormat format, Inputs* inputs) {
    if (!for_make(format)) return true;
    for (u32 i = 0; i < inputs->count; i++) {
        if (strchr(inputs->at[i], '=')) continue;
        const char* first = inputs->at[i];
        inputs->at[i] = inputs->at[0];
        inputs->at[0] = first;
        return true;
    }
    return inputs->count == 0;
}

/* --- writing --- */

static int path_report(DepfileFormat format, const char* path) {
    static const char* const readers[] = {
        [DEPFILE_BOTH] = "make and ninja both read; --depfile-format states which of them reads it",
        [DEPFILE_MAKE] = "make reads",
        [DEPFILE_NINJA] = "ninja reads"};
    fprintf(
        stderr,
        "entc: error: the path \"%s\" contains characters that cannot be written to a depfile that "
        "%s\n",
        path, readers[format]);
    return EXIT_USAGE;
}

/* The outputs, unless the options state another target. */
static int targets_print(const Build* b, FILE* out) {
    const BuildOptions* o = b->options;
    const DepfileFormat format = o->depfile.format;
    const bool          one = o->depfile.target || !build_is_batch(o);
    const char*         target = o->depfile.target ? o->depfile.target : o->out;
    char                room[4096];
    if (one && !path_put(out, format, target, true)) return path_report(format, target);
    for (u32 i = 0; i < o->resources.count && !one; i++) {
        const int wrote = snprintf(room, sizeof room, "%s/%s", o->out, o->resources.at[i]);
        if (i > 0) fputc(' ', out);
        if (wrote >= (int)sizeof room || !path_put(out, format, room, true))
            return path_report(format, room);
    }
    return EXIT_OK;
}

/* `target: inputs`, and each input as a separate target, so that a deleted input is not an error. That of
 * a path with a '=' is omitted, which make cannot read. */
static int depfile_print(const Build* b, const Inputs* inputs, FILE* out) {
    const DepfileFormat format = b->options->depfile.format;
    const int           code = targets_print(b, out);
    if (code != EXIT_OK) return code;
    fputc(':', out);
    for (u32 i = 0; i < inputs->count; i++) {
        fputs(" \\\n ", out);
        if (!path_put(out, format, inputs->at[i], false)) return path_report(format, inputs->at[i]);
    }
    fputc('\n', out);
    for (u32 i = 0; i < inputs->count; i++) {
        if (for_make(format) && strchr(inputs->at[i], '=')) continue;
        fputc('\n', out);
        if (!path_put(out, format, inputs->at[i], true)) return path_report(format, inputs->at[i]);
        fputc(':', out);
    }
    fputc('\n', out);
    return EXIT_OK;
}

int depfile_make(const Build* b, Print* print) {
    if (!b->options->depfile.path) return EXIT_OK;
    Inputs inputs = {0};
    FILE*  out = print_begin(print);
    inputs_find(b, &inputs);
    const int code = inputs_order(b->options->depfile.format, &inputs)
                         ? depfile_print(b, &inputs, out)
                         : path_report(b->options->depfile.format, inputs.at[0]);
    array_drop(&inputs);
    if (code != EXIT_OK) {
        print_end(print);
        print_drop(print);
    }
    return code;
}

/* Of several resources, one with errors may have read less than an output needs that it left as it was. */
int depfile_put(const Build* b, Print* print, int code) {
    const BuildOptions* o = b->options;
    if (!o->depfile.path) return code;
    if (code == EXIT_OK && diag_error_count(b->diag) == 0 && build_writes(o))
        return (o->inputs ? print_put_only : print_put)(print, o->depfile.path, NULL);
    print_drop(print);
    return code;
}
