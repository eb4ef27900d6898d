// --threads and OMP_NUM_THREADS as a user sets them.
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd::test;
using Catch::Matchers::Contains;

TEST_CASE("far more threads than processors are refused down to a limit, with a note", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", text_of({}));
  const Outcome by_environment = run_fdtd({"plan", "room.toml"}, folder.path(), {{"OMP_NUM_THREADS", "100000"}});
  CHECK(by_environment.status == 0);
  CHECK_THAT(by_environment.err, Contains("note: OMP_NUM_THREADS=100000: ") && Contains("the limit"));
  const Outcome by_option = run_fdtd({"run", "room.toml", "-o", "made", "--threads", "1024"}, folder.path());
  CHECK(by_option.status == 0);
  CHECK_THAT(by_option.err, Contains("note: --threads 1024: ") && Contains("the limit"));
  CHECK(run_fdtd({"metrics", "made/ir_R1.wav"}, folder.path(), {{"OMP_NUM_THREADS", "100000"}}).status == 0);
  const Outcome again = run_fdtd({"render", "made/result.h5", "-o", "again", "--threads", "1"}, folder.path());
  CHECK(again.status == 0);
  CHECK(again.err.empty());
}
