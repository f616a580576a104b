// The handler of wrong arguments that a program has, wherever the loader hides it from this
// library.
#pragma once

namespace carat::blas {

// The function `name` (xerbla_, say) that a library of the program defines: the one the loader
// would find next, where this library is preloaded; else that of a library on the stack or one it
// is linked with, since a module that was opened RTLD_LOCAL, as Python's are, is in no common
// scope; else that of the first library loaded that is linked with a BLAS, whose calls the loader
// would send there. Null when there is none: a weak one, or one beside `product` (dgemm_), is but a
// BLAS's default.
[[nodiscard]] void* handler_of_program(const char* name, const char* product);

}  // namespace carat::blas
