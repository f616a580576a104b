// The models for whole numbers: calls formulas.hpp with the library's types.
#include "lab/model/formulas.hpp"

namespace carat::model {

namespace {

formulas::extents extents_of(const sizes& all) {
    return {static_cast<double>(all.m), static_cast<double>(all.n), static_cast<double>(all.k)};
}

formulas::loops loops_of(const schedule& s) {
    return {is_tiled(s.how), is_ijk(s.how), static_cast<double>(s.tile)};
}

}  // namespace

double operations(const sizes& all) {
    return formulas::operations(extents_of(all));
}

double working_set_bytes(const schedule& s, const sizes& all, element_bytes each) {
    return formulas::working_set(loops_of(s), extents_of(all), each);
}

reuse reuse_of(const schedule& s, const sizes& all) {
    return formulas::reuse_of(loops_of(s), extents_of(all));
}

double ideal_intensity(const sizes& all, element_bytes each) {
    return formulas::ideal_intensity(extents_of(all), each);
}

double intensity(const schedule& s, const sizes& all, element_bytes each) {
    return formulas::intensity(loops_of(s), extents_of(all), each);
}

std::vector<plateau> plateaus(const schedule& s, const sizes& all, const line_length& line) {
    return formulas::plateaus(loops_of(s), extents_of(all), line);
}

plateau misses_at(const schedule& s, const sizes& all, const line_length& line, double lines) {
    return formulas::misses_at(loops_of(s), extents_of(all), line, lines);
}

access_counts accesses(const schedule& s, const sizes& all) {
    return formulas::accesses(loops_of(s), extents_of(all));
}

level level_holding(const std::vector<level>& levels, double bytes) {
    return formulas::level_holding(levels, bytes);
}

prediction predict(const schedule& s, const sizes& all, element_bytes each,
                   const std::vector<level>& levels, double peak_gflops) {
    return formulas::predict(loops_of(s), extents_of(all), each, levels, peak_gflops);
}

prediction predict_gpu(double tile, const sizes& all, element_bytes each,
                       const std::vector<level>& levels, double peak_gflops) {
    return formulas::predict_gpu(tile, extents_of(all), each, levels, peak_gflops);
}

residency residency_of(const block_needs& block, const multiprocessor& on) {
    return formulas::residency_of(block, on);
}

gpu_tile gpu_tile_of(double tile, double element_bytes) {
    return formulas::gpu_tile_of(tile, element_bytes);
}

}  // namespace carat::model
