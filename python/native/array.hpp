// Arrays of other libraries as addresses, sizes and strides, without copies: NumPy's through
// __array_struct__, which knows every type and is fastest; others through the buffer protocol,
// __array_interface__ or DLPack, whichever answers first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <optional>
#include <span>
#include <string>

#include <carat/erased.hpp>
#include <carat/types.hpp>

namespace carat::python {

namespace nb = nanobind;

inline constexpr int most_axes = 16;

enum class access : std::uint8_t { read, write };

// A TypeError for an object whose class NumPy would ask for the product.
class class_answers : public nb::builtin_exception {
  public:
    explicit class_answers(const std::string& why)
        : nb::builtin_exception(nb::exception_type::type_error, why.c_str()) {}
};

// The buffer of an object with the buffer protocol, released at the end of its scope.
struct held_buffer {
    held_buffer() { view.obj = nullptr; }
    ~held_buffer() {
        if (view.obj != nullptr) PyBuffer_Release(&view);
    }
    held_buffer(const held_buffer&) = delete;
    held_buffer& operator=(const held_buffer&) = delete;

    Py_buffer view;
};

// Keeps the memory alive for its own lifetime.
class foreign_array {
  public:
    // Throws TypeError for an object that is no array, has elements that carat does not multiply,
    // means more than its elements, or fails to answer; ValueError for strides that are not whole
    // elements. Errors that are not the array's, such as KeyboardInterrupt, are passed on.
    // `argument` is its name in the message.
    foreign_array(nb::handle source, const char* argument, access how = access::read);

    [[nodiscard]] std::byte* data() const { return data_; }
    [[nodiscard]] dtype type() const { return type_; }
    [[nodiscard]] std::span<const std::int64_t> shape() const { return {shape_.data(), axes_}; }
    [[nodiscard]] std::span<const std::int64_t> strides() const { return {strides_.data(), axes_}; }
    [[nodiscard]] std::size_t axes() const { return axes_; }
    // The index of its GPU.
    [[nodiscard]] std::optional<int> gpu() const { return gpu_; }
    // Whether it is NumPy's, or from something that makes no arrays of its own.
    [[nodiscard]] bool of_numpy() const { return of_numpy_; }

  private:
    void take(nb::handle source, access how);
    void take_numpy(nb::handle source, access how);
    bool take_buffer(nb::handle source, access how);
    bool take_array_interface(nb::handle source, access how);
    void take_dlpack(nb::handle source, access how);
    // Sizes, and strides in bytes; without strides, those of row-major order.
    void set_axes(std::size_t axes, const std::int64_t* shape, const std::int64_t* strides_bytes);
    void set_row_major();
    void divide_strides();
    void check_memory() const;
    [[noreturn]] void refuse(const std::string& why) const;
    [[noreturn]] void refuse_type(const std::string& type) const;
    [[noreturn]] void refuse_value(const std::string& why) const;

    const char* argument_;
    std::byte* data_ = nullptr;
    dtype type_ = dtype::f64;
    std::size_t axes_ = 0;
    std::array<std::int64_t, most_axes> shape_;    // the first axes_ of them
    std::array<std::int64_t, most_axes> strides_;  // in elements
    std::optional<int> gpu_;
    bool of_numpy_ = true;
    std::string why_no_buffer_;
    held_buffer buffer_;
    nb::object owner_;
    nb::ndarray<nb::ro> dlpack_;
};

// "2 x 3 x 4"
[[nodiscard]] std::string size_of(std::span<const std::int64_t> shape);

// An uninitialised array of the library that `like` comes from, or of NumPy.
[[nodiscard]] nb::object empty_like(nb::handle like, bool of_numpy, bool on_gpu,
                                    std::span<const std::int64_t> shape, dtype type);

}  // namespace carat::python
