// An NCCL whose ranks are threads: the functions of src/distributed/gpu/nccl.hpp. The messages of a
// group start where it ends, as those of the real one do. CARAT_FAKE_NCCL has faults on rank 0:
// "fails", its groups do; "stuck", its messages never arrive; "reports", the same, and it says so.
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

namespace {

struct unique_id {
    char internal[128];
};
struct config {
    std::size_t size;
    unsigned magic, version;
    int blocking, cluster_size, least_ctas, most_ctas;
    const char* net_name;
};
struct handle {
    int rank, size, world;
    std::vector<bool*> stuck = {};  // flags of streams (fake/cuda.cpp)
};
struct message {
    bool is_sent;
    void* data;
    std::size_t bytes;
    int peer;
    handle* comm;
    void* stream;
};

std::mutex mutex;
std::condition_variable changed;
std::map<std::tuple<int, int, int>, std::deque<std::vector<char>>> queues;
int worlds = 0;
thread_local std::vector<message> group;
thread_local int depth = 0;

bool has_fault(const handle* comm, const char* which) {
    const char* const asked = std::getenv("CARAT_FAKE_NCCL");
    return comm->rank == 0 && asked != nullptr && std::strcmp(asked, which) == 0;
}

void take(const message& m) {
    std::unique_lock hold(mutex);
    auto& queue = queues[{m.comm->world, m.peer, m.comm->rank}];
    const bool arrives =
        !has_fault(m.comm, "stuck") && !has_fault(m.comm, "reports") &&
        changed.wait_for(hold,
                         std::chrono::seconds(std::getenv("CARAT_FAKE_NCCL") == nullptr ? 60 : 1),
                         [&] { return !queue.empty(); });
    if (!arrives) {
        m.comm->stuck.push_back(static_cast<bool*>(m.stream));
        *m.comm->stuck.back() = true;
        return;
    }
    if (queue.front().size() != m.bytes) {
        std::fprintf(stderr, "fake NCCL: %zu bytes were sent and %zu expected\n",
                     queue.front().size(), m.bytes);
        std::abort();
    }
    std::memcpy(m.data, queue.front().data(), m.bytes);
    queue.pop_front();
}

}  // namespace

#define FAKE extern "C" __attribute__((visibility("default")))

FAKE int ncclGetVersion(int* version) {
    *version = 10000;
    return 0;
}
FAKE int ncclGetUniqueId(unique_id* id) {
    const std::lock_guard hold(mutex);
    ++worlds;
    std::memcpy(id->internal, &worlds, sizeof worlds);
    return 0;
}
FAKE int ncclCommInitRankConfig(handle** comm, int size, unique_id id, int rank,
                                const config* how) {
    constexpr int undefined = std::numeric_limits<int>::min(), usual = 32;
    const char* const asked = std::getenv("CARAT_NCCL_CTAS");
    const int ctas = asked == nullptr ? usual : std::atoi(asked);
    const int expected = ctas == 0 ? undefined : ctas;
    if (how->size != 40 || how->magic != 0xcafebeef || how->version != 21700 ||
        how->most_ctas != expected)
        return 4;

    int world = 0;
    std::memcpy(&world, id.internal, sizeof world);
    *comm = new handle{rank, size, world};
    return 0;
}
FAKE int ncclCommDestroy(handle* comm) {
    delete comm;
    return 0;
}
FAKE int ncclCommAbort(handle* comm) {
    for (bool* const flag : comm->stuck) *flag = false;
    return 0;
}
FAKE int ncclCommGetAsyncError(handle* comm, int* failure) {
    *failure = has_fault(comm, "reports") ? 6 : 0;
    return 0;
}
FAKE int ncclCommCount(handle* comm, int* count) {
    *count = comm->size;
    return 0;
}
FAKE int ncclCommUserRank(handle* comm, int* rank) {
    *rank = comm->rank;
    return 0;
}
FAKE int ncclGroupStart() {
    ++depth;
    return 0;
}
FAKE int ncclGroupEnd() {
    if (--depth > 0) return 0;
    if (!group.empty() && has_fault(group.front().comm, "fails")) {
        group.clear();
        return 2;
    }
    for (const message& m : group) {
        if (!m.is_sent) continue;
        const std::lock_guard hold(mutex);
        const char* data = static_cast<const char*>(m.data);
        queues[{m.comm->world, m.comm->rank, m.peer}].emplace_back(data, data + m.bytes);
        changed.notify_all();
    }
    for (const message& m : group)
        if (!m.is_sent) take(m);
    group.clear();
    return 0;
}
FAKE int ncclSend(const void* data, std::size_t bytes, int, int peer, handle* comm, void* stream) {
    group.push_back({true, const_cast<void*>(data), bytes, peer, comm, stream});
    return 0;
}
FAKE int ncclRecv(void* data, std::size_t bytes, int, int peer, handle* comm, void* stream) {
    group.push_back({false, data, bytes, peer, comm, stream});
    return 0;
}
FAKE int ncclAllGather(const void* sent, void* all, std::size_t bytes, int type, handle* comm,
                       void* stream) {
    ncclGroupStart();
    for (int rank = 0; rank < comm->size; ++rank) {
        void* const to = static_cast<char*>(all) + static_cast<std::size_t>(rank) * bytes;
        if (rank == comm->rank) {
            std::memcpy(to, sent, bytes);
            continue;
        }
        ncclSend(sent, bytes, type, rank, comm, stream);
        ncclRecv(to, bytes, type, rank, comm, stream);
    }
    return ncclGroupEnd();
}
FAKE const char* ncclGetErrorString(int) {
    return "an error of the fake NCCL";
}
FAKE const char* ncclGetLastError(handle*) {
    return "";
}
