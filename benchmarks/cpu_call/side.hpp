// A process that measures one side, so that threads which one library leaves spinning don't take
// cores from the other, and their pools don't mix.
#pragma once

#include <functional>
#include <sys/types.h>

namespace carat::benchmark {

class side {
  public:
    // The process answers with turn(i), in seconds, for each i it is asked for. Before the caller
    // has any threads.
    explicit side(const std::function<double(int)>& turn);
    side(const side&) = delete;
    side& operator=(const side&) = delete;
    ~side();

    // NaN where the process has ended.
    [[nodiscard]] double operator()(int i) const;

  private:
    int socket_ = -1;
    pid_t process_ = -1;
};

}  // namespace carat::benchmark
