#include "engine/cuda/tuning/tune_cache.hpp"

#include "engine/cuda/walls/row_ends.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/unit/engine/cuda/jobs.hpp"

namespace fdtd::cuda {

using test::TemporaryFolder;

namespace {

const TunedTile tuned{{32, 8, 94, 256, 3}, 0.00312};

}  // namespace

TEST_CASE("a tuned tile is found again by the next run of the same build") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "deep/er/tune.json";
  {
    TuneCache cache(file, "build 1");
    REQUIRE(cache.remark().empty());
    REQUIRE_FALSE(cache.find("a"));
    cache.keep("a", tuned);
    REQUIRE(cache.find("a") == tuned);
  }
  const TuneCache again(file, "build 1");
  REQUIRE(again.remark().empty());
  REQUIRE(again.find("a") == tuned);
  REQUIRE_FALSE(again.find("b"));
}

TEST_CASE("an entry that is no tile is not found") {
  const TemporaryFolder folder;
  const auto file = folder / "tune.json";
  TuneFile kept(file, "b");
  kept.keep("sound", {{32, 8, 94, 256, 3, 0, 0}, 0.00312});
  kept.keep("short", {{32, 8}, 0.003});
  kept.keep("untimed", {{32, 8, 94, 256, 3, 0, 0}, 0.0});
  const TuneCache cache(file, "b");
  REQUIRE(cache.find("sound") == tuned);
  REQUIRE_FALSE(cache.find("short"));
  REQUIRE_FALSE(cache.find("untimed"));
}

TEST_CASE("the key distinguishes whatever changes the best tile, and not the weights") {
  const Device device = large_device();
  const Job job = job_of("leggy-4", {100, 90, 80});
  const std::string key = tune_key(job, device, "flat");
  REQUIRE(tune_key(job_of("leggy-4/opt1", {100, 90, 80}), device, "flat") == key);
  REQUIRE(tune_key(job, device, "kernel_a") != key);
  REQUIRE(tune_key(job_of("leggy-4", {100, 90, 81}), device, "flat") != key);
  REQUIRE(tune_key(job_of("leggy-4", {100, 90, 80}, Precision::f64), device, "flat") != key);
  REQUIRE(tune_key(job_of("leggy-3", {100, 90, 80}), device, "flat") != key);
  REQUIRE(tune_key(job_of("compact-3", {100, 90, 80}), device, "flat") !=
          tune_key(job_of("compact-2", {100, 90, 80}), device, "flat"));
  Job mirrored = job;
  mirrored.mirror = {true, true, true};
  REQUIRE(tune_key(mirrored, device, "flat") != key);
  Job updates_ends = mirrored;
  updates_ends.ends = std::make_shared<const RowEnds>();
  REQUIRE(tune_key(updates_ends, device, "flat") != key);
  REQUIRE(tune_key(updates_ends, device, "flat") != tune_key(mirrored, device, "flat"));
  Device other = device;
  other.name = "Another GPU";
  REQUIRE(tune_key(job, other, "flat") != key);
  other = device;
  other.driver_version = 13010;
  REQUIRE(tune_key(job, other, "flat") != key);
}

}  // namespace fdtd::cuda
