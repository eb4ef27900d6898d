// Scenes of very many receivers: what they take is that of a scene of a few, and a little for each.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"
#include "tests/support/sanitized.hpp"

using namespace fdtd::test;

namespace {

std::string hall(const std::string& receivers) {
  return R"(schema = 1
simulation = { duration = 0.002, max_frequency = 150.0, stencil = "leggy-1" }
room.box = [30.0, 24.0, 9.0]
room.walls = { default = "plasterboard" }
source = [{ name = "S1", position = [1.2, 1.5, 1.4] }]
)" + receivers;
}

std::string line(int count) {
  return hall("[[receiver]]\nname = \"R\"\nline = { from = [3.0, 2.0, 1.0], to = [28.0, 22.0, 8.0], count = " +
              std::to_string(count) + " }\n");
}

std::string grid(int side) {
  return hall(
      fmt::format("[[receiver]]\nname = \"R\"\ngrid = {{ from = [3.0, 2.0, 1.0], to = [28.0, 22.0, 8.0], "
                  "count = [{0}, {0}, 10] }}\n",
                  side));
}

std::string entries(int count) {
  std::string list;
  for (int i = 0; i < count; ++i)
    list += fmt::format("[[receiver]]\nname = \"R{}\"\nposition = [{}, {}, {}]\n", i, 2 + i % 25, 2 + i / 25 % 20,
                        1 + i / 500 % 7);
  return hall(list);
}

Outcome planned(const std::string& scene) {
  TemporaryFolder folder;
  folder.write("room.toml", scene);
  Outcome outcome = run_fdtd({"plan", "room.toml"}, folder.path(), {{"OMP_NUM_THREADS", "1"}});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return outcome;
}

// Of a scene with `times` as many receivers: not even four times the few's processor time and memory. With the weights
// of all receivers on nodes and a decay expected at each, a hundred times as many took 40 times of both.
void check_growth(const std::string& few_receivers, const std::string& many_receivers) {
  const Outcome few = planned(few_receivers), many = planned(many_receivers);
  CAPTURE(few.seconds, many.seconds, few.peak_bytes, many.peak_bytes);
  CHECK(many.seconds < 4.0 * few.seconds);
  CHECK(many.peak_bytes < 4 * few.peak_bytes * times_memory);
}

}  // namespace

TEST_CASE("A plan of a hundred times the receivers of a line or a grid takes little more", "[many_receivers]") {
  check_growth(line(1000), line(100'000));
  check_growth(grid(10), grid(100));
}

TEST_CASE("A scene of twenty thousand tables of receivers is read in linear time", "[many_receivers]") {
  check_growth(entries(2000), entries(20'000));
}

// Axis sums are shared by the sixteen channels of a place; with sums for each channel a hundred took 16 times the plan
// of a hundred nodes.
TEST_CASE("Ambisonic receivers of order 3 are planned at some times the cost of nodes", "[many_receivers]") {
  const auto scene = [](const std::string& keys) {
    std::string list;
    for (int i = 0; i < 100; ++i)
      list += fmt::format("[[receiver]]\nname = \"R{}\"\nposition = [{:.3f}, {:.3f}, {:.3f}]\n{}", i, 2.0 + 0.2371 * i,
                          2.0 + 0.1973 * (i * 37 % 100), 1.0 + 0.0613 * (i * 61 % 100), keys);
    return hall(list);
  };
  const Outcome nodes = planned(scene("")), ambisonic = planned(scene("pattern = \"ambisonic\"\norder = 3\n"));
  CAPTURE(nodes.seconds, ambisonic.seconds);
  CHECK(ambisonic.seconds < 8.0 * nodes.seconds);
}
