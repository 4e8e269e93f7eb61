# Marks the files of npu_rt.h whose speed matters: module.c compiles everything else for size (make web pipes through this).
/^\/\* ---- (begin|end) src\/(kernels\/(ref_quant|pack|im2col|band|[a-z0-9]+_wasm)|ops\/[a-z0-9]+_rows|ops\/lstm_[a-z0-9]+|ops\/(bmm|dw|gemv)_fast|vendor\/[a-z0-9]+\/device\/(conv|depthwise|elementwise|fm|output|rows|weights))\.c ---- \*\/$/ {
    if ($3 == "begin") print "#pragma clang attribute pop"
    print
    if ($3 == "end") print "#pragma clang attribute push(__attribute__((minsize)), apply_to = function)"
    next
}
{ print }
