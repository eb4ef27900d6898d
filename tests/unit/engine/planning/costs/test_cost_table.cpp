#include "engine/planning/costs/cost_table.hpp"

#include <cmath>
#include <set>
#include <string>

#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"

namespace fdtd::test {

TEST_CASE("the cost table has one row for each member of the catalogue, and no figure that is not one") {
  std::set<std::string> members, rows;
  for (const Stencil& stencil : catalogue()) members.insert(stencil.name.substr(0, stencil.name.find('/')));
  for (const CostRow& row : cost_rows()) CHECK(rows.insert(row.member).second);
  CHECK(rows == members);
  for (const CostRow& row : cost_rows())
    for (const auto& of_class : row.triads)
      for (const double cost : of_class) {
        INFO(row.member);
        CHECK(cost > 0.8);
        CHECK(cost < 100.0);
      }
}

TEST_CASE("walls take at least one triad a face, those of a mesh no less than a box's") {
  for (const CostRow& row : cost_rows())
    for (const auto& of_class : row.a_face)
      for (const FaceCost& cost : of_class) {
        INFO(row.member);
        CHECK(cost.box >= 1.0);
        CHECK(cost.mesh >= cost.box);
        CHECK(cost.mesh < 1000.0);
      }
}

TEST_CASE("all variants of a member have its cost, the user's own stencil has none") {
  const Stencil& taylor = *find_stencil("leggy-4");
  const double cost = cost_per_node(taylor, Precision::f32, DeviceClass::cpu_avx512);
  CHECK(cost == cost_per_node(*find_stencil("leggy-4/opt1"), Precision::f32, DeviceClass::cpu_avx512));
  CHECK(cost != cost_per_node(taylor, Precision::f64, DeviceClass::cpu_avx512));
  CHECK(cost != cost_per_node(taylor, Precision::f32, DeviceClass::cpu_baseline));
  Stencil own = taylor;
  own.name = "mine.toml";
  CHECK(std::isinf(cost_per_node(own, Precision::f32, DeviceClass::cpu_avx512)));
  CHECK(cost_per_face(own, Precision::f32, DeviceClass::cpu_avx512, 1.0) == 0.0);
  CHECK(cost_per_face(taylor, Precision::f32, DeviceClass::gpu_9_0, 1.0) ==
        cost_per_face(*find_stencil("leggy-4/opt1"), Precision::f32, DeviceClass::gpu_9_0, 1.0));
}

}  // namespace fdtd::test
