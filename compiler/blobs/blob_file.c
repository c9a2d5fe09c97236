/* blob_file.c - opens the blobs that commands read, of both byte orders. */
#include "blob_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "exit_codes.h"
#include "hash.h"
#include "sections.h"
#include "swap.h"

int unreadable_report(const char* path, ent_status status) {
    const bool system = (status == ENT_IO && errno) || status == ENT_LIMIT;
    fprintf(stderr, "%s: error: %s\n", path, system ? strerror(errno) : ent_status_text(status));
    return exit_code_of(status);
}

int fault_report(const char* path, const BlobFault* fault) {
    fprintf(stderr, "%s: error: %s at offset %u: %s\n", path, fault->field, fault->offset,
            fault->reason);
    return exit_code_of(fault->status);
}

static int stdin_read(BlobFile* file) {
    size_t room = 1u << 16;
    file->copy = memory_alloc(room);
    for (size_t got; (got = fread(file->copy + file->size, 1, room - file->size, stdin)) > 0;) {
        file->size += got;
        if (file->size < room) continue;
        u8* grown = memory_alloc(room * 2);
        memcpy(grown, file->copy, room);
        memory_free(file->copy);
        file->copy = grown;
        room *= 2;
    }
    file->bytes = file->copy;
    return ferror(stdin) ? unreadable_report("-", ENT_IO) : EXIT_OK;
}

int blob_file_read(BlobFile* file, const char* path) {
    *file = (BlobFile){.path = path};
    if (strcmp(path, "-") == 0) return stdin_read(file);
    const ent_status status = file_map(&file->view, path);
    if (status != ENT_OK) return unreadable_report(path, status);
    file->bytes = file->view.bytes;
    file->size = file->view.size;
    return EXIT_OK;
}

static bool refuse(BlobFile* file, ent_status status, size_t offset, const char* field,
                   const char* reason) {
    file->fault = (BlobFault){.status = status, .offset = (u32)offset};
    snprintf(file->fault.field, sizeof file->fault.field, "%s", field);
    snprintf(file->fault.reason, sizeof file->fault.reason, "%s", reason);
    return false;
}

static BlobSection section_flipped(const u8* at) {
    u32         word[sizeof(BlobSection) / 4];
    BlobSection section;
    memcpy(word, at, sizeof word);
    for (u32 i = 0; i < COUNT_OF(word); i++) word[i] = word_swap(word[i]);
    memcpy(&section, word, sizeof section);
    return section;
}

/* blob_swap trusts its input: everything that it uses is validated here. Successive sections cannot
 * overlap the section table. */
static bool swap_is_safe(BlobFile* file, bool skip_hash) {
    BlobHeader h;
    memcpy(&h, file->bytes, sizeof h);
    const u64 count = word_swap(h.section_count);
    u64       end = sizeof h + count * sizeof(BlobSection);
    if (word_swap(h.version) != BLOB_VERSION) {
        return refuse(file, ENT_BAD_VERSION, offsetof(BlobHeader, version), "header.version",
                      "the version of the format is not supported");
    }
    if (word_swap(h.blob_bytes) != file->size || end > file->size) {
        return refuse(file, ENT_TRUNCATED, offsetof(BlobHeader, blob_bytes), "header.blob_bytes",
                      "the file size differs from the size in the header");
    }
    const u64 hash = resource_id(resource_swap(h.hash));
    if (!skip_hash && hash != blob_hash(file->bytes, file->size)) {
        return refuse(file, ENT_BAD_HASH, offsetof(BlobHeader, hash), "header.hash",
                      "checksum mismatch: the file was modified or damaged");
    }
    for (u64 i = 0; i < count; i++) {
        const size_t      at = sizeof h + (size_t)i * sizeof(BlobSection);
        const BlobSection s = section_flipped(file->bytes + at);
        if (s.offset != align_up(end, BLOB_ALIGN) || s.offset + (u64)s.bytes > file->size) {
            return refuse(file, ENT_BAD_FIELD, at + offsetof(BlobSection, offset), "section.offset",
                          "the section does not begin where the previous section ends");
        }
        end = s.offset + (u64)s.bytes;
    }
    return true;
}

ent_status blob_file_validate_alone(BlobFile* file, const BlobOptions* options) {
    BlobOptions      swapped = options ? *options : (BlobOptions){0};
    const ent_status status =
        ent_blob_open(&file->blob, file->bytes, file->size, options, &file->fault);
    if (status != ENT_OTHER_BYTE_ORDER) return status;
    file->other_order = true;
    if (!swap_is_safe(file, swapped.skip_hash)) return file->fault.status;
    file->swapped = memory_alloc(file->size);
    memcpy(file->swapped, file->bytes, file->size);
    blob_swap(file->swapped, file->size, false);
    swapped.skip_hash = 1; /* it was checked with the bytes of the file */
    return ent_blob_open(&file->blob, file->swapped, file->size, &swapped, &file->fault);
}

int blob_file_report(const BlobFile* file, const char* path) {
    return fault_report(path, &file->fault);
}

void blob_file_close(BlobFile* file) {
    file_unmap(&file->view);
    memory_free(file->copy);
    memory_free(file->swapped);
    file_types_drop(file->file_types);
    *file = (BlobFile){0};
}

const char* byte_order_text(bool other_order) {
    const bool little = *(const u8*)&(const u32){1};
    return little != other_order ? "little" : "big";
}

/* --- types --- */

u32 known_type_count(const BlobOptions* options) {
    return options && options->types ? options->type_count : COMPONENT_COUNT;
}

const ComponentType* known_type(const BlobOptions* options, u32 index) {
    assert(index < known_type_count(options));
    return options && options->types ? options->types[index] : &ent_component_types()[index];
}

const ComponentType* known_type_find(const BlobOptions* options, u32 identifier) {
    for (u32 i = 0; i < known_type_count(options); i++) {
        if (known_type(options, i)->id == identifier) return known_type(options, i);
    }
    return NULL;
}

void file_types_drop(FileTypes* file_types) {
    if (file_types) arena_drop(&file_types->arena);
    memory_free(file_types);
}
