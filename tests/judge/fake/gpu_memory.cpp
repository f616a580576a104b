// The judge's GPU memory, the GPU and its checks in host memory, so that the rest of lab/judge is
// tested without a GPU.
#include "lab/judge/device/gpu_memory.hpp"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "lab/gpu/gpu.hpp"
#include "lab/gpu/verify/verify.hpp"
#include "lab/judge/device/guard.hpp"
#include "lab/verify/verify.hpp"
#include "lab/workload/workload.hpp"

namespace carat::gpu {

int count() {
    return 1;
}
std::string unavailable(int) {
    return {};
}
int in_use() {
    return 0;
}
void select(int) {}
space::execution_space& space(int) {
    throw std::logic_error("a fake GPU has no space");
}
void leave() {}
monitor monitor_of(int) {
    return monitor("none");
}
nlohmann::json describe(int) {
    return {{"name", "fake GPU"}};
}

void fill(const verify::exact_pass& pass, const core::problem&, const core::operands& data) {
    pass.fill(data.a, data.b);
}
void fill_c(const verify::exact_pass& pass, const core::problem&, void* c) {
    pass.fill_c(c);
}
verify::verdict check(const verify::exact_pass& pass, const core::problem&, const void* c) {
    return pass.check(c);
}
verify::verdict check_padding(const core::problem&, const void*) {
    throw std::logic_error("a judge compares padding by itself");
}
void poison(const core::problem& p, void* c) {
    verify::poison(p, c);
}

struct reference::impl {
    verify::reference right;
};
reference::reference(const core::problem& p, const core::operands& data)
    : impl_(new impl{verify::reference(p, data)}) {}
reference::reference(reference&&) noexcept = default;
reference& reference::operator=(reference&&) noexcept = default;
reference::~reference() = default;
verify::verdict reference::check(const void* c, std::string_view computes_in) const {
    return impl_->right.check(c, computes_in);
}

}  // namespace carat::gpu

namespace carat::judge {

namespace {

// Memory that another process finds by its name.
class named_memory {
  public:
    explicit named_memory(std::int64_t size) : size_(static_cast<std::size_t>(size)) {
        static int count = 0;
        name_ = "/carat-fake-" + std::to_string(getpid()) + "-" + std::to_string(++count);
        const int file = shm_open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
        if (file < 0 || ftruncate(file, size) != 0) throw std::runtime_error("no shared memory");
        data_ =
            static_cast<char*>(mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
        close(file);
    }
    named_memory(const named_memory&) = delete;
    named_memory& operator=(const named_memory&) = delete;
    ~named_memory() {
        munmap(data_, size_);
        shm_unlink(name_.c_str());
    }
    [[nodiscard]] char* data() const { return data_; }
    [[nodiscard]] const std::string& name() const { return name_; }

  private:
    std::size_t size_;
    std::string name_;
    char* data_ = nullptr;
};

void copy_rows(char* to, const char* from, std::span<const device_rows> all) {
    for (const device_rows& r : all)
        for (std::int64_t i = 0; i < r.height; ++i)
            std::memcpy(to + r.offset + i * r.pitch, from + r.offset + i * r.pitch,
                        static_cast<std::size_t>(r.width));
}

}  // namespace

struct gpu_memory::buffers {
    explicit buffers(std::int64_t size)
        : live(size),
          snapshot(size),
          image(static_cast<std::size_t>(size)),
          remembered(static_cast<std::size_t>(size)) {}
    named_memory live, snapshot;
    std::vector<char> image, remembered;
};

gpu_memory::gpu_memory(std::int64_t) : size_bytes_(std::int64_t{12} << 20) {
    own_ = std::make_unique<buffers>(size_bytes_);
}
gpu_memory::~gpu_memory() = default;

carat_gpu_channel gpu_memory::channel() const {
    carat_gpu_channel channel = {};
    std::memcpy(channel.live, own_->live.name().c_str(), own_->live.name().size());
    std::memcpy(channel.snapshot, own_->snapshot.name().c_str(), own_->snapshot.name().size());
    return channel;
}

char* gpu_memory::image() const {
    return own_->image.data();
}
const char* gpu_memory::snapshot() const {
    return own_->snapshot.data();
}

void gpu_memory::draw_guards(std::uint64_t seed) {
    for (std::int64_t i = 0; i < size_bytes_ / 8; ++i) {
        const std::uint64_t word = guard_word(seed, i);
        std::memcpy(image() + 8 * i, &word, 8);
    }
}

void gpu_memory::draw(dtype type, std::int64_t rows, std::int64_t cols, const core::layout& where,
                      char* to, double most, std::uint64_t seed) {
    workload::fill(to, type, rows, cols, where,
                   most == 0 ? workload::zeros() : workload::uniform(-most, most), seed,
                   workload::operand::a);
}

void gpu_memory::publish() {
    std::ranges::copy(own_->image, own_->live.data());
    std::memset(own_->snapshot.data(), 0xa5, static_cast<std::size_t>(size_bytes_));
}

void gpu_memory::remember() {
    std::copy_n(own_->live.data(), size_bytes_, own_->remembered.data());
}

std::int64_t gpu_memory::changed_since_snapshot(std::span<const device_rows> c) {
    const std::int64_t later = first_difference(own_->remembered.data(), own_->live.data());
    if (later >= 0) return later;
    std::vector<char> seen(own_->remembered);
    copy_rows(seen.data(), snapshot(), c);
    return first_difference(seen.data(), own_->live.data());
}

std::int64_t gpu_memory::changed_outside(std::span<const device_rows> c) {
    std::vector<char> seen(own_->live.data(), own_->live.data() + size_bytes_);
    copy_rows(seen.data(), image(), c);
    return first_difference(seen.data(), image());
}

std::int64_t gpu_memory::first_difference(const char* a, const char* b) const {
    const auto at = std::mismatch(a, a + size_bytes_, b).first - a;
    return at == size_bytes_ ? -1 : at;
}

void gpu_memory::download(void* to, const char* from, std::int64_t bytes) const {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

gpu_memory::capacity gpu_memory::memory() {
    return {std::int64_t{60} << 30, std::int64_t{80} << 30};
}

void* stream_of_products() {
    return nullptr;
}

}  // namespace carat::judge
