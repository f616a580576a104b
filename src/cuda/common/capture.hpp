// While a stream is captured into a graph, the runtime refuses calls that would change what runs
// elsewhere, loading a kernel among them. All the work of a product is started on its stream, so
// that nothing can be missing from the graph: within such a scope the rest is let through.
#pragma once

#include <cuda_runtime_api.h>

namespace carat::cuda {

class unhindered_by_capture {
  public:
    unhindered_by_capture() { exchange(); }
    unhindered_by_capture(const unhindered_by_capture&) = delete;
    unhindered_by_capture& operator=(const unhindered_by_capture&) = delete;
    ~unhindered_by_capture() { exchange(); }

  private:
    // If there is no driver, there is nothing to capture.
    void exchange() {
        if (cudaThreadExchangeStreamCaptureMode(&mode_) != cudaSuccess) cudaGetLastError();
    }

    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace carat::cuda
