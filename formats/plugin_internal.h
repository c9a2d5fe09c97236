/* plugin_internal.h - converts a plugin's description of a component to a component
 * type. Private. */
#ifndef ENT_PLUGIN_INTERNAL_H
#define ENT_PLUGIN_INTERNAL_H

#include "base.h"
#include "component_type.h"
#include "plugin.h"

/* Validates all of a description. False: `why` receives the field and what is wrong with it. */
bool plugin_component_check(const PluginComponent1* component, char* reason, size_t room);

/* Copies a description that was checked; the type is valid as long as the memory.
 *   memory  [plugin_component_bytes(component)] aligned to 8 */
size_t        plugin_component_bytes(const PluginComponent1* component);
ComponentType plugin_component_open(const PluginComponent1* component, void* memory);

#endif
