/* fuzz.h - the definition of fuzz targets.
 *
 * A target is a function over bytes, which aborts when something is wrong, and one that corrects
 * the checksums in such bytes, so that a mutation is not refused because of them. `make fuzz
 * target=NAME` passes both to libFuzzer; tests/run calls the first with the inputs that failed
 * once, tests/fuzz/NAME/. */
#ifndef FUZZ_H
#define FUZZ_H

#include "base.h"

/*  X(target) */
#define FUZZ_LIST(X)                                                                               \
    X(blob)                                                                                        \
    X(bundle)                                                                                      \
    X(index)                                                                                       \
    X(json)                                                                                        \
    X(journal)                                                                                     \
    X(inputs)                                                                                      \
    X(links)                                                                                       \
    X(database)                                                                                    \
    X(cache)                                                                                       \
    X(map)                                                                                         \
    X(save)                                                                                        \
    X(image)                                                                                       \
    X(gltf)                                                                                        \
    X(declaration)

#define FUZZ_PROTOTYPES(name)                                                                      \
    void fuzz_##name(const u8* data, size_t size);                                                 \
    void fuzz_##name##_repair(u8* data, size_t size);                                              \
    void fuzz_##name##_seeds(void);
FUZZ_LIST(FUZZ_PROTOTYPES)

/* The functions of libFuzzer; one input in eight is not corrected after the mutation. FUZZ is
 * defined by `make fuzz`. */
#ifdef FUZZ
int    LLVMFuzzerInitialize(int* argc, char*** argv);
int    LLVMFuzzerTestOneInput(const u8* data, size_t size);
size_t LLVMFuzzerCustomMutator(u8* data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(u8* data, size_t size, size_t max);
#define FUZZ_TARGET(name)                                                                          \
    int LLVMFuzzerInitialize(int* argc, char*** argv) {                                            \
        UNUSED(argc);                                                                              \
        UNUSED(argv);                                                                              \
        fuzz_##name##_seeds();                                                                     \
        return 0;                                                                                  \
    }                                                                                              \
    int LLVMFuzzerTestOneInput(const u8* data, size_t size) {                                      \
        fuzz_##name(data, size);                                                                   \
        return 0;                                                                                  \
    }                                                                                              \
    size_t LLVMFuzzerCustomMutator(u8* data, size_t size, size_t max, unsigned seed) {             \
        const size_t changed =                                                                     \
            seed & 8 ? fuzz_word(data, size, seed >> 4) : LLVMFuzzerMutate(data, size, max);       \
        if (seed % 8) fuzz_##name##_repair(data, changed);                                         \
        return changed;                                                                            \
    }
#else
#define FUZZ_TARGET(name)
#endif

/* Changes a word of 4 bytes to one that is likely to be meaningful; the size is kept. */
size_t fuzz_word(u8* data, size_t size, u32 seed);

/* --- a folder with a small project, for targets that run commands --- */

/* The folder, created by the first call: $FUZZ_FOLDER, or one below /tmp. It has src/ with six
 * resources, two of them in a model with a separate file. */
const char* fuzz_folder(void);

/* A path in the folder; valid until the 16th call from here. */
const char* fuzz_path(const char* name);

void fuzz_write(const char* name, const void* bytes, size_t size);

/* The complete file, with a 0 after it; NULL: it does not exist. Freed with free. */
u8* fuzz_read(const char* name, size_t* size);

/* Writes the first inputs of a run, if $FUZZ_SEEDS names a folder for them. */
void fuzz_seed(const char* name, const void* bytes, size_t size);

/* The files of a folder at an earlier time. */
typedef struct FuzzFile {
    const char* name; /* below the folder */
    u8*         bytes;
    size_t      size;
} FuzzFile;
typedef struct FuzzFiles {
    FuzzFile file[64];
    u32      count;
} FuzzFiles;

void fuzz_keep(FuzzFiles* files, const char* folder);
void fuzz_restore(const FuzzFiles* files, const char* folder); /* these and no others */

/* Aborts unless a folder has exactly these files; `but`: one whose bytes may differ, or NULL. */
void fuzz_same(const FuzzFiles* files, const char* folder, const char* but);

/* Removes a folder with everything in it. */
void fuzz_remove(const char* folder);

/* Builds src into `out`, one of the folder's, without output. Returns an exit code. */
struct BuildOptions;
int fuzz_build(const struct BuildOptions* options, const char* out);

#endif
