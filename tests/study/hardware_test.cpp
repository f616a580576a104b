// The limits of a document's GPU beside those of the machine's.
#include "lab/study/hardware.hpp"

#include <gtest/gtest.h>

namespace {

using namespace carat;

results::document on(const char* gpu) {
    results::document doc;
    doc.machine["gpus"] = {
        {{"name", gpu},
         {"peaks",
          {{"compute",
            {{{"unit", "ffma"}, {"gflops", 80500.0}}, {{"unit", "dfma"}, {"gflops", 1200.0}}}},
           {"bandwidth", {{{"level", "HBM"}, {"gb_per_s", 790.0}}}}}}}};
    return doc;
}

study::chapter chapter_of(const results::document& doc,
                          const study::published::source& from = study::published::dense) {
    study::chapter c;
    study::add_hardware(c, from, doc);
    return c;
}

TEST(study_hardware, the_documents_limits_stand_beside_the_published_and_measured_ones) {
    const study::chapter c = chapter_of(on("NVIDIA GeForce RTX 4090"));
    ASSERT_EQ(c.tables.size(), 1U);
    EXPECT_EQ(c.tables[0].title, "Limits of the document's GPU and of NVIDIA GeForce RTX 4090");
    EXPECT_EQ(c.tables[0].rows[0],
              (std::vector<std::string>{"f64, TFLOP/s", "1.43", "1.29", "1.2"}));
    EXPECT_EQ(c.tables[0].rows[1],
              (std::vector<std::string>{"f32, TFLOP/s", "91.6", "82.6", "80.5"}));
    EXPECT_EQ(c.tables[0].rows[2], (std::vector<std::string>{"tf32, TFLOP/s", "183", "82.6", "-"}));
    EXPECT_EQ(c.tables[0].rows.back(),
              (std::vector<std::string>{"memory, GB/s", "864", "1008", "790"}));
    EXPECT_TRUE(c.sources.empty());
}

TEST(study_hardware, the_documents_own_gpu_is_recognised) {
    for (const auto& [from, gpu] :
         {std::pair{&study::published::dense, "NVIDIA L40S"},
          std::pair{&study::published::five_algorithms, "Tesla V100-PCIE-16GB"},
          std::pair{&study::published::crossover, "NVIDIA A100-SXM4-40GB"},
          std::pair{&study::published::investigation, "NVIDIA A100-SXM4-40GB"},
          std::pair{&study::published::precisions, "NVIDIA GeForce RTX 4050 Laptop GPU"}}) {
        const study::chapter c = chapter_of(on(gpu), *from);
        ASSERT_EQ(c.sources.size(), 1U) << gpu;
        EXPECT_NE(c.sources[0].find("This machine has the document's GPU"), std::string::npos);
        EXPECT_NE(c.sources[0].find(gpu), std::string::npos);
    }
}

TEST(study_hardware, without_a_gpu_the_documents_stands_alone) {
    study::chapter c = chapter_of({});
    ASSERT_EQ(c.tables.size(), 1U);
    EXPECT_EQ(c.tables[0].title, "Limits of the document's GPU");
    study::drop_empty_columns(c);
    EXPECT_EQ(c.tables[0].head, (std::vector<std::string>{"limit", "L40S, published"}));
}

TEST(study_hardware, a_gpu_that_nobody_listed_has_its_measured_limits) {
    study::chapter c = chapter_of(on("NVIDIA GeForce RTX 3090"));
    study::drop_empty_columns(c);
    EXPECT_EQ(c.tables[0].head,
              (std::vector<std::string>{"limit", "L40S, published", "here, measured"}));
}

}  // namespace
