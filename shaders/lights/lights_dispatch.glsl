// lights_dispatch.glsl - the numbers of groups of an indirect dispatch over the tiles with surfaces, in rows as
// thread_index expects.
void dispatch_write() {
    const uint count = occupied.adding, groups = count * push.groups_each;
    const uint wide = min(groups, 65535u);
    occupied.adding = 0;
    occupied.count = count;
    occupied.groups[0] = wide;
    occupied.groups[1] = wide != 0 ? (groups + wide - 1) / wide : 0;
    occupied.groups[2] = 1;
}
