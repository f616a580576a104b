#include "lab/model/prediction.hpp"

#include <algorithm>
#include <cmath>

#include "lab/model/formulas.hpp"

namespace carat::model {

prediction predict(const packed& p, const sizes& all, element_bytes each,
                   const std::vector<level>& levels, double peak_gflops) {
    const double m = static_cast<double>(all.m);
    const double n = static_cast<double>(all.n);
    const double k = static_cast<double>(all.k);
    const double passes = std::ceil(k / p.kc);
    // How often one thread's A is packed, and how often its blocks of A meet a
    // panel of B.
    const double panels = std::ceil(n / p.threads_n / p.nc);
    const double blocks = std::ceil(m / p.threads_m / p.mc);
    const double a_bytes = m * k * each.ab * p.threads_n * panels;
    const double b_bytes = k * n * each.ab * p.threads_m;
    const double c_bytes = m * n * each.c * (2 * passes - 1);
    const double c_far = p.keeps_c ? m * n * each.c : c_bytes;
    // Counts columns and rows of register tiles, of which the last may be almost empty.
    const double columns = p.threads_n * std::ceil(n / p.threads_n / p.nr);
    const double rows = p.threads_m * std::ceil(m / p.threads_m / p.mr);
    const double micropanels_of_a = m * k * columns * each.ab;
    const double micropanels_of_b = k * n * rows * each.ab;
    const double packed_a = p.packs ? a_bytes : 0;  // written to L2
    struct part {
        double bytes;
        std::string_view kept;
    };
    const part parts[] = {
        {micropanels_of_a + micropanels_of_b + c_bytes, ""},
        {micropanels_of_a + packed_a + b_bytes * blocks + c_bytes, "a micropanel of B"},
        {a_bytes + b_bytes * blocks + c_far, "a block of A"},
        {a_bytes + b_bytes + c_far, "a panel of B"}};
    std::vector<flow> flows;
    for (std::size_t i = 0; i < std::min<std::size_t>(levels.size(), 4); ++i)
        flows.push_back(formulas::flow_from(levels[i], parts[i].bytes, parts[i].kept));
    return formulas::slowest_of(flows, operations(all), peak_gflops);
}

}  // namespace carat::model
