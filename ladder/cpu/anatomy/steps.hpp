// The anatomy steps of the instruction set this file is compiled for.
#pragma once

#include "ladder/cpu/anatomy/product.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

template <class T>
void simd(const product<T>& p, const blocks<T>& size);
template <class T>
void register_tile(const product<T>& p, const blocks<T>& size);
template <class T>
void packing(const product<T>& p, const blocks<T>& size);
template <class T>
void prefetch(const product<T>& p, const blocks<T>& size);
template <class T>
void multi_level(const product<T>& p, const blocks<T>& size);
template <class T>
void few_rows(const product<T>& p, const blocks<T>& size);

}  // namespace carat::ladder::cpu::CARAT_ISA
