#include "lab/process/program.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <carat/error.hpp>

namespace carat::process {

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

scratch_folder::scratch_folder() {
    const std::filesystem::path place = std::filesystem::temp_directory_path();
    std::string name = place / "carat-XXXXXX";
    if (mkdtemp(name.data()) == nullptr)
        throw error(error_code::unsupported, "no folder can be made in " + place.string() + ": " +
                                                 std::strerror(errno) + ": set TMPDIR");
    path_ = name;
}

scratch_folder::~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace carat::process
