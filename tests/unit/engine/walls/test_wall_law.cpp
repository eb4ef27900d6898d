#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

#include "base/error.hpp"
#include "engine/walls/half_space.hpp"
#include "engine/walls/near_wall_operator.hpp"
#include "engine/walls/wall_law.hpp"
#include "engine/walls/wall_taps.hpp"
#include "engine/walls/wall_waves.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/solutions/plane_wave.hpp"

using namespace fdtd;
using fdtd::test::theoretical_absorption;

namespace {

Grid grid_of(std::array<int, 3> size, std::array<double, 3> spacing) {
  Grid grid;
  grid.size = size;
  grid.spacing = spacing;
  grid.sound_speed = 340.0;
  grid.time_step = 1e-4;
  return grid;
}

MaterialFit fit_of(const std::string& name, std::vector<Branch> branches) {
  MaterialFit fit;
  fit.name = name;
  fit.branches = std::move(branches);
  return fit;
}

// Faces of a 2 x 2 x 1 room: every node lies on a corner; x_min and z_min are soft, y_max harder, the rest rigid.
Voxels small_room() {
  Voxels voxels;
  voxels.materials = {"rigid", "soft", "hard"};
  voxels.faces = {{0, 1.0F, 1, 0}, {0, 1.0F, 0, 2}, {0, 1.0F, 1, 4}, {0, 1.0F, 1, 5},  // node 0: -x, -y, -z, +z
                  {1, 1.0F, 0, 1}, {1, 1.0F, 0, 2},                                    // node 1: rigid only
                  {2, 1.0F, 1, 0}, {2, 0.5F, 2, 3}, {2, 1.0F, 1, 4},                   // node 2: two materials
                  {3, 0.0F, 2, 1}, {3, 1.0F, 2, 3}};                                   // node 3: a face without area
  return voxels;
}

}  // namespace

TEST_CASE("a law in steps is the material's branches behind the inertance of half a cell") {
  const Grid grid = grid_of({4, 4, 4}, {0.068, 0.085, 0.34});
  const MaterialFit fit = fit_of("m", {{1e-3, 0.8, 120.0}, {0.0, 3.0, 0.0}});
  const WallLaw law = plain_wall_law(fit, 2, 1, grid, {});
  CHECK(law.material == 2);
  CHECK(law.axis == 1);
  CHECK(law.inertance == Approx(1.0 / (2.0 * 0.4)));  // lambda_y = 0.034 / 0.085
  REQUIRE(law.branches.size() == 2);
  const double w = std::sqrt(120.0 / 1e-3) * grid.time_step, warp = w / (2.0 * std::tan(w / 2.0));
  CHECK(law.branches[0].D == Approx(10.0 * warp));
  CHECK(law.branches[0].E == 0.8);
  CHECK(law.branches[0].F == Approx(0.012 / warp));
  CHECK(law.branches[1].D == 0.0);
}

TEST_CASE("a discrete branch resonates where the material does") {
  const Grid grid = grid_of({4, 4, 4}, {0.068, 0.068, 0.068});
  const double omega = 2.0 * 3.14159265358979 * 1000.0;  // 5 points a wavelength
  const MaterialFit fit = fit_of("m", {{1e-3, 0.2, 1e-3 * omega * omega}});
  for (bool removal : {false, true}) {
    WallLaw law = plain_wall_law(fit, 0, 0, grid, removal ? FrequencyMap::time() : FrequencyMap());
    law.inertance = 0.0;
    const double truth = omega * grid.time_step, w = removal ? 2.0 * std::asin(truth / 2.0) : truth;
    CHECK(std::abs(discrete_impedance(law, w) - 0.2) < 1e-12);
  }
  // No prewarping far above the frequencies of the grid.
  CHECK(plain_wall_law(fit_of("m", {{1e-6, 1.0, 1e6}}), 0, 0, grid, {}).branches[0].D == Approx(1e-2));
}

TEST_CASE(
    "the discrete wall's random-incidence absorption is the material's within a tenth down to 4 points a wavelength") {
  for (const char* name : {"leggy-2", "leggy-4", "leggy-8", "leggy-8/opt1", "compact-5", "box-222"}) {
    const Stencil& stencil = *find_stencil(name);
    const double c = stencil.courant;
    const GridStencil on = on_grid(stencil, {c, c, c});
    Grid grid = grid_of({4, 4, 4}, {0.1, 0.1, 0.1});
    grid.time_step = c * 0.1 / grid.sound_speed;
    for (double admittance : {0.02, 0.1, 0.4}) {
      const std::vector<MaterialFit> fits = {fit_of("m", {{0.0, 1.0 / admittance, 0.0}})};
      const std::vector<WallLaw> laws = make_wall_laws(fits, grid, on, {});
      const auto law = std::ranges::find_if(laws, [](const WallLaw& one) { return one.axis == 2 && one.inward == 1; });
      REQUIRE(law != laws.end());
      for (double points : {12.0, 6.0, 5.0, 4.0}) {
        const double w = c * 2.0 * 3.14159265358979 / points;
        double sum = 0.0, theory = 0.0;
        for (int i = 0; i < 40; ++i) {
          const double cosine = (i + 0.5) / 40.0;
          const auto space =
              half_space(normal_symbol(on, 2, {w / c * std::sqrt(1.0 - cosine * cosine), 0.0}), w, law->taps);
          if (!space) continue;  // grazing waves that the grid does not have
          sum += cosine * absorption(*space, discrete_impedance(*law, w));
          theory += cosine * theoretical_absorption(1.0 / admittance, cosine);
        }
        CAPTURE(name, admittance, points, sum / theory);
        CHECK(std::abs(sum / theory - 1.0) < 0.1);
      }
    }
  }
}

TEST_CASE("a wall without losses keeps its branches, and none is fitted across an axis without waves") {
  const Grid grid = grid_of({4, 4, 1}, {0.068, 0.068, 0.068});
  const GridStencil on = on_grid(at_courant(*find_stencil("leggy-2"), 0.4), {0.4, 0.4, 0.0});
  const std::vector<MaterialFit> fits = {fit_of("spring", {{1e-3, 0.0, 1e3}}), fit_of("soft", {{0.0, 4.0, 0.0}})};
  for (const WallLaw& law : make_wall_laws(fits, grid, on, {})) {
    CAPTURE(law.material, law.axis, law.inward);
    CHECK(law.inertance >= 0.0);
    if (law.material == 0) {
      REQUIRE(law.branches.size() == 1);
      CHECK(law.branches[0].E == 0.0);
    } else if (law.axis == 2) {
      REQUIRE(law.branches.size() == 1);
      CHECK(law.branches[0].E == 4.0);
      CHECK(law.taps.size() == 1);
    }
  }
}

TEST_CASE("rigid materials have no law and an empty branch is refused") {
  const Grid grid = grid_of({4, 4, 4}, {0.1, 0.1, 0.1});
  CHECK_THROWS_AS(plain_wall_law(fit_of("rigid", {}), 0, 0, grid, {}), std::invalid_argument);
  CHECK_THROWS_AS(plain_wall_law(fit_of("hole", {{0.0, 0.0, 0.0}}), 0, 0, grid, {}), Error);
}

TEST_CASE("faces of one law on one node become one site, several materials several") {
  const Voxels voxels = small_room();
  const Grid grid = grid_of({2, 2, 1}, {0.068, 0.085, 0.17});  // lambda 0.5, 0.4, 0.2
  std::vector<WallLaw> laws;
  const MaterialFit soft = fit_of("soft", {{0.0, 2.0, 0.0}, {1e-4, 4.0, 0.0}}),
                    hard = fit_of("hard", {{0.0, 50.0, 0.0}});
  for (int axis = 0; axis < 3; ++axis) laws.push_back(plain_wall_law(soft, 1, axis, grid, {}));
  for (int axis = 0; axis < 3; ++axis) laws.push_back(plain_wall_law(hard, 2, axis, grid, {}));
  const Boundary boundary = make_boundary(voxels, laws, grid, NearWall{});

  CHECK(boundary.nodes == std::vector<std::uint64_t>{0, 2, 3});
  CHECK(boundary.site_begin == std::vector<std::uint32_t>{0, 2, 5, 6});
  const std::vector<std::pair<std::uint32_t, double>> wanted = {{0, 0.5}, {2, 0.4}, {0, 0.5},
                                                                {2, 0.2}, {4, 0.2}, {4, 0.4}};
  REQUIRE(boundary.sites.size() == wanted.size());
  for (std::size_t s = 0; s < wanted.size(); ++s) {
    CHECK(boundary.sites[s].law == wanted[s].first);
    CHECK(boundary.sites[s].weight == Approx(wanted[s].second));
  }
  CHECK(boundary.branch_begin == std::vector<std::uint64_t>{0, 2, 4, 6, 8, 9, 10});
  CHECK(boundary.inverse_mass.empty());
}

TEST_CASE("masses of the near-wall operator reach the boundary nodes they belong to") {
  const Grid grid = grid_of({2, 2, 1}, {0.068, 0.085, 0.17});
  NearWall near_wall;
  near_wall.masses = {{0, 0.5}, {1, 0.7}, {3, 2.0}};
  const Boundary boundary = make_boundary(small_room(),
                                          {plain_wall_law(fit_of("soft", {{0.0, 2.0, 0.0}}), 1, 0, grid, {}),
                                           plain_wall_law(fit_of("hard", {{0.0, 9.0, 0.0}}), 2, 1, grid, {})},
                                          grid, near_wall);
  CHECK(boundary.nodes == std::vector<std::uint64_t>{0, 2, 3});
  CHECK(boundary.inverse_mass == std::vector<double>{2.0, 1.0, 0.5});
}

TEST_CASE("taps read waves of four points alike at every angle, and take no more nodes than they need") {
  for (const Stencil& stencil : catalogue()) {
    CAPTURE(stencil.name);
    const double c = stencil.courant;
    const GridStencil on = on_grid(stencil, {c, c, c});
    const WallTaps taps = make_wall_taps(on, 2, four_points(on));
    double sum = 0.0;
    for (double b : taps.taps) sum += b;
    CHECK(sum == Approx(1.0).margin(1e-14));
    CHECK(taps.taps.size() == 3);
    CHECK(taps.spread < 0.02);
    CHECK(fit_wall_taps(on, 2, four_points(on), 1).spread > 0.3);
    CHECK(make_wall_taps(on, 2, 0.5 * four_points(on)).taps.size() == 2);
  }
}

TEST_CASE("the taps that the program knows are what the search finds for the shortest waves that they read") {
  const double c = 0.4;
  const GridStencil on = on_grid(at_courant(*find_stencil("leggy-4/warp1"), c), {c, c, c});
  constexpr double digits = 1e-7;  // another compiler's rounding
  for (int count = 2; count <= max_wall_taps; ++count) {
    CAPTURE(count);
    const WallTaps known = fit_wall_taps(on, 0, 1.04 * c * readable_edge(count), count);
    const WallTaps found = search_wall_taps(readable_edge(count), count);
    CHECK(known.edge == found.edge);
    CHECK(known.spread == Approx(found.spread).epsilon(digits));
    REQUIRE(known.taps.size() == found.taps.size());
    for (std::size_t j = 0; j < known.taps.size(); ++j) CHECK(known.taps[j] == Approx(found.taps[j]).margin(digits));
  }
}

TEST_CASE("taps that do not suffice for the shortest waves are made for those that they can read") {
  const double c = 0.4;
  const GridStencil on = on_grid(at_courant(*find_stencil("leggy-4/warp1"), c), {c, c, c});
  const double pi = 3.14159265358979;
  for (const int count : {2, 3, 4, 5, 6, 7, 8}) {
    // Of waves of 2.1 points, and of those that are a step shorter than the ones that they can read.
    const WallTaps taps = fit_wall_taps(on, 0, 4.0 / 2.1 * four_points(on), count);
    const WallTaps shorter = fit_wall_taps(on, 0, taps.edge / 0.971 * c, count);
    CAPTURE(count, taps.spread, taps.edge);
    CHECK(taps.taps.size() == static_cast<std::size_t>(count));
    CHECK(taps.spread < 0.07);
    CHECK(shorter.edge > taps.edge);
    CHECK(shorter.spread > 0.068);
  }
  const WallTaps most = make_wall_taps(on, 0, 4.0 / 2.1 * four_points(on));
  CHECK(most.taps.size() == max_wall_taps);
  CHECK(most.edge > 2.0 * pi / 2.4);
  CHECK(most.edge < 2.0 * pi / 2.2);
}

TEST_CASE("walls of a smaller wall_error take more taps, and narrow rooms leave room for fewer") {
  const double c = 0.4;
  const GridStencil on = on_grid(at_courant(*find_stencil("leggy-4/warp1"), c), {c, c, c});
  const double highest = 4.0 / 3.0 * four_points(on);
  const std::size_t usual = make_wall_taps(on, 0, highest).taps.size();
  const std::size_t strict = make_wall_taps(on, 0, highest, {0.03}).taps.size();
  CHECK(usual == 4);
  CHECK(strict > usual);
  CHECK(make_wall_taps(on, 0, highest, {0.03}).spread < 0.012);
  CHECK(make_wall_taps(on, 0, highest, {0.3}).taps.size() < usual);
  CHECK(make_wall_taps(on, 0, 4.0 / 2.3 * four_points(on), {0.1, 5}).taps.size() == 5);
  CHECK(room_for_taps({40, 32, 26}) == max_wall_taps);
  CHECK(room_for_taps({40, 13, 26}) == 6);
  CHECK(room_for_taps({40, 13, 1}) == 6);
  CHECK(room_for_taps({40, 4, 26}) == few_wall_taps);
}

TEST_CASE("walls take as many taps as the shortest wave needs, no more") {
  const double c = 0.4;
  const GridStencil on = on_grid(at_courant(*find_stencil("leggy-4/warp1"), c), {c, c, c});
  const auto taps_for = [&](double points) { return make_wall_taps(on, 0, 4.0 / points * four_points(on)); };
  for (const auto& [points, count] : {std::pair{8.0, 2U},
                                      {6.0, 2U},
                                      {5.0, 3U},
                                      {3.4, 3U},
                                      {3.2, 4U},
                                      {2.9, 4U},
                                      {2.7, 5U},
                                      {2.55, 6U},
                                      {2.4, 7U},
                                      {2.28, 8U}}) {
    const WallTaps taps = taps_for(points);
    CAPTURE(points, taps.spread);
    CHECK(taps.taps.size() == count);
    CHECK(taps.spread < (points > 2.3 ? 0.04 : 0.07));
    CHECK(taps.edge == Approx(2.0 * 3.14159265358979 / points).epsilon(1e-9));
  }
}

namespace {

// A closed box of air, all six walls of one material.
Voxels soft_box(std::array<int, 3> size) {
  Voxels voxels;
  voxels.materials = {"soft"};
  voxels.air = AirMask(size, std::vector<char>(static_cast<std::size_t>(size[0] * size[1] * size[2]), 1));
  for (int z = 0, node = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y)
      for (int x = 0; x < size[0]; ++x, ++node) {
        const std::array<bool, 6> wall = {x == 0, x == size[0] - 1, y == 0, y == size[1] - 1, z == 0, z == size[2] - 1};
        for (std::uint8_t side = 0; side < 6; ++side)
          if (wall[side]) voxels.faces.push_back({static_cast<std::uint64_t>(node), 1.0F, 0, side});
      }
  return voxels;
}

// By boundary node: a number that only the nodes of its group share.
std::vector<std::size_t> owners_of(const Boundary& boundary) {
  std::vector<std::size_t> owners(boundary.nodes.size());
  for (std::size_t i = 0; i < owners.size(); ++i) owners[i] = boundary.groups() + i;
  for (std::size_t g = 0; g < boundary.groups(); ++g)
    for (std::uint32_t m = boundary.coupled_begin[g]; m < boundary.coupled_begin[g + 1]; ++m)
      owners[boundary.coupled[m]] = g;
  return owners;
}

}  // namespace

TEST_CASE("walls read three nodes at edges and in corners too, in groups, and no area is lost") {
  const std::array<int, 3> size = {12, 9, 7};
  const Grid grid = grid_of(size, {0.1, 0.1, 0.1});
  const double c = grid.courant();
  const GridStencil stencil = on_grid(at_courant(*find_stencil("leggy-4"), c), {c, c, c});
  const std::vector<MaterialFit> fits = {fit_of("soft", {{0.0, 20.0, 0.0}})};
  NearWall near_wall;
  const std::uint64_t heavy = 5 + 12 * (4 + 9 * 1);  // one cell above the floor: its column keeps the plain law
  near_wall.masses = {{heavy, 0.9}};
  const Boundary boundary = make_boundary(soft_box(size), make_wall_laws(fits, grid, stencil, {}), grid, near_wall);

  const std::vector<std::size_t> owners = owners_of(boundary);
  std::map<std::uint64_t, std::set<std::size_t>> uses;
  std::array<int, 3> wide_by_axis{};
  std::array<double, 3> weight_by_axis{};
  for (std::size_t i = 0; i < boundary.nodes.size(); ++i) {
    for (std::uint32_t s = boundary.site_begin[i]; s < boundary.site_begin[i + 1]; ++s) {
      const WallLaw& law = boundary.laws[boundary.sites[s].law];
      weight_by_axis[static_cast<std::size_t>(law.axis)] += boundary.sites[s].weight;
      if (law.taps.size() == 1) {
        CHECK(law.inward == 0);
        continue;
      }
      CHECK(boundary.site_begin[i + 1] - boundary.site_begin[i] == 1);
      ++wide_by_axis[static_cast<std::size_t>(law.axis)];
      const std::array<std::int64_t, 3> stride = {1, 12, 108};
      for (std::int64_t j = 0; j < 3; ++j) {
        const auto node =
            static_cast<std::int64_t>(boundary.nodes[i]) + j * law.inward * stride[static_cast<std::size_t>(law.axis)];
        REQUIRE(node >= 0);
        REQUIRE(node < 12 * 9 * 7);
        CHECK(static_cast<std::uint64_t>(node) != heavy);
        uses[static_cast<std::uint64_t>(node)].insert(owners[i]);
      }
    }
    if (boundary.site_begin[i + 1] - boundary.site_begin[i] > 1) uses[boundary.nodes[i]].insert(owners[i]);
  }
  for (const auto& [node, by] : uses) CHECK(by.size() == 1);
  // All sites but that of the heavy node's column.
  CHECK(wide_by_axis == std::array<int, 3>{2 * 9 * 7, 2 * 12 * 7, 2 * 12 * 9 - 1});
  CHECK(weight_by_axis[0] == Approx(c * 2 * 9 * 7));
  CHECK(weight_by_axis[1] == Approx(c * 2 * 12 * 7));
  CHECK(weight_by_axis[2] == Approx(c * 2 * 12 * 9));
}

TEST_CASE("walls of eight taps fill edges and corners of a box, read few where it is narrow, and lose no area") {
  for (const std::array<int, 3> size : {std::array{26, 24, 28}, {23, 25, 21}, {40, 13, 24}, {9, 12, 5}, {30, 30, 18}}) {
    const Grid grid = grid_of(size, {0.1, 0.1, 0.1});
    const double c = grid.courant();
    const GridStencil stencil = on_grid(at_courant(*find_stencil("leggy-4"), c), {c, c, c});
    const std::vector<MaterialFit> fits = {fit_of("soft", {{0.0, 20.0, 0.0}})};
    const double highest = 2.3;  // points a wavelength
    const double max_frequency = grid.sound_speed / (highest * 0.1);
    // Laws of a room that is wide everywhere, as a mesh with such gaps has.
    const std::vector<WallLaw> laws =
        make_wall_laws(fits, grid_of({40, 40, 40}, {0.1, 0.1, 0.1}), stencil, {}, max_frequency);
    REQUIRE(laws.size() == 15);
    CHECK(widest_laws(laws).size() == 9);
    if (size == std::array{40, 13, 24}) {  // its own walls all read six nodes, but for corners
      const std::vector<WallLaw> own = make_wall_laws(fits, grid, stencil, {}, max_frequency);
      for (const TapFraction& one : tap_fractions(make_boundary(soft_box(size), own, grid, NearWall{})))
        CHECK((one.taps == 6 ? one.fraction > 0.8 : one.fraction < 0.15));
    }
    const Boundary boundary = make_boundary(soft_box(size), laws, grid, NearWall{});
    CAPTURE(size[0], size[1], size[2]);
    const std::vector<std::size_t> owners = owners_of(boundary);
    std::vector<std::set<std::size_t>> uses(static_cast<std::size_t>(grid.nodes()));
    std::array<double, 3> weight_by_axis{};
    std::map<std::size_t, double> weight_by_taps;
    const std::array<std::int64_t, 3> stride = {1, size[0], std::int64_t{size[0]} * size[1]};
    for (std::size_t i = 0; i < boundary.nodes.size(); ++i) {
      for (std::uint32_t s = boundary.site_begin[i]; s < boundary.site_begin[i + 1]; ++s) {
        const WallLaw& law = boundary.laws[boundary.sites[s].law];
        weight_by_axis[static_cast<std::size_t>(law.axis)] += boundary.sites[s].weight;
        weight_by_taps[law.taps.size()] += boundary.sites[s].weight;
        for (std::size_t j = 0; j < law.taps.size(); ++j) {
          const auto node = static_cast<std::int64_t>(boundary.nodes[i]) +
                            static_cast<std::int64_t>(j) * law.inward * stride[static_cast<std::size_t>(law.axis)];
          REQUIRE(node >= 0);
          REQUIRE(node < grid.nodes());
          uses[static_cast<std::size_t>(node)].insert(owners[i]);
        }
      }
    }
    for (const auto& by : uses) REQUIRE(by.size() <= 1);
    const double all = weight_by_axis[0] + weight_by_axis[1] + weight_by_axis[2];
    CHECK(weight_by_axis[0] == Approx(c * 2 * size[1] * size[2]));
    CHECK(weight_by_axis[1] == Approx(c * 2 * size[0] * size[2]));
    CHECK(weight_by_axis[2] == Approx(c * 2 * size[0] * size[1]));
    if (std::ranges::min(size) >= 16) CHECK(weight_by_taps[8] == Approx(all));  // edges and corners too
    if (size == std::array{40, 13, 24}) {  // less than twice eight between two walls
      CHECK(weight_by_taps[8] > 0.1 * all);
      CHECK(weight_by_taps[3] > 0.3 * all);
    }
    if (size == std::array{9, 12, 5}) CHECK(weight_by_taps[8] == 0.0);
    for (const TapFraction& one : tap_fractions(boundary))
      CHECK(one.fraction == Approx(weight_by_taps.at(static_cast<std::size_t>(one.taps)) / all).margin(1e-6));
    CHECK(weight_by_taps[8] + weight_by_taps[3] + weight_by_taps[1] == Approx(all));
    CHECK(weight_by_taps[1] < (size[2] == 5 ? 0.8 : 0.1) * all);
  }
}

TEST_CASE("walls read no node behind a surface without thickness") {
  const std::array<int, 3> size = {20, 18, 16};
  const Grid grid = grid_of(size, {0.1, 0.1, 0.1});
  const double c = grid.courant();
  const GridStencil stencil = on_grid(at_courant(*find_stencil("leggy-4"), c), {c, c, c});
  const std::vector<MaterialFit> fits = {fit_of("soft", {{0.0, 20.0, 0.0}})};
  const std::vector<WallLaw> laws = make_wall_laws(fits, grid, stencil, {});
  const auto read_through = [&](int cells) {  // a sheet so many cells before the wall at x = 0
    Voxels room = soft_box(size);
    for (int z = 0; z < size[2]; ++z)
      for (int y = 0; y < size[1]; ++y)
        room.cut.passages[0].push_back({static_cast<std::uint64_t>(cells - 1 + 20 * (y + 18 * z)), 0.0F});
    const Boundary boundary = make_boundary(room, laws, grid, NearWall{});
    std::array<int, 2> sites{};  // that read several nodes across x from the wall at x = 0; of them, through the sheet
    for (std::size_t i = 0; i < boundary.nodes.size(); ++i)
      for (std::uint32_t s = boundary.site_begin[i]; s < boundary.site_begin[i + 1]; ++s) {
        const WallLaw& law = boundary.laws[boundary.sites[s].law];
        if (law.axis != 0 || law.inward != 1) continue;
        ++sites[0];
        if (static_cast<int>(law.taps.size()) > cells) ++sites[1];
      }
    return sites;
  };
  CHECK(read_through(10)[0] > 100);
  CHECK(read_through(10)[1] == 0);
  CHECK(read_through(2) == std::array{0, 0});
}

TEST_CASE("area of a wall that has been moved to a node without one is read there") {
  const std::array<int, 3> size = {20, 18, 16};
  const Grid grid = grid_of(size, {0.1, 0.1, 0.1});
  const double c = grid.courant();
  const GridStencil stencil = on_grid(at_courant(*find_stencil("leggy-4"), c), {c, c, c});
  const std::vector<MaterialFit> fits = {fit_of("soft", {{0.0, 20.0, 0.0}})};
  const std::vector<WallLaw> laws = make_wall_laws(fits, grid, stencil, {});
  const std::uint64_t middle = 10 + 20 * (9 + 18 * 8);
  for (std::uint8_t side = 0; side < 6; ++side) {
    CAPTURE(static_cast<int>(side));
    Voxels room = voxels_of(AirMask(size), grid.spacing, "soft");
    room.faces = {{middle, 0.1F, 0, side}};
    const Boundary boundary = make_boundary(room, laws, grid, NearWall{});
    REQUIRE(boundary.sites.size() == 1);
    CHECK(boundary.nodes == std::vector<std::uint64_t>{middle});
    CHECK(boundary.laws[boundary.sites[0].law].taps.size() == 1);
  }
}
