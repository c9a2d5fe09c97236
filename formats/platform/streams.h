/* streams.h - the standard streams of a program. */
#ifndef ENT_STREAMS_H
#define ENT_STREAMS_H

/* From now on, what was printed to standard output is written before each line of standard error, so that a log of
 * both has its lines in order. Lines of several processes are not mixed. */
void streams_begin(void);

/* Writes what was printed to standard output. Returns 0, or errno of the first failure; -1 when it is unknown. */
int streams_flush(void);

#endif
