/* The commands, once: the declarations, the table that main.c looks names up in, its help, the message about unknown ones
 * and the table in wasi/README.md are made of these rows. A command NAME is the function cmd_NAME in cmd_NAME.c, and finds
 * its name in argv[0]. */
#ifndef NPU_RT_COMMANDS_H
#define NPU_RT_COMMANDS_H

/* X(name, operand, what it does). */
#define CLI_COMMANDS(X)                                                                   \
    X(run,    "MODEL", "run a .tflite model and show its outputs")                        \
    X(bench,  "MODEL", "time it, as a whole or op by op")                                 \
    X(info,   "MODEL", "inputs, outputs, signatures, ops, parameters, MACs, memory")      \
    X(dump,   "MODEL", "every tensor and operator")                                       \
    X(check,  "MODEL", "which ops an NPU takes, and why not the others")                  \
    X(lower,  "MODEL", "what npu_rt makes of those it takes, for its library")                  \
    X(ops,    "",      "the supported-ops report of a backend")                           \
    X(cost,   "MODEL", "cycles and memory on an NPU, estimated")                          \
    X(plan,   "MODEL", "how an NPU's compiler would execute it, as far as is known")      \
    X(compare, "MODEL", "two models, instruction sets or NPUs, or a model and known outputs")  \
    X(stream, "MODEL", "the commands of a model compiled for an Ethos-U")

/* X(former name, name): still understood, with a note. A row stays for one version. */
#define CLI_FORMER_COMMANDS(X)

#define CLI_X(name, operand, summary) int cmd_##name(int argc, char **argv);
CLI_COMMANDS(CLI_X)
#undef CLI_X

#endif
