/* The Ethos-U configurations one can buy, in the vendor's names. */
#ifndef NPU__BACKEND_ETHOSU_ACCELERATORS_H
#define NPU__BACKEND_ETHOSU_ACCELERATORS_H

/* X(name, product, MACs per cycle over all cores, cores); product: U55 0, U65 1, U85 2 as in a compiled network's
 * configuration word */
#define NPU__ETHOSU_ACCELERATORS(X) \
    X("ethos-u55-32", U55, 32, 1) \
    X("ethos-u55-64", U55, 64, 1) \
    X("ethos-u55-128", U55, 128, 1) \
    X("ethos-u55-256", U55, 256, 1) \
    X("ethos-u65-256", U65, 256, 1) \
    X("ethos-u65-512", U65, 512, 2) \
    X("ethos-u85-128", U85, 128, 1) \
    X("ethos-u85-256", U85, 256, 1) \
    X("ethos-u85-512", U85, 512, 1) \
    X("ethos-u85-1024", U85, 1024, 1) \
    X("ethos-u85-2048", U85, 2048, 1)

enum { NPU__ETHOSU_U55 = 0, NPU__ETHOSU_U65 = 1, NPU__ETHOSU_U85 = 2 };

#endif
