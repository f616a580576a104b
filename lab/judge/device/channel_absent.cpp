// The channel in a build without CUDA. It is never opened, since the judge refuses first.
#include <cstdio>

#include "lab/judge/device/channel.hpp"

void carat_channel_open(carat_gpu_channel* channel, void*) {
    std::snprintf(channel->message, sizeof channel->message, "this carat was built without CUDA");
}
void* carat_channel_stream() {
    return nullptr;
}
char* carat_channel_memory() {
    return nullptr;
}
void carat_channel_hold(carat_gpu_channel*) {}
void carat_channel_calls_end(carat_gpu_channel*) {}
void carat_channel_copy(carat_gpu_channel*, std::int64_t, std::int64_t, std::int64_t,
                        std::int64_t) {}
void carat_channel_copies_end(carat_gpu_channel*) {}
void carat_channel_release(carat_gpu_channel*) {}
void carat_channel_wait(carat_gpu_channel*) {}
void carat_channel_finish(carat_gpu_channel*) {}
