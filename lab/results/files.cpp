#include "lab/results/files.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <carat/error.hpp>

namespace carat::results {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::string& what) {
    throw error(error_code::invalid_argument, path.string() + ": " + what);
}

fs::path beside(const fs::path& path) {
    return path.string() + ".tmp";
}

std::ofstream open_beside(const fs::path& path) {
    if (fs::is_directory(path)) fail(path, "is a folder; name a file in it");
    std::ofstream out(beside(path), std::ios::binary | std::ios::trunc);
    if (!out)
        fail(path, std::string("can't be written (") + std::strerror(errno) +
                       "); choose a folder that exists and is yours");
    return out;
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char ch : text) out += ch == '"' ? std::string("\"\"") : std::string(1, ch);
    return out + "\"";
}

// The median of each phase and of their total, each after a comma; empty where not measured.
std::string phase_columns(const cell& c) {
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

}  // namespace

void require_writable(const fs::path& path) {
    open_beside(path).close();
    fs::remove(beside(path));
}

void write_whole(const fs::path& path, const std::string& text) {
    std::ofstream out = open_beside(path);
    out << text;
    out.close();
    std::error_code failed;
    if (out) fs::rename(beside(path), path, failed);
    if (!out || failed) {
        fs::remove(beside(path), failed);
        fail(path, "could not be written whole (is the disk full?); it is as it was");
    }
}

document load(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in || fs::is_directory(path)) fail(path, std::string("can't be read; is it there?"));
    nlohmann::json parsed;
    try {
        in >> parsed;
    } catch (const nlohmann::json::exception&) {
        fail(path, "is not JSON (damaged, or cut off?); measure again or name another file");
    }
    return from_json(parsed, path.string());
}

std::string csv(const document& doc) {
    std::ostringstream out;
    out.precision(9);
    out << "implementation,device,dtype,m,n,k,threads,threads_used,trial,time_s,gflops,error_ulp";
    for (const std::string_view name : phase_names) out << ',' << name << "_s";
    out << ",total_s\n";
    for (const cell& c : doc.cells)
        for (std::size_t i = 0; i < c.trials_s.size(); ++i)
            out << quoted(c.implementation) << ',' << c.device << ',' << c.dtype << ',' << c.m
                << ',' << c.n << ',' << c.k << ',' << c.threads << ',' << c.threads_used << ',' << i
                << ',' << c.trials_s[i] << ',' << c.flop / c.trials_s[i] / 1e9 << ',' << c.error_ulp
                << phase_columns(c) << '\n';
    return out.str();
}

}  // namespace carat::results
