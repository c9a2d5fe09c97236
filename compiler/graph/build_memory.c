/* build_memory.c - limits how many large products are compiled at the same time.
 *
 * The memory of a build consists of sources that are in use or kept (asset_hold.c), of what large products need while
 * they are compiled, of outputs that are not in temporary files (build_stage.c), and of what is known about each
 * file. */
#include "build_internal.h"
#include "model.h"
#include "model_write.h"
#include "process_memory.h"

#define COMPILED_BYTES ((u64)48 << 20) /* of each thread */
#define KEPT_BYTES     ((u64)20 << 20) /* of each thread, for sources that no thread uses */
#define GATED_BYTES    ((u64)2 << 20)  /* smaller products need not wait */

/* The limits of memory are those of the threads, so that only many small products exceed those of few. */
#define LARGE_PRODUCTS 40000u
#define FEW_THREADS    4u

/* Of a vertex and an index while a mesh is simplified and written. */
#define VERTEX_BYTES 160u
#define INDEX_BYTES  16u

void memory_open(Build* b) {
    const u64 threads = ent_job_worker_count(b->pool);
    const u64 half = b->options->memory ? 0 : process_memory_limit() / 2;
    const u64 asked = b->options->memory ? b->options->memory : MAX_OF(half, (u64)1);
    b->memory.limit = MIN_OF(asked, COMPILED_BYTES * threads);
    b->memory.kept = MAX_OF(MIN_OF(asked / 4, KEPT_BYTES * threads), (u64)1);
}

bool memory_is_scarce(const Build* b) {
    return b->products.count >= LARGE_PRODUCTS && ent_job_worker_count(b->pool) < FEW_THREADS;
}

static u64 mesh_work(const GltfMesh* mesh) {
    u64 bytes = 0;
    for (u32 i = 0; i < mesh->primitive_count; i++) {
        const GltfPrimitive* p = &mesh->primitives[i];
        bytes += (u64)p->vertex_count * (VERTEX_BYTES + 3 * sizeof(Vec3) * mesh->target_count) +
                 (u64)p->index_count * INDEX_BYTES;
    }
    return bytes;
}

/* Of a product whose source is held and was read. */
static u64 product_work(const Product* p) {
    const Asset* asset = p->asset;
    if (p->type == RESOURCE_TEXTURE) return compile_texture_cost(asset, p->index).at_once;
    if (form_is_model(asset->form) && p->type == RESOURCE_MESH)
        return mesh_work(&asset->content->model->gltf.meshes[p->index]);
    return p->compiled->work;
}

u64 memory_take(Build* b, const Product* p) {
    const u64 work = product_work(p);
    if (b->memory.limit == 0 || work < MIN_OF(GATED_BYTES, b->memory.limit)) return 0;
    job_budget_take(&b->memory.used, work, b->memory.limit);
    return work;
}

void memory_give(Build* b, u64 work) {
    if (work) job_budget_give(&b->memory.used, work);
}
