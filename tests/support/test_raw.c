/* test_raw.c - see test_raw.h. */
#include "test_raw.h"

#include "sections.h"

Raw raw_begin(ResourceType type, u32 elements) {
    Raw raw = {.header = {.byte_order = BLOB_BYTE_ORDER,
                          .version = BLOB_VERSION,
                          .resource_type = type,
                          .resource = {1, 0},
                          .element_count = elements}};
    memcpy(raw.header.magic, BLOB_MAGIC_BYTES, 4);
    return raw;
}

BlobSection* raw_add(Raw* raw, BlobSection section, const void* data) {
    const u32 i = raw->header.section_count++;
    assert_true(i < RAW_SECTIONS_MAX);
    raw->section[i] = section;
    raw->data[i] = data;
    return &raw->section[i];
}

BlobSection* raw_rows(Raw* raw, SectionKind kind, const void* rows, u32 count) {
    const RecordType* record = section_record(kind);
    const u32         stride = record ? record->bytes : 1;
    return raw_add(raw,
                   (BlobSection){.kind = kind,
                                 .layout = record ? record_layout_hash(record) : 0,
                                 .count = count,
                                 .stride = stride,
                                 .bytes = count * stride,
                                 .column_count = 1},
                   rows);
}

BlobSection* raw_unknown(Raw* raw, u32 identifier, const u32* words, u32 count) {
    return raw_add(raw,
                   (BlobSection){.kind = SECTION_COMPONENT,
                                 .identifier = identifier,
                                 .layout = 7,
                                 .count = count,
                                 .stride = 4,
                                 .bytes = count * 8,
                                 .column_count = 1},
                   words);
}

static Blob last_valid;

RawOpened raw_open(Raw* raw, const BlobOptions* options) {
    static Guard           guard;
    static _Alignas(16) u8 bytes[RAW_BYTES_MAX];
    const u32              count = raw->header.section_count;
    u32                    end = (u32)(sizeof(BlobHeader) + count * sizeof(BlobSection));
    Blob                   blob;
    RawOpened              opened;
    memset(bytes, 0, sizeof bytes);
    for (u32 i = 0; i < count; i++) {
        BlobSection* s = &raw->section[i];
        s->offset = (u32)align_up(end, BLOB_ALIGN);
        end = s->offset + s->bytes;
        assert_true(end <= RAW_BYTES_MAX);
        if (s->bytes) memcpy(bytes + s->offset, raw->data[i], s->bytes);
        if (i + 1 == count) s->offset += raw->last_offset;
    }
    raw->header.blob_bytes = (u32)align_up(end, BLOB_ALIGN) + raw->extra_bytes;
    memcpy(bytes, &raw->header, sizeof raw->header);
    memcpy(bytes + sizeof(BlobHeader), raw->section, count * sizeof(BlobSection));
    hash_fix(bytes, raw->header.blob_bytes);
    if (!guard.memory) guard_open(&guard, RAW_BYTES_MAX);
    u8* at = guard_at(&guard, raw->header.blob_bytes);
    memcpy(at, bytes, raw->header.blob_bytes);
    opened.status = ent_blob_open(&blob, at, raw->header.blob_bytes, options, &opened.fault);
    if (opened.status == ENT_OK) last_valid = blob;
    return opened;
}

Blob raw_blob(Raw* raw) {
    assert_int_equal(raw_open(raw, NULL).status, ENT_OK);
    return last_valid;
}

void expect_valid(Raw* raw) {
    const RawOpened opened = raw_open(raw, NULL);
    if (opened.status != ENT_OK) print_error("%s: %s\n", opened.fault.field, opened.fault.reason);
    assert_int_equal(opened.status, ENT_OK);
}

void expect_fault_with(Raw* raw, const BlobOptions* options, const char* field,
                       const char* reason) {
    const RawOpened opened = raw_open(raw, options);
    if (opened.status != ENT_BAD_FIELD || strcmp(opened.fault.field, field) != 0 ||
        !strstr(opened.fault.reason, reason)) {
        print_error("expected %s: %s\n   found %d %s: %s\n", field, reason, opened.status,
                    opened.status == ENT_OK ? "" : opened.fault.field, opened.fault.reason);
        fail();
    }
}

void expect_fault(Raw* raw, const char* field, const char* reason) {
    expect_fault_with(raw, NULL, field, reason);
}

const u32 raw_no_parent[RAW_ENTITIES_MAX] = {NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE};

Raw raw_level(u32 entities) {
    Raw raw = raw_begin(RESOURCE_LEVEL, entities);
    assert_true(entities <= RAW_ENTITIES_MAX);
    if (entities) raw_rows(&raw, SECTION_PARENT, raw_no_parent, entities);
    return raw;
}
