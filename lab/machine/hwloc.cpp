// hwloc knows the machine's topology best: cores, hardware threads, NUMA nodes and caches. It is
// asked for the whole machine, so that "shared by" is a fact of the hardware; this process may use
// the intersection with its affinity.
#include <algorithm>
#include <cstdlib>
#include <hwloc.h>
#include <memory>

#include "lab/machine/sources.hpp"

namespace carat::machine {

namespace {

struct destroy {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using topology_handle = std::unique_ptr<hwloc_topology, destroy>;

topology_handle load(const std::string& synthetic) {
    // hwloc would complain on standard error if there is no /sys, although describe.cpp looks
    // elsewhere. A user who has set the variable wants to see that.
    setenv("HWLOC_HIDE_ERRORS", "2", 0);
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0) return nullptr;
    topology_handle owner(topology);
    if (!synthetic.empty() && hwloc_topology_set_synthetic(topology, synthetic.c_str()) != 0)
        return nullptr;
    hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    if (hwloc_topology_load(topology) != 0) return nullptr;
    return owner;
}

std::string info(hwloc_obj_t object, const char* key) {
    const char* value = object == nullptr ? nullptr : hwloc_obj_get_info_by_name(object, key);
    return value == nullptr ? "" : value;
}

std::vector<hwloc_obj_t> objects(hwloc_topology_t topology, hwloc_obj_type_t type) {
    std::vector<hwloc_obj_t> found;
    for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(topology, type, o)) != nullptr;)
        found.push_back(o);
    return found;
}

cache as_cache(hwloc_obj_t object) {
    const auto& facts = object->attr->cache;
    const char* kind = facts.type == HWLOC_OBJ_CACHE_DATA      ? "data"
                       : facts.type == HWLOC_OBJ_CACHE_UNIFIED ? "unified"
                                                               : "instruction";
    return {static_cast<int>(facts.depth),         kind,
            static_cast<std::int64_t>(facts.size), static_cast<int>(facts.linesize),
            std::max(0, facts.associativity),  // -1: fully associative, which hwloc can't count
            hwloc_bitmap_weight(object->cpuset)};
}

// The caches above one hardware thread, innermost first.
std::vector<cache> caches_of(hwloc_topology_t topology, int cpu) {
    std::vector<cache> caches;
    hwloc_obj* const thread = hwloc_get_pu_obj_by_os_index(topology, static_cast<unsigned>(cpu));
    for (hwloc_obj_t o = thread; o != nullptr; o = o->parent)
        if (hwloc_obj_type_is_cache(o->type)) caches.push_back(as_cache(o));
    return caches;
}

}  // namespace

description from_hwloc(const cpu_list& allowed, const std::string& synthetic) {
    description found;
    const topology_handle owner = load(synthetic);
    if (owner == nullptr) return found;
    hwloc_topology_t topology = owner.get();

    hwloc_obj* const package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    found.cpu_model = info(package, "CPUModel");
    found.vendor = info(package, "CPUVendor");
    found.numa_nodes = std::max(0, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE));

    for (hwloc_obj* const core : objects(topology, HWLOC_OBJ_CORE)) {
        found.threads_per_core =
            std::max(found.threads_per_core, hwloc_bitmap_weight(core->cpuset));
        int first = -1;
        for (const int cpu : allowed) {
            if (!hwloc_bitmap_isset(core->cpuset, static_cast<unsigned>(cpu))) continue;
            ++found.hardware_threads;
            if (first < 0) first = cpu;
        }
        if (first >= 0) found.core_cpus.push_back(first);
    }
    found.cores = static_cast<int>(found.core_cpus.size());
    if (!allowed.empty()) found.caches = caches_of(topology, allowed.front());
    return found;
}

}  // namespace carat::machine
