#include "lab/gpus/carat_team.hpp"

#include <optional>

namespace carat::scaling {

namespace {

ranks::layouts layouts_of(task what, const shape& s, int gpus) {
    using ranks::distribution;
    if (what == task::gather)
        return {distribution::by_rows(s.m, s.k, gpus), distribution::by_columns(s.k, s.n, gpus),
                distribution::by_columns(s.m, s.n, gpus)};
    if (what == task::scatter)
        return {distribution::by_columns(s.m, s.k, gpus), distribution::by_rows(s.k, s.n, gpus),
                distribution::by_rows(s.m, s.n, gpus)};
    return ranks::best_layouts(s.m, s.n, s.k, gpus);
}

std::optional<ranks::dimension> cut_of(task what) {
    if (what == task::gather) return ranks::dimension::n;
    if (what == task::scatter) return ranks::dimension::k;
    return {};
}

// A by rows and B by columns in memory, as for the weights of a layer, so that pieces of both are
// contiguous.
figures of_member(ranks::communicator& comm, task what, const shape& s, const pace& at, turns& all,
                  int team) {
    const ranks::layouts l = layouts_of(what, s, comm.size());
    const auto rows = [&](const ranks::distribution& d) {
        return static_cast<std::size_t>(d.of(comm.rank()).rows.size());
    };
    const auto cols = [&](const ranks::distribution& d) {
        return static_cast<std::size_t>(d.of(comm.rank()).cols.size());
    };
    const numbers a(rows(l.a) * cols(l.a)), b(rows(l.b) * cols(l.b)), c(rows(l.c) * cols(l.c));
    ranks::product multiply(
        comm, ranks::view(matrix_view<const bf16>(a.data(), rows(l.a), cols(l.a)), l.a),
        ranks::view(column_major<const bf16>(b.data(), rows(l.b), cols(l.b), rows(l.b)), l.b),
        ranks::view(matrix_view<bf16>(c.data(), rows(l.c), cols(l.c)), l.c),
        {.along = cut_of(what)});
    const auto gather = [&](const void* mine, void* each, std::size_t bytes) {
        comm.all_gather(mine, each, bytes);
    };
    const member own{comm.rank(), comm.size(), ranks::place_of(comm).stream, [&] { multiply(); },
                     gather};
    figures found;
    found.words = multiply.moved().words();
    found.trials_s = take_trials(all, team, own, at);
    if (what != task::product) check_entries(what, s, comm.rank(), comm.size(), c.data());
    return found;
}

}  // namespace

team carat_team(task what, const shape& size, int gpus, ranks::gpu_transport by, const pace& at) {
    const std::string name = gpus == 1                            ? "one"
                             : by == ranks::gpu_transport::copies ? "copies"
                                                                  : "nccl";
    return {name, gpus, [=](turns& all, int team) {
                figures found;
                std::mutex mutex;
                ranks::with_gpus(
                    gpus,
                    [&](ranks::communicator& comm) {
                        const figures mine = of_member(comm, what, size, at, all, team);
                        const std::lock_guard hold(mutex);
                        if (comm.rank() == 0) found = mine;
                    },
                    by);
                return found;
            }};
}

}  // namespace carat::scaling
