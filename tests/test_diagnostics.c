int test_diagnostics(void); int test_diagnostics(void) { return 0; }
