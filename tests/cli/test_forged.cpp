// Files of a run whose numbers somebody changed, with every checksum right again: none is taken.
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/results/result.hpp"
#include "engine/results/snapshot_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/forge.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using namespace fdtd::test;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;

namespace {

// A run with all that a result may hold: directional channels, air, raw pressure, snapshots.
void run_everything(const TemporaryFolder& folder) {
  SceneText text;
  text.simulation = "duration = 0.02\nmax_frequency = 400.0\nstencil = \"leggy-2\"\n";
  text.air = "absorption = true\n";
  text.receiver_keys = "pattern = \"ambisonic\"\norder = 2\n";
  text.source_keys = "pattern = \"cardioid\"\ndirection = [1, 0, 0]\n";
  text.more = "[output]\nraw = true\nsnapshots = [{ plane = \"z\", position = 0.5, every = 0.005 }]\n";
  folder.write("room.toml", text_of(text));
  const Outcome run = run_fdtd({"run", "room.toml", "-o", "out"}, folder.path());
  INFO(run.err);
  REQUIRE(run.status == 0);
}

}  // namespace

TEST_CASE("no number of a run's result or snapshots can be replaced by one that is absurd", "[cli]") {
  const TemporaryFolder folder;
  run_everything(folder);
  std::vector<std::string> taken =
      taken_numbers(folder / "out/result.h5", [](const fs::path& file) { read_result(file); });
  // A figure that is no number is one that the response does not have.
  std::erase_if(taken, [](const std::string& name) {
    return name.starts_with("/metrics/") && name.ends_with(" = nan") && !name.starts_with("/metrics/centre");
  });
  CHECK(taken == std::vector<std::string>{});
  taken = taken_numbers(folder / "out/snapshots.h5", [](const fs::path& file) {
    const SnapshotReader reader(file);
    for (const SnapshotSet& set : reader.list().sets) {
      reader.air(set);
      for (const std::string& source : reader.list().sources)
        for (std::size_t frame = 0; frame < set.times.size(); ++frame) reader.frame(set, source, frame);
    }
  });
  CHECK(taken == std::vector<std::string>{});
}

TEST_CASE("commands refuse forged files by name and value", "[cli]") {
  const TemporaryFolder folder;
  run_everything(folder);
  const auto refused = [&](const std::string& file, const std::vector<std::string>& words, const std::string& what,
                           const std::function<void(H5Index&, std::string&)>& change) {
    forge(folder / "out" / file, folder / file, change);
    const Outcome outcome = run_fdtd(words, folder.path());
    INFO(outcome.err);
    CHECK(outcome.status == 5);
    CHECK_THAT(outcome.err, Contains(file + ": " + what));
  };
  const auto set = [](const std::string& object, const std::string& name, StoredValue to) {
    return [=](H5Index& index, std::string&) {
      REQUIRE(index.values.count({object, name}) == 1);
      index.values[{object, name}] = to;
    };
  };
  refused("result.h5", {"report", "result.h5", "-o", "report.html"}, "/provenance box",
          set("/provenance", "box", std::vector<double>{2.6, 1.1, 0.9}));
  refused("result.h5", {"render", "result.h5", "-o", "again"}, "/render bandwidth", set("/render", "bandwidth", 1e5));
  refused("result.h5", {"render", "result.h5", "-o", "again"}, "/sources/S1 position",
          set("/sources/S1", "position", std::vector<double>{5.0, 0.6, 0.7}));
  refused("result.h5", {"render", "result.h5", "-o", "again"}, "/render/air temperature",
          set("/render/air", "temperature", 500.0));
  refused("result.h5", {"render", "result.h5", "-o", "again"}, "/render/capsules sound_speed",
          set("/render/capsules", "sound_speed", 400.0));
  refused("snapshots.h5", {"movie", "snapshots.h5", "-o", "frames"}, "/", [](H5Index& index, std::string&) {
    for (auto& [place, stored] : index.values)
      if (place.second == "spacing") stored = std::vector<double>{-0.1, 0.1, 0.1};
  });
  CHECK_FALSE(fs::exists(folder / "again"));
  CHECK_FALSE(fs::exists(folder / "frames"));
}
