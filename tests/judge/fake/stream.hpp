// A stream of a GPU that is none: work in order, on a thread. What targets of this folder are
// given.
#pragma once

namespace fake_gpu {

struct stream {
    void (*enqueue)(stream* on, void (*work)(void*), void* data);
    stream* (*another)();  // that the process waits for when it waits for the GPU
    void (*wait)(stream* for_all_of);
};

template <class Work>
void enqueue(stream* on, Work work) {
    on->enqueue(
        on,
        [](void* data) {
            auto* const held = static_cast<Work*>(data);
            (*held)();
            delete held;
        },
        new Work(work));
}

}  // namespace fake_gpu
