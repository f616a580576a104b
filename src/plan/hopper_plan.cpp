#include "plan/hopper_plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "plan/cpu_plan.hpp"

namespace carat::plan {

namespace {

// Those of a tile of 64 rows, and of one of 128; some for elements of 16 bits only.
constexpr int widths[] = {16, 32, 64, 128, 160, 192, 224, 256};
constexpr int heights[] = {64, 128, 192};
constexpr bool of_16_bits_only(int tile_m, int tile_n) {
    return tile_n == 160 || tile_n == 224 || (tile_m == 64 && tile_n == 128);
}
// Of promoted bytes, in clusters of two beside each other.
constexpr bool is_beside(int tile_m) {
    return tile_m == 192;
}
constexpr bool is_wide(int tile_m, int tile_n) {
    return (tile_m == 128 && tile_n > 128) || is_beside(tile_m);
}
constexpr int line_bytes = 128;  // of K: one step of a block

// A step of 128 bytes of K takes a block as long as the slowest of: the tensor cores, 2.3 ns for
// each column of a tile of 128 rows (and no less than 64 columns, for reading A); its operands'
// way to the multiprocessor; and what a step costs however small it is.
constexpr double column_s = 2.3e-9;
constexpr int fewest_columns = 64;
// What a step costs beyond its columns: beside fewer of them A is read more often.
constexpr double beyond_columns(int tile_n, bool apart) {
    if (apart) return 1.03;
    if (tile_n == 192) return 1.012;
    if (tile_n == 160) return 1.065;
    return tile_n == 224 ? 1.01 : 1;
}
// Of promoted sums of bytes: no part of theirs is added up beside the next one.
constexpr double without_turns = 1.02;
// Three warpgroups, beside one another, wait for less.
constexpr double of_three = 0.985;
constexpr double least_step_s = 0.16e-6;
constexpr double beside = 0.03;  // of the shorter of steps and memory, which the longer one hides
constexpr double alone_bytes_per_s = 90e9;
constexpr double pair_bytes_per_s = 100e9;  // of two blocks on a multiprocessor
constexpr double pair_in_clusters_bytes_per_s = 70e9;
// Of parts of K, 128 rows beside 64 columns or fewer come so much more slowly than 64 beside 128.
constexpr double of_parts_beside_few = 0.9;
// Lines that begin between two sectors of 32 bytes take the copy engine so much longer.
constexpr double off_sectors = 1.7;
constexpr double memory_bytes_per_s = 4.1e12;
constexpr double writing_bytes_per_s = 3.6e12;  // C, which waits for the last step
constexpr double seen_apart = 0.5;              // of it, where another tile is multiplied meanwhile
constexpr double around_s = 3.3e-6;             // a kernel's beginning and end, of many on a stream
constexpr double meeting_s = 0.7e-6;            // of the blocks that share K
constexpr double sending_s = 0.4e-6;            // and each one's sums to the others
// Blocks of one tile that load B together begin and end together, unless all wait for memory.
constexpr double together_s = 2.2e-6;

// Of so few rows or columns a product is a stream of weights. What comes to a block is what its
// ring holds in the time that a copy is under way, and no more than its share of what comes to all.
constexpr std::int64_t few = 32;
constexpr double until_landed_s = 1.13e-6;
constexpr double shared_bytes = 226e3;
constexpr double most_stages = 16;
constexpr double few_step_s = 0.15e-6;
constexpr double few_alone_bytes_per_s = 150e9;
constexpr double few_at_all_bytes_per_s = 15.8e12;
constexpr double stream_bytes_per_s = 4.37e12;
constexpr double around_few_s = 3.05e-6;
constexpr double beside_next_s = 2.4e-6;  // where the next kernel's blocks have room meanwhile
constexpr double few_sending_s = 0.1e-6;  // for each part of K, and the bytes of a tile's sums
constexpr double few_sent_bytes_per_s = 175e9;

// Of an operand larger than this that several tiles read, so much comes from memory again for each.
constexpr double kept_in_l2_bytes = 16e6;
constexpr double again = 0.1;

// Tiles shared out evenly: sums are on their way from one cluster to the next, and clusters are on
// different parts of K, so that they share less of L2. Beside tiles apart most of that is hidden,
// but less of the way where bytes are multiplied.
constexpr double handing_on_s = 4.5e-6;
constexpr double handing_on_beside_bytes_s = 7.5e-6;
constexpr double less_shared = 1.05;
// So much they must be predicted to save: where rounds are many, less than that is left to save,
// and the prediction errs by more.
constexpr double worth_handing_on = 1.01;

// A pass over sums of f32 from which it makes a C of half as many columns.
constexpr double passing_s = 2.5e-6;
// Of both blocks of a cluster: rows beyond C take longer to load than those of it. Gates of 4096 by
// 4096 took 43.6 us with 16 rows, 35.9 with 128 and 26.4 with 256.
constexpr std::int64_t fewest_rows_of_gates = 129;
// So much tiles of 256 columns must be predicted to save beside tiles apart: at 4096 they took 353
// us where those took 366, but, when the GPU was at its power limit, 416 where those took 395.
constexpr double worth_ending_together = 1.01;

struct way {
    bool turned;
    std::int64_t m, n;
    std::int64_t steps;
    int tile_m;
    int tile_n;
    int parts;
    int sharing;  // blocks with tiles below each other share B, beside each other A
    bool apart = false;
    bool even = false;
    int room = 1;  // blocks that a multiprocessor's shared memory has room for

    [[nodiscard]] constexpr bool beside() const { return is_beside(tile_m); }
    [[nodiscard]] constexpr int rows_of_cluster() const {
        return beside() ? tile_m : sharing * tile_m;
    }
    [[nodiscard]] constexpr int columns_of_cluster() const {
        return beside() ? sharing * tile_n : tile_n;
    }

    // A block to a multiprocessor, which stays.
    [[nodiscard]] constexpr bool stays() const { return is_wide(tile_m, tile_n) || apart; }
};

std::int64_t blocks_of(const way& w) {
    return ceil_div(w.m, w.rows_of_cluster()) * ceil_div(w.n, w.columns_of_cluster()) * w.sharing *
           w.parts;
}

// Columns of B that are loaded for a tile: beside each other they come in whole lines.
double columns_loaded(const way& w, const hopper_request& of) {
    const bool along_k = w.turned ? of.a_along_k : of.b_along_k;
    const int in_line = line_bytes / of.operand_bytes;
    const std::int64_t columns = along_k ? w.tile_n : ceil_div(w.tile_n, in_line) * in_line;
    return static_cast<double>(columns) / (w.beside() ? 1 : w.sharing);
}

bool is_of_few(const hopper_request& of) {
    return std::min(of.m, of.n) <= few;
}

double bytes_of_sums(const way& w) {
    return 4.0 * w.tile_m * w.tile_n;
}

double stages_that_fit(const way& w, const hopper_request& of) {
    const double stage = line_bytes * (w.tile_m + columns_loaded(w, of) * w.sharing);
    const double from_others = bytes_of_sums(w) * (w.parts - 1) / w.parts;
    const double stages = std::floor((shared_bytes / w.room - from_others) / stage);
    return std::clamp(stages, 1.0, most_stages);
}

// What a block loads of A and B for a step, more where the copy engine takes longer for it.
double bytes_of_step(const way& w, const hopper_request& of) {
    const auto sectors = [&](bool of_a) {
        return (of_a != w.turned ? of.a_on_sectors : of.b_on_sectors) ? 1.0 : off_sectors;
    };
    return line_bytes * (w.tile_m / (w.beside() ? w.sharing : 1) * sectors(true) +
                         columns_loaded(w, of) * sectors(false));
}

// What a step takes of a block that is alone on its multiprocessor, or one of two.
double step_s(const way& w, const hopper_request& of, bool alone) {
    const bool waits = w.tile_n == 192 && of.operand_bytes == 1 && !of.straight;
    const double tensor_s =
        column_s * w.tile_m / 128 * std::max(w.tile_n, fewest_columns) *
        (w.beside() ? of_three : beyond_columns(w.tile_n, w.apart) * (waits ? without_turns : 1));
    const double read = bytes_of_step(w, of);
    const double slower =
        w.parts > 1 && w.tile_m == 128 && w.tile_n <= 64 ? of_parts_beside_few : 1;
    if (alone) return std::max({tensor_s, read / (alone_bytes_per_s * slower), least_step_s});
    const double rate = slower * (w.parts > 1 ? pair_in_clusters_bytes_per_s : pair_bytes_per_s);
    return 2 * std::max({tensor_s, read / rate, least_step_s});
}

// Of a product of few rows or columns, where the block is alone or the next kernel's are with it.
double step_of_few_s(const way& w, const hopper_request& of) {
    const double read = line_bytes * (w.tile_m + columns_loaded(w, of));
    const double rate =
        std::min({few_alone_bytes_per_s, few_at_all_bytes_per_s / static_cast<double>(blocks_of(w)),
                  stages_that_fit(w, of) * read / until_landed_s});
    return std::max(bytes_of_step(w, of) / rate, few_step_s);
}

// Of all steps, those of blocks that take turns one after the other.
double steps_s(const way& w, const hopper_request& of) {
    const std::int64_t blocks = blocks_of(w);
    const auto steps = static_cast<double>(ceil_div(w.steps, w.parts));
    const std::int64_t places = blocks_at_a_time(w.parts * w.sharing, of.multiprocessors);
    const bool alone = w.stays() || blocks <= places;
    const std::int64_t at_once = alone ? places : 2 * places;
    const double round_s = steps * step_s(w, of, alone);
    if (!w.even) return static_cast<double>(ceil_div(blocks, at_once)) * round_s;
    const double rounds = static_cast<double>(blocks) / static_cast<double>(at_once);
    if (!w.apart) return less_shared * rounds * round_s + handing_on_s;
    return rounds * round_s + (of.operand_bytes == 1 ? handing_on_beside_bytes_s : handing_on_s);
}

// Beside memory some of the steps is seen, the more the longer they are.
double seconds_of_few(const way& w, double bytes, const hopper_request& of) {
    const std::int64_t blocks = blocks_of(w);
    const std::int64_t places = blocks_at_a_time(w.parts * w.sharing, of.multiprocessors);
    // With room for three, clusters of any size find places for all their blocks.
    const bool alone = blocks <= places || (w.room == 3 && blocks <= of.multiprocessors);
    const auto steps = static_cast<double>(ceil_div(w.steps, w.parts));
    const double summed =
        alone ? steps * step_of_few_s(w, of)
              : steps * step_s(w, of, false) * static_cast<double>(ceil_div(blocks, 2 * places));
    const auto [less, more] = std::minmax({summed, bytes / stream_bytes_per_s});
    const double ratio = less / more;
    const double streamed = more * std::sqrt(std::sqrt(1 + ratio * ratio * ratio * ratio));
    const double around = w.room > 1 && alone ? beside_next_s : around_few_s;
    const double sending = few_sending_s + bytes_of_sums(w) / few_sent_bytes_per_s;
    return around + streamed + (w.parts > 1 ? sending * w.parts : 0);
}

double seconds(const way& w, const hopper_request& of) {
    const auto read = [&](std::int64_t lines, std::int64_t tiles) {
        const auto bytes = static_cast<double>(lines * of.k * of.operand_bytes);
        return bytes < kept_in_l2_bytes ? bytes
                                        : bytes * (1 + again * static_cast<double>(tiles - 1));
    };
    const double operands = read(w.m, ceil_div(w.n, w.tile_n)) + read(w.n, ceil_div(w.m, w.tile_m));
    const double result = static_cast<double>(of.m * of.n) * of.result_bytes / (of.gated ? 2 : 1);
    if (is_of_few(of) && !w.stays())
        return seconds_of_few(w, operands, of) + result / writing_bytes_per_s;
    const double steps = steps_s(w, of);
    const double memory = operands / memory_bytes_per_s;
    const auto [less, more] = std::minmax({steps, memory});
    const double together = w.sharing > 1 && !w.stays() && steps > memory ? together_s : 0;
    return around_s + more + beside * less + together +
           result / writing_bytes_per_s * (w.apart ? seen_apart : 1) +
           (w.parts > 1 ? meeting_s + sending_s * w.parts : 0);
}

bool has_tiles_beside(const hopper_request& of, int tile_n) {
    return of.operand_bytes == 1 && !of.straight && !of.in_blocks && tile_n == 128;
}

// Of 160 columns a thread has 80 sums: eighths of them are not all alike
// (src/cuda/sm90/epilogue/direct.cuh).
constexpr int most_parts_beside(int tile_n) {
    return tile_n == 160 ? 4 : 8;
}

// A tile narrower than the line of 128 bytes along which its B lies has no kernel, nor have 4-byte
// elements any for such a B. The wide one writes rows only, but for A through registers and where
// nothing may be turned. One of 192 columns would share blocks of 128 with its neighbours.
bool exists(const hopper_request& of, bool turned, int tile_m, int tile_n, int parts, int sharing) {
    if (tile_m < 128 && tile_n > 160) return false;
    if (is_beside(tile_m) && !has_tiles_beside(of, tile_n)) return false;
    if (of_16_bits_only(tile_m, tile_n) && of.operand_bytes != 2) return false;
    // A block's share of B begins with a swizzle atom, eight lines.
    if (tile_n % (8 * sharing) != 0) return false;
    if (parts > 1 && sharing > 1) return false;
    if (parts > most_parts_beside(tile_n)) return false;
    if (of.in_blocks && (turned || tile_n == 192)) return false;
    const bool a_along_k = turned ? of.b_along_k : of.a_along_k;
    const bool b_along_k = turned ? of.a_along_k : of.b_along_k;
    const bool of_4_bytes = of.operand_bytes == 4;
    if (of_4_bytes && !b_along_k) return false;
    if (is_wide(tile_m, tile_n))
        return parts == 1 && sharing == 2 &&
               (turned != of.c_by_rows || of.in_blocks || (of_4_bytes && !a_along_k));
    return b_along_k || tile_n * of.operand_bytes >= line_bytes;
}

std::int64_t steps_of(std::int64_t k, const hopper_request& of) {
    return ceil_div(k * of.operand_bytes, line_bytes);
}

// Elements of 4 bytes have no tiles apart. They read more, and lost 20 to 40 % of their speed
// at 6000 and 10000, where lines begin at multiples of 32 bytes.
bool has_tiles_apart(const hopper_request& of) {
    return of.straight && of.operand_bytes <= 2;
}

// Tiles apart where there are any, else of 256 columns.
bool may_be_even(const way& w, const hopper_request& of) {
    const std::int64_t blocks = blocks_of(w);
    const std::int64_t places = blocks_at_a_time(w.sharing, of.multiprocessors);
    return (has_tiles_apart(of) ? w.apart : w.tile_n == 256) && blocks > places &&
           blocks % places != 0;
}

// Two on a multiprocessor are of the same kernel where there are blocks enough, else of the next
// one as well. That gained nothing where blocks share B, and takes a ring that half of the memory
// still holds: of many rows six stages, for a few steps. Three have registers enough up to 64 x 64.
bool may_leave_room(const way& w, const hopper_request& of, int room) {
    constexpr std::int64_t few_steps = 40;
    constexpr double enough_stages = 6;
    if (w.stays()) return room == 1;
    const bool fit = blocks_of(w) <= blocks_at_a_time(w.parts * w.sharing, of.multiprocessors);
    const int most = w.tile_m == 64 && w.tile_n <= 64 ? 3 : 2;
    if (w.sharing > 1) return room == (fit ? 1 : 2);
    if (of.room != 0) return room == std::min(of.room, most);
    if (is_of_few(of)) return room <= most && (room > 1 || fit);
    way half = w;
    half.room = 2;
    const bool leaves =
        w.steps <= few_steps * w.parts && stages_that_fit(half, of) >= enough_stages;
    return room == (!fit || leaves ? 2 : 1);
}

// Of few rows parts of K of 128 took up to 4 % less than one of 64 where they fill two thirds of
// the GPU and leave room for the next kernel; 4 % more with fewer, and 8 % with all the room
// (results/h200/parts_of_few.json).
bool are_slow_parts(const way& w, const hopper_request& of) {
    return is_of_few(of) && w.parts > 1 && std::max(w.tile_m, w.tile_n) >= 128 &&
           (3 * blocks_of(w) < 2 * of.multiprocessors || w.room == 1);
}

std::optional<hopper_plan> best_of(const hopper_request& of, int tile_m, int tile_n, int parts,
                                   int sharing, bool apart = false) {
    std::optional<hopper_plan> best;
    const std::int64_t steps = steps_of(of.k, of);
    if (parts > steps) return best;
    for (const bool turned : {!of.c_by_rows, of.c_by_rows}) {
        if ((apart || of.turns_for_c_only) && turned == of.c_by_rows) continue;
        if (!apart && !exists(of, turned, tile_m, tile_n, parts, sharing)) continue;
        way w{turned,
              turned ? of.n : of.m,
              turned ? of.m : of.n,
              steps,
              tile_m,
              tile_n,
              parts,
              sharing,
              apart};
        // Of narrow tiles two that share won next to nothing, and four beyond one round nothing.
        if (!w.stays() && sharing > 1 && of.sharing == 0 &&
            (sharing == 2 || blocks_of(w) > blocks_at_a_time(sharing, of.multiprocessors)))
            continue;
        // One tile to a block has no other to leave beside.
        if (apart && !of.apart && !of.gated && blocks_of(w) <= of.multiprocessors) continue;
        for (const bool even : {false, true}) {
            if (!may_be_even(w, of) ? even : of.even == (even ? evenly::no : evenly::yes)) continue;
            w.even = even;
            for (const int room : {1, 2, 3}) {
                if (!may_leave_room(w, of, room)) continue;
                w.room = room;
                if (of.parts == 0 && are_slow_parts(w, of)) continue;
                const double taken = seconds(w, of);
                const double worth = even && best && of.even != evenly::yes ? worth_handing_on : 1;
                if (!best || taken * worth < best->seconds)
                    best = {turned, tile_m, tile_n, parts, sharing, room, apart, even, taken};
            }
        }
    }
    return best;
}

double pass_seconds(const hopper_request& of) {
    const double bytes = static_cast<double>(of.m * of.n) * (4 + 0.5 * of.result_bytes);
    return passing_s + bytes / memory_bytes_per_s;
}

// Columns of B that lie beside each other come from multiples of 16 bytes on: from others the copy
// engine ends with an illegal instruction.
bool values_can_be_loaded(const hopper_request& of) {
    return of.b_along_k || of.n / 2 * of.operand_bytes % 16 == 0;
}

// As it is for the copy engine, which brings a tile's values from as many columns further right.
hopper_request with_gates(hopper_request of) {
    of.gated = true;
    const std::int64_t to_values = of.n / 2 * of.operand_bytes;
    of.on_lines = of.on_lines && (of.b_along_k || to_values % line_bytes == 0);
    of.b_on_sectors = of.b_on_sectors && (of.b_along_k || to_values % 32 == 0);
    return of;
}

// Of one tile: in clusters as asked for, or in the best ones.
std::optional<hopper_plan> best_clusters(const hopper_request& of, int tile_m, int tile_n) {
    std::optional<hopper_plan> best;
    // None of more rows and columns was fastest in eight parts.
    const int most = of.parts != 0 ? of.parts : of.sharing > 1 ? 1 : is_of_few(of) ? 8 : 4;
    for (const int parts : {8, 4, 2, 1}) {
        if (parts > most) continue;
        for (const int sharing : {4, 2, 1}) {
            if (!is_wide(tile_m, tile_n) && of.sharing != 0 && sharing > of.sharing) continue;
            const auto one = best_of(of, tile_m, tile_n, parts, sharing);
            if (one && (!best || one->seconds < best->seconds)) best = one;
            if (one && of.sharing != 0) break;
        }
        if (best && of.parts != 0) break;
    }
    return best;
}

// Of all products of a group: what one of their ways has to do.
struct sum_of_ways {
    std::int64_t blocks = 0;  // of one part of K
    std::int64_t block_steps = 0;
    std::int64_t most_steps = 0;
    double operand_bytes = 0;
    double result_bytes = 0;
};

sum_of_ways sum_up(const hopper_request& of, std::span<const product_size> all, const way& w) {
    sum_of_ways sum;
    // Calls are planned each time, and narrow tiles are powers of 2.
    const int log2_m = std::countr_zero(static_cast<unsigned>(w.tile_m));
    const int log2_n = std::countr_zero(static_cast<unsigned>(w.tile_n));
    for (const product_size& p : all) {
        const std::int64_t down = w.turned ? p.n : p.m;
        const std::int64_t right = w.turned ? p.m : p.n;
        const std::int64_t blocks =
            ((down + w.tile_m - 1) >> log2_m) * ((right + w.tile_n - 1) >> log2_n);
        const std::int64_t steps = steps_of(p.k, of);
        sum.blocks += blocks;
        sum.block_steps += blocks * steps;
        sum.most_steps = std::max(sum.most_steps, steps);
        sum.operand_bytes += static_cast<double>((p.m + p.n) * p.k * of.operand_bytes);
        sum.result_bytes += static_cast<double>(p.m * p.n * of.result_bytes);
    }
    return sum;
}

// The products' blocks one behind the other; none ends before the longest has.
double group_seconds(const sum_of_ways& sum, const way& w, const hopper_request& of) {
    const std::int64_t places = blocks_at_a_time(w.parts, of.multiprocessors);
    const std::int64_t blocks = sum.blocks * w.parts;
    const bool alone = blocks <= places;
    const double mean = static_cast<double>(sum.block_steps) / static_cast<double>(sum.blocks);
    const auto rounds = static_cast<double>(ceil_div(blocks, alone ? places : 2 * places));
    const double steps = std::max(rounds * mean, static_cast<double>(sum.most_steps)) / w.parts;
    return around_s +
           std::max(steps * step_s(w, of, alone), sum.operand_bytes / memory_bytes_per_s) +
           sum.result_bytes / writing_bytes_per_s +
           (w.parts > 1 ? meeting_s + sending_s * w.parts : 0);
}

std::int64_t fewest_steps(const hopper_request& of, std::span<const product_size> all) {
    std::int64_t fewest = steps_of(all.front().k, of);
    for (const product_size& p : all) fewest = std::min(fewest, steps_of(p.k, of));
    return fewest;
}

// One product after the other in wide tiles.
double seconds_apart(const hopper_request& like, std::span<const product_size> all) {
    double total = 0;
    for (const product_size& p : all) {
        hopper_request of = like;
        of.m = p.m;
        of.n = p.n;
        of.k = p.k;
        of.parts = 1;
        double fastest = std::numeric_limits<double>::infinity();
        for (const int tile_n : {192, 256})
            if (const auto wide = best_of(of, 128, tile_n, 1, 2))
                fastest = std::min(fastest, wide->seconds);
        total += fastest;
    }
    return total;
}

}  // namespace

std::int64_t blocks_at_a_time(int cluster, int multiprocessors) {
    // Of a GPU that is cut up there may be no more than 16.
    return cluster <= 2 ? multiprocessors
                        : std::max(1, (multiprocessors - 16) / cluster) * std::int64_t{cluster};
}

group_plan make_group_plan(const hopper_request& like, std::span<const product_size> all) {
    group_plan best;
    best.plan.seconds = std::numeric_limits<double>::infinity();
    const std::int64_t fewest = fewest_steps(like, all);
    for (const bool turned : {!like.c_by_rows, like.c_by_rows})
        for (const int tile_n : widths)
            for (const int tile_m : {64, 128}) {
                // No two blocks below each other need be of one product: none share B.
                way w{turned, 0, 0, 0, tile_m, tile_n, 1, 1};
                if (is_wide(tile_m, tile_n) || of_16_bits_only(tile_m, tile_n) ||
                    !exists(like, turned, tile_m, tile_n, 1, 1))
                    continue;
                const sum_of_ways sum = sum_up(like, all, w);
                for (const int parts : {4, 2, 1}) {
                    if (parts > fewest || (like.parts != 0 && parts > like.parts)) continue;
                    w.parts = parts;
                    const double taken = group_seconds(sum, w, like);
                    if (taken < best.plan.seconds)
                        best.plan = {turned, tile_m, tile_n, parts, 1,
                                     1,      false,  false,  false, taken};
                }
            }
    best.at_once = best.plan.seconds <= static_cast<double>(all.size()) * around_s ||
                   best.plan.seconds <= seconds_apart(like, all);
    return best;
}

hopper_plan make_hopper_plan(const hopper_request& wanted) {
    std::optional<hopper_plan> best;
    const bool may = wanted.on_lines && wanted.tile_m == 0 && wanted.tile_n == 0 &&
                     wanted.parts <= 1 && wanted.sharing == 0;
    if (has_tiles_apart(wanted) && (wanted.apart || may))
        best = best_of(wanted, 128, 128, 1, 2, true);
    if (best && wanted.apart) return *best;
    for (const int tile_n : widths) {
        if (tile_n < wanted.tile_n) continue;
        const int asked_for =
            has_tiles_beside(wanted, tile_n) ? wanted.tile_m : std::min(128, wanted.tile_m);
        for (const int tile_m : heights) {
            if (asked_for != 0 && tile_m < asked_for) continue;
            if (asked_for == 0 && is_beside(tile_m) && !wanted.on_lines) continue;
            const auto one = best_clusters(wanted, tile_m, tile_n);
            if (one && (!best || one->seconds < best->seconds)) best = one;
            if (one && wanted.tile_m != 0) break;
        }
        if (best && wanted.tile_n != 0) break;
    }
    return *best;  // wide tiles in one part always exist
}

std::optional<hopper_plan> make_gated_plan(const hopper_request& wanted) {
    if (!wanted.c_by_rows || wanted.in_blocks || wanted.operand_bytes > 2) return std::nullopt;
    const hopper_request of = with_gates(wanted);
    if (!values_can_be_loaded(of)) return std::nullopt;
    std::optional<hopper_plan> best;
    if (has_tiles_apart(of) && (of.apart || (of.on_lines && of.tile_n == 0)))
        best = best_of(of, 128, 128, 1, 2, true);
    if (!of.apart) {
        const auto wide = best_of(of, 128, 256, 1, 2);
        if (wide && (!best || wide->seconds * worth_ending_together < best->seconds)) best = wide;
    }
    if (!best || of.apart || of.tile_n != 0) return best;
    if (of.m < fewest_rows_of_gates) return std::nullopt;
    hopper_request sums = wanted;
    sums.result_bytes = 4;
    const double otherwise = make_hopper_plan(sums).seconds + pass_seconds(wanted);
    return best->seconds <= otherwise ? best : std::nullopt;
}

}  // namespace carat::plan
