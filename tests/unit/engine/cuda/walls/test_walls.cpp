// The tables that walls become for the GPU, and the lines that its threads run, on the host against the reference.
#include <algorithm>
#include <bit>
#include <set>

#include "engine/cpu/make_backend.hpp"
#include "engine/walls/wall_law.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/rooms.hpp"
#include "tests/unit/engine/cuda/host_room.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

// Largest difference over the largest value.
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::abs(a[i] - b[i]));
    largest = std::max(largest, std::abs(b[i]));
  }
  return most == 0.0 ? 0.0 : most / largest;
}

template <class T>
void check_room(const Plan& plan, std::mt19937& random, bool faces, const ImageWalls& mirror = {}) {
  const State start = random_state(plan, random);
  const Drive drive = random_drive(plan, 20, random);
  const auto reference = make_reference_backend();
  reference->load(plan, whole(plan));
  reference->restore(start);
  Samples samples;
  reference->advance(drive, samples);
  State truth;
  reference->save(truth);
  const std::vector<Energy> energies = reference->energies();

  HostRoom<T> room(plan, mirror);
  const bool has_faces =
      std::any_of(room.sites.groups.begin(), room.sites.groups.end(), [](auto& g) { return g.is_face; });
  CHECK((has_faces || !faces));
  CHECK(room.faces.empty() == !faces);
  const auto values = [&](const std::vector<std::byte>& bytes) { return values_of(bytes, plan.precision); };
  room.start(values(start.u_now), values(start.u_before), values(start.branches.V), values(start.branches.G));
  for (std::size_t n = 0; n < 20; ++n) {
    std::vector<double> force;
    for (std::size_t s = 0; s < plan.sources.size(); ++s) force.push_back(drive.f[s * 20 + n]);
    room.step(force);
  }
  const double tolerance = plan.precision == Precision::f64 ? 1e-13 : 8e-6;
  CHECK(difference(room.now(), values(truth.u_now)) < tolerance);
  CHECK(difference(room.branches(room.V), values(truth.branches.V)) < tolerance);
  CHECK(difference(room.branches(room.G), values(truth.branches.G)) < tolerance);
  const Energy energy = sum_of(energies);
  const double scale = std::abs(energy.stored) + std::abs(energy.injected) + energy.dissipated;
  const std::vector<double> stored = room.stored();
  REQUIRE(stored.size() == energies.size());
  for (std::size_t l = 0; l < stored.size(); ++l) {
    CHECK(std::abs(stored[l] - energies[l].stored) < 10 * tolerance * scale);
    CHECK(std::abs(room.injected[l] - energies[l].injected) < 10 * tolerance * scale);
    CHECK(std::abs(room.dissipated[l] - energies[l].dissipated) < 10 * tolerance * scale);
  }
  // In a launch a node has at most one writer; places without a node have none.
  for (const std::vector<int>& writers : {room.corrected(), room.updated()}) {
    std::size_t written = 0, of_nodes = 0;
    for (const int count : writers) written += static_cast<std::size_t>(count);
    CHECK(*std::max_element(writers.begin(), writers.end()) <= 1);
    for (std::size_t i = 0; i < static_cast<std::size_t>(plan.grid.nodes()); ++i)
      of_nodes += static_cast<std::size_t>(writers[room.at(i)]);
    CHECK(written == of_nodes);
  }
}

// Rooms of every kind of wall: the laws as they are, or those that make_boundary gives (several taps) for waves of so
// many points.
void check_both(RoomSpec spec, bool wide, unsigned seed, double points = 4.0) {
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    spec.precision = precision;
    std::mt19937 random(seed);
    Plan plan = plan_of(spec);
    if (wide) {
      MaterialFit fit;
      fit.name = "soft";
      fit.branches = {{2e-4, 2.0, 1e3}, {0.0, 9.0, 0.0}};
      plan.boundary =
          make_boundary(voxels_of(plan.air, plan.grid.spacing, "soft"), std::vector<MaterialFit>{fit}, plan.grid,
                        plan.stencil, plan.near_wall, {}, plan.grid.sound_speed / (points * plan.grid.spacing[0]));
      const auto taps = [&](const BoundarySite& site) { return plan.boundary.laws[site.law].taps.size() > 1; };
      CHECK(std::count_if(plan.boundary.sites.begin(), plan.boundary.sites.end(), taps) > 0);
    }
    plan.sources = {random_tap(plan, 40, random, "a"), random_tap(plan, 40, random, "b")};
    plan.receivers = {random_tap(plan, 6, random, "p")};
    CHECK(plan.near_wall.masses.empty() == (spec.method != WallMethod::block));
    CAPTURE(spec.stencil, spec.size[0], spec.air.size(), wide, to_string(precision));
    const auto check = [&](const ImageWalls& mirror) {
      if (precision == Precision::f64)
        check_room<double>(plan, random, wide && plan.air.all_air(), mirror);
      else
        check_room<float>(plan, random, wide && plan.air.all_air(), mirror);
    };
    check({});
    const ImageWalls mirror = image_walls_of(plan, whole(plan));
    const auto narrowest = *std::min_element(spec.size.begin(), spec.size.end());
    CHECK(mirror.sides == (plan.air.all_air() && spec.method != WallMethod::block && narrowest >= plan.stencil.radius));
    if (mirror.sides) check(mirror);
  }
}

}  // namespace

TEST_CASE("the GPU's walls of box rooms, worked on the host, equal the reference") {
  unsigned seed = 1;
  for (const char* stencil : {"leggy-1", "leggy-4", "leggy-20", "compact-3", "box-222"}) {
    for (const std::array<int, 3> size : {std::array<int, 3>{1, 7, 5}, {37, 3, 2}, {70, 9, 12}}) {
      RoomSpec spec;
      spec.size = size;
      spec.stencil = stencil;
      spec.laws = some_laws();
      check_both(spec, false, seed++);
    }
    RoomSpec spec;
    spec.size = {70, 23, 19};
    spec.stencil = stencil;
    if (std::string(stencil) == "leggy-20") continue;
    check_both(spec, true, seed++);
    check_both(spec, true, seed++, 3.0);
    spec.size[1] = 27;  // between the corners of eight nodes a face remains
    check_both(spec, true, seed++, 2.3);
  }
}

TEST_CASE("the GPU's walls of rooms with obstacles, worked on the host, equal the reference") {
  std::mt19937 random(7);
  for (const char* stencil : {"leggy-1", "leggy-4", "compact-3", "box-222", "compact-5"}) {
    for (const double air : {0.5, 0.97}) {
      RoomSpec spec;
      if (stencil == std::string("compact-5")) spec.method = WallMethod::block;  // masses of its own
      spec.size = {68, 11, 9};
      spec.stencil = stencil;
      spec.air = random_mask(spec.size, air, random);
      spec.laws = some_laws();
      check_both(spec, false, 3);
    }
  }
  // Groups at the edges of obstacles lack sites; nodes between those that they have belong to other groups.
  for (const double points : {4.0, 2.3}) {
    RoomSpec spec;
    spec.size = {40, 31, 26};
    spec.stencil = "leggy-4";
    spec.air = random_mask(spec.size, 0.9, random);
    check_both(spec, true, 3, points);
  }
}

// A slab of a room may have too few nodes of a kind for a face where the whole room has one.
TEST_CASE("nodes of a face and nodes that are none are worked to the same bits") {
  unsigned seed = 5;
  for (const char* stencil : {"leggy-1", "leggy-4", "compact-3", "box-222", "compact-14", "box-333"}) {
    RoomSpec spec;
    spec.size = {70, 23, 19};
    spec.stencil = stencil;
    spec.precision = Precision::f32;
    spec.laws = some_laws();
    std::mt19937 random(seed++);
    Plan plan = plan_of(spec);
    MaterialFit fit;
    fit.name = "soft";
    fit.branches = {{2e-4, 2.0, 1e3}, {0.0, 9.0, 0.0}, {1e-4, 4.0, 0.0}};
    plan.boundary = make_boundary(voxels_of(plan.air, plan.grid.spacing, "soft"), std::vector<MaterialFit>{fit},
                                  plan.grid, plan.stencil, plan.near_wall, {});
    const State start = random_state(plan, random);
    const auto values = [&](const std::vector<std::byte>& bytes) { return values_of(bytes, plan.precision); };
    HostRoom<float> faces(plan, 64), none(plan, 0xFFFFFFFFU);
    const auto is_face = [](const auto& g) { return g.is_face; };
    REQUIRE(std::ranges::count_if(faces.sites.groups, is_face) >= 6);
    REQUIRE(std::ranges::count_if(none.sites.groups, is_face) == 0);
    for (HostRoom<float>* room : {&faces, &none}) {
      room->start(values(start.u_now), values(start.u_before), values(start.branches.V), values(start.branches.G));
      for (int n = 0; n < 20; ++n) room->step({});
    }
    INFO(stencil);
    CHECK((faces.now() == none.now()));
    CHECK((faces.branches(faces.V) == none.branches(none.V)));
    CHECK((faces.branches(faces.G) == none.branches(none.G)));
  }
}

TEST_CASE("solid voxels out of the stencil's reach are not cleared") {
  RoomSpec spec;
  spec.size = {40, 30, 20};
  spec.stencil = "leggy-2";
  spec.air.assign(40 * 30 * 20, 0);
  for (int z = 0; z < 20; ++z)
    for (int y = 0; y < 30; ++y)
      for (int x = 0; x < 10; ++x) spec.air[node_of(spec.size, x, y, z)] = 1;
  const Plan plan = plan_of(spec);
  const HostRoom<double> room(plan);
  std::size_t solid = 0;
  for (const std::uint32_t bits : room.near.solid_bits) solid += static_cast<std::size_t>(std::popcount(bits));
  CHECK(solid == 2 * 30 * 20);
}

TEST_CASE("a box room's near-wall nodes share a few rows, each of them once, and none is idle") {
  RoomSpec spec;
  spec.size = {150, 120, 90};
  spec.stencil = "leggy-4";
  spec.precision = Precision::f32;
  const Plan plan = plan_of(spec);
  const HostRoom<float> room(plan);
  const std::set<std::uint32_t> rows(room.near.begin.begin(), room.near.begin.end());
  CHECK(rows.size() == 9 * 9 * 9 - 1);  // eight distances and the middle an axis
  CHECK(room.near.groups.size() == static_cast<std::size_t>(plan.near_wall.node_count));
  CHECK(std::ranges::count(room.near.groups, cuda::idle_lane) == 0);
  std::size_t groups = 0;
  std::uint32_t before = 0xFFFFFFFFU;
  for (std::size_t i = 0; i < room.near.begin.size(); ++i) {
    if (before != 0xFFFFFFFFU && room.near.begin[i] < groups) continue;  // seen
    CHECK(room.near.begin[i] == groups);                                 // rows lie in the order of their nodes
    before = room.near.begin[i];
    groups += room.near.groups[i];
  }
  CHECK(groups == room.near.entry_offset.size());
}

TEST_CASE("rows end with entries of no weight at the node itself") {
  RoomSpec spec;
  spec.size = {20, 15, 11};
  spec.stencil = "leggy-3";
  const Plan plan = plan_of(spec);
  const HostRoom<double> room(plan);
  std::size_t entries = 0, padded = 0;
  for (std::size_t g = 0; g < room.near.entry_offset.size(); ++g) {
    for (std::size_t e = 0; e < cuda::entry_group; ++e) {
      if (room.near.entry_weight[g].of[e] != 0.0) {
        ++entries;
      } else {
        CHECK(room.near.entry_offset[g].of[e] == 0);
        ++padded;
      }
    }
  }
  CHECK(entries > 0);
  CHECK(padded > 0);
}
