#include "lab/session/saver.hpp"

#include <exception>
#include <nlohmann/json.hpp>

#include "lab/files/output.hpp"
#include "lab/results/files.hpp"
#include "lab/results/journal.hpp"

namespace carat::session {

namespace {

std::uint64_t write(const std::filesystem::path& path, const std::string& text) {
    files::write_whole(path, text);
    return text.size();
}

// A reader of a pipe or a terminal gets the document once.
outputs replaceable(outputs out) {
    for (std::filesystem::path* path : {&out.json, &out.csv})
        if (files::is_stream(*path)) path->clear();
    return out;
}

}  // namespace

void require_writable(const outputs& out) {
    for (const auto& path : {out.json, out.csv})
        if (!path.empty()) files::require_writable(path);
}

std::uint64_t save(const results::document& doc, const outputs& out) {
    // Names of files and words of libraries may be in any encoding; JSON is UTF-8.
    constexpr auto replace = nlohmann::json::error_handler_t::replace;
    std::uint64_t bytes = 0;
    if (!out.json.empty())
        bytes += write(out.json, to_json(doc).dump(1, ' ', false, replace) + "\n");
    if (!out.csv.empty()) bytes += write(out.csv, results::csv(doc));
    return bytes;
}

saver::~saver() {
    if (!behind_) return;
    try {
        finish();
    } catch (const std::exception&) {  // the journal stays and has what the file lacks
    }
}

void saver::add(std::span<const results::result> results, const results::comparison& compared) {
    behind_ = true;
    const outputs out = replaceable(out_);
    if (is_due()) {
        write_whole(out);
        if (!out.json.empty()) begin_journal();
        return;
    }
    added_ += results.size();
    if (!journal_) return;
    const std::string line = results::journal_line(results, compared);
    journal_->append(line);
    bytes_ += line.size() + 1;
}

void saver::finish() {
    write_whole(out_);
    behind_ = false;
    journal_.reset();
    std::error_code none;  // nor does one stay that a killed run left
    if (!out_.json.empty()) std::filesystem::remove(files::growing_beside(out_.json), none);
}

void saver::write_whole(const outputs& out) {
    bytes_ += save(doc_, out);
    saved_ = doc_.results.size();
    added_ = 0;
    changed_ = false;
}

// Called after the document was written: this run has its lock by then.
void saver::begin_journal() {
    const std::string header = results::journal_header(doc_);
    journal_.emplace(files::growing_beside(out_.json)).append(header);
    bytes_ += header.size() + 1;
}

}  // namespace carat::session
