/* Models from bytes to results: every refusal, every failing allocation, every argument. Public functions only. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_ALL
#define NPU_RT_THREADS
#include "npu_rt.h"

#include "runtime_elsewhere.h"
#include "runtime_fused.h"
#include "runtime_missing.h"
#include "runtime_more.h"
#include "runtime_placement.h"

int main(int argc, char **argv) {
    ONLY(argc, argv);
    RUN(every_rule);
    RUN(missing_operators);
    RUN(many_missing_operators);
    RUN(loops);
    RUN(nested_calls);
    RUN(branches);
    RUN(variables);
    RUN(data_dependent_shapes);
    RUN(data_dependent_work_memory);
    RUN(arguments_of_open);
    RUN(arguments_about_models);
    RUN(plans_name_backends);
    RUN(arguments_of_plans_and_sessions);
    RUN(profiles);
    RUN(reports_of_odd_models);
    RUN(offsets_of_compiled_models);
    RUN(drivers);
    RUN(list_of_drivers);
    RUN(figures_of_a_backend);
    RUN(memory_runs_out_anywhere);
    RUN(memory_of_plans_runs_out_anywhere);
    RUN(pads_before_convolutions);
    RUN(memory_of_pads_runs_out_anywhere);
    RUN(weights_that_many_layers_share);
    RUN(every_memory_limit);
    RUN(cancelling);
    RUN(cancelling_loops);
    RUN(work_limits);
    RUN(stopped_before_there_is_room);
    RUN(layouts);
    RUN(variable_tensors_start_at_zero);
    RUN(constants_off_their_alignment);
    RUN(buffers_that_overlap);
    RUN(thousands_of_tensors);
    RUN(folding);
    RUN(open_shapes);
    RUN(branches_with_more_inputs);
    RUN(stopped_convolutions);
    RUN(limits_of_packed_weights);
    RUN(odds_and_ends);
    RUN(memory_of_large_graphs);
    RUN(reports_of_everything_else);
    RUN(memory_counted_as_allocated);
    RUN(memory_elsewhere_refused);
    RUN(memory_elsewhere_runs_out);
    RUN(placement_drops_what_nobody_needs);
    RUN(placement_with_computed_bounds);
    RUN(placement_completes_shapes);
    return REPORT();
}
