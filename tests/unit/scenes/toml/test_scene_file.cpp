// A scene as a file among others: what is read at all, and which files it may name.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "scenes/toml/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/unit/scenes/toml/small_scene.hpp"

using namespace fdtd;
using namespace fdtd::test;
namespace fs = std::filesystem;

TEST_CASE("a file that cannot be a scene is refused before it is read") {
  const test::TemporaryFolder folder;
  const auto messages = [&](const fs::path& file) {
    const ParsedScene parsed = load_scene(file);
    REQUIRE(parsed.problems.size() == 1);
    return problem_text(parsed.problems[0], "x.toml", parsed.scene.text);
  };
  CHECK(messages(folder.path() / "none.toml") == "x.toml: no such file\n");
  CHECK(messages(folder.path()) == "x.toml: is a folder, not a file\n");
  CHECK(messages("/dev/zero") == "x.toml: is not a regular file\n");
  const fs::path fifo = folder.path() / "fifo.toml";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(messages(fifo) == "x.toml: is not a regular file\n");
  const fs::path large = folder.write("large.toml", small);
  fs::resize_file(large, 50'000'000);
  CHECK(messages(large) == "x.toml: 50000000 bytes are too many: at most 4 MiB\n");
  CHECK(messages(folder.path() / std::string(5000, 'a')) == "x.toml: no such file\n");
}

TEST_CASE("a file of 4 MiB with a scene in it is read") {
  const std::string text = small + "#" + std::string((4u << 20) - small.size() - 1, 'x');
  CHECK(parse_scene(text, "hall.toml").problems.empty());
  CHECK(parse_scene(text + "x", "hall.toml").problems.size() == 1);
}

TEST_CASE("no path leaves the scene's folder unless that is allowed") {
  const test::TemporaryFolder folder;
  const fs::path inner = folder.path() / "scenes", hall = inner / "hall.toml";
  fs::create_directories(inner / "sub");
  folder.write("outside.wav", "RIFF");
  std::ofstream(inner / "inside.wav") << "RIFF";
  fs::create_symlink("../outside.wav", inner / "link.wav");
  fs::create_symlink("..", inner / "up");
  fs::create_symlink("inside.wav", inner / "fine.wav");
  fs::create_symlink("loop.wav", inner / "loop.wav");
  const auto problems = [&](const std::string& signal, bool allow) {
    const std::string text = replaced(small, "position = [1, 1, 1]", "position = [1, 1, 1]\nsignal = '" + signal + "'");
    const ParsedScene parsed = parse_scene(text, hall, {{}, allow});
    if (parsed.problems.empty()) CHECK(fs::is_regular_file(parsed.scene.sources.at(0).signal_path));
    return all_messages(parsed, text);
  };
  std::ofstream(inner / "impulse.wav") << "RIFF";
  for (const char* signal : {"impulse.wav", "inside.wav", "./inside.wav", "sub/../inside.wav", "fine.wav"})
    CHECK(problems(signal, false).empty());
  CHECK(problems((inner / "inside.wav").string(), false).empty());
  for (const std::string& signal : {std::string("../outside.wav"), std::string("link.wav"),
                                    std::string("up/outside.wav"), (folder.path() / "outside.wav").string()}) {
    INFO(signal);
    CHECK(problems(signal, false).find("leaves the scene's folder") != std::string::npos);
    CHECK(problems(signal, true).empty());
  }
  CHECK(problems("../secret.wav", false).find("leaves the scene's folder") != std::string::npos);  // there or not
  CHECK(problems("../secret.wav", true).find("does not exist") != std::string::npos);
  CHECK_FALSE(problems("loop.wav", false).empty());
  CHECK(problems(std::string(300, 'a') + ".wav", false).find("cannot be looked up") != std::string::npos);
  CHECK(problems("sub", false).find("is a folder, not a file") != std::string::npos);
  // A folder whose name only begins like the scene's is outside.
  fs::create_directories(folder.path() / "scenes2");
  std::ofstream(folder.path() / "scenes2/a.wav") << "RIFF";
  CHECK(problems("../scenes2/a.wav", false).find("leaves the scene's folder") != std::string::npos);
}

TEST_CASE("a stencil of the user's own is a file beside the scene") {
  const test::TemporaryFolder folder;
  folder.write("mine.toml", "");
  const std::string text = replaced(small, "duration = 0.1", "duration = 0.1\nstencil = \"mine.toml\"");
  const ParsedScene parsed = parse_scene(text, folder.path() / "hall.toml");
  CHECK(parsed.problems.empty());
  CHECK(fs::equivalent(parsed.scene.simulation.stencil_path, folder.path() / "mine.toml"));
}

TEST_CASE("the example scenes are scenes") {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(FDTD_SOURCE_DIR "/scenes/examples")) {
    if (entry.path().extension() != ".toml") continue;
    const ParsedScene parsed = load_scene(entry.path());
    INFO(entry.path() << "\n" << all_messages(parsed, parsed.scene.text));
    CHECK(parsed.problems.empty());
    ++count;
  }
  CHECK(count >= 1);
}
