/* test_user.h - running a program as another user, without permissions. */
#ifndef TEST_USER_H
#define TEST_USER_H

/* The beginning of a command that runs as another user in the folder, which it may then enter; NULL
 * when that is impossible, with the reason. */
const char* test_other_user(const char* folder, const char** reason);

#endif
