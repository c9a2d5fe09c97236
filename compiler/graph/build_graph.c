/* build_graph.c - lists the outputs instead of building them: as paths, or as a ninja file with one
 * `entc compile` for each resource, or for each batch of resources.
 *
 * An edge lists its own sources and the program as inputs; its depfile lists the other files. It lists no folder, but
 * reads the list of all files, FILE.inputs, which the rule of the graph writes. The last edge writes
 * the index of the outputs. The graph itself is an output: it is generated again when a folder of the sources changes because
 * files are added or removed, or when a model, which contains further resources, or a file beside it changes. */
#include <stdlib.h>

#include "build_internal.h"
#include "path_alike.h"
#include "failure.h"
#include "print.h"
#include "sections.h"
#include "source_map.h"
#include "order.h"

typedef struct Graph {
    Build*      build;
    FILE*       out;
    u64         variants, names;   /* see variants_hash, names_hash */
    const char* program;           /* the path of this program; NULL: unknown */
    const char* list;              /* the path of the list of all files */
    ARRAY(const char*) inputs;     /* of the graph itself */
    ARRAY(const Product*) batched; /* in their order */
} Graph;

/* Resources that one command compiles: rows of Graph.batched. */
typedef struct Batch {
    u32 first, end;
} Batch;

static const char* output_path(const Build* b, const Product* p, Arena* arena) {
    return arena_print(arena, "%s/%s.%s", b->outputs.root, p->name, ent_resource_suffix(p->type));
}

/* --- the list --- */

int outputs_list(const Build* b) {
    Arena        arena = {0};
    const u32    count = b->products.count + 1;
    const char** paths = memory_alloc(sizeof(char*) * (size_t)count);
    const char*  index = index_path(b, &arena);
    for (u32 i = 0; i < b->products.count; i++) {
        paths[i] = output_path(b, &b->products.at[i], &arena);
    }
    paths[count - 1] = index;
    qsort(paths, count, sizeof *paths, order_texts);
    for (u32 i = 0; i < count; i++) {
        printf("%s\n", paths[i]);
        if (b->options->compile.source_map && paths[i] != index)
            printf("%s%s\n", paths[i], SOURCE_MAP_SUFFIX);
    }
    memory_free(paths);
    arena_drop(&arena);
    return EXIT_OK;
}

/* --- spelling --- */

/* A path in a list of paths of ninja; `path` false: the value of a variable. */
static void ninja_put(FILE* out, const char* text, bool path) {
    for (; *text; text++) {
        if (*text == '$' || (path && (*text == ' ' || *text == ':'))) fputc('$', out);
        fputc(*text, out);
    }
}

/* As one word of the shell, in the value of a variable. */
static void word_put(Graph* g, const char* text) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    if (*text && strspn(text, plain) == strlen(text)) {
        fputs(text, g->out);
        return;
    }
    fputc('\'', g->out);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", g->out);
        else
            ninja_put(g->out, (const char[]){*text, 0}, false);
    }
    fputc('\'', g->out);
}

static void option_put(Graph* g, const char* option, const char* value) {
    if (!value) return;
    fprintf(g->out, " %s ", option);
    word_put(g, value);
}

static void input_put(Graph* g, const char* path) {
    fputs(" $\n  ", g->out);
    ninja_put(g->out, path, true);
}

/* --- rules --- */

/* Is it compiled as data although its name is that of another resource, as of "wood.png" with "wood.png.data.json"? */
static bool is_retyped(const Asset* asset) {
    const char* path = asset->content_file ? asset->content_file : asset->source.path;
    return asset->type == RESOURCE_DATA && assets_concern(NULL, strrchr(path, '/') + 1);
}

/* Of files that are alike, the exact spelling in a model decides which one it means. */
static u64 alike_hash(const Tree* tree, u64 hash) {
    u64 sum = 0; /* the files are in no order */
    for (u32 i = 0; i < tree->files.count; i++) {
        const char* path = tree_relative(&tree->files.at[i]);
        if (path_alike_count(tree, path) > 1) sum += hash_bytes(path, strlen(path), 1);
    }
    return sum ? hash_bytes(&sum, sizeof sum, hash) : hash;
}

/* Besides the sources, the existence of files determines the file to which a name refers: of variants, of
 * images that belong to models or are data, and of the settings of the project. */
static u64 variants_hash(const Build* b) {
    u64 hash = b->settings.exists;
    for (u32 i = 0; i < b->assets.count; i++) {
        const Asset* asset = b->assets.asset[i];
        const char*  path = asset->source.path;
        const char*  below = path + strlen(b->sources.root) + 1;
        const bool   has_tags = settings_suffix(&b->settings, below).tags.bytes > 0;
        if (has_tags || asset->owned == OWNER_MODEL || is_retyped(asset))
            hash = hash_bytes(path, strlen(path), hash);
    }
    return alike_hash(&b->sources, hash);
}

/* The same with the file that belongs to a source because of its name. */
static u64 content_file_hash(const Graph* g, const Asset* asset) {
    return hash_bytes(asset->content_file, strlen(asset->content_file), g->variants);
}

static bool may_have_patterns(Build* b, Asset* package) {
    return asset_load(&b->assets, package) &&
           (memchr(package->content->view.bytes, '*', package->content->view.size) ||
            memchr(package->content->view.bytes, '?', package->content->view.size));
}

/* The patterns of a package may match every resource. */
static u64 names_hash(const Build* b, u64 hash) {
    for (u32 i = 0; i < b->assets.count; i++) {
        const char* name = b->assets.asset[i]->name;
        hash = hash_bytes(name, strlen(name), hash + b->assets.asset[i]->type);
    }
    return hash;
}

static void variables_print(Graph* g) {
    const BuildOptions* o = g->build->options;
    fputs("entc = ", g->out);
    word_put(g, g->program ? g->program : "entc");
    fputs("\nsource = ", g->out);
    word_put(g, g->build->sources.root);
    fputs("\ninputs = ", g->out);
    word_put(g, g->list);
    fputs("\noptions =", g->out);
    if (o->compile.target == TARGET_BIG) fputs(" --target big", g->out);
    if (o->compile.strip) fputs(" --strip", g->out);
    if (o->compile.clip_error != CLIP_ERROR)
        fprintf(g->out, " --clip-error %.9g", (f64)o->compile.clip_error);
    if (o->compile.source_map) fputs(" --source-map", g->out);
    if (o->strict_models) fputs(" --strict-models", g->out);
    option_put(g, "--lang", o->variant.lang);
    option_put(g, "--platform", o->variant.platform);
    option_put(g, "--cache", o->cache);
    for (u32 i = 0; i < o->plugins.count; i++) option_put(g, "--plugin", o->plugins.at[i]);
    fprintf(g->out, "\nvariants = %016llx\n\n", (unsigned long long)g->variants);
}

/* The first output stands for the edge in its depfile; as a word of the shell, and as a path. */
static void batch_rule_print(Graph* g) {
    fputs("rule entc_batch\n"
          "  command = $entc compile $source --inputs $inputs -o ",
          g->out);
    word_put(g, g->build->outputs.root);
    fputs(" -MF $word.d -MT $word --depfile-format ninja -j 1 $options @$word.rsp # $variants\n"
          "  description = entc $first and $others more\n"
          "  rspfile = $first.rsp\n"
          "  rspfile_content = $names\n"
          "  depfile = $first.d\n"
          "  deps = gcc\n"
          "  restat = 1\n\n",
          g->out);
}

static void rules_print(Graph* g) {
    fputs("rule entc\n"
          "  command = $entc compile $source --inputs $inputs -o $out -MD -MF $out.d "
          "--depfile-format ninja -j 1 $options -- $name # $variants\n"
          "  description = entc $name\n"
          "  depfile = $out.d\n"
          "  deps = gcc\n"
          "  restat = 1\n\n",
          g->out);
    if (g->build->options->batch > 1) batch_rule_print(g);
    fputs("rule entc_graph\n"
          "  command = $entc build $source -o ",
          g->out);
    word_put(g, g->build->options->out);
    fputs(" $options --emit-ninja ", g->out);
    word_put(g, g->build->options->graph);
    if (g->build->options->batch) fprintf(g->out, " --batch %u", g->build->options->batch);
    fputs("\n"
          "  description = entc: list the resources in $source\n"
          "  generator = 1\n"
          "  restat = 1\n"
          "\n"
          "rule entc_index\n"
          "  command = $entc index ",
          g->out);
    word_put(g, g->build->outputs.root);
    if (g->build->options->compile.target == TARGET_BIG) fputs(" --target big", g->out);
    fputs(" @$out.rsp\n"
          "  description = entc: the index of the outputs\n"
          "  rspfile = $out.rsp\n"
          "  rspfile_content = $in_newline\n"
          "  restat = 1\n"
          "\n",
          g->out);
}

/* --- edges --- */

/* A model, and what was read with it: which resources it contains depends on all of them. Of a model that was not read
 * again, the build database contains the files. */
static void model_inputs_find(Graph* g, const Asset* asset) {
    const Build*    b = g->build;
    const Database* db = &b->database;
    *array_push(&g->inputs) = asset->source.path;
    for (u32 i = 0; i < asset->content->besides.count; i++)
        *array_push(&g->inputs) = asset->content->besides.at[i].path;
    const u32 row = database_product(db, text_of(asset->name), asset->type);
    if (!asset->outline->recalled || row == NONE) return;
    const DatabaseProduct* p = &db->products[row];
    for (u32 i = p->first_read + 1; i < p->first_read + p->read_count; i++) {
        const DatabaseRead* read = &db->reads[i];
        if (read->name != NONE) continue;
        const char* path = database_text(db, db->files[read->file].path);
        *array_push(&g->inputs) = arena_print(&g->build->arena, "%s/%s", b->sources.root, path);
    }
}

/* A model of another variant, which is not read by an edge: an image to which it refers is no texture of its own. */
static void other_models_find(Graph* g) {
    const Build* b = g->build;
    for (u32 i = 0; i < b->sources.files.count; i++) {
        const TreeFile* file = &b->sources.files.at[i];
        const Suffix    suffix = settings_suffix(&b->settings, tree_relative(file));
        if (suffix.kind == SUFFIX_VALID && form_is_model(suffix.form))
            *array_push(&g->inputs) = file->path;
    }
}

/* The folders of the sources of this project, its models and its settings, each once. */
static void inputs_find(Graph* g) {
    Build* b = g->build;
    u32    kept = 0;
    for (u32 i = 0; i < b->sources.folders.count; i++) {
        const char* folder = b->sources.folders.at[i];
        if (!strchr(folder, '\n')) *array_push(&g->inputs) = folder;
    }
    for (u32 i = 0; i < b->assets.count; i++) {
        const Asset* asset = b->assets.asset[i];
        if (form_is_model(asset->form)) model_inputs_find(g, asset);
    }
    other_models_find(g);
    if (b->settings.exists) *array_push(&g->inputs) = b->settings.source.path;
    qsort(g->inputs.at, g->inputs.count, sizeof *g->inputs.at, order_texts);
    for (u32 i = 0; i < g->inputs.count; i++)
        if (kept == 0 || strcmp(g->inputs.at[kept - 1], g->inputs.at[i]) != 0)
            g->inputs.at[kept++] = g->inputs.at[i];
    g->inputs.count = kept;
}

/* An input that was removed is not an error, but a reason to list the sources again: it is a target
 * without a rule. */
static void graph_edge_print(Graph* g) {
    fputs("build ", g->out);
    ninja_put(g->out, g->build->options->graph, true);
    fputs(" | ", g->out);
    ninja_put(g->out, g->list, true);
    fputs(": entc_graph |", g->out);
    for (u32 i = 0; i < g->inputs.count; i++) input_put(g, g->inputs.at[i]);
    if (g->program) input_put(g, g->program);
    fputs("\nbuild", g->out);
    for (u32 i = 0; i < g->inputs.count; i++) input_put(g, g->inputs.at[i]);
    fputs(": phony\n\n", g->out);
}

/* A map is an output too: ninja builds it again when it is missing. */
static void output_put(Graph* g, const char* path) {
    ninja_put(g->out, path, true);
    if (!g->build->options->compile.source_map) return;
    fputs(" | ", g->out);
    ninja_put(g->out, path, true);
    fputs(SOURCE_MAP_SUFFIX, g->out);
}

/* What determines the result of a product beside the files in its depfile; 0: nothing. */
static u64 product_variants(Graph* g, const Product* p) {
    if (p->type == RESOURCE_PACKAGE && may_have_patterns(g->build, p->asset)) return g->names;
    return p->asset->content_file ? content_file_hash(g, p->asset) : 0;
}

static void program_put(const Graph* g) {
    if (!g->program) return;
    fputs(" | ", g->out);
    ninja_put(g->out, g->program, true);
}

static void edge_print(Graph* g, const Product* p, Arena* arena) {
    const u64 variants = product_variants(g, p);
    fputs("build ", g->out);
    output_put(g, output_path(g->build, p, arena));
    fputs(": entc ", g->out);
    ninja_put(g->out, p->asset->source.path, true);
    program_put(g);
    fprintf(g->out, "\n  name = %s.%s\n", p->name, ent_resource_suffix(p->type));
    if (variants) fprintf(g->out, "  variants = %016llx\n", (unsigned long long)variants);
}

/* Its outputs, each source once, and its variables. */
static void batch_print(Graph* g, Batch batch, Arena* arena) {
    const Product* const* at = g->batched.at;
    const char*           first = output_path(g->build, at[batch.first], arena);
    u64                   variants = 0;
    fputs("build", g->out);
    for (u32 i = batch.first; i < batch.end; i++) input_put(g, output_path(g->build, at[i], arena));
    for (u32 i = batch.first; i < batch.end && g->build->options->compile.source_map; i++) {
        fputs(i == batch.first ? " |" : "", g->out);
        input_put(g,
                  arena_print(arena, "%s" SOURCE_MAP_SUFFIX, output_path(g->build, at[i], arena)));
    }
    fputs(": entc_batch", g->out);
    for (u32 i = batch.first; i < batch.end; i++) {
        const u64 one = product_variants(g, at[i]);
        if (one) variants = hash_bytes(&one, sizeof one, variants);
        if (i == batch.first || at[i]->asset != at[i - 1]->asset)
            input_put(g, at[i]->asset->source.path);
    }
    program_put(g);
    fputs("\n  names = --", g->out);
    for (u32 i = batch.first; i < batch.end; i++)
        fprintf(g->out, " %s.%s", at[i]->name, ent_resource_suffix(at[i]->type));
    fputs("\n  first = ", g->out);
    ninja_put(g->out, first, false);
    fputs("\n  word = ", g->out);
    word_put(g, first);
    fprintf(g->out, "\n  others = %u\n", batch.end - batch.first - 1);
    if (variants) fprintf(g->out, "  variants = %016llx\n", (unsigned long long)variants);
}

/* The products are divided where the hash of a name is the smallest, until a batch is small enough. An added product
 * therefore changes the batch to which it belongs, or is the border between two of them; all others remain. */
static void batches_print(Graph* g, Batch batch, Arena* arena) {
    const Product* const* at = g->batched.at;
    const u32             max = MAX_OF(g->build->options->batch, 1u);
    if (batch.first == batch.end) return;
    if (batch.end - batch.first == 1) {
        edge_print(g, at[batch.first], arena);
        return;
    }
    if (batch.end - batch.first <= max) {
        batch_print(g, batch, arena);
        return;
    }
    u32 border = batch.first + 1;
    for (u32 i = border + 1; i < batch.end; i++)
        if (at[i]->id < at[border]->id) border = i;
    batches_print(g, (Batch){batch.first, border}, arena);
    batches_print(g, (Batch){border, batch.end}, arena);
}

/* An image takes much longer than the time to start a program. If it cannot be decoded, it has no output, so that its
 * edge runs each time. */
static bool is_batched(const Graph* g, const Product* p) {
    return g->build->options->batch > 1 && p->asset->form != ASSET_IMAGE;
}

static void edges_print(Graph* g) {
    const Build* b = g->build;
    Arena        arena = {0};
    for (u32 i = 0; i < b->products.count; i++) {
        const Product* p = &b->products.at[i];
        if (is_batched(g, p))
            *array_push(&g->batched) = p;
        else
            edge_print(g, p, &arena);
    }
    batches_print(g, (Batch){0, g->batched.count}, &arena);
    arena_drop(&arena);
}

/* The last edge: what programs that follow the folder read. */
static void index_edge_print(Graph* g) {
    const Build* b = g->build;
    Arena        arena = {0};
    fputs("\nbuild ", g->out);
    ninja_put(g->out, index_path(b, &arena), true);
    fputs(": entc_index", g->out);
    for (u32 i = 0; i < b->products.count; i++)
        input_put(g, output_path(b, &b->products.at[i], &arena));
    if (g->program) {
        fputs(" |", g->out);
        input_put(g, g->program);
    }
    fputc('\n', g->out);
    arena_drop(&arena);
}

static void graph_print(Graph* g) {
    fputs("# Generated by entc build --emit-ninja; ninja updates it when files are added or "
          "removed.\n"
          "# Run ninja in the folder in which entc was run.\n"
          "ninja_required_version = 1.7\n"
          "\n",
          g->out);
    variables_print(g);
    rules_print(g);
    graph_edge_print(g);
    edges_print(g);
    index_edge_print(g);
}

static int path_report(const char* path) {
    fprintf(
        stderr,
        "entc: error: the path \"%s\" contains a line break, which cannot be written to a ninja "
        "file; rename it\n",
        path);
    return EXIT_USAGE;
}

static int paths_check(const Graph* g) {
    const BuildOptions* o = g->build->options;
    const char* const   paths[] = {o->source, o->out, o->graph};
    for (u32 i = 0; i < COUNT_OF(paths); i++)
        if (strchr(paths[i], '\n')) return path_report(paths[i]);
    for (u32 i = 0; i < g->inputs.count; i++)
        if (strchr(g->inputs.at[i], '\n')) return path_report(g->inputs.at[i]);
    return EXIT_OK;
}

/* The path of this program, if it is known. */
static int program_find(Graph* g, char* path, size_t bytes) {
    const ent_status status = path_resolve("/proc/self/exe", path, bytes);
    if (status == ENT_OK) g->program = path;
    return status == ENT_OK || status == ENT_NOT_FOUND
               ? EXIT_OK
               : io_failure("cannot access", "/proc/self/exe");
}

static int graph_put(Graph* g) {
    Print      print;
    FileChange change;
    g->out = print_begin(&print);
    graph_print(g);
    const int code = print_put(&print, g->build->options->graph, &change);
    if (code == EXIT_OK && change == FILE_CHANGED && g->build->options->messages.verbose)
        printf("wrote %s (%zu bytes)\n", g->build->options->graph, print.bytes);
    return code;
}

int graph_write(Build* b) {
    Graph g = {.build = b, .variants = variants_hash(b)};
    char  program[4096];
    g.names = names_hash(b, g.variants);
    inputs_find(&g);
    g.list = arena_print(&b->arena, "%s" GRAPH_LIST_SUFFIX, b->options->graph);
    int code = paths_check(&g);
    if (code == EXIT_OK) code = inputs_list_all(b, g.list);
    if (code == EXIT_OK) code = program_find(&g, program, sizeof program);
    if (code == EXIT_OK) code = graph_put(&g);
    array_drop(&g.inputs);
    array_drop(&g.batched);
    if (code == EXIT_OK) code = outputs_look(b);
    return code == EXIT_OK ? stale_remove(b) : code;
}
