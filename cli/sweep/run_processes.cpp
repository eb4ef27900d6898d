#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>
#include <vector>

#include "cli/sweep/child.hpp"
#include "cli/sweep/run_workers.hpp"

namespace fdtd::cli {
namespace {

class RunProcesses final : public RunWorkers {
 public:
  RunProcesses(const SweepOptions& options, int threads) : options_(options), threads_(threads) {}

  void start(const SweepRun& run, const std::filesystem::path& waves) override {
    auto child = std::make_unique<Child>(arguments_of(run, waves));
    const int process = child->process();
    running_[process] = {&run, std::move(child)};
  }

  // Polls: a signal that arrives just before a blocking wait would not interrupt it.
  std::optional<EndedRun> ended() override {
    int how = 0;
    const pid_t process = ::waitpid(-1, &how, WNOHANG);
    if (process == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const auto found = running_.find(process);
    if (found == running_.end()) return std::nullopt;
    const Running one = std::move(found->second);
    running_.erase(found);
    EndedRun end{one.run, Child::status_of(how), "", ""};
    if (end.status == 0)
      end.document = one.child->out();
    else
      end.error = end.status > killed_by ? fmt::format("killed by signal {}", end.status - killed_by)
                                         : reason_of(one.child->err());
    return end;
  }

  void end_all() override {
    for (const auto& [id, one] : running_) one.child->terminate();
  }

 private:
  struct Running {
    const SweepRun* run = nullptr;
    std::unique_ptr<Child> child;
  };

  std::vector<std::string> arguments_of(const SweepRun& run, const std::filesystem::path& waves) const {
    std::vector<std::string> words = {"run", options_.scene, "-o", run.folder.string(), "--json", "--quiet"};
    for (const std::string& set : run.point) words.insert(words.end(), {"--set", set});
    if (!options_.device.empty()) words.insert(words.end(), {"--device", options_.device});
    words.insert(words.end(), {"--threads", std::to_string(threads_)});
    if (!waves.empty()) words.insert(words.end(), {"--waves", waves.string()});
    if (options_.allow_outside) words.emplace_back("--allow-outside");
    words.emplace_back(replaces_files(options_, run) ? "--force" : "--resume");
    return words;
  }

  const SweepOptions& options_;
  int threads_;
  std::map<int, Running> running_;
};

}  // namespace

std::string reason_of(const std::string& err) {
  const std::size_t at = err.rfind("fdtd: ");
  std::string reason = at == err.npos ? err : err.substr(at + 6);
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  while (!reason.empty() && reason.back() == ' ') reason.pop_back();
  return reason;
}

std::unique_ptr<RunWorkers> run_in_processes(const SweepOptions& options, int threads) {
  return std::make_unique<RunProcesses>(options, threads);
}

}  // namespace fdtd::cli
