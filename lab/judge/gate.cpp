#include "lab/judge/gate.hpp"

#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace carat::judge {

void gate::answer(short events) {
    if ((events & POLLIN) == 0) {
        if (events != 0) shut();
        return;
    }
    seccomp_notif asked = {};
    if (ioctl(listener_, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) return;
    seccomp_notif_resp reply = {};
    reply.id = asked.id;
    reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &reply);
}

void gate::shut() {
    if (listener_ >= 0) close(std::exchange(listener_, -1));
}

}  // namespace carat::judge
