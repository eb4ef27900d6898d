#include "tests/support/program.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <cstdlib>
#include <stdexcept>
#include "tests/support/places.hpp"

namespace fdtd::test {

namespace {

[[noreturn]] void become(std::string program, const std::vector<std::string>& arguments,
                         const std::filesystem::path& folder, const std::map<std::string, std::string>& environment,
                         const TemporaryFolder& capture) {
  if (chdir(folder.c_str()) != 0) _exit(127);
  const int in = open("/dev/null", O_RDONLY);
  const int out = open((capture.path() / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int err = open((capture.path() / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (in < 0 || out < 0 || err < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) _exit(127);
  setenv("COLUMNS", "1000000", 1);  // tests look for whole sentences, wherever a line of 80 columns would end
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<std::string> words = arguments;
  std::vector<char*> argv{program.data()};
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  _exit(127);
}

}  // namespace

std::string tested_program() {
  const char* const other = std::getenv("FDTD_PROGRAM");
  return other != nullptr ? other : FDTD_BINARY;
}

struct RunningFdtd::Files {
  TemporaryFolder capture;
};

RunningFdtd::RunningFdtd(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                         const std::map<std::string, std::string>& environment, const std::string& program)
    : files_(std::make_unique<Files>()), child_(fork()) {
  if (child_ < 0) throw std::runtime_error("fork failed");
  if (child_ == 0) become(program, arguments, folder, environment, files_->capture);
}

RunningFdtd::~RunningFdtd() {
  if (child_ < 0) return;
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
}

void RunningFdtd::send(int signal) const { kill(child_, signal); }

bool RunningFdtd::running() const {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

Outcome RunningFdtd::wait() {
  int how = 0;
  rusage usage{};
  if (wait4(child_, &how, 0, &usage) != child_) throw std::runtime_error("wait4 failed");
  child_ = -1;
  Outcome outcome;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  outcome.seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  outcome.status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
  outcome.peak_bytes = 1024 * static_cast<std::int64_t>(usage.ru_maxrss);
  outcome.out = read_file(files_->capture.path() / "out");
  outcome.err = read_file(files_->capture.path() / "err");
  return outcome;
}

Outcome run_fdtd(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                 const std::map<std::string, std::string>& environment) {
  return RunningFdtd(arguments, folder, environment).wait();
}

#ifdef FDTD_MPIEXEC
std::vector<std::string> mpirun_words(int ranks) { return {"-n", std::to_string(ranks), tested_program()}; }

std::map<std::string, std::string> mpirun_environment() {
  return {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
          {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
          {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
          {"OMPI_MCA_hwloc_base_binding_policy", "none"},
          // Open MPI keeps what it takes and unloads its plugins at the end; leaks of this program show with one rank.
          {"ASAN_OPTIONS", "detect_leaks=0"},
          {"OMP_NUM_THREADS", "1"}};
}

Outcome run_ranks(int ranks, const std::vector<std::string>& arguments, const std::filesystem::path& folder) {
  std::vector<std::string> words = mpirun_words(ranks);
  words.insert(words.end(), arguments.begin(), arguments.end());
  return RunningFdtd(words, folder, mpirun_environment(), FDTD_MPIEXEC).wait();
}
#endif

}  // namespace fdtd::test
