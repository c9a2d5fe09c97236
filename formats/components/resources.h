/* resources.h - the types of resources, in the order of their numbers in a blob. */
#ifndef ENT_RESOURCES_H
#define ENT_RESOURCES_H

#include "shared.h"

/*  X(enumerator, "suffix", what it is) */
#define RESOURCE_LIST(X)                                                                           \
    X(RESOURCE_ENTITY, "entity", "an entity with its children, ready to be spawned")               \
    X(RESOURCE_LEVEL, "level", "entities without a common root, ready to be spawned")              \
    X(RESOURCE_MESH, "mesh", "vertices, indices and the parts that share a material")              \
    X(RESOURCE_SKELETON, "skeleton", "joints, their rest pose, and the bind matrices of a skin")   \
    X(RESOURCE_CLIP, "clip", "tracks of key frames")                                               \
    X(RESOURCE_MATERIAL, "material", "how a surface reflects light")                               \
    X(RESOURCE_COMPONENT, "component", "a component type that the project declares")               \
    X(RESOURCE_PACKAGE, "package", "the roots of a bundle")                                        \
    X(RESOURCE_TEXTURE, "texture", "an image with its levels, in a format of the GPU")             \
    X(RESOURCE_DATA, "data", "the bytes of any file, unchanged")

#ifndef GL_core_profile
#define RESOURCE_ENUM(name, suffix, text) name,
typedef enum EntResourceType {
    RESOURCE_NONE,
    RESOURCE_LIST(RESOURCE_ENUM) RESOURCE_COUNT
} EntResourceType;
typedef EntResourceType ResourceType;
#undef RESOURCE_ENUM
#endif

#endif
