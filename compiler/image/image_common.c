/* image_common.c - what the readers of the formats share: faults, limits and memory. */
#include "image_internal.h"

#include <stdarg.h>
#include <stdio.h>

#include "memory.h"

const char* image_fault(ImageInfo* info, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(info->fault, sizeof info->fault, format, arguments);
    va_end(arguments);
    return info->fault;
}

const char* image_check_size(ImageInfo* info) {
    if (info->width == 0 || info->height == 0)
        return image_fault(info, "has no pixels: its size is %u x %u", info->width, info->height);
    if (info->width > IMAGE_SIDE_MAX || info->height > IMAGE_SIDE_MAX)
        return image_fault(info, "has %u x %u pixels; the limit is %u on each side", info->width,
                           info->height, IMAGE_SIDE_MAX);
    return NULL;
}

void image_alloc(Image* image) { image->pixels = memory_alloc_raw(image_bytes(&image->info)); }
