/* What crosses between module.c and JavaScript, once. module.c makes its structs and enums of these lists; `make web` lets
 * the preprocessor write them down as border.mjs (border.in), which records.mjs reads. Statuses and instruction sets come
 * from the library's own lists.
 *
 * A record is one of these field lists: X(type, name). Fields lie as C lays them out; records.mjs counts the same way, and
 * module.c proves at compile time that the compiler does. Types: word (uint32_t), whole (int32_t), real (double), address
 * (a pointer of the module's 32 bits; NULL is 0), dims (BORDER_MAX_RANK wholes). */
#ifndef NPU_RT_BORDER_H
#define NPU_RT_BORDER_H

/* What npuw_report can be asked for. */
#define BORDER_REPORTS(X) X(info) X(dump) X(check) X(ops) X(cost) X(stream) X(lower) X(planReport) X(compare)

/* X(name for JavaScript, npu_format). */
#define BORDER_FORMATS(X)            \
    X(text, NPU_FORMAT_TEXT)         \
    X(json, NPU_FORMAT_JSON)         \
    X(markdown, NPU_FORMAT_MARKDOWN) \
    X(dot, NPU_FORMAT_DOT)           \
    X(html, NPU_FORMAT_HTML)

#define BORDER_MAX_RANK 8 /* NPU_MAX_RANK */

/* After a function that reports a failure: npu_diag, with the texts of its status. */
#define BORDER_DIAG(X)  \
    X(word, exit_code)  \
    X(address, status)  \
    X(address, rule)    \
    X(address, text)    \
    X(address, op_name) \
    X(whole, subgraph)  \
    X(whole, op)        \
    X(real, file_offset)

#define BORDER_TENSOR(X)    \
    X(address, name)        \
    X(word, name_len)       \
    X(word, type)           \
    X(word, channels)       \
    X(whole, axis)          \
    X(address, scales)      \
    X(address, zero_points) \
    X(address, data)        \
    X(word, bytes)          \
    X(word, rank)           \
    X(dims, dims)           \
    X(dims, declared_dims)

/* npu_memory; the names are those of the JavaScript object too. */
#define BORDER_MEMORY(X)    \
    X(word, session_bytes)  \
    X(word, arena_bytes)    \
    X(word, packed_bytes)   \
    X(word, variable_bytes) \
    X(word, plan_bytes)     \
    X(word, folded_bytes)   \
    X(word, model_bytes)    \
    X(real, limit_bytes)

/* npu_session_usage; the names are those of the JavaScript object too. */
#define BORDER_USAGE(X) X(word, dynamic_bytes) X(word, peak_dynamic_bytes)

/* npu_op_profile. */
#define BORDER_OP_PROFILE(X) \
    X(address, name)         \
    X(word, name_len)        \
    X(word, op)              \
    X(address, kernel)       \
    X(address, vendor)       \
    X(whole, segment)        \
    X(real, runs)            \
    X(real, ns)              \
    X(real, macs)

/* An operator of the caller's own as it is registered, an entry of npuw_model_open's list. `callbacks`: bits of BORDER_PHASES that it
 * has beside eval. */
#define BORDER_OPERATOR(X)  \
    X(address, name)        \
    X(whole, min_inputs)    \
    X(whole, max_inputs)    \
    X(whole, min_outputs)   \
    X(whole, max_outputs)   \
    X(word, optional_inputs) \
    X(word, pure)           \
    X(word, callbacks)

/* What JavaScript is called for (the import env.user_op). */
#define BORDER_PHASES(X) X(shape) X(prepare) X(eval) X(work)

/* One such call, and the shape that it gives an output. */
#define BORDER_CALL(X)   \
    X(whole, subgraph)   \
    X(whole, op)         \
    X(word, inputs)      \
    X(word, outputs)     \
    X(address, options)  \
    X(word, options_bytes) \
    X(address, state)    \
    X(word, state_bytes) \
    X(dims, dims)

/* What a traced session saw: an operator (`op` -1: a subgraph, from its beginning to its end). */
#define BORDER_EVENT(X) \
    X(address, name)    \
    X(word, name_len)   \
    X(whole, subgraph)  \
    X(whole, op)        \
    X(whole, depth)     \
    X(address, kernel)  \
    X(real, start_ns)   \
    X(real, ns)         \
    X(real, macs)

/* What module.c leaves in the one record of npuw_record. */
#define BORDER_RESULTS(X)    \
    X(diag, BORDER_DIAG)     \
    X(tensor, BORDER_TENSOR) \
    X(memory, BORDER_MEMORY) \
    X(usage, BORDER_USAGE)   \
    X(op_profile, BORDER_OP_PROFILE) \
    X(call, BORDER_CALL) \
    X(event, BORDER_EVENT)

/* An entry of npuw_plan_create's list: it is npu_input_shape itself. */
#define BORDER_SHAPE(X) X(whole, subgraph) X(whole, input) X(whole, rank) X(dims, dims)

/* What a report is about, and its text: JavaScript lays it out, npuw_report reads it and fills in the last two. Addresses
 * may be NULL, all else may be 0. `backends`: addresses of names. */
#define BORDER_QUESTION(X)  \
    X(word, report)         \
    X(word, format)         \
    X(address, model)       \
    X(address, plan)        \
    X(address, backend)     \
    X(address, profile)     \
    X(address, memory_mode) \
    X(address, runtime)     \
    X(address, backends)    \
    X(word, n_backends)     \
    X(address, title)       \
    X(address, fusion_rules) \
    X(address, mvpu)        \
    X(word, relax_fp32)     \
    X(word, verdicts_only)  \
    X(word, suppress_input_conversion) \
    X(word, suppress_output_conversion) \
    X(word, software_transpose_conv) \
    X(real, clock_hz)       \
    X(real, sram_bytes)     \
    X(real, weight_bytes)   \
    X(address, text)        \
    X(word, text_bytes)

/* All records: those above and what JavaScript lays out. */
#define BORDER_RECORDS(X) BORDER_RESULTS(X) X(shape, BORDER_SHAPE) X(question, BORDER_QUESTION) X(operator, BORDER_OPERATOR)

#endif
