/* bundle_plan.c - decides, for the small resources of each type, about a dictionary and the level, from samples.
 *
 * Decisions are taken by sizes alone, so that they are the same on every machine and with any number of threads. A
 * dictionary is trained with some samples and judged by others, when there are many: it contains parts of those with
 * which it was trained. */
#include <zdict.h>

#include "bundle_pack_internal.h"
#include "exit_codes.h"

/* A dictionary for fewer resources would be a copy of them. */
#define SAMPLES_MIN 8u

/* For training. More cost time in proportion, and the dictionary gets no better (measured on 10,000 small levels). */
#define SAMPLES_BYTES_MAX    (1u << 20)
#define JUDGED_BYTES_MAX     (256u << 10)
#define DICTIONARY_BYTES_MIN 256u /* half of this is tables */
#define DICTIONARY_BYTES_MAX (112u << 10)

/* The level with which dictionaries are compared. */
#define TRIAL_LEVEL 9u

static const u32 levels[] = {PACK_LEVELS};

/* Resources, concatenated. */
typedef struct Samples {
    u8*     bytes; /* [total] */
    size_t* size;  /* [count] */
    u32     count;
    size_t  total;
} Samples;

/* Trials of dictionaries of different sizes, the first one without. */
#define TRIALS 6u

typedef struct Trial {
    u8*    bytes; /* [size] */
    size_t size;
    u64 stored; /* bytes of all small resources of the type, about, with the dictionary; UINT64_MAX: none */
} Trial;

/* The planning of one type. */
typedef struct Planning {
    Pack*          pack;
    ResourceType   type;
    u32            count; /* small resources */
    u64            bytes; /* of them */
    Samples        trained, judged;
    const Samples* judges;    /* one of both */
    bool           is_judged; /* false: there are too few, and no dictionary */
    Trial          trial[TRIALS];
    const Trial*   best;                       /* NULL: no dictionary has a gain */
    ZSTD_CDict*    digested[PACK_LEVEL_COUNT]; /* the best one, by level */
    u64            stored[PACK_LEVEL_COUNT];   /* of the judges */
} Planning;

/* --- samples --- */

static bool is_small(const PackItem* item, ResourceType type) {
    return item->type == type && item->size <= SAMPLE_BYTES_MAX;
}

/* Every `step`-th small resource from the `first` on, as long as they fit; returns an exit code. */
static int samples_read(const Planning* t, Samples* s, u32 first, u32 step, u64 bytes_max) {
    Pack*        p = t->pack;
    u32          seen = 0;
    const size_t room = (size_t)MIN_OF(t->bytes, bytes_max + SAMPLE_BYTES_MAX);
    s->bytes = memory_alloc_raw(room);
    s->size = memory_alloc(sizeof *s->size * (t->count / step + 1));
    for (u32 i = 0; i < p->items.count; i++) {
        PackItem* item = &p->items.at[i];
        BlobFile  file;
        if (!is_small(item, t->type) || seen++ % step != first) continue;
        if (s->total + item->size > room) break;
        if (!item_read(p, item, &file)) return item_unread_report(p, item);
        memcpy(s->bytes + s->total, file.bytes, file.size);
        s->size[s->count++] = file.size;
        s->total += file.size;
        blob_file_close(&file);
    }
    return EXIT_OK;
}

static void samples_drop(Samples* s) {
    memory_free(s->bytes);
    memory_free(s->size);
}

/* Both sets of samples: the same one while all resources fit. */
static int samples_take(Planning* t) {
    const u64 step = t->bytes / SAMPLES_BYTES_MAX + 1;
    const u64 judged_step = MIN_OF(t->bytes / JUDGED_BYTES_MAX + 1, (u64)t->count / SAMPLES_MIN);
    int       code = samples_read(t, &t->trained, 0, (u32)step, SAMPLES_BYTES_MAX);
    t->judges = &t->trained;
    t->is_judged = step == 1;
    if (step == 1 || code != EXIT_OK) return code;
    /* A multiple of the other step, so that no resource is in both sets. */
    const u32 multiple = (u32)(MAX_OF(judged_step / step, (u64)1) * step);
    code = samples_read(t, &t->judged, (u32)step / 2, multiple, SAMPLES_BYTES_MAX);
    if (t->judged.count >= SAMPLES_MIN) t->judges = &t->judged;
    t->is_judged = t->judges == &t->judged;
    return code;
}

/* The size of the judges, each stored in the smallest form. */
static u64 judges_stored(const Planning* t, PackWorker* w, u32 level, const ZSTD_CDict* with) {
    const Samples* s = t->judges;
    size_t         at = 0;
    u64            stored = 0;
    for (u32 i = 0; i < s->count; at += s->size[i], i++) {
        const u32 frame_bytes = frame_make(w, level, with, s->bytes + at, s->size[i]);
        stored += frame_pays(frame_bytes, s->size[i]) ? frame_bytes : s->size[i];
    }
    return stored;
}

/* --- dictionaries --- */

static ZSTD_CDict* dictionary_digest(const Trial* trial, u32 level) {
    ZSTD_CDict* digested = ZSTD_createCDict(trial->bytes, trial->size, (int)level);
    if (!digested) memory_exhausted(trial->size);
    return digested;
}

static u32 trial_level(const Pack* p) {
    return p->options->level == PACK_LEVEL_CHOSEN ? TRIAL_LEVEL : p->options->level;
}

/* Trains the dictionary of trial `index`, of the largest size or a half, a quarter.. of it. */
static void trial_run(Planning* t, u32 index, PackWorker* w) {
    Trial*         trial = &t->trial[index];
    const Samples* s = &t->trained;
    const size_t   largest = MIN_OF(s->total / 4, (size_t)DICTIONARY_BYTES_MAX);
    const size_t   room = index ? largest >> (index - 1) : 0;
    ZSTD_CDict*    digested = NULL;
    trial->stored = UINT64_MAX;
    if (index && room < DICTIONARY_BYTES_MIN) return;
    if (index) {
        trial->bytes = memory_alloc(room);
        trial->size = ZDICT_trainFromBuffer(trial->bytes, room, s->bytes, s->size, s->count);
        if (ZDICT_isError(trial->size)) return; /* too few repetitions */
        digested = dictionary_digest(trial, trial_level(t->pack));
    }
    const u64 judged = judges_stored(t, w, trial_level(t->pack), digested);
    trial->stored = judged * t->bytes / t->judges->total + trial->size + /* 2^22 * 2^41 at most */
                    (index ? sizeof(BundleDictionary) : 0);
    ZSTD_freeCDict(digested);
}

static void trials_some(void* user, u32 first, u32 end, u32 worker) {
    Planning* t = user;
    assert(end <= COUNT_OF(t->trial));
    for (u32 i = first; i < end; i++) trial_run(t, i, &t->pack->worker[worker]);
}

static void dictionary_choose(Planning* t) {
    const Trial* best = &t->trial[0];
    JobGroup     jobs = {0};
    if (!t->is_judged) return;
    ent_job_dispatch(t->pack->pool, &jobs, TRIALS, 1, trials_some, t);
    ent_job_wait(t->pack->pool, &jobs);
    for (u32 i = 1; i < TRIALS; i++) {
        if (t->trial[i].stored < best->stored) best = &t->trial[i];
    }
    t->best = best == &t->trial[0] ? NULL : best;
}

/* --- levels --- */

static void levels_some(void* user, u32 first, u32 end, u32 worker) {
    Planning* t = user;
    assert(end <= COUNT_OF(t->digested) && end <= COUNT_OF(t->stored) && end <= COUNT_OF(levels));
    for (u32 i = first; i < end; i++) {
        if (t->best) t->digested[i] = dictionary_digest(t->best, levels[i]);
        t->stored[i] = judges_stored(t, &t->pack->worker[worker], levels[i], t->digested[i]);
    }
}

static u32 type_level(Planning* t) {
    JobGroup jobs = {0};
    if (t->pack->options->level != PACK_LEVEL_CHOSEN) return t->pack->options->level;
    ent_job_dispatch(t->pack->pool, &jobs, PACK_LEVEL_COUNT, 1, levels_some, t);
    ent_job_wait(t->pack->pool, &jobs);
    return level_choose(t->stored);
}

/* --- plans --- */

static void plan_take(Planning* t) {
    PackPlan* plan = &t->pack->plan[t->type];
    dictionary_choose(t);
    plan->level = type_level(t);
    if (!t->best) return;
    plan->digested = dictionary_digest(t->best, plan->level);
    plan->dictionary_bytes = (u32)t->best->size;
    plan->dictionary = memory_alloc_raw(t->best->size);
    memcpy(plan->dictionary, t->best->bytes, t->best->size);
}

static int plan_make(Pack* p, ResourceType type) {
    Planning t = {.pack = p, .type = type};
    for (u32 i = 0; i < p->items.count; i++) {
        if (is_small(&p->items.at[i], type)) t.count++, t.bytes += p->items.at[i].size;
    }
    if (t.count < SAMPLES_MIN) return EXIT_OK;
    const int code = samples_take(&t);
    if (code == EXIT_OK) plan_take(&t);
    for (u32 i = 0; i < TRIALS; i++) memory_free(t.trial[i].bytes);
    for (u32 i = 0; i < PACK_LEVEL_COUNT; i++) ZSTD_freeCDict(t.digested[i]);
    samples_drop(&t.trained);
    samples_drop(&t.judged);
    return code;
}

int plans_make(Pack* p) {
    int code = EXIT_OK;
    for (u32 type = RESOURCE_NONE + 1; type < RESOURCE_COUNT && p->options->level; type++) {
        if (code == EXIT_OK) code = plan_make(p, (ResourceType)type);
    }
    return code;
}

void plans_drop(Pack* p) {
    for (u32 i = 0; i < RESOURCE_COUNT; i++) {
        ZSTD_freeCDict(p->plan[i].digested);
        memory_free(p->plan[i].dictionary);
    }
}
