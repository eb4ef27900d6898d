// fdtd auralize with the response of a result, and its gain.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "engine/files/wav_write.hpp"
#include "engine/reports/result_page/dry_sample.hpp"
#include "engine/results/wav_comment.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

bool says(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("auralize plays the response of a result that source and receiver choose", "[cli]") {
  const TemporaryFolder folder;
  folder.write("scene.toml", R"(schema = 1
simulation = { duration = 0.05, max_frequency = 300.0, stencil = "leggy-2" }
room.box = [2.3, 1.9, 1.4]
room.walls.default = "panel"
materials.panel.admittance = 0.1
above.method = "none"
[[source]]
name = "S1"
position = [0.5, 0.6, 0.7]
[[receiver]]
name = "near"
position = [1.1, 0.7, 0.8]
[[receiver]]
name = "array"
position = [1.7, 1.1, 0.4]
pattern = "ambisonic"
order = 1
)");
  REQUIRE(run_fdtd({"run", "scene.toml", "-o", "made"}, folder.path()).status == 0);
  const std::vector<double> dry = {0.5, 0.0, -0.25};
  write_audio(folder.path() / "dry.wav", {dry}, 48000, SampleFormat::float32, false);
  for (const std::string name : {"near", "array"}) {
    const std::string result = name == "near" ? "made" : "made/result.h5";
    const Outcome outcome =
        run_fdtd({"auralize", result, "dry.wav", "--receiver", name, "-o", name + ".wav"}, folder.path());
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK(says(outcome.out, "S1 at " + name));
    CHECK(says(outcome.out, "ambisonic channels") == (name == "array"));
    REQUIRE(run_fdtd({"auralize", "made/ir_" + name + ".wav", "dry.wav", "-o", "file.wav", "--force"}, folder.path())
                .status == 0);
    const Audio of_result = read_audio(folder.path() / (name + ".wav")),
                of_file = read_audio(folder.path() / "file.wav");
    REQUIRE(of_result.channels.size() == (name == "array" ? 4 : 1));
    REQUIRE(of_result.channels.size() == of_file.channels.size());
    for (std::size_t c = 0; c < of_file.channels.size(); ++c) {
      REQUIRE(of_result.channels[c].size() == of_file.channels[c].size());
      for (std::size_t i = 0; i < of_file.channels[c].size(); ++i)
        REQUIRE(of_result.channels[c][i] == Approx(of_file.channels[c][i]).margin(1e-6));
    }
  }
  const Outcome none = run_fdtd({"auralize", "made/result.h5", "dry.wav", "-o", "no.wav"}, folder.path());
  CHECK(none.status == 2);
  CHECK(says(none.err, "2 receivers"));
  CHECK(says(none.err, "--receiver: near, array"));
  const Outcome other =
      run_fdtd({"auralize", "made/result.h5", "dry.wav", "--receiver", "far", "-o", "no.wav"}, folder.path());
  CHECK(other.status == 2);
  CHECK(says(other.err, "\"far\""));
  const Outcome of_file =
      run_fdtd({"auralize", "made/ir_near.wav", "dry.wav", "--receiver", "near", "-o", "no.wav"}, folder.path());
  CHECK(of_file.status == 2);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "no.wav"));
}

TEST_CASE("auralize without a dry signal plays the synthesised one of reports", "[cli]") {
  const TemporaryFolder folder;
  write_audio(folder.path() / "ir.wav", {std::vector<double>{0.0, 1.0, 0.0, 0.0}}, 16000, SampleFormat::float32, false);
  const Outcome heard = run_fdtd({"auralize", "ir.wav", "-o", "heard.wav"}, folder.path());
  INFO(heard.err);
  REQUIRE(heard.status == 0);
  CHECK_THAT(heard.out, Catch::Contains("2.6 s at 16000 Hz, peak 1, gain +0.00 dB") && !Catch::Contains("note"));
  const std::vector<double> dry = dry_sample(16000.0), wet = read_audio(folder.path() / "heard.wav").channels[0];
  REQUIRE(wet.size() == dry.size() + 3);
  for (std::size_t i = 0; i < dry.size(); i += 97) REQUIRE(wet[i + 1] == Approx(dry[i]).margin(1e-6));
}

TEST_CASE("auralize states its gain, and integers do not clip", "[cli]") {
  const TemporaryFolder folder;
  write_audio(folder.path() / "ir.wav", {std::vector<double>{1.0, -1.9}}, 16000, SampleFormat::float32, false);
  write_audio(folder.path() / "dry.wav", {std::vector<double>{0.5, 0.0, 0.25}}, 16000, SampleFormat::float32, false);
  const auto play = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"auralize", "ir.wav", "dry.wav", "-o", "out.wav", "--force"});
    const Outcome outcome = run_fdtd(options, folder.path());
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return std::pair(outcome.out, read_audio(folder.path() / "out.wav").channels[0]);
  };
  const auto [plain, samples] = play({});
  CHECK(says(plain, "gain +0.00 dB"));
  const auto [loud, doubled] = play({"--gain", "6.0205999"});
  CHECK(says(loud, "gain +6.02 dB"));
  CHECK(says(loud, "use --gain 0.4 or"));
  for (std::size_t i = 0; i < samples.size(); ++i) CHECK(doubled[i] == Approx(2.0 * samples[i]).margin(1e-6));
  const auto [integers, limited] = play({"--gain", "12", "--format", "pcm24"});
  CHECK(says(integers, "lower than asked for"));
  CHECK(says(integers, "gain +0.45 dB"));  // the largest sample is -1
  for (std::size_t i = 0; i < samples.size(); ++i) CHECK(limited[i] == Approx(samples[i] / 0.95).margin(1e-6));
  CHECK(
      run_fdtd({"auralize", "ir.wav", "dry.wav", "-o", "no.wav", "--gain", "3", "--normalize"}, folder.path()).status ==
      2);
}

TEST_CASE("auralize notes a response of a run in the place of the dry signal", "[cli]") {
  const TemporaryFolder folder;
  const std::vector<double> two = {0.5, 0.0, -0.25};
  write_audio(folder.path() / "ir.wav", {two}, 48000, SampleFormat::float32, false, to_text(ResponseNote{}));
  write_audio(folder.path() / "dry.wav", {two}, 48000, SampleFormat::float32, false);
  const Outcome right = run_fdtd({"auralize", "ir.wav", "dry.wav", "-o", "a.wav"}, folder.path());
  REQUIRE(right.status == 0);
  CHECK_FALSE(says(right.out, "note:"));
  const Outcome exchanged = run_fdtd({"auralize", "dry.wav", "ir.wav", "-o", "b.wav"}, folder.path());
  REQUIRE(exchanged.status == 0);
  CHECK(says(exchanged.out, "note: ir.wav is an impulse response, as its comment says: are the two exchanged?"));
}
