#include "c_cases.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <thread>

#include "c_product.hpp"

namespace carat::fuzz {

namespace {

struct wrong_argument {
    const char* what;
    // Returns false if it does not apply.
    bool (*spoil)(random_numbers& random, c_product& p);
    carat_status expected = CARAT_INVALID_ARGUMENT;
    carat_status other = CARAT_INVALID_ARGUMENT;  // as right
};

template <class T>
T odd_number(random_numbers& random, int first) {
    const int some[] = {first, first + 1, 77, 1 << 20, -1, std::numeric_limits<int>::min()};
    return static_cast<T>(random.pick(some));
}

carat_matrix& some_matrix(random_numbers& random, c_product& p) {
    return p.of[random.below(3)];
}

bool is_shared_out(const c_product& p) {
    return p.what == c_call::ragged || p.what == c_call::ragged_k;
}

const wrong_argument wrong_arguments[] = {
    {"a matrix that is null",
     [](random_numbers& random, c_product& p) {
         p.told[random.below(3)] = nullptr;
         return true;
     }},
    {"a matrix without data",
     [](random_numbers& random, c_product& p) {
         some_matrix(random, p).data = nullptr;
         return true;
     }},
    {"a type that is none",
     [](random_numbers& random, c_product& p) {
         some_matrix(random, p).type = odd_number<carat_dtype>(random, CARAT_U8 + 1);
         return true;
     }},
    {"types that are not multiplied",
     [](random_numbers&, c_product& p) {
         p.of[0].type = CARAT_F32;
         return true;
     }},
    {"a negative number of rows",
     [](random_numbers& random, c_product& p) {
         some_matrix(random, p).rows = std::numeric_limits<std::size_t>::max() - random.below(9);
         return true;
     },
     CARAT_SIZE_MISMATCH, CARAT_OVERFLOW},
    {"a column too many",
     [](random_numbers&, c_product& p) {
         ++p.of[0].cols;
         return true;
     },
     CARAT_SIZE_MISMATCH, CARAT_SIZE_MISMATCH},
    {"options of no size",
     [](random_numbers& random, c_product& p) {
         p.options.struct_size = random.below(2) * random.below(sizeof(std::size_t));
         return true;
     }},
    {"options larger than any version's",
     [](random_numbers& random, c_product& p) {
         p.options.struct_size = std::size_t{4097} << random.below(50);
         return true;
     }},
    {"a negative number of threads",
     [](random_numbers& random, c_product& p) {
         p.options.threads = -1 - static_cast<int>(random.below(9));
         return true;
     }},
    {"more steps than there may be",
     [](random_numbers& random, c_product& p) {
         p.options.step_count = 9 + random.below(2) * (std::size_t{1} << 40);
         return true;
     }},
    {"steps that are null",
     [](random_numbers&, c_product& p) {
         p.options.steps = nullptr;
         return p.options.step_count != 0;
     }},
    {"a step that is none",
     [](random_numbers& random, c_product& p) {
         p.steps[0].kind = odd_number<carat_step_kind>(random, CARAT_SILU + 1);
         return p.options.step_count != 0;
     }},
    {"a step by neither rows nor columns",
     [](random_numbers& random, c_product& p) {
         if (p.options.step_count == 0 || p.steps[0].kind != CARAT_BIAS) return false;
         if (random.chance(2)) p.steps[0].kind = CARAT_SCALE;
         p.steps[0].by = odd_number<carat_by>(random, CARAT_BY_COLUMN + 1);
         return true;
     }},
    {"a bias without values",
     [](random_numbers&, c_product& p) {
         p.steps[0].values = nullptr;
         return p.options.step_count != 0 && p.steps[0].kind == CARAT_BIAS;
     }},
    {"a bias with a value too many",
     [](random_numbers&, c_product& p) {
         ++p.steps[0].count;
         return p.options.step_count != 0 && p.steps[0].kind == CARAT_BIAS;
     },
     CARAT_SIZE_MISMATCH, CARAT_SIZE_MISMATCH},
    {"ends that are null",
     [](random_numbers&, c_product& p) {
         p.told_ends = nullptr;
         return is_shared_out(p);
     }},
    {"an end below 0 or beyond the matrix",
     [](random_numbers& random, c_product& p) {
         p.ends[random.below(p.count)] = odd_number<std::int32_t>(random, 1 << 20);
         return is_shared_out(p);
     }},
    {"two C in one place",
     [](random_numbers&, c_product& p) {
         p.strides[2] = 0;
         return p.count > 1 && (p.what == c_call::strided || p.what == c_call::ragged_k);
     },
     CARAT_ALIASING, CARAT_ALIASING},
};

std::string check_message(const char* what) {
    const std::string message = carat_message();
    if (message.empty()) return std::string(what) + ": no message";
    return message.find('\n') == std::string::npos
               ? std::string()
               : std::string(what) + ": a message of several lines: " + message;
}

std::string try_wrong_argument(c_product& p, random_numbers& random, tally& count) {
    const wrong_argument& wrong = random.pick(wrong_arguments);
    if (!wrong.spoil(random, p)) return {};
    const carat_status status = p.call();
    if (status != wrong.expected && status != wrong.other)
        return std::string(wrong.what) + ": status " + std::to_string(status) + " (" +
               carat_message() + ")";
    if (!p.is_untouched()) return std::string(wrong.what) + ": refused, but C was written";
    ++count.refused;
    return check_message(wrong.what);
}

// One case in twelve changes a number in C's memory, an entry or beside it, which must be found.
std::string check_planted_error(c_product& p, random_numbers& random, tally& count) {
    if (!random.chance(12)) return {};
    constexpr auto n = static_cast<std::size_t>(error_kind::entry);
    p.memory[2][random.below(p.memory[2].size())] += 1;
    ++count.planted[n];
    if (p.check().empty()) return "a planted error was not found";
    ++count.caught[n];
    return {};
}

std::string make_right_call(c_product& p, random_numbers& random, tally& count) {
    p.restore();
    if (const carat_status status = p.call(); status != CARAT_OK)
        return "status " + std::to_string(status) + ": " + carat_message();
    count.entries += p.before.size();
    if (std::string wrong = p.check(); !wrong.empty()) return wrong;
    return check_planted_error(p, random, count);
}

// Each is a null, or one of two functions that belong together.
std::string try_nulls(random_numbers& random) {
    carat_prepared_free(nullptr);
    std::vector<double> x(4);
    const carat_matrix m = {x.data(), 2, 2, 2, 1, CARAT_F64};
    carat_prepared* packed = nullptr;
    const auto allocate = [](void*, std::size_t, std::size_t) -> void* { return nullptr; };
    const auto release = [](void*, void*, std::size_t, std::size_t) {};
    carat_status status = CARAT_OK;
    switch (random.below(5)) {
        case 0:
            status = carat_prepare(nullptr, &packed);
            break;
        case 1:
            status = carat_prepare(&m, nullptr);
            break;
        case 2:
            status = carat_matmul_prepared(nullptr, &m, nullptr, &m);
            break;
        case 3:
            status = carat_set_allocator(allocate, nullptr, nullptr);
            break;
        default:
            status = carat_set_allocator(nullptr, release, nullptr);
    }
    if (packed != nullptr) return "nothing was prepared, but something returned";
    return status == CARAT_INVALID_ARGUMENT ? check_message("a null")
                                            : "a null: status " + std::to_string(status);
}

// The program's threads: one for each index, or a single one that takes the last piece first.
struct own_threads {
    bool alone;
    std::atomic<int> calls = 0;

    static void run(void* context, int pieces, int threads, carat_run_piece piece,
                    const void* work) {
        auto& own = *static_cast<own_threads*>(context);
        ++own.calls;
        if (own.alone) {
            for (int i = pieces - 1; i >= 0; --i) piece(work, i, threads - 1);
            return;
        }
        std::atomic<int> next = 0;
        std::vector<std::thread> all;
        for (int thread = 0; thread < threads; ++thread)
            all.emplace_back([&, thread] {
                for (int i = next++; i < pieces; i = next++) piece(work, i, thread);
            });
        for (std::thread& one : all) one.join();
    }
};

std::string try_own_threads(c_product& p, random_numbers& random, tally& count) {
    if (std::string wrong = make_right_call(p, random, count); !wrong.empty()) return wrong;
    own_threads own{random.chance(2)};
    carat_set_parallel(own_threads::run, &own);
    std::string wrong = make_right_call(p, random, count);
    carat_set_parallel(nullptr, nullptr);
    if (!wrong.empty()) return "with threads of its own: " + wrong;
    const int calls = own.calls;
    wrong = make_right_call(p, random, count);
    if (own.calls != calls) return "threads that were given back are called";
    return wrong.empty() ? wrong : "with carat's threads again: " + wrong;
}

// The program's allocator, which reports misuse.
struct own_memory {
    std::mutex guard;
    std::map<void*, std::array<std::size_t, 2>> lent;
    int successes;  // before one that fails; -1: none does
    bool failed = false;
    std::string wrong;

    static void* allocate(void* context, std::size_t size, std::size_t alignment) {
        auto& own = *static_cast<own_memory*>(context);
        const std::scoped_lock lock(own.guard);
        if (own.successes == 0) own.failed = true;
        if (own.successes-- == 0) return nullptr;
        const std::size_t at_least = std::max(alignment, sizeof(void*));
        void* const memory =
            std::aligned_alloc(at_least, (size + at_least - 1) / at_least * at_least);
        own.lent[memory] = {size, alignment};
        return memory;
    }
    static void release(void* context, void* memory, std::size_t size, std::size_t alignment) {
        auto& own = *static_cast<own_memory*>(context);
        const std::scoped_lock lock(own.guard);
        const auto found = own.lent.find(memory);
        if (found == own.lent.end()) {
            own.wrong = "memory goes back that was not lent";
            return;
        }
        if (found->second != std::array{size, alignment})
            own.wrong = "memory goes back with another size or alignment";
        own.lent.erase(found);
        std::free(memory);
    }
};

// Runs in a thread that ends; by then all memory must have been returned.
std::string try_own_memory(c_product& p, random_numbers& random, tally& count) {
    own_memory own;
    own.successes = random.chance(3) ? static_cast<int>(random.below(3)) : -1;
    if (carat_set_allocator(own_memory::allocate, own_memory::release, &own) != CARAT_OK)
        return std::string("an allocator was refused: ") + carat_message();
    std::string wrong;
    std::thread([&] {
        const carat_status status = p.call();
        if (own.failed && status == CARAT_OUT_OF_MEMORY) {
            ++count.no_memory;
            wrong = p.is_untouched() ? check_message("without memory")
                                     : "without memory, but C was written";
        } else {
            wrong = status == CARAT_OK
                        ? p.check()
                        : "status " + std::to_string(status) + ": " + carat_message();
        }
    }).join();
    if (carat_set_allocator(nullptr, nullptr, nullptr) != CARAT_OK) return "an allocator stays";
    if (!wrong.empty()) return "with memory of its own: " + wrong;
    if (!own.wrong.empty()) return own.wrong;
    if (!own.lent.empty()) return "memory of an allocator has not come back";
    return make_right_call(p, random, count);
}

}  // namespace

std::string run_c_case(std::uint64_t seed, std::uint64_t number, const surroundings& in,
                       tally& count) {
    random_numbers random(seed, number);
    const std::size_t kind = random.below(8);
    const bool large = kind >= 6 && random.chance(4);
    c_product p(random, large ? 150 : 12, kind == 4);
    const std::string text = p.describe();
    tell_description(in, text);
    ++count.cases;
    count.note(feature::by_c);
    std::string wrong;
    if (kind < 4) wrong = try_wrong_argument(p, random, count);
    if (kind == 4) wrong = make_right_call(p, random, count);
    if (kind == 5) wrong = try_nulls(random);
    if (kind == 6) wrong = try_own_threads(p, random, count);
    if (kind == 7) wrong = try_own_memory(p, random, count);
    return wrong.empty() ? wrong : text + ": " + wrong;
}

}  // namespace carat::fuzz
