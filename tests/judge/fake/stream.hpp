// A fake GPU stream for the targets of this folder: work in order, on a thread.
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
