/* process_memory.c - see process_memory.h. */
#define _GNU_SOURCE
#include "process_memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "file_internal.h"

/* The number in a file; UINT64_MAX when there is none, such as "max". */
static u64 number_in(const char* path) {
    char text[64];
    text_read(path, text, sizeof text);
    return text[0] >= '0' && text[0] <= '9' ? strtoull(text, NULL, 10) : UINT64_MAX;
}

/* The limit of a control group and of those above it. `group` is the path of the group, which is shortened. */
static u64 groups_limit(const char* root, char* group, const char* file) {
    char path[PATH_MAX + 64];
    u64  limit = UINT64_MAX;
    for (;;) {
        snprintf(path, sizeof path, "%s%s/%s", root, group, file);
        limit = MIN_OF(limit, number_in(path));
        char* slash = strrchr(group, '/');
        if (!slash) return limit;
        *slash = 0;
    }
}

/* Lines "0::/path" of version 2, or "7:memory:/path" of version 1. In a container the path may be one of the machine,
 * which does not exist here; then the root is that of the container. */
static u64 control_groups_limit(void) {
    char text[4096], group[PATH_MAX];
    u64  limit = UINT64_MAX;
    text_read("/proc/self/cgroup", text, sizeof text);
    for (char *line = text, *end; *line; line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        const char* names = strchr(line, ':');
        const char* path = names ? strchr(names + 1, ':') : NULL;
        if (!path || path > end) continue;
        snprintf(group, sizeof group, "%.*s", (int)(end - path - 1), path + 1);
        u64 found = UINT64_MAX;
        if (names[1] == ':')
            found = groups_limit("/sys/fs/cgroup", group, "memory.max");
        else if (strncmp(names + 1, "memory:", 7) == 0)
            found = groups_limit("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
        limit = MIN_OF(limit, found);
    }
    return limit;
}

u64 process_memory_limit(void) {
    struct rlimit room;
    u64           limit = UINT64_MAX;
    const long    pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) limit = (u64)pages * (u64)page;
    const u64 groups = control_groups_limit();
    limit = MIN_OF(limit, groups);
    if (getrlimit(RLIMIT_AS, &room) == 0 && room.rlim_cur != RLIM_INFINITY)
        limit = MIN_OF(limit, (u64)room.rlim_cur);
    return limit;
}

/* Not ru_maxrss, which begins with that of the process that started this one. */
u64 process_memory_peak(void) {
    char text[4096];
    text_read("/proc/self/status", text, sizeof text);
    const char* line = strstr(text, "\nVmHWM:");
    return line ? strtoull(line + 7, NULL, 10) * 1024 : 0;
}
