// Looks for the judge's memory, command line and environment, where the answer or the seed may
// be. Finding any makes it fail.
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <string>
#include <unistd.h>

#include "cheat.hpp"

static bool can_read(const std::string& path) {
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (file == nullptr) return false;
    const bool some = std::fgetc(file) != EOF;
    std::fclose(file);
    return some;
}

static int readable_others() {
    int found = 0;
    DIR* all = opendir("/proc");
    while (const dirent* entry = all == nullptr ? nullptr : readdir(all)) {
        const pid_t other = std::atoi(entry->d_name);
        if (other <= 1 || other == getpid()) continue;
        for (const char* what : {"/cmdline", "/environ", "/maps"})
            if (can_read("/proc/" + std::to_string(other) + what)) ++found;
    }
    if (all != nullptr) closedir(all);
    return found;
}

static int run(const carat_gemm* g) {
    honest(*g);
    static const int found = readable_others();
    return found;
}

CHEAT("looks_for_the_answer", CARAT_F64);
