// Processes that voxelise a room together, each looking at the mesh near its own planes, find what one finds.
#include "engine/voxels/voxelise_mesh.hpp"

#include <omp.h>

#include <algorithm>

#include "engine/voxels/cut/cut_lattice.hpp"
#include "engine/voxels/shared/plane_borders.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/mesh_voxels.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/rooms/coupled_rooms.hpp"
#include "tests/support/rooms/shared_planes.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

constexpr auto in_air = PlacedPoint::Where::air;

// The lists of processes for their planes, put together in order.
MeshVoxels joined(const std::vector<MeshVoxels>& parts) {
  MeshVoxels all = parts.front();
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (std::size_t i = 1; i < parts.size(); ++i) {
    append(all.voxels.faces, parts[i].voxels.faces);
    append(all.voxels.cut.volumes, parts[i].voxels.cut.volumes);
    for (std::size_t d = 0; d < 3; ++d) append(all.voxels.cut.passages[d], parts[i].voxels.cut.passages[d]);
  }
  return all;
}

void check_same_lists(const MeshVoxels& one, const MeshVoxels& other) {
  CHECK(same_faces(one.voxels.faces, other.voxels.faces));
  const auto same = [](const std::vector<CutFraction>& a, const std::vector<CutFraction>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const CutFraction& x, const CutFraction& y) {
      return x.node == y.node && x.fraction == y.fraction;
    });
  };
  CHECK(same(one.voxels.cut.volumes, other.voxels.cut.volumes));
  for (std::size_t d = 0; d < 3; ++d) CHECK(same(one.voxels.cut.passages[d], other.voxels.cut.passages[d]));
}

// The whole room as each process has it, byte for byte.
void check_same_room(const MeshVoxels& one, const MeshVoxels& other) {
  const auto [nx, ny, nz] = one.voxels.air.size();
  REQUIRE(one.voxels.air.size() == other.voxels.air.size());
  CHECK(one.voxels.air.all_air() == other.voxels.air.all_air());
  bool air = true;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; x += 64) air = air && one.voxels.air.bits(x, y, z) == other.voxels.air.bits(x, y, z);
  CHECK(air);
  CHECK(one.areas == other.areas);
  CHECK(one.air_volume == other.air_volume);
  CHECK(one.thin_voxels == other.thin_voxels);
  CHECK(one.voxels.materials == other.voxels.materials);
  for (const auto points : {&MeshVoxels::sources, &MeshVoxels::receivers}) {
    REQUIRE((one.*points).size() == (other.*points).size());
    for (std::size_t i = 0; i < (one.*points).size(); ++i) {
      CHECK((one.*points)[i].where == (other.*points)[i].where);
      CHECK((one.*points)[i].voxel == (other.*points)[i].voxel);
      CHECK((one.*points)[i].part == (other.*points)[i].part);
      CHECK((one.*points)[i].part_volume == (other.*points)[i].part_volume);
    }
  }
}

// A tall oblique shaft with a shelf, a plate that ends in it, and two sheets that a gap finer than the grid separates
// all the way up: what lies in the gap is known from its ends alone.
Mesh tall_shaft() {
  const Turn turn = turned(25.0, 8.0);
  Mesh mesh;
  add_box(mesh, {0, 0, 0}, {1.1, 0.9, 4.0}, {"a", "b", "a", "b", "a", "b"}, turn);
  add_quad(mesh, {Place{0.0, 0.0, 1.25}, {0.6, 0.0, 1.25}, {0.6, 0.5, 1.25}, {0.0, 0.5, 1.25}}, "shelf", turn);
  for (int i = 0; i < 12; ++i) {  // parts of equal work are of unequal height
    const double z = 0.05 + 0.06 * i;
    add_quad(mesh, {Place{0.1, 0.5, z}, {1.0, 0.5, z}, {1.0, 0.85, z}, {0.1, 0.85, z}}, "rack", turn);
  }
  for (const double y : {0.43, 0.452})
    add_quad(mesh, {Place{0.3, y, 0.3}, {0.8, y, 0.3}, {0.8, y, 3.7}, {0.3, y, 3.7}}, "sheet", turn);
  add_box(mesh, {0.75, 0.15, 2.2}, {1.0, 0.42, 2.8}, {"a", "a", "a", "a", "a", "a"}, turn);
  merge_vertices(mesh);
  return mesh;
}

}  // namespace

TEST_CASE("processes that share a room find what one finds, however many there are") {
  const Mesh mesh = tall_shaft();
  const Turn turn = turned(25.0, 8.0);
  // The last ones: between two sheets, in a closed box, and outside.
  const std::vector<test::Place> sources = {turn({0.5, 0.2, 0.7})},
                                 receivers = {turn({0.5, 0.7, 3.3}), turn({0.31, 0.44, 2.0}), turn({0.9, 0.3, 2.5}),
                                              turn({-0.5, 0.3, 2.5})};
  for (const bool cut : {true, false}) {
    MeshGrid grid = grid_around(mesh, 0.06, cut);
    const MeshVoxels alone = voxelise(mesh, grid, sources, receivers);
    REQUIRE(alone.sources[0].where == in_air);
    REQUIRE(alone.receivers[2].where == PlacedPoint::Where::apart);
    REQUIRE(alone.voxels.cut.volumes.empty() != cut);
    for (const int count : {2, 3, 5, 90}) {  // 90: more than there are planes
      INFO(count << " processes" << (cut ? ", voxels cut" : ""));
      const std::vector<int> borders = plane_borders(mesh, grid.size, grid.spacing, grid.corner, count);
      const auto shared = in_parts(count, [&](const PlanePartition& partition) {
        omp_set_num_threads(1);  // of this thread's regions
        MeshGrid mine = grid;
        mine.partition = partition;
        mine.partition.borders = borders;
        return voxelise(mesh, mine, sources, receivers);
      });
      check_same_lists(alone, joined(shared));
      for (const MeshVoxels& one : shared) check_same_room(alone, one);
      // Each has its own planes' lists alone.
      if (count > 3) continue;
      for (const MeshVoxels& one : shared) {
        CHECK(one.voxels.faces.size() > alone.voxels.faces.size() / static_cast<std::size_t>(3 * count));
        CHECK(one.voxels.faces.size() < 2 * alone.voxels.faces.size() / static_cast<std::size_t>(count));
      }
    }
  }
}

TEST_CASE("a part of space that winds through the planes of several processes is one") {
  // Two arms beside each other that meet at the top alone, and a third that meets neither.
  Mesh mesh;
  add_box(mesh, {0, 0, 0}, {1.5, 0.8, 3.0}, {"a", "a", "a", "a", "a", "a"});
  add_quad(mesh, {Place{0.5, 0.0, 0.0}, {0.5, 0.8, 0.0}, {0.5, 0.8, 2.7}, {0.5, 0.0, 2.7}}, "a", unturned);
  add_quad(mesh, {Place{1.0, 0.0, 0.0}, {1.0, 0.8, 0.0}, {1.0, 0.8, 3.0}, {1.0, 0.0, 3.0}}, "a", unturned);
  merge_vertices(mesh);
  for (const bool cut : {true, false}) {
    MeshGrid grid = grid_around(mesh, 0.07, cut);
    const std::vector<Place> sources = {{0.25, 0.4, 0.3}}, receivers = {{0.75, 0.4, 0.3}, {1.25, 0.4, 0.3}};
    const MeshVoxels alone = voxelise(mesh, grid, sources, receivers);
    REQUIRE(alone.receivers[0].where == in_air);
    REQUIRE(alone.receivers[1].where == PlacedPoint::Where::apart);
    for (const int count : {2, 3, 4}) {
      const auto shared = in_parts(count, [&](const PlanePartition& partition) {
        omp_set_num_threads(1);
        MeshGrid mine = grid;
        mine.partition = partition;
        return voxelise(mesh, mine, sources, receivers);
      });
      check_same_lists(alone, joined(shared));
      for (const MeshVoxels& one : shared) check_same_room(alone, one);
    }
  }
}

TEST_CASE("a lattice of some planes knows of the mesh what concerns them alone") {
  const Mesh mesh = tall_shaft();
  const MeshGrid grid = grid_around(mesh, 0.06, true);
  const int planes = grid.size[2];
  const CutLattice whole(mesh, grid.size, grid.spacing, grid.corner);
  const PlaneRange some = {planes / 3, planes / 3 + 8};
  const CutLattice few(mesh, grid.size, grid.spacing, grid.corner, some);
  CHECK(few.crossings_held() < whole.crossings_held() / 4);
  const AirMask all = whole.cut_cells(), part = few.cut_cells();
  REQUIRE(part.size()[2] == 8);
  for (int z = some.begin; z < some.end; ++z)
    for (int y = 0; y < all.size()[1]; ++y)
      for (int x = 0; x < all.size()[0]; ++x) REQUIRE(all(x, y, z) == part(x, y, z - some.begin));
  const auto links = few.open_links({some.begin, some.end - 1});
  const auto every = whole.open_links({0, planes});
  for (std::size_t d = 0; d < 3; ++d) {
    std::int64_t closed = 0;
    const auto size = links[d].size();
    for (int z = 0; z < size[2]; ++z)
      for (int y = 0; y < size[1]; ++y)
        for (int x = 0; x < size[0]; ++x) {
          REQUIRE(links[d](x, y, z) == every[d](x, y, z + some.begin));
          closed += links[d](x, y, z) ? 0 : 1;
        }
    CHECK(closed > 0);
  }
}

TEST_CASE("processes that share a room fit its openings as one does, also where lines have missed them") {
  const CoupledRooms rooms{1.2, 1.0, 1.1, 0.9, 0.3, {0.5, 0.4}, {0.6, 0.5}};
  // The neck along z: processes share it.
  const Turn turn = [](const Place& p) { return Place{p[1], p[2], p[0]}; };
  const Mesh mesh = coupled_rooms(rooms, turn);
  for (const double h : {0.24, 0.2}) {
    MeshGrid grid = grid_around(mesh, h, true);
    grid.openings = true;
    const std::vector<test::Place> sources = {turn(rooms.in_first())}, receivers = {turn(rooms.in_second())};
    const MeshVoxels alone = voxelise(mesh, grid, sources, receivers);
    REQUIRE(alone.receivers[0].where == in_air);
    REQUIRE(alone.openings.size() == 1);
    for (const int count : {2, 5}) {
      INFO(h << " m, " << count << " processes");
      const auto shared = in_parts(count, [&](const PlanePartition& partition) {
        omp_set_num_threads(1);
        MeshGrid mine = grid;
        mine.partition = partition;
        return voxelise(mesh, mine, sources, receivers);
      });
      for (const MeshVoxels& one : shared) {
        check_same_room(alone, one);
        CHECK(one.openings[0].conductance == alone.openings[0].conductance);
      }
      check_same_lists(alone, joined(shared));
    }
  }
}
