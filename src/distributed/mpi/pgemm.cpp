// pdgemm_ and psgemm_ of ScaLAPACK's PBLAS on carat::distributed. The process grid behind a
// descriptor is asked of the BLACS that the program uses, which any ScaLAPACK brings; this library
// links none. Errors are reported as the PBLAS do: one line, then Cblacs_abort.
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <carat/distributed_mpi.hpp>
#include <carat/error.hpp>

extern "C" {
__attribute__((weak)) void Cblacs_get(int context, int what, int* value);
__attribute__((weak)) void Cblacs_gridinfo(int context, int* rows, int* cols, int* row, int* col);
__attribute__((weak)) int Cblacs_pnum(int context, int row, int col);
__attribute__((weak)) MPI_Comm Cblacs2sys_handle(int system);
__attribute__((weak)) void Cblacs_abort(int context, int code);
}

namespace carat::distributed {

namespace {

using carat::detail::erased_matrix;

// A descriptor of ScaLAPACK: type, context, rows, columns, block rows and columns, the process of
// the first block, the leading dimension.
enum entry : std::size_t {
    kind,
    context,
    rows,
    cols,
    block_rows,
    block_cols,
    row_src,
    col_src,
    lld
};
constexpr int dense_matrix = 1;

struct grid {
    int rows = 0, cols = 0, row = -1, col = -1;
};

[[noreturn]] void fail(const std::string& message) {
    throw error(error_code::invalid_argument, message);
}

grid grid_of(int of) {
    if (Cblacs_gridinfo == nullptr || Cblacs2sys_handle == nullptr || Cblacs_pnum == nullptr ||
        Cblacs_get == nullptr)
        fail("the program has no BLACS (Cblacs_gridinfo): link ScaLAPACK after this library");
    grid g;
    Cblacs_gridinfo(of, &g.rows, &g.cols, &g.row, &g.col);
    if (g.rows <= 0 || g.row < 0)
        fail("this process is not in the grid of context " + std::to_string(of));
    return g;
}

// The communicator of a grid, its ranks by rows: made once, collectively, for each set of
// processes.
communicator& communicator_of(int of, const grid& g) {
    constexpr int system_context = 10;  // SGET_BLACSCONTXT
    int system = 0;
    Cblacs_get(of, system_context, &system);
    const MPI_Comm parent = Cblacs2sys_handle(system);
    std::vector<int> ranks;
    for (int r = 0; r < g.rows; ++r)
        for (int c = 0; c < g.cols; ++c) ranks.push_back(Cblacs_pnum(of, r, c));
    // Kept until the process ends: MPI may be finalised before.
    static auto& known =
        *new std::map<std::pair<MPI_Comm, std::vector<int>>, std::unique_ptr<communicator>>;
    std::unique_ptr<communicator>& found = known[{parent, ranks}];
    if (!found) {
        MPI_Group all = MPI_GROUP_NULL, mine = MPI_GROUP_NULL;
        MPI_Comm own = MPI_COMM_NULL;
        MPI_Comm_group(parent, &all);
        MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &mine);
        constexpr int tag = 1704;
        MPI_Comm_create_group(parent, mine, tag, &own);
        MPI_Group_free(&mine);
        MPI_Group_free(&all);
        found = over(own);
        MPI_Comm_free(&own);
    }
    return *found;
}

// The part of a distributed matrix that begins at (i, j), counted from 1: what a process holds of
// `size` indices.
struct dealt {
    index_set held;
    std::int64_t before = 0;  // local indices of the whole matrix that precede
};

dealt dealt_to(int process, int processes, std::int64_t first, std::int64_t size, int block,
               int source) {
    const std::int64_t turn = (process - source + processes) % processes;
    const std::int64_t start = turn * block, period = std::int64_t{block} * processes;
    const index_set whole({0, first + size}, start, block, period);
    return {{{0, size}, start - first, block, period}, whole.below(first)};
}

template <class T>
struct submatrix {
    const int* descriptor;
    T* data;
    std::int64_t i, j;
    std::int64_t rows, cols;
};

void validate(const int* d, char letter, int expected_context, std::int64_t i, std::int64_t j,
              std::int64_t m, std::int64_t n) {
    const std::string name = std::string("desc") + letter;
    if (d[kind] != dense_matrix)
        fail(name + "(DTYPE_) is " + std::to_string(d[kind]) +
             ": only 1, dense matrices, is known");
    if (d[context] != expected_context)
        fail(name + "(CTXT_) is " + std::to_string(d[context]) + ", but descA has " +
             std::to_string(expected_context) + ": use one context");
    if (d[block_rows] < 1 || d[block_cols] < 1) fail(name + " has blocks of no size");
    if (m > 0 && n > 0 && (i < 1 || j < 1 || i + m - 1 > d[rows] || j + n - 1 > d[cols]))
        fail(std::string("sub(") + letter + ") of " + std::to_string(m) + " x " +
             std::to_string(n) + " at (" + std::to_string(i) + ", " + std::to_string(j) +
             ") leaves the matrix of " + std::to_string(d[rows]) + " x " + std::to_string(d[cols]));
}

template <class T>
detail::erased_view view_of(const submatrix<T>& s, const grid& g, double factor) {
    const int* d = s.descriptor;
    std::vector<share> shares;
    for (int r = 0; r < g.rows; ++r)
        for (int c = 0; c < g.cols; ++c)
            shares.push_back(
                {dealt_to(r, g.rows, s.i - 1, s.rows, d[block_rows], d[row_src]).held,
                 dealt_to(c, g.cols, s.j - 1, s.cols, d[block_cols], d[col_src]).held});
    const dealt mine_r = dealt_to(g.row, g.rows, s.i - 1, s.rows, d[block_rows], d[row_src]);
    const dealt mine_c = dealt_to(g.col, g.cols, s.j - 1, s.cols, d[block_cols], d[col_src]);
    const std::int64_t leading = d[lld];
    erased_matrix local{
        const_cast<std::remove_const_t<T>*>(s.data + mine_r.before + mine_c.before * leading),
        static_cast<std::size_t>(mine_r.held.size()),
        static_cast<std::size_t>(mine_c.held.size()),
        1,
        leading,
        dtype_of_v<std::remove_const_t<T>>,
        factor,
        nullptr,
        {}};
    return {local, distribution::of_shares(s.rows, s.cols, std::move(shares))};
}

detail::erased_view transposed(const detail::erased_view& v) {
    detail::erased_view t{v.local, v.where.transposed()};
    std::swap(t.local.rows, t.local.cols);
    std::swap(t.local.row_stride, t.local.col_stride);
    return t;
}

bool is_transposed(const char* letter, const char* name) {
    const int c = std::toupper(static_cast<unsigned char>(*letter));
    if (c != 'N' && c != 'T' && c != 'C')
        fail(std::string(name) + " is '" + *letter + "': use N, T or C");
    return c != 'N';
}

template <class T>
struct call {
    const char *transa, *transb;
    const int *m, *n, *k;
    const T* alpha;
    const T* a;
    const int *ia, *ja, *desca;
    const T* b;
    const int *ib, *jb, *descb;
    const T* beta;
    T* c;
    const int *ic, *jc, *descc;
};

template <class T>
void multiply(const call<T>& x) {
    const bool ta = is_transposed(x.transa, "TRANSA"), tb = is_transposed(x.transb, "TRANSB");
    const int m = *x.m, n = *x.n, k = *x.k, of = x.desca[context];
    if (m < 0 || n < 0 || k < 0)
        fail("M, N and K are " + std::to_string(m) + ", " + std::to_string(n) + " and " +
             std::to_string(k) + ": sizes must be at least 0");
    const submatrix<const T> a{x.desca, x.a, *x.ia, *x.ja, ta ? k : m, ta ? m : k};
    const submatrix<const T> b{x.descb, x.b, *x.ib, *x.jb, tb ? n : k, tb ? k : n};
    const submatrix<T> c{x.descc, x.c, *x.ic, *x.jc, m, n};
    validate(a.descriptor, 'A', of, a.i, a.j, a.rows, a.cols);
    validate(b.descriptor, 'B', of, b.i, b.j, b.rows, b.cols);
    validate(c.descriptor, 'C', of, c.i, c.j, c.rows, c.cols);
    const grid g = grid_of(of);
    communicator& comm = communicator_of(of, g);
    detail::erased_view va = view_of(a, g, static_cast<double>(*x.alpha));
    detail::erased_view vb = view_of(b, g, 1);
    if (ta) va = transposed(va);
    if (tb) vb = transposed(vb);
    product(comm, va, vb, view_of(c, g, static_cast<double>(*x.beta)), view_of(c, g, 1), {})();
}

template <class T>
void multiply_or_abort(const char* name, const call<T>& x) {
    try {
        multiply(x);
    } catch (const std::exception& why) {
        std::fprintf(stderr, "carat: %s: %s\n", name, why.what());
        if (Cblacs_abort != nullptr) Cblacs_abort(x.desca[context], 1);
        MPI_Abort(MPI_COMM_WORLD, 1);
        std::abort();
    }
}

}  // namespace

}  // namespace carat::distributed

#define CARAT_PGEMM(name, T)                                                                      \
    extern "C" CARAT_API void name(const char* transa, const char* transb, const int* m,          \
                                   const int* n, const int* k, const T* alpha, const T* a,        \
                                   const int* ia, const int* ja, const int* desca, const T* b,    \
                                   const int* ib, const int* jb, const int* descb, const T* beta, \
                                   T* c, const int* ic, const int* jc, const int* descc) {        \
        carat::distributed::multiply_or_abort<T>(                                                 \
            #name, {transa, transb, m, n, k, alpha, a, ia, ja, desca, b, ib, jb, descb, beta, c,  \
                    ic, jc, descc});                                                              \
    }

CARAT_PGEMM(pdgemm_, double)
CARAT_PGEMM(psgemm_, float)
