/* Loopback: a vendor that tests alone have. It takes four operators, compiles a segment of them into a program with one entry each,
 * and runs that: float RELU and ADD by itself, in memory of its own, all else through the CPU's kernels. Where it is to fail is
 * set by `loop`, which also counts its calls.
 *
 * Include before npu_rt.h, and loopback.c behind it. */
#ifndef TESTS_VENDORS_LOOPBACK_H
#define TESTS_VENDORS_LOOPBACK_H

#define NPU__VENDORS_MORE(X) X(loopback)
#define NPU__VENDORS_KNOWN_MORE(X) X(loopback, "loopback", "Loopback", LOOPBACK)

/* The driver of a session: is told of each run. Not 0: the device fails. */
typedef struct loop_driver {
    void *user;
    int (*run)(void *user, int n_operators);
} loop_driver;

typedef enum loop_phase { LOOP_NEVER, LOOP_LOWER, LOOP_PREPARE, LOOP_INVOKE } loop_phase;

typedef struct loop_state {
    loop_phase fail;        /* where; with this status, and a text of its own or silently */
    int        status, silent;
    int        at_segment;  /* the how-manieth call fails, from 0 */
    int        many_slots, much_memory; /* lower asks for more than there is */
    int        endless;     /* lower (1) or invoke (2) goes on until it is stopped */
    int        own_fc;      /* float FULLY_CONNECTED without the CPU's kernel: to the bit where all sums are exact */
    int        lowered, prepared, invoked, released, operators, native;
    int        largest;     /* operators of the largest segment */
} loop_state;

static loop_state loop;

#endif
