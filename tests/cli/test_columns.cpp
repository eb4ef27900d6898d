// The program's output on a terminal: lines of 80 columns, the figures that decide first, and little when it is quiet.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/meshes/mesh_scene.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

constexpr std::size_t columns = 80;

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// Lines that are too long; one of a single word, such as a path, may be.
std::vector<std::string> long_lines(const std::string& text) {
  std::vector<std::string> found;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    const std::size_t word = line.find_first_not_of(' ');
    if (characters(line) > columns && word != line.npos && line.find(' ', word) != line.npos) found.push_back(line);
    begin = end + 1;
  }
  return found;
}

// As a user runs it, who has exported no width.
Outcome plainly(const std::vector<std::string>& words, const TemporaryFolder& folder) {
  return run_fdtd(words, folder.path(), {{"COLUMNS", ""}});
}

void check_columns(const std::vector<std::string>& words, const TemporaryFolder& folder, int status = 0) {
  const Outcome outcome = plainly(words, folder);
  INFO(fmt::format("{}", fmt::join(words, " ")) << "\n" << outcome.err);
  CHECK(outcome.status == status);
  for (const std::string* const text : {&outcome.out, &outcome.err}) CHECK(long_lines(*text).empty());
  CHECK(outcome.out.size() + outcome.err.size() > 0);
}

// A room whose plan has notes, limits and many materials.
std::string demanding_room() {
  SceneText text;
  text.simulation = "duration = 0.3\nmax_frequency = 400.0\nstencil = \"leggy-3/warp1\"\n";
  text.box = "[3.0, 2.4, 2.1]";
  text.walls = "default = \"panel\"\nz_min = \"carpet-heavy\"\nx_max = \"plasterboard\"\n";
  text.second_source = "[0.9, 0.6, 0.7]";
  text.receiver = "[1.7, 1.3, 1.4]";
  text.more = "[[receiver]]\nname = \"a receiver with a long name\"\nposition = [2.1, 1.9, 0.4]\n";
  return text_of(text);
}

void write_mesh_room(const TemporaryFolder& folder, const std::string& frequency) {
  const Turn turn = turned(12.0, 0.0);
  const Mesh mesh = box_mesh({0, 0, 0}, {5.0, 4.0, 3.0}, turn);
  SceneText text = mesh_scene(folder, mesh, turn, {0.6, 0.5, 0.4}, {3.8, 2.6, 1.2});
  text.simulation = "duration = 0.1\nmax_frequency = " + frequency + "\nstencil = \"leggy-3/warp1\"\n";
  folder.write("mesh.toml", text_of(text));
}

// The output on a terminal of its own, both streams together.
std::string on_terminal(std::vector<std::string> words, const TemporaryFolder& folder) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  REQUIRE(child >= 0);
  if (child == 0) {
    if (chdir(folder.path().c_str()) != 0) _exit(127);
    std::string program = tested_program();
    std::vector<char*> argv{program.data()};
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  std::string seen(1 << 16, '\0');
  std::size_t size = 0;
  while (size < seen.size()) {
    const ssize_t got = read(terminal, seen.data() + size, seen.size() - size);
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  seen.resize(size);
  close(terminal);
  int how = 0;
  REQUIRE(waitpid(child, &how, 0) == child);
  CHECK(WIFEXITED(how));
  return seen;
}

}  // namespace

TEST_CASE("what commands print fits 80 columns", "[cli]") {
  const TemporaryFolder folder;
  folder.write("box.toml", demanding_room());
  write_mesh_room(folder, "200.0");
  check_columns({"plan", "box.toml", "--set", "simulation.stencil=\"auto\""}, folder);
  check_columns({"plan", "mesh.toml"}, folder);
  check_columns({"plan", "box.toml", "--set", "simulation.stencil=\"compact-4/radial1\""}, folder);
  check_columns({"plan", "box.toml", "--gpu-memory", "80GB"}, folder);
  check_columns({"run", "box.toml", "-o", "made", "--set", "simulation.max_frequency=250"}, folder);
  check_columns({"run", "mesh.toml", "-o", "mesh", "--set", "simulation.max_frequency=100"}, folder);
  check_columns({"metrics", "made/responses_S1.wav"}, folder);
  check_columns({"estimate", "box.toml", "--cells", "2000"}, folder);
  check_columns({"estimate", "mesh.toml", "--cells", "2000"}, folder);
  check_columns({"bench", "--families", "leggy,box", "--count", "2", "--grid", "24x20x16", "--repeats", "1"}, folder);
  check_columns({"render", "made/result.h5", "-o", "again"}, folder);
  check_columns({"materials"}, folder);
  check_columns({"materials", "carpet-heavy"}, folder);
  check_columns({"stencils"}, folder);
  check_columns({"stencils", "compact-4/radial1"}, folder);
  check_columns({"doctor"}, folder);
}

TEST_CASE("help and messages fit 80 columns", "[cli]") {
  const TemporaryFolder folder;
  check_columns({"--help"}, folder);
  for (const char* command :
       {"run", "sweep", "plan", "estimate", "stencils", "profile", "bench", "compare", "render", "report", "movie",
        "materials", "import", "metrics", "match", "auralize", "doctor", "reference"})
    check_columns({command, "--help"}, folder);
  SceneText text;
  text.source = "[31.2, 4.0, 1.2]  # a comment that goes on for longer than a terminal is wide, and then a little more";
  text.materials =
      "[materials.panel]\nabsorbtion = { bands = [125, 250, 500, 1000, 2000], alpha = [0.1, 0.1, 0.1, 0.1, 0.1] }\n";
  folder.write("wrong.toml", text_of(text));
  check_columns({"run", "wrong.toml"}, folder, 2);
  check_columns({"run", "box.toml", "--no-such-option"}, folder, 2);
}

TEST_CASE("a width that is exported is taken", "[cli]") {
  const TemporaryFolder folder;
  folder.write("box.toml", demanding_room());
  const auto longest = [&](const char* width) {
    const Outcome outcome = run_fdtd({"plan", "box.toml"}, folder.path(), {{"COLUMNS", width}});
    std::size_t most = 0;
    for (std::size_t begin = 0; begin < outcome.out.size();) {
      const std::size_t end = std::min(outcome.out.find('\n', begin), outcome.out.size());
      most = std::max(most, end - begin);
      begin = end + 1;
    }
    return most;
  };
  CHECK(longest("120") > 80);
  CHECK(longest("120") <= 120);
  CHECK(longest("none") <= 80);
}

TEST_CASE("a plan begins with time, memory and the valid band", "[cli]") {
  const TemporaryFolder folder;
  folder.write("box.toml", demanding_room());
  const Outcome outcome = plainly({"plan", "box.toml"}, folder);
  REQUIRE(outcome.status == 0);
  const auto at = [&](const char* row) { return outcome.out.find(std::string("\n  ") + row); };
  CHECK(at("predicted time") < at("memory"));
  CHECK(at("memory") < at("valid up to"));
  CHECK(at("valid up to") < at("  interior"));
  CHECK(at("  interior") < at("stencil"));
  CHECK(at("stencil") < at("grid"));
  CHECK(at("note: ") > at("device"));
  CHECK(at("note: ") != outcome.out.npos);
}

TEST_CASE("notes stand in the order of their weight", "[cli]") {
  const TemporaryFolder folder;
  write_mesh_room(folder, "200.0");
  const auto notes = json_of(run_fdtd(
      {"plan", "mesh.toml", "--json", "--set", "simulation.stencil=\"auto\"", "--set", "simulation.grid_spacing=0.5",
       "--set", "simulation.max_frequency=", "--set", "simulation.duration=0.01"},
      folder.path()))["warnings"];
  const auto place = [&](const std::string& of) {
    const auto found = std::ranges::find_if(
        notes, [&](const auto& note) { return note.template get<std::string>().find(of) != std::string::npos; });
    return found - notes.begin();
  };
  CAPTURE(notes.dump(1));
  const auto count = static_cast<std::ptrdiff_t>(notes.size());
  CHECK(place("responses pass nothing above") == 0);
  CHECK(place("stencil \"auto\" took") > 1);
  CHECK(place("stencil \"auto\" took") < count);
}

TEST_CASE("a quiet run prints neither plan nor figures, and predicts nothing", "[cli]") {
  const TemporaryFolder folder;
  folder.write("box.toml", demanding_room());
  const std::vector<std::string> words = {"run", "box.toml", "--set", "simulation.max_frequency=250", "-o"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return plainly(more, folder);
  };
  const Outcome quiet = with({"quiet", "--quiet"});
  CHECK(quiet.status == 0);
  CHECK(quiet.out.empty());
  CHECK(quiet.err.empty());
  CHECK(std::filesystem::exists(folder.path() / "quiet/result.h5"));
  const Outcome document = with({"document", "--quiet", "--json"});
  CHECK(document.err.empty());
  CHECK_FALSE(json_of(document)["plan"].contains("predicted_seconds"));
  CHECK(json_of(with({"told", "--json"}))["plan"].contains("predicted_seconds"));
  const Outcome again = with({"quiet", "--quiet"});
  CHECK(again.status != 0);  // files are there: an error is told
  CHECK_FALSE(again.err.empty());
}

// A fast machine plans small grids before the line is due, so the grid grows until planning takes a moment.
TEST_CASE("planning a mesh shows its progress on a terminal, and on nothing else", "[cli]") {
  using Clock = std::chrono::steady_clock;
  const TemporaryFolder folder;
  std::string seen;
  for (const char* const frequency : {"700.0", "1400.0", "2800.0", "5600.0"}) {
    write_mesh_room(folder, frequency);
    const auto start = Clock::now();
    seen = on_terminal({"plan", "mesh.toml", "--threads", "1", "--set", "simulation.stencil=\"auto\""}, folder);
    if (seen.find("\rplanning, ") != std::string::npos || Clock::now() - start > std::chrono::seconds(20)) break;
  }
  CHECK(seen.find("\rplanning, ") != std::string::npos);
  CHECK(seen.find("plan for mesh.toml") != std::string::npos);
  CHECK(seen.rfind("planning, ") < seen.find("plan for mesh.toml"));
  const Outcome piped = plainly({"plan", "mesh.toml"}, folder);
  CHECK(piped.out.find("planning, ") == std::string::npos);
  CHECK(piped.err.find("planning, ") == std::string::npos);
}
