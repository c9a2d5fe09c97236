/* general_options.c - the options of every program, and those of a command. */
#include "command_line.h"

#include <string.h>

const Option general_options[] = {
    {"--help", NULL, "list the commands; after a command: list its options", NULL, OPTION_SWITCH, 0,
     0, 0},
    {"--version", NULL, "print the versions of the program and its libraries", NULL, OPTION_SWITCH,
     0, 0, 0},
};
const u32 general_option_count = COUNT_OF(general_options);

bool option_is_for(const Option* option, const Command* command) {
    if (!option->commands || !command->name) return true;
    const size_t bytes = strlen(command->name);
    for (const char* at = option->commands; (at = strstr(at, command->name)); at += bytes) {
        const bool begins = at == option->commands || at[-1] == ' ';
        if (begins && (at[bytes] == ' ' || at[bytes] == 0)) return true;
    }
    return false;
}
