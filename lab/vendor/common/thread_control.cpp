#include "lab/vendor/common/thread_control.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace carat::vendor {

int granted_by_openmp(const shared_library& library, int threads) {
    auto* const dynamic = library.function<int()>("omp_get_dynamic");
    auto* const limit = library.function<int()>("omp_get_thread_limit");
    auto* const levels = library.function<int()>("omp_get_max_active_levels");
    auto* const active = library.function<int()>("omp_get_active_level");
    if (dynamic != nullptr && dynamic() != 0) return 0;
    if (levels != nullptr && active != nullptr && active() >= levels()) return 1;
    return limit == nullptr ? threads : std::min(threads, limit());
}

thread_control openmp_threads(const shared_library& library) {
    auto* const set = library.required<void(int)>("omp_set_num_threads");
    auto* const get = library.required<int()>("omp_get_max_threads");
    const auto confirm = [=](int threads) {
        const int former = get();
        set(threads);
        const int granted = granted_by_openmp(library, get());
        set(former);
        return granted;
    };
    return {{}, {set, get}, confirm};
}

std::string reason_against_threads(const thread_control& control, int threads) {
    if (!control.confirm) return {};
    const int granted = control.confirm(threads);
    if (granted == threads) return {};
    if (granted == 0) return "OMP_DYNAMIC lets OpenMP use fewer threads than asked; unset it";
    return fmt::format(
        "asked for {} threads, the library grants {}: ask for as many, or lift OMP_THREAD_LIMIT or "
        "OMP_MAX_ACTIVE_LEVELS if it is one of them",
        threads, granted);
}

}  // namespace carat::vendor
