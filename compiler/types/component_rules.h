/* component_rules.h - rules between the fields of one component, which a field table cannot
 * express. */
#ifndef ENTC_COMPONENT_RULES_H
#define ENTC_COMPONENT_RULES_H

#include "registry.h"

#define COMPONENT_CHECK_PROTOTYPE(name, Type, NAME, order, several, columns, lookup)               \
    void component_check_##name(Instance* instance);
COMPONENT_LIST(COMPONENT_CHECK_PROTOTYPE)
#undef COMPONENT_CHECK_PROTOTYPE

#endif
