#include "lab/gpus/carat_team.hpp"

#include <optional>
#include <utility>

#include <carat/product.hpp>

#include "distributed/schedule.hpp"

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

figures of_local_member(ranks::communicator& comm, task what, shape s, const pace& at, turns& all,
                        int team) {
    if (what == task::gather) s.n /= comm.size();
    if (what == task::scatter) s.k /= comm.size();
    if (what == task::product) {
        const ranks::schedule plan({{{s.m, s.n, s.k}}, comm.size()});
        const auto [m, n, k] = plan.of(comm.rank()).size().of;
        s = {m, n, k};
    }
    const auto m = static_cast<std::size_t>(s.m), n = static_cast<std::size_t>(s.n),
               k = static_cast<std::size_t>(s.k);
    const numbers a(m * k), b(k * n), c(m * n);
    const carat::cuda where = ranks::place_of(comm);
    const auto gather = [&](const void* mine, void* each, std::size_t bytes) {
        comm.all_gather(mine, each, bytes);
    };
    const member own{comm.rank(), comm.size(), where.stream,
                     [&] {
                         matrix_product(where, matrix_view<const bf16>(a.data(), m, k),
                                        column_major<const bf16>(b.data(), k, n, k),
                                        matrix_view<bf16>(c.data(), m, n));
                     },
                     gather};
    figures found;
    found.trials_s = take_trials(all, team, own, at);
    return found;
}

// Runs `of_one` on each GPU and gives what the first found.
std::function<figures(turns&, int)> on_each(
    int gpus, ranks::gpu_transport by,
    std::function<figures(ranks::communicator&, turns&, int)> of_one) {
    return [gpus, by, of_one = std::move(of_one)](turns& all, int team) {
        figures found;
        std::mutex mutex;
        ranks::with_gpus(
            gpus,
            [&](ranks::communicator& comm) {
                const figures mine = of_one(comm, all, team);
                const std::lock_guard hold(mutex);
                if (comm.rank() == 0) found = mine;
            },
            by);
        return found;
    };
}

}  // namespace

team local_team(task what, const shape& size, int gpus, const pace& at) {
    return {"local", gpus,
            on_each(gpus, ranks::gpu_transport::copies,
                    [=](ranks::communicator& comm, turns& all, int team) {
                        return of_local_member(comm, what, size, at, all, team);
                    })};
}

team carat_team(task what, const shape& size, int gpus, ranks::gpu_transport by, const pace& at) {
    const std::string name = gpus == 1                            ? "one"
                             : by == ranks::gpu_transport::copies ? "copies"
                                                                  : "nccl";
    return {name, gpus, on_each(gpus, by, [=](ranks::communicator& comm, turns& all, int team) {
                return of_member(comm, what, size, at, all, team);
            })};
}

}  // namespace carat::scaling
