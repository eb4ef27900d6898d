#include "tests/support/catch.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/session/room_gradient.hpp"
#include "tests/support/files.hpp"

using namespace fdtd;

namespace {

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

double loss_of(const Rendered& rendered, const std::vector<std::string>&, const std::vector<std::string>&,
               std::span<double> slopes) {
  return late_energy(rendered, slopes);
}

}  // namespace

TEST_CASE("room gradient: by absorption and admittance it is the difference of losses") {
  RoomGradient room(request_of(box), {"soft", "plain"});
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
  RoomGradient room(request_of(text), {"soft", "hard", "plain"});
  const double ends[] = {1e-6, 0.01, 0.95, 1.0};
  for (const unsigned i : {0u, 2u}) {
    std::vector<double> values;
    for (unsigned k = 0; k < room.parameters().size(); ++k) values.push_back(ends[(i + 3 * (k % 2)) % 4]);
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
  RoomGradient plain(request_of(box), {"plain"}), array(weighed, {"plain"});
  const ParameterSlopes one = plain(std::vector<double>{0.1}, loss_of, false),
                        nine = array(std::vector<double>{0.1}, loss_of, false);
  CHECK(nine.loss == Approx(9.0 * one.loss).epsilon(1e-12));
  CHECK(nine.slopes[0] == Approx(9.0 * one.slopes[0]).epsilon(1e-12));
  const std::vector<double> ir = plain.responses(std::vector<double>{0.1}).ir;
  CHECK(array.responses(std::vector<double>{0.1}).ir[500] == Approx(-3.0 * ir[500]).epsilon(1e-12));
}

TEST_CASE("room gradient: materials and scenes without one are refused") {
  CHECK_THROWS_AS(RoomGradient(request_of(box), {"none"}), Error);
  std::string above = box;
  above.replace(above.find("\"none\""), 6, "\"rays\"");
  CHECK_THROWS_WITH(RoomGradient(request_of(above), {"soft"}), Catch::Contains("waves alone"));
  RoomGradient room(request_of(box), {"soft"});
  CHECK_THROWS_AS(room(std::vector<double>{0.1}, loss_of, false), Error);
  CHECK_THROWS_AS(room(std::vector<double>{0.1, 1.5}, loss_of, false), Error);
}

TEST_CASE("room gradient: the map's sum over a wall is the derivative by an admittance beside its law") {
  RoomGradient room(request_of(box), {"plain"});
  const ParameterSlopes found = room(std::vector<double>{0.1}, loss_of, true);
  REQUIRE(found.map);
  double sum = 0.0, area = 0.0;
  for (std::size_t i = 0; i < found.map->value.size(); ++i) {
    if (found.map_materials[static_cast<std::size_t>(found.map->material[i])] != "plain") continue;
    sum += found.map->value[i] * found.map->area[i];
    area += found.map->area[i];
  }
  CHECK(area == Approx(2.0 * 1.5).epsilon(0.1));
  CHECK(sum == Approx(found.slopes[0]).epsilon(0.05));
}
