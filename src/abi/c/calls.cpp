// carat.h over the C++ call: structures become views, exceptions become a status and a message.
#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string>

#include <carat/batch.hpp>
#include <carat/carat.h>
#include <carat/prepare.hpp>
#include <carat/product.hpp>

#include "core/memory.hpp"
#include "core/pool.hpp"
#include "core/threads.hpp"

struct carat_prepared {
    carat::prepared_matrix matrix;
};

namespace {

using carat::error;
using carat::error_code;
using carat::detail::epilogue_step;
using carat::detail::epilogue_steps;
using carat::detail::erased_batch;
using carat::detail::erased_matrix;
using carat::detail::step_kind;

static_assert(CARAT_U8 == static_cast<int>(carat::dtype::u8) &&
              CARAT_E4M3 == static_cast<int>(carat::dtype::e4m3));

// Has a fixed size, so that running out of memory can be reported, too.
thread_local std::array<char, 512> last_message{};

carat_status failed(carat_status status, const char* why) {
    std::size_t length = std::min(std::strlen(why), last_message.size() - 1);
    const auto inside_a_character = [&] {
        return (static_cast<unsigned char>(why[length]) & 0xC0U) == 0x80U;
    };
    while (length > 0 && inside_a_character()) --length;
    std::copy_n(why, length, last_message.begin());
    last_message[length] = 0;
    return status;
}

carat_status status_of(error_code code) {
    switch (code) {
        case error_code::invalid_argument:
            return CARAT_INVALID_ARGUMENT;
        case error_code::size_mismatch:
            return CARAT_SIZE_MISMATCH;
        case error_code::aliasing:
            return CARAT_ALIASING;
        case error_code::overflow:
            return CARAT_OVERFLOW;
        case error_code::out_of_memory:
            return CARAT_OUT_OF_MEMORY;
        case error_code::unsupported:
            return CARAT_UNSUPPORTED;
        case error_code::device_failed:
            return CARAT_DEVICE_FAILED;
    }
    return CARAT_INVALID_ARGUMENT;
}

template <class Call>
carat_status told(const Call& call) {
    try {
        call();
        return CARAT_OK;
    } catch (const error& why) {
        return failed(status_of(why.code()), why.what());
    } catch (const std::bad_alloc&) {
        return failed(CARAT_OUT_OF_MEMORY, "carat: no memory");
    } catch (const std::exception& why) {
        return failed(CARAT_UNSUPPORTED, why.what());
    } catch (...) {  // thrown by a function that the program gave
        return failed(CARAT_UNSUPPORTED, "carat: an exception of unknown type");
    }
}

[[noreturn]] void refuse(const std::string& why) {
    throw error(error_code::invalid_argument, why);
}

erased_matrix erased(const carat_matrix* m, const char* name) {
    if (m == nullptr) refuse(std::string(name) + " is null: give a carat_matrix");
    const int type = m->type;
    if (type < 0 || type >= static_cast<int>(carat::all_dtypes.size()))
        refuse(std::string(name) + ".type is " + std::to_string(type) +
               ": it must be one of enum carat_dtype");
    return {
        m->data, m->rows, m->cols, m->row_stride, m->col_stride, static_cast<carat::dtype>(type),
        1};
}

// Members that the caller's version of the structure lacks keep their defaults.
carat_options complete(const carat_options* given) {
    carat_options all = CARAT_OPTIONS_INIT;
    if (given == nullptr) return all;
    constexpr std::size_t least = offsetof(carat_options, step_count) + sizeof(std::size_t);
    if (given->struct_size < least || given->struct_size > 4096)
        refuse("options.struct_size is " + std::to_string(given->struct_size) + ": at least " +
               std::to_string(least) + "; begin with CARAT_OPTIONS_INIT");
    std::memcpy(&all, given, std::min(given->struct_size, sizeof(all)));
    return all;
}

epilogue_step erased(const carat_step& step) {
    constexpr std::array kinds = {step_kind::bias, step_kind::scale, step_kind::scale_all,
                                  step_kind::relu, step_kind::gelu,  step_kind::silu};
    const int kind = step.kind;
    if (kind < 0 || kind >= static_cast<int>(kinds.size()))
        refuse("a step's kind is " + std::to_string(kind) +
               ": it must be one of enum carat_step_kind");
    if (kind <= CARAT_SCALE && step.by != CARAT_BY_ROW && step.by != CARAT_BY_COLUMN)
        refuse("a step is by " + std::to_string(static_cast<int>(step.by)) +
               ": it must be one of enum carat_by");
    return {.kind = kinds[static_cast<std::size_t>(kind)],
            .of = step.by == CARAT_BY_ROW ? carat::by::row : carat::by::column,
            .values = step.values,
            .count = step.count,
            .number = step.number};
}

std::optional<epilogue_steps> epilogue_of(const carat_options& options) {
    if (options.step_count == 0) return {};
    if (options.steps == nullptr || options.step_count > carat::detail::most_steps)
        refuse("options has " + std::to_string(options.step_count) + " steps" +
               (options.steps == nullptr ? " at null" : "") + ": at most " +
               std::to_string(carat::detail::most_steps) + ", at an address");
    std::optional<epilogue_steps> steps(std::in_place);
    for (std::size_t i = 0; i < options.step_count; ++i)
        steps->at[steps->count++] = erased(options.steps[i]);
    return steps;
}

// Calls run with a policy for the CPU or a GPU.
template <class Run>
void run_there(const carat_options& options, const Run& run) {
    if (options.on_gpu != 0)
        return run(carat::cuda{.stream = static_cast<CUstream_st*>(options.stream),
                               .device = options.device});
    run(carat::cpu{.threads = options.threads});
}

void multiply(const carat_options* given, erased_matrix a, const erased_matrix& b,
              const carat_matrix* to) {
    const carat_options options = complete(given);
    const erased_matrix c = erased(to, "C");
    a.factor *= options.alpha;
    erased_matrix e = c;
    e.factor = options.beta;
    const erased_matrix* const added = options.beta == 0 ? nullptr : &e;
    const std::optional<epilogue_steps> steps = epilogue_of(options);
    run_there(options, [&](const auto& where) {
        if (steps) return carat::detail::multiply_with_epilogue(where, a, b, added, c, *steps);
        carat::detail::multiply(where, a, b, added, c);
    });
}

erased_batch batch(const erased_matrix& first, std::ptrdiff_t stride, std::size_t count) {
    erased_batch of = {first, count, stride, nullptr};
    if (stride == 0) {
        of.count = 0;
        of.for_all = true;
    }
    return of;
}

erased_batch ragged(const erased_matrix& all, bool by_columns, const int32_t* ends,
                    std::size_t count) {
    erased_batch of = {all, count, 0, nullptr};
    of.ragged = true;
    of.by_columns = by_columns;
    of.ends = ends;
    return of;
}

// Applies the options' factors to A and C.
void multiply_all(const carat_options& options, erased_batch a, const erased_batch& b,
                  const erased_batch& c) {
    a.first.factor = options.alpha;
    erased_batch e = c;
    e.first.factor = options.beta;
    const std::optional<epilogue_steps> steps = epilogue_of(options);
    run_there(options, [&](const auto& where) {
        carat::detail::multiply_batch(where, a, b, options.beta == 0 ? nullptr : &e, c,
                                      steps ? &*steps : nullptr);
    });
}

}  // namespace

carat_status carat_matmul(const carat_options* options, const carat_matrix* a,
                          const carat_matrix* b, const carat_matrix* c) {
    return told([&] { multiply(options, erased(a, "A"), erased(b, "B"), c); });
}

carat_status carat_matmul_strided(const carat_options* given, const carat_matrix* a,
                                  ptrdiff_t a_stride, const carat_matrix* b, ptrdiff_t b_stride,
                                  const carat_matrix* c, ptrdiff_t c_stride, size_t count) {
    return told([&] {
        multiply_all(complete(given), batch(erased(a, "A"), a_stride, count),
                     batch(erased(b, "B"), b_stride, count),
                     {erased(c, "C"), count, c_stride, nullptr});
    });
}

carat_status carat_matmul_ragged(const carat_options* given, const carat_matrix* a,
                                 const carat_matrix* b, ptrdiff_t b_stride, const carat_matrix* c,
                                 const int32_t* ends, size_t count) {
    return told([&] {
        multiply_all(complete(given), ragged(erased(a, "A"), false, ends, count),
                     batch(erased(b, "B"), b_stride, count),
                     ragged(erased(c, "C"), false, ends, count));
    });
}

carat_status carat_matmul_ragged_k(const carat_options* given, const carat_matrix* a,
                                   const carat_matrix* b, const carat_matrix* c, ptrdiff_t c_stride,
                                   const int32_t* ends, size_t count) {
    return told([&] {
        multiply_all(complete(given), ragged(erased(a, "A"), true, ends, count),
                     ragged(erased(b, "B"), false, ends, count),
                     {erased(c, "C"), count, c_stride, nullptr});
    });
}

carat_status carat_prepare(const carat_matrix* b, carat_prepared** prepared) {
    return told([&] {
        if (prepared == nullptr) refuse("prepared is null: give the address of a pointer");
        const erased_matrix matrix = erased(b, "B");
        if (matrix.type == carat::dtype::i32 || carat::is_fp8(matrix.type))
            refuse("B is " + std::string(name(matrix.type)) +
                   ": f64, f32, f16, bf16, i8 and u8 are prepared");
        *prepared = new carat_prepared{carat::detail::prepare(matrix, carat::side::right)};
    });
}

carat_status carat_matmul_prepared(const carat_options* options, const carat_matrix* a,
                                   const carat_prepared* b, const carat_matrix* c) {
    return told([&] {
        if (b == nullptr) refuse("B is null: give what carat_prepare made");
        if (options != nullptr && complete(options).on_gpu != 0)
            refuse("options.on_gpu is set but B was prepared for the CPU");
        multiply(options, erased(a, "A"), b->matrix.erased(), c);
    });
}

void carat_prepared_free(carat_prepared* prepared) {
    delete prepared;
}

const char* carat_message(void) {
    return last_message.data();
}

int carat_threads(int asked) {
    return carat::core::most_threads(asked);
}

void carat_set_parallel(carat_parallel parallel, void* context) {
    carat::core::run_pieces_on(parallel, context);
}

carat_status carat_set_allocator(carat_allocate allocate, carat_release release, void* context) {
    return told([&] {
        if ((allocate == nullptr) != (release == nullptr))
            refuse("allocate and release must both be given, or both be null");
        carat::core::set_allocator(allocate == nullptr
                                       ? carat::core::usual_allocator()
                                       : carat::core::allocator{allocate, release, context});
    });
}

const char* carat_version(void) {
    return CARAT_VERSION;
}
