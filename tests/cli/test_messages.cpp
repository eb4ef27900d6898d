// No message is longer than 2 kB, whatever it is about.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

constexpr std::size_t longest = 2048, many = 3000, long_name = 1'000'000;

std::string repeated(std::size_t count, const std::function<std::string(std::size_t)>& one) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += one(i);
  return all;
}

// The longest line that begins with "note: ", as a plan prints them.
std::size_t longest_note(const std::string& out) {
  std::size_t most = 0;
  for (std::size_t at = 0; at < out.size();) {
    const std::size_t end = std::min(out.find('\n', at), out.size());
    if (out.substr(at, end - at).find("note: ") != std::string::npos) most = std::max(most, end - at);
    at = end + 1;
  }
  return most;
}

}  // namespace

TEST_CASE("what is wrong with a scene is told in 2 kB, with the number of what is not told", "[cli]") {
  const std::string good = text_of(SceneText());
  const std::string name(long_name, 'n');
  const std::string control(5000, '\x01');
  const std::vector<std::pair<const char*, std::string>> scenes = {
      {"unknown keys", good + "[output]\n" + repeated(many, [](auto i) { return fmt::format("key_{} = 1\n", i); })},
      {"unknown tables", good + repeated(many, [](auto i) { return fmt::format("[table_{}]\n", i); })},
      {"unknown key with a long name", good + name + " = 1\n"},
      {"text that is no TOML", good + name + "\n"},
      {"value of a wrong kind", good + "[output]\nformat = \"" + name + "\"\n"},
      {"name of a source", good + "[[source]]\nname = \"" + name + "\"\nposition = [0.5, 0.6, 0.7]\n"},
      {"names of receivers",
       good + repeated(many, [](auto) { return "[[receiver]]\nname = \"R1\"\nposition = [0.7, 0.3, 0.4]\n"; })},
      {"positions", good + repeated(many,
                                    [](auto i) {
                                      return fmt::format("[[receiver]]\nname = \"P{}\"\nposition = [{}, 7, 7]\n", i,
                                                         1e300);
                                    })},
      {"materials", good + repeated(many, [](auto i) { return fmt::format("[materials.m{}]\nalpha = 1\n", i); })},
      {"name of a material", good + "[materials." + name + "]\nrigid = true\n"},
      {"path", good + "[[source]]\nname = \"S9\"\nposition = [0.5, 0.6, 0.7]\nsignal = \"" + name + "\"\n"},
      {"escaped text", good + "[output]\nformat = \"" + repeated(20000, [](auto) { return "\\u202e"; }) + "\"\n"},
      {"control characters", good + control},
      {"list",
       good + "[output]\nsnapshots = [" + repeated(many, [](auto i) { return fmt::format("{}, ", i); }) + "]\n"},
      {"nested list", good + "[output]\nsnapshots = " + std::string(10000, '[') + "\n"}};
  for (const auto& [what, text] : scenes) {
    CAPTURE(what);
    const TemporaryFolder folder;
    folder.write("room.toml", text);
    const Outcome outcome = run_fdtd({"plan", "room.toml"}, folder.path());
    UNSCOPED_INFO(outcome.err.substr(0, 3000));
    CHECK(outcome.status == 2);
    CHECK(outcome.err.size() <= longest);
    CHECK(outcome.err.size() > 50);
  }
  const TemporaryFolder folder;
  folder.write("room.toml", scenes[0].second);
  CHECK_THAT(run_fdtd({"plan", "room.toml"}, folder.path()).err,
             Contains("3000 problems in room.toml") && Contains("unknown key") && Contains(" more problems"));
}

TEST_CASE("arguments that are wrong are told in 2 kB", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml", text_of(SceneText()));
  const std::string name(100'000, 'n');
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {name},
           {"plan", name},
           {"plan", "room.toml", "--" + name},
           {"plan", "room.toml", "--set", name},
           {"plan", "room.toml", "--set", "simulation." + name + "=1"},
           {"run", "room.toml", "-o", name},
           {"run", "room.toml", "--device", name},
           {"materials", name},
           {"sweep", "room.toml", "--set", "room.box=[" + name + "]"},
           {"sweep", "room.toml", "--set", "room.box=[\"" + name + "]"},
           {"sweep", "room.toml", "--draw", "room.box=" + name + "(1, 2)", "--runs", "2"},
           {"render", name, "-o", "out"},
           {"metrics", name}}) {
    CAPTURE(words[0], words.size() > 2 ? words[2].substr(0, 20) : "");
    const Outcome outcome = run_fdtd(words, folder.path());
    UNSCOPED_INFO(outcome.err.substr(0, 3000));
    CHECK(outcome.status != 0);
    CHECK(outcome.err.size() <= longest);
    CHECK(outcome.err.size() > 30);
  }
}

TEST_CASE("notes about thousands of materials of a mesh are told in 2 kB", "[cli]") {
  const TemporaryFolder folder;
  const std::string corners = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 0 0 2\nv 2 0 2\nv 2 2 2\nv 0 2 2\n";
  std::string faces;
  for (const char* face : {"1 4 3 2", "1 2 6 5", "2 3 7 6", "3 4 8 7", "4 1 5 8", "5 6 7 8"})
    for (int i = 0; i < 500; ++i)
      faces += fmt::format("usemtl material {} of a model {}\nf {}\n", faces.size(), std::string(100, 'x'), face);
  folder.write("room.obj", corners + faces);
  SceneText text;
  text.room = "mesh = \"room.obj\"\n";
  text.walls = "default = \"panel\"\n";
  folder.write("room.toml", text_of(text));
  const Outcome plan = run_fdtd({"plan", "room.toml"}, folder.path());
  INFO(plan.err);
  REQUIRE(plan.status == 0);
  CHECK_THAT(plan.out, Contains("stands for") && Contains(" more"));
  CHECK(longest_note(plan.out) <= longest);
  text.walls = "other = \"panel\"\n";
  folder.write("room.toml", text_of(text));
  const Outcome refused = run_fdtd({"plan", "room.toml"}, folder.path());
  CHECK(refused.status == 2);
  CHECK(refused.err.size() <= longest);
}
