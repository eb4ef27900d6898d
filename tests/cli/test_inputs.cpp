// Paths of no plain file, wherever a file is requested: reported by name and kind, never waited for, never read without
// end.
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd::test;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;

namespace {

// A command that reads `file`, whose ending is `ending`.
struct Reader {
  std::string ending;
  std::vector<std::string> command;  // "FILE" stands for its name
  std::string scene;                 // of "room.toml" with FILE in it; empty: none is needed
};

std::vector<Reader> readers() {
  SceneText mesh, material, stencil, signal;
  mesh.room = "mesh = \"FILE\"\n";
  material.materials = "[materials.panel]\nfile = \"FILE\"\n";
  stencil.simulation = "duration = 0.01\nmax_frequency = 400.0\nstencil = \"FILE\"\n";
  signal.source += "\nsignal = \"FILE\"";
  const std::vector<std::string> plan = {"plan", "room.toml", "--allow-outside"};
  return {{".toml", {"run", "FILE"}, ""},
          {".obj", plan, text_of(mesh)},
          {".stl", plan, text_of(mesh)},
          {".ply", plan, text_of(mesh)},
          {".csv", plan, text_of(material)},
          {".toml", plan, text_of(material)},
          {".toml", plan, text_of(stencil)},
          {".wav", {"run", "room.toml", "--allow-outside", "--quiet"}, text_of(signal)},
          {".wav", {"metrics", "FILE"}, ""},
          {".wav", {"auralize", "FILE", "FILE", "-o", "out.wav"}, ""},
          {".h5", {"render", "FILE", "-o", "out"}, ""},
          {".h5", {"report", "FILE"}, ""},
          {".h5", {"match", "FILE", "FILE"}, ""},
          {".h5", {"run", "room.toml", "-o", "out", "--resume-from", "FILE"}, text_of({})},
          {".csv", {"materials", "FILE"}, ""}};
}

std::string replaced(std::string text, const std::string& name) {
  for (std::size_t at = text.find("FILE"); at != text.npos; at = text.find("FILE", at)) text.replace(at, 4, name);
  return text;
}

}  // namespace

TEST_CASE("pipes, devices, folders and links to them or to nothing are refused by every reader at once", "[cli]") {
  const TemporaryFolder folder;
  for (const Reader& reader : readers()) {
    const auto in = [&](const char* name) { return folder / (name + reader.ending); };
    fs::create_directory(in("folder"));
    REQUIRE(::mkfifo(in("pipe").c_str(), 0600) == 0);
    fs::create_symlink("/dev/zero", in("zeros"));
    fs::create_symlink("/dev/tty", in("terminal"));
    fs::create_symlink(in("pipe").filename(), in("to_pipe"));
    fs::create_symlink("nowhere", in("dangling"));
    fs::create_symlink(in("loop").filename(), in("loop"));
    folder.write("empty" + reader.ending, "");
    for (const char* name :
         {"folder", "pipe", "zeros", "terminal", "to_pipe", "dangling", "loop", "empty", "missing"}) {
      const std::string file = name + reader.ending;
      if (!reader.scene.empty()) folder.write("room.toml", replaced(reader.scene, file));
      std::vector<std::string> words;
      for (const std::string& word : reader.command) words.push_back(replaced(word, file));
      const Outcome outcome = run_fdtd(words, folder.path());
      INFO(words[0] << " with " << file << ": status " << outcome.status << "\n" << outcome.out << outcome.err);
      CHECK((outcome.status == 2 || outcome.status == 5));
      CHECK_THAT(outcome.err, Contains(file) || (Contains("zero") || Contains("tty") || Contains("pipe")));
      CHECK(outcome.err.size() < 3000);
      CHECK(outcome.peak_bytes < (std::int64_t{1} << 30) * times_memory);
    }
    for (const auto& entry : fs::directory_iterator(folder.path())) fs::remove_all(entry.path());
  }
}

TEST_CASE("a link to a plain file is that file, one that leaves the scene's folder needs --allow-outside", "[cli]") {
  const TemporaryFolder folder, elsewhere;
  SceneText scene;
  scene.materials = "[materials.panel]\nfile = \"wall.csv\"\n";
  folder.write("real.toml", text_of(scene));
  fs::create_symlink("real.toml", folder / "room.toml");
  const std::string table = "frequency,alpha\n125,0.2\n250,0.3\n500,0.4\n";
  folder.write("real.csv", table);
  elsewhere.write("other.csv", table);
  fs::create_symlink("real.csv", folder / "wall.csv");
  CHECK(run_fdtd({"plan", "room.toml"}, folder.path()).status == 0);
  fs::remove(folder / "wall.csv");
  fs::create_symlink(elsewhere / "other.csv", folder / "wall.csv");
  const Outcome refused = run_fdtd({"plan", "room.toml"}, folder.path());
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains("leaves the scene's folder") && Contains("--allow-outside"));
  CHECK(run_fdtd({"plan", "room.toml", "--allow-outside"}, folder.path()).status == 0);
}
