// A control group for the processes of one target. The kernel freezes all of them at once, and no
// signal, timer or helper can continue a frozen process. It does not exist if the user may not
// create groups.
#pragma once

#include <filesystem>
#include <sys/types.h>

namespace carat::judge {

class freezer {
  public:
    freezer() = default;  // none
    // Returns an empty freezer if the system allows this process no group.
    [[nodiscard]] static freezer make();
    freezer(freezer&& other) noexcept;
    freezer& operator=(freezer&& other) noexcept;
    ~freezer();  // and all who are in it

    [[nodiscard]] bool exists() const { return !folder_.empty(); }
    // Adds the process and all that it starts later. Returns false if the system refuses.
    bool add(pid_t process) const;
    // Returns when no process in the group runs any more.
    void freeze() const;
    void thaw() const;

  private:
    std::filesystem::path folder_;
};

}  // namespace carat::judge
