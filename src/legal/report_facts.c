/* What a planner knows beside verdicts, as the end of the supported-ops report. */
#include "report.h"
#include "report_facts.h"

#if NPU__HAS_REPORTS

typedef struct npu__facts_to {
    npu__text  *t;
    npu_format  format;
    const char *table; /* the one that is open, and its section */
    const char *section;
} npu__facts_to;

NPU__FN void npu__facts_add(void *user, const char *table, const char *id, const char *section, const char *value) {
    npu__facts_to *to = (npu__facts_to *)user;
    const int      fresh = !to->table || strcmp(to->table, table) != 0, other = !to->section || strcmp(to->section, section) != 0;
    to->table = table;
    to->section = section;
    if (to->format == NPU_FORMAT_JSON) {
        npu__json_open(to->t, NULL, '{');
        npu__json_z(to->t, "table", table);
        npu__json_z(to->t, "fact", id);
        npu__json_z(to->t, "section", section);
        npu__json_z(to->t, "value", value);
        npu__json_close(to->t, '}');
        return;
    }
    if (to->format == NPU_FORMAT_MARKDOWN) {
        if (fresh) npu__text_f(to->t, "\n## %s\n\n", table);
        npu__text_f(to->t, section[0] ? "- %s (`%s`; %s)\n" : "- %s (`%s`)\n", value, id, section);
        return;
    }
    if (fresh) npu__text_f(to->t, "\n%s\n", table);
    if (fresh || other) npu__text_f(to->t, "    (%s)\n", section[0] ? section : "no section");
    npu__text_f(to->t, "    %s  [%s]\n", value, id);
}

NPU__FN void npu__report_facts(npu__text *t, const npu__backend *b, npu_format format) {
    const npu__planner *planner = npu__planner_of(b->vendor);
    npu__facts_to       to;
    npu__facts          out;
    if (!planner) return;
    memset(&to, 0, sizeof to);
    to.t = t;
    to.format = format;
    out.user = &to;
    out.add = npu__facts_add;
    if (format == NPU_FORMAT_JSON) npu__json_open(t, "facts", '[');
    planner->facts(b, &out);
    if (format == NPU_FORMAT_JSON) npu__json_close(t, ']');
}

#endif
