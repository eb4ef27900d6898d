// A thousand broken meshes, WAV and FLAC files through the commands that read them: none crashes or hangs the program,
// makes it take memory without end, or leaves a file behind when it is refused.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "engine/files/wav_write.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/mesh_files.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/mutants.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using namespace fdtd::test;
namespace fs = std::filesystem;

namespace {

const fs::path corpus = fs::path(FDTD_SOURCE_DIR) / "tests/fuzz/corpus";

// A file, and the commands that read it in turn.
struct Target {
  std::string name, bytes;
  std::vector<std::vector<std::string>> commands;
};

struct Ends {
  int read = 0, refused = 0;
};

// `count` mutants; of every second one only the first 60 bytes are changed: the header is where it hurts.
Ends send(const Target& target, int count, const TemporaryFolder& folder, std::mt19937& random) {
  Ends ends;
  for (int i = 0; i < count; ++i) {
    const std::size_t head = i % 2 == 0 ? std::min<std::size_t>(60, target.bytes.size()) : target.bytes.size();
    folder.write(target.name, mutated(target.bytes.substr(0, head), random) + target.bytes.substr(head));
    const auto& command = target.commands[static_cast<std::size_t>(i) % target.commands.size()];
    const Outcome outcome = run_fdtd(command, folder.path());
    INFO(target.name << ", mutant " << i << ", " << command[0] << ": status " << outcome.status << "\n" << outcome.err);
    if (outcome.status == 0) {
      ++ends.read;
    } else {
      ++ends.refused;
      CHECK((outcome.status == 2 || outcome.status == 5));
      CHECK_FALSE(outcome.err.empty());
      CHECK_FALSE(fs::exists(folder / "made"));
      CHECK_FALSE(fs::exists(folder / "made.wav"));
    }
    CHECK(outcome.seconds < 5.0 * times_seconds);
    CHECK(outcome.peak_bytes < (std::int64_t{1} << 28) * times_memory);
    fs::remove_all(folder / "made");
    fs::remove(folder / "made.wav");
  }
  return ends;
}

}  // namespace

TEST_CASE("broken mesh files of each format are planned and run, or refused with a reason", "[cli]") {
  const TemporaryFolder folder;
  const Mesh room = box_mesh({0, 0, 0}, {2, 1.5, 1});
  std::mt19937 random(20'261'122);
  Ends all;
  for (const auto& [name, bytes, count] : {std::tuple<std::string, std::string, int>{"m.obj", as_obj(room), 250},
                                           {"m.stl", as_stl(room), 125},
                                           {"m.stl", as_stl_text(room), 125},
                                           {"m.ply", as_ply(room, true), 125},
                                           {"m.ply", as_ply(room, false), 125},
                                           {"m.glb", as_glb(room), 125},
                                           {"m.dxf", as_dxf(dxf_faces(room)), 125}}) {
    SceneText scene;
    scene.simulation = "duration = 0.005\nmax_frequency = 250\nstencil = \"leggy-2\"\n";
    scene.room = "mesh = \"" + name + "\"\n";
    scene.materials = "[materials.panel]\nadmittance = 0.1\n";
    scene.source = "[0.6, 0.5, 0.4]";
    scene.receiver = "[1.4, 1.0, 0.6]";
    folder.write("room.toml", text_of(scene));
    const Ends ends = send({name, bytes, {{"plan", "room.toml"}, {"run", "room.toml", "-o", "made", "--quiet"}}}, count,
                           folder, random);
    all.read += ends.read;
    all.refused += ends.refused;
  }
  CAPTURE(all.read, all.refused);
  CHECK(all.read > 30);
  CHECK(all.refused > 200);
}

TEST_CASE("broken WAV and FLAC files are measured, convolved with and played, or refused with a reason", "[cli]") {
  const TemporaryFolder folder;
  fs::copy_file(corpus / "wav/pcm16.wav", folder / "dry.wav");
  SceneText scene;
  std::mt19937 random(20'261'123);
  Ends all;
  const auto made = [&](SampleFormat format) {
    std::vector<std::vector<double>> channels(2, std::vector<double>(300));
    for (std::size_t n = 0; n < 300; ++n) channels[n % 2][n] = std::exp(-0.02 * static_cast<double>(n));
    const fs::path file = folder / "whole.wav";
    write_audio(file, {channels[0], channels[1]}, 48000, format, true, "a comment");
    return read_file(file);
  };
  // Integers and floats; extensible and 64-bit headers, comments, companding; both arrangements of FLAC's channels.
  for (const auto& [name, bytes, count] :
       {std::tuple<std::string, std::string, int>{"a.wav", made(SampleFormat::pcm24), 60},
        {"a.wav", made(SampleFormat::float32), 60},
        {"a.wav", read_file(corpus / "wav/extensible.wav"), 25},
        {"a.wav", read_file(corpus / "wav/rf64.wav"), 25},
        {"a.wav", read_file(corpus / "wav/comment.wav"), 20},
        {"a.wav", read_file(corpus / "wav/ulaw.wav"), 20},
        {"a.flac", read_file(corpus / "flac/stereo.flac"), 20},
        {"a.flac", read_file(corpus / "flac/tone_lpc.flac"), 20}}) {
    scene.source = "[0.5, 0.6, 0.7]\nsignal = \"" + name + "\"";
    folder.write("room.toml", text_of(scene));
    const Ends ends = send({name,
                            bytes,
                            {{"metrics", name},
                             {"auralize", name, "dry.wav", "-o", "made.wav"},
                             {"auralize", "dry.wav", name, "-o", "made.wav"},
                             {"run", "room.toml", "-o", "made", "--quiet"}}},
                           count, folder, random);
    all.read += ends.read;
    all.refused += ends.refused;
  }
  CAPTURE(all.read, all.refused);
  CHECK(all.read > 10);
  CHECK(all.refused > 60);
}
