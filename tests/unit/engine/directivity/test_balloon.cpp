// Measured directivities: files of both kinds, their harmonics and energies, and what is refused.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/above/places.hpp"
#include "engine/directivity/balloon_data.hpp"
#include "engine/directivity/balloon_fit.hpp"
#include "engine/directivity/balloon_remark.hpp"
#include "engine/directivity/minimum_phase.hpp"
#include "engine/directivity/read_balloons.hpp"
#include "engine/files/h5.hpp"
#include "scenes/toml/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

// A cardioid in columns of two octaves, 10 dB less at 250 Hz, on a grid of 30 degrees.
std::string cardioid_table(const std::string& head = "azimuth,elevation,125,250\n") {
  std::string text = "# distance = 1.5 m\n" + head;
  for (int elevation = -90; elevation <= 90; elevation += 30)
    for (int azimuth = 0; azimuth < 360; azimuth += 30) {
      if (std::abs(elevation) == 90 && azimuth > 0) continue;
      const double cosine = std::cos(azimuth * std::numbers::pi / 180) * std::cos(elevation * std::numbers::pi / 180);
      const double level = 20.0 * std::log10(std::max(1e-6, 0.5 + 0.5 * cosine));
      text += fmt::format("{},{},{:.6f},{:.6f}\n", azimuth, elevation, level, level - 10.0);
    }
  return text;
}

struct Sofa {
  std::string convention = "FreeFieldDirectivityTF";
  std::vector<double> places = {0, 0, 2, 90, 0, 2, 180, 0, 2, 270, 0, 2, 0, 90, 2, 0, -90, 2};
  std::vector<double> real = {1, 1, 1, 1, 1, 1};
  std::uint64_t measurements = 1;
  std::vector<double> delays = {};  // samples: impulses of 64 samples instead of spectra
};

std::filesystem::path sofa_of(const TemporaryFolder& folder, const Sofa& how) {
  const auto path = folder.path() / fmt::format("{}.sofa", folder.entries());
  H5File file = H5File::create(path, path);
  file.set("/", "Conventions", std::string("SOFA"));
  file.set("/", "SOFAConventions", how.convention);
  file.set("/", "DataType", std::string(how.delays.empty() ? "TF" : "FIR"));
  if (!how.delays.empty()) {
    std::vector<double> impulses(64 * how.delays.size(), 0.0);
    for (std::size_t r = 0; r < how.delays.size(); ++r) impulses[64 * r] = 1.0;
    file.write<double>("/Data.IR", impulses, {1, how.delays.size(), 64});
    file.write<double>("/Data.SamplingRate", std::vector<double>{48000.0}, {1});
    file.write<double>("/Data.Delay", how.delays, {1, how.delays.size()});
  }
  file.write<double>("/ReceiverPosition", how.places, {how.places.size() / 3, 3});
  file.set("/ReceiverPosition", "Type", std::string("spherical"));
  file.write<double>("/SourcePosition", std::vector<double>(3, 0.0), {1, 3});
  file.write<double>("/N", std::vector<double>{250.0}, {1});
  file.write<double>("/Data.Real", how.real, {how.measurements, how.real.size() / how.measurements, 1});
  file.write<double>("/Data.Imag", std::vector<double>(how.real.size(), 0.0),
                     {how.measurements, how.real.size() / how.measurements, 1});
  file.close();
  return path;
}

}  // namespace

TEST_CASE("balloon: a direction that stands there twice with other values is refused, with the same ones it is not") {
  const TemporaryFolder folder;
  const auto refused = [&](const Sofa& how) {
    try {
      (void)fit_balloon(read_balloon_sofa(sofa_of(folder, how), 0), {}, "speaker.sofa");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  Sofa turn;  // 0 and 360 degrees
  turn.places.insert(turn.places.end(), {360, 0, 2, 120, 90, 2});
  turn.real.insert(turn.real.end(), {1, 1.3});  // the other values are at the pole
  CHECK(refused(turn).empty());
  turn.real[6] = 1.2;
  CHECK_THAT(refused(turn), Contains("speaker.sofa: azimuth 0, elevation 0 appears twice, with other values"));
}

TEST_CASE("balloon: a table of levels becomes harmonics relative to the axis", "[directivity]") {
  const TemporaryFolder folder;
  const BalloonData data = read_balloon_text(folder.write("a.csv", cardioid_table()));
  CHECK(data.directions.size() == 62);
  CHECK(data.distance == 1.5);
  BalloonAim aim;
  aim.direction = {0.0, 2.0, 0.0};
  const Balloon balloon = fit_balloon(data, aim, "a.csv");
  REQUIRE(balloon.order == 3);
  REQUIRE(balloon.octaves.size() == 2);
  CHECK(balloon.octaves[1].left_out < 1e-6);
  CHECK(held_band(balloon).to == Approx(250.0 * std::numbers::sqrt2));
  for (const std::size_t frequency : {0, 1}) {  // flat: 10 dB less at 250 Hz are divided out
    const std::complex<double>* const h = balloon.harmonics.data() + frequency * balloon.count();
    CHECK(h[0].real() == Approx(0.5).epsilon(1e-3));
    CHECK(h[1].real() == Approx(0.5).epsilon(1e-3));  // along y, where the source points
    CHECK(std::abs(h[3]) < 1e-3);
    CHECK(std::abs(h[9]) < 1e-3);
  }
  // Energies for geometry: the square of the pattern.
  const BalloonAmplitudes amplitudes(balloon, 20.0);
  CHECK(amplitudes.at({0.0, 1.0, 0.0}, 125.0) == Approx(1.0).epsilon(2e-3));
  CHECK(amplitudes.at({1.0, 0.0, 0.0}, 180.0) == Approx(0.5).epsilon(2e-3));
  CHECK(amplitudes.at({0.0, -1.0, 0.0}, 250.0) < 0.05);
  CHECK(amplitudes.share(0, 125.0) == Approx(1.0));
  CHECK(amplitudes.share(0, 60.0) == 1.0);
  CHECK(amplitudes.share(0, 177.0) + amplitudes.share(1, 177.0) == Approx(1.0));

  aim.flat = false;
  const Balloon kept = fit_balloon(data, aim, "a.csv");
  CHECK(std::abs(kept.harmonics[kept.count()]) / std::abs(kept.harmonics[0]) == Approx(std::pow(10.0, -0.5)));
  aim.order = 1;
  CHECK(fit_balloon(data, aim, "a.csv").order == 1);
}

TEST_CASE("balloon: a table with a line for each frequency has phases", "[directivity]") {
  const TemporaryFolder folder;
  std::string text = "azimuth;elevation;frequency;level;phase\n";
  for (const auto& [place, phase] :
       {std::pair("0;0", 0), {"180;0", 180}, {"90;0", 90}, {"-90;0", 90}, {"0;90", 90}, {"0;-90", 90}})
    text += fmt::format("{};500;0;{}\n", place, phase);
  const BalloonData data = read_balloon_text(folder.write("p.csv", text));
  CHECK(data.distance == 0.0);
  const Balloon balloon = fit_balloon(data, {}, "p.csv");
  CHECK(balloon.order == 1);  // six directions hold four harmonics
  CHECK(balloon.distance == far_distance);
  CHECK(balloon.harmonics[3].real() == Approx(1.0).epsilon(1e-4));
  CHECK(std::abs(balloon.harmonics[1]) < 1e-4);
}

TEST_CASE("balloon: the order is what the directions hold", "[directivity]") {
  BalloonData ring;  // of the horizontal plane alone
  ring.frequencies = {500.0};
  for (int i = 0; i < 36; ++i) {
    const double turn = i * std::numbers::pi / 18.0;
    ring.directions.push_back({std::cos(turn), std::sin(turn), 0.0});
    ring.values.emplace_back(1.0);
  }
  const Balloon balloon = fit_balloon(ring, {}, "ring");
  CHECK(balloon.order == 0);
  CHECK(balloon.widest_gap > 80.0);
  SourceSpec source;
  source.name = "S";
  source.directivity.balloon = std::make_shared<const Balloon>(balloon);
  CHECK_THAT(balloon_remarks({source}, 1000.0).at(0), Contains("directions are missing, up to 90 degrees"));
}

TEST_CASE("balloon: tables that are none are refused with their line", "[directivity]") {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& text) { return read_balloon_text(folder.write("b.csv", text)); };
  CHECK_THROWS_WITH(read("x,y,z\n0,0,0\n"), Contains("b.csv:1: the columns are not those of a directivity"));
  CHECK_THROWS_WITH(read("azimuth,elevation,250,125\n"), Contains("do not increase"));
  CHECK_THROWS_WITH(read("azimuth,elevation,125\n0,0,zero\n"), Contains("b.csv:2: level"));
  CHECK_THROWS_WITH(read("azimuth,elevation,125\n0,0,0\n0,0,0\n"), Contains("b.csv:3: azimuth 0, elevation 0 appears"));
  CHECK_THROWS_WITH(read("azimuth,elevation,125\n0,0,0\n"), Contains("fewer than 2 directions"));
  CHECK_THROWS_WITH(read("azimuth,elevation,125\n0,95,0\n"), Contains("elevation 95 is not between -90 and 90"));
  CHECK_THROWS_WITH(read("azimuth,elevation,frequency,level\n0,0,125,0\n0,0,250,0\n9,0,125,0\n"),
                    Contains("azimuth 9, elevation 0 has 1 frequency, others 2"));
  CHECK_THROWS_WITH(read("# distance = far\nazimuth,elevation,125\n0,0,0\n9,0,0\n"), Contains("is no distance"));
  const BalloonData behind = read("azimuth,elevation,125\n170,0,0\n190,0,0\n");
  CHECK_THROWS_WITH(fit_balloon(behind, {}, "b.csv"), Contains("nearest to the source's axis is 170 degrees away"));
}

TEST_CASE("balloon: a table that is refused says what to write", "[directivity]") {
  const TemporaryFolder folder;
  for (const auto& [text, remedy] :
       {std::pair<std::string, std::string>{"", "the head line names azimuth, elevation"},
        {"azimuth,elevation,250,125\n", "from low to high, each once"},
        {"azimuth,elevation,125\n0,0,0\n", "a line for each direction"},
        {"azimuth,elevation,125\n0,0,0\n0,0,-1\n", "write each direction once"},
        {"azimuth,elevation,frequency,level\n0,0,125,0\n90,0,125,0\n90,0,250,0\n",
         "give every direction the same frequencies"},
        {"azimuth,elevation,frequency,level\n0,0,125,0\n90,0,250,0\n", "give every direction the same frequencies"}}) {
    CAPTURE(text);
    try {
      (void)read_balloon_text(folder.write("b.csv", text));
      FAIL_CHECK("read");
    } catch (const Error& error) {
      CHECK_THAT(error.remedy, Contains(remedy));
    }
  }
}

TEST_CASE("balloon: files of SOFA, and those that are refused", "[directivity]") {
  const TemporaryFolder folder;
  const BalloonData data = read_balloon_sofa(sofa_of(folder, {}), 0);
  CHECK(data.kind == "FreeFieldDirectivityTF");
  CHECK(data.distance == Approx(2.0));
  CHECK(data.directions.at(1)[1] == Approx(1.0));
  CHECK(data.frequencies == std::vector<double>{250.0});

  Sofa bad;
  bad.convention = "SimpleFreeFieldHRIR";
  CHECK_THROWS_WITH(read_balloon_sofa(sofa_of(folder, bad), 0), Contains("\"SimpleFreeFieldHRIR\""));
  bad = {};
  bad.places[2] = 1.0;
  CHECK_THROWS_WITH(read_balloon_sofa(sofa_of(folder, bad), 0), Contains("its receivers are 1 to 2 m from the source"));
  bad = {};
  bad.places.resize(15);
  CHECK_THROWS_WITH(read_balloon_sofa(sofa_of(folder, bad), 0), Contains("ReceiverPosition has the shape 5 x 3"));
  bad = {};
  bad.real.insert(bad.real.end(), 6, 2.0);
  bad.measurements = 2;
  CHECK_THROWS_WITH(read_balloon_sofa(sofa_of(folder, bad), 0), Contains("holds 2 measurements (M)"));
  CHECK_THROWS_WITH(read_balloon_sofa(sofa_of(folder, bad), 3), Contains("holds 2 measurements (M), not 3"));
  CHECK(read_balloon_sofa(sofa_of(folder, bad), 2).values[0] == 2.0);
  CHECK(read_balloon_sofa(sofa_of(folder, bad), all_measurements).values[0] == 3.0);
  bad = {};
  bad.real[0] = 1e-4;
  CHECK_THROWS_WITH(fit_balloon(read_balloon_sofa(sofa_of(folder, bad), 0), {}, "x"),
                    Contains("at 250 Hz the pressure on the axis is 79 dB below"));
  bad = {};
  bad.real = {1.0};
  bad.places.resize(3);
  CHECK_THROWS_WITH(read_balloon_sofa(sofa_of(folder, bad), 0), Contains("holds one direction"));
}

TEST_CASE("balloon: delays of impulse responses are phases, and no longer than responses may be", "[directivity]") {
  const TemporaryFolder folder;
  Sofa late;
  late.convention = "FreeFieldDirectivityIR";
  late.delays = {0.0, 2.5, 100.0, 0.0, 0.0, 0.0};
  const BalloonData data = read_balloon_sofa(sofa_of(folder, late), 0);
  const std::size_t count = data.frequencies.size();
  REQUIRE(count > 3);
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t r = 0; r < 3; ++r) {
      const double turn = -2.0 * std::numbers::pi * data.frequencies[k] * late.delays[r] / 48000.0;
      CHECK(std::abs(data.values[r * count + k] - std::polar(1.0, turn)) < 1e-9);
    }
  for (const double delay : {1e300, -1e300, 3e5}) {
    late.delays[4] = delay;
    CHECK_THROWS_WITH(read_balloon_sofa(sofa_of(folder, late), 0),
                      Contains("Data.Delay of measurement 1 and receiver 5 is ") && Contains("up to 262144 are read"));
  }
}

TEST_CASE("balloon: a problem of a file stands at its key", "[directivity]") {
  const TemporaryFolder folder;
  folder.write("bad.csv", "azimuth,elevation,125\n");
  folder.write("good.csv", cardioid_table());
  SceneText scene;
  scene.source_keys = "directivity = \"bad.csv\"\ndirection = [1, 0, 0]\n";
  ParsedScene parsed = parse_scene(text_of(scene), folder / "scene.toml");
  REQUIRE(parsed.problems.empty());
  const std::vector<Problem> problems = read_balloons(parsed.scene);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].where == "source.S1.directivity");
  CHECK(problems[0].place.line > 0);
  CHECK_THAT(problems[0].message, Contains("fewer than 2 directions"));

  scene.source_keys = "directivity = \"good.csv\"\ndirection = [1, 0, 0]\norder = 2\n";
  parsed = parse_scene(text_of(scene), folder / "scene.toml");
  REQUIRE(parsed.problems.empty());
  CHECK(read_balloons(parsed.scene).empty());
  REQUIRE(parsed.scene.sources[0].directivity.balloon);
  CHECK(parsed.scene.sources[0].directivity.balloon->order == 2);
  CHECK(channel_count(parsed.scene.sources[0].directivity) == 9);
  CHECK(channels_of(parsed.scene).sources.at(4).id.name == "S1:h04");
  CHECK_THAT(balloon_remarks(parsed.scene.sources, 400.0).at(0),
             Contains("to order 2 of 62 directions at 1.5 m") && !Contains("missing"));
}

TEST_CASE("balloon: keys that do not go together", "[directivity]") {
  const TemporaryFolder folder;
  folder.write("good.csv", cardioid_table());
  const auto problem = [&](const std::string& keys) {
    SceneText scene;
    scene.source_keys = keys;
    const ParsedScene parsed = parse_scene(text_of(scene), folder / "scene.toml");
    return parsed.problems.empty() ? std::string() : parsed.problems[0].message;
  };
  const std::string file = "directivity = \"good.csv\"\n";
  CHECK_THAT(problem(file), Contains("a measured directivity needs a direction"));
  CHECK_THAT(problem(file + "direction = [0, 0, 1]\n"), Contains("up is along the direction"));
  CHECK(problem(file + "direction = [0, 0, 1]\nup = [1, 0, 0]\n").empty());
  CHECK_THAT(problem(file + "direction = [1, 0, 0]\npattern = \"cardioid\"\n"), Contains("a pattern and a measured"));
  CHECK_THAT(problem("up = [1, 0, 0]\n"), Contains("up belongs to a measured directivity"));
  CHECK_THAT(problem("order = 2\n"), Contains("has no order"));
  CHECK_THAT(problem("directivity = \"none.csv\"\ndirection = [1, 0, 0]\n"), Contains("none.csv"));
}

TEST_CASE("balloon: minimum phase of a first-order low-pass", "[directivity]") {
  std::vector<double> frequencies, magnitude;
  const double corner = 400.0;
  for (double f = 16.0; f < 25000.0; f *= std::exp2(1.0 / 12.0)) {
    frequencies.push_back(f);
    magnitude.push_back(1.0 / std::hypot(1.0, f / corner));
  }
  const auto values = minimum_phase(frequencies, magnitude);
  for (std::size_t i = 12; i < frequencies.size() && frequencies[i] < 1500.0; i += 12)
    CHECK(std::arg(values[i]) == Approx(-std::atan(frequencies[i] / corner)).margin(0.06));
}
