/* framing.h - the view of a level: its camera and directional light, or a view of everything. */
#ifndef ENTRUN_FRAMING_H
#define ENTRUN_FRAMING_H

#include "simulation.h"

/* The view of the level's first camera, towards its target if it has one. Without a camera, a view
 * from above and from a side that contains all elements of the simulation at the start and the
 * planes around them; when all systems move in planes, a view perpendicular to the first one.
 *
 * Its light is the first directional light; without one, but with other lights, a very dim one.
 *
 *   simulation  its planes are drawn; must exist until the picture is drawn
 *   aspect      width of the picture / height */
CanvasView framing_view(World* world, const Simulation* simulation, f32 aspect);

/* The camera and the directional light of the level, if it has them, are where they are now: clips move them. */
void framing_follow(World* world, CanvasView* view);

#endif
