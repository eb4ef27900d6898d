#include "cli/sweep/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "base/error.hpp"
#include "engine/system/ranks.hpp"

namespace fdtd::cli {
namespace {

[[noreturn]] void fail(const char* what) {
  throw Error(Status::resource, fmt::format("{}: {}", what, std::generic_category().message(errno)));
}

std::string content(std::FILE* file) {
  std::string text;
  std::array<char, 65536> block{};
  for (off_t at = 0;; at = static_cast<off_t>(text.size())) {
    const ssize_t bytes = ::pread(::fileno(file), block.data(), block.size(), at);
    if (bytes <= 0) return text;
    text.append(block.data(), static_cast<std::size_t>(bytes));
  }
}

}  // namespace

Child::Child(const std::vector<std::string>& arguments)
    : out_(std::tmpfile(), std::fclose), err_(std::tmpfile(), std::fclose) {
  if (!out_ || !err_) fail("cannot create a temporary file");
  std::vector<std::string> words = {"fdtd"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<std::string> environment = environment_alone();
  std::erase_if(environment, [](const std::string& one) { return one.starts_with("COLUMNS="); });
  environment.emplace_back("COLUMNS=1000000");  // its messages become a field of a document: none is broken
  std::vector<char*> environment_words;
  for (std::string& word : environment) environment_words.push_back(word.data());
  environment_words.push_back(nullptr);
  const pid_t parent = ::getpid();
  // Signals are blocked until the child has reset our handlers, which would otherwise swallow a signal that is meant to
  // end it.
  sigset_t ending{}, before{};
  sigemptyset(&ending);
  for (const int signal : {SIGINT, SIGTERM}) sigaddset(&ending, signal);
  ::sigprocmask(SIG_BLOCK, &ending, &before);
  process_ = ::fork();
  if (process_ != 0) {
    const int code = errno;
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    errno = code;
    if (process_ < 0) fail("cannot start a process");
    return;
  }
  // Between fork and exec: async-signal-safe calls only.
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int in = ::open("/dev/null", O_RDONLY);
  if (::getppid() != parent || in < 0 || ::dup2(in, 0) < 0 || ::dup2(::fileno(out_.get()), 1) < 0 ||
      ::dup2(::fileno(err_.get()), 2) < 0)
    ::_exit(static_cast<int>(Status::resource));
  ::execve("/proc/self/exe", argv.data(), environment_words.data());
  ::_exit(static_cast<int>(Status::resource));
}

void Child::terminate() const { ::kill(process_, SIGTERM); }

int Child::status_of(int how) { return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how); }

std::string Child::out() const { return content(out_.get()); }
std::string Child::err() const { return content(err_.get()); }

}  // namespace fdtd::cli
