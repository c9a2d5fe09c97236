/* report.h - what a build's outputs weigh and what they took, for people who watch a budget. */
#ifndef ENTC_REPORT_H
#define ENTC_REPORT_H

#include "build_internal.h"

/* Holds the products against `--budget` and writes `--report`, when either was asked for. What is
 * over its budget is reported at its line in the budget's file, the worst first; then nothing is to
 * be written but the report, which tells just that. Returns an exit code. */
int build_weigh(Build* build);

#endif
