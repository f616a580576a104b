#include "library.hpp"

#include <dlfcn.h>
#include <utility>

namespace {

thread_local carat::fuzz::complaint last;

// The lower half of the position is enough for either integer width.
void complain(const char* routine, const int* position, std::size_t length) {
    last = {std::string(routine, length), *position};
    while (!last.routine.empty() && last.routine.back() == ' ') last.routine.pop_back();
}

}  // namespace

// Replaces both libraries' own handlers, which would end the process.
extern "C" __attribute__((visibility("default"))) void xerbla_(const char* routine,
                                                               const int* position,
                                                               std::size_t length) {
    complain(routine, position, length);
}

// Reports a CBLAS option whose number names nothing.
extern "C" __attribute__((visibility("default"))) void cblas_xerbla(int position,
                                                                    const char* routine,
                                                                    const char*, ...) {
    complain(routine, &position, std::char_traits<char>::length(routine));
}

namespace carat::fuzz {

blas_library::blas_library(const std::string& files) {
    for (std::size_t at = 0; handle_ == nullptr && at < files.size();) {
        const std::size_t end = std::min(files.find(':', at), files.size());
        file_ = files.substr(at, end - at);
        handle_ = dlopen(file_.c_str(), RTLD_NOW | RTLD_LOCAL);
        at = end + 1;
    }
}

blas_library blas_library::named(const std::string& prefix, const std::string& suffix) const {
    blas_library other = *this;
    other.prefix_ = prefix;
    other.suffix_ = suffix;
    return other;
}

void* blas_library::find(const std::string& name) const {
    return dlsym(handle_, (prefix_ + name + suffix_).c_str());
}

complaint take_complaint() {
    return std::exchange(last, {});
}

}  // namespace carat::fuzz
