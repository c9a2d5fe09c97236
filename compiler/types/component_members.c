/* component_members.c - the list of component_members.h. */
#include "component_members.h"

#include <string.h>

#define MEMBER_ROW(owner, key, component, text) {owner, key, component, text},
static const ComponentMember members[] = {COMPONENT_MEMBERS(MEMBER_ROW)};

const ComponentMember* component_member(const char* owner) {
    for (unsigned i = 0; i < sizeof members / sizeof *members; i++)
        if (strcmp(members[i].owner, owner) == 0) return &members[i];
    return NULL;
}

const ComponentMember* component_member_listing(const char* component) {
    for (unsigned i = 0; i < sizeof members / sizeof *members; i++)
        if (strcmp(members[i].component, component) == 0) return &members[i];
    return NULL;
}
