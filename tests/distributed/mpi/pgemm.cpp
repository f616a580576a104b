// Run by mpirun: pdgemm_ and psgemm_ on sub-matrices of block-cyclic matrices, with transposes, on
// a BLACS grid; every entry against the product of whole numbers.
#include <cstdio>
#include <mpi.h>
#include <random>
#include <vector>

extern "C" {
void Cblacs_pinfo(int* rank, int* size);
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int cols);
void Cblacs_gridinfo(int context, int* rows, int* cols, int* row, int* col);
void Cblacs_gridexit(int context);
int numroc_(const int* n, const int* nb, const int* iproc, const int* source, const int* nprocs);
void pdgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
             const double*, const int*, const int*, const int*, const double*, const int*,
             const int*, const int*, const double*, double*, const int*, const int*, const int*);
void psgemm_(const char*, const char*, const int*, const int*, const int*, const float*,
             const float*, const int*, const int*, const int*, const float*, const int*, const int*,
             const int*, const float*, float*, const int*, const int*, const int*);
}

namespace {

struct grid {
    int context = 0, rows = 0, cols = 0, row = 0, col = 0;
};

// A block-cyclic matrix whose element (i, j) is value(i, j).
template <class T>
struct dealt {
    int descriptor[9];
    std::vector<T> data;
    int lld;

    dealt(const grid& g, int m, int n, int mb, int nb, int row_source, int col_source) {
        const int local_rows = numroc_(&m, &mb, &g.row, &row_source, &g.rows);
        const int local_cols = numroc_(&n, &nb, &g.col, &col_source, &g.cols);
        lld = (local_rows > 0 ? local_rows : 1) + 2;
        data.assign(static_cast<std::size_t>(lld) * static_cast<std::size_t>(local_cols + 1),
                    T(-7));
        const int values[9] = {1, g.context, m, n, mb, nb, row_source, col_source, lld};
        for (int i = 0; i < 9; ++i) descriptor[i] = values[i];
    }
    // Calls with each element that this process holds.
    template <class Call>
    void each(const grid& g, const Call& call) {
        const int* d = descriptor;
        for (int j = 0, lj = 0; j < d[3]; ++j) {
            if ((j / d[5] + d[7]) % g.cols != g.col) continue;
            for (int i = 0, li = 0; i < d[2]; ++i) {
                if ((i / d[4] + d[6]) % g.rows != g.row) continue;
                call(i, j,
                     data[static_cast<std::size_t>(lj) * static_cast<std::size_t>(lld) +
                          static_cast<std::size_t>(li)]);
                ++li;
            }
            ++lj;
        }
    }
};

int value_of(int which, int i, int j) {
    return (i * 7 + j * 3 + which * 5) % 5 - 2;
}

void multiply(const char* ta, const char* tb, int m, int n, int k, double alpha, dealt<double>& a,
              int ia, int ja, dealt<double>& b, int ib, int jb, double beta, dealt<double>& c,
              int ic, int jc) {
    pdgemm_(ta, tb, &m, &n, &k, &alpha, a.data.data(), &ia, &ja, a.descriptor, b.data.data(), &ib,
            &jb, b.descriptor, &beta, c.data.data(), &ic, &jc, c.descriptor);
}
void multiply(const char* ta, const char* tb, int m, int n, int k, double alpha, dealt<float>& a,
              int ia, int ja, dealt<float>& b, int ib, int jb, double beta, dealt<float>& c, int ic,
              int jc) {
    const auto x = static_cast<float>(alpha), y = static_cast<float>(beta);
    psgemm_(ta, tb, &m, &n, &k, &x, a.data.data(), &ia, &ja, a.descriptor, b.data.data(), &ib, &jb,
            b.descriptor, &y, c.data.data(), &ic, &jc, c.descriptor);
}

template <class T>
int wrong_entries(const grid& g, std::mt19937& engine) {
    const auto draw = [&](int least, int most) {
        return least + static_cast<int>(engine() % static_cast<unsigned>(most - least + 1));
    };
    const int m = draw(1, 60), n = draw(1, 60), k = draw(1, 60);
    const bool ta = draw(0, 1) == 1, tb = draw(0, 1) == 1;
    const int ia = draw(1, 9), ja = draw(1, 9), ib = draw(1, 9), jb = draw(1, 9), ic = draw(1, 9),
              jc = draw(1, 9);
    const auto made = [&](int rows, int cols) {
        return dealt<T>(g, rows, cols, draw(1, 8), draw(1, 8), draw(0, g.rows - 1),
                        draw(0, g.cols - 1));
    };
    dealt<T> a = made(ia + (ta ? k : m), ja + (ta ? m : k));
    dealt<T> b = made(ib + (tb ? n : k), jb + (tb ? k : n));
    dealt<T> c = made(ic + m, jc + n);
    a.each(g, [](int i, int j, T& x) { x = T(value_of(0, i, j)); });
    b.each(g, [](int i, int j, T& x) { x = T(value_of(1, i, j)); });
    c.each(g, [](int i, int j, T& x) { x = T(value_of(2, i, j)); });
    multiply(ta ? "T" : "N", tb ? "c" : "n", m, n, k, 2, a, ia, ja, b, ib, jb, -1, c, ic, jc);
    int wrong = 0;
    c.each(g, [&](int i, int j, const T& x) {
        double right = value_of(2, i, j);
        const int r = i - (ic - 1), s = j - (jc - 1);
        if (r >= 0 && r < m && s >= 0 && s < n) {
            double sum = 0;
            for (int p = 0; p < k; ++p) {
                const int ai = ia - 1 + (ta ? p : r), aj = ja - 1 + (ta ? r : p);
                const int bi = ib - 1 + (tb ? s : p), bj = jb - 1 + (tb ? p : s);
                sum += value_of(0, ai, aj) * value_of(1, bi, bj);
            }
            right = 2 * sum - right;
        }
        wrong += double(x) == right ? 0 : 1;
    });
    return wrong;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, size = 1;
    Cblacs_pinfo(&rank, &size);
    int wrong = 0, all = 0;
    for (const int rows : {1, 2, size}) {
        if (size % rows != 0) continue;
        grid g;
        Cblacs_get(-1, 0, &g.context);
        Cblacs_gridinit(&g.context, rows == 2 ? "Col" : "Row", rows, size / rows);
        Cblacs_gridinfo(g.context, &g.rows, &g.cols, &g.row, &g.col);
        std::mt19937 engine(static_cast<unsigned>(rows));
        for (int i = 0; i < 12; ++i)
            wrong += wrong_entries<double>(g, engine) + wrong_entries<float>(g, engine);
        Cblacs_gridexit(g.context);
    }
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) std::printf("%d processes: %d wrong entries\n", size, all);
    MPI_Finalize();
    return all == 0 ? 0 : 1;
}
