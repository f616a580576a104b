// Matrices of any sizes in one call.
#include <memory>
#include <string>
#include <vector>

#include "dtypes.hpp"
#include "matmul.hpp"
#include "run.hpp"

namespace carat::python {

namespace {

using detail::erased_batch;
using detail::erased_matrix;

// Each matrix is checked under its own name, "a[3]".
class group {
  public:
    group(nb::handle source, const char* argument, side place, access how = access::read) {
        if (!nb::isinstance<nb::list>(source) && !nb::isinstance<nb::tuple>(source)) {
            add(source, argument, place, how);
            for_all_ = true;
            return;
        }
        const nb::object list = nb::steal(PySequence_List(source.ptr()));
        for (const nb::handle item : nb::borrow<nb::list>(list))
            add(item, argument + ("[" + std::to_string(operands_.size()) + "]"), place, how);
        if (operands_.empty())
            throw nb::value_error(
                (std::string(argument) + " is empty: give at least one matrix").c_str());
    }

    [[nodiscard]] bool for_all() const { return for_all_; }
    [[nodiscard]] std::size_t count() const { return operands_.size(); }
    [[nodiscard]] const operand& at(std::size_t i) const { return *operands_[for_all_ ? 0 : i]; }

    [[nodiscard]] erased_batch batch() const {
        if (for_all_) {
            erased_batch one = {matrices_[0], 0, 0, nullptr};
            one.for_all = true;
            return one;
        }
        erased_batch listed = {
            {nullptr, 0, 0, 0, 1, matrices_[0].type, 1}, matrices_.size(), 0, nullptr};
        listed.at = [](const void* list, std::size_t i) {
            return static_cast<const erased_matrix*>(list)[i];
        };
        listed.list = matrices_.data();
        return listed;
    }

  private:
    void add(nb::handle source, const std::string& argument, side place, access how) {
        auto next = std::make_unique<operand>(source, argument.c_str(), place, how);
        if (next->is_vector() || !next->stack_shape().empty())
            throw nb::value_error((argument + " is " + size_of(next->array()->shape()) +
                                   ": matrices of a group have two dimensions")
                                      .c_str());
        matrices_.push_back(next->matrix());
        operands_.push_back(std::move(next));
        const dtype type = matrices_[0].type;
        if (matrices_.back().type != type)
            throw nb::type_error(
                (argument + " is " + std::string(numpy_name(matrices_.back().type)) +
                 " but the first is " + std::string(numpy_name(type)) + ": all must be of one type")
                    .c_str());
    }

    std::vector<std::unique_ptr<operand>> operands_;
    std::vector<erased_matrix> matrices_;
    bool for_all_ = false;
};

nb::list make_results(nb::handle like, bool of_numpy, const group& a, const group& b,
                      std::size_t count, dtype type) {
    nb::list results;
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t shape[] = {static_cast<std::int64_t>(a.at(i).matrix().rows),
                                      static_cast<std::int64_t>(b.at(i).matrix().cols)};
        results.append(empty_like(like, of_numpy, a.at(i).gpu().has_value(), shape, type));
    }
    return results;
}

double work_of(const group& a, const group& b, std::size_t count) {
    double work = 0;
    for (std::size_t i = 0; i < count; ++i)
        work += static_cast<double>(a.at(i).matrix().rows) *
                static_cast<double>(a.at(i).matrix().cols) *
                static_cast<double>(b.at(i).matrix().cols);
    return work;
}

}  // namespace

nb::object matmul_grouped(nb::handle a_source, nb::handle b_source, const keywords& asked) {
    if (!asked.ends.is_none()) return matmul_shared_out(a_source, b_source, asked);
    const group a(a_source, "a", side::left);
    const group b(b_source, "b", side::right);
    if (a.for_all() && b.for_all())
        throw nb::type_error(
            "a and b are single matrices: one of them must be a list; or call matmul");
    if (!a.for_all() && !b.for_all() && a.count() != b.count())
        throw nb::value_error(("a has " + std::to_string(a.count()) + " matrices and b " +
                               std::to_string(b.count()) + ": they must be as many")
                                  .c_str());
    const std::size_t count = a.for_all() ? b.count() : a.count();
    const std::optional<int> gpu = common_gpu(a.at(0), b.at(0));
    const operand& first = a.at(0).array() ? a.at(0) : b.at(0);
    const nb::object like = first.array() && &first == &a.at(0)
                                ? (a.for_all() ? nb::borrow(a_source) : nb::object(a_source[0]))
                                : (b.for_all() ? nb::borrow(b_source) : nb::object(b_source[0]));
    const bool of_numpy = !first.array() || first.array()->of_numpy();

    nb::object results = nb::borrow(asked.out);
    const dtype natural = natural_result(a.at(0).type(), b.at(0).type());
    if (asked.out.is_none()) {
        const dtype type = asked.dtype.is_none() ? natural : type_asked(asked.dtype, "dtype");
        check_result(a.at(0).type(), type);
        results = make_results(like, of_numpy, a, b, count, type);
    }
    const group c(results, "out", side::left, access::write);
    check_result(a.at(0).type(), c.at(0).type());
    check_end(asked, c.at(0).type());
    std::optional<epilogue> last;
    if (has_epilogue(asked))
        last.emplace(asked, a.at(0).type(), static_cast<std::int64_t>(a.at(0).matrix().rows),
                     static_cast<std::int64_t>(b.at(0).matrix().cols), gpu.has_value());
    run_many(asked, like, gpu, work_of(a, b, count), a.batch(), b.batch(), c.batch(),
             last ? last->steps() : nullptr);
    if (of_numpy || !asked.out.is_none()) return results;
    nb::list returned;
    const nb::object give = nb::module_::import_("carat_gemm._arrays").attr("returned");
    for (const nb::handle result : nb::borrow<nb::list>(results))
        returned.append(give(like, result));
    return returned;
}

}  // namespace carat::python
