/* mesh_library.c - loads meshoptimizer when the first mesh needs it. It is written in C++, and loading the library of that
 * language takes about as long as everything else when a command starts; few commands compile meshes.
 *
 * The program contains functions with the names and types of those that it uses, which call those of the library. Where only
 * an archive is installed, it is linked instead. */
#include "mesh_library.h"

#include <meshoptimizer.h>

#include <stdio.h>
#include <stdlib.h>

#include "exit_codes.h"
#include "job_once.h"
#include "memory.h"
#include "process.h"
#include "shared_library.h"

#ifndef MESHOPTIMIZER_SONAME

bool mesh_library_identify(const char** name, const char** id) {
    UNUSED(name);
    UNUSED(id);
    return false;
}

bool mesh_library_has_loaded(const char* object) {
    UNUSED(object);
    return false;
}

#else

#define LIBRARY_BYTES ((size_t)4 << 20) /* that it and the library of its language map */

#define FUNCTIONS(X)                                                                               \
    X(meshopt_generateVertexRemapMulti)                                                            \
    X(meshopt_optimizeOverdraw)                                                                    \
    X(meshopt_optimizeVertexCache)                                                                 \
    X(meshopt_optimizeVertexCacheFifo)                                                             \
    X(meshopt_remapVertexBuffer)                                                                   \
    X(meshopt_setAllocator)                                                                        \
    X(meshopt_simplify)                                                                            \
    X(meshopt_simplifyScale)

typedef ARRAY(char*) ObjectNames;

typedef struct MeshLibrary {
    JobOnce     located; /* guards path and id */
    char        path[4096];
    char        id[OBJECT_ID_BYTES];
    JobOnce     loaded;          /* guards the following ones */
    ObjectNames before, objects; /* of this process, before and after that */
    Arena       arena;
#define MEMBER(name) __typeof__(name)* name;
    FUNCTIONS(MEMBER)
#undef MEMBER
} MeshLibrary;

static MeshLibrary mesh_library;

_Noreturn static void library_fail(const char* reason) {
    fprintf(stderr,
            "entc: error: the library \"" MESHOPTIMIZER_SONAME
            "\", which meshes need, cannot be loaded: %s\n",
            reason);
    exit(EXIT_IO);
}

/* --- where it is --- */

static void id_take(void* user, const char* name, const char* id) {
    if (strcmp(name, MESHOPTIMIZER_SONAME) == 0) snprintf(user, OBJECT_ID_BYTES, "%s", id);
}

static const MeshLibrary* library_get(void);

/* The file that is identified is the one that is loaded later. */
static void library_locate(void) {
    MeshLibrary* m = &mesh_library;
    if (!job_once_begin(&m->located)) return;
    if (!shared_library_locate(MESHOPTIMIZER_SONAME, m->path, sizeof m->path) ||
        !object_file_id(m->path, m->id))
        strcpy(m->path, MESHOPTIMIZER_SONAME);
    job_once_end(&m->located);
}

bool mesh_library_identify(const char** name, const char** id) {
    library_locate();
    if (!*mesh_library.id) {
        library_get();
        process_objects(id_take, mesh_library.id);
    }
    *name = MESHOPTIMIZER_SONAME;
    *id = mesh_library.id;
    return true;
}

/* --- loading it --- */

static void object_note(void* user, const char* name, const char* id) {
    ObjectNames* names = user;
    UNUSED(id);
    *array_push(names) = arena_text(&mesh_library.arena, text_of(name));
}

static bool objects_have(char* const* names, u32 count, const char* name) {
    bool found = false;
    for (u32 i = 0; i < count && !found; i++) found = strcmp(names[i], name) == 0;
    return found;
}

bool mesh_library_has_loaded(const char* object) {
    const MeshLibrary* m = &mesh_library;
    return job_once_done(&m->loaded) && objects_have(m->objects.at, m->objects.count, object) &&
           !objects_have(m->before.at, m->before.count, object);
}

static void* function_find(void* library, const char* name) {
    char             reason[100];
    LibraryFunction* function = shared_library_function(library, name);
    void*            found;
    memcpy(&found, &function, sizeof found);
    if (found) return found;
    snprintf(reason, sizeof reason, "it has no function \"%s\"", name);
    library_fail(reason);
}

/* It remains loaded until the process ends. */
static const MeshLibrary* library_get(void) {
    MeshLibrary* m = &mesh_library;
    char         reason[300];
    library_locate();
    if (!job_once_begin(&m->loaded)) return m;
    memory_free(memory_alloc_raw(LIBRARY_BYTES)); /* so that a lack of memory is reported as such */
    process_objects(object_note, &m->before);
    void* library = shared_library_find(m->path, reason, sizeof reason);
    if (!library) library_fail(reason);
    process_objects(object_note, &m->objects);
#define FIND(name)                                                                                 \
    {                                                                                              \
        void* const found = function_find(library, #name);                                         \
        memcpy(&m->name, &found, sizeof found);                                                    \
    }
    FUNCTIONS(FIND)
#undef FIND
    job_once_end(&m->loaded);
    return m;
}

size_t meshopt_generateVertexRemapMulti(unsigned* destination, const unsigned* indices,
                                        size_t index_count, size_t vertex_count,
                                        const struct meshopt_Stream* streams, size_t stream_count) {
    return library_get()->meshopt_generateVertexRemapMulti(destination, indices, index_count,
                                                           vertex_count, streams, stream_count);
}

void meshopt_remapVertexBuffer(void* destination, const void* vertices, size_t vertex_count,
                               size_t vertex_size, const unsigned* remap) {
    library_get()->meshopt_remapVertexBuffer(destination, vertices, vertex_count, vertex_size,
                                             remap);
}

void meshopt_optimizeVertexCache(unsigned* destination, const unsigned* indices, size_t index_count,
                                 size_t vertex_count) {
    library_get()->meshopt_optimizeVertexCache(destination, indices, index_count, vertex_count);
}

void meshopt_optimizeVertexCacheFifo(unsigned* destination, const unsigned* indices,
                                     size_t index_count, size_t vertex_count, unsigned cache_size) {
    library_get()->meshopt_optimizeVertexCacheFifo(destination, indices, index_count, vertex_count,
                                                   cache_size);
}

void meshopt_optimizeOverdraw(unsigned* destination, const unsigned* indices, size_t index_count,
                              const float* vertex_positions, size_t vertex_count,
                              size_t vertex_positions_stride, float threshold) {
    library_get()->meshopt_optimizeOverdraw(destination, indices, index_count, vertex_positions,
                                            vertex_count, vertex_positions_stride, threshold);
}

size_t meshopt_simplify(unsigned* destination, const unsigned* indices, size_t index_count,
                        const float* vertex_positions, size_t vertex_count,
                        size_t vertex_positions_stride, size_t target_index_count,
                        float target_error, unsigned options, float* result_error) {
    return library_get()->meshopt_simplify(destination, indices, index_count, vertex_positions,
                                           vertex_count, vertex_positions_stride,
                                           target_index_count, target_error, options, result_error);
}

float meshopt_simplifyScale(const float* vertex_positions, size_t vertex_count,
                            size_t vertex_positions_stride) {
    return library_get()->meshopt_simplifyScale(vertex_positions, vertex_count,
                                                vertex_positions_stride);
}

void meshopt_setAllocator(void* (*allocate)(size_t), void (*deallocate)(void*)) {
    library_get()->meshopt_setAllocator(allocate, deallocate);
}

#endif
