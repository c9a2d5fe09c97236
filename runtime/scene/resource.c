/* resource.c - maps files and validates them. */
#include "resource.h"

#include "file.h"

ent_status ent_resource_open_bytes(Resource* out, const void* bytes, size_t size,
                                   const BlobOptions* options, BlobFault* fault) {
    *out = (Resource){0};
    return ent_blob_open(&out->blob, bytes, size, options, fault);
}

ent_status ent_resource_open(Resource* out, const char* path, const BlobOptions* options,
                             BlobFault* fault) {
    FileView view;
    *out = (Resource){0};
    if (fault) *fault = (BlobFault){.status = ENT_OK};
    ent_status status = file_map(&view, path);
    if (status != ENT_OK) {
        if (fault) fault->status = status;
        return status;
    }
    status = ent_blob_open(&out->blob, view.bytes, view.size, options, fault);
    if (status != ENT_OK) {
        file_unmap(&view);
        return status;
    }
    out->memory = view.memory;
    out->mapped = view.mapped;
    return ENT_OK;
}

void ent_resource_close(Resource* resource) {
    FileView             view = {.memory = resource->memory, .mapped = resource->mapped};
    const HostAllocator* owner = &resource->allocator;
    if (!owner->free)
        file_unmap(&view);
    else if (resource->memory)
        owner->free(owner->user, resource->memory, resource->mapped);
    *resource = (Resource){0};
}
