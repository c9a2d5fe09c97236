/* tool_walk.c - the minimum cost of a build with nothing to do: reads the attributes of each file
 * below a folder.
 *
 *     tool_walk FOLDER */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static unsigned long files, bytes;

static void walk(const char* path) {
    char           below[4096];
    struct stat    info;
    struct dirent* entry;
    DIR*           folder = opendir(path);
    if (!folder) return;
    while ((entry = readdir(folder))) {
        if (entry->d_name[0] == '.') continue;
        if (fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (S_ISDIR(info.st_mode)) {
            snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
            walk(below);
        } else {
            files++;
            bytes += (unsigned long)info.st_size;
        }
    }
    closedir(folder);
}

int main(int argc, char** argv) {
    if (argc != 2) return fputs("usage: tool_walk FOLDER\n", stderr), 1;
    walk(argv[1]);
    printf("%lu files, %lu bytes\n", files, bytes);
    return 0;
}
