// A control group of one target's processes, which the kernel freezes all at once: no signal, timer
// or helper continues what is frozen. Where this user may make no groups there is none.
#pragma once

#include <filesystem>
#include <sys/types.h>

namespace carat::judge {

class freezer {
  public:
    freezer() = default;  // none
    // Empty where the system lets this process make no group.
    [[nodiscard]] static freezer make();
    freezer(freezer&& other) noexcept;
    freezer& operator=(freezer&& other) noexcept;
    ~freezer();  // and all who are in it

    [[nodiscard]] bool exists() const { return !folder_.empty(); }
    // With what it starts from here on. False where the system refuses.
    bool add(pid_t process) const;
    // Returns when nothing in it runs any more.
    void freeze() const;
    void thaw() const;

  private:
    std::filesystem::path folder_;
};

}  // namespace carat::judge
