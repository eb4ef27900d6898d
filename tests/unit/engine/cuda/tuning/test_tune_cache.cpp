#include "engine/cuda/tuning/tune_cache.hpp"

#include <fstream>

#include "engine/cuda/walls/row_ends.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/unit/engine/cuda/jobs.hpp"

namespace fdtd::cuda {

using test::TemporaryFolder;

namespace {

const TunedTile tuned{{32, 8, 94, 256, 3}, 0.00312};

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
}

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

TEST_CASE("what another run has kept meanwhile is not lost") {
  const TemporaryFolder folder;
  TuneCache one(folder / "tune.json", "build 1"), two(folder / "tune.json", "build 1");
  one.keep("a", tuned);
  two.keep("b", tuned);
  const TuneCache both(folder / "tune.json", "build 1");
  REQUIRE(both.find("a") == tuned);
  REQUIRE(both.find("b") == tuned);
}

TEST_CASE("a cache of another build is reported and not used") {
  const TemporaryFolder folder;
  TuneCache(folder / "tune.json", "build 1").keep("a", tuned);
  TuneCache other(folder / "tune.json", "build 2");
  REQUIRE(other.remark().find("another build") != std::string::npos);
  REQUIRE_FALSE(other.find("a"));
  other.keep("b", tuned);
  const TuneCache again(folder / "tune.json", "build 2");
  REQUIRE(again.remark().empty());
  REQUIRE_FALSE(again.find("a"));
  REQUIRE(again.find("b") == tuned);
}

TEST_CASE("a broken cache is reported and not used") {
  const TemporaryFolder folder;
  const auto file = folder / "tune.json";
  for (const char* text :
       {"", "{", "[]", "\xff\xfe", R"({"schema": 2, "build": "b"})", R"({"schema": 2, "build": "b", "tiles": []})"}) {
    write(file, text);
    INFO(text);
    const TuneCache cache(file, "b");
    REQUIRE(cache.remark().find("damaged") != std::string::npos);
  }
  write(file, R"({"schema": 99, "build": "b", "tiles": {}})");
  REQUIRE(TuneCache(file, "b").remark().find("another build") != std::string::npos);
}

TEST_CASE("damaged entries are left out, sound ones kept") {
  const TemporaryFolder folder;
  const auto file = folder / "tune.json";
  write(file, R"({"schema": 2, "build": "b", "tiles": {
    "sound": {"tile": [32, 8, 94, 256, 3, 0, 0], "ctpn_ns": 0.00312},
    "short": {"tile": [32, 8], "ctpn_ns": 0.003},
    "text": {"tile": [32, 8, 94, 256, "3", 0, 0], "ctpn_ns": 0.003},
    "huge": {"tile": [99999999999, 8, 94, 256, 3, 0, 0], "ctpn_ns": 0.003},
    "negative": {"tile": [32, -8, 94, 256, 3, 0, 0], "ctpn_ns": 0.003},
    "never": {"tile": [32, 8, 94, 256, 3, 0, 0], "ctpn_ns": 0}, "nothing": null}})");
  const TuneCache cache(file, "b");
  REQUIRE(cache.remark().find("damaged entries") != std::string::npos);
  REQUIRE(cache.find("sound") == tuned);
  for (const char* key : {"short", "text", "huge", "negative", "never", "nothing"}) {
    INFO(key);
    REQUIRE_FALSE(cache.find(key));
  }
}

TEST_CASE("a cache that cannot be written is reported, and holds within the run") {
  const TemporaryFolder folder;
  write(folder / "file", "");
  TuneCache cache(folder / "file/tune.json", "b");
  cache.keep("a", tuned);
  REQUIRE(cache.remark().find("not kept") != std::string::npos);
  REQUIRE(cache.find("a") == tuned);
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
