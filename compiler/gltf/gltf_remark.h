/* gltf_remark.h - remarks about a model file: one diagnostic per kind and subject, with the number
 * of places, at the first of them. */
#ifndef ENTC_GLTF_REMARK_H
#define ENTC_GLTF_REMARK_H

#include "source_text.h"
#include "memory.h"
#include "model_remarks.h"

#define GLTF_SUBJECTS_MAX 12 /* of a kind: further ones are counted with the last one */

/* Places of a file with the same remark. */
typedef struct GltfRemark {
    const char* subject; /* "KHR_materials_sheen", "TEXCOORD_1"; "" for a kind without subjects */
    const char* text;    /* of the first place */
    u32         offset, bytes;
    u32         count;
} GltfRemark;

typedef struct GltfRemarks {
    GltfRemark at[MODEL_REMARK_COUNT][GLTF_SUBJECTS_MAX];
    u32        count[MODEL_REMARK_COUNT];
} GltfRemarks;

/* How a project treats its models. */
typedef struct GltfRules {
    u32 accepted;  /* bit r: remarks of kind r are not reported */
    u32 strict;    /* bit r: those of kind r are errors */
    u32 names_off; /* bit r: the rule r of MODEL_NAME_RULES is not used */
} GltfRules;

/* `all`: every remark is an error; `repairs`: those about faults that are repaired. */
GltfRules gltf_rules(u32 accepted, bool all, bool repairs);

/* As in entc.json. */
const char* gltf_remark_name(ModelRemark kind);

/* Is it about a fault that is repaired? */
bool gltf_is_repair(ModelRemark kind);

/* Counts one place. Returns the remark to be completed when it is the first one, otherwise NULL. */
GltfRemark* gltf_remark_add(GltfRemarks* remarks, ModelRemark kind, const char* subject,
                            Arena* arena);

/* Reports all remarks that are not accepted. `json` is the text to which the offsets refer. */
void gltf_remarks_report(const GltfRemarks* remarks, const GltfRules* rules, const Source* json,
                         Diagnostics* diag);

#endif
