// What a captured call consists of: the kernels and how they follow each other.
#pragma once

#include <cstddef>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <string>
#include <vector>

namespace carat::benchmark {

// Edges over which a kernel may begin before the one ahead has ended.
inline std::size_t programmatic_edges(cudaGraph_t graph) {
    std::size_t count = 0;
#if CUDART_VERSION >= 13000
    const auto edges_of = cudaGraphGetEdges;
#else
    const auto edges_of = cudaGraphGetEdges_v2;
#endif
    if (edges_of(graph, nullptr, nullptr, nullptr, &count) != cudaSuccess) return 0;
    std::vector<cudaGraphNode_t> from(count), to(count);
    std::vector<cudaGraphEdgeData> edges(count);
    if (edges_of(graph, from.data(), to.data(), edges.data(), &count) != cudaSuccess) return 0;
    std::size_t found = 0;
    for (const cudaGraphEdgeData& e : edges)
        if (e.type == cudaGraphDependencyTypeProgrammatic) ++found;
    return found;
}

// The driver's function; null where it has none.
template <class Function>
Function* driver_function(const char* name, unsigned version) {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    if (cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, &found) !=
        cudaSuccess)
        return nullptr;
    return reinterpret_cast<Function*>(function);
}

// The name of a node's kernel and its grid; "memset" or "copy" of others.
inline std::string kernel_of(cudaGraphNode_t node) {
    cudaGraphNodeType type{};
    if (cudaGraphNodeGetType(node, &type) != cudaSuccess) return "";
    if (type == cudaGraphNodeTypeMemset) return "memset";
    if (type != cudaGraphNodeTypeKernel) return "copy";
    static const auto params_of = driver_function<CUresult(CUgraphNode, CUDA_KERNEL_NODE_PARAMS*)>(
        "cuGraphKernelNodeGetParams", 12000);
    static const auto function_name =
        driver_function<CUresult(const char**, CUfunction)>("cuFuncGetName", 12030);
    static const auto kernel_name =
        driver_function<CUresult(const char**, CUkernel)>("cuKernelGetName", 12030);
    CUDA_KERNEL_NODE_PARAMS at{};
    if (params_of == nullptr || params_of(node, &at) != CUDA_SUCCESS) return "kernel";
    const char* name = nullptr;
    if (at.kern != nullptr && kernel_name != nullptr) (void)kernel_name(&name, at.kern);
    if (name == nullptr && at.func != nullptr && function_name != nullptr)
        (void)function_name(&name, at.func);
    const std::string grid = std::to_string(at.gridDimX) + "x" + std::to_string(at.gridDimY) + "x" +
                             std::to_string(at.gridDimZ) + " of " + std::to_string(at.blockDimX);
    return std::string(name == nullptr ? "kernel" : name).substr(0, 120) + " " + grid;
}

// One run's kernels in order of capture, of a graph that holds one.
inline std::string kernels_of(cudaGraph_t graph) {
    std::size_t count = 0;
    if (cudaGraphGetNodes(graph, nullptr, &count) != cudaSuccess) return "";
    std::vector<cudaGraphNode_t> nodes(count);
    if (cudaGraphGetNodes(graph, nodes.data(), &count) != cudaSuccess) return "";
    std::string all;
    for (const cudaGraphNode_t node : nodes) all += (all.empty() ? "" : " + ") + kernel_of(node);
    const std::size_t early = programmatic_edges(graph);
    return early == 0 ? all : all + ", " + std::to_string(early) + " begin early";
}

}  // namespace carat::benchmark
