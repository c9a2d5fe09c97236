/* declare_write.c - writes declarations: each as a blob, from which other programs read it, and those
 * of its component types into an entity or level. */
#include "declare_write.h"

#include "declare.h"
#include "sections.h"

void declarations_write(Output* out, const ComponentType* const* types, u32 count,
                        const char* description) {
    const DeclarationSizes sizes = declarations_measure(types, count, description);
    if (count == 0) return;
    output_section(out, SECTION_DECLARATION, NULL, sizes.declarations);
    output_section(out, SECTION_DECLARED_FIELD, NULL, sizes.fields);
    output_section(out, SECTION_ENUM_TEXT, NULL, sizes.enum_texts);
    output_section(out, SECTION_DECLARATION_TEXT, NULL, sizes.text_bytes);
    output_section(out, SECTION_FORMER_NAME, NULL, sizes.former_names);
    const DeclarationRows rows = {output_section_bytes(out, SECTION_DECLARATION),
                                  output_section_bytes(out, SECTION_DECLARED_FIELD),
                                  output_section_bytes(out, SECTION_ENUM_TEXT),
                                  output_section_bytes(out, SECTION_FORMER_NAME),
                                  output_section_bytes(out, SECTION_DECLARATION_TEXT)};
    if (!out->writer.too_large) declarations_fill(types, count, description, &rows);
}

bool compile_declaration(Compile* c, u8** bytes, size_t* size) {
    const Declaration* d = NULL;
    Output             out;
    for (u32 i = 0; i < c->registry->count && !d; i++) {
        const Declaration* existing = c->registry->compiler[i].declared;
        if (existing && strcmp(existing->resource, c->name) == 0) d = existing;
    }
    if (!d || d->has_errors) return false; /* which was reported */
    const ComponentType* type = &d->type;
    output_begin(&out, RESOURCE_COMPONENT, text_of(c->name), type->record.field_count, 5);
    declarations_write(&out, &type, 1, d->text);
    return compile_finish(c, &out, bytes, size);
}
