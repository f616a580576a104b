// Replaces libFuzzer with the corpus and changed copies of it: carat_fuzz_parsers FILES...
// [-runs=N]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/random.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

// Changes a byte, or removes, doubles or replaces a part by extreme numbers and nesting.
std::string changed(std::string text, carat::fuzz::random_numbers& random) {
    const std::size_t at = random.below(text.size() + 1);
    const std::size_t length = random.below(std::min<std::size_t>(text.size() - at, 40) + 1);
    constexpr std::string_view odd[] = {"1e999", "-1",      "null",  "[[[[",
                                        "{\"",   "\\ud800", "\x1b[", "18446744073709551616",
                                        "\"",    "0.5"};
    switch (random.below(4)) {
        case 0:
            if (at < text.size()) text[at] = static_cast<char>(random.next());
            return text;
        case 1:
            return text.erase(at, length);
        case 2:
            return text.insert(at, text.substr(at, length));
        default:
            return text.replace(at, length, random.pick(odd));
    }
}

void read(const std::string& text) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

}  // namespace

int main(int count, char** words) {
    std::uint64_t runs = 20'000;
    std::vector<std::string> corpus;
    for (int i = 1; i < count; ++i) {
        const std::string_view word = words[i];
        if (word.starts_with("-runs=")) {
            runs = std::strtoull(words[i] + 6, nullptr, 10);
            continue;
        }
        std::ifstream file(words[i], std::ios::binary);
        corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        if (!file || corpus.back().empty()) {
            std::fprintf(stderr, "carat_fuzz_parsers: %s can't be read\n", words[i]);
            return 2;
        }
        read(corpus.back());
    }
    if (corpus.empty()) {
        std::fprintf(stderr, "carat_fuzz_parsers: name the files of a corpus\n");
        return 2;
    }
    for (std::uint64_t run = 0; run < runs; ++run) {
        carat::fuzz::random_numbers random(1, run);
        std::string text = corpus[random.below(corpus.size())];
        for (std::size_t changes = 1 + random.below(4); changes > 0; --changes)
            text = changed(text, random);
        read(text);
    }
    std::printf("%zu files and %llu changed copies were read or refused\n", corpus.size(),
                static_cast<unsigned long long>(runs));
}
