/* gpu_textures_follow.c - textures that changed or are new: of the same format and size, they are copied to the layers
 * that they have; others get layers in other images. */
#include "gpu_textures.h"

#include <stdlib.h>

#include "texture_shape.h"

#define LAYER_ALIGN ((u64)16) /* of what is copied to a layer: more than any format needs */

/* What the textures are going to be: taken as a whole, or not at all. */
typedef struct Follow {
    GpuTextures    next;
    const Library* library;
    GpuFrame*      frame;
    u8*            is_new; /* [next.blobs.count] it is uploaded */
    u64*    first; /* [next.blobs.count] where its bytes begin in the span, when it is uploaded */
    GpuSpan span;  /* of all of them */

    bool renewed[GPU_TEXTURES]; /* arrays that have another image than before */
    bool keeps_rows;            /* a texture has the row that it had */
    bool is_lost;               /* the device may have nothing of what was uploaded */
} Follow;

static const TextureRecord* record_of(const GpuTextures* t, u32 which) {
    u32 count;
    return gpu_blob_rows(t->blobs.at[which], SECTION_TEXTURE, &count);
}

/* --- layers --- */

/* The first layer of an array that no texture has. */
static u32 layer_free(const GpuTextures* t, u32 array) {
    u64 used[GPU_LAYERS_MAX / 64] = {0};
    u32 layer = 0;
    for (u32 i = 0; i < t->blobs.count; i++) {
        const u32 at = t->layer[i].layer;
        if (t->layer[i].array != array) continue;
        assert(at / 64 < COUNT_OF(used));
        used[at / 64] |= 1ull << at % 64;
    }
    while (layer < GPU_LAYERS_MAX && used[layer / 64] >> layer % 64 & 1) layer++;
    return layer;
}

static u32 layers_needed(const GpuTextures* t, u32 array) {
    u32 needed = 0;
    for (u32 i = 0; i < t->blobs.count; i++)
        if (t->layer[i].array == array) needed = MAX_OF(needed, t->layer[i].layer + 1);
    return needed;
}

/* False: it is one array too many. */
static bool layer_assign(Follow* f, u32 which) {
    GpuTextures* const   t = &f->next;
    const TextureRecord* texture = record_of(t, which);
    for (u32 a = 1; a < GPU_TEXTURES; a++) {
        if (!gpu_texture_is_alike(&t->array[a].like, texture)) continue;
        const u32 layer = layer_free(t, a);
        if (layer >= gpu_layer_limit(t)) continue;
        t->layer[which] = (GpuTextureLayer){a, layer};
        return true;
    }
    for (u32 a = 1; a < GPU_TEXTURES; a++) {
        if (layers_needed(t, a) > 0) continue;
        t->array[a] = (GpuTextureArray){.like = *texture};
        f->renewed[a] = true;
        t->layer[which] = (GpuTextureLayer){a, 0};
        return true;
    }
    return false;
}

static void layer_keep(Follow* f, const GpuTextures* former, u32 which) {
    GpuTextures* const t = &f->next;
    const bool         known = f->keeps_rows && which < former->blobs.count;
    if (known) t->layer[which] = former->layer[which];
    f->is_new[which] =
        !known || f->is_lost || gpu_blob_changed(&former->taken, f->library, t->blobs.at[which]);
    if (!f->is_new[which]) return;
    const u32 array = t->layer[which].array;
    if (!gpu_texture_is_readable(t->gpu, t->blobs.at[which])) {
        t->layer[which] = (GpuTextureLayer){0, 0};
        f->is_new[which] = 0;
    } else if (array == 0 || !gpu_texture_is_alike(&t->array[array].like, record_of(t, which))) {
        t->layer[which].array = NONE;
    }
}

static ent_status layers_plan(Follow* f, const GpuTextures* former) {
    GpuTextures* const t = &f->next;
    for (u32 i = 0; i < t->blobs.count; i++) layer_keep(f, former, i);
    for (u32 i = 0; i < t->blobs.count; i++)
        if (t->layer[i].array == NONE && !layer_assign(f, i)) return ENT_LIMIT;
    return ENT_OK;
}

/* --- images --- */

/* An image that is too small gets half more layers than it needs. */
static ent_status images_create(Follow* f) {
    GpuTextures* const t = &f->next;
    for (u32 a = 1; a < GPU_TEXTURES; a++) {
        GpuTextureArray* const array = &t->array[a];
        const u32              needed = layers_needed(t, a);
        if (needed == 0) {
            f->renewed[a] = array->layer_count > 0 || f->renewed[a];
            *array = (GpuTextureArray){0};
            continue;
        }
        t->array_count = MAX_OF(t->array_count, a + 1);
        if (!f->renewed[a] && needed <= array->layer_count) continue;
        const u32 more = array->layer_count ? needed / 2 : 0;
        f->renewed[a] = true;
        *array = (GpuTextureArray){.like = array->like,
                                   .layer_count = MIN_OF(needed + more, gpu_layer_limit(t))};
        TRY(gpu_texture_array_create(t->gpu, array));
    }
    return ENT_OK;
}

static bool any_renewed(const Follow* f) {
    for (u32 a = 0; a < GPU_TEXTURES; a++)
        if (f->renewed[a]) return true;
    return false;
}

/* The bytes of a texture, with each level at a multiple of LAYER_ALIGN. */
static u64 level_bytes(const TextureRecord* texture, const TextureLevelRecord* level) {
    const u32 pixels = texture_has_blocks(texture->format) ? 4 : 1;
    return align_up((u64)level->row_bytes * ((level->height + pixels - 1) / pixels), LAYER_ALIGN);
}

static u64 upload_bytes(const GpuTextures* t, u32 which) {
    u32                       count;
    const TextureLevelRecord* level =
        gpu_blob_rows(t->blobs.at[which], SECTION_TEXTURE_LEVEL, &count);
    u64 bytes = 0;
    for (u32 i = 0; i < count; i++) bytes += level_bytes(record_of(t, which), &level[i]);
    return bytes;
}

static void texture_write(const GpuTextures* t, u32 which, u8* to) {
    const Blob*               blob = t->blobs.at[which];
    const u32                 pixels = texture_has_blocks(record_of(t, which)->format) ? 4 : 1;
    u32                       count, bytes;
    const TextureLevelRecord* level = gpu_blob_rows(blob, SECTION_TEXTURE_LEVEL, &count);
    const u8*                 data = gpu_blob_rows(blob, SECTION_TEXTURE_DATA, &bytes);
    for (u32 i = 0; i < count; to += level_bytes(record_of(t, which), &level[i++]))
        memcpy(to, data + level[i].offset,
               (u64)level[i].row_bytes * ((level[i].height + pixels - 1) / pixels));
}

static ent_status span_take(Follow* f) {
    u64 bytes = 0;
    for (u32 i = 0; i < f->next.blobs.count; i++) {
        f->first[i] = bytes;
        if (f->is_new[i]) bytes += upload_bytes(&f->next, i);
    }
    if (bytes == 0) return ENT_OK;
    TRY(gpu_frame_take(f->frame, bytes, &f->span));
    for (u32 i = 0; i < f->next.blobs.count; i++)
        if (f->is_new[i]) texture_write(&f->next, i, f->span.at + f->first[i]);
    return ENT_OK;
}

static ent_status all_create(Follow* f, const GpuTextures* former) {
    f->next.blobs = (GpuBlobs){0};
    f->next.layer = NULL;
    f->next.array_count = 1;
    TRY(gpu_blobs_find(&f->next.blobs, f->library, RESOURCE_TEXTURE));
    const size_t count = (size_t)f->next.blobs.count + 1;
    f->next.layer = calloc(count, sizeof *f->next.layer);
    f->is_new = calloc(count, sizeof *f->is_new);
    f->first = calloc(count, sizeof *f->first);
    if (!f->next.layer || !f->is_new || !f->first) return ENT_NO_MEMORY;
    TRY(layers_plan(f, former));
    TRY(images_create(f));
    if (any_renewed(f)) {
        f->next.sets.pool = VK_NULL_HANDLE;
        TRY(gpu_texture_sets_create(&f->next));
    }
    return span_take(f);
}

/* --- commands --- */

static u32 level_side(u32 side, u32 level) { return MAX_OF(side >> level, 1u); }

/* What the former image of an array had. */
static void array_copy(const Follow* f, const GpuTextureArray* former, u32 which) {
    const GpuTextureArray* array = &f->next.array[which];
    GpuList* const         list = &f->frame->list;
    if (array->layer_count == 0) return;
    gpu_copy_layers(list, &(GpuLayers){.name = "upload", .image = array->image.image});
    if (f->is_lost || !former->layer_count || !gpu_texture_is_alike(&former->like, &array->like))
        return;
    for (u32 level = 0; level < array->like.level_count; level++)
        gpu_copy_layers(list,
                        &(GpuLayers){.name = "upload",
                                     .from_image = former->image.image,
                                     .image = array->image.image,
                                     .level = level,
                                     .layer_count = MIN_OF(former->layer_count, array->layer_count),
                                     .width = level_side(array->like.width, level),
                                     .height = level_side(array->like.height, level)});
}

static void texture_copy(const Follow* f, u32 which) {
    const TextureRecord*      texture = record_of(&f->next, which);
    const GpuTextureLayer     at = f->next.layer[which];
    u64                       offset = f->first[which];
    u32                       count;
    const TextureLevelRecord* level =
        gpu_blob_rows(f->next.blobs.at[which], SECTION_TEXTURE_LEVEL, &count);
    for (u32 i = 0; i < count; offset += level_bytes(texture, &level[i++]))
        gpu_copy_layers(&f->frame->list, &(GpuLayers){.name = "upload",
                                                      .from = &f->span.buffer,
                                                      .from_offset = offset,
                                                      .image = f->next.array[at.array].image.image,
                                                      .level = i,
                                                      .layer = at.layer,
                                                      .layer_count = 1,
                                                      .width = level[i].width,
                                                      .height = level[i].height});
}

static void commands_record(const Follow* f, const GpuTextures* former) {
    for (u32 a = 1; a < GPU_TEXTURES; a++)
        if (f->renewed[a] || f->is_lost) array_copy(f, &former->array[a], a);
    for (u32 i = 0; i < f->next.blobs.count; i++)
        if (f->is_new[i]) texture_copy(f, i);
}

/* --- all of it, or nothing --- */

/* Does a texture look different, or is it elsewhere? */
static bool is_change(const Follow* f, const GpuTextures* former) {
    bool any = any_renewed(f);
    for (u32 i = 0; i < f->next.blobs.count; i++) {
        const GpuTextureLayer *now = &f->next.layer[i], *then = &former->layer[i];
        any |= f->is_new[i] || i >= former->blobs.count || now->array != then->array ||
               now->layer != then->layer;
    }
    return any;
}

static void former_retire(const Follow* f, GpuTextures* former) {
    for (u32 a = 1; a < GPU_TEXTURES; a++) {
        if (!f->renewed[a]) continue;
        gpu_frame_retire_image(f->frame, &former->array[a].image);
        gpu_frame_retire_sampler(f->frame, &former->array[a].sampler);
    }
    if (f->next.sets.number != former->sets.number)
        gpu_frame_retire_sets(f->frame, &former->sets.pool);
    gpu_blobs_free(&former->blobs);
    free(former->layer);
}

/* No commands use the images. */
static void next_destroy(Follow* f, const GpuTextures* former) {
    Gpu* const gpu = f->next.gpu;
    for (u32 a = 1; a < GPU_TEXTURES; a++) {
        if (!f->renewed[a] || f->next.array[a].image.image == former->array[a].image.image)
            continue;
        gpu->vk.vkDestroySampler(gpu->device, f->next.array[a].sampler, NULL);
        gpu_image_destroy(&f->next.array[a].image, gpu);
    }
    if (f->next.sets.pool != former->sets.pool)
        gpu->vk.vkDestroyDescriptorPool(gpu->device, f->next.sets.pool, NULL);
    gpu_blobs_free(&f->next.blobs);
    free(f->next.layer);
}

ent_status gpu_textures_follow(GpuTextures* t, GpuFrame* frame, const Library* library) {
    const bool is_lost = t->dropped != frame->gpu->dropped,
               differs = gpu_seen_differs(&t->seen, library);
    if ((!differs && !is_lost) || library->count == 0) return ENT_OK;
    if (!is_lost && !gpu_seen_concerns(&t->taken, library, GPU_OF_TYPE(RESOURCE_TEXTURE))) {
        t->seen = t->taken = gpu_seen(library);
        return ENT_OK;
    }
    Follow f = {.next = *t, .library = library, .frame = frame, .is_lost = is_lost};
    f.keeps_rows = t->taken.cleared == library->cleared;
    t->seen = gpu_seen(library);
    const ent_status before = frame->list.status;
    const ent_status status = all_create(&f, t);
    if (status == ENT_OK) {
        const bool any = is_change(&f, t);
        commands_record(&f, t);
        former_retire(&f, t);
        f.next.seen = f.next.taken = t->seen;
        f.next.dropped = frame->gpu->dropped;
        f.next.changes += any;
        *t = f.next;
    } else {
        next_destroy(&f, t);
        frame->list.status = before;
        if (differs)
            gpu_log(t->gpu, LOG_WARNING,
                    "textures that changed or were added cannot be used on \"%s\" (%s): the former "
                    "ones "
                    "are drawn",
                    t->gpu->info.name, gpu_reason(status));
    }
    free(f.is_new);
    free(f.first);
    return status == ENT_DEVICE_LOST ? status : frame->list.status;
}
