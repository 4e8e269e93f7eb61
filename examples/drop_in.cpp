// The same as drop_in.c from C++: the header is one source for both languages, and its handles fit std::unique_ptr.
//
//     c++ -O2 -std=c++11 -I.. drop_in.cpp -lm -o drop_in_cpp && ./drop_in_cpp model.tflite
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#define NPU_RT_IMPLEMENTATION
#include "npu_rt.h"

namespace {

struct Free {
    void operator()(npu_model *p) const { npu_model_close(p); }
    void operator()(npu_plan *p) const { npu_plan_destroy(p); }
    void operator()(npu_session *p) const { npu_session_destroy(p); }
};
template <typename T> using Owned = std::unique_ptr<T, Free>;

void check(npu_status status, const npu_diag &diag) {
    if (status != NPU_OK) throw std::runtime_error(std::string(diag.text) + " [" + diag.rule + "]");
}

Owned<npu_model> open(const std::vector<char> &bytes) {
    npu_diag   diag;
    npu_model *p = nullptr;
    check(npu_model_open(&p, bytes.data(), bytes.size(), nullptr, &diag), diag);
    return Owned<npu_model>(p);
}

Owned<npu_plan> plan(const npu_model *model) {
    npu_diag  diag;
    npu_plan *p = nullptr;
    check(npu_plan_create(&p, model, nullptr, &diag), diag);
    return Owned<npu_plan>(p);
}

Owned<npu_session> session(const npu_plan *plan) {
    npu_diag     diag;
    npu_session *p = nullptr;
    check(npu_session_create(&p, plan, nullptr, &diag), diag);
    return Owned<npu_session>(p);
}

std::vector<float> reals(const npu_tensor &t) {
    npu_diag           diag;
    std::vector<float> v(std::accumulate(t.dims, t.dims + t.rank, size_t(1), std::multiplies<size_t>()));
    check(npu_tensor_dequantize(&t, v.data(), v.size(), &diag), diag);
    return v;
}

void print(const npu_tensor &t, int i) {
    const std::vector<float> v = reals(t); // whatever the type: int8, float16, ...
    std::cout << "output " << i << " " << std::string(t.name, t.name_len) << " " << npu_type_name(t.type) << " [";
    for (int d = 0; d < t.rank; d++) std::cout << (d ? "," : "") << t.dims[d];
    std::cout << "]";
    for (size_t k = 0; k < std::min<size_t>(8, v.size()); k++) std::cout << " " << v[k];
    std::cout << "\n";
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 2) {
        std::cerr << "usage: drop_in_cpp MODEL.tflite\n";
        return 2;
    }
    std::ifstream           file(argv[1], std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    try {
        if (!file) throw std::runtime_error("cannot be read");
        const auto m = open(bytes); // the model points into the bytes, the plan to the model, the session to the plan
        const auto p = plan(m.get());
        const auto s = session(p.get());
        npu_tensor t;
        npu_diag   diag;
        for (int i = 0; npu_session_input(s.get(), i, &t) == NPU_OK; i++) { // zeros: real ones, whatever the zero point
            const std::vector<float> zeros(reals(t).size());
            check(npu_tensor_quantize(&t, zeros.data(), zeros.size(), &diag), diag);
        }
        check(npu_session_invoke(s.get(), &diag), diag);
        for (int i = 0; npu_session_output(s.get(), i, &t) == NPU_OK; i++) print(t, i);
    } catch (const std::exception &error) {
        std::cerr << argv[1] << ": " << error.what() << "\n";
        return 1;
    }
    return 0;
}
