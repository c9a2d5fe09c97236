/* entc.c - the program: its tables are in options.c, the functions of its commands in
 * commands.c. */
#include "options.h"

int main(int argc, char** argv) {
    Options options = {.level = PACK_LEVEL_CHOSEN};
    return program_run(&entc_program, &options, argc, argv);
}
