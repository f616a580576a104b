// In a build without CUDA nobody opens the door: the referee refuses before.
#include <cstdio>

#include "lab/judge/device/door.hpp"

void carat_door_open(carat_door* door, void*) {
    std::snprintf(door->message, sizeof door->message, "this carat was built without CUDA");
}
void* carat_door_stream() {
    return nullptr;
}
char* carat_door_memory() {
    return nullptr;
}
void carat_door_hold(carat_door*) {}
void carat_door_calls_end(carat_door*) {}
void carat_door_copy(carat_door*, std::int64_t, std::int64_t, std::int64_t, std::int64_t) {}
void carat_door_copies_end(carat_door*) {}
void carat_door_release(carat_door*) {}
void carat_door_wait(carat_door*) {}
void carat_door_finish(carat_door*) {}
