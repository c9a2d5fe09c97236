/* f32_text.h - a float as text: the shortest decimal that reads back as the same float, wherever
 * entc and entrun print one. */
#ifndef ENT_F32_TEXT_H
#define ENT_F32_TEXT_H

#include "base.h"

#define F32_TEXT_BYTES 24

/* Writes the text and a NUL, and returns the bytes of the text. 0.3f is "0.3", -0 is "-0"; whole
 * numbers below 1e9 keep all their digits; below 1e-4 and from 1e9 on there is an exponent. What is
 * written is a number in JSON, unless the float is not finite. */
u32 f32_text(char out[F32_TEXT_BYTES], f32 value);

#endif
