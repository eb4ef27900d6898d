#include "engine/session/audio_input.hpp"

#include "engine/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;

TEST_CASE("audio_input: what no memory and no disk hold is refused with the sizes") {
  const TemporaryFolder folder;
  CHECK_NOTHROW(require_memory("a.wav", 1e3, "to measure", "cut it"));
  CHECK_THROWS_WITH(require_memory("a.wav", 1e18, "to measure", "cut it"),
                    Contains("a.wav: to measure it needs 1 EB of memory"));
  CHECK_NOTHROW(require_space((folder.path() / "a.wav").string(), 1e3));
  CHECK_THROWS_WITH(require_space((folder.path() / "a.wav").string(), 1e18), Contains("it would have 1 EB"));
}
