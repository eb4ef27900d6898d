// Binaural receivers as a user meets them: files, figures, and what a head hears of a source at its side.
#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "base/math/directions.hpp"
#include "base/math/fourier.hpp"
#include "engine/files/wav_write.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/head_file.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/program.hpp"
#include "tests/support/solutions/rigid_sphere.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

// A head in the middle of a box that looks along x, and a source 1.5 m to its left.
std::string scene_of(const std::string& head) {
  return R"(schema = 1
simulation = { duration = 0.06, max_frequency = 1200.0, stencil = "leggy-4", precision = "f64" }
room.box = [6.0, 5.0, 4.0]
room.walls.default = "panel"
materials.panel.admittance = 0.3
above.method = "none"
[[source]]
name = "S"
position = [3.0, 4.0, 2.0]
[[receiver]]
name = "listener"
position = [3.0, 2.5, 2.0]
pattern = "binaural"
)" + head;
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

using Spectrum = std::vector<std::complex<double>>;
constexpr std::int64_t length = 4096;

// Of direct sound alone: reflections come 5.8 ms later.
Spectrum direct_of(const std::vector<double>& response) {
  std::vector<double> part(response.begin(),
                           response.begin() + static_cast<std::ptrdiff_t>(1.5 / 343.2 * 48000.0 + 260));
  for (std::size_t i = 0; i < 60; ++i) part[part.size() - 1 - i] *= static_cast<double>(i) / 60.0;
  return real_fft(part, length);
}

struct Difference {
  double time = 0.0, level = 0.0;  // s, by which the right ear is later; dB, by which the left one is louder
};

// From 300 to 900 Hz, where waves and the order are right.
Difference difference(const Spectrum& left, const Spectrum& right, double bin) {
  double best = 0.0, most = -1e300, of_left = 0.0, of_right = 0.0;
  const auto first = static_cast<std::size_t>(300.0 / bin), last = static_cast<std::size_t>(900.0 / bin);
  for (std::size_t k = first; k < last; ++k) of_left += std::norm(left[k]), of_right += std::norm(right[k]);
  for (double delay = -1.2e-3; delay < 1.2e-3; delay += 1e-6) {
    double sum = 0.0;
    for (std::size_t k = first; k < last; ++k)
      sum += (std::conj(left[k]) * right[k] *
              std::polar(1.0, 2.0 * std::numbers::pi * static_cast<double>(k) * bin * delay))
                 .real();
    if (sum > most) most = sum, best = delay;
  }
  return {best, 10.0 * std::log10(of_left / of_right)};
}

}  // namespace

TEST_CASE("a head hears a source at its side with the time and level differences of its responses", "[cli]") {
  const TemporaryFolder folder;
  write_head_file(folder / "head.sofa", rigid_sphere_head(spiral(120), 44100.0, 128, 40.0));
  folder.write("scene.toml", scene_of("hrtf = \"head.sofa\"\ndirection = [2, 0, 0]\nrotations = [0, 90, -45]\n"));
  const Outcome run = run_fdtd({"run", "scene.toml", "-o", "made", "--sofa", "--json"}, folder.path());
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK_THAT(run.out, Contains("by order 3 ears have the head's phases up to 1311 Hz"));
  CHECK(std::filesystem::exists(folder / "made/responses_binaural.sofa"));
  CHECK_FALSE(std::filesystem::exists(folder / "made/responses_ambisonic_3.sofa"));

  const Audio ahead = read_audio(folder / "made/ir_listener.wav"),
              left = read_audio(folder / "made/ir_listener_yaw90.wav");
  CHECK(std::filesystem::exists(folder / "made/ir_listener_yaw-45.wav"));
  REQUIRE(ahead.channels.size() == 2);
  const double bin = 48000.0 / static_cast<double>(length);
  const Difference is = difference(direct_of(ahead.channels[0]), direct_of(ahead.channels[1]), bin);
  const RigidSphere sphere(bin, static_cast<std::size_t>(length / 2 + 1));
  const Difference should =
      difference(sphere(cosine_at_ear({0.0, 1.0, 0.0}, 1.0)), sphere(cosine_at_ear({0.0, 1.0, 0.0}, -1.0)), bin);
  CHECK(is.time == Approx(should.time).margin(20e-6));
  CHECK(is.level == Approx(should.level).margin(1.0));  // of a plane wave: the source is at 1.5 m
  CHECK(is.time > 6e-4);
  // Turned to the source, both ears hear the same.
  const Difference none = difference(direct_of(left.channels[0]), direct_of(left.channels[1]), bin);
  CHECK(none.time == Approx(0.0).margin(2e-6));
  CHECK(none.level == Approx(0.0).margin(0.05));

  const auto metrics = json_of(run)["receivers"][0]["metrics"];
  for (const char* name : {"IACC_early", "LF"}) CHECK_FALSE(metrics["bands"][4][name].is_null());
  CHECK(metrics["bands"][3]["IACC_early"].get<double>() < 0.95);

  // Rendered again they are the same bytes; the first rotation is the same without the others.
  const std::string bytes = bytes_of(folder / "made/ir_listener.wav"),
                    turned = bytes_of(folder / "made/ir_listener_yaw90.wav");
  REQUIRE(run_fdtd({"render", "made/result.h5", "-o", "again"}, folder.path()).status == 0);
  CHECK(bytes_of(folder / "again/ir_listener.wav") == bytes);
  CHECK(bytes_of(folder / "again/ir_listener_yaw90.wav") == turned);
  folder.write("one.toml", scene_of("hrtf = \"head.sofa\"\ndirection = [2, 0, 0]\n"));
  REQUIRE(run_fdtd({"run", "one.toml", "-o", "one"}, folder.path()).status == 0);
  CHECK(bytes_of(folder / "one/ir_listener.wav") == bytes);

  // A sound through one rotation is that through its file.
  write_audio(folder / "dry.wav", {std::vector<double>{0.5, -0.25}}, 48000, SampleFormat::float32, false);
  const Outcome played =
      run_fdtd({"auralize", "made/result.h5", "dry.wav", "--rotation", "90", "-o", "wet.wav"}, folder.path());
  INFO(played.err);
  REQUIRE(played.status == 0);
  CHECK_THAT(played.out, Contains("left and right ear, turned by 90 degrees"));
  const Audio wet = read_audio(folder / "wet.wav");
  REQUIRE(wet.channels.size() == 2);
  for (std::size_t i = 1; i < 2000; ++i)
    REQUIRE(wet.channels[1][i] == Approx(0.5 * left.channels[1][i] - 0.25 * left.channels[1][i - 1]).margin(1e-6));
  CHECK(run_fdtd({"auralize", "made/result.h5", "dry.wav", "--rotation", "10", "-o", "no.wav"}, folder.path()).status ==
        2);
}

TEST_CASE("a binaural receiver without a head, or with a wrong one, is refused before anything is computed", "[cli]") {
  const TemporaryFolder folder;
  HeadFile directivity;
  directivity.convention = "FreeFieldDirectivityTF";
  const HeadResponses head = rigid_sphere_head(spiral(40), 44100.0, 64, 20.0);
  write_head_file(folder / "other.sofa", head, directivity);
  write_head_file(folder / "head.sofa", head);
  const auto said = [&](const std::string& keys) {
    folder.write("scene.toml", scene_of(keys));
    const Outcome outcome = run_fdtd({"run", "scene.toml", "-o", "made"}, folder.path());
    CHECK(outcome.status == 2);
    CHECK_FALSE(std::filesystem::exists(folder / "made"));
    return outcome.err;
  };
  CHECK_THAT(said("direction = [1, 0, 0]\n"), Contains("needs the responses of a head"));
  CHECK_THAT(said("hrtf = \"head.sofa\"\n"), Contains("needs a direction"));
  CHECK_THAT(said("hrtf = \"none.sofa\"\ndirection = [1, 0, 0]\n"), Contains("none.sofa"));
  CHECK_THAT(said("hrtf = \"other.sofa\"\ndirection = [1, 0, 0]\n"),
             Contains("scene.toml:14:8: receiver.listener.hrtf: ") && Contains("FreeFieldDirectivityTF"));
  CHECK_THAT(said("hrtf = \"head.sofa\"\ndirection = [0, 0, 1]\n"), Contains("along its own up"));
  CHECK_THAT(said("hrtf = \"head.sofa\"\ndirection = [1, 0, 0]\nrotations = [0, 30, 30]\n"), Contains("stands twice"));
  CHECK_THAT(said("hrtf = \"head.sofa\"\ndirection = [1, 0, 0]\nrotations = [-90, 30, 270]\n"),
             Contains("the rotations -90 and 270 are one"));
  CHECK_THAT(said("hrtf = \"head.sofa\"\ndirection = [1, 0, 0]\nrotations = []\n"), Contains("1 to 360 numbers"));
}
