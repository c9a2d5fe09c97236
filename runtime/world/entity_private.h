/* entity_private.h - the members of struct EntEntityPool that only the library sees. */
uint8_t*  next;       /* [slot_capacity] generation of the one that gets the slot next */
uint32_t* free_index; /* [slot_capacity] ring of slots that wait */
uint32_t  free_first; /* position in the ring of the one that waits longest */
uint32_t  free_count;
uint32_t  slot_count; /* slots that were ever used, slot 0 included */
