#include "lab/results/files.hpp"

#include <sstream>

#include "files/read.hpp"
#include "files/visible.hpp"
#include "lab/files/document.hpp"
#include "lab/files/growing.hpp"
#include "lab/files/output.hpp"
#include "lab/results/journal.hpp"

namespace carat::results {

namespace {

namespace fs = std::filesystem;

// Words that a file may have from elsewhere.
std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char ch : files::visible(text)) out += std::string(ch == '"' ? 2 : 1, ch);
    return out + "\"";
}

// Quotes where a value can't do without: ours never need them.
std::string word(const std::string& text) {
    const bool plain = text.find_first_of(",\"") == std::string::npos;
    return plain ? files::visible(text) : quoted(text);
}

// The median of each phase and of their total, each after a comma; empty where not measured.
std::string phase_columns(const result& c) {
    std::ostringstream out;
    out.precision(9);
    const auto column = [&](std::string_view name) {
        out << ',';
        const phase* found =
            c.end_to_end && c.end_to_end->measured() ? c.end_to_end->find(name) : nullptr;
        if (found != nullptr) out << found->median_s;
    };
    for (const std::string_view name : phase_names) column(name);
    column("total");
    return out.str();
}

// Which process took trial i, from 0.
std::size_t process_of(const result& c, std::size_t i) {
    std::size_t process = 0;
    for (const std::int64_t n : c.trials_per_process) {
        if (i < static_cast<std::size_t>(n)) break;
        i -= static_cast<std::size_t>(n);
        ++process;
    }
    return process;
}

}  // namespace

document load(const fs::path& path) {
    const std::string text = files::read(path, files::kind::or_pipe);
    document doc =
        from_json(files::with_visible_texts(files::parse(text, path.string())), path.string());
    if (doc.complete || files::is_stream(path)) return doc;
    const fs::path journal = files::growing_beside(path);
    std::error_code unknown;
    if (fs::exists(journal, unknown)) replay(files::read(journal), journal.string(), doc);
    return doc;
}

std::string csv(const document& doc) {
    std::ostringstream out;
    out.precision(9);
    out << "implementation,device,dtype,m,n,k,threads,threads_used,trial,process,time_s,gflops,"
           "error_ulp";
    for (const std::string_view name : phase_names) out << ',' << name << "_s";
    out << ",total_s\n";
    for (const result& c : doc.results)
        for (std::size_t i = 0; i < c.trials_s.size(); ++i)
            out << quoted(c.implementation) << ',' << word(c.device) << ',' << word(c.dtype) << ','
                << c.m << ',' << c.n << ',' << c.k << ',' << c.threads << ',' << c.threads_used
                << ',' << i << ',' << process_of(c, i) << ',' << c.trials_s[i] << ','
                << c.flop / c.trials_s[i] / 1e9 << ',' << c.error_ulp << phase_columns(c) << '\n';
    return out.str();
}

}  // namespace carat::results
