#include "lab/judge/draws.hpp"

#include <cstring>
#include <sodium.h>

#include <carat/error.hpp>

namespace carat::judge {

namespace {

void start_sodium() {
    if (sodium_init() < 0)
        throw error(error_code::unsupported, "judge: the system gives no random numbers");
}

stream_key key_of(std::string_view seed) {
    start_sodium();
    stream_key key;
    crypto_generichash(key.data(), key.size(), reinterpret_cast<const unsigned char*>(seed.data()),
                       seed.size(), nullptr, 0);
    return key;
}

}  // namespace

std::uint64_t stream::draw() {
    if (used_ == block_.size()) {
        constexpr std::array<unsigned char, sizeof block_> zeros = {};
        std::array<unsigned char, crypto_stream_chacha20_NONCEBYTES> nonce = {};
        static_assert(sizeof nonce == sizeof number_);
        std::memcpy(nonce.data(), &number_, sizeof number_);
        crypto_stream_chacha20_xor_ic(reinterpret_cast<unsigned char*>(block_.data()), zeros.data(),
                                      zeros.size(), nonce.data(), blocks_++, key_.data());
        used_ = 0;
    }
    return block_[used_++];
}

std::int64_t stream::between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most - least + 1)));
}

std::int64_t stream::odd(std::int64_t least, std::int64_t most) {
    return between(least, most) | 1;
}

draws::draws(std::string_view seed) : draws(key_of(seed)) {}

draws::draws(const stream_key& key)
    : shapes(key, 1), places(key, 2), operands(key, 3), checks(key, 4), order(key, 5) {}

std::string fresh_seed() {
    start_sodium();
    std::array<unsigned char, 16> bits;
    randombytes_buf(bits.data(), bits.size());
    std::array<char, 2 * sizeof bits + 1> text;
    sodium_bin2hex(text.data(), text.size(), bits.data(), bits.size());
    return text.data();
}

}  // namespace carat::judge
