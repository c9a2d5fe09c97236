/* compile_was.h - "was" of an override: the values of the prefab that it replaces, as they were when
 * `entc fix-overrides` recorded them. A later change of such a value is a warning. */
#ifndef ENTC_COMPILE_WAS_H
#define ENTC_COMPILE_WAS_H

#include "compile.h"

/* Compares what is recorded for the component of an instance with the prefab. `in`: its record
 * before the override is read. `is_new`: the prefab lacks the component. */
void was_check(const Instance* in, const DocOverride* override, u32 type, bool is_new);

/* Adds to Compile.was what is to be recorded: of the fields that the override contains, the values
 * in `before`, the record of the prefab. `in`: the record after the override was read. */
void was_collect(const Instance* in, u32 override, u32 type, const void* before, bool is_new);

#endif
