/* version.h - THE version: of libent and its file names, of the programs and their manuals. */
#ifndef ENT_VERSION_H
#define ENT_VERSION_H

#include "status.h"

#define ENT_VERSION      "0.2.0"      /* 0.2 is that of libent.so.0.2: the ABI */
#define ENT_VERSION_DATE "2026-11-22" /* of the manuals */

#ifdef __cplusplus
extern "C" {
#endif

/* ENT_VERSION of the linked library; a host was compiled with that of the header. */
ENT_API const char* ent_version(void);

#ifdef __cplusplus
}
#endif

#endif
