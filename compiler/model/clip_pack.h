/* clip_pack.h - the tracks of a clip as they are stored: constant ones are left out or have one key, and values
 * are packed where that moves no joint farther than an error. */
#ifndef ENTC_CLIP_PACK_H
#define ENTC_CLIP_PACK_H

#include "gltf.h"

typedef struct ClipTrack {
    const GltfTrack* from;
    Enum32           interpolation, packing;
    u32              key_count; /* the first keys of the track */
    const void*      values;    /* [words] */
    u64              words;
} ClipTrack;

/* The tracks of a clip that are written.
 *
 *   error   of joints, as a share of the largest extent of the skeletons; of other nodes, of the one of the
 *           model's bounds; 0: values stay as they are
 *   tracks  [clip->track_count]
 *
 * Returns their number. */
u32 clip_pack(const GltfModel* model, const GltfClip* clip, f64 error, Arena* arena,
              ClipTrack* tracks);

#endif
