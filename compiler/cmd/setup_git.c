/* setup_git.c - prints the configuration with which git shows blobs as text. It is never applied
 * automatically, because the configuration belongs to the user. */
#include "options.h"

/* -text: git must not change line ends in a blob that happens to have no NUL byte near its
 * beginning. */
#define ATTRIBUTE_ROW(name, suffix, text) "*." suffix " diff=entc -text\n"

/* Comments have the same form in both files, so that the output can be filtered with grep. An
 * invalid blob is described as text too (--textconv), because git stops a log when its filter
 * fails. */
static const char lines[] =
    "# entc setup-git --print | grep '^\\*' >> .gitattributes\n" RESOURCE_LIST(
        ATTRIBUTE_ROW) "# once in each clone: entc setup-git --print | grep '^git' | sh\n"
                       "git config diff.entc.textconv 'entc dump --textconv'\n"
                       "git config diff.entc.binary true\n"
                       "git config difftool.entc.cmd 'entc diff \"$LOCAL\" \"$REMOTE\"'\n"
                       "# then: git diff; git difftool -y -t entc; git difftool -d -t entc\n";

COMMAND(setup_git) {
    if (o->print) return fputs(lines, stdout) < 0 ? EXIT_IO : EXIT_OK;
    fputs("entc: error: setup-git changes nothing; use --print to print the lines for "
          ".gitattributes and the `git config` commands to run\n",
          stderr);
    return EXIT_USAGE;
}
