#include "kernels.hpp"

#include <cstdint>
#include <cuda.h>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <unistd.h>
#include <vector>

namespace carat::fuzz {

namespace {

std::mutex guard;
auto& counts = *new std::map<std::string, std::uint64_t>;

// This program's runtime does not know the kernels of libcarat.so's runtime, but the driver does.
template <class Function>
Function* driver(const char* name) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult status{};
    if (cudaGetDriverEntryPointByVersion(name, &found, 12030, cudaEnableDefault, &status) !=
        cudaSuccess)
        found = nullptr;
    return reinterpret_cast<Function*>(found);
}

std::string kernel_of(CUgraphNode node) {
    static auto* const type_of = driver<decltype(cuGraphNodeGetType)>("cuGraphNodeGetType");
    static auto* const ask =
        driver<decltype(cuGraphKernelNodeGetParams)>("cuGraphKernelNodeGetParams");
    static auto* const name_of = driver<decltype(cuFuncGetName)>("cuFuncGetName");
    static auto* const name_of_kernel = driver<decltype(cuKernelGetName)>("cuKernelGetName");
    if (type_of == nullptr || ask == nullptr || name_of == nullptr || name_of_kernel == nullptr)
        return {};
    CUgraphNodeType type{};
    CUDA_KERNEL_NODE_PARAMS how{};
    const char* name = nullptr;
    if (type_of(node, &type) != CUDA_SUCCESS || type != CU_GRAPH_NODE_TYPE_KERNEL) return {};
    if (ask(node, &how) != CUDA_SUCCESS) return {};
    const bool known = how.func != nullptr ? name_of(&name, how.func) == CUDA_SUCCESS
                                           : name_of_kernel(&name, how.kern) == CUDA_SUCCESS;
    return known && name != nullptr ? name : "";
}

}  // namespace

void note_kernels(cudaGraph_t graph) {
    std::size_t count = 0;
    if (cudaGraphGetNodes(graph, nullptr, &count) != cudaSuccess) return;
    std::vector<cudaGraphNode_t> nodes(count);
    if (cudaGraphGetNodes(graph, nodes.data(), &count) != cudaSuccess) return;
    const std::scoped_lock lock(guard);
    for (cudaGraphNode_t node : nodes)
        if (const std::string name = kernel_of(node); !name.empty()) ++counts[name];
}

void tell_kernels(const std::string& file) {
    if (file.empty()) return;
    const std::scoped_lock lock(guard);
    std::string text;
    for (const auto& [name, count] : counts) text += std::to_string(count) + " " + name + "\n";
    const int to = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (to < 0) return;
    static_cast<void>(!write(to, text.data(), text.size()));
    close(to);
}

}  // namespace carat::fuzz
