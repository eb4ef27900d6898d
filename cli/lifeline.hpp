// Connections between a launcher (launch.hpp) and the ranks that mpirun has started for it on this machine. The launcher
// asks ranks to stop by them, because not every mpirun passes signals on, and each end sees when the other is gone.
//
// A listening socket of Linux' abstract namespace, whose name ranks read in FDTD_LIFELINE of their environment. Ranks on
// other machines do not find it, and run without.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace fdtd::cli {

// The launcher's end.
class Lifelines {
 public:
  Lifelines();  // listens. Throws Error(resource).
  ~Lifelines();
  Lifelines(const Lifelines&) = delete;
  Lifelines& operator=(const Lifelines&) = delete;

  static constexpr const char* variable = "FDTD_LIFELINE";
  const std::string& name() const { return name_; }  // the value of the variable

  // The descriptors that poll() waits for; serve() then takes the bytes that have arrived.
  void watch(std::vector<pollfd>& files) const;
  void serve();

  int seen() const { return seen_; }        // ranks that have ever connected
  int running() const { return running_; }  // those of them that have begun time steps
  bool all_gone() const { return ranks_.empty(); }
  void request_stop();  // all ranks, those included that connect later
  void kill() const;    // SIGKILL to all ranks that are connected

 private:
  struct Rank {
    int file;
    pid_t process;  // 0 where it is not visible from here
  };
  std::string name_;
  int listening_ = -1, seen_ = 0, running_ = 0;
  bool stopping_ = false;
  std::vector<Rank> ranks_;
};

// A rank's end; without a launcher nothing happens.
class Lifeline {
 public:
  // Connects, and clears the variable: child processes are no ranks. SIGUSR1, which mpirun may pass on as well, is
  // ignored from here on.
  Lifeline();
  ~Lifeline();
  Lifeline(const Lifeline&) = delete;
  Lifeline& operator=(const Lifeline&) = delete;

  void begin_steps() const;
  // Whether the launcher has asked for an end, or is gone. Returns at once.
  bool told_to_stop();

 private:
  int file_ = -1;
  bool told_ = false;
};

}  // namespace fdtd::cli
