/* The one place that decides whether bytes may be read as a TFLite or Circle model. */
#ifndef NPU__TFLITE_VERIFY_H
#define NPU__TFLITE_VERIFY_H

#include "schema.h"

/* Walks every table, vtable, vector, string and union that the schema (schema.h) names, options included, and checks
 * identifier, offsets, lengths, terminators and buffer ranges (also buffers and custom options stored outside the
 * flatbuffer by offset/size). Alignment is not asked for: the getters of fb.h read byte-wise.
 *
 * Work is bounded although objects may be shared: depth by the schema, and in total what is reachable (an object
 * counted each time it is referred to, the contents of weight buffers excepted) may be at most eight times the file.
 * So code that later copies a model's tables and vectors also needs memory and time linear in the file's size.
 *
 * A union whose type byte is 0 or unknown must point into the file but is not looked into: readers must ask
 * npu__union_table first (or use npu__operator_options).
 *
 * On success *model is the root table. Errors: INVALID_MODEL with file_offset, subgraph and op if known, and a rule:
 *   tflite.empty, tflite.identifier     neither a TFLite nor a Circle file
 *   fb.table_range, fb.vtable_range, fb.vtable_size, fb.table_size, fb.field_range, fb.offset_range
 *   fb.vector_range, fb.string_range, fb.string_end, fb.too_complex
 *   fb.truncated                        the file's end is missing, and nothing else is wrong
 *   tflite.buffer_range, tflite.custom_range      bytes stored by offset and size lie outside the file */
NPU__FN npu_status npu__verify_model(const uint8_t *bytes, size_t n, npu__tab *model, npu_diag *diag);

/* Why bytes that are not a TFLite file are not one: rule and sentence, by their first bytes. Part of verify_model. */
NPU__FN npu_status npu__verify_identifier(const uint8_t *bytes, size_t n, npu_diag *diag);

/* Do the bytes say that they are a Circle file? */
NPU__FN int npu__is_circle(const uint8_t *bytes, size_t n);

/* Contents of a Buffer and custom options of an Operator of a verified model, wherever they are stored. */
NPU__FN npu__span npu__buffer_span(const uint8_t *bytes, npu__tab buffer);
NPU__FN npu__span npu__custom_options_span(const uint8_t *bytes, npu__tab op);

#endif
