/* test_user.c - running a program as another user, without permissions. */
#include "test_user.h"

#include <unistd.h>

#include "test.h"

static bool succeeds(const char* folder, const char* before, const char* command) {
    TestRun    run = test_command(folder, "%s %s", before, command);
    const bool succeeded = run.code == 0;
    test_run_free(&run);
    return succeeded;
}

const char* test_other_user(const char* folder, const char** reason) {
    static const char prefix[] = "setpriv --reuid=65534 --regid=65534 --clear-groups";
    if (geteuid() != 0)
        *reason = "only root can switch to another user";
    else if (!succeeds(folder, "chmod 755 . &&", "command -v setpriv"))
        *reason = "setpriv is not installed";
    else if (!succeeds("/", prefix, "true"))
        *reason = "this root may not switch to another user";
    else if (!succeeds(folder, prefix, "sh -c 'cd / && cd \"$OLDPWD\" && entc --version'"))
        *reason = "the other user has no access to the folder of the tests or to entc";
    else
        return prefix;
    return NULL;
}
