#include "cli/launch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "cli/lifeline.hpp"
#include "cli/sweep/child.hpp"
#include "engine/system/ranks.hpp"

namespace fdtd::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array ending_signals = {SIGINT, SIGTERM, SIGUSR1};

// Signals come through a pipe: a byte each, its number.
int signal_pipe = -1;
void note(int signal) {
  const int code = errno;
  const char byte = static_cast<char>(signal);
  (void)!::write(signal_pipe, &byte, 1);
  errno = code;
}

Error cannot_start(int reason) {
  return {Status::resource, fmt::format("cannot start mpirun: {}", std::generic_category().message(reason)),
          how_to_get_mpi()};
}

// In a process group of its own, which Ctrl-C in a terminal does not reach, and therefore without standard input, which
// it could not read. Where mpirun cannot be started, the pipe `why` holds errno.
[[noreturn]] void become_mpirun(std::vector<char*>& argv, int why) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  ::setpgid(0, 0);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing >= 0) ::dup2(nothing, 0);
  ::execvp(argv[0], argv.data());
  const int reason = errno;
  (void)!::write(why, &reason, sizeof(reason));
  ::_exit(static_cast<int>(Status::resource));
}

// The process; throws Error(resource) where there is no mpirun.
pid_t start_mpirun(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::array<int, 2> why{};
  if (::pipe2(why.data(), O_CLOEXEC) != 0) throw cannot_start(errno);
  // Until the child has its own handlers no signal may be noted twice.
  sigset_t all{}, before{};
  sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, &before);
  const pid_t child = ::fork();
  const int code = errno;
  if (child == 0) {
    for (const int signal : ending_signals) std::signal(signal, SIG_DFL);
    std::signal(SIGCHLD, SIG_DFL);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    become_mpirun(argv, why[1]);
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::close(why[1]);
  int reason = child < 0 ? code : 0;
  if (child > 0) {
    ::setpgid(child, child);  // whoever of both comes first
    if (::read(why[0], &reason, sizeof(reason)) != sizeof(reason)) reason = 0;
  }
  ::close(why[0]);
  if (reason == 0) return child;
  if (child > 0) ::waitpid(child, nullptr, 0);
  throw cannot_start(reason);
}

// mpirun and its ranks, from the start to the end of both.
class Launched {
 public:
  Launched(int count, pid_t mpirun, Lifelines& lifelines, int signals)
      : count_(count), mpirun_(mpirun), lifelines_(lifelines), signals_(signals) {}

  int wait() {
    std::optional<int> how;
    while (!(how = ended())) {
      look(1000);
      if (asked_ != 0 && !ending_ && lifelines_.seen() >= count_ && lifelines_.running() == 0) end();
      if (ending_ && Clock::now() - *ending_ > time_to_end) kill();
    }
    // Ranks end before mpirun does, unless it is not there to wait for them.
    const auto begun = Clock::now();
    for (look(0); !all_gone() && Clock::now() - begun < time_to_end; look(20)) {
    }
    if (!all_gone()) kill();
    return status(*how);
  }

 private:
  static constexpr std::chrono::seconds time_to_end{10};

  std::optional<int> ended() const {
    int how = 0;
    if (::waitpid(mpirun_, &how, WNOHANG) == mpirun_) return how;
    return std::nullopt;
  }

  // Of its group, and the ranks, which have groups of their own. Ranks whose parent has ended are children of
  // this process.
  bool all_gone() const {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    return lifelines_.all_gone() && ::kill(-mpirun_, 0) != 0;
  }

  void look(int milliseconds) {
    std::vector<pollfd> files = {{signals_, POLLIN, 0}};
    lifelines_.watch(files);
    ::poll(files.data(), files.size(), milliseconds);
    lifelines_.serve();
    for (char signal = 0; ::read(signals_, &signal, 1) == 1;)
      if (signal != SIGCHLD) asked(signal);
  }

  void asked(int signal) {
    if (asked_ == 0) {
      lifelines_.request_stop();
      if (lifelines_.seen() < count_) ::kill(mpirun_, SIGUSR1);
    } else if (!ending_) {
      end();
    } else {
      kill();
    }
    asked_ = signal;
  }

  // To the group: mpirun may be a script that has started another.
  void end() {
    ::kill(-mpirun_, SIGTERM);
    ending_ = Clock::now();
  }
  void kill() const {
    ::kill(-mpirun_, SIGKILL);
    lifelines_.kill();
  }

  int status(int how) const {
    const int its = Child::status_of(how);
    if (asked_ == 0) return its;
    if (ending_) return 128 + asked_;
    const bool own = its == 0 || (its >= static_cast<int>(Status::scene) && its <= static_cast<int>(Status::file));
    return own ? its : static_cast<int>(Status::interrupted);
  }

  int count_;
  pid_t mpirun_;
  Lifelines& lifelines_;
  int signals_;
  int asked_ = 0;  // the last signal
  std::optional<Clock::time_point> ending_;
};

}  // namespace

std::vector<std::string> own_command() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<std::string> words;
  for (std::size_t at = 0; at < all.size(); at = all.find('\0', at) + 1) words.emplace_back(all.c_str() + at);
  words.at(0) = std::filesystem::read_symlink("/proc/self/exe").string();
  return words;
}

int run_as_ranks(int count, const std::vector<std::string>& command) {
  if (launched_as_rank())
    throw Error(Status::scene, "cuda:all itself starts one rank for every GPU of this machine",
                "leave out mpirun, or use --device cuda with as many ranks as GPUs");
  if (mpi_library().empty())
    throw Error(Status::resource, "several GPUs need MPI, which this program does not find", how_to_get_mpi());
  if (::geteuid() == 0) {  // mpirun wants root to confirm twice
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
  }
  std::array<int, 2> signals{};
  if (::pipe2(signals.data(), O_CLOEXEC | O_NONBLOCK) != 0) throw cannot_start(errno);
  Lifelines lifelines;
  ::setenv(Lifelines::variable, lifelines.name().c_str(), 1);
  signal_pipe = signals[1];
  for (const int signal : ending_signals) std::signal(signal, note);
  std::signal(SIGCHLD, note);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::vector<std::string> words = {"mpirun", "-n", std::to_string(count), "--bind-to",
                                    "none",   "-x", Lifelines::variable};
  words.insert(words.end(), command.begin(), command.end());
  return Launched(count, start_mpirun(std::move(words)), lifelines, signals[0]).wait();
}

}  // namespace fdtd::cli
