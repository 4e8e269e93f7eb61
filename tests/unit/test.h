/* The smallest test kit that does: TEST(name) { CHECK(...); } and a main made of ONLY(argc, argv), RUN(name) lines and REPORT().
 * The program's argument, if there is one, chooses the tests whose names hold it. */
#ifndef TESTS_UNIT_TEST_H
#define TESTS_UNIT_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int         test_passed, test_failed, test_bad_checks;
static const char *test_name, *test_only = "";

#define TEST(name) static void name(void)

#define CHECK(x) ((x) ? 1 : test_fail(__FILE__, __LINE__, #x))
/* Integers, shown when they differ. */
#define CHECK_INT(got, want) test_check_int(__FILE__, __LINE__, #got, (long long)(got), (long long)(want))
/* Zero-terminated strings, shown when they differ. */
#define CHECK_STR(got, want) test_check_str(__FILE__, __LINE__, #got, (got), (want))
/* `want` must occur in `got`. */
#define CHECK_HAS(got, want) test_check_has(__FILE__, __LINE__, #got, (got), (want))

#define ONLY(argc, argv) (test_only = (argc) > 1 ? (argv)[1] : "")
#define RUN(name) test_run(#name, name)
/* The next of several calls, of which the first failure is kept in `s`. */
#define TRY(call) do { if (s == NPU_OK) s = (call); } while (0)
/* The last line of main. */
#define REPORT() test_report()

/* A test with very many wrong checks prints only the first few. */
static int test_fail(const char *file, int line, const char *what) {
    if (++test_bad_checks <= 10) printf("%s:%d: %s: failed: %s\n", file, line, test_name, what);
    return 0;
}

static int test_check_int(const char *file, int line, const char *what, long long got, long long want) {
    if (got == want) return 1;
    if (test_fail(file, line, what) == 0 && test_bad_checks <= 10) printf("    got %lld, want %lld\n", got, want);
    return 0;
}

static int test_check_str(const char *file, int line, const char *what, const char *got, const char *want) {
    if (got && strcmp(got, want) == 0) return 1;
    test_fail(file, line, what);
    if (test_bad_checks <= 10) printf("    got  \"%s\"\n    want \"%s\"\n", got ? got : "(null)", want);
    return 0;
}

static int test_check_has(const char *file, int line, const char *what, const char *got, const char *want) {
    if (got && strstr(got, want)) return 1;
    test_fail(file, line, what);
    if (test_bad_checks <= 10) printf("    \"%s\" lacks \"%s\"\n", got ? got : "(null)", want);
    return 0;
}

static void test_run(const char *name, void (*fn)(void)) {
    if (!strstr(name, test_only)) return;
    test_name = name;
    test_bad_checks = 0;
    fn();
    if (test_bad_checks) {
        test_failed++;
        printf("FAIL %s (%d checks)\n", name, test_bad_checks);
    } else {
        test_passed++;
    }
}

static int test_report(void) {
    printf("%d passed, %d failed\n", test_passed, test_failed);
    (void)test_check_int;
    (void)test_check_str;
    (void)test_check_has;
    if (test_passed + test_failed == 0) printf("no test's name holds \"%s\"\n", test_only);
    return test_failed != 0 || test_passed == 0;
}

#endif
