/* conform.h - can blobs that were compiled with one declaration be read with another? */
#ifndef ENTC_CONFORM_H
#define ENTC_CONFORM_H

/* Compares two declarations, each a NAME.component.json or a compiled NAME.component, and prints
 * every difference and what it means. Returns EXIT_OK when blobs of the old one are read by the new
 * one as they are, EXIT_USAGE when they are not, EXIT_IO when either cannot be read. */
int conform_run(const char* path_old, const char* path_new);

#endif
