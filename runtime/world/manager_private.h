/* manager_private.h - the members of struct EntManager that only the library can access. */
uint32_t capacity; /* rows that fit; there is one more place for moves */
uint32_t tail;     /* rows at the end that are kept separate */
uint32_t given;    /* calls of ent_manager_create: a spawn over frames watches them */
uint32_t*
         list; /* [capacity * hooks->list_each + hooks->list_more] not moved with rows; NULL: these have none */
uint32_t list_count;
int      deferred;
int      is_private;   /* not found by id or name, in no blob: names of entities */
int      plain;        /* found by array, and no function observes its rows */
uint32_t updates;      /* deferred updates so far */
uint32_t marked;       /* rows that changed since the last one, outside of the tail; */
uint32_t marked_often; /* not 0: some of them repeatedly, or they moved */
uint32_t column_bytes[ENT_MANAGER_COLUMNS_MAX]; /* of one element */
void*    rows_block;                            /* the block for the arrays, */
void*    lookup_block;                          /* and for the lookup, */
void*    type_block; /* and keeps of the description of the type; NULL: it is the host's */
const void* (*plugin)(uint32_t id, uint32_t version); /* that defined the type; NULL: no plugin */
struct EntManagerWatch*      watch;                   /* what is reported changes, or NULL */
const struct ComponentHooks* hooks; /* of a built-in type, or of none; never NULL */
/* Removes all rows of an entity; found by array: it has at least one. */
void (*remove_entity)(struct EntManager* manager, EntEntity entity);
