/* plugin_internal.h - from the component that a plugin describes to the type that everybody knows.
 * Private. */
#ifndef ENT_PLUGIN_INTERNAL_H
#define ENT_PLUGIN_INTERNAL_H

#include "base.h"
#include "component_type.h"
#include "plugin.h"

/* Looks at all of a description. False: `why` says what is wrong with which field. */
bool plugin_component_check(const PluginComponent1* component, char* why, size_t room);

/* Copies a description that was checked; the type lasts as long as the memory.
 *   memory  [plugin_component_bytes(component)] aligned to 8 */
size_t        plugin_component_bytes(const PluginComponent1* component);
ComponentType plugin_component_open(const PluginComponent1* component, void* memory);

#endif
