// carat bench --distributed: products over MPI processes, carat's beside ScaLAPACK's. The command
// starts this program in its place, in each process that mpirun started.
//
// Trials take turns, all processes start together, and the slowest counts. "Local" is what the
// processes take for their parts of the product alone, at the same time, without any message.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <mpi.h>
#include <nlohmann/json.hpp>
#include <omp.h>
#include <string>
#include <vector>

#include <carat/distributed_mpi.hpp>
#include <carat/error.hpp>

#include "core/dtype_traits.hpp"
#include "distributed/bound.hpp"
#include "distributed/parts.hpp"
#include "distributed/place.hpp"
#include "distributed/schedule.hpp"
#include "lab/ranks/operands.hpp"
#include "lab/ranks/scalapack.hpp"
#include "lab/scale_out/files.hpp"

namespace carat::lab_ranks {
namespace {

namespace ranks = carat::distributed;

struct asked {
    std::int64_t m = 2048, n = 2048, k = 2048;
    std::string type = "f64";
    scale_out::files files;
    int trials = 11, threads = 0, block = 256;
};

struct entrant {
    std::string name;
    std::function<void()> run;
    std::function<std::int64_t()> wrong;
    double words = -1;  // of the busiest process; unknown
    std::vector<double> seconds = {};
    std::int64_t wrong_entries = 0;
    std::string why_not = {};
};

double timed(const std::function<void()>& run) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    run();
    double mine = MPI_Wtime() - begun, slowest = 0;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

double largest(double mine) {
    double all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

// Products of one shape: the matrices of one layout, and carat's or ScaLAPACK's call on them.
struct in_layout {
    local_matrix a, b, c;
    std::unique_ptr<ranks::product> multiply;

    in_layout(ranks::communicator& comm, const ranks::layouts& l, dtype type,
              const verify::exact_pass& pass)
        : a(type, l.a.of(comm.rank())), b(type, l.b.of(comm.rank())), c(type, l.c.of(comm.rank())) {
        fill_a(a, pass);
        fill_b(b, pass);
        multiply = std::make_unique<ranks::product>(
            comm, ranks::detail::erased_view{a.view(), l.a},
            ranks::detail::erased_view{b.view(), l.b}, std::nullopt,
            ranks::detail::erased_view{c.view(), l.c}, ranks::options{});
    }
};

dtype type_named(const std::string& text) {
    for (const dtype type : all_dtypes)
        if (name(type) == text && is_floating(type) && !is_fp8(type)) return type;
    throw error(error_code::invalid_argument,
                "--dtype '" + text +
                    "' is no type of distributed products: use f64, f32, f16 or "
                    "bf16");
}

int nearest_square_divisor(int size) {
    int found = 1;
    for (int d = 1; d * d <= size; ++d)
        if (size % d == 0) found = d;
    return found;
}

class session {
  public:
    session(ranks::communicator& comm, const asked& what)
        : comm_(comm),
          what_(what),
          type_(type_named(what.type)),
          pass_({type_, type_, type_, what.m, what.n, what.k, core::column_major(what.m),
                 core::column_major(what.k), core::column_major(what.m), 1, 0},
                type_ == dtype::f64   ? "f64"
                : type_ == dtype::f32 ? "f32"
                                      : "f32, rounded once",
                verify::exact_kind::sums, 1, 1),
          check_(pass_) {}

    int run() {
        add_carat();
        add_scalapack("scalapack", scalapack_of::system, system_);
        add_scalapack("mkl", scalapack_of::mkl, mkl_);
        add_scalapack("cosma", scalapack_of::cosma, cosma_);
        measure();
        if (comm_.rank() == 0) tell();
        const auto bad = [](const entrant& e) { return e.wrong_entries > 0; };
        return std::ranges::any_of(all_, bad) ? 1 : 0;
    }

  private:
    void add_carat() {
        const int rows = nearest_square_divisor(comm_.size());
        const ranks::process_grid grid{rows, comm_.size() / rows};
        const auto cyclic = [&](std::int64_t m, std::int64_t n) {
            return ranks::distribution::block_cyclic(m, n, what_.block, what_.block, grid);
        };
        best_ = std::make_unique<in_layout>(
            comm_, ranks::best_layouts(comm_, what_.m, what_.n, what_.k), type_, pass_);
        cyclic_ = std::make_unique<in_layout>(
            comm_,
            ranks::layouts{cyclic(what_.m, what_.k), cyclic(what_.k, what_.n),
                           cyclic(what_.m, what_.n)},
            type_, pass_);
        const auto add = [&](const std::string& name, in_layout& in) {
            all_.push_back({name, [&in] { (*in.multiply)(); }, [&] { return check_.wrong(in.c); },
                            largest(static_cast<double>(in.multiply->moved().words()))});
        };
        add("carat", *best_);
        add(fmt::format("carat, blocks of {}", what_.block), *cyclic_);
        // The local product alone.
        const ranks::task all{{{what_.m, what_.n, what_.k}}, comm_.size()};
        const ranks::schedule plan =
            comm_.overlaps() ? ranks::schedule(all) : ranks::schedule_of_parts(all);
        const auto own = plan.of(comm_.rank()).size().of;
        const auto part = [&](std::int64_t r, std::int64_t c) {
            return ranks::share{ranks::index_range{0, r}, ranks::index_range{0, c}};
        };
        local_a_ = std::make_unique<local_matrix>(type_, part(own[0], own[2]));
        local_b_ = std::make_unique<local_matrix>(type_, part(own[2], own[1]));
        local_c_ = std::make_unique<local_matrix>(type_, part(own[0], own[1]));
        for (local_matrix* x : {local_a_.get(), local_b_.get()})
            std::copy_n(best_->a.data.begin(), std::min(best_->a.data.size(), x->data.size()),
                        x->data.begin());
        all_.push_back({"local",
                        [&] {
                            comm_.where().multiply(local_a_->view(), local_b_->view(), nullptr,
                                                   local_c_->view());
                        },
                        [] { return std::int64_t{0}; }});
    }

    void add_scalapack(const char* name, scalapack_of which, std::unique_ptr<scalapack>& opened) {
        entrant peer{name, {}, [&] { return check_.wrong(cyclic_->c); }};
        if (type_ != dtype::f64 && type_ != dtype::f32) {
            peer.why_not = "it has no " + what_.type;
        } else {
            try {
                const int rows = nearest_square_divisor(comm_.size());
                opened = std::make_unique<scalapack>(which, rows, comm_.size() / rows);
                peer.run = [this, with = opened.get()] {
                    const auto leading = [](const local_matrix& x) {
                        return static_cast<int>(x.leading);
                    };
                    in_layout& in = *cyclic_;
                    with->multiply(type_ == dtype::f64, static_cast<int>(what_.m),
                                   static_cast<int>(what_.n), static_cast<int>(what_.k),
                                   what_.block, in.a.data.data(), leading(in.a), in.b.data.data(),
                                   leading(in.b), in.c.data.data(), leading(in.c));
                };
            } catch (const error& why) {
                peer.why_not = why.what();
            }
        }
        all_.push_back(std::move(peer));
    }

    void measure() {
        for (entrant& e : all_) {
            if (!e.run) continue;
            for (in_layout* in : {best_.get(), cyclic_.get()})
                std::ranges::fill(in->c.data, std::byte{0xff});
            e.run();
            const std::int64_t mine = e.wrong();
            MPI_Allreduce(&mine, &e.wrong_entries, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        }
        for (int i = 0; i < what_.trials; ++i)
            for (std::size_t j = 0; j < all_.size(); ++j) {
                entrant& e = all_[(static_cast<std::size_t>(i) + j) % all_.size()];
                if (e.run) e.seconds.push_back(timed(e.run));
            }
    }

    [[nodiscard]] scale_out::comparison compared() const {
        const double bound = ranks::least_words({{{what_.m, what_.n, what_.k}}, comm_.size()});
        double local = 0;
        for (const entrant& e : all_)
            if (e.name == "local") local = scale_out::summary_of(e.seconds).median;
        scale_out::comparison told{
            fmt::format("{} x {} x {} {}, {} processes of {} thread{}; {} trials in turn", what_.m,
                        what_.n, what_.k, what_.type, comm_.size(), what_.threads,
                        what_.threads == 1 ? "" : "s", what_.trials),
            {}};
        for (const entrant& e : all_) {
            scale_out::entry& row = told.entries.emplace_back();
            row.name = e.name;
            row.flop = 2.0 * double(what_.m) * double(what_.n) * double(what_.k);
            row.is_answer = e.name == "carat";
            row.wrong_entries = e.wrong_entries;
            row.why_not = e.why_not;
            if (row.has_figure()) {
                row.seconds = scale_out::summary_of(e.seconds);
                row.efficiency = local / row.seconds.median;
                if (e.words >= 0 && bound > 0) row.words_over_bound = e.words / bound;
            }
        }
        return told;
    }

    [[nodiscard]] nlohmann::json document(const scale_out::comparison& told) const {
        nlohmann::json rows = nlohmann::json::array();
        for (std::size_t i = 0; i < all_.size(); ++i) {
            const entrant& e = all_[i];
            const scale_out::entry& row = told.entries[i];
            nlohmann::json& written = rows.emplace_back();
            written = {{"implementation", e.name}};
            if (!row.has_figure()) {
                written.update({{"wrong_entries", e.wrong_entries}, {"not_run", e.why_not}});
                continue;
            }
            written.update({{"median_s", row.seconds.median},
                            {row.seconds.is_range ? "range_s" : "ci95_s",
                             {row.seconds.lower, row.seconds.upper}},
                            {"gflops", row.flop / row.seconds.median / 1e9},
                            {"trials_s", e.seconds},
                            {"verified", true},
                            {"of_local", row.efficiency}});
            if (row.words_over_bound >= 0) written["words_over_bound"] = row.words_over_bound;
        }
        return {{"m", what_.m},
                {"n", what_.n},
                {"k", what_.k},
                {"dtype", what_.type},
                {"processes", comm_.size()},
                {"threads", what_.threads},
                {"results", rows}};
    }

    void tell() const {
        const scale_out::comparison told = compared();
        const scale_out::outcome all{
            "How fast are " + std::to_string(comm_.size()) +
                " processes together, and how many words do they send?",
            "of local",
            "Of local: the time of the processes' local products alone over the time of "
            "the row. Words/B: what the busiest process moves over the lower bound.",
            false,
            {told}};
        fmt::print(scale_out::people(what_.files), "{}", scale_out::text(told, all.efficiency));
        scale_out::leave(all, document(told), what_.files);
    }

    ranks::communicator& comm_;
    asked what_;
    dtype type_;
    verify::exact_pass pass_;
    checker check_;
    std::unique_ptr<in_layout> best_, cyclic_;
    std::unique_ptr<local_matrix> local_a_, local_b_, local_c_;
    std::unique_ptr<scalapack> system_, mkl_, cosma_;
    std::vector<entrant> all_;
};

// Rank 0 writes, and all ranks end if it can't.
void require_writable(ranks::communicator& comm, const scale_out::files& files) {
    std::string why;
    if (comm.rank() == 0) try {
            scale_out::require_writable(files);
        } catch (const error& refused) {
            why = refused.what();
        }
    int length = static_cast<int>(why.size());
    MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (length > 0) throw error(error_code::invalid_argument, why);
}

}  // namespace
}  // namespace carat::lab_ranks

int main(int argc, char** argv) {
    using namespace carat;
    MPI_Init(&argc, &argv);
    lab_ranks::asked what;
    CLI::App app("Products over MPI processes", "carat bench --distributed");
    app.add_option("--m", what.m);
    app.add_option("--n", what.n);
    app.add_option("--k", what.k);
    app.add_option("--dtype", what.type);
    app.add_option("--threads", what.threads);
    app.add_option("--trials", what.trials);
    app.add_option("--block", what.block);
    scale_out::add_files(app, what.files);
    int code = 2;
    try {
        app.parse(argc, argv);
        if (what.threads == 0) what.threads = distributed::default_threads(MPI_COMM_WORLD);
        omp_set_num_threads(what.threads);  // of a BLAS with OpenMP behind ScaLAPACK
        setenv("OPENBLAS_NUM_THREADS", std::to_string(what.threads).c_str(), 1);
        const auto comm = distributed::over(MPI_COMM_WORLD, what.threads);
        lab_ranks::require_writable(*comm, what.files);
        code = lab_ranks::session(*comm, what).run();
    } catch (const error& why) {  // the same in all processes
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (rank == 0) std::fprintf(stderr, "carat: %s\n", why.what());
    } catch (const std::exception& why) {
        std::fprintf(stderr, "carat: %s\n", why.what());
        MPI_Abort(MPI_COMM_WORLD, code);
    }
    MPI_Finalize();
    return code;
}
