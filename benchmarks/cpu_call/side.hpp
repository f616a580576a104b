// A process that measures one side, so that spinning threads of one library do not take cores from
// the other, and their pools do not mix.
#pragma once

#include <functional>
#include <sys/types.h>

namespace carat::benchmark {

class side {
  public:
    // The process answers each request i with turn(i), in seconds. Must be created before the
    // caller has any threads.
    explicit side(const std::function<double(int)>& turn);
    side(const side&) = delete;
    side& operator=(const side&) = delete;
    ~side();

    // NaN if the process has ended.
    [[nodiscard]] double operator()(int i) const;

  private:
    int socket_ = -1;
    pid_t process_ = -1;
};

}  // namespace carat::benchmark
