#include "forwarded.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <vector>

namespace carat::fuzz {

namespace {

// A routine's arguments, one letter each: n m k l sizes, t u d flags, a b factors, r a real one, x
// y vectors with increments, A a matrix with its leading dimension, P a packed one. `letters`: the
// types that have it. `gives`: whether it returns nothing, a number of its own type or an index.
struct routine_of_level_2 {
    std::string_view name;
    std::string_view letters;
    std::string_view arguments;
    char gives = ' ';
};

constexpr routine_of_level_2 routines[] = {
    {"swap", "sdcz", "nxy"},      {"copy", "sdcz", "nxy"},        {"scal", "sdcz", "nax"},
    {"axpy", "sdcz", "naxy"},     {"dot", "sd", "nxy", 'r'},      {"nrm2", "sd", "nx", 'r'},
    {"asum", "sd", "nx", 'r'},    {"amax", "sdcz", "nx", 'i'},    {"rot", "sd", "nxyrr"},
    {"gemv", "sdcz", "tmnaAxby"}, {"gbmv", "sdcz", "tmnklaAxby"}, {"symv", "sd", "unaAxby"},
    {"hemv", "cz", "unaAxby"},    {"sbmv", "sd", "unkaAxby"},     {"hbmv", "cz", "unkaAxby"},
    {"spmv", "sd", "unaPxby"},    {"hpmv", "cz", "unaPxby"},      {"trmv", "sdcz", "utdnAx"},
    {"trsv", "sdcz", "utdnAx"},   {"tbmv", "sdcz", "utdnkAx"},    {"tbsv", "sdcz", "utdnkAx"},
    {"tpmv", "sdcz", "utdnPx"},   {"tpsv", "sdcz", "utdnPx"},     {"ger", "sd", "mnaxyA"},
    {"geru", "cz", "mnaxyA"},     {"gerc", "cz", "mnaxyA"},       {"syr", "sd", "unaxA"},
    {"her", "cz", "unrxA"},       {"spr", "sd", "unaxP"},         {"hpr", "cz", "unrxP"},
    {"syr2", "sd", "unaxyA"},     {"her2", "cz", "unaxyA"},       {"spr2", "sd", "unaxyP"},
    {"hpr2", "cz", "unaxyP"},
};

class forwarded_call {
  public:
    forwarded_call(random_numbers& random, std::size_t integer_bytes)
        : random_(random), of_(random.pick(routines)), integer_bytes_(integer_bytes) {
        letter_ = of_.letters[random.below(of_.letters.size())];
        for (std::int64_t& size : sizes_) size = random.between(0, 24);
        for (const char kind : of_.arguments) add(kind);
    }

    [[nodiscard]] std::string name() const {
        const std::string whole = letter_ + std::string(of_.name) + "_";
        return of_.gives == 'i' ? "i" + whole : whole;
    }

    // All memory after the call, and the returned value.
    [[nodiscard]] std::vector<std::vector<std::byte>> operator()(void* routine) const {
        std::vector<std::vector<std::byte>> memory = memory_;
        std::array<const void*, 16> given = {};
        for (std::size_t i = 0; i < memory.size(); ++i) given[i] = memory[i].data();
        std::vector<std::byte> returned(sizeof(double));
        const auto keep = [&](auto value) { std::memcpy(returned.data(), &value, sizeof value); };
        if (of_.gives == 'r' && letter_ == 's')
            keep(call<float>(routine, given));
        else if (of_.gives == 'r')
            keep(call<double>(routine, given));
        else if (of_.gives == 'i')
            keep(static_cast<int>(call<std::int64_t>(routine, given)));
        else
            call<void>(routine, given);
        memory.push_back(returned);
        return memory;
    }

  private:
    template <class Result>
    static Result call(void* routine, const std::array<const void*, 16>& g) {
        using any = const void*;
        // Those that a routine lacks are the lengths of its flags.
        using function = Result (*)(any, any, any, any, any, any, any, any, any, any, any, any, any,
                                    std::size_t, std::size_t, std::size_t);
        return reinterpret_cast<function>(routine)(g[0], g[1], g[2], g[3], g[4], g[5], g[6], g[7],
                                                   g[8], g[9], g[10], g[11], g[12], 1, 1, 1);
    }

    [[nodiscard]] bool is_single() const { return letter_ == 's' || letter_ == 'c'; }
    [[nodiscard]] std::size_t parts() const { return letter_ == 'c' || letter_ == 'z' ? 2 : 1; }
    [[nodiscard]] std::int64_t longest() const { return std::max(sizes_[0], sizes_[1]); }

    void add_integer(std::int64_t value) {
        memory_.emplace_back(integer_bytes_);
        std::memcpy(memory_.back().data(), &value, integer_bytes_);  // the lower half comes first
    }

    void add_numbers(std::size_t count) {
        std::vector<std::byte>& to = memory_.emplace_back();
        for (std::size_t i = 0; i < count; ++i) {
            const double value = random_.uniform(-1, 1);
            const auto single = static_cast<float>(value);
            const auto* const from = is_single() ? reinterpret_cast<const std::byte*>(&single)
                                                 : reinterpret_cast<const std::byte*>(&value);
            to.insert(to.end(), from, from + (is_single() ? sizeof single : sizeof value));
        }
    }

    void add_flag(std::string_view choices) {
        memory_.push_back({static_cast<std::byte>(choices[random_.below(choices.size())])});
    }

    // Level 1 allows increments of 0.
    void add_vector() {
        const bool level_1 = of_.arguments[0] == 'n';
        std::int64_t increment = random_.between(-3, 3);
        if (increment == 0 && (!level_1 || of_.gives != ' ')) increment = -1;
        const std::int64_t size = 1 + longest() * (increment < 0 ? -increment : increment);
        add_numbers(static_cast<std::size_t>(size) * parts());
        add_integer(increment);
    }

    void add_matrix() {
        const std::int64_t lda = std::max<std::int64_t>({longest(), sizes_[2] + sizes_[3] + 1, 1}) +
                                 random_.between(0, 3);
        add_numbers(static_cast<std::size_t>(lda * std::max<std::int64_t>(longest(), 1)) * parts());
        add_integer(lda);
    }

    void add(char kind) {
        constexpr std::string_view sizes = "nmkl";
        if (const std::size_t at = sizes.find(kind); at != std::string_view::npos)
            return add_integer(sizes_[at]);
        switch (kind) {
            case 't':
                return add_flag("NTC");
            case 'u':
                return add_flag("UL");
            case 'd':
                return add_flag("NU");
            case 'r':
                return add_numbers(1);
            case 'a':
            case 'b':
                return add_numbers(parts());
            case 'A':
                return add_matrix();
            case 'P':
                return add_numbers(static_cast<std::size_t>(longest() * (longest() + 1) / 2 + 1) *
                                   parts());
            default:
                add_vector();
        }
    }

    random_numbers& random_;
    routine_of_level_2 of_;
    std::size_t integer_bytes_;
    char letter_ = 'd';
    std::array<std::int64_t, 4> sizes_ = {};
    std::vector<std::vector<std::byte>> memory_;
};

}  // namespace

std::string run_forwarded(const blas_library& ours, const blas_library& reference,
                          std::size_t integer_bytes, random_numbers& random, tally& count) {
    const forwarded_call one(random, integer_bytes);
    const std::string name = one.name();
    const auto is = one(ours.find(name));
    const auto right = one(reference.find(name));
    ++count.repeated;
    if (take_complaint() != complaint{}) return name + ": xerbla was told of an argument";
    return is == right ? std::string() : name + ": other bits than the reference's";
}

}  // namespace carat::fuzz
