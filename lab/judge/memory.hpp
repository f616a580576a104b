// Memory shared with an untrusted process, which cannot change its size.
#pragma once

#include <cstdint>

#include "lab/judge/protocol.hpp"

namespace carat::judge {

class shared_memory {
  public:
    // Throws carat::error if the system cannot provide it.
    explicit shared_memory(std::int64_t size_bytes);
    shared_memory(const shared_memory&) = delete;
    shared_memory& operator=(const shared_memory&) = delete;
    ~shared_memory();

    [[nodiscard]] char* data() const { return data_; }
    [[nodiscard]] std::int64_t size_bytes() const { return size_bytes_; }
    [[nodiscard]] int file() const { return file_; }
    [[nodiscard]] const header& head() const { return *reinterpret_cast<const header*>(data_); }
    [[nodiscard]] call* table() const { return reinterpret_cast<call*>(data_ + table_begins); }

  private:
    std::int64_t size_bytes_;
    int file_ = -1;
    char* data_ = nullptr;
};

}  // namespace carat::judge
