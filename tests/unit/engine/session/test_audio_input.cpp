#include "engine/session/audio_input.hpp"

#include "base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;

TEST_CASE("audio_input: a file that changes between two rounds through it is refused") {
  const AudioHeader judged{48000.0, 2, 100};
  CHECK_NOTHROW(require_unchanged("a.wav", judged, judged));
  CHECK_NOTHROW(require_unchanged("a.flac", judged, {48000.0, 2, 9999, false}));  // states no length
  CHECK_THROWS_WITH(require_unchanged("a.wav", judged, {48000.0, 1, 100}), Contains("a.wav: it changes"));
  CHECK_THROWS_WITH(require_unchanged("a.wav", judged, {44100.0, 2, 100}), Contains("a.wav: it changes"));
  CHECK_THROWS_WITH(require_unchanged("a.wav", judged, {48000.0, 2, 99}), Contains("a.wav: it changes"));
  CHECK_NOTHROW(require_whole("a.flac", judged, 100));
  CHECK_THROWS_WITH(require_whole("a.flac", judged, 99), Contains("a.flac: it changes"));
}

TEST_CASE("audio_input: what no memory and no disk hold is refused with the sizes") {
  const TemporaryFolder folder;
  CHECK_NOTHROW(require_memory("a.wav", 1e3, "to measure", "cut it"));
  CHECK_THROWS_WITH(require_memory("a.wav", 1e18, "to measure", "cut it"),
                    Contains("a.wav: to measure it needs 1 EB of memory"));
  CHECK_NOTHROW(require_space((folder.path() / "a.wav").string(), 1e3));
  CHECK_THROWS_WITH(require_space((folder.path() / "a.wav").string(), 1e18), Contains("it would have 1 EB"));
}
