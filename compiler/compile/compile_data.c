/* compile_data.c - writes the bytes of a file unchanged. */
#include "product.h"

bool compile_data(Compile* c, u8** bytes, size_t* size) {
    const FileView* file = asset_data(c->asset);
    Output          out;
    output_begin(&out, RESOURCE_DATA, text_of(c->name), (u32)file->size, 1);
    output_reserve(&out, file->size);
    output_section(&out, SECTION_DATA, file->bytes, file->size);
    return compile_finish(c, &out, bytes, size);
}
