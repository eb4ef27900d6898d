// Receivers and sources that move, as a user runs them: against the Doppler effect, image sources, and receivers at rest.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "base/math/directions.hpp"
#include "engine/files/wav_write.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/head_file.hpp"
#include "tests/support/program.hpp"
#include "tests/support/solutions/rigid_sphere.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

constexpr double pi = std::numbers::pi;
constexpr int rate = 16000;
const double sound = 331.3 * std::sqrt(1.0 + 20.0 / 273.15);

std::string scene_of(const std::string& box, const std::string& duration, const std::string& source,
                     const std::string& receiver) {
  return "schema = 1\n[simulation]\nduration = " + duration +
         "\nmax_frequency = 800.0\ndispersion_error = 0.005\nstencil = \"leggy-4\"\n[above]\nmethod = "
         "\"none\"\n[room]\n"
         "box = " +
         box +
         "\n[room.walls]\ndefault = \"rigid\"\n[materials.rigid]\nrigid = true\n[[source]]\n"
         "name = \"S\"\nposition = " +
         source + "\nsignal = \"signal.wav\"\n[[receiver]]\nname = \"walk\"\n" + receiver +
         "\n[output]\nlow_cut = 0\nsample_rate = 16000\n";
}

void write_signal(const TemporaryFolder& folder, double seconds, const std::function<double(double)>& signal) {
  std::vector<double> samples(static_cast<std::size_t>(seconds * rate));
  for (std::size_t n = 0; n < samples.size(); ++n) samples[n] = signal(static_cast<double>(n) / rate);
  write_audio(folder.path() / "signal.wav", {samples}, rate, SampleFormat::float32, false);
}

std::vector<double> heard(const TemporaryFolder& folder, const char* file) {
  return read_audio(folder.path() / file).channels.at(0);
}

void run(const TemporaryFolder& folder, std::vector<std::string> arguments) {
  const Outcome outcome = run_fdtd(arguments, folder.path());
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
}

// Hz, of a tone near `about` between two times: the slope of its phase.
double frequency_of(const std::vector<double>& tone, double about, double begin, double end) {
  const auto phase = [&](double at) {
    std::complex<double> sum = 0.0;
    constexpr double window = 0.02;
    for (auto n = static_cast<std::size_t>((at - window) * rate); n < static_cast<std::size_t>((at + window) * rate);
         ++n) {
      const double t = static_cast<double>(n) / rate;
      sum += tone[n] * (1.0 + std::cos(pi * (t - at) / window)) * std::polar(1.0, -2.0 * pi * about * t);
    }
    return std::arg(sum);
  };
  const double turned = std::remainder(phase(end) - phase(begin), 2.0 * pi);
  return about + turned / (2.0 * pi * (end - begin));
}

// The response ends before the first echo, so that the room is free field.
const std::string open_room = scene_of("[5, 3.8, 3.8]", "0.0098", "[1.5, 1.9, 1.9]", "path = \"walk.csv\"");

// A sound that has begun and ended before the responses end.
double burst(double t) {
  return std::sin(2.0 * pi * 400.0 * (t - 0.02)) * std::exp(-0.5 * std::pow((t - 0.02) / 0.004, 2));
}

// The image sources of a source at (.9, .8, .7) m in a box of 3 x 2.5 x 2 m: use(way, distance) with the way from `at`.
template <class Use>
void for_each_image(const std::array<double, 3>& at, const Use& use) {
  constexpr std::array<double, 3> box{3, 2.5, 2}, source{0.9, 0.8, 0.7};
  for (int i = -6; i <= 6; ++i)
    for (int j = -7; j <= 7; ++j)
      for (int k = -9; k <= 9; ++k) {
        const std::array<int, 3> image{i, j, k};
        std::array<double, 3> way{};
        for (std::size_t d = 0; d < 3; ++d) {
          const int half = image[d] / 2 - (image[d] < 0 && image[d] % 2 != 0 ? 1 : 0);
          way[d] =
              (image[d] % 2 == 0 ? 2.0 * half * box[d] + source[d] : 2.0 * (half + 1) * box[d] - source[d]) - at[d];
        }
        use(way, std::hypot(way[0], way[1], way[2]));
      }
}

}  // namespace

TEST_CASE("a receiver at 10 m/s hears a tone with the exact Doppler shift within 0.1 %", "[cli]") {
  const TemporaryFolder folder;
  write_signal(folder, 0.25, [](double t) { return std::sin(2.0 * pi * 600.0 * t); });
  folder.write("away.toml", open_room);
  for (const auto& [rows, factor] : {std::pair{"0.05,2.3,1.9,1.9\n0.2,3.8,1.9,1.9\n", 1.0 - 10.0 / sound},
                                     {"0.05,3.8,1.9,1.9\n0.2,2.3,1.9,1.9\n", 1.0 + 10.0 / sound}}) {
    folder.write("walk.csv", std::string("t,x,y,z\n") + rows);
    run(folder, {"run", "away.toml", "-o", "out", "--force", "--quiet"});
    const std::vector<double> tone = heard(folder, "out/recording_walk.wav");
    const double exact = 600.0 * factor, found = frequency_of(tone, exact, 0.08, 0.17);
    CAPTURE(found, exact);
    CHECK(std::abs(found / exact - 1.0) < 1e-3);
    CHECK(std::abs(frequency_of(tone, 600.0, 0.215, 0.235) / 600.0 - 1.0) < 1e-3);  // at rest again
  }
}

TEST_CASE("a moving source is heard with the Doppler shift of a source, by reciprocity", "[cli]") {
  const TemporaryFolder folder;
  write_signal(folder, 0.25, [](double t) { return std::sin(2.0 * pi * 600.0 * t); });
  folder.write("away.toml", open_room);
  folder.write("walk.csv", "t,x,y,z\n0.05,3.8,1.9,1.9\n0.1,2.3,1.9,1.9\n");  // 30 m/s: both shifts differ by 0.8 %
  run(folder, {"run", "away.toml", "-o", "out", "--quiet"});
  run(folder, {"auralize", "out/result.h5", "signal.wav", "--path", "walk.csv", "--moves", "source", "-o", "near.wav"});
  const double exact = 600.0 / (1.0 - 30.0 / sound);
  CHECK(std::abs(frequency_of(heard(folder, "near.wav"), exact, 0.079, 0.082) / exact - 1.0) < 2e-3);
  // The same receiver that moves, to the byte of the run.
  run(folder, {"auralize", "out/result.h5", "signal.wav", "--path", "walk.csv", "-o", "walked.wav"});
  CHECK(read_file(folder.path() / "walked.wav") == read_file(folder.path() / "out/recording_walk.wav"));
}

TEST_CASE("a path through a box is the sum of its image sources at the moving place", "[cli]") {
  const TemporaryFolder folder;
  write_signal(folder, 0.05, burst);
  folder.write("box.toml", scene_of("[3, 2.5, 2]", "0.04", "[0.9, 0.8, 0.7]", "path = \"walk.csv\""));
  folder.write("walk.csv", "t,x,y,z\n0.01,1.5,1.8,1.2\n0.025,1.7,1.8,1.2\n0.04,1.7,1.5,1.4\n");
  run(folder, {"run", "box.toml", "-o", "out", "--quiet", "--set", "simulation.dispersion_error=0.002"});
  const std::vector<double> recording = heard(folder, "out/recording_walk.wav");
  const auto place = [](double t) {
    const double a = std::clamp((t - 0.01) / 0.015, 0.0, 1.0), b = std::clamp((t - 0.025) / 0.015, 0.0, 1.0);
    return std::array<double, 3>{1.5 + 0.2 * a, 1.8 - 0.3 * b, 1.2 + 0.2 * b};
  };
  double worst = 0.0, largest = 0.0;
  for (std::size_t n = 0; n < static_cast<std::size_t>(0.04 * rate); n += 7) {
    const double t = static_cast<double>(n) / rate;
    double sum = 0.0;
    for_each_image(place(t), [&](const std::array<double, 3>&, double r) {
      if (r < sound * t) sum += burst(t - r / sound) / r;
    });
    worst = std::max(worst, std::abs(sum - recording[n]));
    largest = std::max(largest, std::abs(sum));
  }
  CAPTURE(worst, largest);
  CHECK(worst < 0.02 * largest);  // 1.2 %, as of a receiver at rest, by dispersion
}

TEST_CASE("a receiver on a path at rest has the files of one without a path, to the byte", "[cli]") {
  const TemporaryFolder folder;
  write_signal(folder, 0.01, [](double t) { return std::sin(2.0 * pi * 300.0 * t); });
  folder.write("plain.toml", scene_of("[3, 2.5, 2]", "0.02", "[0.9, 0.8, 0.7]", "position = [1.5, 1.8, 1.2]"));
  folder.write("rest.toml", scene_of("[3, 2.5, 2]", "0.02", "[0.9, 0.8, 0.7]", "path = \"rest.csv\""));
  folder.write("rest.csv", "t,x,y,z\n0,1.5,1.8,1.2\n1,1.5,1.8,1.2\n");
  run(folder, {"run", "plain.toml", "-o", "plain", "--quiet"});
  run(folder, {"run", "rest.toml", "-o", "rest", "--quiet"});
  for (const char* file : {"ir_walk.wav", "recording_walk.wav"})
    CHECK(read_file(folder.path() / "plain" / file) == read_file(folder.path() / "rest" / file));
}

TEST_CASE("a pattern of the cardioid family that walks and turns hears the exact field of the image sources of a box",
          "[cli]") {
  const TemporaryFolder folder;
  write_signal(folder, 0.05, burst);
  std::vector<double> past = {0.0};  // the integral of the burst, which the gradient of a point source holds
  constexpr double step = 1e-5;
  while (past.size() < 5000)
    past.push_back(past.back() + step * burst((static_cast<double>(past.size()) - 0.5) * step));
  const auto integral = [&](double t) { return past[static_cast<std::size_t>(std::llround(t / step))]; };
  struct Walk {
    const char *pattern, *direction;
    double fraction;
    std::array<double, 3> looks;  // at yaw 0, of length 1
    double way, yaw;              // m along x and degrees in 20 ms
  };
  for (const auto& [pattern, direction, fraction, looks, way, yaw] :
       {Walk{"cardioid", "[-4, 3, 0]", 0.5, {-0.8, 0.6, 0.0}, 0.0, 120.0},
        Walk{"figure-eight", "[-2, 0, 0]", 0.0, {-1.0, 0.0, 0.0}, 0.0, 90.0},
        Walk{"hypercardioid", "[-4, 0, 3]", 0.25, {-0.8, 0.0, 0.6}, 0.2, -150.0}}) {
    folder.write("walk.csv", fmt::format("t,x,y,z,yaw\n0.015,1.5,1.8,1.2,0\n0.035,{},1.8,1.2,{}\n", 1.5 + way, yaw));
    folder.write("turn.toml",
                 scene_of("[3, 2.5, 2]", "0.04", "[0.9, 0.8, 0.7]",
                          fmt::format("pattern = \"{}\"\ndirection = {}\npath = \"walk.csv\"", pattern, direction)));
    run(folder, {"run", "turn.toml", "-o", "turn", "--force", "--quiet", "--set", "simulation.dispersion_error=0.002"});
    const std::vector<double> recording = heard(folder, "turn/recording_walk.wav");
    double worst = 0.0, largest = 0.0;
    for (std::size_t n = 0; n < static_cast<std::size_t>(0.04 * rate); n += 7) {
      const double t = static_cast<double>(n) / rate, part = std::clamp((t - 0.015) / 0.02, 0.0, 1.0);
      const double angle = yaw * part * pi / 180.0, cosine = std::cos(angle), sine = std::sin(angle);
      const std::array<double, 3> front = {looks[0] * cosine - looks[1] * sine, looks[0] * sine + looks[1] * cosine,
                                           looks[2]};
      double sum = 0.0, pressure = 0.0;
      for_each_image({1.5 + way * part, 1.8, 1.2}, [&, even = fraction](const std::array<double, 3>& to, double r) {
        const double then = t - r / sound;
        if (then < 0.0) return;
        const double along = (front[0] * to[0] + front[1] * to[1] + front[2] * to[2]) / r;
        pressure += burst(then) / r;
        sum +=
            (even + (1.0 - even) * along) * burst(then) / r + (1.0 - even) * along * integral(then) * sound / (r * r);
      });
      worst = std::max(worst, std::abs(sum - recording[n]));
      largest = std::max(largest, std::abs(pressure));
    }
    CAPTURE(pattern, worst, largest);
    CHECK(worst < 0.02 * largest);
    run(folder, {"auralize", "turn/result.h5", "signal.wav", "--path", "walk.csv", "-o", "turned.wav", "--force"});
    CHECK(read_file(folder / "turned.wav") == read_file(folder / "turn/recording_walk.wav"));
  }
}

TEST_CASE("a cardioid on a path of yaw 0 has the bytes of a plain one, which cannot turn afterwards", "[cli]") {
  const TemporaryFolder folder;
  write_signal(folder, 0.01, [](double t) { return std::sin(2.0 * pi * 300.0 * t); });
  const auto made = [&](const std::string& name, const std::string& receiver) {
    folder.write(name + ".toml", scene_of("[3, 2.5, 2]", "0.02", "[0.9, 0.8, 0.7]",
                                          "pattern = \"cardioid\"\ndirection = [1, 0, 0]\n" + receiver));
    run(folder, {"run", name + ".toml", "-o", name, "--quiet"});
  };
  folder.write("rest.csv", "t,x,y,z,yaw\n0,1.5,1.8,1.2,0\n1,1.5,1.8,1.2,360\n");
  folder.write("turn.csv", "t,x,y,z,yaw\n0,1.5,1.8,1.2,0\n0.1,1.5,1.8,1.2,90\n");
  made("plain", "position = [1.5, 1.8, 1.2]");
  made("rest", "path = \"rest.csv\"");
  made("turn", "path = \"turn.csv\"");
  for (const char* file : {"ir_walk.wav", "recording_walk.wav"})
    CHECK(read_file(folder / "plain" / file) == read_file(folder / "rest" / file));
  CHECK(read_file(folder / "turn/ir_walk_1.wav") == read_file(folder / "plain/ir_walk.wav"));
  const Outcome none =
      run_fdtd({"auralize", "plain/result.h5", "signal.wav", "--path", "turn.csv", "-o", "no.wav"}, folder.path());
  CHECK(none.status == 2);
  CHECK_THAT(none.err, Contains("does not hold what receiver walk needs to turn its pattern"));
}

TEST_CASE("a head that turns in place hears its rotations, and one that walks hears the places of its path", "[cli]") {
  const TemporaryFolder folder;
  write_head_file(folder / "head.sofa", rigid_sphere_head(spiral(60), 16000.0, 64, 20.0));
  write_signal(folder, 0.05,
               [](double t) { return std::sin(2.0 * pi * 500.0 * t) * std::exp(-std::pow(t - 0.01, 2) * 1e5); });
  // Walls absorb, so that nothing is left where the responses end.
  const auto scene = [&](const std::string& keys) {
    std::string text =
        scene_of("[3, 2.5, 2]", "0.08", "[0.9, 0.8, 0.7]",
                 "pattern = \"binaural\"\norder = 2\ndirection = [1, 0, 0]\nhrtf = \"head.sofa\"\n" + keys);
    return text.replace(text.find("rigid = true"), 12, "admittance = 0.7");
  };
  folder.write("plain.toml", scene("position = [1.5, 1.8, 1.2]\nrotations = [0, 90]"));
  folder.write("path.toml", scene("path = \"walk.csv\""));
  run(folder, {"run", "plain.toml", "-o", "plain", "--quiet"});
  const auto both = [&](const char* file) { return read_audio(folder.path() / file).channels; };
  const auto check_same = [](const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b,
                             std::size_t first, std::size_t last) {
    REQUIRE(a.size() == 2);
    REQUIRE(b.size() == 2);
    REQUIRE(a[0].size() == b[0].size());
    double worst = 0.0, largest = 0.0;
    for (std::size_t ear = 0; ear < 2; ++ear)
      for (std::size_t n = first; n < std::min(last, a[0].size()); ++n) {
        worst = std::max(worst, std::abs(a[ear][n] - b[ear][n]));
        largest = std::max(largest, std::abs(a[ear][n]));
      }
    CAPTURE(worst, largest);
    CHECK(largest > 0.01);
    CHECK(worst < 1e-4 * largest);
  };
  // Before 300 and after 1200 responses of a plain receiver are cut that the ears' filters carry before the emission, and
  // beyond the end.
  // In place, turned to the left from the beginning on.
  folder.write("walk.csv", "t,x,y,z,yaw\n0,1.5,1.8,1.2,90\n1,1.5,1.8,1.2,90\n");
  run(folder, {"run", "path.toml", "-o", "turned", "--quiet"});
  check_same(both("turned/recording_walk.wav"), both("plain/recording_walk_yaw90.wav"), 300, 1200);
  // At rest and looking along x it is a receiver like any other, to the byte.
  folder.write("walk.csv", "t,x,y,z\n0,1.5,1.8,1.2\n1,1.5,1.8,1.2\n");
  run(folder, {"run", "path.toml", "-o", "rest", "--quiet"});
  folder.write("one.toml", scene("position = [1.5, 1.8, 1.2]"));
  run(folder, {"run", "one.toml", "-o", "one", "--quiet"});
  for (const char* file : {"ir_walk.wav", "recording_walk.wav"})
    CHECK(read_file(folder.path() / "one" / file) == read_file(folder.path() / "rest" / file));
  // It sets off at 45 ms, and turns.
  folder.write("walk.csv", "t,x,y,z,yaw\n0.045,1.5,1.8,1.2,0\n0.07,1.6,1.8,1.2,90\n");
  run(folder, {"run", "path.toml", "-o", "walk", "--quiet"});
  check_same(both("walk/recording_walk.wav"), both("one/recording_walk.wav"), 300, 700);
  run(folder, {"auralize", "walk/result.h5", "signal.wav", "--path", "walk.csv", "-o", "walked.wav"});
  CHECK(read_file(folder.path() / "walked.wav") == read_file(folder.path() / "walk/recording_walk.wav"));
  // Once arrived it hears what a head there hears, turned.
  std::filesystem::remove(folder / "signal.wav");
  write_signal(folder, 0.15,
               [](double t) { return std::sin(2.0 * pi * 500.0 * t) * std::exp(-std::pow(t - 0.11, 2) * 1e5); });
  folder.write("there.toml", scene("position = [1.6, 1.8, 1.2]\nrotations = [90]"));
  run(folder, {"run", "there.toml", "-o", "there", "--quiet"});
  run(folder, {"auralize", "walk/result.h5", "signal.wav", "--path", "walk.csv", "-o", "arrived.wav"});
  check_same(both("arrived.wav"), both("there/recording_walk.wav"), 1900, 2800);
  // Heads that do not look alike are not one that moves.
  folder.write("two.toml", scene("position = [1.5, 1.8, 1.2]") +
                               "[[receiver]]\nname = \"other\"\nposition = [1.6, 1.8, 1.2]\npattern = "
                               "\"binaural\"\norder = 2\ndirection = [0, 1, 0]\nhrtf = \"head.sofa\"\n");
  run(folder, {"run", "two.toml", "-o", "two", "--quiet"});
  const Outcome two =
      run_fdtd({"auralize", "two/result.h5", "signal.wav", "--path", "walk.csv", "-o", "no.wav"}, folder.path());
  CHECK(two.status == 2);
  CHECK_THAT(two.err, Contains("are not one head"));
}

TEST_CASE("a run with a path that is interrupted resumes to the same recording", "[cli]") {
  const TemporaryFolder folder;
  write_signal(folder, 0.03, [](double t) { return std::sin(2.0 * pi * 300.0 * t); });
  folder.write("box.toml", scene_of("[3, 2.5, 2]", "0.05", "[0.9, 0.8, 0.7]", "path = \"walk.csv\""));
  folder.write("walk.csv", "t,x,y,z\n0.01,1.5,1.8,1.2\n0.06,1.7,1.5,1.4\n");
  run(folder, {"run", "box.toml", "-o", "gold", "--quiet"});
  const std::vector<std::string> command = {"run", "box.toml", "-o", "cut", "--quiet", "--resume"};
  std::vector<std::string> first = command;
  first.insert(first.end(), {"--max-time", "0.0001s", "--checkpoint-every", "5steps"});
  const Outcome cut = run_fdtd(first, folder.path());
  INFO(cut.err);
  CHECK(cut.status == 130);
  run(folder, command);
  CHECK(read_file(folder.path() / "cut/recording_walk.wav") == read_file(folder.path() / "gold/recording_walk.wav"));
}

TEST_CASE("a path that is none, or that leaves the places of a result, is refused with its row", "[cli]") {
  const TemporaryFolder folder;
  write_signal(folder, 0.02, [](double t) { return std::sin(2.0 * pi * 300.0 * t); });
  folder.write("box.toml", scene_of("[3, 2.5, 2]", "0.01", "[0.9, 0.8, 0.7]", "path = \"walk.csv\""));
  folder.write("walk.csv", "t,x,y,z\n0,1.5,1.8,1.2\n0,1.7,1.5,1.4\n");
  const Outcome bad = run_fdtd({"run", "box.toml", "-o", "out"}, folder.path());
  CHECK(bad.status == 2);
  CHECK_THAT(bad.err, Contains("walk.csv: line 3: times must increase"));
  folder.write("walk.csv", "t,x,y,z\n0,1.5,1.8,1.2\n0.1,1.7,1.5,1.4\n");
  run(folder, {"run", "box.toml", "-o", "out", "--quiet"});
  folder.write("beyond.csv", "t,x,y,z\n0,1.5,1.8,1.2\n0.1,1.7,1.5,1.4\n0.2,2.7,1.5,1.4\n");
  folder.write("fast.csv", "t,x,y,z\n0,1.5,1.8,1.2\n0.0005,1.7,1.5,1.4\n");
  const auto along = [&](const char* path, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"auralize", "out/result.h5", "signal.wav", "--path", path, "-o", "no.wav"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_fdtd(arguments, folder.path());
  };
  CHECK_THAT(along("beyond.csv").err, Contains("beyond.csv:3: the places of out/result.h5 do not give the field at"));
  CHECK_THAT(along("fast.csv").err, Contains("fast.csv:3: ") && Contains("is not below the sound speed"));
  CHECK_THAT(along("walk.csv", {"--receiver", "other"}).err, Contains("has no receiver \"other\""));
  CHECK_THAT(along("walk.csv", {"--rotation", "0"}).err, Contains("--path excludes --rotation"));
  CHECK_THAT(along("missing.csv").err, Contains("missing.csv: no such file"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "no.wav"));
  const Outcome audio =
      run_fdtd({"auralize", "signal.wav", "signal.wav", "--path", "walk.csv", "-o", "no.wav"}, folder.path());
  CHECK_THAT(audio.err, Contains("--path goes through the places of a result"));

  // Microphones of an array are channels of one receiver, not places of a path.
  folder.write("array.toml",
               scene_of("[3, 2.5, 2]", "0.01", "[0.9, 0.8, 0.7]", "position = [1.5, 1.8, 1.2]\narray = \"pair.csv\""));
  folder.write("pair.csv", "x,y,z\n0.1,0,0\n-0.1,0,0\n");
  run(folder, {"run", "array.toml", "-o", "array", "--quiet"});
  const Outcome array =
      run_fdtd({"auralize", "array/result.h5", "signal.wav", "--path", "walk.csv", "-o", "no.wav"}, folder.path());
  CHECK(array.status == 2);
  CHECK_THAT(array.err, Contains("receiver walk of array/result.h5 is an array of microphones"));

  // A name without a number chooses all places of a path, but not where a receiver itself is called so.
  folder.write("alike.toml", scene_of("[3, 2.5, 2]", "0.01", "[0.9, 0.8, 0.7]", "position = [1.5, 1.8, 1.2]") +
                                 "[[receiver]]\nname = \"walk_1\"\nposition = [2, 1, 1]\n");
  folder.write("still.csv", "t,x,y,z\n0,1.5,1.8,1.2\n0.1,1.5,1.8,1.2\n");
  run(folder, {"run", "alike.toml", "-o", "alike", "--quiet"});
  const Outcome alone = run_fdtd(
      {"auralize", "alike/result.h5", "signal.wav", "--path", "still.csv", "--receiver", "walk", "-o", "still.wav"},
      folder.path());
  INFO(alone.err);
  CHECK(alone.status == 0);
  CHECK_THAT(alone.out + alone.err, Contains("a receiver rests and hears S at the one place of "));
}
