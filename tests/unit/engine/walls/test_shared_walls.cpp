// Walls that several processes build together, each about its own planes, are those that one process builds.
#include "engine/walls/shared_walls.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <random>

#include "engine/plan/plan_part.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/planning/outline/rank_part.hpp"
#include "engine/voxels/shared/plane_borders.hpp"
#include "engine/walls/cut/shared_nodes.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/meshes/mesh_files.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/meshes/shaft.hpp"
#include "tests/support/rooms/cut_rooms.hpp"
#include "tests/support/rooms/shared_planes.hpp"
#include "tests/support/rooms/slab_plans.hpp"
#include "tests/support/solutions/dense_operator.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

template <class Item, class Key>
void check_parts(const std::vector<Item>& whole, const std::vector<const std::vector<Item>*>& parts, const Key& key) {
  std::vector<decltype(key(whole[0]))> wanted, found;
  for (const Item& one : whole) wanted.push_back(key(one));
  for (const auto* part : parts)
    for (const Item& one : *part) found.push_back(key(one));
  CHECK((wanted == found));
}

void check_secured(const SecuredCut& whole, const std::vector<SecuredCut>& parts) {
  const auto fraction = [](const NodeFraction& one) { return std::pair(one.node, one.fraction); };
  const auto lists = [&](const auto& of) {
    std::vector<decltype(&of(parts[0]))> all;
    for (const SecuredCut& one : parts) all.push_back(&of(one));
    return all;
  };
  const auto masses = [](const SecuredCut& one) -> const auto& { return one.masses; };
  check_parts(whole.masses, lists(masses), fraction);
  for (std::size_t d = 0; d < 3; ++d) {
    check_parts(whole.passages[d], lists([d](const SecuredCut& one) -> const auto& { return one.passages[d]; }),
                fraction);
    check_parts(whole.weights[d], lists([d](const SecuredCut& one) -> const auto& { return one.weights[d]; }),
                fraction);
    check_parts(whole.ends[d], lists([d](const SecuredCut& one) -> const auto& { return one.ends[d]; }), fraction);
  }
  check_parts(whole.links, lists([](const SecuredCut& one) -> const auto& { return one.links; }),
              [](const CutLink& one) { return std::tuple(one.node, one.to, one.axis, one.fraction); });
  check_parts(whole.moved, lists([](const SecuredCut& one) -> const auto& { return one.moved; }),
              [](const MovedWall& one) { return std::tuple(one.from, one.to, one.fraction); });
}

std::string laws() {
  return "[materials.plaster]\nabsorption = { bands = [125, 250, 500], alpha = [0.2, 0.1, 0.06] }\n"
         "[materials.panel]\nbranches = [ { D = 1e-3, E = 0.8, F = 120.0 } ]\n";
}

Scene scene_of(const TemporaryFolder& folder, const Mesh& mesh, const Place& source, const Place& receiver, double h) {
  folder.write("room.obj", as_obj(mesh));
  const std::string text = fmt::format(
      "schema = 1\n[simulation]\nduration = 0.01\ngrid_spacing = {}\ngeometry_error = 10.0\nstencil = "
      "\"leggy-1\"\n[room]\n"
      "mesh = \"room.obj\"\n{}[[source]]\nname = \"s\"\nposition = [{}, {}, {}]\n[[receiver]]\nname = \"r\"\n"
      "position = [{}, {}, {}]\n",
      h, laws(), source[0], source[1], source[2], receiver[0], receiver[1], receiver[2]);
  ParsedScene parsed = parse_scene(text, folder / "scene.toml");
  if (!parsed.problems.empty()) FAIL(parsed.problems[0].message);
  return std::move(parsed.scene);
}

// What `ranks` processes build of the scene's room against the whole plan.
void check_parts_of_ranks(const Scene& scene, const Stencil& stencil, int ranks) {
  const PlanResult planned = make_plan(scene, stencil);
  const Plan& whole = planned.plan;
  const std::vector<PlaneCounts> counts = plane_counts(whole);
  INFO(stencil.name << ", " << whole.grid.size[0] << " x " << whole.grid.size[1] << " x " << whole.grid.size[2] << ", "
                    << ranks << " ranks");
  Plan outline = whole;
  outline.near_wall = {};
  outline.boundary = {};
  outline.boundary.laws = whole.boundary.laws;
  const Voxels voxels = make_room(scene, planned.choice).voxels;
  struct Found {
    std::vector<PlaneCounts> counts;
    std::vector<TapFraction> taps;
    PlanPart part;
  };
  const auto& [x, y, z] = planned.choice.offset;
  const std::vector<int> borders =
      plane_borders(*scene.room.mesh, whole.grid.size, whole.grid.spacing, {-x, -y, -z}, ranks);
  const auto found = in_parts(ranks, [&](PlanePartition partition) {
    omp_set_num_threads(1);  // of this thread's regions
    const int rank = partition.index;
    partition.borders = borders;
    SharedWalls walls(outline, voxels, partition);
    return Found{walls.counts(), walls.tap_fractions(), part_of_mesh(outline, walls, ranks, rank)};
  });
  for (int rank = 0; rank < ranks; ++rank) {
    const Found& one = found[static_cast<std::size_t>(rank)];
    CHECK((one.counts == counts));
    CHECK(one.part.branches == whole.boundary.branch_begin.back());
    check_same(one.part.own, part_of(whole, counts, ranks, rank).own);
    const std::vector<TapFraction> fractions = tap_fractions(whole.boundary);
    REQUIRE(one.taps.size() == fractions.size());
    for (std::size_t i = 0; i < fractions.size(); ++i) {
      CHECK(one.taps[i].taps == fractions[i].taps);
      CHECK(one.taps[i].fraction == fractions[i].fraction);
    }
  }
}

}  // namespace

TEST_CASE("walls cut: processes that share a room secure what one secures", "[walls]") {
  std::mt19937 random(29);
  for (const char* name : {"leggy-1", "leggy-4", "leggy-4/opt1"}) {
    const Stencil& stencil = *find_stencil(name);
    const auto bounds = axis_bounds(on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant}));
    for (const double fraction : {0.85, 0.6}) {
      const Voxels room = cut_room(random_mask({9, 7, 41}, fraction, random), random);
      const SecuredCut whole = secure(room.air, room.cut, bounds);
      REQUIRE(whole.moved.size() > 100);
      REQUIRE(whole.weights[2].size() > 100);
      REQUIRE(whole.links.size() > 100);
      for (const int count : {2, 3, 8, 50}) {  // 8: thinner than what one needs of the others; 50: more than planes
        CAPTURE(name, fraction, count);
        check_secured(whole, in_parts(count, [&](const PlanePartition& planes) {
                        omp_set_num_threads(1);
                        return secure(room.air, room.cut, bounds, planes);
                      }));
      }
    }
  }
}

TEST_CASE("walls cut: processes that share a mesh's room build its walls as one builds them", "[walls]") {
  const TemporaryFolder folder;
  Mesh oblique;
  add_box(oblique, {0, 0, 0}, {1.7, 1.4, 6.1}, {"panel", "panel", "plaster", "panel", "plaster", "panel"}, shaft_skew);
  add_box(oblique, {0.5, 0.4, 2.6}, {1.1, 0.9, 3.7}, {"plaster", "plaster", "panel", "panel", "panel", "plaster"},
          shaft_skew);
  // Walls along z, so that runs reach through all processes; and a room along the grid with a step and a narrow gap.
  Mesh upright, straight;
  const Turn turn = turned(20.0, 0.0);
  add_box(upright, {0, 0, 0}, {1.7, 1.4, 6.1}, {"panel", "panel", "plaster", "panel", "plaster", "panel"}, turn);
  add_box(straight, {0, 0, 0}, {1.7, 1.4, 6.1}, {"panel", "panel", "plaster", "panel", "plaster", "panel"});
  add_box(straight, {0.3, 0.4, 0.0}, {0.9, 0.8, 4.3}, {"plaster", "plaster", "panel", "panel", "", "plaster"});
  struct Case {
    const Mesh& mesh;
    Turn turn;
  };
  for (const auto& [mesh, at] : {Case{oblique, shaft_skew}, {upright, turn}, {straight, unturned}}) {
    const Scene scene = scene_of(folder, mesh, at({1.3, 1.1, 5.1}), at({1.3, 1.1, 1.2}), 0.1);
    for (const char* stencil : {"leggy-1", "leggy-4", "compact-3", "compact-4/radial1", "box-333"}) {
      for (const int ranks : {2, 3}) check_parts_of_ranks(scene, *find_stencil(stencil), ranks);
    }
  }
}
