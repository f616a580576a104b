#include "far.hpp"

#include <mutex>

namespace carat::fuzz {

namespace {

constexpr std::ptrdiff_t beyond = std::ptrdiff_t{1} << 31;

// Whether lines of so many elements, `within` apart, end before the next begins.
bool are_lines(std::size_t lines, std::ptrdiff_t apart, std::size_t length, std::ptrdiff_t within) {
    return lines > 1 && lines <= 300 && within > 0 &&
           apart >= static_cast<std::ptrdiff_t>(length) * within;
}

bool has_room(std::size_t size_bytes) {
    std::size_t free = 0;
    std::size_t total = 0;
    must(cudaMemGetInfo(&free, &total), "free memory");
    return free > size_bytes + (std::size_t{2} << 30);
}

operand* wanted(const running& r) {
    switch (r.of.far) {
        case far_operand::a:
            return &r.on.a;
        case far_operand::b:
            return &r.on.b;
        case far_operand::e:
            return r.of.e == addend::own ? &r.on.e : nullptr;
        case far_operand::c:
            return &r.on.c;
        default:
            return nullptr;
    }
}

}  // namespace

far_lines::far_lines(const running& r, device_bytes& there) : there_(there) {
    operand* const o = wanted(r);
    if (o == nullptr) return;
    const matrix_place& m = o->all[0];
    const bool rows = are_lines(m.rows, m.row_stride, m.cols, m.col_stride);
    if (!rows && !are_lines(m.cols, m.col_stride, m.rows, m.row_stride)) return;
    if (m.size() == 0) return;
    const auto bytes = static_cast<std::ptrdiff_t>(size_bytes(o->type));
    lines_ = rows ? m.rows : m.cols;
    const auto gaps = static_cast<std::ptrdiff_t>(lines_ - 1);
    std::ptrdiff_t far_apart = beyond / gaps + r.random.between(1, 100);
    if (r.random.chance(2)) far_apart = (far_apart + 15) / 16 * 16;
    apart_bytes_ = (rows ? m.row_stride : m.col_stride) * bytes;
    far_apart_bytes_ = far_apart * bytes;
    if (far_apart_bytes_ <= apart_bytes_) return;
    const std::size_t all =
        static_cast<std::size_t>(gaps * far_apart_bytes_) + o->span_bytes() + 512;
    std::byte* const memory = reserved(all);
    if (memory == nullptr) return;
    o_ = o;
    o->lines_apart(rows, far_apart);
    o->seen_at(memory + reinterpret_cast<std::uintptr_t>(o->remembered().data()) % 256);
    r.count.note(feature::far);
}

// Null if there is too little memory, or another thread fills it.
std::byte* far_lines::reserved(std::size_t size_bytes) const {
    static std::mutex guard;
    const std::scoped_lock lock(guard);
    try {
        return has_room(size_bytes + size_bytes / 4) ? there_.reserve(size_bytes) : nullptr;
    } catch (const no_device_memory&) {
        return nullptr;
    }
}

far_lines::~far_lines() {
    if (o_ == nullptr) return;
    o_->lines_apart(true, 0);
    there_.give_back();
}

// The bytes before the first line are copied with it, and those between two lines with the first.
template <class Copy>
void far_lines::each_piece(const Copy& copy) const {
    const std::span<std::byte> here = o_->remembered();
    std::byte* const first = o_->element(o_->all[0], 0, 0);
    std::byte* from = here.data();
    std::byte* to = there_.data() + reinterpret_cast<std::uintptr_t>(here.data()) % 256;
    for (std::size_t i = 0; i < lines_; ++i) {
        std::byte* const end = i + 1 == lines_
                                   ? here.data() + here.size()
                                   : first + static_cast<std::ptrdiff_t>(i + 1) * apart_bytes_;
        copy(from, to, static_cast<std::size_t>(end - from));
        to += (end - from) + far_apart_bytes_ - apart_bytes_;
        from = end;
    }
}

void far_lines::upload(cudaStream_t stream) const {
    each_piece([&](std::byte* here, std::byte* there, std::size_t bytes) {
        must(cudaMemcpyAsync(there, here, bytes, cudaMemcpyHostToDevice, stream), "upload");
    });
}

void far_lines::download(cudaStream_t stream) const {
    each_piece([&](std::byte* here, std::byte* there, std::size_t bytes) {
        must(cudaMemcpyAsync(here, there, bytes, cudaMemcpyDeviceToHost, stream), "download");
    });
}

}  // namespace carat::fuzz
