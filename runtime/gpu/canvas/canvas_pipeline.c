/* canvas_pipeline.c - pipelines of systems, for the render passes of a picture. */
#include "canvas_internal.h"

static ent_status pipeline_create(const CanvasRaster* r, const CanvasPipelineDesc* desc,
                                  VkPipeline* pipeline) {
    const GpuPipelineDesc complete = {.name = desc->name,
                                      .vert = desc->vert,
                                      .vert_bytes = desc->vert_bytes,
                                      .frag = desc->frag,
                                      .frag_bytes = desc->frag_bytes,
                                      .topology = desc->topology,
                                      .cull = desc->cull,
                                      .front = desc->front,
                                      .constants = {desc->constants[0], desc->constants[1]},
                                      .render_pass = desc->blends ? r->layer_pass : r->pass[0],
                                      .keeps_depth = desc->blends,
                                      .color_count = desc->blends ? 0 : 1};
    return gpu_pipeline_create(r->gpu, &complete, pipeline);
}

ent_status canvas_pipeline_create(Canvas* canvas, const CanvasPipelineDesc* desc,
                                  VkPipeline* pipeline) {
    if (desc->blends) TRY(canvas_layer_pass_need(&canvas->raster));
    return pipeline_create(&canvas->raster, desc, pipeline);
}
