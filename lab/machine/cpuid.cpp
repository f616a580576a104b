// The processor's description of itself. In a virtual machine the hypervisor provides it, so it
// ranks below the operating system's. Layouts: Intel SDM 2A "CPUID", AMD APM 3 appendix E.
#include <utility>

#include "lab/machine/sources.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace carat::machine {

cache decode_cache_leaf(const std::array<std::uint32_t, 4>& registers) {
    const auto [eax, ebx, ecx, edx] = registers;
    const std::uint32_t kind = eax & 0x1f;
    if (kind == 0 || kind > 3) return {};
    const std::uint32_t line = (ebx & 0xfff) + 1;
    const std::uint32_t partitions = ((ebx >> 12) & 0x3ff) + 1;
    const std::uint32_t ways = (ebx >> 22) + 1;
    const std::int64_t sets = std::int64_t{ecx} + 1;
    const char* names[] = {"", "data", "instruction", "unified"};
    return {static_cast<int>((eax >> 5) & 7), names[kind],
            sets * ways * partitions * line,  static_cast<int>(line),
            static_cast<int>(ways),           static_cast<int>((eax >> 14) & 0xfff) + 1};
}

std::string hypervisor_name(std::string_view signature) {
    static constexpr std::pair<std::string_view, std::string_view> known[] = {
        {"KVMKVMKVM", "KVM"},     {"Microsoft Hv", "Hyper-V"},  {"VMwareVMware", "VMware"},
        {"XenVMMXenVMM", "Xen"},  {"TCGTCGTCGTCG", "QEMU"},     {"bhyve bhyve ", "bhyve"},
        {"ACRNACRNACRN", "ACRN"}, {" lrpepyh vr", "Parallels"}, {"VBoxVBoxVBox", "VirtualBox"},
        {"Linux KVM Hv", "KVM"}};
    for (const auto& [key, name] : known)
        if (signature == key) return std::string(name);
    return std::string(signature);
}

#if defined(__x86_64__)

namespace {

using registers = std::array<std::uint32_t, 4>;

registers ask(std::uint32_t leaf, std::uint32_t subleaf = 0) {
    registers r{};
    __cpuid_count(leaf, subleaf, r[0], r[1], r[2], r[3]);
    return r;
}

// The text in the given registers, low byte first, up to the first zero.
std::string text(const registers& r, std::initializer_list<int> order) {
    std::string result;
    for (const int i : order)
        for (int byte = 0; byte < 4; ++byte)
            result += static_cast<char>((r.at(static_cast<std::size_t>(i)) >> (8 * byte)) & 0xff);
    return result.substr(0, result.find('\0'));
}

std::string hypervisor() {
    constexpr std::uint32_t present = 1u << 31;
    if ((ask(1)[2] & present) == 0) return "";
    return hypervisor_name(text(ask(0x40000000), {1, 2, 3}));
}

std::string brand() {
    if (ask(0x80000000)[0] < 0x80000004) return "";
    std::string result;
    for (std::uint32_t leaf = 0x80000002; leaf <= 0x80000004; ++leaf)
        result += text(ask(leaf), {0, 1, 2, 3});
    while (!result.empty() && result.back() == ' ') result.pop_back();
    return result;
}

std::vector<cache> caches(bool amd) {
    const std::uint32_t leaf = amd ? 0x8000001D : 4;
    if (ask(amd ? 0x80000000 : 0)[0] < leaf) return {};
    std::vector<cache> found;
    for (std::uint32_t i = 0; i < 16; ++i) {
        const cache next = decode_cache_leaf(ask(leaf, i));
        if (next.level == 0) break;
        found.push_back(next);
    }
    return found;
}

}  // namespace

description from_cpuid() {
    description found;
    const registers root = ask(0);
    found.vendor = text(root, {1, 3, 2});
    found.cpu_model = brand();
    found.hypervisor = hypervisor();
    found.caches = caches(found.vendor == "AuthenticAMD" || found.vendor == "HygonGenuine");
    if (root[0] >= 0x16) found.frequency_max_mhz = ask(0x16)[1] & 0xffff;
    return found;
}

#else

description from_cpuid() {
    return {};
}

#endif

}  // namespace carat::machine
