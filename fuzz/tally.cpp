#include "tally.hpp"

#include <algorithm>

namespace carat::fuzz {

const std::array<const char*, features> feature_names = {
    "f64",
    "f32",
    "f32 as 3xtf32",
    "f32 as tf32",
    "f16",
    "bf16",
    "e4m3",
    "e5m2",
    "i32",
    "bytes",
    "strided batches",
    "batches at pointers",
    "lists",
    "lists laid out alike",
    "A by columns",
    "A with gaps",
    "both strides above 1",
    "negative strides",
    "strides of 0",
    "A at no multiple of 16 bytes",
    "NaN and infinities",
    "subnormal numbers",
    "extreme exponents",
    "with E",
    "with an epilogue",
    "with a gate",
    "with the largest number",
    "with scales of blocks",
    "with a prepared operand",
    "through carat.h",
    "of more than 1e6 multiplications",
    "of more than 1e8",
    "of some millions of entries",
    "batches among them",
    "on streams",
    "captured by a graph",
    "with C in memory of the graph",
    "whose A the call ahead makes",
    "in memory of cudaMallocAsync",
    "beside other threads of its own",
    "in nearly full memory",
    "beside one that filled memory",
    "beyond 2^31 elements",
    "batch-invariant",
    "again product by product",
    "again with fewer rows",
    "lists beside a strided B",
    "batches with one E",
    "told as transposes",
    "with zeros of both signs in steps",
    "in managed memory",
    "in the host's pinned memory",
    "on a GPU that had to be refused",
    "again after memory was full",
    "sharing out a matrix by ends in memory",
};

void tally::add(const tally& other) {
    const auto sum = [](auto& to, const auto& from) {
        for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
    };
    cases += other.cases;
    entries += other.entries;
    excused += other.excused;
    refused += other.refused;
    refused_apart += other.refused_apart;
    repeated += other.repeated;
    no_memory += other.no_memory;
    most_stack = std::max(most_stack, other.most_stack);
    sum(with, other.with);
    sum(planted, other.planted);
    sum(caught, other.caught);
}

std::string text_of(const tally& t, const std::string& name) {
    const auto number = [](std::uint64_t n) { return std::to_string(n); };
    std::string text = name + ": " + number(t.cases) + " cases, " + number(t.entries) +
                       " entries (" + number(t.excused) + " excused), " + number(t.refused) +
                       " refused as they must be, " + number(t.repeated) + " compared by bits, " +
                       number(t.no_memory) + " without memory, stack at most " +
                       number(t.most_stack) + " bytes\n";
    for (std::size_t i = 0; i < features; ++i)
        if (t.with[i] != 0) text += "  " + number(t.with[i]) + " " + feature_names[i] + "\n";
    if (t.refused_apart != 0)
        text += "  " + number(t.refused_apart) + " refused for an overlap that is none\n";
    text += "  planted errors caught:";
    for (std::size_t i = 0; i < error_kinds; ++i)
        if (t.planted[i] != 0)
            text += std::string(" ") + error_kind_names[i] + " " + number(t.caught[i]) + " of " +
                    number(t.planted[i]) + ";";
    return text + "\n";
}

}  // namespace carat::fuzz
