#include "lab/model/tile.hpp"

#include <cmath>

namespace carat::model {

namespace {

double area(std::int64_t rows, std::int64_t cols) {
    return static_cast<double>(rows) * static_cast<double>(cols);
}

double bytes_of(const sizes& s, element_bytes each, double passes_over_c) {
    return (area(s.m, s.k) + area(s.k, s.n)) * each.ab + passes_over_c * area(s.m, s.n) * each.c;
}

double tiles(std::int64_t extent, std::int64_t tile) {
    return std::ceil(static_cast<double>(extent) / static_cast<double>(tile));
}

}  // namespace

double operations(const sizes& all) {
    return 2 * area(all.m, all.n) * static_cast<double>(all.k);
}

double working_set_bytes(const schedule& s, const sizes& all, element_bytes each) {
    return bytes_of(tile_of(s, all), each, 1);
}

reuse reuse_of(const schedule& s, const sizes& all) {
    const sizes tile = tile_of(s, all);
    return {static_cast<double>(tile.n), static_cast<double>(tile.m), static_cast<double>(tile.k)};
}

double ideal_intensity(const sizes& all, element_bytes each) {
    return operations(all) / bytes_of(all, each, 2);
}

double intensity(const schedule& s, const sizes& all, element_bytes each) {
    const double products = operations(all) / 2;
    const double c_bytes = 2 * area(all.m, all.n) * each.c;
    if (s.how == order::ijk) return operations(all) / (2 * products * each.ab + c_bytes);
    if (s.how == order::ikj)
        return operations(all) / ((area(all.m, all.k) + products) * each.ab + c_bytes);
    const sizes tile = tile_of(s, all);
    const double a = area(all.m, all.k) * tiles(all.n, tile.n);
    const double b = area(all.k, all.n) * tiles(all.m, tile.m);
    return operations(all) / ((a + b) * each.ab + c_bytes);
}

}  // namespace carat::model
