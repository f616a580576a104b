// A tensor-core kernel as data. An engine has one constexpr table of these; its instantiations,
// their lookup and names, the tunables' values, the planner's candidates and the tests' cases all
// come from that table, so that what can be planned is what exists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <carat/types.hpp>

namespace carat::core {

/// The dimension along which an operand is contiguous: K, or rows of A and columns of B.
enum class operand_major : std::uint8_t { k, mn };

/// Tensor cores truncate what they add to their accumulators, f32 by a bit or two, fp8 by ten. So a
/// sum is
///   native      one of theirs, over all of K
///   promoted    theirs over 128 bytes of K each, added up in f32 by the threads
///   blockwise   promoted, each times the scales of its 128 of K
///   three_tf32  promoted, for f32 elements that packing has split in two, big + small: small x
///               big, big x small, big x big
enum class accumulation : std::uint8_t { native, promoted, blockwise, three_tf32 };

/// How the tiles of C reach the CTAs.
///   single_tile  one tile a CTA; its cluster splits K or multicasts B
///   cooperative  persistent: the math warpgroups share a tile
///   pingpong     persistent: each of two math warpgroups has a tile to itself, and one multiplies
///                while the other's tile is stored
enum class kernel_schedule : std::uint8_t { single_tile, cooperative, pingpong };

struct kernel_desc {
    int arch;  // compute capability, 90
    dtype a_type;
    dtype b_type;
    core::accumulation accumulate = core::accumulation::native;
    operand_major a_major = operand_major::k;
    operand_major b_major = operand_major::k;
    int block_m;
    int block_n;
    int block_k_bytes = 128;
    core::kernel_schedule schedule = core::kernel_schedule::single_tile;
    bool stream_k = false;  // the last waves' tiles are cut along K in even shares
    bool glu = false;       // a tile may hold gates and their values
    bool grouped = false;   // planned for products of different sizes in one launch
    bool batched = false;   // persistent: its tiles are those of all products of a batch
    // CTAs of a cluster whose tiles lie below each other share B; those beside each other share A.
    // Kernels for a single tile take cluster_m from the launch, up to most_cluster_m.
    int cluster_m = 1;
    int cluster_n = 1;
    int most_cluster_m = 1;
    int most_split_k = 1;  // CTAs of a cluster, each with a part of K

    [[nodiscard]] constexpr bool is_persistent() const {
        return schedule != core::kernel_schedule::single_tile;
    }
    [[nodiscard]] constexpr int block_k() const {
        return block_k_bytes * 8 / traits_of(a_type).bits;
    }
    // wgmma can read only 16-bit elements MN-major from shared memory.
    [[nodiscard]] constexpr bool a_from_registers() const {
        return a_major == operand_major::mn && !is_half(a_type);
    }

    bool operator==(const kernel_desc&) const = default;
};

/// The name of a kernel, made at compile time: no two of a table have the same.
///
///     wgmma_bf16_bf16_128x256x64_2x1_cooperative_kn     B contiguous along N
///     wgmma_e4m3_e4m3_128x256x128_2x1_cooperative_stream_k_promoted_kk
class kernel_name {
  public:
    constexpr kernel_name() = default;
    constexpr explicit kernel_name(const kernel_desc& d) {
        add("wgmma_").add(name(d.a_type)).add("_").add(name(d.b_type)).add("_");
        add(d.block_m).add("x").add(d.block_n).add("x").add(d.block_k()).add("_");
        add(d.cluster_m).add("x").add(d.cluster_n).add("_").add(name_of(d.schedule));
        if (d.stream_k) add("_stream_k");
        if (d.batched) add("_batched");
        add(name_of(d.accumulate)).add("_");
        add(d.a_major == operand_major::k ? "k" : "m")
            .add(d.b_major == operand_major::k ? "k" : "n");
    }

    [[nodiscard]] constexpr std::string_view view() const { return {text_, length_}; }
    [[nodiscard]] constexpr const char* c_str() const { return text_; }
    bool operator==(const kernel_name&) const = default;

    [[nodiscard]] static constexpr std::string_view name_of(core::kernel_schedule x) {
        if (x == core::kernel_schedule::single_tile) return "single_tile";
        return x == core::kernel_schedule::cooperative ? "cooperative" : "pingpong";
    }

  private:
    [[nodiscard]] static constexpr std::string_view name_of(core::accumulation x) {
        if (x == core::accumulation::promoted) return "_promoted";
        if (x == core::accumulation::blockwise) return "_blockwise";
        return x == core::accumulation::three_tf32 ? "_3xtf32" : "";
    }
    constexpr kernel_name& add(std::string_view more) {
        for (const char letter : more) text_[length_++] = letter;
        return *this;
    }
    constexpr kernel_name& add(int number) {
        if (number >= 10) add(number / 10);
        text_[length_++] = static_cast<char>('0' + number % 10);
        return *this;
    }

    char text_[96] = {};
    std::size_t length_ = 0;
};

using kernel_table = std::span<const kernel_desc>;

}  // namespace carat::core
