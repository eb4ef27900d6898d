// Walls on slab borders, as GPUs work them, on the host: slabs that exchange their planes have the bits of one.
#include <algorithm>
#include <memory>

#include "tests/support/catch.hpp"
#include "tests/support/rooms/slab_checks.hpp"
#include "tests/unit/engine/cuda/host_room.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

template <class T>
struct SlabRoom {
  SlabPlan part;
  std::unique_ptr<HostRoom<T>> room;
};

// Halo planes to and from the slab above, as halo.cpp cuts them.
template <class T>
void exchange(SlabRoom<T>& below, SlabRoom<T>& above) {
  const int R = below.part.plan.stencil.radius, ghosts = below.part.slab.ghosts_above;
  REQUIRE(ghosts == above.part.slab.ghosts_below);
  const int count = R + ghosts, own_end = below.part.plan.grid.size[2] - ghosts;
  const auto up = below.room->planes_at(own_end - count, count), down = above.room->planes_at(ghosts, count);
  const std::vector<T> sent(up.begin(), up.end());
  std::ranges::copy(down, below.room->planes_at(own_end, count).begin());
  std::ranges::copy(sent, above.room->planes_at(-R, count).begin());
}

std::vector<double> own(const std::vector<double>& values, std::uint64_t begin, std::uint64_t end) {
  return {values.begin() + static_cast<std::ptrdiff_t>(begin), values.begin() + static_cast<std::ptrdiff_t>(end)};
}

template <class T>
void check_bits(const Plan& plan, std::mt19937& random, int count, bool mirrored) {
  const Drive drive = random_drive(plan, 15, random);
  const auto mirror = [&](const Plan& own, const Slab& slab) {
    return mirrored ? image_walls_of(own, slab) : ImageWalls{};
  };
  HostRoom<T> gold(plan, whole(plan), 64, mirror(plan, whole(plan)));
  if (mirrored) CHECK(!gold.faces.empty());
  const std::vector<Slab> slabs = split(plan, count);
  std::vector<SlabRoom<T>> rooms(slabs.size());
  for (std::size_t i = 0; i < slabs.size(); ++i) {
    rooms[i].part = cut(plan, slabs[i]);
    // Few are alike here: what is a face in the whole room is none in a slab.
    const ImageWalls own_mirror = mirror(rooms[i].part.plan, rooms[i].part.slab);
    CHECK(own_mirror.sides == mirrored);
    if (mirrored) CHECK((own_mirror.below == (i == 0) && own_mirror.above == (i + 1 == slabs.size())));
    rooms[i].room = std::make_unique<HostRoom<T>>(rooms[i].part.plan, rooms[i].part.slab, 128, own_mirror);
  }
  for (std::size_t n = 0; n < 15; ++n) {
    std::vector<double> force;
    for (std::size_t s = 0; s < plan.sources.size(); ++s) force.push_back(drive.f[s * 15 + n]);
    gold.step(force);
    for (auto& room : rooms) room.room->step(force);
    for (std::size_t i = 0; i + 1 < rooms.size(); ++i) exchange(rooms[i], rooms[i + 1]);
  }
  std::vector<double> now, V, G, stored, injected, dissipated;
  const auto append = [](std::vector<double>& all, const std::vector<double>& part) {
    all.insert(all.end(), part.begin(), part.end());
  };
  for (const auto& [part, room] : rooms) {
    append(now, own(room->now(), part.own_nodes_begin, part.own_nodes_end));
    append(V, own(room->branches(room->V), part.own_branches_begin, part.own_branches_end));
    append(G, own(room->branches(room->G), part.own_branches_begin, part.own_branches_end));
    append(stored, room->stored());
    append(injected, room->injected);
    append(dissipated, room->dissipated);
  }
  CHECK((now == gold.now()));
  CHECK((V == gold.branches(gold.V)));
  CHECK((G == gold.branches(gold.G)));
  CHECK((injected == gold.injected));
  CHECK((dissipated == gold.dissipated));
  CHECK((stored == gold.stored()));
  CHECK(*std::ranges::max_element(dissipated) > 0.0);
}

void check_rooms(const RoomSpec& spec, bool crossed, unsigned seed, bool mirrored = false) {
  std::mt19937 random(seed);
  Plan plan = spec.laws.empty() ? soft_plan_of(spec) : plan_of(spec);
  plan.sources = {random_tap(plan, 200, random, "a"), random_tap(plan, 40, random, "b")};
  for (const int count : {2, 3, 5}) {
    const std::vector<Slab> slabs = split(plan, count);
    INFO(spec.stencil << " " << to_string(spec.precision) << ", " << count << " slabs");
    if (crossed) CHECK(std::ranges::any_of(slabs, [](const Slab& slab) { return slab.ghosts_below > 0; }));
    if (spec.precision == Precision::f64) {
      check_bits<double>(plan, random, count, mirrored);
    } else {
      check_bits<float>(plan, random, count, mirrored);
    }
  }
}

}  // namespace

TEST_CASE("GPU slabs whose borders are crossed by walls have the bits of one") {
  unsigned seed = 1;
  for (const char* stencil : {"leggy-1", "leggy-4", "compact-2", "box-222"})
    for (const Precision precision : {Precision::f32, Precision::f64})
      check_rooms(steps_along_z(stencil, precision), true, seed++);
}

TEST_CASE("GPU slabs of rooms with obstacles and heavy nodes have the bits of one") {
  std::mt19937 random(3);
  unsigned seed = 20;
  for (const char* stencil : {"leggy-3", "compact-6", "box-222"}) {
    RoomSpec spec;
    spec.size = {33, 12, 31};
    spec.stencil = stencil;
    spec.precision = Precision::f32;
    spec.air = random_mask(spec.size, 0.93, random);
    spec.laws = some_laws();
    check_rooms(spec, false, seed++);
  }
}

TEST_CASE("GPU slabs of boxes whose walls are mirrored have the bits of one") {
  unsigned seed = 40;
  for (const char* stencil : {"leggy-1", "leggy-4", "compact-3", "box-222"})
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      RoomSpec spec;
      spec.size = {24, 19, 41};
      spec.stencil = stencil;
      spec.precision = precision;
      check_rooms(spec, false, seed++, true);
    }
}
