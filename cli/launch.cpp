#include "cli/launch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "cli/child.hpp"
#include "engine/error.hpp"
#include "engine/system/ranks.hpp"

namespace fdtd::cli {
namespace {

// argv of this process.
std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<std::string> words;
  for (std::size_t at = 0; at < all.size(); at = all.find('\0', at) + 1) words.emplace_back(all.c_str() + at);
  return words;
}

// mpirun, while it runs; signals that reach this process are passed on to it.
volatile std::sig_atomic_t launcher = 0, end_signals = 0;
void pass_on(int) {
  end_signals = end_signals + 1;
  ::kill(static_cast<pid_t>(launcher), end_signals == 1 ? SIGUSR1 : SIGTERM);
}

std::vector<std::string> mpirun_words(int count) {
  std::vector<std::string> words = {"mpirun", "-n", std::to_string(count), "--bind-to", "none"};
  words.push_back(std::filesystem::read_symlink("/proc/self/exe").string());
  const std::vector<std::string> own = own_arguments();
  words.insert(words.end(), own.begin() + 1, own.end());
  return words;
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

}  // namespace

int run_as_ranks(int count) {
  if (launched_as_rank())
    throw Error(Status::scene, "cuda:all itself starts one rank for every GPU of this machine",
                "leave out mpirun, or use --device cuda with as many ranks as GPUs");
  if (mpi_library().empty())
    throw Error(Status::resource, "several GPUs need MPI, which this program does not find", how_to_get_mpi());
  std::vector<std::string> words = mpirun_words(count);
  if (::geteuid() == 0) {  // mpirun wants root to confirm twice
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const auto failed = [](int reason) {
    return Error(Status::resource, fmt::format("cannot start mpirun: {}", std::generic_category().message(reason)),
                 how_to_get_mpi());
  };
  std::array<int, 2> why{};
  if (::pipe2(why.data(), O_CLOEXEC) != 0) throw failed(errno);
  const pid_t child = ::fork();
  if (child < 0) throw failed(errno);
  if (child == 0) become_mpirun(argv, why[1]);
  launcher = child;
  std::signal(SIGINT, pass_on);
  std::signal(SIGTERM, pass_on);
  ::close(why[1]);
  int reason = 0, how = 0;
  const bool none = ::read(why[0], &reason, sizeof(reason)) == sizeof(reason);
  ::close(why[0]);
  while (::waitpid(child, &how, 0) < 0 && errno == EINTR) {
  }
  if (none) throw failed(reason);
  return Child::status_of(how);
}

}  // namespace fdtd::cli
