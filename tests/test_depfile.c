int test_depfile(void); int test_depfile(void) { return 0; }
