// fdtd place beside the present place of a source or a receiver.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using namespace fdtd::test;
using nlohmann::json;

namespace {

const std::string room = R"(schema = 1
[simulation]
duration = 0.5
max_frequency = 300.0
[air]
sound_speed = 343.2
[room]
box = [2.6, 2.2, 1.9]
walls = { default = "w" }
[materials.w]
admittance = 0.02
[[source]]
name = "S1"
position = [0.4, 0.5, 0.6]
[[receiver]]
name = "R1"
position = [1.9, 1.5, 1.2]
[[receiver]]
name = "R2"
position = [1.4, 0.8, 1.3]
)";

struct Places {
  json document;
  std::vector<std::string> notes;
  std::string text;
};

// Of the source at `now`, with candidates in the box `over`.
Places places(const TemporaryFolder& folder, const std::string& now, const std::string& over,
              const std::string& target) {
  std::vector<std::string> words = {"place",  "room.toml", "--source", "S1",   "--set",   "source.S1.position=" + now,
                                    "--over", over,        "--from",   "40",   "--to",    "90",
                                    "--step", "0.3",       "--target", target, "--quiet", "--force"};
  Places found;
  found.text = run_fdtd(words, folder.path()).out;
  words.push_back("--json");
  found.document = json_of(run_fdtd(words, folder.path()));
  for (const json& note : found.document["notes"]) found.notes.push_back(note);
  return found;
}

bool says_stay(const std::string& text) { return text.find("better than where S1 is now") != text.npos; }

}  // namespace

TEST_CASE("a search of places that finds none better than the present one says so", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", room);
  const std::string target = GENERATE("flat", "even");
  const char* const figure = target == "flat" ? "flatness" : "evenness";
  const std::string all = "0.2,0.2,0.5,2.4,2.0,0.5";
  const Places first = places(folder, "[0.4,0.5,0.6]", all, target);
  INFO(first.text);
  const json &best = first.document["best"].front(), &worst = first.document["best"].back();
  REQUIRE(double(best[figure]) < double(first.document["now"][figure]) - 0.01);
  CHECK(std::ranges::none_of(first.notes, says_stay));
  CHECK_FALSE(says_stay(first.text));
  // The source stands at the best place, and the box holds a worse one alone.
  const auto at = [](const json& place) { return place["position"]; };
  REQUIRE(double(worst[figure]) > double(best[figure]) + 0.01);
  const Places one = places(folder, at(best).dump(),
                            fmt::format("{0:.4f},{1:.4f},{2:.4f},{0:.4f},{1:.4f},{2:.4f}", double(at(worst)[0]),
                                        double(at(worst)[1]), double(at(worst)[2])),
                            target);
  INFO(one.text);
  REQUIRE(one.document["best"].size() == 1);
  const std::string this_place =
      fmt::format("this place is no better than where S1 is now: {} {:.2f} dB there, {:.2f} dB now", figure,
                  double(one.document["best"][0][figure]), double(one.document["now"][figure]));
  CHECK(std::ranges::count(one.notes, this_place) == 1);
  CHECK(one.text.find("note: " + this_place) != one.text.npos);
  // The best place is among them, where the source stands.
  const Places again = places(folder, at(best).dump(), all, target);
  const std::string none = fmt::format(
      "none of these places is better than where S1 is now: {} {:.2f} dB at the best of them, {:.2f} dB now", figure,
      double(again.document["best"][0][figure]), double(again.document["now"][figure]));
  INFO(again.text);
  CHECK(again.document["best"].size() > 1);
  CHECK(std::ranges::count(again.notes, none) == 1);
}

TEST_CASE("places of an earlier search are replaced by force alone", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", room);
  const auto search = [&](const char* step, bool force) {
    std::vector<std::string> words = {"place",   "room.toml", "--source", "S1", "--over", "0.2,0.2,0.5,2.4,2.0,0.5",
                                      "--from",  "40",        "--to",     "90", "--step", step,
                                      "--quiet", "-o",        "found"};
    if (force) words.emplace_back("--force");
    return run_fdtd(words, folder.path());
  };
  const auto files = [&] {
    std::vector<std::string> all;
    for (const char* name : {"place.h5", "place.csv", "place.png"})
      all.push_back(read_file(folder.path() / "found" / name));
    return all;
  };
  REQUIRE(search("0.6", false).status == 0);
  const std::vector<std::string> first = files();
  const Outcome refused = search("0.4", false);
  CHECK(refused.status == 5);
  CHECK_THAT(refused.err, Catch::Contains("found/place.h5") && Catch::Contains("--force"));
  CHECK(files() == first);
  REQUIRE(search("0.4", true).status == 0);
  const std::vector<std::string> second = files();
  for (std::size_t i = 0; i < first.size(); ++i) CHECK(second[i] != first[i]);
}
