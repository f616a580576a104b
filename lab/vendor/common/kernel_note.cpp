#include "lab/vendor/common/kernel_note.hpp"

#include <cstdlib>
#include <fmt/format.h>

#include "lab/vendor/common/shared_library.hpp"

namespace carat::vendor {

std::string kernel_note(core::isa used, std::string_view variable, std::string_view suggestion,
                        core::isa best) {
    std::string note;
    const char* set = std::getenv(std::string(variable).c_str());
    if (set != nullptr) note = fmt::format("{}={} is set", variable, set);
    // The first call would end the process: an illegal instruction.
    if (set != nullptr && core::vectors_of(used) > best)
        throw rejected(fmt::format("{}={} asks for {} code, and this machine has {}: unset it",
                                   variable, set, core::name(used), core::name(best)));
    if (used >= best) return note;
    if (!note.empty()) note += "; ";
    note += fmt::format("its kernel is {} code, this machine has {}", core::name(used),
                        core::name(best));
    if (set != nullptr) return note + "; unset it to let the library choose";
    note += ": a virtual machine or a new model of CPU can mislead its choice";
    if (!suggestion.empty()) note += fmt::format("; try {}={}", variable, suggestion);
    return note;
}

}  // namespace carat::vendor
