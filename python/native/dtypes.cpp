#include "dtypes.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "objects.hpp"

namespace carat::python {

namespace {

struct names {
    std::string_view numpy;
    char format;  // of the buffer protocol, which knows no bf16 and no fp8
    nb::dlpack::dtype_code code;
    nb::object made;  // NumPy's dtype, once it was asked for
};

using code = nb::dlpack::dtype_code;

// Indexed by dtype. Never destroyed, as the interpreter may be gone by then.
std::array<names, dtype_table.size()>& table() {
    static auto* const rows = new std::array<names, dtype_table.size()>{
        names{"float64", 'd', code::Float, {}},
        names{"float32", 'f', code::Float, {}},
        names{"float16", 'e', code::Float, {}},
        names{"bfloat16", 0, code::Bfloat, {}},
        names{"float8_e4m3fn", 0, code::Float8_E4M3FN, {}},
        names{"float8_e5m2", 0, code::Float8_E5M2, {}},
        names{"int32", 'i', code::Int, {}},
        names{"int8", 'b', code::Int, {}},
        names{"uint8", 'B', code::UInt, {}},
    };
    return *rows;
}

bool from_ml_dtypes(dtype type) {
    return type == dtype::bf16 || is_fp8(type);
}

std::string known_names() {
    std::string all;
    for (const names& row : table()) all += (all.empty() ? "" : ", ") + std::string(row.numpy);
    return all;
}

}  // namespace

std::string_view numpy_name(dtype type) {
    return table()[index_of(type)].numpy;
}

std::optional<dtype> type_named(std::string_view numpy_name) {
    for (const dtype type : all_dtypes)
        if (table()[index_of(type)].numpy == numpy_name || name(type) == numpy_name) return type;
    return {};
}

std::optional<dtype> type_of_format(const char* format, std::size_t size) {
    if (format == nullptr) return size == 1 ? std::optional(dtype::u8) : std::nullopt;
    constexpr char native = std::endian::native == std::endian::little ? '<' : '>';
    if (*format == '@' || *format == '=' || *format == native) ++format;
    if (format[0] == 0 || format[1] != 0) return {};
    for (const dtype type : all_dtypes)
        if (table()[index_of(type)].format == *format && size_bytes(type) == size) return type;
    return {};
}

std::optional<dtype> type_of(nb::dlpack::dtype type) {
    for (const dtype known : all_dtypes)
        if (static_cast<std::uint8_t>(table()[index_of(known)].code) == type.code &&
            traits_of(known).bits == type.bits && type.lanes == 1)
            return known;
    return {};
}

std::optional<dtype> type_of_kind(char kind, std::size_t size) {
    for (const dtype known : all_dtypes) {
        const names& row = table()[index_of(known)];
        const char of_row = row.code == code::Float ? 'f' : row.code == code::Int ? 'i' : 'u';
        if (row.format != 0 && of_row == kind && size_bytes(known) == size) return known;
    }
    return {};
}

std::optional<dtype> type_of_ml_dtypes(nb::handle numpy_dtype, std::size_t size) {
    if (!numpy_dtype.is_valid()) return {};
    for (const dtype known : all_dtypes)
        if (from_ml_dtypes(known) && table()[index_of(known)].made.is(numpy_dtype)) return known;
    const nb::object name = attribute_of(numpy_dtype, "name");
    const auto named = name.is_valid() ? type_named(text_of(name)) : std::nullopt;
    return named && from_ml_dtypes(*named) && size_bytes(*named) == size ? named : std::nullopt;
}

dtype type_asked(nb::handle asked, const char* argument) {
    // "float32", torch.float32, numpy.float32, numpy.dtype("float32"), jax.numpy.float32
    nb::object text = nb::borrow(asked);
    if (!nb::isinstance<nb::str>(asked)) text = attribute_of(asked, "name");
    if (!text.is_valid() && nb::isinstance<nb::type_object>(asked)) text = asked.attr("__name__");
    const std::string whole = text_of(text.is_valid() ? nb::handle(text) : asked);
    std::string_view plain = whole;
    if (const std::size_t dot = plain.rfind('.'); dot != plain.npos) plain.remove_prefix(dot + 1);
    if (plain == "float") plain = "float64";
    const nb::object native = attribute_of(asked, "isnative");
    const bool swapped = native.is_valid() && native.is(Py_False);
    if (const auto type = type_named(plain); type && !swapped) return *type;
    throw nb::type_error((std::string(argument) + " is " + nb::repr(asked).c_str() +
                          (swapped ? ", of the other byte order" : "") + ": it must be one of " +
                          known_names())
                             .c_str());
}

nb::object numpy_dtype(dtype type) {
    nb::object& made = table()[index_of(type)].made;
    if (made.is_valid()) return made;
    nb::object element(nb::str(numpy_name(type).data(), numpy_name(type).size()));
    if (from_ml_dtypes(type)) {
        try {
            element = nb::module_::import_("ml_dtypes").attr(element);
        } catch (nb::python_error& missing) {
            if (!missing.matches(PyExc_ImportError)) throw;
            throw nb::type_error(("the result is " + std::string(numpy_name(type)) +
                                  ", which NumPy has by the package ml_dtypes only: install that, "
                                  "or give out= or dtype='float32'")
                                     .c_str());
        }
    }
    made = nb::module_::import_("numpy").attr("dtype")(element);
    return made;
}

dtype natural_result(dtype a, dtype b) {
    if (is_byte_integer(a) && is_byte_integer(b)) return dtype::i32;
    if (is_fp8(a) && is_fp8(b)) return dtype::f32;
    if (a == b) return a;
    throw nb::type_error(("a is " + std::string(numpy_name(a)) + " and b is " +
                          std::string(numpy_name(b)) +
                          ": both must be of one type, or both 8-bit; convert one, with "
                          "b.astype(a.dtype) say")
                             .c_str());
}

void check_result(dtype a, dtype c) {
    const bool narrow = c == dtype::f16 || c == dtype::bf16;
    bool can = a == c && !is_fp8(a);
    std::string_view may = numpy_name(a);
    if (a == dtype::f32) {
        can = can || narrow;
        may = "float32, float16 or bfloat16";
    } else if (is_half(a)) {
        can = can || c == dtype::f32;
        may = a == dtype::f16 ? "float16 or float32" : "bfloat16 or float32";
    } else if (is_byte_integer(a)) {
        can = c == dtype::i32 || c == dtype::f32 || narrow || is_byte_integer(c);
        may = "int32, float32, float16, bfloat16 or, with a scale, int8 or uint8";
    } else if (is_fp8(a)) {
        can = c == dtype::f32 || narrow || is_fp8(c);
        may = "float32, float16, bfloat16 or 8-bit";
    }
    if (can) return;
    throw nb::type_error(("the result is to be " + std::string(numpy_name(c)) +
                          " but a and b are " + std::string(numpy_name(a)) +
                          ": out or dtype must be " + std::string(may))
                             .c_str());
}

}  // namespace carat::python
