/* process.c - see process.h. */
#define _GNU_SOURCE
#include "process.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <unistd.h>

#include "file_internal.h"
#include "hash.h"

void text_read(const char* path, char* out, size_t bytes) {
    const int fd = open_complete(AT_FDCWD, path, O_RDONLY, 0);
    ssize_t   got = 0;
    if (fd >= 0) {
        UNINTERRUPTED(got, read(fd, out, bytes - 1));
        close(fd);
    }
    out[MAX_OF(got, 0)] = 0;
}

void boot_name(char* out, size_t bytes) {
    text_read("/proc/sys/kernel/random/boot_id", out, bytes);
}

void machine_name(char* out, size_t bytes) {
    text_read("/etc/machine-id", out, bytes);
    if (*out == 0) boot_name(out, bytes);
}

u64 user_number(void) { return (u64)geteuid(); }

bool stderr_is_terminal(void) { return isatty(STDERR_FILENO); }

/* --- objects --- */

/* The build id that the linker stored in an object; false when it has none. */
static bool build_id_read(char id[OBJECT_ID_BYTES], const u8* note, size_t bytes) {
    while (bytes >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) head;
        memcpy(&head, note, sizeof head);
        const size_t name = align_up(head.n_namesz, 4), data = align_up(head.n_descsz, 4);
        const u8*    at = note + sizeof head + name;
        if (sizeof head + name + data > bytes) return false;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 &&
            memcmp(note + sizeof head, "GNU", 4) == 0) {
            if (head.n_descsz * 2 >= OBJECT_ID_BYTES) return false;
            for (u32 i = 0; i < head.n_descsz; i++) snprintf(id + i * 2, 3, "%02x", at[i]);
            return true;
        }
        note = at + data;
        bytes -= sizeof head + name + data;
    }
    return false;
}

bool object_file_id(const char* path, char id[OBJECT_ID_BYTES]) {
    FileView view;
    ElfW(Ehdr) head;
    ElfW(Phdr) part;
    bool found = false;
    if (file_map(&view, path) != ENT_OK) return false;
    if (view.size >= sizeof head) memcpy(&head, view.bytes, sizeof head);
    const bool is_object = view.size >= sizeof head && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
                           head.e_phentsize == sizeof part && head.e_phoff <= view.size &&
                           head.e_phnum <= (view.size - head.e_phoff) / sizeof part;
    for (u32 i = 0; is_object && i < head.e_phnum && !found; i++) {
        memcpy(&part, view.bytes + head.e_phoff + i * sizeof part, sizeof part);
        if (part.p_type == PT_NOTE && part.p_offset <= view.size &&
            part.p_filesz <= view.size - part.p_offset)
            found = build_id_read(id, view.bytes + part.p_offset, part.p_filesz);
    }
    file_unmap(&view);
    return found;
}

/* Without a build id: the hash of the mapped segments that are not writable. */
static void segments_hash(char id[OBJECT_ID_BYTES], const struct dl_phdr_info* object) {
    u64 hash = 0;
    for (u32 i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr)* p = &object->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || p->p_flags & PF_W || !(p->p_flags & PF_R)) continue;
        hash = hash_bytes((const void*)(object->dlpi_addr + p->p_vaddr), p->p_filesz, hash);
    }
    snprintf(id, OBJECT_ID_BYTES, "%016llx", (unsigned long long)hash);
}

typedef struct ObjectCall {
    void (*each)(void* user, const char* name, const char* id);
    void* user;
} ObjectCall;

static int object_call(struct dl_phdr_info* object, size_t size, void* user) {
    const ObjectCall* call = user;
    const char*       slash = strrchr(object->dlpi_name, '/');
    char              id[OBJECT_ID_BYTES] = "";
    bool              known = false;
    UNUSED(size);
    for (u32 i = 0; i < object->dlpi_phnum && !known; i++) {
        const ElfW(Phdr)* p = &object->dlpi_phdr[i];
        if (p->p_type != PT_NOTE) continue;
        known = build_id_read(id, (const u8*)(object->dlpi_addr + p->p_vaddr), p->p_memsz);
    }
    if (!known) segments_hash(id, object);
    call->each(call->user, slash ? slash + 1 : object->dlpi_name, id);
    return 0;
}

void process_objects(void (*each)(void* user, const char* name, const char* id), void* user) {
    dl_iterate_phdr(object_call, &(ObjectCall){each, user});
}
