// Streams that nobody can write to: results that are lost are no success, messages that are lost end nothing.
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/kills.hpp"
#include "tests/support/outputs.hpp"
#include "tests/support/program.hpp"
#include "tests/support/sanitized.hpp"

using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

// `fdtd ARGUMENTS`, with the shell's redirections in them.
Outcome by_shell(const std::string& arguments, const std::filesystem::path& folder, const std::string& before = "") {
  return RunningFdtd({"-c", before + "exec \"$0\" " + arguments, tested_program()}, folder, {}, "/bin/sh").wait();
}

}  // namespace

TEST_CASE("output into a full disk ends with status 5, whichever command prints it", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene_to_interrupt("f32", 0.02));
  for (const char* command :
       {"--help", "--version", "stencils", "stencils leggy-3", "materials", "doctor", "plan room.toml --json",
        "run room.toml -o made", "run room.toml -o more --quiet --json", "metrics made/ir_S1_R1.wav",
        "sweep room.toml -o swept --quiet --set simulation.duration='[0.01, 0.02]'"}) {
    const Outcome outcome = by_shell(std::string(command) + " > /dev/full", folder.path());
    INFO(command << ": status " << outcome.status << "\n" << outcome.err);
    CHECK(outcome.status == 5);
    CHECK_THAT(outcome.err, Contains("fdtd: standard output: "));
  }
  CHECK(std::filesystem::exists(folder / "made/result.h5"));  // what was to be written is there
}

TEST_CASE("a run continues when its log cannot be written, and failures keep their status", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", scene_to_interrupt("f32", 0.05));
  REQUIRE(run_fdtd({"run", "room.toml", "-o", "gold"}, folder.path()).status == 0);
  const auto gold = outputs_of(folder / "gold");
  for (const char* streams : {"2> /dev/full", "2>&-", ">&- 2>&-", "<&- >&- 2>&-", ">&-"}) {
    INFO(streams);
    CHECK(by_shell(std::string("run room.toml -o made --checkpoint-every 20steps ") + streams, folder.path()).status ==
          0);
    CHECK((outputs_of(folder / "made") == gold));
    CHECK(by_shell(std::string("run missing.toml ") + streams, folder.path()).status != 0);
    std::filesystem::remove_all(folder / "made");
  }
  CHECK(by_shell("run room.toml -o gold 2> /dev/full", folder.path()).status == 5);
}

TEST_CASE("a file larger than the limit of files ends a run with status 5 and nothing half-written", "[cli]") {
  if (sanitized) return;  // the thread sanitizer maps files of its own, which are beyond the limit
  const TemporaryFolder folder;
  folder.write("room.toml", scene_to_interrupt("f32", 0.05));
  for (const int blocks : {16, 40}) {  // of 512 bytes: too few for a response, and for result.h5 alone
    const Outcome outcome =
        by_shell("run room.toml -o made --quiet", folder.path(), "ulimit -f " + std::to_string(blocks) + " && ");
    INFO(outcome.err);
    CHECK(outcome.status == 5);
    CHECK_THAT(outcome.err, Contains("fdtd: made/") && Contains("File too large"));
    CHECK_FALSE(std::filesystem::exists(folder / "made/result.h5"));
    std::filesystem::remove_all(folder / "made");
  }
  CHECK(run_fdtd({"run", "room.toml", "-o", "made", "--quiet"}, folder.path()).status == 0);
}
