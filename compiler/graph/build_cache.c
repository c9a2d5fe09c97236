/* build_cache.c - describes everything on which the bytes of a product depend as a text, the
 * manifest of the cache.
 *
 * The sources of a product are known only after it was compiled. Therefore the cache stores, for a
 * product and the content of its own source, the lists of names that were read previously; the
 * product is then searched with the current contents of the sources in each list. The list of a
 * model, with its buffers and its resources, makes it unnecessary to read the model. */

#include "build_internal.h"
#include "libc.h"
#include "model.h"
#include "print.h"
#include "sections.h"
#include "relative.h"
#include "map_file.h"
#include "swap.h"

#define LISTS_MAX 8 /* lists of reads that are stored for one content of a source */

/* --- text --- */

typedef struct Lines {
    const char* at;
    const char* end;
} Lines;

/* Reads one line, and its words; returns false at the end. */
static bool words_take(Lines* lines, Text* word, u32 count) {
    if (lines->at >= lines->end) return false;
    const char* stop = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
    if (!stop) stop = lines->end;
    const char* at = lines->at;
    for (u32 i = 0; i < count; i++) {
        const char* space = i + 1 < count ? memchr(at, ' ', (size_t)(stop - at)) : stop;
        if (!space) space = stop;
        word[i] = (Text){at, (u32)(space - at)};
        at = space < stop ? space + 1 : stop;
    }
    lines->at = stop < lines->end ? stop + 1 : stop;
    return true;
}

static Lines lines_of(Text text) { return (Lines){text.at, text.at + text.bytes}; }

static void hash_print(FILE* out, Hash128 hash) {
    fprintf(out, "%016llx%016llx", (unsigned long long)hash.high, (unsigned long long)hash.low);
}

static void manifest_begin(Print* print, const Build* b, const char* what, const char* name,
                           ResourceType type) {
    FILE* out = print_begin(print);
    fputs("entc ", out);
    hash_print(out, b->environment_hash);
    fprintf(out, "\n%s %s.%s\n", what, name, ent_resource_suffix(type));
}

/* --- models --- */

static void content_mix(Hash128* content, const char* path, Hash128 hash) {
    const struct {
        Hash128 before, hash;
        u64     path;
    } mix = {*content, hash, hash_bytes(path, strlen(path), 0)};
    *content = hash_content(&mix, sizeof mix);
}

static void sub_resource_add(Asset* asset, ResourceType type, const char* name) {
    *array_push(&asset->outline->sub_resources) = (SubResource){type, name};
}

/* The name of a resource of a model begins with the name of the model. This check ensures that a
 * database or cache entry cannot refer to a path outside of the output folder, or to a asset_name of
 * another source. */
static bool sub_resource_is_valid(const Asset* asset, ResourceType type, Text name) {
    const Text asset_name = text_of(asset->name);
    return (type == RESOURCE_MESH || type == RESOURCE_SKELETON || type == RESOURCE_CLIP ||
            type == RESOURCE_MATERIAL || type == RESOURCE_TEXTURE ||
            (type == RESOURCE_ENTITY && asset->content_file)) && /* only settings split a model */
           name.bytes > asset_name.bytes + 1 &&
           memcmp(name.at, asset_name.at, asset_name.bytes) == 0 &&
           name.at[asset_name.bytes] == '/' && resource_name_is_canonical(name);
}

/* Reads the content of an unchanged model from the build database; returns false when it is not
 * plausible. */
static bool model_from_database(const Build* b, Asset* asset) {
    const Database*        db = &b->database;
    const u32              product = database_product(db, text_of(asset->name), asset->type);
    const DatabaseProduct* p = &db->products[product];
    asset->outline->content_hash = b->up_to_date.source[p->file].hash;
    for (u32 i = p->first_read + 1; i < p->first_read + p->read_count; i++) {
        const DatabaseRead* read = &db->reads[i];
        const char*         path = database_text(db, db->files[read->file].path);
        if (read->name == NONE)
            content_mix(&asset->outline->content_hash, path, b->up_to_date.source[read->file].hash);
    }
    for (u32 i = p->first_need; i < p->first_need + p->need_count; i++) {
        if (db->needs[i].type != RESOURCE_NONE) continue;
        *array_push(&asset->outline->named) = database_text(db, db->needs[i].name);
    }
    for (u32 row = b->known.first[p->file]; row; row = b->known.next[row - 1]) {
        const DatabaseProduct* other = &db->products[row - 1];
        const char*            name = database_text(db, other->name);
        if (row - 1 == product) continue;
        if (!sub_resource_is_valid(asset, (ResourceType)other->type, text_of(name))) {
            asset->outline->sub_resources.count = asset->outline->named.count = 0;
            return false;
        }
        sub_resource_add(asset, (ResourceType)other->type, name);
    }
    return true;
}

/* The hash of a source and the files beside it. */
static Hash128 content_of(const Build* b, const Asset* asset) {
    Hash128 content = asset->content->hash;
    for (u32 i = 0; i < asset->content->besides.count; i++) {
        const Beside* beside = &asset->content->besides.at[i];
        content_mix(&content, beside->path + strlen(b->sources.root) + 1, beside->hash);
    }
    return content;
}

static Text model_manifest(Print* print, const Build* b, const Asset* asset) {
    manifest_begin(print, b, "model", asset->name, asset->type);
    fputs("source ", print->out);
    hash_print(print->out, asset->content->hash);
    if (asset->content_file)
        fprintf(print->out, " settings %s", asset->content_file + strlen(b->sources.root) + 1);
    fputc('\n', print->out);
    return print_end(print);
}

/* "HASH PATH": a file beside a model must still have the content with which the model was read, because its
 * resources are unknown when it has errors. */
static bool beside_read(const Build* b, Asset* asset, Text text) {
    Print       hash;
    const char* space = memchr(text.at, ' ', text.bytes);
    const Text path = {space ? space + 1 : "", space ? text.bytes - (u32)(space - text.at) - 1 : 0};
    if (!path_is_below(path)) return false;
    const Beside* beside = model_beside(
        &b->assets, asset,
        arena_print(&asset->content->arena, "%s/%.*s", b->sources.root, (int)path.bytes, path.at));
    if (!beside) return false;
    hash_print(print_begin(&hash), beside->hash);
    const bool same = text_equal(print_end(&hash), (Text){text.at, (u32)(space - text.at)});
    print_drop(&hash);
    return same;
}

static bool model_notes_read(const Build* b, Asset* asset, Text notes) {
    Lines lines = lines_of(notes);
    Text  word[2]; /* a type and a name, or "beside" or "named" and a path, which may have spaces */
    while (words_take(&lines, word, 2)) {
        const ResourceType type = resource_from_suffix(word[0]);
        if (text_equal(word[0], text_of("named"))) {
            if (!path_is_below(word[1])) return false;
            *array_push(&asset->outline->named) = arena_text(&asset->content->arena, word[1]);
        } else if (text_equal(word[0], text_of("beside"))) {
            if (!beside_read(b, asset, word[1])) return false;
        } else if (sub_resource_is_valid(asset, type, word[1])) {
            sub_resource_add(asset, type, arena_text(&asset->content->arena, word[1]));
        } else {
            return false;
        }
    }
    return true;
}

static bool model_from_cache(Build* b, Asset* asset) {
    Print      print;
    CacheEntry entry;
    if (!b->cache.folder || b->options->force || b->distrust || !asset_load(&b->assets, asset))
        return false;
    const Text manifest = model_manifest(&print, b, asset);
    const bool found = cache_find(&b->cache, manifest, &entry);
    bool       succeeded = false;
    if (found) {
        succeeded = model_notes_read(b, asset, entry.notes);
        if (!succeeded) asset->outline->sub_resources.count = asset->outline->named.count = 0;
        cache_release(&entry);
    }
    print_drop(&print);
    if (succeeded) asset->outline->content_hash = content_of(b, asset);
    return succeeded;
}

static void model_store(Build* b, Asset* asset) {
    Print print, notes;
    if (!b->cache.folder || asset->content->has_errors) return;
    const Text manifest = model_manifest(&print, b, asset);
    print_begin(&notes);
    for (u32 i = 0; i < asset->content->besides.count; i++) {
        const Beside* beside = &asset->content->besides.at[i];
        fputs("beside ", notes.out);
        hash_print(notes.out, beside->hash);
        fprintf(notes.out, " %s\n",
                (beside->asked ? beside->asked : beside->path) + strlen(b->sources.root) + 1);
    }
    for (u32 i = 0; i < asset->outline->named.count; i++) {
        fprintf(notes.out, "named %s\n", asset->outline->named.at[i]);
    }
    for (u32 i = 0; i < asset->outline->sub_resources.count; i++) {
        const SubResource* sub_resource = &asset->outline->sub_resources.at[i];
        fprintf(notes.out, "%s %s\n", ent_resource_suffix(sub_resource->type), sub_resource->name);
    }
    const Text text = print_end(&notes);
    if (build_stores(b->options)) cache_store(&b->cache, manifest, text, NULL, 0);
    print_drop(&print);
    print_drop(&notes);
}

bool model_recall(Build* b, Asset* asset) {
    if (asset->outline->recalled) return true;
    asset->outline->recalled = (model_is_recorded(b, asset) && model_from_database(b, asset)) ||
                               model_from_cache(b, asset);
    return asset->outline->recalled;
}

bool model_open(Build* b, Asset* asset) {
    if (job_once_begin(&asset->outline->listed)) {
        asset->outline->known = asset->outline->recalled;
        if (!asset->outline->known) {
            asset->outline->known = asset_hold(&b->assets, asset) && model_recall(b, asset);
            asset_release(&b->assets, asset, false);
        }
        if (!asset->outline->known) {
            asset->outline->known = asset_read(&b->assets, asset);
            for (u32 i = 0; asset->outline->known && i < asset->content->model->resource_count;
                 i++) {
                sub_resource_add(asset, asset->content->model->resources[i].type,
                                 asset->content->model->resources[i].name);
            }
            if (asset->outline->known)
                asset->outline->content_hash = content_of(b, asset), model_store(b, asset);
        }
        job_once_end(&asset->outline->listed);
    }
    return asset->outline->known;
}

const Asset* unread_model_of(const Build* b, Text name) {
    for (u32 bytes = name.bytes; bytes > 0; bytes--) {
        if (name.at[bytes - 1] != '/') continue;
        const Asset* asset = assets_model(&b->assets, (Text){name.at, bytes - 1});
        if (asset && !asset->outline->known) return asset;
    }
    return NULL;
}

/* --- products --- */

/* Computes the hash of everything that is read with a source; returns false when it cannot be
 * read. */
static bool source_content(Build* b, Asset* asset, Hash128* hash) {
    if (form_is_model(asset->form)) {
        const bool open = model_open(b, asset);
        *hash = asset->outline->content_hash;
        return open;
    }
    bool loaded;
    if (asset_reads_beside(asset)) {
        loaded = asset_read(&b->assets, asset);
    } else if (job_once_done(&asset->load)) {
        loaded = !asset->unread;
    } else {
        loaded = asset_hold(&b->assets, asset) && asset_load(&b->assets, asset);
        asset_release(&b->assets, asset, false);
    }
    *hash = content_of(b, asset);
    return loaded;
}

static bool read_print(Build* b, FILE* out, ResourceType type, Text name) {
    Asset*  asset = assets_file(&b->assets, name, type);
    Hash128 hash;
    if (!asset || !source_content(b, asset, &hash)) return false;
    fprintf(out, "read %s ", ent_resource_suffix(type));
    hash_print(out, hash);
    fprintf(out, " %s\n", asset->source.path + strlen(b->sources.root) + 1);
    return true;
}

/* The manifest of the lists of reads: the product and its own source. */
static bool lists_manifest(Build* b, const Product* p, Print* print, Text* manifest) {
    manifest_begin(print, b, "reads of", p->name, p->type);
    const bool succeeded = read_print(b, print->out, p->asset->type, text_of(p->asset->name));
    *manifest = print_end(print);
    return succeeded;
}

/* The manifest of the product when it is compiled from the sources of one list; a list has lines
 * "TYPE NAME" after the own source of the product. Or, with the hash of a blob, that of its source map, which
 * contains their paths: a blob has further inputs, which its entry lists as needs. */
static bool product_manifest(Build* b, const Product* p, Text list, const Hash128* blob,
                             Print* print, Text* manifest) {
    Lines lines = lines_of(list);
    Text  word[2];
    manifest_begin(print, b, blob ? "source map of" : "product", p->name, p->type);
    if (blob) fputs("blob ", print->out), hash_print(print->out, *blob), fputc('\n', print->out);
    bool succeeded = read_print(b, print->out, p->asset->type, text_of(p->asset->name));
    while (succeeded && words_take(&lines, word, 2)) {
        const ResourceType type = resource_from_suffix(word[0]);
        succeeded = type != RESOURCE_NONE && read_print(b, print->out, type, word[1]);
    }
    *manifest = print_end(print);
    return succeeded;
}

/* A number as it is printed: at most 19 digits without leading zeros. */
static bool number_of(Text text, u64 max, u64* number) {
    *number = 0;
    if (text.bytes == 0 || text.bytes > 19 || (text.bytes > 1 && text.at[0] == '0')) return false;
    for (u32 i = 0; i < text.bytes; i++) {
        if (text.at[i] < '0' || text.at[i] > '9') return false;
        *number = *number * 10 + (u64)(text.at[i] - '0');
    }
    return *number <= max;
}

static bool name_read(const Build* b, const Product* p, const Text* word, Arena* arena,
                      Edge* edge) {
    const bool  pattern = text_equal(word[0], text_of("pattern"));
    const Text  text = word[6];
    const char* space = text.bytes ? memchr(text.at, ' ', text.bytes) : NULL;
    const Text  path = {text.at, space ? (u32)(space - text.at) : 0};
    u64         line, column;
    if (!number_of(word[3], UINT32_MAX, &line) || !number_of(word[4], UINT32_MAX, &column) ||
        !space || !path_is_below(path)) {
        return false;
    }
    const Text name = {space + 1, text.bytes - path.bytes - 1};
    *edge = (Edge){.need = true,
                   .type = pattern ? TYPE_OF_PATTERN : TYPE_OF_NAME,
                   .name = arena_text(arena, name),
                   .place = {arena_text(arena, path), (u32)line, (u32)column}};
    return pattern ? !pattern_is_changed(b, p->asset, edge->name) : !entity_name_fault(name);
}

/* Reads "read TYPE NAME LINE COLUMN BYTES PATH", or "need"; returns false for another line, or when
 * the needed resource does not exist. For a file that a model refers to: "file - - 0 0 0 PATH". For
 * a name: "name - - LINE COLUMN 0 PATH NAME"; the path of a source has no spaces. For a pattern the
 * same with "pattern"; the resources that it matches have to be the same. */
static bool edge_read(Build* b, const Product* p, const Text* word, Arena* arena, Edge* edge) {
    if (text_equal(word[0], text_of("file"))) {
        if (!path_is_below(word[6])) return false;
        *edge = (Edge){.need = true, .name = arena_text(arena, word[6]), .place = {"", 0, 0}};
        return true;
    }
    if (text_equal(word[0], text_of("name")) || text_equal(word[0], text_of("pattern")))
        return name_read(b, p, word, arena, edge);
    const ResourceType type = resource_from_suffix(word[1]);
    u64                line, column;
    *edge = (Edge){.need = text_equal(word[0], text_of("need")), .type = type};
    if ((!edge->need && !text_equal(word[0], text_of("read"))) || type == RESOURCE_NONE ||
        !number_of(word[3], UINT32_MAX, &line) || !number_of(word[4], UINT32_MAX, &column) ||
        !number_of(word[5], INT64_MAX, &edge->bytes) ||
        (word[6].bytes > 0 && !path_is_below(word[6]))) {
        return false;
    }
    edge->name = arena_text(arena, word[2]);
    edge->place = (Place){arena_text(arena, word[6]), (u32)line, (u32)column};
    if (!edge->need) return (edge->asset = assets_file(&b->assets, word[2], type)) != NULL;
    if (b->assets.known) return b->assets.known(b->assets.user, word[2], type);
    return assets_have(&b->assets, word[2], type);
}

/* The reads are the own source of the product and then the sources of the list with which the entry
 * was found, in its order; the needs follow. */
static bool edge_follows(const Product* p, const Edge* edge, u32 count, Lines* list) {
    Text word[2];
    if (count == 0) return !edge->need && edge->asset == p->asset;
    if (edge->need) return list->at == list->end;
    return words_take(list, word, 2) && resource_from_suffix(word[0]) == edge->type &&
           text_equal(word[1], text_of(edge->name));
}

/* At least the number of lines: the last one may have no line break. */
static u32 lines_max(Text text) {
    u32 count = 1;
    for (u32 i = 0; i < text.bytes; i++) count += text.at[i] == '\n';
    return count;
}

static bool edges_read(Build* b, Product* p, Worker* w, Text notes, Text list) {
    Lines lines = lines_of(notes), reads = lines_of(list);
    Text  word[7];
    u32   count = 0;
    Edge* edges = ARENA_NEW(&w->arena, Edge, lines_max(notes));
    for (; words_take(&lines, word, 7); count++) {
        if (!edge_read(b, p, word, &w->arena, &edges[count]) ||
            !edge_follows(p, &edges[count], count, &reads)) {
            return false;
        }
    }
    if (count == 0 || reads.at < reads.end) return false;
    p->compiled->edges = edges;
    p->compiled->edge_count = count;
    return true;
}

/* Is the cache entry a blob of the product? */
static bool entry_is_blob(const Product* p, const CacheEntry* entry) {
    BlobHeader header;
    if (entry->size < sizeof header) return false;
    memcpy(&header, entry->bytes, sizeof header);
    const bool        flip = header.byte_order != BLOB_BYTE_ORDER;
    const ResourceRef id = flip ? resource_swap(header.resource) : header.resource;
    return memcmp(header.magic, BLOB_MAGIC_BYTES, sizeof header.magic) == 0 &&
           resource_id(id) == p->id && word_read(header.blob_bytes, flip) == entry->size;
}

static bool map_is_complete(const Product* p, const CacheEntry* entry) {
    return source_map_names((const char*)entry->bytes, entry->size, text_of(p->name), p->type);
}

bool map_from_cache(Build* b, Product* p, Text list, Hash128 blob) {
    ProductMap* map = p->compiled->map;
    Print       print;
    Text        manifest;
    CacheEntry  entry = {0};
    const bool  found = product_manifest(b, p, list, &blob, &print, &manifest) &&
                       cache_find(&b->cache, manifest, &entry);
    print_drop(&print);
    if (!found) return false;
    map->is_cached = map_is_complete(p, &entry);
    if (!map->is_cached) {
        cache_release(&entry);
        return false;
    }
    map->text = (const char*)entry.bytes;
    map->bytes = entry.size;
    map->view = entry.view;
    return true;
}

void map_to_cache(Build* b, const Product* p, Text list) {
    const Hash128 blob = hash_content(p->compiled->bytes, p->compiled->size);
    Print         print;
    Text          manifest;
    if (product_manifest(b, p, list, &blob, &print, &manifest)) {
        cache_store(&b->cache, manifest, (Text){"", 0}, p->compiled->map->text,
                    p->compiled->map->bytes);
    }
    print_drop(&print);
}

static bool product_take(Build* b, Product* p, Worker* w, Text list) {
    Print      print;
    Text       manifest;
    CacheEntry entry;
    bool       taken = product_manifest(b, p, list, NULL, &print, &manifest) &&
                 cache_find(&b->cache, manifest, &entry);
    print_drop(&print);
    if (!taken) return false;
    if (!entry_is_blob(p, &entry) || !edges_read(b, p, w, entry.notes, list) ||
        (b->options->compile.source_map &&
         !map_from_cache(b, p, list, hash_content(entry.bytes, entry.size)))) {
        cache_release(&entry);
        return false;
    }
    p->compiled->view = entry.view;
    p->compiled->is_cached = true;
    p->compiled->bytes = entry.bytes;
    p->compiled->size = entry.size;
    return true;
}

/* Reads the first of the lists, each of which ends with an empty line; returns false when there is
 * none. */
static bool list_take(Text* rest, Text* list) {
    u32 end = 0;
    if (rest->bytes == 0) return false; /* a manifest without notes has no bytes at all */
    while (end < rest->bytes && !(rest->at[end] == '\n' && (end == 0 || rest->at[end - 1] == '\n')))
        end++;
    *list = (Text){rest->at, end};
    end = MIN_OF(end + 1, rest->bytes);
    *rest = (Text){rest->at + end, rest->bytes - end};
    return list->bytes > 0;
}

/* Is its result not stored, because compiling it takes less time than reading the result? A prefab may be large. */
static bool is_cheap(Build* b, const Product* p) {
    static const char prefab[] = "\"prefab\"";
    Asset*            asset = p->asset;
    const bool        is_tree = p->type == RESOURCE_ENTITY || p->type == RESOURCE_LEVEL;
    if (b->options->cache_min == 0 || !is_tree || asset->form != ASSET_JSON) return false;
    if (!asset_load(&b->assets, asset)) return false;
    const FileView* view = &asset->content->view;
    return view->size < b->options->cache_min &&
           !bytes_find((const char*)view->bytes, view->size, text_of(prefab));
}

/* Has its source the name of another one, which is reported? Then a manifest could contain the hash of that one. */
static bool is_twin(const Build* b, const Product* p) {
    return assets_file(&b->assets, text_of(p->asset->name), p->asset->type) != p->asset;
}

bool product_from_cache(Build* b, Product* p, Worker* w) {
    Print      print;
    Text       manifest;
    CacheEntry lists;
    bool       taken = false;
    if (!b->cache.folder || b->options->force || b->distrust || is_cheap(b, p) || is_twin(b, p))
        return false;
    if (product_take(b, p, w, (Text){"", 0})) return true;
    const bool found =
        lists_manifest(b, p, &print, &manifest) && cache_find(&b->cache, manifest, &lists);
    print_drop(&print);
    if (!found) return false;
    Text rest = lists.notes, list;
    for (u32 i = 0; i < LISTS_MAX && !taken && list_take(&rest, &list); i++)
        taken = product_take(b, p, w, list);
    cache_release(&lists);
    return taken;
}

/* --- storing --- */

static Text list_print(const Product* p, Print* print) {
    const Compiled* compiled = p->compiled;
    print_begin(print);
    for (u32 i = 1; i < compiled->edge_count && !compiled->edges[i].need; i++) {
        fprintf(print->out, "%s %s\n", ent_resource_suffix(compiled->edges[i].type),
                compiled->edges[i].name);
    }
    return print_end(print);
}

/* Inserts a list before the existing ones. Two processes may do this at the same time: then one
 * list is lost, which only costs time. */
static void lists_store(Build* b, const Product* p, Text list) {
    Print      print, notes;
    Text       manifest;
    CacheEntry old = {0};
    if (lists_manifest(b, p, &print, &manifest)) {
        cache_find(&b->cache, manifest, &old);
        print_begin(&notes);
        fprintf(notes.out, "%.*s\n", (int)list.bytes, list.at);
        Text rest = old.notes, other;
        for (u32 kept = 1; kept < LISTS_MAX && list_take(&rest, &other);) {
            if (text_equal(other, list)) continue;
            fprintf(notes.out, "%.*s\n", (int)other.bytes, other.at);
            kept++;
        }
        cache_store(&b->cache, manifest, print_end(&notes), NULL, 0);
        print_drop(&notes);
        cache_release(&old);
    }
    print_drop(&print);
}

void product_to_cache(Build* b, const Product* p) {
    const Compiled* compiled = p->compiled;
    Print           print, list, notes;
    Text            manifest;
    if (!b->cache.folder || !build_stores(b->options) || is_cheap(b, p) || is_twin(b, p)) return;
    const Text reads = list_print(p, &list);
    if (product_manifest(b, p, reads, NULL, &print, &manifest)) {
        print_begin(&notes);
        for (u32 i = 0; i < compiled->edge_count; i++) {
            const Edge* e = &compiled->edges[i];
            if (e->type == RESOURCE_NONE) {
                fprintf(notes.out, "file - - 0 0 0 %s\n", e->name);
                continue;
            }
            if (e->type >= RESOURCE_COUNT) {
                fprintf(notes.out, "%s - - %u %u 0 %s %s\n",
                        e->type == TYPE_OF_NAME ? "name" : "pattern", e->place.line,
                        e->place.column, e->place.path, e->name);
                continue;
            }
            fprintf(notes.out, "%s %s %s %u %u %llu %s\n", e->need ? "need" : "read",
                    ent_resource_suffix(e->type), e->name, e->place.line, e->place.column,
                    (unsigned long long)e->bytes, e->place.path);
        }
        cache_store(&b->cache, manifest, print_end(&notes), compiled->bytes, compiled->size);
        print_drop(&notes);
        if (compiled->map->bytes) map_to_cache(b, p, reads);
        if (reads.bytes > 0) lists_store(b, p, reads);
    }
    print_drop(&print);
    print_drop(&list);
}
