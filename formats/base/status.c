/* status.c - the text of each status. */
#include "base.h"

#define STATUS_TEXT(name, text) text,
static const char* const status_texts[] = {ENT_STATUS_LIST(STATUS_TEXT)};

const char* ent_status_text(ent_status status) {
    return (unsigned)status < COUNT_OF(status_texts) ? status_texts[status] : "unknown status";
}
