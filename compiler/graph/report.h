/* report.h - the sizes and times of the outputs of a build, and the check against a budget. */
#ifndef ENTC_REPORT_H
#define ENTC_REPORT_H

#include "build_internal.h"

/* Compares the products with `--budget` and writes `--report`, if these are requested. A size that
 * exceeds its budget is reported at its line in the budget file; then only the report is written.
 * Returns an exit code. */
int build_estimate(Build* build);

#endif
