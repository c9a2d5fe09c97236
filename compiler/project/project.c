/* project.c - opens a source folder. */
#include "project.h"

#include <errno.h>

#include "declare.h"
#include "diag.h"
#include "diag_print.h"
#include "exit_codes.h"
#include "failure.h"
#include "plugin_load.h"

/* After the folder was listed. */
static int sources_open(Project* p, Variant variant) {
    if (!assets_open(&p->assets, &p->tree, &p->registry, &p->settings, variant, p->diag))
        return io_failure("cannot read the asset folder", p->tree.root);
    declarations_read(&p->assets, &p->registry, p->diag);
    return EXIT_OK;
}

int project_open(Project* p, const char* source, Variant variant, const Words* plugins,
                 const Project* other, JournalUse use) {
    const char* failed = source;
    int         code = EXIT_OK;
    *p = (Project){.diag = diag_create()};
    if (!registry_init(&p->registry, p->diag)) return diag_exit_code(p->diag);
    if (!other)
        code = plugins_open(&p->registry, plugins, false, p->diag);
    else if (!plugins_share(&p->registry, &other->registry, p->diag))
        code = diag_exit_code(p->diag);
    if (code == EXIT_OK && source) code = move_finish(source, use);
    if (code != EXIT_OK || !source) return code;
    if (tree_read(&p->tree, source, false, NULL, &failed) != ENT_OK)
        return io_failure("cannot read the asset folder", failed);
    settings_read(&p->settings, &p->tree, p->diag);
    return sources_open(p, variant);
}

int project_open_listed(Project* p, Tree* tree, Variant variant) {
    *p = (Project){.diag = diag_create(), .tree = *tree};
    *tree = (Tree){0};
    if (!registry_init(&p->registry, p->diag)) return diag_exit_code(p->diag);
    settings_read(&p->settings, &p->tree, p->diag);
    return sources_open(p, variant);
}

void project_close(Project* p) {
    assets_close(&p->assets);
    settings_drop(&p->settings);
    tree_drop(&p->tree);
    diag_destroy(p->diag);
    plugins_close(&p->registry);
}

bool project_has_errors(const Project* p) {
    if (diag_error_count(p->diag) > 0) return true;
    for (u32 i = 0; i < p->assets.count; i++) {
        const Diagnostics* diag = p->assets.asset[i]->diag;
        if (diag && diag_error_count(diag) > 0) return true;
    }
    return false;
}

int project_report(Project* p, int code, DiagFormat format, bool color) {
    assets_report(&p->assets, p->diag);
    diag_print(p->diag, stderr, format, color);
    return code == EXIT_OK ? diag_exit_code(p->diag) : code;
}
