/* conform.h - determines whether blobs that were compiled with one declaration can be read with
 * another. */
#ifndef ENTC_CONFORM_H
#define ENTC_CONFORM_H

/* Compares two declarations, each a NAME.component.json or a compiled NAME.component, and prints
 * every difference and its effect. Returns EXIT_OK when blobs of the old one can be read with the
 * new one unchanged, EXIT_USAGE when they cannot, EXIT_IO when either file cannot be read. */
int conform_run(const char* path_old, const char* path_new);

#endif
