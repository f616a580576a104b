// A product with alpha or k = 0: C = beta C.
#include "cpu/scale_c.hpp"

namespace carat::cpu_engine {

template <class T>
void scale(const task<T>& t) {
    if (t.beta == T{1}) return;
    for (std::int64_t j = 0; j < t.n; ++j) {
        for (std::int64_t i = 0; i < t.m; ++i) {
            T& place = *t.c_at(i, j);
            place = t.beta == T{0} ? T{0} : t.beta * place;
        }
    }
}

template void scale(const task<double>&);
template void scale(const task<float>&);
template void scale(const task<std::uint32_t>&);

}  // namespace carat::cpu_engine
