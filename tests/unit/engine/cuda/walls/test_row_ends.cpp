// The faces across x that the marching kernel updates: which are taken, where they lie, and by what tiles.
#include "engine/cuda/walls/row_ends.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/rooms/box_walls.hpp"
#include "tests/unit/engine/cuda/host_room.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

HostRoom<double> room_of(const std::array<int, 3>& size, Plan& plan) {
  RoomSpec spec;
  spec.size = size;
  spec.stencil = "leggy-2";
  plan = box_plan(spec, {"1", "2", "1", "3", "1", "1"});
  return HostRoom<double>(plan, image_walls_of(plan, whole(plan)));
}

std::optional<cuda::MarchRowEnds<double>> ends_of(HostRoom<double>& room, const std::vector<int>& widths) {
  return cuda::take_row_ends(room.faces, room.layout(), widths);
}

}  // namespace

TEST_CASE("ends of rows are taken from the faces, each node where its face has it") {
  Plan plan;
  HostRoom<double> room = room_of({70, 33, 37}, plan);
  const auto before = room.faces;
  REQUIRE(before.size() == 6);
  const auto ends = ends_of(room, {32});
  REQUIRE(ends);
  CHECK((ends->has[0] && ends->has[1]));
  CHECK(room.faces.size() == 4);
  for (const auto& face : room.faces) CHECK((face.step != 1 && face.step != static_cast<std::uint32_t>(-1)));
  for (int side = 0; side < 2; ++side) {
    const auto& face = ends->face[side];
    CHECK(std::ranges::count_if(before, [&](const auto& one) { return one.node == face.node; }) == 1);
    CHECK(ends->taps == face.taps);
    REQUIRE(face.count > 0);
    for (std::uint32_t i = 0; i < face.count; ++i) {
      const std::uint32_t across = face.place.width;
      const std::int64_t x = side == 0 ? 0 : plan.grid.size[0] - 1, y = ends->y[side] + i % across,
                         z = ends->z[side] + i / across;
      const auto& layout = room.layout();
      REQUIRE(face.base + face.first + face.place.offset(i) == layout.first + x + y * layout.row + z * layout.plane);
    }
  }
}

TEST_CASE("a tile holds an end if it has all of its nodes and not the other end") {
  cuda::RowEnds ends;
  ends.taps = 3;
  ends.has[1] = true;
  // The last three nodes of 66 are 63, 64 and 65.
  CHECK(!cuda::holds_row_ends(ends, 66, 64));
  CHECK(!cuda::holds_row_ends(ends, 66, 32));
  CHECK(cuda::holds_row_ends(ends, 66, 48));
  CHECK(cuda::holds_row_ends(ends, 67, 64));
  CHECK(cuda::holds_row_ends(ends, 64, 64));
  CHECK(cuda::holds_row_ends(ends, 64, 128));
  ends.has[0] = true;
  CHECK(!cuda::holds_row_ends(ends, 64, 64));
  CHECK(!cuda::holds_row_ends(ends, 64, 128));
  CHECK(cuda::holds_row_ends(ends, 64, 32));
  ends.has[1] = false;
  CHECK(cuda::holds_row_ends(ends, 64, 128));
  CHECK(cuda::holds_row_ends(ends, 66, 64));
}

TEST_CASE("one end is taken where no tile holds both, and none where none holds any") {
  Plan plan;
  {  // narrower than a tile
    HostRoom<double> room = room_of({30, 33, 37}, plan);
    const auto ends = ends_of(room, {32, 64});
    REQUIRE(ends);
    CHECK((ends->has[0] && !ends->has[1]));
    CHECK(room.faces.size() == 5);
  }
  {  // the last two nodes lie in two tiles of 32; one of 48 has them both
    HostRoom<double> room = room_of({65, 33, 37}, plan);
    REQUIRE(room.faces.front().taps >= 2);
    HostRoom<double> again = room_of({65, 33, 37}, plan);
    const auto narrow = ends_of(room, {32}), wide = ends_of(again, {32, 48});
    REQUIRE((narrow && wide));
    CHECK((narrow->has[0] && !narrow->has[1]));
    CHECK((wide->has[0] && wide->has[1]));
  }
  {
    HostRoom<double> room = room_of({70, 33, 37}, plan);
    CHECK(!ends_of(room, {}));
    CHECK(room.faces.size() == 6);
    room.faces.erase(
        std::remove_if(room.faces.begin(), room.faces.end(),
                       [](const auto& face) { return face.step == 1 || face.step == static_cast<std::uint32_t>(-1); }),
        room.faces.end());
    CHECK(!ends_of(room, {32}));
    CHECK(room.faces.size() == 4);
  }
}

TEST_CASE("a face across x that is not at a row's end, or not row by row, is none") {
  Plan plan;
  for (const int change : {0, 1, 2, 3}) {
    HostRoom<double> room = room_of({70, 33, 37}, plan);
    for (auto& face : room.faces) {
      if (face.step != 1 && face.step != static_cast<std::uint32_t>(-1)) continue;
      if (change == 1) face.base += face.step == 1 ? 1 : -1;  // a node further in
      if (change == 2) face.place.step += 1;
      if (change == 3) face.place.over += 1;
    }
    CAPTURE(change);
    CHECK(ends_of(room, {32}).has_value() == (change == 0));
    CHECK(room.faces.size() == (change == 0 ? 4 : 6));
  }
}

TEST_CASE("ends are where the sites have them") {
  Plan plan;
  HostRoom<double> room = room_of({70, 33, 37}, plan);
  cuda::BoundaryView<double> sites{};
  double values[6] = {};
  sites.state = {values, values + 1};
  for (int parity = 0; parity < 2; ++parity)
    sites.q[parity] = values + 2 + parity, sites.lost[parity] = values + 4 + parity;
  const auto ends = cuda::placed(*ends_of(room, {32}), sites);
  CHECK((ends.state.V == sites.state.V && ends.state.G == sites.state.G));
  for (int parity = 0; parity < 2; ++parity)
    CHECK((ends.q[parity] == sites.q[parity] && ends.lost[parity] == sites.lost[parity]));
}
