// Finds the program's handler of wrong arguments, wherever the loader hides it from this library.
#pragma once

namespace carat::blas {

// The function `name` (xerbla_, say) defined by a library of the program: the one that the loader
// would find next, if this library is preloaded; else that of a library on the call stack or one it
// is linked with, since a module that was opened RTLD_LOCAL, like Python's, is in no common scope;
// else that of the first loaded library that is linked with a BLAS, since the loader would send its
// calls there. Null if there is none: a weak one, or one beside `product` (dgemm_), is only a
// BLAS's default.
[[nodiscard]] void* handler_of_program(const char* name, const char* product);

}  // namespace carat::blas
