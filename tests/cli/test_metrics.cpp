// fdtd metrics and fdtd auralize as a user meets them.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <utility>
#include <vector>

#include "engine/files/wav_write.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

// 60 dB in `time` s, 1 s long at 16 kHz, after 100 samples of silence.
std::vector<double> decay(double time) {
  std::vector<double> ir(100, 0.0);
  for (int n = 0; n < 16000; ++n) ir.push_back(0.5 * std::exp(-std::log(1e3) * n / 16000.0 / time));
  return ir;
}

}  // namespace

TEST_CASE("metrics reports the figures of any WAV file", "[cli]") {
  const TemporaryFolder folder;
  write_audio(folder.path() / "two.wav", {decay(0.5), decay(0.8)}, 16000, SampleFormat::float32, false);
  const auto first = json_of(run_fdtd({"metrics", "two.wav", "--json"}, folder.path()));
  CHECK(first["broadband"]["T20"].get<double>() == Approx(0.5).epsilon(1e-3));
  CHECK(first["broadband"]["G"].is_null());
  CHECK(first["broadband"]["reason"].get<std::string>().find("scale") != std::string::npos);
  CHECK(first["onset"].get<double>() == Approx(100.0 / 16000.0));
  CHECK(first["channels"] == 2);
  REQUIRE(first["bands"].size() >= 6);
  for (const char* key : {"centre", "EDT", "T20", "T30", "C50", "C80", "D50", "Ts", "G", "reason", "curvature",
                          "nonlinearity_T20", "nonlinearity_T30", "doubts"})
    CHECK(first["bands"][3].contains(key));
  const auto second =
      json_of(run_fdtd({"metrics", "two.wav", "--channel", "2", "--scale", "1", "--max-frequency", "1500", "--json"},
                       folder.path(), {{"LC_ALL", "de_DE.UTF-8"}}));
  CHECK(second["broadband"]["T30"].get<double>() == Approx(0.8).epsilon(1e-3));
  CHECK(second["broadband"]["G"].is_number());
  CHECK(second["bands"].back()["centre"] == 1000.0);

  const Outcome text = run_fdtd({"metrics", "two.wav"}, folder.path());
  CHECK(text.status == 0);
  CHECK(text.out.find("1000 Hz") != std::string::npos);
  CHECK(text.out.find("no G: the scale of the response is not known") != std::string::npos);

  CHECK(run_fdtd({"metrics", "two.wav", "--channel", "3"}, folder.path()).status == 2);
  CHECK(run_fdtd({"metrics", "missing.wav"}, folder.path()).status == 5);
  folder.write("text.wav", "RIFF, it says");
  CHECK(run_fdtd({"metrics", "text.wav"}, folder.path()).status == 5);
  write_audio(folder.path() / "none.wav", {std::vector<double>{}}, 16000, SampleFormat::float32, false);
  const auto none = json_of(run_fdtd({"metrics", "none.wav", "--json"}, folder.path()));
  CHECK(none["broadband"]["EDT"].is_null());
}

TEST_CASE("metrics states the speech transmission index, of the room alone and of speech in noise", "[cli]") {
  const TemporaryFolder folder;
  std::mt19937 random(5);
  std::vector<double> ir;
  for (int n = 0; n < 48000; ++n)
    ir.push_back((random() % 2 == 0 ? 0.05 : -0.05) * std::exp(-std::log(1e3) * n / 48000.0 / 0.8));
  write_audio(folder.path() / "ir.wav", {ir}, 48000, SampleFormat::float32, false);
  const auto room = json_of(run_fdtd({"metrics", "ir.wav", "--json"}, folder.path()));
  // T = 0.8 s in all octaves: the mean over F of the indices of m = 1 / sqrt(1 + (2 pi F T / 13.8)^2).
  CHECK(room["STI"].get<double>() == Approx(0.639).margin(0.02));
  CHECK(room["STI_reason"].is_null());
  CHECK(room["speech_level"].is_null());
  CHECK(room["bands"][4]["MTI"].get<double>() == Approx(0.639).margin(0.05));
  const std::vector<std::string> speech = {"metrics",  "ir.wav", "--scale", "1",
                                           "--speech", "60",     "--noise", "70,65,60,60,55,50,45"};
  const Outcome text = run_fdtd(speech, folder.path());
  INFO(text.out << text.err);
  CHECK(text.out.find("dB(A) at 1 m, noise 70 65 60 60 55 50 45 dB (IEC 60268-16)") != std::string::npos);
  auto as_json = speech;
  as_json.push_back("--json");
  const auto noisy = json_of(run_fdtd(as_json, folder.path()));
  CHECK(noisy["STI"].get<double>() < room["STI"].get<double>() - 0.05);
  CHECK(noisy["speech_level"] == 60.0);
  CHECK(noisy["speech_noise"].size() == 7);

  const Outcome narrow = run_fdtd({"metrics", "ir.wav", "--max-frequency", "1500"}, folder.path());
  CHECK(narrow.out.find("no STI: the response is valid up to 1500 Hz, the octave of 8000 Hz reaches to 11233 Hz") !=
        std::string::npos);
  CHECK(run_fdtd({"metrics", "ir.wav", "--speech", "60"}, folder.path())
            .out.find("no STI: the level of speech is not known") != std::string::npos);
  const std::pair<std::vector<std::string>, const char*> refused[] = {
      {{"--noise", "70,65,60,60,55,50,45"}, "--speech 60"},
      {{"--speech", "60", "--noise", "70,65"}, "--noise: 70,65 is not a list of seven levels"},
      {{"--speech", "60", "--noise", "70,65,60,60,55,50,45,1"}, "is not a list of seven levels"},
      {{"--speech", "60", "--noise", "70,65,60,nan,55,50,45"}, "--noise: nan is not a level"},
      {{"--speech", "60", "--noise", ""}, "--noise"},
      {{"--speech", "nan"}, "--speech"},
  };
  for (const auto& [options, words] : refused) {
    std::vector<std::string> all = {"metrics", "ir.wav", "--scale", "1"};
    all.insert(all.end(), options.begin(), options.end());
    const Outcome outcome = run_fdtd(all, folder.path());
    INFO(words << "\n" << outcome.out << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(words) != std::string::npos);
  }
}

TEST_CASE("metrics refuses what is no number, no name, and no sound", "[cli]") {
  const TemporaryFolder folder;
  std::vector<double> ir = decay(0.5);
  write_audio(folder.path() / "ir.wav", {ir}, 16000, SampleFormat::float32, false);
  for (const char* option : {"--max-frequency", "--scale"})
    for (const char* value : {"nan", "inf", "-nan"}) {
      const Outcome outcome = run_fdtd({"metrics", "ir.wav", fmt::format("{}={}", option, value)}, folder.path());
      INFO(option << " " << value << ": " << outcome.err);
      CHECK(outcome.status == 2);
      CHECK(outcome.err.find(option) != std::string::npos);
    }
  const Outcome nameless = run_fdtd({"metrics", ""}, folder.path());
  CHECK(nameless.status == 2);
  CHECK(nameless.err.find("a name is missing") != std::string::npos);
  // Squares of such samples are beyond double precision.
  std::string bytes = read_file(folder / "ir.wav");
  for (const double scale : {1e200, -1e200}) {
    std::string wav = "RIFF" + bytes.substr(4, 4) + "WAVEfmt " + std::string("\x10\0\0\0\x03\0\x01\0", 8);
    wav += std::string("\x80\x3e\0\0\0\xf4\x01\0\x08\0\x40\0", 12) + "data" + std::string("\x40\x1f\0\0", 4);
    for (int n = 0; n < 1000; ++n) {
      const double x = scale * ir[static_cast<std::size_t>(n)];
      wav.append(reinterpret_cast<const char*>(&x), 8);
    }
    folder.write("doubles.wav", wav);
    const Outcome outcome = run_fdtd({"metrics", "doubles.wav"}, folder.path());
    INFO(outcome.err);
    CHECK(outcome.status == 4);
    CHECK(outcome.err.find("its energy cannot be computed") != std::string::npos);
  }
}

TEST_CASE("a run reports the figures that metrics reports of its files", "[cli]") {
  const TemporaryFolder folder;
  SceneText scene;
  scene.simulation = "duration = 0.4\nmax_frequency = 400.0\nstencil = \"leggy-3\"\n";
  scene.box = "[2.3, 1.9, 1.4]";
  scene.materials = "[materials.panel]\nadmittance = 0.05\n";
  scene.receiver = "[1.7, 1.1, 0.4]";
  folder.write("box.toml", text_of(scene));
  const auto run = json_of(run_fdtd({"run", "box.toml", "-o", "made", "--json"}, folder.path()));
  const auto& reported = run["receivers"][0]["metrics"];
  const auto file = json_of(run_fdtd({"metrics", "made/ir_R1.wav", "--json"}, folder.path()));
  REQUIRE(reported["bands"].size() == file["bands"].size());
  REQUIRE(file["bands"].size() == 4);  // 31.5 ... 250 Hz
  CHECK(file["valid_bandwidth"].get<double>() == Approx(reported["valid_bandwidth"].get<double>()));
  for (std::size_t b = 0; b < file["bands"].size(); ++b)
    for (const char* key : {"T20", "C80", "G"}) {  // the file holds single precision
      INFO(file["bands"][b].dump() << "\n" << reported["bands"][b].dump());
      REQUIRE(reported["bands"][b][key].is_null() == file["bands"][b][key].is_null());
      if (!reported["bands"][b][key].is_null())
        CHECK(file["bands"][b][key].get<double>() == Approx(reported["bands"][b][key].get<double>()).epsilon(1e-3));
    }
  // Scaled files say so: strength stays.
  REQUIRE(run_fdtd({"render", "made/result.h5", "-o", "loud", "--normalize"}, folder.path()).status == 0);
  const auto loud = json_of(run_fdtd({"metrics", "loud/ir_R1.wav", "--json"}, folder.path()));
  CHECK(loud["bands"][2]["G"].get<double>() == Approx(file["bands"][2]["G"].get<double>()).margin(1e-3));
}

TEST_CASE("auralize convolves, keeps the scale, and pairs channels", "[cli]") {
  const TemporaryFolder folder;
  const std::vector<double> left = {1.0, 0.0, -0.5}, right = {0.0, 0.25, 0.0}, dry = {0.5, 0.25};
  write_audio(folder.path() / "ir.wav", {left, right}, 16000, SampleFormat::float32, false);
  write_audio(folder.path() / "dry.wav", {dry}, 16000, SampleFormat::float32, false);
  REQUIRE(run_fdtd({"auralize", "ir.wav", "dry.wav", "-o", "out.wav"}, folder.path()).status == 0);
  const Audio out = read_audio(folder.path() / "out.wav");
  CHECK(out.sample_rate == 16000.0);
  REQUIRE(out.channels.size() == 2);
  const std::vector<double> expected_left = {0.5, 0.25, -0.25, -0.125}, expected_right = {0.0, 0.125, 0.0625, 0.0};
  REQUIRE(out.channels[0].size() == 4);
  for (std::size_t n = 0; n < 4; ++n) {
    CHECK(out.channels[0][n] == Approx(expected_left[n]).margin(1e-7));
    CHECK(out.channels[1][n] == Approx(expected_right[n]).margin(1e-7));
  }
  CHECK(run_fdtd({"auralize", "ir.wav", "dry.wav", "-o", "out.wav"}, folder.path()).status == 5);
  REQUIRE(run_fdtd({"auralize", "ir.wav", "dry.wav", "-o", "out.wav", "--force", "--normalize", "--format", "pcm24"},
                   folder.path())
              .status == 0);
  CHECK(read_audio(folder.path() / "out.wav").channels[0][0] == Approx(1.0).margin(1e-6));

  write_audio(folder.path() / "three.wav", {dry, dry, dry}, 16000, SampleFormat::float32, false);
  const Outcome mixed = run_fdtd({"auralize", "ir.wav", "three.wav", "-o", "no.wav"}, folder.path());
  CHECK(mixed.status == 2);
  CHECK(mixed.err.find('3') != std::string::npos);
  CHECK(run_fdtd({"auralize", "ir.wav", "missing.wav", "-o", "no.wav"}, folder.path()).status == 5);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "no.wav"));

  // A signal at another rate plays as long as before.
  write_audio(folder.path() / "slow.wav", {std::vector<double>(800, 0.1)}, 8000, SampleFormat::float32, false);
  REQUIRE(run_fdtd({"auralize", "ir.wav", "slow.wav", "-o", "fast.wav"}, folder.path()).status == 0);
  const Audio fast = read_audio(folder.path() / "fast.wav");
  CHECK(fast.sample_rate == 16000.0);
  CHECK(fast.channels[0].size() == 1602);
  CHECK(fast.channels[0][800] == Approx(0.05).margin(1e-4));
}

TEST_CASE("metrics warns where the requested band is above the one that the file states", "[cli]") {
  const TemporaryFolder folder;
  SceneText scene;
  scene.simulation = "duration = 0.4\nmax_frequency = 400.0\nstencil = \"leggy-3\"\n";
  scene.box = "[2.3, 1.9, 1.4]";
  scene.materials = "[materials.panel]\nadmittance = 0.05\n";
  scene.receiver = "[1.7, 1.1, 0.4]";
  folder.write("box.toml", text_of(scene));
  const auto run = json_of(run_fdtd({"run", "box.toml", "-o", "made", "--json"}, folder.path()));
  // Sound needs its time: the onset is not before.
  const double distance = run["receivers"][0]["distance"].get<double>();
  const double speed = run["plan"]["sound_speed"].get<double>();
  const double onset = run["receivers"][0]["metrics"]["onset"].get<double>();
  CHECK(onset >= distance / speed - 1e-9);
  CHECK(onset < distance / speed + 2e-3);
  const std::vector<std::string> beyond = {"metrics", "made/ir_R1.wav", "--max-frequency", "1500"};
  const Outcome text = run_fdtd(beyond, folder.path());
  CHECK(text.status == 0);
  CHECK(text.err.find("warning: --max-frequency 1500: the file states that it is valid up to 400 Hz") !=
        std::string::npos);
  CHECK(json_of(run_fdtd({"metrics", "made/ir_R1.wav", "--max-frequency", "1500", "--json"}, folder.path()))["warnings"]
            .size() == 1);
  CHECK(json_of(run_fdtd({"metrics", "made/ir_R1.wav", "--max-frequency", "400", "--json"}, folder.path()))["warnings"]
            .empty());

  // Without a low-cut the response ends in static pressure; its figures are those of the response with one.
  CHECK(run_fdtd({"run", "box.toml", "-o", "static", "--set", "output.low_cut=0", "--json"}, folder.path()).status ==
        0);
  const auto with = json_of(run_fdtd({"metrics", "made/ir_R1.wav", "--json"}, folder.path()));
  const auto uncut = json_of(
      run_fdtd({"run", "box.toml", "-o", "static", "--force", "--set", "output.low_cut=0", "--json"}, folder.path()));
  const auto file = json_of(run_fdtd({"metrics", "static/ir_R1.wav", "--json"}, folder.path()));
  CHECK(file["analysis_low_cut"] == 20.0);
  CHECK(file["onset"] == uncut["receivers"][0]["metrics"]["onset"]);
  const auto& found = uncut["receivers"][0]["metrics"];
  CHECK(found["analysis_low_cut"] == 20.0);
  CHECK(with["analysis_low_cut"] == 0.0);
  REQUIRE(found["bands"].size() == with["bands"].size());
  for (std::size_t b = 0; b < found["bands"].size(); ++b)
    for (const char* key : {"EDT", "T20", "C80"}) {
      INFO(key << " " << b << "\n" << found["bands"][b].dump() << "\n" << with["bands"][b].dump());
      REQUIRE(found["bands"][b][key].is_null() == with["bands"][b][key].is_null());
      if (!with["bands"][b][key].is_null())
        CHECK(found["bands"][b][key].get<double>() == Approx(with["bands"][b][key].get<double>()).epsilon(2e-3));
    }
}

TEST_CASE("metrics of a channel of responses.wav are those of the receiver's own file", "[cli]") {
  const TemporaryFolder folder;
  SceneText scene;
  scene.simulation = "duration = 0.4\nmax_frequency = 400.0\nstencil = \"leggy-3\"\n";
  scene.box = "[6.3, 2.9, 2.4]";
  scene.source = "[0.4, 0.5, 0.6]";
  scene.materials = "[materials.panel]\nadmittance = 0.05\n";
  scene.receiver = "[5.7, 2.1, 0.4]";
  folder.write("box.toml", text_of(scene) + "[[receiver]]\nname = \"B\"\nposition = [3.0, 1.1, 1.9]\n");
  REQUIRE(run_fdtd({"run", "box.toml", "-o", "made", "--json"}, folder.path()).status == 0);
  double last = 0.0;
  for (const auto& [channel, file] : {std::pair{"1", "made/ir_R1.wav"}, {"2", "made/ir_B.wav"}}) {
    const auto own = json_of(run_fdtd({"metrics", file, "--json"}, folder.path()));
    const auto shared =
        json_of(run_fdtd({"metrics", "made/responses.wav", "--channel", channel, "--json"}, folder.path()));
    CHECK(shared["onset"] == own["onset"]);
    CHECK(shared["onset"] != last);
    CHECK(shared["bands"] == own["bands"]);
    CHECK(shared["broadband"] == own["broadband"]);
    last = own["onset"].get<double>();
  }
}

TEST_CASE("metrics refuses a sweep with the reason, and measures it where that is wanted", "[cli]") {
  const TemporaryFolder folder;
  std::vector<double> sweep;
  for (int n = 0; n < 48000; ++n) {
    const double t = n / 16000.0, octaves = std::log(7000.0 / 40.0);
    sweep.push_back(0.5 *
                    std::sin(2.0 * 3.14159265358979 * 40.0 * 3.0 / octaves * (std::exp(t / 3.0 * octaves) - 1.0)));
  }
  sweep.resize(64000, 0.0);
  write_audio(folder.path() / "sweep.wav", {sweep}, 16000, SampleFormat::float32, false);
  const Outcome refused = run_fdtd({"metrics", "sweep.wav"}, folder.path());
  CHECK(refused.status == 5);
  CHECK(refused.out.empty());
  CHECK(refused.err.find("sweep.wav is no impulse response: its octaves sound one after the other") !=
        std::string::npos);
  CHECK(refused.err.find("deconvolve") != std::string::npos);
  CHECK(run_fdtd({"metrics", "sweep.wav", "--any-signal", "--json"}, folder.path()).status == 0);
}

TEST_CASE("metrics marks the times of a bent decay, in text and JSON", "[cli]") {
  const TemporaryFolder folder;
  std::vector<double> bent = decay(0.4);
  const std::vector<double> slow = decay(1.4);
  std::mt19937 random(7);  // signs, so that all octaves have sound
  for (std::size_t n = 0; n < bent.size(); ++n) bent[n] = (bent[n] + 0.08 * slow[n]) * (random() % 2 == 0 ? 1.0 : -1.0);
  write_audio(folder.path() / "bent.wav", {bent}, 16000, SampleFormat::float32, false);
  const auto json = json_of(run_fdtd({"metrics", "bent.wav", "--json"}, folder.path()))["broadband"];
  const double T20 = json["T20"].get<double>(), T30 = json["T30"].get<double>();
  CHECK(json["curvature"].get<double>() == Approx(100.0 * (T30 / T20 - 1.0)));
  CHECK(json["curvature"].get<double>() > 10.0);
  CHECK(json["nonlinearity_T30"].get<double>() > 10.0);
  CHECK(json["doubts"]["T30"].get<std::string>().find("curvature above 10 %") != std::string::npos);
  const Outcome text = run_fdtd({"metrics", "bent.wav"}, folder.path());
  CHECK(std::regex_search(text.out, std::regex("[0-9]\\.[0-9]{3}\\*")));  // a time with its mark
  CHECK(text.out.find("* T20, T30: the decay is bent: curvature above 10 %") != std::string::npos);
  write_audio(folder.path() / "straight.wav", {decay(0.5)}, 16000, SampleFormat::float32, false);
  CHECK(json_of(run_fdtd({"metrics", "straight.wav", "--json"}, folder.path()))["broadband"]["doubts"].empty());
}

TEST_CASE("metrics measures what may be no impulse response with a warning, and is silent on demand", "[cli]") {
  const TemporaryFolder folder;
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::vector<double> once;
  for (int n = 0; n < 32000; ++n) once.push_back(0.1 * normal(random) * std::exp(-std::log(1e3) * n / 16000.0 / 0.3));
  std::vector<double> twice = once;  // an echo as loud as all before, half a second later
  for (std::size_t n = 8000; n < twice.size(); ++n) twice[n] += once[n - 8000];
  write_audio(folder.path() / "once.wav", {once}, 16000, SampleFormat::float32, false);
  write_audio(folder.path() / "twice.wav", {twice}, 16000, SampleFormat::float32, false);
  CHECK(json_of(run_fdtd({"metrics", "once.wav", "--json"}, folder.path()))["warnings"].empty());
  const auto doubted = json_of(run_fdtd({"metrics", "twice.wav", "--json"}, folder.path()));
  REQUIRE(doubted["warnings"].size() == 1);
  CHECK(doubted["warnings"][0].get<std::string>().find("this may not be an impulse response: ") == 0);
  CHECK(json_of(run_fdtd({"metrics", "twice.wav", "--any-signal", "--json"}, folder.path()))["warnings"].empty());
}

TEST_CASE("metrics of a result are those of its audio files, with speech of a level too", "[cli]") {
  const TemporaryFolder folder;
  SceneText scene;
  scene.simulation = "duration = 0.2\nmax_frequency = 400.0\nstencil = \"leggy-2\"\n";
  scene.materials = "[materials.panel]\nabsorption = { bands = [125, 1000, 8000], alpha = [0.4, 0.4, 0.4] }\n";
  scene.second_source = "[0.9, 0.4, 0.5]";
  scene.above = "method = \"rays\"\nrays = 2000\n";
  folder.write("room.toml", text_of(scene));
  REQUIRE(run_fdtd({"run", "room.toml", "-o", "out", "--quiet"}, folder.path()).status == 0);
  const std::vector<std::string> speech = {"--speech", "60", "--noise", "50,45,40,40,35,30,25", "--json"};
  const auto measured = [&](const std::string& file, bool with_speech) {
    std::vector<std::string> words = {"metrics", file};
    words.insert(words.end(), with_speech ? speech.begin() : speech.end() - 1, speech.end());
    return json_of(run_fdtd(words, folder.path()));
  };
  const auto room = measured("out/result.h5", false), talk = measured("out/result.h5", true);
  REQUIRE(room["responses"].size() == 2);
  for (const std::size_t s : {std::size_t{0}, std::size_t{1}}) {
    const auto &one = talk["responses"][s], &alone = room["responses"][s]["metrics"];
    CHECK(one["receiver"] == "R1");
    const auto file = measured("out/ir_" + one["source"].get<std::string>() + "_R1.wav", true);
    CHECK(one["metrics"]["STI"].get<double>() == Approx(file["STI"].get<double>()).margin(1e-6));
    CHECK(one["metrics"]["bands"][5]["C80"].get<double>() ==
          Approx(file["bands"][5]["C80"].get<double>()).margin(1e-4));
    CHECK(one["metrics"]["STI"].get<double>() < alone["STI"].get<double>());
    CHECK(one["metrics"]["speech_level"] == 60.0);
    CHECK(alone["speech_level"].is_null());
  }
  CHECK_THAT(run_fdtd({"metrics", "out/result.h5"}, folder.path()).out,
             Catch::Matchers::Contains("S2 at R1") && Catch::Matchers::Contains("STI "));
  const Outcome channel = run_fdtd({"metrics", "out/result.h5", "--channel", "2"}, folder.path());
  CHECK(channel.status == 2);
  CHECK_THAT(channel.err, Catch::Matchers::Contains("those of audio files"));
}
