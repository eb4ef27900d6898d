// Limits that the system sets a process: refused or obeyed with a message, and nothing half-written.
#include <fmt/format.h>

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "tests/support/catch.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/kills.hpp"
#include "tests/support/program.hpp"
#include "tests/support/sanitized.hpp"

using namespace fdtd::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

// `fdtd ARGUMENTS` in a shell, after the command `before`.
Outcome after(const std::string& before, const std::string& arguments, const fs::path& folder) {
  return RunningFdtd({"-c", before + " && exec \"$0\" " + arguments, tested_program()}, folder, {}, "/bin/sh").wait();
}

// A control group of this test, with a limit, for as long as it lives.
class Group {
 public:
  // nothing where the machine does not let us make one
  static std::optional<Group> make(const std::string& controller, const std::string& limit_1,
                                   const std::string& limit_2, const std::string& value) {
    for (const auto& [root, limit] :
         {std::pair("/sys/fs/cgroup/" + controller, limit_1), std::pair(std::string("/sys/fs/cgroup"), limit_2)}) {
      std::error_code error;
      const fs::path folder = fs::path(root) / fmt::format("fdtd-test-{}", ::getpid());
      if (!fs::exists(fs::path(root) / "cgroup.procs", error) || !fs::create_directory(folder, error)) continue;
      Group group(folder);
      if (fs::exists(folder / limit, error) && std::ofstream(folder / limit) << value << std::flush) return group;
    }
    return std::nullopt;
  }
  Group(Group&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() {
    std::error_code ignored;
    for (int i = 0; i < 100 && !folder_.empty() && !fs::remove(folder_, ignored);
         ++i)  // as soon as its last process is gone
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::string enter() const { return "echo $$ > " + (folder_ / "cgroup.procs").string(); }

 private:
  explicit Group(fs::path folder) : folder_(std::move(folder)) {}
  fs::path folder_;
};

}  // namespace

TEST_CASE("a run within any limit of address space ends well or with status 3, and with all files or none", "[cli]") {
  if (sanitized) return;  // their shadow memory is larger than any limit here
  const TemporaryFolder folder;
  folder.write("room.toml", scene_to_interrupt("f32", 0.02));
  int kilobytes = 30000;
  while (after(fmt::format("ulimit -v {}", kilobytes), "--version", folder.path()).status != 0) {
    kilobytes += 5000;  // the libraries alone
    REQUIRE(kilobytes < 1000000);
  }
  int well = 0;
  for (int more = 0; more <= 48000; more += 6000) {
    const Outcome outcome = after(fmt::format("ulimit -v {}", kilobytes + more),
                                  "run room.toml -o made --quiet --threads 2", folder.path());
    INFO(kilobytes + more << " KB: status " << outcome.status << "\n" << outcome.err);
    CHECK((outcome.status == 0 || outcome.status == 3));
    CHECK(fs::exists(folder / "made/result.h5") == (outcome.status == 0));
    if (outcome.status == 0) CHECK(fs::exists(folder / "made/report.html"));
    if (outcome.status != 0) CHECK_FALSE(fs::exists(folder / "made"));
    well += outcome.status == 0 ? 1 : 0;
    fs::remove_all(folder / "made");
  }
  CHECK(well > 0);
}

TEST_CASE("a room larger than the memory of the process's control group is refused", "[cli]") {
  if (sanitized) return;
  const auto group = Group::make("memory", "memory.limit_in_bytes", "memory.max", "157286400");
  if (!group) {
    WARN("no control group can be made here");
    return;
  }
  const TemporaryFolder folder;
  folder.write("room.toml", scene_to_interrupt("f32", 0.02));
  const Outcome outcome = after(group->enter(),
                                "run room.toml -o made --quiet --set simulation.max_frequency=9000 --set "
                                "simulation.stencil=leggy-1",
                                folder.path());
  INFO(outcome.err);
  CHECK(outcome.status == 3);
  CHECK_THAT(outcome.err, Contains("not enough memory"));
  CHECK_FALSE(fs::exists(folder / "made"));
}

TEST_CASE("threads that the process's control group forbids end a run with status 3", "[cli]") {
  if (sanitized) return;  // the thread sanitizer has a thread of its own
  const auto group = Group::make("pids", "pids.max", "pids.max", "2");
  if (!group) {
    WARN("no control group can be made here");
    return;
  }
  const TemporaryFolder folder;
  folder.write("room.toml", scene_to_interrupt("f32", 0.02));
  const Outcome outcome = after(group->enter(), "run room.toml -o made --quiet --threads 8", folder.path());
  INFO(outcome.err);
  CHECK(outcome.status == 3);
  CHECK_THAT(outcome.err, Contains("threads can be started") && Contains("--threads 2"));
  CHECK_FALSE(fs::exists(folder / "made"));
}

TEST_CASE("the memory that a plan prints is what its run takes, the program included", "[cli]") {
  if (sanitized) return;
  const TemporaryFolder folder;
  for (const int along_x : {4, 21}) {  // 192 and 1008 receivers, these in arrays
    folder.write("box.toml", fmt::format(R"(schema = 1
simulation = {{ duration = 0.003, max_frequency = 1000.0, stencil = "leggy-2" }}
room = {{ box = [0.8, 0.8, 0.7], walls = {{ default = "plaster" }} }}
materials.plaster = {{ admittance = 0.05 }}
[[source]]
name = "S"
position = [0.1, 0.2, 0.3]
[[receiver]]
name = "r"
grid = {{ from = [0.03, 0.04, 0.05], to = [0.77, 0.76, 0.66], count = [{}, 8, 6] }}
)",
                                         along_x));
    const auto plan = json_of(run_fdtd({"plan", "box.toml", "--json"}, folder.path()));
    const auto predicted = plan["memory_bytes"].get<std::int64_t>();
    const Outcome run = run_fdtd({"run", "box.toml", "-o", "made", "--quiet", "--force"}, folder.path());
    INFO(48 * along_x << " receivers: " << predicted << " predicted, " << run.peak_bytes << " taken");
    REQUIRE(run.status == 0);
    CHECK(plan["memory"]["program"] == 36'000'000);
    CHECK(run.peak_bytes < predicted * 11 / 10);
    CHECK(predicted < 2 * run.peak_bytes);
  }
}

TEST_CASE("the memory that a plan prints has the page of a long response, and the planning of a mesh", "[cli]") {
  if (sanitized) return;
  const TemporaryFolder folder;
  folder.write("tetrahedron.obj", "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  for (const std::string room : {"box = [0.8, 0.8, 0.7]", "mesh = \"tetrahedron.obj\", up = \"z\", units = \"m\""}) {
    folder.write("room.toml", fmt::format(R"(schema = 1
simulation = {{ duration = 5.0, max_frequency = 400.0, stencil = "leggy-2" }}
above = {{ method = "none" }}
room = {{ {}, walls = {{ default = "plaster" }} }}
materials.plaster = {{ admittance = 0.05 }}
[[source]]
name = "S"
position = [0.2, 0.2, 0.2]
[[receiver]]
name = "R"
position = [0.4, 0.4, 0.5]
)",
                                          room));
    const auto plan = json_of(run_fdtd({"plan", "room.toml", "--json"}, folder.path()));
    const auto predicted = plan["memory_bytes"].get<std::int64_t>();
    const Outcome run = run_fdtd({"run", "room.toml", "-o", "made", "--quiet", "--force"}, folder.path());
    INFO(room << ": " << predicted << " predicted, " << run.peak_bytes << " taken\n" << run.err);
    REQUIRE(run.status == 0);
    CHECK(run.peak_bytes < predicted * 11 / 10);
    CHECK(predicted < 2 * run.peak_bytes);
  }
}

namespace {

// Receivers of a box with relief, whose responses go on above the waves' band.
std::string above_scene(int along_x, const std::string& receivers, double duration) {
  return fmt::format(R"(schema = 1
simulation = {{ duration = {}, max_frequency = 500.0, stencil = "leggy-2" }}
above = {{ method = "rays", rays = 2000 }}
room = {{ box = [4.1, 3.2, 2.5], walls = {{ default = "plaster" }} }}
materials.plaster = {{ admittance = 0.05, scattering = 0.2 }}
[[source]]
name = "S"
position = [1.1, 1.2, 1.3]
[[receiver]]
name = "r"
{}
grid = {{ from = [0.3, 0.4, 0.5], to = [3.7, 2.6, 2.1], count = [{}, 4, 2] }}
)",
                     duration, receivers, along_x);
}

}  // namespace

TEST_CASE("the memory that a plan prints has the part above the waves' band", "[cli]") {
  if (sanitized) return;
  const TemporaryFolder folder;
  for (const int along_x : {15, 130}) {  // 120 and 1040 receivers, these in arrays
    folder.write("box.toml", above_scene(along_x, "", 0.1));
    const auto plan = json_of(run_fdtd({"plan", "box.toml", "--json", "--threads", "1"}, folder.path()));
    const auto predicted = plan["memory_bytes"].get<std::int64_t>();
    const Outcome run =
        run_fdtd({"run", "box.toml", "-o", "made", "--quiet", "--force", "--threads", "1"}, folder.path());
    INFO(8 * along_x << " receivers: " << predicted << " predicted, " << run.peak_bytes << " taken");
    REQUIRE(run.status == 0);
    CHECK(run.peak_bytes < predicted * 11 / 10);
    CHECK(predicted < run.peak_bytes * 3 / 2);
    const auto above = plan["memory"]["above"].get<std::int64_t>();
    CHECK(predicted ==
          above + plan["memory"]["program"].get<std::int64_t>() + plan["memory"]["state"].get<std::int64_t>() +
              plan["memory"]["near_wall"].get<std::int64_t>() + plan["memory"]["boundary"].get<std::int64_t>() +
              plan["memory"]["recording"].get<std::int64_t>());
    CHECK(plan["predicted"]["above"].get<double>() > 0.0);
    CHECK(plan["predicted"]["above"].get<double>() < plan["predicted_seconds"].get<double>());
  }
}

TEST_CASE("responses above the waves' band that do not fit into memory are refused before the run", "[cli]") {
  if (sanitized) return;
  const TemporaryFolder folder;
  folder.write("box.toml", above_scene(20, "pattern = \"ambisonic\"\norder = 3", 1.0));
  for (const std::string& command : {std::string("plan box.toml"), std::string("run box.toml -o made")}) {
    const Outcome outcome = after("ulimit -v 2500000", command + " --threads 1", folder.path());
    INFO(command << "\n" << outcome.err);
    REQUIRE(outcome.status == 3);  // or the run takes minutes
    CHECK_THAT(outcome.err, Contains("2560 responses above 500 Hz need") && Contains("for recordings") &&
                                Contains("above.method = \"none\""));
    CHECK_FALSE(fs::exists(folder / "made" / "result.h5"));
  }
}
