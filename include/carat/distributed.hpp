// C = A B and C = E + A B on matrices that are distributed over ranks: threads, processes or GPUs.
// Every rank makes the same call with its local parts.
//
//   const auto comm = carat::distributed::over(MPI_COMM_WORLD);       // carat/distributed_mpi.hpp
//   using carat::distributed::distribution;
//   carat::distributed::view a(my_a, distribution::by_rows(m, k, comm->size()));
//   carat::distributed::view b(my_b, distribution::replicated(k, n));
//   carat::distributed::view c(my_c, distribution::by_rows(m, n, comm->size()));
//   carat::distributed::matrix_product(*comm, a, b, c);                                // C = A B
//   carat::distributed::matrix_product(*comm, scaled(2, a), b, scaled(3, c), c);       // 3 C + 2 A
//   B
//
// Any sizes, number of ranks and layouts go together. Elements are double, float, carat::f16,
// carat::bf16 with a C of their own type or, for the last two, of float; std::int8_t and
// std::uint8_t with a C of std::int32_t. Sums of f16 and bf16 are kept and moved in float and
// rounded once. E must be C itself.
//
// An epilogue (carat/epilogue.hpp) is applied where C lies, after the sums of all ranks are added
// up. Its values, and the positions that a functor is given, are those of the local part of C: one
// value for each of its columns or rows. Gates, amax and a C of integers have no epilogue here.
//
// All ranks compare what they were given before any of them writes to C. If one of them was given
// other sizes, types, factors or layouts, or has too little memory, every rank throws the same
// carat::error, which names that rank. The same holds for integers that overflow.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include <carat/distribution.hpp>
#include <carat/epilogue.hpp>
#include <carat/erased.hpp>
#include <carat/export.hpp>
#include <carat/views.hpp>

namespace carat::distributed {

class place;  // where the local matrices of a rank lie, and what can be done there

// A message to or from another rank. Two ranks match their messages by order.
struct message {
    int peer;
    void* data;
    std::size_t bytes;
};

// Messages on their way. Their memory must stay as it is until finish() returns, or on a GPU until
// the work started after it runs.
class CARAT_API transfer {
  public:
    transfer() = default;
    transfer(const transfer&) = delete;
    transfer& operator=(const transfer&) = delete;
    virtual ~transfer() = default;
    // Until everything has been received; what is sent may still be read.
    virtual void arrive() = 0;
    // The end of it; arrive() comes first.
    virtual void finish() = 0;
};

class CARAT_API communicator {
  public:
    communicator() = default;
    communicator(const communicator&) = delete;
    communicator& operator=(const communicator&) = delete;
    virtual ~communicator() = default;

    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;
    // Writes the `bytes` of every rank to `all`, in the order of ranks; host memory, few bytes.
    virtual void all_gather(const void* mine, void* all, std::size_t bytes) = 0;
    [[nodiscard]] virtual std::unique_ptr<transfer> start(std::span<const message> sends,
                                                          std::span<const message> receives) = 0;
    [[nodiscard]] virtual place& where() = 0;
    // Whether messages travel while the rank multiplies; the same on all ranks. Where they do not,
    // no product is cut into parts to hide them.
    [[nodiscard]] virtual bool overlaps() const { return true; }
};

// Calls work(communicator) on so many threads, each a rank with its matrices in host memory and
// `threads` threads for its products. Returns when all have; if one throws, the others are woken
// where they wait for it, and the first exception is thrown again.
CARAT_API void with_threads(int ranks, const std::function<void(communicator&)>& work,
                            int threads = 1);

// The local part of a distributed matrix.
template <class T>
class view {
  public:
    using element_type = T;

    template <matrix_like M>
    view(M&& local, distribution where) : local_(view_of(local)), where_(std::move(where)) {}
    view(scaled_view<T> local, distribution where)
        : local_(local.matrix), where_(std::move(where)), factor_(local.factor) {}

    [[nodiscard]] const matrix_view<T>& local() const { return local_; }
    [[nodiscard]] const distribution& where() const { return where_; }
    [[nodiscard]] double factor() const { return factor_; }

  private:
    matrix_view<T> local_;
    distribution where_;
    double factor_ = 1;
};
template <matrix_like M>
view(M&&, distribution) -> view<typename decltype(view_of(std::declval<M&>()))::element_type>;

template <class T>
[[nodiscard]] view<T> scaled(double factor, const view<T>& v) {
    return {scaled_view<T>{factor * v.factor(), v.local()}, v.where()};
}
template <class T>
[[nodiscard]] view<T> transposed(const view<T>& v) {
    return {scaled_view<T>{v.factor(), carat::transposed(v.local())}, v.where().transposed()};
}

struct options {
    // Cuts the product along this dimension alone, the same on all ranks; otherwise the schedule
    // chooses. Along N, every rank multiplies all of A by its columns of B (all-gather and
    // product); along K, its columns of A by its rows of B (product and reduce-scatter).
    std::optional<dimension> along = {};
    // What this rank may use, its parts of A, B and C included; 0: no limit.
    std::size_t memory_bytes = 0;
};

// What a product has moved and kept, as counted while it was prepared.
struct traffic {
    std::int64_t words_received = 0;  // of A and B
    std::int64_t words_sent = 0;      // of C
    std::size_t workspace_bytes = 0;

    [[nodiscard]] std::int64_t words() const { return words_received + words_sent; }
};

namespace detail {

struct erased_view {
    carat::detail::erased_matrix local;
    distribution where;
};

template <class T>
erased_view erase(const view<T>& v) {
    scaled_view<T> local{v.factor(), v.local()};
    return {carat::detail::erase(local), v.where()};
}

template <class T>
concept byte_integer = std::same_as<T, std::int8_t> || std::same_as<T, std::uint8_t>;
template <class A, class B, class C>
concept multiplied = (std::same_as<A, B> && ((std::same_as<A, C> && is_floating(dtype_of_v<A>) &&
                                              !is_fp8(dtype_of_v<A>)) ||
                                             (is_half(dtype_of_v<A>) && std::same_as<C, float>))) ||
                     (byte_integer<A> && byte_integer<B> && std::same_as<C, std::int32_t>);

// Values are of the type of the sums.
template <class A, class Sums>
[[nodiscard]] const carat::detail::epilogue_steps* steps_for(const epilogue<Sums>& last) {
    using sums = std::conditional_t<std::same_as<std::remove_const_t<A>, double>, double, float>;
    static_assert(std::same_as<Sums, carat::detail::any_sums> || std::same_as<Sums, sums>,
                  "carat::distributed: values of an epilogue must be double for a product of "
                  "double, and float for others");
    return &last.steps();
}

struct prepared;

}  // namespace detail

// A product that is prepared once and runs any number of times on the same local memory. Every
// rank constructs it and calls it in the same order.
class product {
  public:
    template <class A, class B, class C>
    requires detail::multiplied<std::remove_const_t<A>, std::remove_const_t<B>, C> product(
        communicator& comm, const view<A>& a, const view<B>& b, const view<C>& c,
        const options& how = {})
        : product(comm, detail::erase(a), detail::erase(b), std::nullopt, detail::erase(c), how) {}
    // `e` must be `c`, scaled or not.
    template <class A, class B, class C>
    requires detail::multiplied<std::remove_const_t<A>, std::remove_const_t<B>, C> product(
        communicator& comm, const view<A>& a, const view<B>& b, const view<C>& e, const view<C>& c,
        const options& how = {})
        : product(comm, detail::erase(a), detail::erase(b), detail::erase(e), detail::erase(c),
                  how) {}
    // C = epilogue(A B), or E + epilogue(A B).
    template <class A, class B, class C, class Sums>
    requires detail::multiplied<std::remove_const_t<A>, std::remove_const_t<B>, C> product(
        communicator& comm, const view<A>& a, const view<B>& b, const view<C>& c,
        const epilogue<Sums>& last, const options& how = {})
        : product(comm, detail::erase(a), detail::erase(b), std::nullopt, detail::erase(c), how,
                  detail::steps_for<A>(last)) {}
    template <class A, class B, class C, class Sums>
    requires detail::multiplied<std::remove_const_t<A>, std::remove_const_t<B>, C> product(
        communicator& comm, const view<A>& a, const view<B>& b, const view<C>& e, const view<C>& c,
        const epilogue<Sums>& last, const options& how = {})
        : product(comm, detail::erase(a), detail::erase(b), detail::erase(e), detail::erase(c), how,
                  detail::steps_for<A>(last)) {}
    CARAT_API product(communicator& comm, const detail::erased_view& a,
                      const detail::erased_view& b, const std::optional<detail::erased_view>& e,
                      const detail::erased_view& c, const options& how,
                      const carat::detail::epilogue_steps* steps = nullptr);
    CARAT_API ~product();
    product(const product&) = delete;
    product& operator=(const product&) = delete;

    CARAT_API void operator()();
    [[nodiscard]] CARAT_API traffic moved() const;

  private:
    std::unique_ptr<detail::prepared> prepared_;
};

// Views are passed by value, so that these and not the functions of carat/product.hpp are found
// where a call names no namespace.
template <class A, class B, class C>
void matrix_product(communicator& comm, view<A> a, view<B> b, view<C> c, const options& how = {}) {
    product(comm, a, b, c, how)();
}
template <class A, class B, class C>
void matrix_product(communicator& comm, view<A> a, view<B> b, view<C> e, view<C> c,
                    const options& how = {}) {
    product(comm, a, b, e, c, how)();
}

template <class A, class B, class C, class Sums>
void matrix_product(communicator& comm, view<A> a, view<B> b, view<C> c, const epilogue<Sums>& last,
                    const options& how = {}) {
    product(comm, a, b, c, last, how)();
}
template <class A, class B, class C, class Sums>
void matrix_product(communicator& comm, view<A> a, view<B> b, view<C> e, view<C> c,
                    const epilogue<Sums>& last, const options& how = {}) {
    product(comm, a, b, e, c, last, how)();
}

// C = A B where every rank has some rows of A and some columns of B and C: A is gathered, and each
// piece multiplied while the next one arrives.
template <class A, class B, class C>
void gather_product(communicator& comm, const view<A>& a, const view<B>& b, const view<C>& c) {
    matrix_product(comm, a, b, c, {.along = dimension::n});
}
// C = A B where every rank has some columns of A and the same rows of B: the products of all ranks
// are added up, and each rank gets its part of C.
template <class A, class B, class C>
void product_scatter(communicator& comm, const view<A>& a, const view<B>& b, const view<C>& c) {
    matrix_product(comm, a, b, c, {.along = dimension::k});
}

// Copies a matrix to another layout.
namespace detail {
CARAT_API void redistribute(communicator& comm, const erased_view& from, const erased_view& to);
}
template <class T>
void redistribute(communicator& comm, const view<const T>& from, const view<T>& to) {
    detail::redistribute(comm, detail::erase(from), detail::erase(to));
}
template <class T>
void redistribute(communicator& comm, const view<T>& from, const view<T>& to) {
    detail::redistribute(comm, detail::erase(from), detail::erase(to));
}

// The layouts with which a product over so many ranks moves the fewest words.
struct layouts {
    distribution a;
    distribution b;
    distribution c;
};
[[nodiscard]] CARAT_API layouts best_layouts(std::int64_t m, std::int64_t n, std::int64_t k,
                                             int ranks);
// Those with which a product over these ranks takes least: where messages don't travel beside
// products, copies count as well as words.
[[nodiscard]] CARAT_API layouts best_layouts(const communicator& comm, std::int64_t m,
                                             std::int64_t n, std::int64_t k);

}  // namespace carat::distributed
