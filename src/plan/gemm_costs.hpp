// What the kernels of one architecture cost, as numbers: the row of it that the model of
// gemm_cost.hpp reads. A k-block is one step of a CTA along K, 128 bytes deep.
#pragma once

#include <array>
#include <cstdint>

namespace carat::plan {

struct gemm_costs {
    // A k-block takes a CTA as long as the slowest of: the tensor cores, so much for each column of
    // a tile of 128 rows, and no less than for `fewest_columns`, for reading A; its operands' way
    // to the SM; and what a block costs however small it is.
    double column_s;
    int fewest_columns;

    // What a k-block costs beyond its columns: beside fewer of them A is read more often.
    struct width_factor {
        int block_n;
        double factor;
    };
    double pingpong_factor;
    std::array<width_factor, 3> width_factors;  // of single tiles and cooperative ones
    double unbuffered_promotion_factor;  // promoted bytes, none added up beside the next ones
    double three_warpgroups_factor;      // beside one another they wait for less
    double least_k_block_s;

    double hidden_share;  // of the shorter of k-blocks and memory, which the longer one hides
    double alone_bytes_per_s;
    double pair_bytes_per_s;          // of two CTAs on an SM
    double split_k_pair_bytes_per_s;  // the same in clusters that split K
    // Of parts of K, 128 rows beside 64 columns or fewer come so much more slowly than 64 beside
    // 128.
    double split_k_narrow_factor;
    // Lines that begin between two sectors of 32 bytes take TMA so much longer.
    double off_sectors_factor;
    double memory_bytes_per_s;
    double storing_bytes_per_s;     // C, which waits for the last k-block
    double pingpong_storing_share;  // of it that is seen, where another tile is multiplied

    double launch_s;        // a kernel's beginning and end, of many on a stream
    double split_k_sync_s;  // of the CTAs that split K
    double split_k_send_s;  // and each one's accumulators to the others
    // CTAs of one tile that multicast B begin and end together, unless all wait for memory.
    double multicast_s;

    // Of an operand larger than this that several tiles read, such a share comes from memory again
    // for each.
    double l2_bytes;
    double reread_share;

    // Of so few rows or columns a product is a stream of weights. What comes to a CTA is what its
    // pipeline holds in the time that a copy is under way, and no more than its share of what comes
    // to all.
    struct {
        std::int64_t most;  // rows or columns
        double latency_s;
        double shared_bytes;  // of an SM
        double most_stages;
        double k_block_s;
        double alone_bytes_per_s;
        double all_bytes_per_s;
        double memory_bytes_per_s;
        double launch_s;
        double overlapped_launch_s;  // where the next kernel's CTAs have room meanwhile
        double split_k_send_s;       // for each part of K, and the bytes of a tile's accumulators
        double sent_bytes_per_s;
    } thin;

    // Accumulators are on their way from one cluster to the next, and clusters are on different
    // parts of K, so that they share less of L2. Beside pingpong tiles most of that is hidden, but
    // less of the way where bytes are multiplied.
    struct {
        double fixed_s;
        double fixed_bytes_s;  // of pingpong tiles of bytes
        double less_shared_factor;
        // So much it must be predicted to save: where waves are many, less is left to save, and the
        // prediction errs by more.
        double worth_factor;
    } stream_k;

    struct {
        double pass_s;  // the launch of a kernel that makes C of f32 sums of twice its columns
        // Of both CTAs of a cluster: rows beyond C take longer to load than those of it. Gates of
        // 4096 by 4096 took 43.6 us with 16 rows, 35.9 with 128 and 26.4 with 256.
        std::int64_t fewest_rows;
        // So much tiles of 256 columns must be predicted to save beside pingpong: at 4096 they took
        // 353 us where those took 366, but, at the GPU's power limit, 416 where those took 395.
        double cooperative_worth_factor;
    } glu;

    // When a single tile leaves half of the SM to the next kernel: its pipeline keeps enough stages
    // for the few k-blocks it has.
    struct {
        std::int64_t few_k_blocks;
        double enough_stages;
    } residency;

    // Fitted to random products, of which every tile, cut and cluster is worth a look
    // (gemm_fitted.hpp): one whose lines aren't all whole ones of 128 bytes, and smaller batches.
    struct fitted_products {
        // In the order of core::kernel_schedule.
        struct of_schedule {
            double launch_s;
            double stored_bytes_per_s;  // of its tile, by an SM
            double turn_s;              // of a CTA on an SM after another, or tile
            double alone_bytes_per_s;
            double off_sectors_factor;
        };
        std::array<of_schedule, 3> schedules;
        double column_s;
        double pingpong_factor;
        std::array<width_factor, 3> width_factors;
        double three_warpgroups_factor;
        double least_k_block_s;
        double hidden_share;
        double latency_s;  // of what a pipeline holds
        double pair_bytes_per_s;
        double split_k_pair_bytes_per_s;
        double split_k_narrow_factor;
        double memory_bytes_per_s;  // of which L2 has some
        double storing_bytes_per_s;
        double pingpong_storing_share;
        double l2_bytes;
        double reread_share;
        double split_k_sync_s;
        double split_k_send_s;
        double sent_bytes_per_s;
        std::array<double, 2> multicast_s;  // to two single tiles, or four
        double stream_k_s;
        double stream_k_of_bytes_s;  // of elements of a byte
    };
    fitted_products off_lines;
    fitted_products batched;
    double fitted_worth_factor;  // that they must be predicted to save beside the costs above

    // Products in one launch.
    struct {
        // Where single tiles follow each other on an SM, C leaves at so many elements a second,
        // whatever their type, the fewer the more of a tile of fewer than `thin` rows or columns
        // sticks out, and such a share of operands comes beside it.
        double stored_elements_per_s;
        double staged_elements_per_s;  // whole runs of 16-bit elements
        double thin;
        double seen_operands;
        // C whose rows begin between four elements takes beyond that an element's share of these.
        double off_elements_per_s;  // a launch for each product
        double off_at_once_elements_per_s;
        double off_staged_elements_per_s;
        double packing_launch_s;  // the host's two
        double packing_bytes_per_s;
    } batch;

    // In every wave an SM stores the C of its tiles, however few SMs there are at work.
    struct fitted_kernels {
        double launch_s;  // with how much of it overlaps
        double factor;    // measured over modelled, of k-blocks and memory
        double stored_bytes_per_s;
        double stored_off_16_bytes_per_s;  // C's rows begin between 16 bytes
    };

    // What only a prediction needs (gemm_prediction.hpp): but for how a batch is stored no kernel
    // is chosen by it.
    struct {
        double memory_bytes_per_s;  // read, of the GPU that these costs were measured on
        double sustained_share;     // of the tensor cores' peak, at the power limit
        double power_sharpness;     // how suddenly that limit is felt
        fitted_kernels thin;        // streams of weights
        fitted_kernels single_tile;
        fitted_kernels persistent;
        double storing_bytes_per_s;  // of all SMs
        double meeting_factor;
        double packing_launch_s;
        double packing_bytes_per_s;  // read and written
        double transposing_launch_s;
        double transposing_bytes_per_s;
        double low;  // by rule of thumb a measurement lies between these factors of it
        double high;
    } prediction;

    [[nodiscard]] constexpr double factor_of(int block_n) const {
        for (const width_factor& w : width_factors)
            if (w.block_n == block_n) return w.factor;
        return 1;
    }
};

}  // namespace carat::plan
