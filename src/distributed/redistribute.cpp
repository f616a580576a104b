#include <algorithm>
#include <string>
#include <vector>

#include "distributed/agreement.hpp"
#include "distributed/movement.hpp"

namespace carat::distributed::detail {

namespace {

void validate(const communicator& comm, const erased_view& from, const erased_view& to) {
    const auto require = [](bool holds, const char* what) {
        if (!holds) throw error(error_code::size_mismatch, std::string("redistribute: ") + what);
    };
    require(from.where.rows() == to.where.rows() && from.where.cols() == to.where.cols(),
            "the matrices differ in size: they must be equal");
    for (const erased_view* v : {&from, &to}) {
        require(v->where.ranks() == 0 || v->where.ranks() == comm.size(),
                "a layout has another number of ranks than the communicator");
        const share own = v->where.of(comm.rank());
        const auto elements = static_cast<std::int64_t>(v->local.rows * v->local.cols);
        require(own.rows.size() * own.cols.size() == elements,
                "a local matrix has another size than its layout says");
    }
}

// Whether messages are by columns, as the local matrices of some rank are.
bool any_by_columns(communicator& comm, const erased_view& from, const erased_view& to) {
    const char mine = lies_by_columns(from.local) || lies_by_columns(to.local) ? 1 : 0;
    std::vector<char> all(static_cast<std::size_t>(comm.size()));
    comm.all_gather(&mine, all.data(), sizeof mine);
    return std::ranges::find(all, 1) != all.end();
}

}  // namespace

void redistribute(communicator& comm, const erased_view& from, const erased_view& to) {
    agree_on_errors(comm, error_of([&] { validate(comm, from, to); }));
    const int me = comm.rank();
    const std::size_t bytes = size_bytes(from.local.type);
    const part source{from.where.of(me), from.local, bytes},
        target{to.where.of(me), to.local, bytes};
    movement all(comm.where(), any_by_columns(comm, from, to));
    memory workspace;
    agree_on_errors(comm, error_of([&] {
                        for (int rank = 0; rank < comm.size(); ++rank) {
                            if (rank == me) {
                                all.copy(target, source, overlap_of(source.of, target.of));
                            } else if (!from.where.is_replicated()) {
                                all.send(rank, source, overlap_of(source.of, to.where.of(rank)));
                                all.receive(rank, target,
                                            overlap_of(from.where.of(rank), target.of));
                            }
                        }
                        workspace = memory(comm.where(), all.workspace_bytes());
                        all.use(workspace.get());
                    }));
    all.start(comm);
    all.finish();
}

}  // namespace carat::distributed::detail
