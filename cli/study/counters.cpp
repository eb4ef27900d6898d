#include "cli/study/counters.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"
#include "cli/study/profile_options.hpp"
#include "cli/terminal/say.hpp"
#include "engine/devices/gpu_code.hpp"
#include "engine/studies/literature.hpp"
#include "engine/studies/ncu.hpp"

extern char** environ;

namespace fdtd::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int steps = 2;  // the first meets cold caches and loads the kernel

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "fdtd-counters-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw Error(Status::file,
                  "no temporary folder for Nsight Compute can be made in " + fs::temp_directory_path().string());
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

std::string contents_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

bool executable(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

// Runs a program in the C locale, its output and messages in `log`; its exit status, 128 and the signal when killed by
// one.
int run(std::vector<std::string> words, const fs::path& log) {
  std::vector<std::string> variables = {"LC_ALL=C"};
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (std::strncmp(*variable, "LC_ALL=", 7) != 0) variables.emplace_back(*variable);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, words.front().c_str(), &actions, nullptr, pointers(words).data(),
                                  pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw Error(Status::resource, fmt::format("{} cannot be started: {}", words.front(), std::strerror(error)));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Json job_json(const study::GpuProfile& p) {
  const study::Launch& t = p.tile;
  return {{"stencil", p.stencil},
          {"kernel", p.kernel},
          {"tile", {t.x, t.y, t.z, t.threads, t.depth, t.blocks, t.max_lead}},
          {"precision", to_string(p.precision)},
          {"grid", p.grid}};
}

}  // namespace

fs::path find_ncu() {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty() && executable(fs::path(folder) / "ncu")) return fs::path(folder) / "ncu";
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* const home = std::getenv(variable);
    if (home != nullptr && executable(fs::path(home) / "bin/ncu")) return fs::path(home) / "bin/ncu";
  }
  if (executable("/usr/local/cuda/bin/ncu")) return "/usr/local/cuda/bin/ncu";
  throw Error(Status::resource, "Nsight Compute (ncu) is not on PATH nor where CUDA is installed",
              "install it (it comes with the CUDA toolkit), or leave --counters out");
}

void count_traffic(const fs::path& ncu, int device, const std::vector<study::GpuProfile*>& profiles) {
  const Folder folder;
  std::size_t expected = 0;
  Json jobs = Json::array();
  for (const study::GpuProfile* profile : profiles) {
    jobs.push_back(job_json(*profile));
    expected += static_cast<std::size_t>(steps * profile->launches);
  }
  std::ofstream(folder / "jobs.json") << json_text(jobs);
  // Clocks are left alone: bytes do not depend on them. Numbers in base units and the C locale.
  const int status = run(
      {ncu.string(), "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--metrics",
       study::ncu_metrics(), "--log-file", (folder / "ncu.csv").string(), fs::read_symlink("/proc/self/exe").string(),
       "profile", "--device", fmt::format("cuda:{}", device), "--counted", (folder / "jobs.json").string()},
      folder / "out");
  const std::string csv = contents_of(folder / "ncu.csv");
  if (status != 0 && csv.find("==ERROR==") == std::string::npos)
    throw Error(Status::resource, fmt::format("Nsight Compute ended with {}: {}", status, contents_of(folder / "out")));
  const auto launches = study::read_ncu(csv);
  if (launches.size() != expected)
    throw Error(Status::resource,
                fmt::format("Nsight Compute counted {} launches where {} were made", launches.size(), expected));
  std::size_t first = 0;
  for (study::GpuProfile* profile : profiles) {
    const auto count = static_cast<std::size_t>(profile->launches);
    const auto nodes = std::int64_t{profile->grid[0]} * profile->grid[1] * profile->grid[2];
    profile->counters = study::counters_of(launches, first + (steps - 1) * count, count, nodes);
    first += steps * count;
  }
}

void run_counted(const fs::path& file, int device) {
  const auto jobs = nlohmann::json::parse(contents_of(file));
  const auto bench = gpu_code().kernel_study(device);
  for (const auto& job : jobs) {
    const auto t = job.at("tile").get<std::array<int, 7>>();
    const auto name = job.at("stencil").get<std::string>();
    if (name != study::general_27) (void)known_stencil(name);
    bench->begin(name, study::literature_stencil(name), job.at("precision") == "f64" ? Precision::f64 : Precision::f32,
                 job.at("grid").get<std::array<int, 3>>(), study::KernelStudy::Values::zero);
    bench->only_steps(job.at("kernel").get<std::string>(), {t[0], t[1], t[2], t[3], t[4], t[5], t[6]}, steps);
  }
}

}  // namespace fdtd::cli
