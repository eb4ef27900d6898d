// Figures of fdtd metrics that need more than one response: lateral, interaural, stage support, open-plan offices.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "engine/files/wav_write.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

// Direct sound and decaying noise, 1 s at 16 kHz.
std::vector<double> noisy_decay(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<double> ir(16'000);
  for (std::size_t n = 0; n < ir.size(); ++n)
    ir[n] = n < 100 ? 0.0 : (random() % 2 == 0 ? 0.02 : -0.02) * std::exp(-static_cast<double>(n) / 16'000.0 / 0.1);
  ir[100] = 0.9;
  return ir;
}

}  // namespace

TEST_CASE("metrics has lateral and interaural figures and stage support of what lies beside a response", "[cli]") {
  const TemporaryFolder folder;
  auto lateral = noisy_decay(1);
  for (double& x : lateral) x *= 0.5;
  lateral[100] = 0.0;
  write_audio(folder.path() / "two.wav", {noisy_decay(1), lateral}, 16000, SampleFormat::float32, false);
  write_audio(folder.path() / "right.wav", {noisy_decay(1)}, 16000, SampleFormat::float32, false);
  const auto alone = json_of(run_fdtd({"metrics", "two.wav", "--json"}, folder.path()));
  const auto& missing = alone["bands"][5];
  CHECK(missing["DRR"].is_number());
  CHECK(missing["LF"].is_null());
  CHECK(missing["reasons"]["LF"] == "the channel of a figure-of-eight is needed, --lateral");
  CHECK(missing["reasons"]["IACC"] == "two channels of a binaural response are needed, --binaural or --right");
  CHECK(missing["reasons"]["ST_early"] == "the distance of source and receiver is not known");
  CHECK_THAT(run_fdtd({"metrics", "two.wav"}, folder.path()).out, !Contains("DRR"));
  CHECK_THAT(run_fdtd({"metrics", "two.wav", "--all"}, folder.path()).out, Contains("DRR dB"));

  const std::vector<std::string> words = {"metrics",   "two.wav", "--lateral", "2",          "--right",
                                          "right.wav", "--scale", "1",         "--distance", "1"};
  auto as_json = words;
  as_json.push_back("--json");
  const auto all = json_of(run_fdtd(as_json, folder.path()));
  for (const char* name : {"LF", "LFC", "LJ", "ST_early", "ST_late", "IACC_early", "IACC_late", "IACC"}) {
    INFO(name);
    CHECK(all["bands"][5][name].is_number());
  }
  CHECK(all["bands"][5]["IACC"].get<double>() == Approx(1.0).margin(1e-6));
  CHECK(all["LF_125_1000"].is_number());
  CHECK(all["lateral_axis"].is_null());
  CHECK_THAT(run_fdtd(words, folder.path()).out, Contains("STe dB") && Contains("LF_125_1000: "));
  const auto ears = json_of(run_fdtd({"metrics", "two.wav", "--binaural", "--json"}, folder.path()));
  CHECK(ears["bands"][5]["IACC_late"].get<double>() == Approx(1.0).margin(0.02));  // half as loud, the same sound

  write_audio(folder.path() / "short.wav", {std::vector<double>(100, 0.5)}, 16000, SampleFormat::float32, false);
  const std::pair<std::vector<std::string>, const char*> refused[] = {
      {{"--lateral", "3"}, "two.wav has 2 channels, not 3"},
      {{"--right", "short.wav"}, "short.wav has 100 samples at 16000 Hz, the response 16000 at 16000 Hz"},
      {{"--binaural", "--channel", "2"}, "--binaural takes the ears from channels 1 and 2"},
      {{"--line", "R1,R2,R3,R4"}, "--line names receivers of a result"},
  };
  for (const auto& [options, words_of] : refused) {
    std::vector<std::string> command = {"metrics", "two.wav"};
    command.insert(command.end(), options.begin(), options.end());
    const Outcome outcome = run_fdtd(command, folder.path());
    INFO(words_of << "\n" << outcome.out << outcome.err);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains(words_of));
  }
  CHECK_THAT(run_fdtd({"metrics", "right.wav", "--binaural"}, folder.path()).err, Contains("has 1 channel, not 2"));
}

TEST_CASE("metrics of a result has lateral figures and the numbers of an open-plan office", "[cli]") {
  const TemporaryFolder folder;
  SceneText scene;
  scene.simulation = "duration = 0.5\nmax_frequency = 100.0\nstencil = \"leggy-2\"\n";
  scene.box = "[20, 6, 3]";
  scene.materials = "[materials.panel]\nabsorption = { bands = [125, 1000, 8000], alpha = [0.4, 0.4, 0.4] }\n";
  scene.source = "[1.5, 3.2, 1.2]";
  scene.receiver = "[4, 2, 1.2]";
  scene.receiver_keys = "pattern = \"ambisonic\"\norder = 1\n";
  for (int k = 2; k <= 5; ++k)
    scene.more += "[[receiver]]\nname = \"R" + std::to_string(k) + "\"\nposition = [" + std::to_string(2 + 3 * k) +
                  ", 2.9, 1.2]\n";
  scene.above = "method = \"rays\"\nrays = 2000\n";
  folder.write("office.toml", text_of(scene));
  const Outcome run = run_fdtd({"run", "office.toml", "-o", "out"}, folder.path());
  INFO(run.err);
  REQUIRE(run.status == 0);
  const auto office = json_of(
      run_fdtd({"metrics", "out/result.h5", "--line", "R1,R2,R3,R4,R5", "--noise", "45,42,38,34,30,26,22", "--json"},
               folder.path()));
  REQUIRE(office["lines"].size() == 1);
  const auto& line = office["lines"][0];
  REQUIRE(line["places"].size() == 5);
  const auto& metrics = office["responses"][0]["metrics"];
  // The place's level is that of its G and the speech of the standard.
  const double speech[] = {49.9, 54.3, 58.0, 52.0, 44.8, 38.8, 33.5},
               weighting[] = {-16.1, -8.6, -3.2, 0.0, 1.2, 1.0, -1.1};
  double sum = 0.0;
  for (const auto& band : metrics["bands"]) {
    const double centre = band["centre"];
    if (centre < 125.0 || centre > 8000.0) continue;
    const auto k = static_cast<std::size_t>(std::lround(std::log2(centre / 125.0)));
    sum += std::pow(10.0, 0.1 * (speech[k] + weighting[k] - 20.0 + band["G"].get<double>()));
  }
  CHECK(line["places"][0]["LpAS"].get<double>() == Approx(10.0 * std::log10(sum)).margin(1e-6));
  CHECK(line["D2S"].get<double>() > 0.5);
  CHECK(line["D2S"].get<double>() < 6.0);
  CHECK(line["rD"].is_number());
  // The listener's left, facing the source.
  const double x = -2.5, y = 1.2, r = std::hypot(x, y);
  CHECK(metrics["lateral_axis"][0].get<double>() == Approx(-y / r));
  CHECK(metrics["lateral_axis"][1].get<double>() == Approx(x / r));
  CHECK(metrics["bands"][4]["LF"].is_number());
  CHECK(office["responses"][1]["metrics"]["bands"][4]["reasons"]["LF"] == "the receiver is not ambisonic");
  CHECK(office["responses"][1]["metrics"]["bands"][4]["reasons"]["IACC"] == "the receiver is not binaural");
  CHECK_THAT(read_file(folder.path() / "out" / "report.html"), Contains("lateral energy is that along"));
  const Outcome text = run_fdtd({"metrics", "out/result.h5", "--line", "R1,R2,R3,R4,R5"}, folder.path());
  CHECK_THAT(text.out, Contains("LF_125_1000: ") && Contains("line from S1 (ISO 3382-3)") && Contains("D2,S ") &&
                           Contains("no rD: the noise"));
  const std::pair<const char*, const char*> refused[] = {{"R1,R2,R3", "a line of 3 receivers is too short"},
                                                         {"R1,R2,R3,R9", "the result has no receiver R9"},
                                                         {"R1,R2,R3,R3", "R3 is named twice"}};
  for (const auto& [names, words] : refused) {
    const Outcome outcome = run_fdtd({"metrics", "out/result.h5", "--line", names}, folder.path());
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains(words));
  }
  CHECK_THAT(run_fdtd({"metrics", "out/result.h5", "--binaural"}, folder.path()).err, Contains("those of audio files"));
  // Without geometry there are no octaves of speech.
  scene.above = "method = \"none\"\n";
  folder.write("low.toml", text_of(scene));
  REQUIRE(run_fdtd({"run", "low.toml", "-o", "low", "--quiet"}, folder.path()).status == 0);
  CHECK_THAT(run_fdtd({"metrics", "low/result.h5", "--line", "R1,R2,R3,R4"}, folder.path()).err,
             Contains("--line: S1 at R1: ") && Contains("octave of"));
}
