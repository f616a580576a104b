#include "lab/results/files.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include <carat/error.hpp>

namespace carat::results {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::string& what) {
    throw error(error_code::invalid_argument, path.string() + ": " + what);
}

[[noreturn]] void fail_to_write(const fs::path& path) {
    fail(path, std::string("can't be written (") + std::strerror(errno) +
                   "); choose a folder that exists and is yours");
}

fs::path beside(const fs::path& path) {
    return path.string() + ".tmp";
}

// A pipe, a terminal, /dev/null: a file renamed to its name would take its place.
bool is_stream(const fs::path& path) {
    std::error_code unknown;
    const fs::file_type type = fs::status(path, unknown).type();
    return type == fs::file_type::character || type == fs::file_type::fifo;
}

// What links lead to: that is replaced, and the links stay.
fs::path target_of(fs::path path) {
    constexpr int most_links = 40;
    for (int i = 0; i < most_links && fs::is_symlink(path); ++i)
        path = path.parent_path() / fs::read_symlink(path);
    return path;
}

// A rename asks nobody whether the file that it replaces may be written.
void require_permission(const fs::path& path) {
    if (fs::is_directory(path)) fail(path, "is a folder; name a file in it");
    if (fs::exists(path) && access(path.c_str(), W_OK) != 0) fail_to_write(path);
}

std::ofstream open_beside(const fs::path& path) {
    require_permission(path);
    std::ofstream out(beside(target_of(path)), std::ios::binary | std::ios::trunc);
    if (!out) fail_to_write(path);
    return out;
}

void write_stream(const fs::path& path, const std::string& text) {
    std::ofstream out(path, std::ios::binary);
    out << text;
    out.close();
    if (!out) fail_to_write(path);
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

bool same_file(const fs::path& a, const fs::path& b) {
    if (is_stream(a) || is_stream(b)) return false;  // nor has /dev/stdout a path of its own
    std::error_code unknown;
    return fs::equivalent(a, b, unknown) ||
           fs::weakly_canonical(fs::absolute(a)) == fs::weakly_canonical(fs::absolute(b));
}

void require_writable(const fs::path& path) {
    if (is_stream(path)) return require_permission(path);  // opening a pipe waits for its reader
    open_beside(path).close();
    fs::remove(beside(target_of(path)));
}

void write_whole(const fs::path& path, const std::string& text) {
    if (is_stream(path)) return write_stream(path, text);
    std::ofstream out = open_beside(path);
    const fs::path target = target_of(path);
    out << text;
    out.close();
    std::error_code failed;
    if (out) fs::rename(beside(target), target, failed);
    if (!out || failed) {
        fs::remove(beside(target), failed);
        fail(path, "could not be written whole (is the disk full?); it is as it was");
    }
}

document load(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in || fs::is_directory(path)) fail(path, std::string("can't be read; is it there?"));
    nlohmann::json parsed;
    try {
        parsed = nlohmann::json::parse(in);  // to its end, where >> leaves what follows
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
