/* gltf_remark.c - collects the remarks about a model, and reports them. */
#include "gltf_remark.h"

#include "diag.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *several;
    DiagCode    warning, error;
} kinds[MODEL_REMARK_COUNT] = {
#define KIND_ROW(NAME, text, code, several, meaning) {text, several, W##code, E##code},
    MODEL_REMARKS(KIND_ROW)
#undef KIND_ROW
};

const char* gltf_remark_name(ModelRemark kind) { return kinds[kind].name; }

bool gltf_is_repair(ModelRemark kind) { return kinds[kind].error == E0411; }

GltfRules gltf_rules(u32 accepted, bool all, bool repairs) {
    GltfRules rules = {.accepted = accepted};
    for (u32 kind = 0; kind < MODEL_REMARK_COUNT; kind++)
        if (all || (repairs && gltf_is_repair((ModelRemark)kind))) rules.strict |= 1u << kind;
    return rules;
}

GltfRemark* gltf_remark_add(GltfRemarks* remarks, ModelRemark kind, const char* subject,
                            Arena* arena) {
    GltfRemark* rows = remarks->at[kind];
    u32*        count = &remarks->count[kind];
    u32         row = 0;
    while (row < *count && strcmp(rows[row].subject, subject) != 0) row++;
    row = MIN_OF(row, GLTF_SUBJECTS_MAX - 1u);
    rows[row].count++;
    if (row < *count) return NULL;
    ++*count;
    rows[row].subject = arena_text(arena, text_of(subject));
    return &rows[row];
}

/* A note with the setting by which a project accepts these kinds. */
static void settings_note(const GltfRemarks* remarks, u32 accepted, Diagnostics* diag) {
    char   list[512] = "";
    size_t used = 0;
    for (u32 kind = 0; kind < MODEL_REMARK_COUNT; kind++) {
        if (!remarks->count[kind] || accepted >> kind & 1) continue;
        const int wrote = snprintf(list + used, sizeof list - used, "%s\"%s\"", used ? ", " : "",
                                   kinds[kind].name);
        used = MIN_OF(used + (size_t)wrote, sizeof list - 1);
    }
    diag_note(diag, NULL, 0, 0,
              "in entc.json, \"models\": { \"accept\": [%s] } accepts this in all models", list);
}

/* Returns false when there is another diagnostic of this code at the same place. */
static bool remark_report(const GltfRemark* r, ModelRemark kind, bool is_error, const Source* json,
                          Diagnostics* diag) {
    const u32 before = diag_report_count(diag);
    char      more[96] = "";
    if (r->count > 1)
        snprintf(more, sizeof more, "; the file has %u %s", r->count, kinds[kind].several);
    if (is_error)
        diag_error(diag, kinds[kind].error, json, r->offset, r->bytes, "%s%s", r->text, more);
    else
        diag_warning(diag, kinds[kind].warning, json, r->offset, r->bytes, "%s%s", r->text, more);
    return diag_report_count(diag) > before;
}

void gltf_remarks_report(const GltfRemarks* remarks, const GltfRules* rules, const Source* json,
                         Diagnostics* diag) {
    bool noted = false;
    for (u32 kind = 0; kind < MODEL_REMARK_COUNT; kind++) {
        for (u32 i = 0; i < remarks->count[kind] && !(rules->accepted >> kind & 1); i++) {
            const bool is_kept = remark_report(&remarks->at[kind][i], (ModelRemark)kind,
                                               rules->strict >> kind & 1, json, diag);
            if (is_kept && !noted) settings_note(remarks, rules->accepted, diag);
            noted |= is_kept;
        }
    }
}
