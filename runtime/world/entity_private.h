/* entity_private.h - the members of struct EntEntityPool that only the library can access. */
uint8_t*  next;       /* [slot_capacity] generation of the next entity in the slot */
uint32_t* free_index; /* [slot_capacity] ring of waiting slots */
uint32_t  free_first; /* position in the ring of the slot that has waited longest */
uint32_t  free_count;
uint32_t  slot_count; /* slots that have been used so far, including slot 0 */
