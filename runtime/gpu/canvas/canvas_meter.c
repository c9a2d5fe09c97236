/* canvas_meter.c - measures the light that reaches the surfaces of a picture: a histogram on the device, from
 * which the host takes percentiles. */
#include "canvas_internal.h"

#include "canvas_meter.comp.h"

#define BRIGHT_SHARE 0.005 /* of the samples are brighter than EntCanvasLight.bright */

static ent_status canvas_meter_create(Canvas* c) {
    const GpuBufferRequest request = {&c->meter.bins, 2 * CANVAS_METER_BINS, sizeof(u32),
                                      "the light of a picture"};
    if (c->meter.kernel.pipeline) return ENT_OK;
    TRY(gpu_pool_create(&c->meter.pool, c->gpu, &request, 1));
    return gpu_kernel_create(&c->meter.kernel, c->gpu, &GPU_KERNEL(canvas_meter, CANVAS_GROUP));
}

void canvas_meter_destroy(Canvas* c) {
    gpu_kernel_destroy(&c->meter.kernel);
    gpu_pool_destroy(&c->meter.pool);
}

void canvas_meter_record(const Canvas* c, GpuList* list) {
    gpu_set(list, "meter", &c->meter.bins, 0);
    gpu_pass(list, &(GpuPass){.name = "meter",
                              .kernel = &c->meter.kernel,
                              .use = {[CANVAS_VIEW] = {&c->eyes[c->which], GPU_READ},
                                      [CANVAS_COLOR] = {&c->color, GPU_READ},
                                      [CANVAS_METER] = {&c->meter.bins, GPU_READ_WRITE}},
                              .threads = (u64)c->raster.width * c->raster.height});
}

/* The lower end of a bin, as canvas_meter.comp computes bins. */
static f64 bin_value(u32 bin) {
    const f32 lowest = CANVAS_METER_LOWEST;
    u32       bits;
    f32       value;
    memcpy(&bits, &lowest, sizeof bits);
    bits += bin << (23 - CANVAS_METER_BITS);
    memcpy(&value, &bits, sizeof value);
    return (f64)value;
}

/* The value below which this share of the samples is; within a bin they are evenly distributed. */
static f32 percentile(const u32* bin, u64 samples, f64 share) {
    const f64 rank = (f64)samples * share;
    f64       before = 0;
    for (u32 i = 0; i < CANVAS_METER_BINS; i++) {
        const f64 low = bin_value(i), high = bin_value(i + 1);
        if (bin[i] && before + bin[i] >= rank)
            return (f32)(low + (high - low) * (rank - before) / bin[i]);
        before += bin[i];
    }
    return (f32)bin_value(CANVAS_METER_BINS);
}

ent_status canvas_meter_read(Canvas* c, CanvasLight* light) {
    u32 bins[2 * CANVAS_METER_BINS];
    TRY(gpu_download(c->gpu, &c->meter.bins, 0, bins, sizeof bins));
    for (u32 i = 0; i < CANVAS_METER_BINS; i++) light->samples += bins[i];
    if (light->samples == 0) return ENT_OK;
    light->median = percentile(bins, light->samples, 0.5);
    light->bright = percentile(bins + CANVAS_METER_BINS, light->samples, 1 - BRIGHT_SHARE);
    return ENT_OK;
}

ent_status canvas_meter_begin(Canvas* c) {
    c->meter.is_on = true;
    return canvas_meter_create(c);
}

void canvas_meter_end(Canvas* c) { c->meter.is_on = false; }
