/* framing.h - how a level is looked at: by its camera and in its sun, or so that all is seen. */
#ifndef ENTRUN_FRAMING_H
#define ENTRUN_FRAMING_H

#include "simulation.h"

/* By the level's first camera, at its target where it has one. Without a camera: from above and a
 * side, everything that the simulation holds at the start with the planes around it; where all
 * systems move in rectangles, straight at the first rectangle.
 *
 *   simulation  its planes are drawn; must stay until the picture is drawn
 *   aspect      width of the picture / height */
CanvasView framing_view(World* world, const Simulation* simulation, f32 aspect);

/* From the lowest to the highest point of what is there. */
f32 framing_height_m(const Simulation* simulation);

#endif
