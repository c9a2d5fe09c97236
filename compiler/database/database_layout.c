/* database_layout.c - the places of the rows in the bytes of a build database, and finding rows. */
#include "database_internal.h"

DatabaseLayout database_layout(const DatabaseHead* head) {
    DatabaseLayout at;
    at.files = sizeof(DatabaseHead);
    at.products = at.files + (u64)head->file_count * sizeof(DatabaseFile);
    at.maps = at.products + (u64)head->product_count * sizeof(DatabaseProduct);
    at.reads = at.maps + (u64)head->map_count * sizeof(DatabaseMap);
    at.needs = at.reads + (u64)head->read_count * sizeof(DatabaseRead);
    at.file_slot = at.needs + (u64)head->need_count * sizeof(DatabaseNeed);
    at.product_slot = at.file_slot + (u64)head->file_slots * sizeof(u32);
    at.text = at.product_slot + (u64)head->product_slots * sizeof(u32);
    at.text_end = at.text + head->text_bytes;
    at.links = head->links_bytes ? align_up(at.text_end, DATABASE_LINKS_ALIGN) : at.text_end;
    at.end = at.links + head->links_bytes;
    return at;
}

u64 database_rows_end(const DatabaseHead* head) { return database_layout(head).text_end; }

static bool head_is_valid(const DatabaseHead* head, const u8* bytes, u64 size) {
    if (memcmp(head->magic, DATABASE_MAGIC, sizeof head->magic) != 0 ||
        head->version != DATABASE_VERSION || head->row_bytes != DATABASE_ROW_BYTES ||
        size > UINT32_MAX || database_layout(head).end > size) {
        return false;
    }
    const size_t hashed = (size_t)database_layout(head).text_end - DATABASE_HASHED_FROM;
    return hash_equal(hash_content(bytes + DATABASE_HASHED_FROM, hashed), head->hash);
}

bool database_rows_find(Database* db, const u8* bytes, u64 size) {
    const DatabaseHead* head = (const void*)bytes;
    if (size < sizeof *head || !head_is_valid(head, bytes, size)) return false;
    const DatabaseLayout at = database_layout(head);
    db->head = head;
    db->files = (const void*)(bytes + at.files);
    db->reads = (const void*)(bytes + at.reads);
    db->needs = (const void*)(bytes + at.needs);
    db->products = (const void*)(bytes + at.products);
    db->maps = (const void*)(bytes + at.maps);
    db->file_slots = (Slots){(u32*)(bytes + at.file_slot), head->file_slots};
    db->product_slots = (Slots){(u32*)(bytes + at.product_slot), head->product_slots};
    db->text = (const char*)(bytes + at.text);
    db->links = (Text){(const char*)(bytes + at.links), head->links_bytes};
    return true;
}

bool database_is_settled(const Database* db, const FileStamp* stored, const FileStamp* now,
                         u64 stored_ns) {
    return !db->is_rebooted && file_stamp_is_settled(stored, stored_ns) &&
           file_stamp_equal(stored, now);
}

/* --- lookup --- */

u64 database_product_hash(Text name, u32 type) { return hash_bytes(name.at, name.bytes, type + 1); }

u32 database_file(const Database* db, const char* path) {
    if (!db->head) return NONE;
    const u32* slot = slots_first(&db->file_slots, hash_bytes(path, strlen(path), 0));
    for (; *slot; slot = slots_next(&db->file_slots, slot)) {
        if (strcmp(database_text(db, db->files[*slot - 1].path), path) == 0) return *slot - 1;
    }
    return NONE;
}

u32 database_product(const Database* db, Text name, ResourceType type) {
    if (!db->head) return NONE;
    const u32* slot = slots_first(&db->product_slots, database_product_hash(name, type));
    for (; *slot; slot = slots_next(&db->product_slots, slot)) {
        const DatabaseProduct* p = &db->products[*slot - 1];
        if (p->type == type && text_equal(text_of(database_text(db, p->name)), name))
            return *slot - 1;
    }
    return NONE;
}
