/* gpu_system.c - functions shared by all systems. */
#include "gpu_system_internal.h"

#include <stdarg.h>
#include <stdio.h>

ent_status gpu_problem(GpuProblem* problem, ent_status status, const char* text, ...) {
    va_list arguments;
    va_start(arguments, text);
    vsnprintf(problem->text, sizeof problem->text, text, arguments);
    va_end(arguments);
    return status;
}
