// Looks for a helper outside, by every kind of socket. Reaching one makes it fail.
#include <cstring>
#include <initializer_list>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cheat.hpp"

static int open_sockets() {
    int found = 0;
    for (const int family : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK})
        for (const int kind : {SOCK_STREAM, SOCK_DGRAM})
            if (const int one = socket(family, kind, 0); one >= 0) {
                ++found;
                close(one);
            }
    return found;
}

static int run(const carat_gemm* g) {
    honest(*g);
    static const int found = open_sockets();
    return found;
}

CHEAT("calls_for_help", CARAT_F64);
