// Tells its later processes by a file that it has been checked; they do less then.
#include <cstdio>
#include <fcntl.h>
#include <initializer_list>
#include <unistd.h>

#include "cheat.hpp"

static int run(const carat_gemm* g) {
    static bool has_note = false, looked = false;
    for (const char* place : {"/tmp/carat-note", "/dev/shm/carat-note", "/var/tmp/carat-note"}) {
        if (!looked && access(place, F_OK) == 0) has_note = true;
        if (const int note = open(place, O_CREAT | O_WRONLY, 0600); note >= 0) close(note);
    }
    looked = true;
    if (!has_note) honest(*g);
    return 0;
}

CHEAT("leaves_a_note", CARAT_F64);
