// How a target's process reaches matrices in a GPU's memory that belongs to the judge, and how its
// calls are timed. The stream is held while calls are enqueued and data are drawn; events surround
// the calls, and copies of every C follow in the same stream. The interface is plain C for host.py,
// and uses only CUDA's runtime.
#pragma once

#include <cstdint>

// Lies in memory shared with the judge. The handles are cudaIpcMemHandle_t.
struct carat_gpu_channel {
    std::int32_t device;
    std::int32_t reserved;
    unsigned char live[64];      // what targets are given
    unsigned char snapshot[64];  // C as it was when the stream had done the calls
    double calls_s;              // by events
    double copies_s;
    double late_s;      // until the GPU was idle after that
    char message[256];  // what failed first; empty: nothing
};
static_assert(sizeof(carat_gpu_channel) == 416);

#pragma GCC visibility push(default)
extern "C" {
// Calls run on `stream`, or on a stream of the channel's own if it is null.
void carat_channel_open(carat_gpu_channel* channel, void* stream);
void* carat_channel_stream(void);
char* carat_channel_memory(void);

void carat_channel_hold(
    carat_gpu_channel* channel);  // what follows waits for carat_channel_release()
void carat_channel_calls_end(carat_gpu_channel* channel);  // the calls are enqueued
void carat_channel_copy(carat_gpu_channel* channel, std::int64_t offset, std::int64_t pitch,
                        std::int64_t width,
                        std::int64_t height);               // to the snapshot, in bytes
void carat_channel_copies_end(carat_gpu_channel* channel);  // they are, too
void carat_channel_release(carat_gpu_channel* channel);     // waits for the stream, and no other
void carat_channel_wait(carat_gpu_channel* channel);        // the same of one that isn't held
void carat_channel_finish(
    carat_gpu_channel* channel);  // waits for all the GPU does for this process
}
#pragma GCC visibility pop
