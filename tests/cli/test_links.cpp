// --force and links: nothing outside of the output folder changes, whatever the folder holds.
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd::test;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;

namespace {

std::string short_scene(const std::string& more = "") {
  SceneText text;
  text.simulation = "duration = 0.01\nmax_frequency = 400.0\nstencil = \"leggy-2\"\n";
  return text_of(text) + more;
}

// Every file that the folder holds becomes a link, in turn, to a file elsewhere that must keep its contents.
void replace_by_links(const fs::path& folder, const fs::path& elsewhere, bool hard) {
  for (const std::string& name : names_in(folder)) {
    if (fs::is_directory(folder / name)) continue;
    fs::remove(folder / name);
    std::ofstream(elsewhere / name) << "mine " << name;
    if (hard)
      fs::create_hard_link(elsewhere / name, folder / name);
    else
      fs::create_symlink(elsewhere / name, folder / name);
  }
}

void check_untouched(const fs::path& elsewhere) {
  CHECK_FALSE(names_in(elsewhere).empty());
  for (const std::string& name : names_in(elsewhere)) {
    CAPTURE(name);
    CHECK(read_file(elsewhere / name) == "mine " + name);
  }
}

}  // namespace

TEST_CASE("commands with --force replace links, and leave what lies behind them", "[cli]") {
  const TemporaryFolder folder;
  folder.write("room.toml",
               short_scene("\n[output]\nsnapshots = [{ plane = \"z\", position = 0.5, every = 0.002 }]\n"));
  const std::vector<std::vector<std::string>> commands = {
      {"run", "room.toml", "-o", "out"},
      {"render", "out/result.h5", "-o", "rendered"},
      {"report", "out/result.h5", "-o", "page/report.html"},
      {"sweep", "room.toml", "-o", "swept", "--set", "room.box=[[1.3, 1.1, 0.9]]"},
      {"reference", "-o", "reference"}};
  fs::create_directory(folder / "page");
  for (const auto& command : commands) {
    CAPTURE(command[0]);
    const Outcome first = run_fdtd(command, folder.path());
    INFO(first.err);
    REQUIRE(first.status == 0);
  }
  const fs::path results[] = {folder / "rendered",  folder / "page",      folder / "swept",
                              folder / "swept/001", folder / "reference", folder / "out"};
  int number = 0;
  for (const bool hard : {false, true}) {
    for (const fs::path& made : results) {
      const TemporaryFolder elsewhere;
      const std::size_t command = made.filename() == "rendered"    ? 1
                                  : made.filename() == "page"      ? 2
                                  : made.filename() == "reference" ? 4
                                  : made.filename() == "out"       ? 0
                                                                   : 3;
      CAPTURE(made.filename().string(), hard, ++number);
      replace_by_links(made, elsewhere.path(), hard);
      std::vector<std::string> words = commands[command];
      if (command != 3 || made.filename() == "swept") {
        const Outcome refused = run_fdtd(words, folder.path());
        if (command != 3) CHECK(refused.status == 5);
        check_untouched(elsewhere.path());
      }
      words.emplace_back("--force");
      const Outcome forced = run_fdtd(words, folder.path());
      INFO(forced.err);
      CHECK(forced.status == 0);
      check_untouched(elsewhere.path());
      for (const std::string& name : names_in(made)) CHECK_FALSE(fs::is_symlink(made / name));
    }
  }
}

TEST_CASE("a sweep does not follow links that stand for the folders of its runs", "[cli]") {
  const TemporaryFolder folder, elsewhere;
  folder.write("room.toml", short_scene());
  fs::create_directory(folder / "swept");
  fs::create_directory_symlink(elsewhere.path(), folder / "swept/001");
  const Outcome refused =
      run_fdtd({"sweep", "room.toml", "-o", "swept", "--force", "--set", "room.box=[[1.3, 1.1, 0.9]]"}, folder.path());
  CHECK(refused.status == 5);
  CHECK_THAT(refused.err, Contains("swept/001: is a link") && Contains("hint: remove the link"));
  CHECK(elsewhere.entries() == 0);
}

TEST_CASE("a lock that is a link to another file is not written", "[cli]") {
  for (const bool hard : {false, true}) {
    const TemporaryFolder folder, elsewhere;
    folder.write("room.toml", short_scene());
    elsewhere.write("mine", "mine mine");
    fs::create_directory(folder / "out");
    if (hard)
      fs::create_hard_link(elsewhere / "mine", folder / "out/.fdtd-lock");
    else
      fs::create_symlink(elsewhere / "mine", folder / "out/.fdtd-lock");
    const Outcome refused = run_fdtd({"run", "room.toml", "-o", "out", "--force"}, folder.path());
    CHECK(refused.status == 5);
    CHECK_THAT(refused.err, Contains(".fdtd-lock: is a link to another file") && Contains("hint: remove the link"));
    check_untouched(elsewhere.path());
  }
}

TEST_CASE("an output folder that is a link is the folder that it names", "[cli]") {
  const TemporaryFolder folder, elsewhere;
  folder.write("room.toml", short_scene());
  fs::create_directory_symlink(elsewhere.path(), folder / "out");
  CHECK(run_fdtd({"run", "room.toml", "-o", "out"}, folder.path()).status == 0);
  CHECK(fs::is_symlink(folder / "out"));
  CHECK(fs::exists(elsewhere / "result.h5"));
  fs::create_directory_symlink(elsewhere / "none", folder / "dangling");
  const Outcome refused = run_fdtd({"run", "room.toml", "-o", "dangling", "--force"}, folder.path());
  CHECK(refused.status == 5);
  CHECK_FALSE(fs::exists(elsewhere / "none"));
}
