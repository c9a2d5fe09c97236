/* build_manifest.h - the outputs of a build and the inputs of each, as JSON. */
#ifndef ENTC_BUILD_MANIFEST_H
#define ENTC_BUILD_MANIFEST_H

/* Writes the file from the build database of an output folder, which the build has just written or
 * found to be current. Returns an exit code. */
int manifest_write(const char* path, const char* out);

#endif
