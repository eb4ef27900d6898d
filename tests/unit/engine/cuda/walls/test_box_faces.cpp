// The faces that are updated by a launch of their own: found where they are, left where they are not, and worked to the
// same bits.
#include <set>

#include "tests/support/catch.hpp"
#include "tests/support/rooms/box_walls.hpp"
#include "tests/unit/engine/cuda/host_room.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

using Offsets = std::vector<std::uint32_t>;

// Rows of a mask, '#' a node, at these steps in the array.
Offsets offsets_of(const std::vector<std::string>& mask, std::uint32_t step, std::uint32_t row) {
  Offsets offsets;
  for (std::uint32_t b = 0; b < mask.size(); ++b)
    for (std::uint32_t a = 0; a < mask[b].size(); ++a)
      if (mask[b][a] == '#') offsets.push_back(a * step + b * row);
  for (std::size_t i = offsets.size(); i-- > 0;) offsets[i] -= offsets[0];
  return offsets;
}

// Axes of the walls that were taken.
template <class T>
std::multiset<int> axes_of(const Plan& plan, const HostRoom<T>& room) {
  std::multiset<int> axes;
  for (std::size_t f = 0; f < room.faces.size(); ++f) {
    const auto& g = room.sites.groups[room.sites.groups.size() - room.faces.size() + f];
    axes.insert(plan.boundary.laws[room.sites.law_list[g.laws]].axis);
  }
  return axes;
}

// Returns how many taps the faces have.
template <class T>
std::uint32_t check_same_bits(const Plan& plan, std::size_t faces, std::mt19937& random) {
  const State start = random_state(plan, random);
  const auto values = [&](const std::vector<std::byte>& bytes) { return values_of(bytes, plan.precision); };
  const ImageWalls mirror = image_walls_of(plan, whole(plan));
  HostRoom<T> taken(plan, mirror), left(plan, mirror, ~std::uint64_t{0});
  REQUIRE(taken.faces.size() == faces);
  REQUIRE(left.faces.empty());
  std::uint32_t coupled = 0;
  for (const auto& g : left.sites.groups)
    if (g.is_coupled) coupled += g.stride / cuda::boundary_threads;
  CHECK(coupled > 0);
  CHECK(left.sites.general_blocks + left.sites.long_blocks + coupled == left.sites.group_of_block.size());
  for (HostRoom<T>* room : {&taken, &left}) {
    room->start(values(start.u_now), values(start.u_before), values(start.branches.V), values(start.branches.G));
    for (int n = 0; n < 6; ++n) room->step({});
  }
  CHECK((taken.now() == left.now()));
  CHECK((taken.branches(taken.V) == left.branches(left.V)));
  CHECK((taken.branches(taken.G) == left.branches(left.G)));
  CHECK((taken.dissipated == left.dissipated));
  CHECK((taken.stored() == left.stored()));
  return taken.faces[0].taps;
}

}  // namespace

TEST_CASE("nodes of a rectangle are found by arithmetic") {
  for (const std::uint32_t width : {2U, 3U, 4U, 7U, 31U, 32U, 33U, 499U, 601U, 1024U, 65535U, 65537U}) {
    Offsets offsets;
    for (std::uint32_t i = 0; i < 5 * width / 2; ++i) offsets.push_back(i % width * 3 + i / width * 1000003);
    const auto found = cuda::rectangle_of(offsets);
    CAPTURE(width);
    REQUIRE(found);
    CHECK(found->width == width);
    for (std::uint32_t i = 0; i < offsets.size(); ++i) REQUIRE(found->offset(i) == offsets[i]);
    // Far behind them as well, on either side of where a row begins.
    const std::uint32_t last = ((1U << 31U) - 1) / width * width;
    for (std::uint32_t row = last / width, n = 0; n < 1000 && row > 0; ++n, --row)
      for (const std::uint32_t i : {row * width - 1, row * width})
        REQUIRE(found->offset(i) == i % width * 3 + i / width * 1000003);
  }
}

TEST_CASE("what is no rectangle is not taken for one") {
  CHECK(cuda::rectangle_of(offsets_of({"####", "####", "####"}, 1, 40)));
  CHECK(cuda::rectangle_of(offsets_of({"####", "####", "##"}, 40, 900)));
  CHECK(cuda::rectangle_of(offsets_of({"####"}, 40, 900)));
  CHECK(!cuda::rectangle_of(offsets_of({"####", "####", "##", "##"}, 1, 40)));
  CHECK(!cuda::rectangle_of(offsets_of({"##", "##", "####", "####"}, 1, 40)));
  CHECK(!cuda::rectangle_of(offsets_of({"#####", "##.##", "#####"}, 1, 40)));
  CHECK(!cuda::rectangle_of(offsets_of({"#####", "#...#", "#####"}, 1, 40)));
  CHECK(!cuda::rectangle_of(offsets_of({"####", "####", "", "####"}, 1, 40)));
  CHECK(!cuda::rectangle_of(offsets_of({"#"}, 1, 40)));
  CHECK(!cuda::rectangle_of({}));
}

TEST_CASE("faces that are taken stand last, every node where its group has it") {
  RoomSpec spec;
  spec.size = {40, 33, 37};
  spec.stencil = "leggy-4";
  const Plan plan = box_plan(spec, {"1", "2", "3", "4", "5", "1"});
  const HostRoom<double> room(plan, image_walls_of(plan, whole(plan)));
  const auto& sites = room.sites;
  REQUIRE(room.faces.size() == 6);
  CHECK((axes_of(plan, room) == std::multiset<int>{0, 0, 1, 1, 2, 2}));
  std::uint32_t blocks = sites.general_blocks + sites.long_blocks;
  for (const auto& g : sites.groups)
    if (g.is_coupled) blocks += g.stride / cuda::boundary_threads;
  for (std::size_t f = 0; f < 6; ++f) {
    const auto& face = room.faces[f];
    const auto& g = sites.groups[sites.groups.size() - 6 + f];
    REQUIRE((face.node == g.node && face.state == g.state && face.count == g.count));
    REQUIRE(blocks == g.first_block);
    blocks += g.stride / cuda::boundary_threads;
    REQUIRE(g.node == std::uint64_t{g.first_block} * cuda::boundary_threads);
    for (std::uint32_t i = 0; i < g.count; ++i) {
      REQUIRE(face.base + face.first + face.place.offset(i) == g.base + sites.node_offset[g.node + i]);
      REQUIRE(room.layout().offset(plan.boundary.nodes[sites.member[g.node + i]]) ==
              g.base + sites.node_offset[g.node + i]);
    }
  }
  CHECK(blocks == sites.group_of_block.size());
  // The smallest number that makes them worth it.
  std::uint64_t nodes = 0;
  for (const auto& face : room.faces) nodes += face.count;
  CHECK(HostRoom<double>(plan, image_walls_of(plan, whole(plan)), nodes).faces.size() == 6);
  CHECK(HostRoom<double>(plan, image_walls_of(plan, whole(plan)), nodes + 1).faces.empty());
}

TEST_CASE("the launch of faces comes to every block once, and to all faces early") {
  for (const std::array<int, 3> size : {std::array{40, 33, 37}, {140, 130, 150}, {200, 9, 11}}) {
    RoomSpec spec;
    spec.size = size;
    spec.stencil = "leggy-1";
    const Plan plan = box_plan(spec, {"1", "1", "1", "1", "1", "1"});
    const HostRoom<float> room(plan, image_walls_of(plan, whole(plan)));
    const auto view = cuda::view_of(room.faces, cuda::BoundaryView<float>{});
    REQUIRE(view.blocks > 0);
    std::set<std::uint32_t> blocks, faces;
    for (std::uint32_t n = 0; n < view.blocks; ++n) {
      blocks.insert(view.block_at(n));
      if (n < view.blocks / 2) faces.insert(view.face_of(view.block_at(n)));
    }
    CHECK(blocks.size() == view.blocks);
    CHECK(*blocks.rbegin() == view.blocks - 1);
    if (size[0] == 140) CHECK(faces.size() == 6);
  }
}

TEST_CASE("faces of other shapes are left to their groups") {
  const ImageWalls mirror{true, true, true};
  RoomSpec spec;
  spec.size = {40, 33, 37};
  spec.stencil = "leggy-4";
  const auto plan_with = [&](const auto& is_wall) {
    spec.air.assign(40UL * 33 * 37, 1);
    for (int z = 0; z < 37; ++z)
      for (int y = 0; y < 33; ++y)
        for (int x = 0; x < 40; ++x) spec.air[node_of(spec.size, x, y, z)] = is_wall(x, y, z) ? 0 : 1;
    Plan plan = plan_of(spec);
    plan.boundary = make_boundary(voxels_of(plan.air, plan.grid.spacing, "2"), fits_named({"2"}), plan.grid,
                                  plan.stencil, plan.near_wall, {});
    return plan;
  };
  // An L: its floor and ceiling are one, and of two walls each lies in two planes.
  const Plan bent = plan_with([](int x, int y, int) { return x >= 25 && y >= 20; });
  CHECK((axes_of(bent, HostRoom<double>(bent, mirror)) == std::multiset<int>{0, 1}));
  // A block on the floor, which so has a hole.
  const Plan hole = plan_with([](int x, int y, int z) { return x > 15 && x < 25 && y > 12 && y < 20 && z < 18; });
  CHECK((axes_of(hole, HostRoom<double>(hole, mirror)) == std::multiset<int>{2}));
}

TEST_CASE("faces updated on their own and by their groups have the same bits") {
  std::mt19937 random(3);
  std::set<std::uint32_t> taps;
  for (const char* stencil : {"leggy-1", "leggy-4", "box-222"}) {
    RoomSpec spec;
    spec.size = {40, 33, 25};
    spec.stencil = stencil;
    INFO(stencil);
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      spec.precision = precision;
      const auto check = [&](const Plan& plan, std::size_t faces) {
        taps.insert(precision == Precision::f32 ? check_same_bits<float>(plan, faces, random)
                                                : check_same_bits<double>(plan, faces, random));
      };
      Plan plan = box_plan(spec, {"1", "2", "3", "4", "5", "1"});
      check(plan, 6);
      // A launch's faces have taps in common.
      const Voxels voxels = voxelise_box(spec.size, plan.grid.spacing, {"1", "2", "3", "4", "5", "1"});
      std::vector<WallLaw> laws = plan.boundary.laws;
      std::size_t shorter = 0;
      for (WallLaw& law : laws)
        if (law.axis == 0 && law.taps.size() == 3) law.taps = {1.3, -0.3}, ++shorter;
      REQUIRE(shorter > 0);
      plan.boundary = make_boundary(voxels, laws, plan.grid, plan.near_wall);
      check(plan, 4);
      for (WallLaw& law : laws)
        if (law.taps.size() == 3) law.taps = {1.3, -0.3};
      plan.boundary = make_boundary(voxels, laws, plan.grid, plan.near_wall);
      check(plan, 6);
      // Of so many nodes that corrections are another launch's.
      check(box_plan(spec, {"1", "2", "3", "4", "5", "1"}, false, 2.3), 6);
      check(box_plan(spec, {"1", "2", "3", "4", "5", "1"}, false, 3.0), 6);
      // Ten walls of their own: two more than a launch takes.
      check(box_plan(spec, {"1", "2", "3", "4", "5", "1"}, true), cuda::max_faces);
    }
  }
  CHECK((taps == std::set<std::uint32_t>{2, 3, 4, 8}));
}
