// The small languages of the command line: sizes, types, thread counts, implementations.
#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include <carat/error.hpp>

#include "core/problem.hpp"
#include "lab/request/corpus.hpp"
#include "lab/request/epilogue_names.hpp"
#include "lab/request/request.hpp"
#include "lab/results/document.hpp"
#include "lab/rows/group_sizes.hpp"

namespace carat::request {

namespace {

[[noreturn]] void refuse(const std::string& message) {
    throw error(error_code::invalid_argument, message);
}

// Splits at `separator`, but not inside brackets.
std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t start = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size() && text[i] == '[') ++depth;
        if (i < text.size() && text[i] == ']') --depth;
        if (i < text.size() && (text[i] != separator || depth > 0)) continue;
        parts.push_back(text.substr(start, i - start));
        start = i + 1;
    }
    return parts;
}

constexpr std::int64_t most_padding = 1'000'000;

std::int64_t parse_count(std::string_view text, const std::string& what) {
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure == std::errc::result_out_of_range)
        refuse(what + " '" + std::string(text) + "' does not fit in 64 bits");
    if (failure != std::errc() || end != text.data() + text.size())
        refuse(what + " '" + std::string(text) + "' is not a whole number");
    return value;
}

std::int64_t parse_size(std::string_view text, const std::string& what = "size") {
    const std::int64_t value = parse_count(text, what);
    if (value < 1) refuse(what + " '" + std::string(text) + "' must be 1 or more");
    return value;
}

shape checked(std::int64_t m, std::int64_t n, std::int64_t k) {
    const shape s{m, n, k};
    for (const auto& [rows, cols] : {std::pair{m, n}, std::pair{m, k}, std::pair{k, n}})
        (void)core::checked_product(core::checked_product(rows, cols, "size"), 8, "size in bytes");
    return s;
}

void add_range(std::vector<shape>& shapes, const std::vector<std::string_view>& parts) {
    const std::int64_t first = parse_size(parts[0]);
    const std::int64_t last = parse_size(parts[1]);
    const bool geometric = parts[2].starts_with('x');
    const std::int64_t step =
        parse_count(parts[2].substr(geometric ? 1 : 0), "step of a size range");
    if (step < (geometric ? 2 : 1))
        refuse("step '" + std::string(parts[2]) + "' of a size range never reaches the end");
    if (last < first)
        refuse("size range " + std::to_string(first) + ":" + std::to_string(last) + " is empty");
    for (std::int64_t size = first; size <= last;) {
        shapes.push_back(checked(size, size, size));
        if (shapes.size() > 10'000) refuse("size range has more than 10000 sizes: widen its step");
        if (geometric ? __builtin_mul_overflow(size, step, &size)
                      : __builtin_add_overflow(size, step, &size))
            break;
    }
}

void add_shapes(std::vector<shape>& shapes, std::string_view item) {
    if (is_corpus(item)) {
        std::ranges::copy(corpus(item), std::back_inserter(shapes));
        return;
    }
    if (const auto range = split(item, ':'); range.size() == 3) return add_range(shapes, range);
    const auto sizes = split(item, 'x');
    if (sizes.size() == 1) {
        const std::int64_t n = parse_size(sizes[0]);
        shapes.push_back(checked(n, n, n));
    } else if (sizes.size() == 3) {
        shapes.push_back(checked(parse_size(sizes[0]), parse_size(sizes[1]), parse_size(sizes[2])));
    } else {
        refuse("size '" + std::string(item) +
               "' is none of N, MxNxK, first:last:step, first:last:xF, random:SEED:COUNT, "
               "stream-k:SEED:COUNT and models");
    }
}

selection with_tunables(const rows::implementation& entry, std::string_view inside) {
    selection s{&entry, {}, true};
    for (const std::string_view item : split(inside, ',')) {
        const std::size_t equals = item.find('=');
        if (equals == std::string_view::npos)
            refuse("tunable '" + std::string(item) +
                   "' must be NAME=VALUE, as in tiled[tile-size=32]");
        const std::string key(item.substr(0, equals));
        if (s.tunables.contains(key))
            refuse(key + " is given twice in '[" + std::string(inside) + "]': give it once");
        s.tunables[key] = parse_count(item.substr(equals + 1), key);
    }
    return s;
}

// Named twice, by a group and alone say, it is measured once: against itself nothing can be told.
void add(std::vector<selection>& chosen, selection s) {
    const auto same = std::ranges::find_if(chosen, [&](const selection& there) {
        return there.entry == s.entry && there.tunables == s.tunables;
    });
    if (same == chosen.end())
        chosen.push_back(std::move(s));
    else
        same->asked_for = same->asked_for || s.asked_for;
}

// "cpu.engine.avx2" of "cpu.engine": it multiplies the same in the same arithmetic, so what the
// whole one chooses. One with another arithmetic (tf32, sums in f16) is no part.
bool is_part(const rows::implementation& one, const rows::catalogue& all) {
    return std::ranges::any_of(all.entries(), [&](const rows::implementation* whole) {
        return one.name.starts_with(whole->name) &&
               one.name.substr(whole->name.size()).starts_with('.') &&
               std::ranges::all_of(one.signatures, [&](const core::signature& s) {
                   return std::ranges::any_of(whole->signatures, [&](const core::signature& t) {
                       return s.a == t.a && s.b == t.b && s.c == t.c &&
                              s.computes_in == t.computes_in;
                   });
               });
    });
}

// Where a build without CUDA has nothing at all.
void require_any_on(std::optional<rows::device> only, const rows::catalogue& all) {
    if (only != rows::device::cuda) return;
    for (const rows::implementation* entry : all.entries())
        if (entry->where == rows::device::cuda) return;
    refuse(
        "there is no implementation on cuda: this build was made without CUDA (carat list shows "
        "all)");
}

// A short name means what runs on the device asked for, and never what runs elsewhere instead.
const rows::implementation& find(const rows::catalogue& all, std::optional<rows::device> only,
                                 std::string_view name) {
    const rows::implementation& found = all.find(name, only.value_or(rows::device::cpu));
    if (only && found.where != *only && found.name != name) {
        require_any_on(only, all);
        refuse("implementation '" + std::string(name) + "' is " + std::string(found.name) +
               ", which does not run on " + std::string(rows::name(*only)) +
               ": give one that does (carat list shows all)");
    }
    return found;
}

void add_selection(std::vector<selection>& chosen, const rows::catalogue& all,
                   std::optional<rows::device> only, std::string_view item) {
    const std::string_view prefix =
        item.ends_with(".*") ? item.substr(0, item.size() - 1) : std::string_view();
    if (item == "all" || !prefix.empty()) {
        bool any = false;
        for (const rows::implementation* entry : all.entries()) {
            if (!entry->name.starts_with(prefix) || entry->where != only.value_or(entry->where))
                continue;
            if (item == "all" && is_part(*entry, all)) continue;
            any = true;
            add(chosen, {entry, {}, false});
        }
        if (!any) {
            require_any_on(only, all);
            const std::string on = only ? " on " + std::string(rows::name(*only)) : "";
            const std::string named =
                prefix.empty() ? "" : " whose name begins with '" + std::string(prefix) + "'";
            refuse("there is no implementation" + on + named + " (carat list shows all)");
        }
        return;
    }
    const std::size_t bracket = item.find('[');
    if (bracket == std::string_view::npos) {
        add(chosen, {&find(all, only, item), {}, true});
        return;
    }
    if (!item.ends_with(']'))
        refuse("implementation '" + std::string(item) + "' has no closing bracket");
    const std::string_view inside = item.substr(bracket + 1, item.size() - bracket - 2);
    add(chosen, with_tunables(find(all, only, item.substr(0, bracket)), inside));
}

}  // namespace

std::vector<shape> parse_shapes(std::string_view text) {
    std::vector<shape> shapes;
    for (const std::string_view item : split(text, ',')) add_shapes(shapes, item);
    return shapes;
}

shape parse_product(std::string_view m, std::string_view n, std::string_view k) {
    const auto parse_edge = [](std::string_view text, const std::string& option) {
        if (text.find_first_of(",:x") != std::string_view::npos)
            refuse(option + " '" + std::string(text) +
                   "' is more than one size: give one number (carat bench takes lists)");
        return parse_size(text, option);
    };
    return checked(parse_edge(m, "--m"), parse_edge(n, "--n"), parse_edge(k, "--k"));
}

std::vector<dtype> parse_dtypes(std::string_view text) {
    constexpr std::pair<std::string_view, std::string_view> by_other_names[] = {
        {"double", "f64"}, {"float", "f32"}, {"half", "f16"}, {"bfloat16", "bf16"}};
    std::vector<dtype> types;
    for (const std::string_view item : split(text, ',')) {
        const auto* other = std::ranges::find(by_other_names, item, [](auto p) { return p.first; });
        const std::string_view meant = other == std::end(by_other_names) ? item : other->second;
        const auto* found =
            std::ranges::find_if(all_dtypes, [&](dtype t) { return name(t) == meant; });
        if (found == all_dtypes.end())
            refuse("dtype '" + std::string(item) +
                   "' is unknown: use f64 (double), f32 (float), f16 (half), bf16 (bfloat16), "
                   "e4m3, e5m2, i32, i8 or u8 (by i8)");
        types.push_back(*found);
    }
    return types;
}

storage parse_storage(std::string_view text) {
    const std::string_view letters = text.substr(0, text.find('+'));
    const bool is_padded = letters.size() < text.size();
    if (letters.size() < 2 || letters.size() > 3 ||
        letters.find_first_not_of("nt") != std::string_view::npos)
        refuse("layout '" + std::string(text) +
               "' is unknown: use nn, nt, tn or tt (n: by rows, t: by columns; A's, then B's), a "
               "third letter for C's, +8 for leading dimensions 8 longer");
    storage stored = {letters[0], letters[1], letters.size() == 3 ? letters[2] : 'n'};
    if (is_padded) stored.pad = parse_count(text.substr(letters.size() + 1), "layout's padding");
    if (stored.pad < 0 || stored.pad > most_padding)
        refuse("layout '" + std::string(text) + "': leading dimensions can be 0 to " +
               std::to_string(most_padding) + " longer");
    return stored;
}

std::string to_string(const storage& stored) {
    std::string text = {stored.a, stored.b};
    if (stored.c != 'n') text += stored.c;
    if (stored.pad > 0) text += "+" + std::to_string(stored.pad);
    return text;
}

dtype parse_out(std::string_view text) {
    for (const dtype type : {dtype::bf16, dtype::f16, dtype::f32})
        if (text == name(type)) return type;
    refuse("--out '" + std::string(text) + "' is none of bf16, f16 and f32");
}

rows::epilogue parse_epilogue(std::string_view text) {
    if (const auto last = rows::find_epilogue(text)) return *last;
    std::string known;
    for (const std::string_view one : epilogue_names)
        known += (known.empty()                  ? ""
                  : one == epilogue_names.back() ? " and "
                                                 : ", ") +
                 std::string(one);
    refuse("--epilogue '" + std::string(text) + "' is none of " + known);
}

void parse_batch(std::string_view text, rows::call& to) {
    constexpr std::int64_t most = 1'000'000;
    const auto parts = split(text, ':');
    const std::string_view count = parts.front();
    to.batch = parse_size(count, "--batch");
    if (to.batch > most)
        refuse("--batch " + std::string(count) + ": at most " + std::to_string(most));
    to.lies = rows::placement::strided;
    if (parts.size() == 1) return;
    const auto lies = parts.size() == 2 ? rows::find_placement(parts[1]) : std::nullopt;
    if (!lies)
        refuse("--batch '" + std::string(text) +
               "': after the number comes :strided (what is meant without it), :pointers or "
               ":listed");
    to.lies = *lies;
}

void parse_groups(std::string_view text, rows::call& to) {
    if (text.empty()) return;
    (void)rows::rows_of_groups(text);
    if (to.batch > 1 || to.lies != rows::placement::strided)
        refuse("--groups and --batch are two kinds of many products: give one");
    to.groups = text;
}

shape parse_one_shape(std::string_view text) {
    if (text.find_first_of(",:") != std::string_view::npos)
        refuse("--size '" + std::string(text) +
               "' is more than one size: give N or MxNxK (carat bench takes lists)");
    return parse_shapes(text).front();
}

std::vector<int> parse_threads(std::string_view text, int most) {
    std::vector<int> threads;
    for (const std::string_view item : split(text, ',')) {
        const std::int64_t count = parse_count(item, "threads");
        if (count < 1 || count > most)
            refuse("threads " + std::string(item) + ": this machine gives this process " +
                   std::to_string(most) + ", so 1 to " + std::to_string(most) + " make sense");
        threads.push_back(static_cast<int>(count));
    }
    return threads;
}

std::vector<selection> parse_selection(const rows::catalogue& all, std::string_view text,
                                       std::optional<rows::device> only) {
    std::vector<selection> chosen;
    for (const std::string_view item : split(text, ',')) add_selection(chosen, all, only, item);
    return chosen;
}

std::optional<rows::device> parse_device(std::string_view text) {
    if (text == "all") return std::nullopt;
    for (const rows::device d : {rows::device::cpu, rows::device::cuda})
        if (text == rows::name(d)) return d;
    refuse("device '" + std::string(text) + "' is unknown: use cpu, cuda or all");
}

std::string label_of(const selection& s, const std::vector<selection>& chosen) {
    const std::string name(s.entry->name);
    const auto times = std::ranges::count(chosen, s.entry, &selection::entry);
    const bool apart = times > 1 || !s.build.empty();
    return (s.build.empty() ? "" : s.build + ":") +
           (apart ? results::label_of(name, s.tunables) : name);
}

std::string_view name(host_memory where) {
    return where == host_memory::pinned ? "pinned" : "pageable";
}

double operations(const shape& s, operation_count convention) {
    const double entries = static_cast<double>(s.m) * static_cast<double>(s.n);
    const double depth = 2 * static_cast<double>(s.k);
    return entries * (convention == operation_count::exact ? depth - 1 : depth);
}

}  // namespace carat::request
