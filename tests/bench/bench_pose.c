/* bench_pose.c - sampling and palettes of 1,000 characters on the CPU, compared with a plain loop over the same
 * joints, whose keys are floats that were unpacked before.
 *
 *     bench_pose OUT LEVEL */
#include "bench_plain_pose.h"
#include "bench_rows.h"
#include "ent.h"

#define CHARACTERS 1000u
#define JOINTS_MAX 256u

/* --- the plain loop --- */

typedef struct Plain {
    const EntJointRecord* joint;
    const EntBindRecord*  bind;
    u32                   joint_count, bind_count;
    PlainChannel          channel[JOINTS_MAX][3];
} Plain;

static void must(ent_status status, const char* what) {
    if (status == ENT_OK) return;
    fprintf(stderr, "bench_pose: %s: %s\n", what, ent_status_text(status));
    exit(1);
}

/* Samples each key of each channel once: the values of keys as floats. */
static void plain_fill(Plain* plain, const EntPoseTables* t, const EntPosePlay* play,
                       const EntBlob* clip, const EntBlob* skeleton) {
    const EntPoseSkeleton* s = &t->skeleton[play->skeleton];
    EntTransformRecord     poses[JOINTS_MAX];
    plain->joint = t->joint + s->first_joint;
    plain->bind = t->bind + s->first_bind;
    plain->joint_count = s->joint_count;
    plain->bind_count = s->bind_count;
    for (u32 i = 0; i < s->joint_count; i++) {
        for (u32 c = 0; c < 3; c++) {
            const EntPoseChannel* from = &t->channel[t->set[play->set].first_channel + i * 3 + c];
            const u32             words = c == 1 ? 4 : 3;
            PlainChannel*         to = &plain->channel[i][c];
            *to = (PlainChannel){t->key + from->first_time, NULL, from->key_count};
            if (to->count) to->values = malloc(to->count * words * sizeof(f32));
            for (u32 k = 0; k < to->count; k++) {
                ent_clip_sample(clip, skeleton, to->times[k], poses);
                const f32* value = c == 0   ? &poses[i].position.x
                                   : c == 1 ? &poses[i].rotation.x
                                            : &poses[i].scale.x;
                memcpy(to->values + k * words, value, words * sizeof(f32));
            }
        }
    }
}

static void plain_palette(const Plain* p, f32 time_s, Mat34* joints, Mat34* palette) {
    for (u32 i = 0; i < p->joint_count; i++) {
        Vec3 position = p->joint[i].position, scale = p->joint[i].scale;
        Quat rotation = p->joint[i].rotation;
        plain_channel_sample(&p->channel[i][0], 3, time_s, &position.x);
        plain_channel_sample(&p->channel[i][1], 4, time_s, &rotation.x);
        plain_channel_sample(&p->channel[i][2], 3, time_s, &scale.x);
        const Mat34 local = mat34_of_pose(&position, &rotation, &scale);
        joints[i] =
            p->joint[i].parent == NONE ? local : plain_product(&joints[p->joint[i].parent], &local);
    }
    for (u32 i = 0; i < p->bind_count; i++) {
        Mat34 inverse;
        memcpy(&inverse, &p->bind[i].row_0, sizeof inverse);
        palette[i] = plain_product(&joints[p->bind[i].joint], &inverse);
    }
}

/* --- both --- */

static f32 checksum; /* so that nothing is left out */

static void plain_run(const Plain* p, f32 duration_s) {
    Mat34 joints[JOINTS_MAX], palette[JOINTS_MAX];
    for (u32 i = 0; i < CHARACTERS; i++) {
        plain_palette(p, duration_s * (f32)i / CHARACTERS, joints, palette);
        checksum += palette[p->bind_count - 1].m[0][3];
    }
}

static void skins_run(EntSkins* skins, EntWorld* world, f32 duration_s) {
    const EntSkinRows rows = ent_skin_rows(world);
    const EntMat34*   palette;
    u32               count;
    for (u32 i = 0; i < CHARACTERS; i++) {
        rows.record[0].time_s = duration_s * (f32)i / CHARACTERS;
        must(ent_skins_palette(skins, rows.entity[0], &palette, &count), "a palette");
        checksum -= palette[count - 1].m[0][3];
    }
}

int main(int argc, char** argv) {
    EntLibrary     library;
    EntWorld*      world;
    EntSkins*      skins;
    const EntBlob* level;
    EntPosePlay    play;
    BenchTimes     plain_ns = {0}, skins_ns = {0};
    static Plain   plain;
    if (argc != 3) must(ENT_BAD_FIELD, "bench_pose OUT LEVEL");
    must(ent_library_open(&library, argv[1], NULL), argv[1]);
    must(ent_library_load(&library, argv[2], RESOURCE_LEVEL, &level), argv[2]);
    must(ent_world_create(&world, NULL), "a world");
    must(ent_world_spawn(world, level, NULL, NULL), "a level");
    must(ent_skins_create(&skins, world, &library), "skins");
    must(ent_skins_playing(skins, 0, &play), "skins");
    const EntPoseTables* t = ent_skins_tables(skins);
    const f32            duration_s = t->clip[play.clip].duration_s;
    plain_fill(&plain, t, &play, t->clip[play.clip].blob, t->skeleton[play.skeleton].blob);
    for (u32 run = 0; run < BENCH_RUNS; run++) {
        BENCH_TIMED(plain_ns, plain_run(&plain, duration_s));
        BENCH_TIMED(skins_ns, skins_run(skins, world, duration_s));
    }
    if (!(fabsf(checksum) < 1)) must(ENT_BAD_HASH, "the same palettes");
    const u32 joints = plain.joint_count * CHARACTERS;
    const f64 ours = bench_median(&skins_ns) / joints, theirs = bench_median(&plain_ns) / joints;
    bench_row("pose: sampling and palettes / a plain loop", joints, ours, "ns/joint", ours / theirs,
              1.2);
    ent_skins_destroy(skins);
    ent_world_destroy(world);
    ent_library_close(&library);
    return 0;
}
