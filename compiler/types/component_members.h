/* component_members.h - members of components that list instances of another component, by name. */
#ifndef ENTC_COMPONENT_MEMBERS_H
#define ENTC_COMPONENT_MEMBERS_H

/*    owner   key          component       what it contains */
#define COMPONENT_MEMBERS(X)                                                                       \
    X("mesh", "materials", "mesh_material",                                                        \
      "materials of the mesh, by their names, and the materials that are drawn in their place")

typedef struct ComponentMember {
    const char *owner, *key, *component, *text;
} ComponentMember;

/* The member of a component type; NULL: it has none. */
const ComponentMember* component_member(const char* owner);
/* The member that lists instances of a component type; NULL: none does. */
const ComponentMember* component_member_listing(const char* component);

/* The first field of an instance in such a list is the number of the owner, and has this bit until the second one, which is
 * the name of the member, is resolved. */
#define MEMBER_IS_UNRESOLVED 0x80000000u

#endif
