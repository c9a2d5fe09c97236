// colliders_motion.glsl - how far a collider moves in a step, from where it is before and after it.
void motion_set(inout ColliderShape c, float reach_m) {
    const float moved_m = length(c.at - c.at_was);
    c.reach_m = reach_m + moved_m;
    c.motion_m = moved_m + 2 * reach_m * min(length(c.turn - c.turn_was), length(c.turn + c.turn_was));
}

// Of a shape that is no plane.
float shape_reach(ColliderShape c) { return length(c.half_m) + c.radius_m; }
