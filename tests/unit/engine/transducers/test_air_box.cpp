#include "engine/transducers/air_box.hpp"

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

using Box = std::array<NodeRange, 3>;

}  // namespace

TEST_CASE("the box of nodes is what is wanted in open air, and ends at walls") {
  const AirMask air({20, 20, 20});
  const OpenAir open{air, nullptr};
  CHECK(air_box(open, {9, 9, 9}, {{{4, 12}, {4, 12}, {3, 12}}}, 10) == Box{{{4, 12}, {4, 12}, {3, 12}}});
  // Two cells from the wall at x = 0: 8 of 12 nodes are left, and 10 are taken.
  CHECK(air_box(open, {2, 9, 9}, {{{-4, 12}, {4, 12}, {3, 12}}}, 10) == Box{{{0, 10}, {4, 12}, {3, 12}}});
  CHECK(air_box(open, {17, 9, 9}, {{{12, 12}, {4, 12}, {3, 12}}}, 10) == Box{{{10, 10}, {4, 12}, {3, 12}}});
}

TEST_CASE("no wall, block or sheet lies in the box of nodes") {
  AirMask air({20, 20, 20});
  for (int z = 0; z < 20; ++z)
    for (int y = 0; y < 20; ++y) air.set_run(0, 20, y, z);
  air.set(12, 11, 9, false);
  const Box wanted = {{{4, 12}, {4, 12}, {3, 12}}};
  const Box box = air_box({air, nullptr}, {9, 9, 9}, wanted, 10);
  for (int z = box[2].first; z < box[2].end(); ++z)
    for (int y = box[1].first; y < box[1].end(); ++y)
      for (int x = box[0].first; x < box[0].end(); ++x) CHECK(air(x, y, z));
  CHECK(box != wanted);

  const AirMask whole({20, 20, 20});
  CutVoxels cut;  // a sheet between x = 11 and x = 12, at y = 13 alone
  for (int z = 0; z < 20; ++z) cut.passages[0].push_back({static_cast<std::uint64_t>(11 + 20 * (13 + 20 * z)), 0.0F});
  const Box beside = air_box({whole, &cut}, {9, 9, 9}, wanted, 10);
  CHECK((beside[0].end() <= 12 || beside[1].end() <= 13));
  CHECK(air_box({whole, nullptr}, {9, 9, 9}, wanted, 10) == wanted);
}

TEST_CASE("no narrow opening lies in the box of nodes, however open its passages are") {
  const AirMask air({20, 20, 20});
  const Box wanted = {{{4, 12}, {4, 12}, {3, 12}}};
  CutVoxels cut;
  const auto node = [](int x, int y, int z) { return static_cast<std::uint64_t>(x + 20 * (y + 20 * z)); };
  cut.passages[0] = {{node(11, 9, 9), 0.8F, false}};
  CHECK(leads({air, &cut}, {11, 9, 9}, {12, 9, 9}, 0));
  CHECK(air_box({air, &cut}, {9, 9, 9}, wanted, 10) == wanted);
  cut.passages[0].front().fitted = true;
  CHECK(!leads({air, &cut}, {11, 9, 9}, {12, 9, 9}, 0));
  CHECK(!leads({air, &cut}, {12, 9, 9}, {11, 9, 9}, 0));
  CHECK(air_box({air, &cut}, {9, 9, 9}, wanted, 10)[0].end() == 12);
}
