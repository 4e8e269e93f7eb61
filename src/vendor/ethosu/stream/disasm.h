/* A command stream for people and programs: a line or a JSON object a command, registers decoded. */
#ifndef NPU__VENDOR_ETHOSU_DISASM_H
#define NPU__VENDOR_ETHOSU_DISASM_H

#include "../../../base/text.h"
#include "payload.h"

#if NPU__HAS_ETHOSU && NPU__HAS_REPORTS

/* Lists the commands up to NPU_OP_STOP: lines of text, or the JSON array "commands" in the object that is open. After a
 * damaged command the listing ends (the JSON is complete) and the error of npu__eu_next is returned. */
NPU__FN npu_status npu__eu_disasm(npu__text *t, int json, const npu__eu_payload *p, npu__eu_error *err);

#endif
#endif
