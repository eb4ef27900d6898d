#include "tests/support/catch.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "engine/session/room_gradient.hpp"
#include "tests/support/files.hpp"

using namespace fdtd;

namespace {

using Names = std::vector<std::string>;

const std::string box = R"(
schema = 1
[simulation]
max_frequency = 400
duration = 0.05
precision = "f64"
[above]
method = "none"
[room]
box = [2.0, 1.7, 1.5]
[room.walls]
default = "hard"
floor = "soft"
x_min = "soft"
y_max = "plain"
[materials.soft]
absorption = { bands = [125, 250, 500], alpha = [0.25, 0.4, 0.3] }
[materials.hard]
absorption = { bands = [125, 250, 500], alpha = [0.05, 0.08, 0.1] }
[materials.plain]
admittance = 0.1
[[source]]
name = "S"
position = [0.5, 0.4, 0.6]
[[receiver]]
name = "R"
position = [1.4, 1.1, 0.9]
)";

SceneRequest request_of(const std::string& text) {
  SceneRequest request;
  request.scene = "scene.toml";
  request.text = text;
  request.device = "cpu";
  request.threads = 1;
  return request;
}

// Half the energy of the responses after 10 ms.
double late_energy(const Rendered& rendered, std::span<double> slopes) {
  double sum = 0.0;
  for (auto i = static_cast<std::size_t>(0.01 * rendered.sample_rate); i < slopes.size(); ++i) {
    sum += 0.5 * rendered.ir[i] * rendered.ir[i];
    slopes[i] = rendered.ir[i];
  }
  return sum;
}

double loss_of(const Rendered& rendered, const std::vector<ChannelId>&, const std::vector<ChannelId>&,
               std::span<double> slopes) {
  return late_energy(rendered, slopes);
}

}  // namespace

TEST_CASE("room gradient: by absorption and admittance it is the difference of losses") {
  RoomGradient room(request_of(box), Names{"soft", "plain"});
  std::vector<double> values;
  for (const WallParameter& one : room.parameters()) values.push_back(one.value);
  REQUIRE(values.size() == 3);  // 500 Hz lies above the run's band
  const std::vector<double> slopes = room(values, loss_of, false).slopes;
  double largest = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) largest = std::max(largest, std::abs(slopes[i]) * values[i]);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<double> up = values, down = values;
    const double step = 0.01 * values[i];
    up[i] += step, down[i] -= step;
    const double difference = (room(up, loss_of, false).loss - room(down, loss_of, false).loss) / (2.0 * step);
    INFO(room.parameters()[i].material << " at " << room.parameters()[i].band << " Hz: " << slopes[i] << " against "
                                       << difference);
    CHECK(std::abs(slopes[i] - difference) * values[i] < 1e-3 * largest);
    CHECK(slopes[i] < 0.0);
  }
}

TEST_CASE("room gradient: runs at the ends of the bounds, in f32, are passive and in balance") {
  std::string text = box;
  text.replace(text.find("f64"), 3, "f32");
  RoomGradient room(request_of(text), Names{"soft", "hard", "plain"});
  const double ends[] = {1e-12, 0.01, 0.95, 1.0};
  for (const unsigned i : {0u, 2u}) {
    std::vector<double> values;
    for (unsigned k = 0; k < room.parameters().size(); ++k) values.push_back(ends[(i + 3 * (k % 2)) % 4]);
    values.back() = i == 0 ? 1e6 : 1e-12;  // the admittance
    INFO("wall values " << i);
    const ParameterSlopes found = room(values, loss_of, false);
    CHECK(std::isfinite(found.loss));
    for (const double slope : found.slopes) CHECK(std::isfinite(slope));
  }
  for (const double beyond : {-0.1, 0.0, 1.01, std::nan("")})
    CHECK_THROWS_WITH(room(std::vector<double>{0.1, 0.1, beyond, 0.1, 0.1}, loss_of, false),
                      Catch::Contains("at most 1"));
}

TEST_CASE("room gradient: the weight of a microphone multiplies its response and the derivatives by it") {
  const test::TemporaryFolder folder;
  folder.write("one.csv", "x,y,z,weight\n0,0,0,-3\n");
  SceneRequest weighed = request_of(box + "array = \"one.csv\"\n");
  weighed.scene = folder / "scene.toml";
  RoomGradient plain(request_of(box), Names{"plain"}), array(weighed, Names{"plain"});
  const ParameterSlopes one = plain(std::vector<double>{0.1}, loss_of, false),
                        nine = array(std::vector<double>{0.1}, loss_of, false);
  CHECK(nine.loss == Approx(9.0 * one.loss).epsilon(1e-12));
  CHECK(nine.slopes[0] == Approx(9.0 * one.slopes[0]).epsilon(1e-12));
  const std::vector<double> ir = plain.responses(std::vector<double>{0.1}).ir;
  CHECK(array.responses(std::vector<double>{0.1}).ir[500] == Approx(-3.0 * ir[500]).epsilon(1e-12));
}

TEST_CASE("room gradient: a law that is known is that of its material and of all its numbers") {
  std::string text = box;
  const std::size_t begin = text.find("[materials.soft]\n") + 17;
  text.replace(begin, text.find('\n', begin) - begin, "absorption = { bands = [125], alpha = [0.1] }");
  RoomGradient used(request_of(text), Names{"soft", "plain"}), fresh(request_of(text), Names{"soft", "plain"});
  const std::vector<double> swapped = {0.2, 0.3};
  const std::vector<double> expected = fresh.responses(swapped).ir;
  const std::vector<double> first = used.responses(std::vector<double>{0.3, 0.2}).ir;
  CHECK(used.responses(swapped).ir == expected);  // each has been the number of the other material
  for (const double other : {0.25, 0.35, 0.4, 0.45, 0.5}) used.responses(std::vector<double>{other, 0.2});
  CHECK(used.responses(std::vector<double>{0.3, 0.2}).ir == first);
  CHECK(used.responses(swapped).ir == expected);
}

// A scene whose parts are replaced.
std::string changed(std::string text, const std::vector<std::pair<std::string, std::string>>& parts) {
  for (const auto& [from, to] : parts) text.replace(text.find(from), from.size(), to);
  return text;
}

std::vector<std::string> moved_by(const std::string& text, const std::optional<Names>& materials) {
  RoomGradient room(request_of(text), materials);
  CHECK(room.planned().materials.size() > 0);
  Names names;
  for (const WallParameter& one : room.parameters())
    if (names.empty() || names.back() != one.material) names.push_back(one.material);
  return names;
}

TEST_CASE("room gradient: by default those of [materials] move that are on walls and may") {
  const std::string more =
      changed(box, {{"default = \"hard\"", "default = \"hard\"\nz_max = \"rock\"\ny_min = \"carpet-heavy\""},
                    {"[materials.hard]",
                     "[materials.rock]\nporous = { flow_resistivity = 5000, "
                     "thickness = 0.1 }\n[materials.spare]\nadmittance = 0.2\n"
                     "[materials.hard]"}});
  CHECK(moved_by(more, std::nullopt) == Names{"soft", "hard", "plain"});
  CHECK(moved_by(more, Names{"soft", "carpet-heavy"}) == Names{"soft", "carpet-heavy"});
  const auto message = [&](const Names& names) -> std::string {
    try {
      RoomGradient(request_of(more), names);
    } catch (const Error& error) {
      return error.what() + std::string(" / ") + error.remedy;
    }
    return "";
  };
  const std::string those = R"(materials=["soft", "hard", "carpet-heavy", "plain"])";
  CHECK_THAT(message({"rock"}), Catch::Contains("rock states neither absorption by octave nor an admittance above 0") &&
                                    Catch::Contains(those));
  CHECK_THAT(message({"soft", "spare"}), Catch::Contains("spare is on no wall") && Catch::Contains(those));
  CHECK_THAT(message({"none"}), Catch::Contains("no material none") && Catch::Contains(those));
  CHECK_THAT(message({"soft", "hard", "soft"}), Catch::Contains("soft is named twice"));
}

TEST_CASE("room gradient: an octave without absorption is refused before any run, unless it lies above the band") {
  const auto with = [](const char* alpha) {
    return changed(box, {{"alpha = [0.25, 0.4, 0.3]", std::string("alpha = ") + alpha}});
  };
  CHECK_THROWS_WITH(RoomGradient(request_of(with("[0.25, 0.0, 0.3]")), std::nullopt),
                    Catch::Contains("soft absorbs nothing at 250 Hz"));
  CHECK(moved_by(with("[0.25, 0.4, 0.0]"), Names{"soft"}) == Names{"soft"});
}

TEST_CASE("room gradient: materials and scenes without one are refused") {
  CHECK_THROWS_AS(RoomGradient(request_of(box), Names{"none"}), Error);
  std::string above = box;
  above.replace(above.find("\"none\""), 6, "\"rays\"");
  CHECK_THROWS_WITH(RoomGradient(request_of(above), Names{"soft"}), Catch::Contains("waves alone"));
  RoomGradient room(request_of(box), Names{"soft"});
  CHECK_THROWS_AS(room(std::vector<double>{0.1}, loss_of, false), Error);
  CHECK_THROWS_AS(room(std::vector<double>{0.1, 1.5}, loss_of, false), Error);
}

namespace {

// Of a material in the scene's map.
std::pair<double, double> sum_and_area(const ParameterSlopes& found, const std::string& material) {
  REQUIRE(found.map);
  std::pair<double, double> of;
  for (std::size_t i = 0; i < found.map->value.size(); ++i) {
    if (found.map_materials[static_cast<std::size_t>(found.map->material[i])] != material) continue;
    of.first += found.map->value[i] * found.map->area[i];
    of.second += found.map->area[i];
  }
  return of;
}

}  // namespace

// It was 15 % off with a radial map of frequencies, where the map was by the admittance of the law on the grid.
TEST_CASE("room gradient: the map's sum over a wall is the derivative by its admittance, whatever the grid's law") {
  for (const char* stencil : {"leggy-2", "leggy-3/warp1", "box-111/radial03"}) {
    for (const double admittance : {0.02, 0.1, 0.6}) {
      const std::string text =
          changed(box, {{"max_frequency = 400", fmt::format("max_frequency = 400\nstencil = \"{}\"", stencil)},
                        {"admittance = 0.1", fmt::format("admittance = {}", admittance)}});
      RoomGradient room(request_of(text), Names{"plain"});
      const ParameterSlopes found = room(std::vector<double>{admittance}, loss_of, true);
      const auto [sum, area] = sum_and_area(found, "plain");
      INFO(stencil << ", admittance " << admittance << ": " << sum << " against " << found.slopes[0]);
      CHECK(area == Approx(2.0 * 1.5).epsilon(0.1));
      CHECK(sum == Approx(found.slopes[0]).epsilon(1e-4));
      RoomGradient none(request_of(text), Names{});  // of a wall that does not move, whose law follows by another fit
      CHECK(sum_and_area(none({}, loss_of, true), "plain").first == Approx(sum).epsilon(0.1));
    }
  }
}

// An admittance beside a resonator's branch, which the law on the grid takes up. Where rendering stretches time, fits of
// plans that are so little apart differ by more than this.
TEST_CASE("room gradient: the map of a wall of branches is by an admittance beside them") {
  const auto at = [](double beside) {
    const std::string own = fmt::format("branches = [{{ D = 0.002, E = 3.0, F = 900.0 }}, {{ E = {} }}]", 1.0 / beside);
    const std::string text = changed(
        box, {{"max_frequency = 400", "max_frequency = 400\nstencil = \"leggy-2\""}, {"admittance = 0.1", own}});
    return RoomGradient(request_of(text), Names{})({}, loss_of, true);
  };
  const double by = 0.004, difference = (at(0.05 + by).loss - at(0.05 - by).loss) / (2.0 * by);
  CHECK(sum_and_area(at(0.05), "plain").first == Approx(difference).epsilon(0.03));
}
