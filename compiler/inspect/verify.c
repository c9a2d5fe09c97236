/* verify.c - `entc verify`: validates files, and finds the source position of an error. */
#include "inspect_text.h"

#include "bundles.h"
#include "exit_codes.h"
#include "output_files.h"

static int verify_one(const char* path, const BlobOptions* options, bool quiet) {
    BlobFile file;
    int      code = blob_file_read(&file, path);
    if (code == EXIT_OK && blob_file_validate(&file, options) != ENT_OK) {
        code = blob_file_report(&file, path);
        sources_report_fault(&file, options);
    }
    if (code != EXIT_OK) {
        blob_file_close(&file);
        return code;
    }
    const BlobHeader* h = file.blob.header;
    const bool        stale = file.file_types && file.file_types->stale.status != ENT_OK;
    if (stale)
        code = fault_report(path, &file.file_types->stale);
    else
        file_types_report(&file);
    if (!stale && !quiet) {
        printf("%s: ok (%s, %zu bytes, %u %s%s)\n", path, ent_resource_suffix(h->resource_type),
               file.size, h->element_count, element_noun(h->resource_type, h->element_count),
               file.other_order ? ", other byte order" : "");
    }
    blob_file_close(&file);
    return code;
}

typedef struct Verify {
    const BlobOptions* options;
    u64                max; /* bytes of all resources of a bundle */
    bool               quiet;
} Verify;

static int verify_visit(void* user, const char* path) {
    const Verify* verify = user;
    return verify_one(path, verify->options, verify->quiet);
}

static int verify_bundle(const char* path, const Verify* verify) {
    static const BundleVisitor nothing;
    BundleFile                 file;
    int                        code = bundle_file_open(&file, path);
    if (code != EXIT_OK) return code;
    code = bundle_file_count(&file, path, verify->max);
    if (code == EXIT_OK) code = bundle_each(&file, path, verify->options, NULL, &nothing);
    if (code == EXIT_OK && !verify->quiet) {
        printf("%s: ok (bundle, %llu bytes, %u resources%s)\n", path,
               (unsigned long long)file.bundle.size, file.bundle.header->resource_count,
               file.swapped ? ", other byte order" : "");
    }
    bundle_file_close(&file);
    return code;
}

static int verify_folder(const char* path, Verify* verify) {
    const int code = paths_each(path, verify_visit, verify);
    const int index = index_verify(path, verify->quiet);
    return MAX_OF(code, index);
}

/* A blob, a bundle, the index of a folder, or a folder of blobs. */
static int verify_path(Verify* verify, const char* path) {
    PathForm  form;
    const int code = path_form(path, &form);
    if (code != EXIT_OK) return code;
    switch (form) {
    case PATH_BUNDLE: return verify_bundle(path, verify);
    case PATH_INDEX: return index_verify_file(path, verify->quiet);
    case PATH_FOLDER: return verify_folder(path, verify);
    default: return verify_one(path, verify->options, verify->quiet);
    }
}

int inspect_verify(const char* const* paths, u32 count, const BlobOptions* options, u64 max,
                   bool quiet) {
    Verify verify = {options, max, quiet};
    int    worst = EXIT_OK;
    for (u32 i = 0; i < count; i++) {
        const int code = sources_named(paths[i]) ? sources_verify(paths[i], quiet)
                                                 : verify_path(&verify, paths[i]);
        worst = MAX_OF(worst, code);
    }
    return worst;
}
