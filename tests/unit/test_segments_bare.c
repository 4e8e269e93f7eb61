/* Segments in a build without reports and texts: verdicts and all that follows from them are there, only the prose is not. */
#include "../vendors/loopback/loopback.h"

#define NPU_RT_IMPLEMENTATION
#define NPU_RT_GRAPH
#define NPU_RT_NO_REPORTS
#define NPU_RT_NO_STRINGS
#define NPU_RT_ONLY_OPS(X) X(ADD) X(RELU) X(FULLY_CONNECTED) X(SVDF) X(NEG) X(TANH) X(RESHAPE) X(IF)
#include "npu_rt.h"

#include "../vendors/loopback/loopback.c"
#include "segments_kit.h"
#include "segments_more.h"

int main(int argc, char **argv) {
    ONLY(argc, argv);
    RUN(generated_networks_give_the_same);
    RUN(called_and_dynamic_give_the_same);
    RUN(profiles_and_borders);
    RUN(long_networks);
    RUN(names);
    RUN(failures);
    RUN(fallback);
    RUN(kernels_not_kept);
    RUN(sessions_side_by_side);
    RUN(work_and_cancel);
    RUN(memory_runs_out);
    RUN(limits_of_all_sizes);
    RUN(memory_limits);
    RUN(drivers);
    RUN(profile_rows);
    return REPORT();
}
