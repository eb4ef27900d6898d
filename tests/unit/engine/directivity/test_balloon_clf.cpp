// Balloons in the text form of the Common Loudspeaker Format: their directions, symmetries and faults.
#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/directivity/balloon_data.hpp"
#include "engine/directivity/balloon_fit.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

using Level = std::function<double(const Point&)>;  // dB by direction: x to the front, y to the left, z up

struct Clf {
  int step = 10, arcs = 36, angles = 19;
  std::string keys = "<RADIATION>\t<fullsphere>\n<BALLOON-SYMMETRY>\t<none>\n";
  int sense = 1;  // of the arcs: 1 clockwise as seen from the front, by the top, the loudspeaker's left, the bottom
};

std::string text_of(const Clf& how, const Level& level) {
  std::string text = fmt::format("<CLF{}>\n<VERSION>\t1\n# made up\n<MEASUREMENT-DISTANCE>\t4\t# m\n<MINBAND>\t125\n{}",
                                 how.step == 10 ? 1 : 2, how.keys);
  for (const double quieter : {0.0, 3.0}) {
    text += fmt::format("<BAND>\t{}\n", quieter == 0.0 ? 125 : 250);
    for (int i = 0; i < how.arcs; ++i)
      for (int k = 0; k < how.angles; ++k) {
        const double degree = std::numbers::pi / 180.0, theta = degree * how.step * k,
                     phi = degree * how.step * i * how.sense;
        const Point at = {std::cos(theta), std::sin(theta) * std::sin(phi), std::sin(theta) * std::cos(phi)};
        text += fmt::format("{}{:.4f}", k > 0 ? "\t" : "", level(at) - quieter);
        if (k == how.angles - 1) text += i == 0 ? "\t# at the top\t0\r\n" : "\r\n";
      }
  }
  return text + (how.step == 10 ? "<CLF1END>\n" : "<CLF2END>\n");
}

void check_levels(const BalloonData& read, const Level& level) {
  REQUIRE(read.frequencies == std::vector<double>{125, 250});
  double worst = 0.0;
  for (std::size_t i = 0; i < read.directions.size(); ++i)
    for (std::size_t k = 0; k < 2; ++k)
      worst = std::max(worst, std::abs(20.0 * std::log10(std::abs(read.values[2 * i + k])) +
                                       3.0 * static_cast<double>(k) - level(read.directions[i])));
  CHECK(worst < 1e-3);
}

}  // namespace

TEST_CASE("balloon: a CLF text has its arcs from the top by the left, and mirrors what its symmetry leaves out",
          "[directivity]") {
  const TemporaryFolder folder;
  const Level any = [](const Point&d) { return 5.0 * d[0] + 2.0 * d[1] - d[2]; },
              sides = [](const Point&d) { return 5.0 * d[0] - d[2]; },
              quarter = [](const Point&d) { return 5.0 * d[0] - d[2] * d[2]; },
              axis = [](const Point&d) { return 9.0 * d[0]; },
              front = [](const Point&d) { return std::abs(d[0]) + d[1]; };
  const auto read = [&](const Clf& how, const Level& level) {
    const BalloonData data = read_balloon_text(folder.write("speaker.tab", text_of(how, level)));
    check_levels(data, level);
    return data;
  };
  const BalloonData ten = read({}, any);
  CHECK(ten.kind == "CLF");
  CHECK(ten.distance == 4.0);
  CHECK(ten.directions.size() == 2 + 36 * 17);
  CHECK(read({5, 72, 37}, any).directions.size() == 2 + 72 * 35);
  read({10, 36, 19, "<balloon-arc-order>\t<reversed>\n", -1}, any);
  read({10, 19, 19, "<BALLOON-SYMMETRY>\t<Horizontal>\n"}, sides);
  read({10, 10, 19, "<BALLOON-SYMMETRY>\t<full>\n"}, quarter);
  read({5, 1, 37, "<BALLOON-SYMMETRY>\t<rotational>\n"}, axis);
  read({10, 36, 10, "<RADIATION>\t<halfsphere>\n"}, front);
  BalloonAim aim;
  aim.order = 9;
  CHECK(fit_balloon(ten, aim, "speaker.tab").order == 9);
  std::string commas = text_of({}, any);
  std::ranges::replace(commas, '.', ',');
  check_levels(read_balloon_text(folder.write("commas.tab", commas)), any);
}

TEST_CASE("balloon: faults of a CLF text have their line", "[directivity]") {
  const TemporaryFolder folder;
  const std::string good =
      text_of({10, 1, 19, "<BALLOON-SYMMETRY>\t<rotational>\n"}, [](const Point& d) { return d[0]; });
  const auto fault = [&](std::string text, const std::string& what, const std::string& by = "") {
    if (!what.empty()) text.replace(text.find(what), what.size(), by);
    try {
      read_balloon_text(folder.write("s.tab", text));
    } catch (const Error& error) {
      return std::string(error.what()) + " | " + error.remedy;
    }
    return std::string("read");
  };
  CHECK(fault(good, "") == "read");
  CHECK_THAT(fault(good, "<CLF1>", "<CLF3>"), Contains("s.tab:8: the first line is neither <CLF1> nor <CLF2>"));
  CHECK_THAT(fault(good, "<CLF1>", "<CLF2>"),
             Contains("s.tab:8: an arc of 19 levels, where steps of 5 degrees make 37"));
  CHECK_THAT(fault(good, "<rotational>", "<polar>"),
             Contains("s.tab:6: <balloon-symmetry> \"<polar>\" is not one of <none>") && Contains("without symmetry"));
  CHECK_THAT(fault(good, "<rotational>", "<full>"), Contains("125 Hz has 1 arcs, where its symmetry"));
  CHECK_THAT(fault(text_of({10, 37, 19}, [](const Point& d) { return d[0]; }), ""),
             Contains("s.tab:45: a band of more than 36 arcs"));
  CHECK_THAT(fault(good, "<VERSION>", "<BALLOON-ARC-ORDER>\t<default>\t90\n<X>"),
             Contains("begin 90 degrees from the top"));
  for (const std::string line : {"<SIGN>", "<BALLOON-REF>\t<relative>\t<SIGN>"}) {
    CHECK(fault(good, "<VERSION>\t1", line + "\t<actual>") == "read");
    CHECK_THAT(fault(good, "<VERSION>\t1", line + "\t<inverted>"),
               Contains("s.tab:2: <sign> \"<inverted>\" is not one of <actual>"));
  }
  CHECK_THAT(fault(good, "<BAND>\t250", "<BAND>\t125"), Contains("the band of 125 Hz appears twice"));
  CHECK_THAT(fault(good, "<VERSION>\t1", "<RADIATION>\t<quarter>"),
             Contains("\"<quarter>\" is not one of <fullsphere>, <halfsphere>") && !Contains("without symmetry"));
  CHECK_THAT(fault(good, "<BAND>\t250", "<BAND>"), Contains("<BAND> without its frequency"));
  CHECK_THAT(fault(good, "1.0000", "<nodata>"), Contains("125 Hz has 0 arcs"));
  CHECK_THAT(fault(good, "1.0000", "loud"), Contains("s.tab:8: level: "));
  CHECK_THAT(fault("<CLF1>\n", ""), Contains("holds no <BAND>"));
  std::string poles = text_of({}, [](const Point& d) { return d[0]; });
  poles.replace(poles.find("-1.0000"), 7, "-9.0000");
  CHECK_THAT(fault(poles, ""), Contains("at 125 Hz the arcs differ by 8.0 dB behind the loudspeaker"));
}
