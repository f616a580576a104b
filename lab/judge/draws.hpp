// The random numbers of a judgement. Each purpose has its own ChaCha20 stream (libsodium) under one
// key, a BLAKE2b hash of the seed. What a target sees of one stream, such as the shapes, tells it
// nothing about another, such as the operands.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace carat::judge {

using stream_key = std::array<unsigned char, 32>;

class stream {
  public:
    stream(const stream_key& key, std::uint64_t number) : key_(key), number_(number) {}

    [[nodiscard]] std::uint64_t draw();
    [[nodiscard]] std::uint64_t below(std::uint64_t count) { return draw() % count; }
    [[nodiscard]] std::int64_t between(std::int64_t least, std::int64_t most);
    [[nodiscard]] std::int64_t odd(std::int64_t least, std::int64_t most);

  private:
    stream_key key_;
    std::uint64_t number_;
    std::uint64_t blocks_ = 0;
    std::array<std::uint64_t, 8> block_ = {};
    std::size_t used_ = 8;  // of the block
};

struct draws {
    explicit draws(std::string_view seed);

    stream shapes;    // what is tried and timed; announced to the target
    stream places;    // leading dimensions and addresses; announced, too
    stream operands;  // what the matrices and the memory around them hold
    stream checks;    // drawn after the target has answered
    stream order;     // of the trials, and which goes have data of an exact pass

  private:
    explicit draws(const stream_key& key);
};

// 128 random bits from the system, as hexadecimal digits.
[[nodiscard]] std::string fresh_seed();

}  // namespace carat::judge
