// Caches what was measured, and refuses what was not measured here, recently and completely.
#include "lab/machine/cache_file.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/machine/plan.hpp"
#include "tests/machine/sample_machine.hpp"
#include "tests/machine/small_machine.hpp"

namespace carat::machine {
namespace {

// An invented measurement for files.
peaks invented(const description& machine, double gflops) {
    peaks limits;
    for (const compute_task& task : plan_measurement(machine).compute)
        limits.compute.push_back({task.what.kernel->unit, task.what.kernel->operand,
                                  task.what.level, task.threads, gflops, 0, 3});
    for (const read_task& task : plan_reading(machine))
        limits.reading.push_back({task.threads, task.bytes, gflops, 0, 3});
    limits.measured_at_s = now_s();
    return limits;
}

constexpr double kept_gflops = 1e15;  // no machine measures that

bool was_kept(const peaks& limits) {
    return limits.compute.front().gflops == kept_gflops;
}

class cache_file : public testing::Test {
  protected:
    scratch_folder folder;
    description machine = small_machine();
    cache_options kept{folder.path() / "carat", 3600};

    // Writes the file of this machine, with the invented figures.
    std::filesystem::path write_kept() {
        keep(owner_of(machine), invented(machine, kept_gflops), kept);
        return only_file();
    }

    std::filesystem::path only_file() {
        std::vector<std::filesystem::path> found;
        for (const auto& entry : std::filesystem::directory_iterator(kept.directory))
            found.push_back(entry.path());
        EXPECT_EQ(found.size(), 1u) << "one file, and no draft of it";
        return found.front();
    }

    std::optional<peaks> load() { return load_kept(owner_of(machine), brief(), kept); }
};

void edit(const std::filesystem::path& file, const std::function<void(nlohmann::json&)>& change) {
    nlohmann::json content = nlohmann::json::parse(std::ifstream(file));
    change(content);
    std::ofstream(file) << content;
}

TEST_F(cache_file, is_used_while_it_is_valid) {
    EXPECT_FALSE(load());
    const auto file = write_kept();
    EXPECT_TRUE(was_kept(load_or_measure(machine, brief(), kept)));
    edit(file, [](auto& content) { content["peaks"]["measured_at_s"] = now_s() - 600; });
    const auto limits = load();
    ASSERT_TRUE(limits);
    EXPECT_TRUE(was_kept(*limits));
    EXPECT_NEAR(limits->age_s, 600, 60);
    EXPECT_EQ(limits->compute.size(), plan_measurement(machine).compute.size());
}

TEST_F(cache_file, that_is_damaged_foreign_or_old_is_not_used) {
    using change = std::function<void(nlohmann::json&)>;
    const std::pair<const char*, change> damages[] = {
        {"another carat", [](auto& c) { c["identity"]["carat"] = "0.0.0"; }},
        {"another machine", [](auto& c) { c["identity"]["machine"]["cpu_model"] = "other"; }},
        {"too old", [](auto& c) { c["peaks"]["measured_at_s"] = now_s() - 7200; }},
        {"from the future", [](auto& c) { c["peaks"]["measured_at_s"] = now_s() + 7200; }},
        {"negative", [](auto& c) { c["peaks"]["compute"][1]["gflops"] = -1.0; }},
        {"no figure", [](auto& c) { c["peaks"]["compute"][1]["gflops"] = nullptr; }},
        {"text", [](auto& c) { c["peaks"]["reading"][0]["gb_per_s"] = "fast"; }},
        {"unknown type", [](auto& c) { c["peaks"]["compute"][1]["dtype"] = "f80"; }},
        {"unknown level", [](auto& c) { c["peaks"]["compute"][1]["isa"] = "mmx"; }},
        {"a unit missing", [](auto& c) { c["peaks"]["compute"].erase(1); }},
        {"a size missing", [](auto& c) { c["peaks"]["reading"].erase(0); }},
        {"no peaks", [](auto& c) { c.erase("peaks"); }},
        {"an array",
         [](auto& c) {
             c = nlohmann::json::array({1, 2});
         }},
    };
    int refused = 0;
    for (const auto& [what, damage] : damages) {
        const auto file = write_kept();
        EXPECT_TRUE(load()) << what;
        edit(file, damage);
        EXPECT_FALSE(load()) << what;
        ++refused;
    }
    EXPECT_EQ(refused, 13);
}

TEST_F(cache_file, cut_short_or_empty_is_not_used) {
    for (const std::uintmax_t part : {0u, 1u, 2u}) {
        const auto file = write_kept();
        std::filesystem::resize_file(file, std::filesystem::file_size(file) * part / 3);
        EXPECT_FALSE(load()) << part << " thirds";
    }
}

// Reading a pipe would wait for a writer for ever.
TEST_F(cache_file, that_is_no_file_is_passed_over_and_replaced_where_it_can_be) {
    const auto file = write_kept();
    const std::pair<const char*, std::function<void()>> others[] = {
        {"a pipe", [&] { EXPECT_EQ(mkfifo(file.c_str(), 0600), 0); }},
        {"a link to itself", [&] { std::filesystem::create_symlink(file.filename(), file); }},
        {"a link to a device", [&] { std::filesystem::create_symlink("/dev/zero", file); }},
        {"nested without end", [&] { std::ofstream(file) << std::string(100'000, '['); }},
        {"a folder", [&] { std::filesystem::create_directory(file); }},
    };
    for (const auto& [what, make] : others) {
        std::filesystem::remove(file);
        make();
        EXPECT_FALSE(load()) << what;
        keep(owner_of(machine), invented(machine, kept_gflops), kept);
        EXPECT_EQ(load().has_value(), !std::filesystem::is_directory(file)) << what;
        EXPECT_EQ(only_file(), file) << what;
    }
}

TEST_F(cache_file, beside_which_links_were_planted_follows_none) {
    const auto file = write_kept();
    const auto mine = folder.path() / "mine";
    std::ofstream(mine) << "mine";
    std::filesystem::remove(file);
    const std::string draft = file.string() + "." + std::to_string(getpid());
    for (const std::string& name : {file.string(), file.string() + ".tmp", draft})
        std::filesystem::create_symlink(mine, name);
    keep(owner_of(machine), invented(machine, kept_gflops), kept);
    EXPECT_EQ(std::filesystem::file_size(mine), 4U);
    EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(file)));
}

TEST_F(cache_file, that_is_not_used_is_measured_and_replaced) {
    const auto file = write_kept();
    std::ofstream(file) << "{ \"identity\": ";
    const peaks measured = load_or_measure(machine, brief(), kept);
    EXPECT_FALSE(was_kept(measured));
    const auto limits = load();
    ASSERT_TRUE(limits);
    EXPECT_EQ(limits->compute.front().gflops, measured.compute.front().gflops);
    EXPECT_EQ(only_file(), file);
}

TEST_F(cache_file, of_another_isa_in_use_is_another_file) {
    (void)write_kept();
    machine.isa_in_use =
        machine.isa_in_use == core::isa::baseline ? core::isa::avx2 : core::isa::baseline;
    EXPECT_FALSE(load());
}

TEST_F(cache_file, of_a_quick_measurement_does_not_serve_a_thorough_one) {
    (void)write_kept();
    measure_options thorough = brief();
    thorough.thorough = true;
    EXPECT_FALSE(load_kept(owner_of(machine), thorough, kept));
    peaks limits = invented(machine, kept_gflops);
    limits.thorough = true;
    keep(owner_of(machine), limits, kept);
    EXPECT_TRUE(load_kept(owner_of(machine), thorough, kept));
    EXPECT_TRUE(load());
}

TEST_F(cache_file, that_cannot_be_written_is_no_error) {
    folder.write("carat", "a file where the folder should be");
    EXPECT_NO_THROW(keep(owner_of(machine), invented(machine, 1), kept));
    EXPECT_FALSE(load());
    kept.directory.clear();
    EXPECT_NO_THROW(keep(owner_of(machine), invented(machine, 1), kept));
    EXPECT_FALSE(load());
}

TEST(refreshing, keeps_the_better_of_old_and_new) {
    const description machine = small_machine();
    peaks known = invented(machine, 1e-9);
    known.compute.front().gflops = kept_gflops;
    known.reading.front().gb_per_s = kept_gflops;
    const int odd = 9999;  // a number of threads that nobody measures again
    known.reading.push_back({odd, 4096, 5, 0, 3});
    const peaks limits = refresh(machine, known, brief(), cache_options{{}, 0});
    EXPECT_EQ(limits.compute.front().gflops, kept_gflops);
    EXPECT_EQ(limits.reading.front().gb_per_s, kept_gflops);
    EXPECT_EQ(limits.bandwidth.front().gb_per_s, kept_gflops);  // of the new curve
    EXPECT_EQ(limits.reading.back().threads, odd);
    for (std::size_t i = 1; i < limits.compute.size(); ++i)
        EXPECT_TRUE(limits.compute[i].gflops > 1e-9 && limits.compute[i].gflops < kept_gflops);
}

// A measurement for one and all threads is kept when one for a number between is added.
TEST(refreshing, measures_numbers_of_threads_that_a_kept_file_lacks) {
    const scratch_folder folder;
    const cache_options kept{folder.path() / "carat", 3600};
    description machine = small_machine();
    machine.cores = 3;
    machine.core_cpus.assign(3, machine.core_cpus.front());
    keep(owner_of(machine), invented(machine, kept_gflops), kept);
    EXPECT_TRUE(was_kept(load_or_measure(machine, brief(), kept)));
    measure_options between = brief();
    between.threads = {2};
    const peaks more = load_or_measure(machine, between, kept);
    EXPECT_TRUE(was_kept(more));
    EXPECT_TRUE(covers(more, plan_measurement(machine, {2})));
    EXPECT_TRUE(load_kept(owner_of(machine, {2}), brief(), kept));
}

TEST(cache_location, follows_the_environment) {
    const auto with = [](const char* xdg, const char* home) {
        setenv("XDG_CACHE_HOME", xdg, 1);
        setenv("HOME", home, 1);
        return cache_directory();
    };
    EXPECT_EQ(with("/x", "/h"), "/x/carat");
    EXPECT_EQ(with("", "/h"), "/h/.cache/carat");
    EXPECT_EQ(with("relative", "/h"), "/h/.cache/carat");
    EXPECT_EQ(with("", ""), "");
}

}  // namespace
}  // namespace carat::machine
