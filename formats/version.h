/* version.h - THE version: of libent and its file names, of the programs and their manuals. A host
 * may look at it before it compiles. */
#ifndef ENT_VERSION_H
#define ENT_VERSION_H

#define ENT_VERSION      "0.1.0"      /* the first number is that of libent.so.0: the ABI */
#define ENT_VERSION_DATE "2026-11-21" /* of the manuals */

#endif
