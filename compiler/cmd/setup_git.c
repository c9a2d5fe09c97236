/* setup_git.c - what git has to be told to show blobs as text. It is printed and never done:
 * somebody's configuration is theirs. */
#include "options.h"

/* -text: git is never to change line ends in a blob that happens to have no NUL early on. */
#define ATTRIBUTE_ROW(name, suffix, text) "*." suffix " diff=entc -text\n"

/* Comments are the same in both files, so that the whole can be filtered by grep. A dump is made of
 * a blob that is refused too (--textconv): git gives up on a log when its filter fails. */
static const char lines[] =
    "# entc setup-git --print | grep '^\\*' >> .gitattributes\n" RESOURCE_LIST(
        ATTRIBUTE_ROW) "# once in each clone: entc setup-git --print | grep '^git' | sh\n"
                       "git config diff.entc.textconv 'entc dump --textconv'\n"
                       "git config diff.entc.binary true\n"
                       "git config difftool.entc.cmd 'entc diff \"$LOCAL\" \"$REMOTE\"'\n"
                       "# then: git diff; git difftool -y -t entc; git difftool -d -t entc\n";

int run_setup_git(const Options* o) {
    if (o->print) return fputs(lines, stdout) < 0 ? EXIT_IO : EXIT_OK;
    fputs("entc: error: setup-git changes nothing by itself; --print tells what to add to "
          ".gitattributes and which `git config` to run\n",
          stderr);
    return EXIT_USAGE;
}
