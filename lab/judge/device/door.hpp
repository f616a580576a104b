// How the process of a target reaches matrices in a GPU's memory that belongs to the referee, and
// has calls timed: a stream that is held while calls are enqueued on it and data are drawn, events
// around the calls, and copies of every C in the order of that stream. Plain C, for host.py too. It
// knows CUDA's runtime and nothing of carat.
#pragma once

#include <cstdint>

// In memory shared with the referee. The handles are cudaIpcMemHandle_t.
struct carat_door {
    std::int32_t device;
    std::int32_t reserved;
    unsigned char live[64];      // what targets are given
    unsigned char snapshot[64];  // C as it was when the stream had done the calls
    double calls_s;              // by events
    double copies_s;
    double late_s;      // until the GPU was idle after that
    char message[256];  // what failed first; empty: nothing
};
static_assert(sizeof(carat_door) == 416);

#pragma GCC visibility push(default)
extern "C" {
// `stream` is what calls are made on; null: one of its own.
void carat_door_open(carat_door* door, void* stream);
void* carat_door_stream(void);
char* carat_door_memory(void);

void carat_door_hold(carat_door* door);       // what follows waits for carat_door_release()
void carat_door_calls_end(carat_door* door);  // the calls are enqueued
void carat_door_copy(carat_door* door, std::int64_t offset, std::int64_t pitch, std::int64_t width,
                     std::int64_t height);     // to the snapshot, in bytes
void carat_door_copies_end(carat_door* door);  // they are, too
void carat_door_release(carat_door* door);     // waits for the stream, and no other
void carat_door_wait(carat_door* door);        // the same of one that isn't held
void carat_door_finish(carat_door* door);      // waits for all the GPU does for this process
}
#pragma GCC visibility pop
