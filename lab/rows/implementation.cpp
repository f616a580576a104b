#include "lab/rows/implementation.hpp"

namespace carat::rows {

const core::signature* find_signature(const implementation& entry, const core::problem& p) {
    return core::find_signature(entry.signatures, p);
}

// Checks the request first: a type or tile that exists nowhere is not this machine's fault.
std::string reason_against(const implementation& entry, const core::problem& p,
                           const core::settings& s) {
    if (std::string why = core::reason_against_types(entry.signatures, p); !why.empty()) return why;
    if (std::string why = core::reason_against_tunables(entry.tunables, s.tunables); !why.empty())
        return why;
    if (entry.unavailable != nullptr)
        if (std::string why = entry.unavailable(); !why.empty()) return why;
    return entry.unsupported == nullptr ? std::string() : entry.unsupported(p, s);
}

}  // namespace carat::rows
