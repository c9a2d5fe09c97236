/* png_context.h - contexts of libspng whose memory is that of the compiler: when it is exhausted, the
 * program reports this and ends, and no other error is reported instead. */
#ifndef ENTC_PNG_CONTEXT_H
#define ENTC_PNG_CONTEXT_H

#include <spng.h>

/* To be released with spng_ctx_free.
 *
 *   flags  of spng_ctx_new: 0 to decode, SPNG_CTX_ENCODER */
spng_ctx* png_context(int flags);

#endif
