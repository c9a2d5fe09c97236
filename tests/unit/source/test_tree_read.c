/* test_tree_read.c - a folder that several threads list, compared with the list of one thread; and one from which files are
 * removed at the same time. */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tree.h"

#define FILES   900u /* more than a thread reads with their stamps */
#define FOLDERS 30u

static void file_new(const char* folder, const char* name, u32 bytes) {
    char path[4200];
    assert_in_range(snprintf(path, sizeof path, "%s/%s", folder, name), 1, sizeof path - 1);
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    for (u32 i = 0; i < bytes; i++) fputc('x', file);
    assert_int_equal(fclose(file), 0);
}

static void files_new(const char* folder, u32 count) {
    char name[32];
    for (u32 i = 0; i < count; i++) {
        snprintf(name, sizeof name, "f%04u", i);
        file_new(folder, name, i % 17);
    }
}

static void link_new(const char* folder, const char* name, const char* target) {
    char path[4200];
    assert_in_range(snprintf(path, sizeof path, "%s/%s", folder, name), 1, sizeof path - 1);
    if (symlink(target, path) != 0) assert_int_equal(errno, EEXIST);
}

/* One large folder with links, and small folders, one within the other. */
static const char* folder_new(const char* name) {
    const char* root = test_folder(name);
    char        path[4200], link[32];
    files_new(root, FILES);
    for (u32 i = 0; i < FOLDERS; i++) {
        snprintf(path, sizeof path, i % 3 ? "%s/d%02u/d" : "%s/d%02u", root, i - i % 3);
        mkdir(path, 0777);
        files_new(path, i);
        snprintf(link, sizeof link, "l%02u", i);
        link_new(root, link, i % 3 == 0 ? "f0003" : i % 3 == 1 ? "missing" : "d00");
    }
    return root;
}

static int file_order(const void* a, const void* b) {
    const TreeFile *x = a, *y = b;
    return strcmp(x->path, y->path);
}

static void tree_open(Tree* tree, const char* root, JobPool* pool) {
    const char* failed;
    assert_int_equal(tree_read(tree, root, true, pool, &failed), ENT_OK);
    qsort(tree->files.at, tree->files.count, sizeof(TreeFile), file_order);
}

static void check_equal(const Tree* a, const Tree* b) {
    assert_int_equal(a->files.count, b->files.count);
    for (u32 i = 0; i < a->files.count; i++) {
        const TreeFile *x = &a->files.at[i], *y = &b->files.at[i];
        assert_string_equal(x->path, y->path);
        assert_int_equal(x->kind, y->kind);
        assert_int_equal(x->link, y->link);
        assert_true(file_stamp_equal(&x->stamp, &y->stamp));
    }
}

static void folder_listed_by_threads_has_the_files_that_one_thread_lists(void** state) {
    const char* root = folder_new("tree");
    Tree        alone;
    UNUSED(state);
    tree_open(&alone, root, NULL);
    assert_in_range(alone.files.count, FILES + FOLDERS, FILES + FOLDERS * FOLDERS);
    for (u32 threads = 0; threads < 4; threads++) {
        JobPool* pool = ent_job_pool_create(threads, NULL);
        Tree     tree;
        tree_open(&tree, root, pool);
        check_equal(&alone, &tree);
        tree_drop(&tree);
        ent_job_pool_destroy(pool);
    }
    tree_drop(&alone);
}

typedef struct Removal {
    const char* root;
    u32         done; /* atomic */
} Removal;

static void* files_remove(void* user) {
    Removal* removal = user;
    char     path[4200];
    for (u32 i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "%s/f%04u", removal->root, i * 7 % FILES);
        if (i * 7 % FILES > 3) unlink(path);
    }
    __atomic_store_n(&removal->done, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

/* A file that does not exist any more when its stamp is read is not in the list. */
static void folder_listed_by_threads_while_files_are_removed_is_read(void** state) {
    UNUSED(state);
    for (u32 i = 0; i < 4; i++) {
        Removal   removal = {.root = folder_new("tree_removed")};
        JobPool*  pool = ent_job_pool_create(2, NULL);
        pthread_t thread;
        bool      done = false;
        assert_int_equal(pthread_create(&thread, NULL, files_remove, &removal), 0);
        while (!done) {
            Tree tree;
            done = __atomic_load_n(&removal.done, __ATOMIC_SEQ_CST);
            tree_open(&tree, removal.root, pool);
            for (u32 k = 0; k < tree.files.count; k++) {
                const TreeFile* file = &tree.files.at[k];
                assert_true(file->link || file->kind == FILE_REGULAR);
                if (done && file->name == file->relative && file->path[file->name] == 'f')
                    assert_true(strcmp(file->path + file->name, "f0003") <= 0);
            }
            tree_drop(&tree);
        }
        pthread_join(thread, NULL);
        ent_job_pool_destroy(pool);
    }
}

TEST_SUITE(tree_read) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folder_listed_by_threads_has_the_files_that_one_thread_lists),
        cmocka_unit_test(folder_listed_by_threads_while_files_are_removed_is_read),
    };
    return TEST_RUN("tree_read", tests);
}
