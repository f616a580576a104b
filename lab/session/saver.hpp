// Saves a document while it grows, at a cost that grows with it: each case is a line of a journal
// beside the file, and the file itself is written anew whenever its results have doubled. So it is
// valid at every moment, and results::load() reads both.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "lab/files/growing.hpp"
#include "lab/results/document.hpp"

namespace carat::session {

struct outputs {
    std::filesystem::path json;  // empty: not written
    std::filesystem::path csv;
};

// Throws carat::error when one of them can't be written, before anything is measured.
void require_writable(const outputs& out);

// Each file is replaced whole, or stays as it was and carat::error is thrown. Returns how many
// bytes that were.
std::uint64_t save(const results::document& doc, const outputs& out);

class saver {
  public:
    // Both arguments must outlive it.
    saver(const results::document& doc, const outputs& out) : doc_(doc), out_(out) {}
    saver(const saver&) = delete;
    saver& operator=(const saver&) = delete;
    // What can still be saved after an error is.
    ~saver();

    // Whether the next case is one that all is written for.
    [[nodiscard]] bool is_due() const { return added_ >= saved_ || changed_; }
    // A case that is in the document by now.
    void add(std::span<const results::result> results, const results::comparison& compared);
    // Something else than cases changed.
    void changed() { changed_ = true; }
    // The whole document, as its run leaves it.
    void finish();
    // Whether cases were added since the document was whole on disk.
    [[nodiscard]] bool is_behind() const { return behind_; }

    [[nodiscard]] std::uint64_t bytes_written() const { return bytes_; }

  private:
    void write_whole(const outputs& out);
    void begin_journal();

    const results::document& doc_;
    const outputs& out_;
    std::optional<files::growing> journal_;
    std::size_t saved_ = 0, added_ = 0;  // results: when last written whole, and since
    bool changed_ = false, behind_ = false;
    std::uint64_t bytes_ = 0;
};

}  // namespace carat::session
