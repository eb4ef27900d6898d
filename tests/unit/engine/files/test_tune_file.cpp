#include "engine/files/tune_file.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace fdtd;
using fdtd::test::TemporaryFolder;

namespace {

const TunedChoice choice{{32, 8, 94}, 0.00312}, other_choice{{1, 0}, 0.0};

bool finds(const TuneFile& file, const std::string& key, const TunedChoice& expected) {
  return file.find(key) != nullptr && *file.find(key) == expected;
}
void put(const std::filesystem::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
}

}  // namespace

TEST_CASE("a tuned choice is found again by the next run of the same build") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "deep/er/tune.json";
  {
    TuneFile file(path, "build 1");
    CHECK(file.remark().empty());
    CHECK(file.find("a") == nullptr);
    file.keep("a", other_choice);
    file.keep("a", choice);
    CHECK(finds(file, "a", choice));
  }
  const TuneFile again(path, "build 1");
  CHECK(again.remark().empty());
  CHECK(finds(again, "a", choice));
  CHECK(again.find("b") == nullptr);
}

TEST_CASE("a choice that another run has kept meanwhile is not lost") {
  const TemporaryFolder folder;
  TuneFile one(folder / "tune.json", "b"), two(folder / "tune.json", "b");
  one.keep("a", choice);
  two.keep("b", other_choice);
  const TuneFile both(folder / "tune.json", "b");
  CHECK(finds(both, "a", choice));
  CHECK(finds(both, "b", other_choice));
}

TEST_CASE("a tuning cache of another build or format is reported and not used") {
  const TemporaryFolder folder;
  TuneFile(folder / "tune.json", "build 1").keep("a", choice);
  TuneFile other(folder / "tune.json", "build 2");
  CHECK(other.remark().find("another build") != std::string::npos);
  CHECK(other.find("a") == nullptr);
  other.keep("b", choice);
  const TuneFile again(folder / "tune.json", "build 2");
  CHECK(again.remark().empty());
  CHECK(again.find("a") == nullptr);
  CHECK(finds(again, "b", choice));
  put(folder / "old.json", R"({"schema": 2, "build": "b", "tiles": {"a": {"tile": [1, 2, 3], "ctpn_ns": 1}}})");
  const TuneFile old(folder / "old.json", "b");
  CHECK(old.remark().find("another build") != std::string::npos);
  CHECK(old.find("a") == nullptr);
}

TEST_CASE("a damaged tuning cache is reported, not used and replaced") {
  const TemporaryFolder folder;
  const auto path = folder / "tune.json";
  for (const char* text : {"", "{", "[]", "\xff\xfe", "here = 1 8 1 0 0\n", R"({"schema": 3, "build": "b"})",
                           R"({"schema": 3, "build": "b", "tuned": []})"}) {
    put(path, text);
    INFO(text);
    CHECK(TuneFile(path, "b").remark().find("damaged") != std::string::npos);
  }
  TuneFile(path, "b").keep("a", choice);
  CHECK(finds(TuneFile(path, "b"), "a", choice));
}

TEST_CASE("damaged entries of a tuning cache are left out, sound ones kept") {
  const TemporaryFolder folder;
  const auto path = folder / "tune.json";
  put(path, R"({"schema": 3, "build": "b", "tuned": {
    "sound": {"choice": [32, 8, 94], "ctpn_ns": 0.00312},
    "text": {"choice": [32, 8, "94"], "ctpn_ns": 0.003},
    "huge": {"choice": [99999999999, 8, 94], "ctpn_ns": 0.003},
    "negative": {"choice": [32, -8, 94], "ctpn_ns": 0.003},
    "before": {"choice": [32, 8, 94], "ctpn_ns": -1}, "number": {"choice": 1, "ctpn_ns": 1}, "nothing": null}})");
  const TuneFile file(path, "b");
  CHECK(file.remark().find("damaged entries") != std::string::npos);
  CHECK(finds(file, "sound", choice));
  for (const char* key : {"text", "huge", "negative", "before", "number", "nothing"}) {
    INFO(key);
    CHECK(file.find(key) == nullptr);
  }
}

TEST_CASE("a tuning cache keeps the latest thousand choices") {
  const TemporaryFolder folder;
  const auto path = folder / "tune.json";
  std::string text = R"({"schema": 3, "build": "b", "tuned": {)";
  for (int i = 0; i < 1000; ++i) text += "\"" + std::to_string(i) + R"(": {"choice": [1], "ctpn_ns": 1}, )";
  put(path, text.substr(0, text.size() - 2) + "}}");
  TuneFile(path, "b").keep("new", choice);
  const TuneFile file(path, "b");
  CHECK(file.find("0") == nullptr);
  CHECK(file.find("1") != nullptr);
  CHECK(finds(file, "new", choice));
}

TEST_CASE("a tuning cache that cannot be written is reported, and holds within the run") {
  const TemporaryFolder folder;
  put(folder / "file", "");
  TuneFile file(folder / "file/tune.json", "b");
  file.keep("a", choice);
  CHECK(file.remark().find("not kept") != std::string::npos);
  CHECK(finds(file, "a", choice));
}

TEST_CASE("the key of a tuned choice distinguishes each of its parts") {
  const TuneKey key{"processor; 4 threads", "any", "25 points", "f32", {3, 4, 5}, "box"};
  CHECK(key.text() == "processor; 4 threads; any; 25 points; f32; 3x4x5; box");
  for (std::string TuneKey::*part : {&TuneKey::device, &TuneKey::kernel, &TuneKey::stencil, &TuneKey::room}) {
    TuneKey other = key;
    other.*part += "x";
    CHECK(other.text() != key.text());
  }
  TuneKey other = key;
  other.size[2] = 6;
  CHECK(other.text() != key.text());
}
