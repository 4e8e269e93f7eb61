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
    run_segments();
    return REPORT();
}
