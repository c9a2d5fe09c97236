/* mesh_library.h - meshoptimizer, which is loaded when the first mesh needs it. */
#ifndef ENTC_MESH_LIBRARY_H
#define ENTC_MESH_LIBRARY_H

#include "base.h"

/* Its file name, and its build id, whether it is loaded or not; false when it is a part of the program. Nothing is loaded
 * for this, unless its file is not where libraries usually are. */
bool mesh_library_identify(const char** name, const char** id);

/* Was an object of this process, by its file name, loaded with it? The library itself was, too. */
bool mesh_library_has_loaded(const char* object);

#endif
