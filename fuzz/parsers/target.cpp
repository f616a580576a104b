// Reads files from others: results, tables of `carat tune` and cached peaks. Any content must be
// read, or refused by a carat::error of one line.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <carat/error.hpp>

#include "lab/files/document.hpp"
#include "lab/files/fields.hpp"
#include "lab/machine/peaks.hpp"
#include "lab/results/document.hpp"
#include "tuning/tuned.hpp"

namespace {

template <class Read>
void read_or_refuse(const Read& read) {
    try {
        read();
    } catch (const carat::error& refused) {
        const std::string what = refused.what();
        if (!what.empty() && what.find('\n') == std::string::npos) return;
        std::fprintf(stderr, "refused by other than one line: %s\n", what.c_str());
        std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    read_or_refuse([&] { const carat::tuning::tuned_table table(text, "the table"); });
    read_or_refuse([&] {
        const auto document =
            carat::results::from_json(carat::files::parse(text, "the file"), "the file");
        static_cast<void>(carat::results::to_json(document));
    });
    read_or_refuse([&] {
        const auto file = carat::files::parse(text, "the file");
        const carat::files::fields in(file, "the file:", "no peaks");
        static_cast<void>(carat::machine::to_json(carat::machine::peaks_from_json(in.at("peaks"))));
    });
    return 0;
}
