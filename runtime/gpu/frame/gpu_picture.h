/* gpu_picture.h - a frame of all systems of a world: one call that records all phases, from simulation to
 * the pixels of a picture.
 *
 *     EntGpuFrame* frame;
 *     if (ent_gpu_frame_begin(frames, &frame) != ENT_OK) return 1;
 *     if (ent_picture_record(frame, &parts, canvas, &view) != ENT_OK) return 1;
 *     if (ent_gpu_frame_end(frame) != ENT_OK) return 1; // or ent_gpu_frame_end_in
 *
 * The times of passes are in groups with the names of phases; a group that was set before is replaced. */
#ifndef ENT_GPU_PICTURE_H
#define ENT_GPU_PICTURE_H

#include "gpu_system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Records a frame: simulates all parts, and draws them and what was added to the canvas.
 *
 *   parts   NULL: only what was added to the canvas is drawn
 *   canvas  NULL: only `simulate`, `pose` and `place` are recorded, and `view` is not read. Its next
 *           picture starts empty, also after a failure
 *   view    of the picture
 *
 * Returns  ENT_OK, ENT_LIMIT, ENT_NO_MEMORY or a failure of the device; ent_gpu_frame_end returns it too. */
ENT_API ENT_MUST_CHECK EntStatus ent_picture_record(EntGpuFrame* frame, const EntGpuParts* parts,
                                                    EntCanvas* canvas, const EntCanvasView* view);

/* The same without `simulate`: the world as it is. */
ENT_API ENT_MUST_CHECK EntStatus ent_picture_record_still(EntGpuFrame*         frame,
                                                          const EntGpuParts*   parts,
                                                          EntCanvas*           canvas,
                                                          const EntCanvasView* view);

/* ent_picture_record_still in a frame of its own; waits until the picture is complete.
 *
 * Needs    frames of ent_gpu_frame_end_in that contain these parts are complete: buffers may be replaced. */
ENT_API ENT_MUST_CHECK EntStatus ent_picture_draw(EntCanvas* canvas, const EntGpuParts* parts,
                                                  const EntCanvasView* view);

/* Measures the light of the picture that ent_picture_draw would give, on the device, and waits for it: of the
 * lights of the world times `exposure` of the view and of their surroundings, without emission. The last
 * picture is not changed; the next one starts empty. Equal scenes give equal numbers.
 *
 * Needs    as ent_picture_draw
 * Cost  about that of a picture; 10 KiB of device memory */
ENT_API ENT_MUST_CHECK EntStatus ent_picture_meter(EntCanvas* canvas, const EntGpuParts* parts,
                                                   const EntCanvasView* view,
                                                   EntCanvasLight*      light);

#ifdef __cplusplus
}
#endif

#endif
