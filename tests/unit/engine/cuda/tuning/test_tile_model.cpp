#include "engine/cuda/tuning/tile_model.hpp"

#include <cmath>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/unit/engine/cuda/jobs.hpp"

namespace fdtd::cuda {
namespace {

Resources resources(int threads, int registers, std::size_t shared = 0) {
  Resources r;
  r.threads = threads;
  r.registers = registers;
  r.shared_bytes = shared;
  return r;
}

}  // namespace

TEST_CASE("sectors under a row are those of 32 bytes that it touches") {
  REQUIRE(sectors_of(0, 8, 4) == 1);
  REQUIRE(sectors_of(0, 9, 4) == 2);
  REQUIRE(sectors_of(-1, 8, 4) == 2);
  REQUIRE(sectors_of(-1, 33, 4) == 6);
  REQUIRE(sectors_of(31, 65, 4) == 6);
  REQUIRE(sectors_of(-8, 0, 4) == 1);
  REQUIRE(sectors_of(-9, 0, 4) == 2);
  REQUIRE(sectors_of(-1, 5, 8) == 3);
  REQUIRE(sectors_of(3, 3, 4) == 0);
}

TEST_CASE("transactions of tile and halo are those counted by hand") {
  // 32 x 4 x 2 of a 7-point stencil, each block: a plane of the tile is 4 rows of 6 sectors and 2 halo rows of 4; two
  // planes of the halo in z are 4 rows of 4; u0 is 8 rows of 4, read and written: 64 + 32 + 64 sectors for 256 points.
  const Job star = job_of("leggy-1", {64, 64, 64});
  REQUIRE(transactions_a_point(star.layout, false, {32, 4, 2}) == Approx(160.0 / 256.0));
  // With corners all rows of the tile and of the halo are 6 sectors: 4 planes of 6 rows.
  REQUIRE(transactions_a_point(star.layout, true, {32, 4, 2}) == Approx((4 * 36.0 + 64.0) / 256.0));
  // Marching through all 64 planes the halo in z is all but free.
  REQUIRE(transactions_a_point(star.layout, false, {32, 4, 0}) == Approx((64 * 32.0 + 2 * 16.0 + 64 * 32.0) / 8192.0));
  // A row that ends in the tile's middle: 40 = 32 + 8.
  const Job rim = job_of("leggy-1", {40, 64, 64});
  const double whole_block = 160.0, rim_block = 2 * (4 * 3 + 2 * 1) + 2 * 4 * 1 + 2 * 2 * 4 * 1;
  REQUIRE(transactions_a_point(rim.layout, false, {32, 4, 2}) == Approx((whole_block + rim_block) / (40 * 8)));
}

TEST_CASE("conflicts of shared memory are those counted by hand") {
  REQUIRE(bank_passes(32, 34, 1, 4) == Approx(1.0));  // one row
  REQUIRE(bank_passes(16, 16, 1, 4) == Approx(1.0));  // two rows, no halo: 32 words in a line
  REQUIRE(bank_passes(16, 18, 1, 4) == Approx(2.0));  // words 32 and 33 meet banks 0 and 1 again
  REQUIRE(bank_passes(16, 32, 1, 4) == Approx(2.0));  // both rows in banks 0 to 15
  REQUIRE(bank_passes(8, 32, 1, 4) == Approx(4.0));   // four rows in banks 0 to 7
  REQUIRE(bank_passes(32, 34, 1, 8) == Approx(1.0));  // doubles: half a warp a pass, which is the least
  REQUIRE(bank_passes(8, 34, 4, 4) == Approx(1.0));   // float4: a quarter of a warp a pass
  REQUIRE(bank_passes(4, 18, 4, 4) == Approx(2.0));   // words 0 to 15 and 18 to 33
}

TEST_CASE("blocks at once are the least that threads, registers, shared memory and slots allow") {
  const Device device = large_device();
  REQUIRE(active_blocks(device, resources(256, 32)) == 8);          // 2048 threads
  REQUIRE(active_blocks(device, resources(32, 16)) == 32);          // slots
  REQUIRE(active_blocks(device, resources(256, 40)) == 6);          // 51 warps of 1280 registers
  REQUIRE(active_blocks(device, resources(256, 65)) == 3);          // 2080 registers a warp are given as 2304
  REQUIRE(active_blocks(device, resources(96, 136)) == 4);          // 4352 a warp: 3 in each of 4 partitions, not 15
  REQUIRE(active_blocks(device, resources(256, 32, 40960)) == 5);   // 41 KB each of 228
  REQUIRE(active_blocks(device, resources(256, 32, 232448)) == 1);  // all that a block may take
  REQUIRE(active_blocks(device, resources(256, 32, 232449)) == 0);  // and a byte more
  REQUIRE(active_blocks(device, resources(1024, 255)) == 0);        // 8160 registers a warp, 32 warps
}

TEST_CASE("tiles are ordered by cost and the best of each count is predicted") {
  const Device device = large_device();
  const Job job = job_of("leggy-1", {512, 512, 512});
  const std::vector<TileCandidate> candidates = {
      {{4, 64, 1}, resources(256, 32)},  // a sector of 8 values for 4 of them
      {{32, 4, 2}, resources(256, 32)},
      {{128, 4, 1}, resources(512, 200)},  // does not fit: 16 warps of 6400 registers are too many
  };
  const auto tiles = predict_tiles(job, device, candidates);
  REQUIRE(tiles.size() == 3);
  REQUIRE(tiles[0].tile == Tile{32, 4, 2});
  REQUIRE(tiles[0].predicted);
  REQUIRE(tiles[1].tile == Tile{4, 64, 1});
  REQUIRE_FALSE(tiles[1].predicted);
  REQUIRE(tiles[2].active_blocks == 0);
  REQUIRE(std::isinf(tiles[2].cost));
  REQUIRE_FALSE(tiles[2].predicted);
}

TEST_CASE("threads without nodes and a last wave that is nearly empty cost what they idle") {
  const Device device = large_device();
  const auto at = [&](std::array<int, 3> size, const Tile& tile, int threads) {
    const std::vector<TileCandidate> one = {{tile, resources(threads, 32)}};
    return predict_tiles(job_of("leggy-1", size), device, one).front();
  };
  REQUIRE(at({64, 64, 64}, {64, 4, 1}, 256).thread_efficiency == Approx(1.0));
  REQUIRE(at({65, 64, 64}, {64, 4, 1}, 256).thread_efficiency == Approx(65.0 / 128.0));
  REQUIRE(at({64, 64, 64}, {16, 3, 1}, 48).thread_efficiency == Approx(64.0 / 66.0 * 48.0 / 64.0));
  // 8 blocks on each of 132 multiprocessors: 1056 places; 64 x 64 x 66 nodes in blocks of 256 make exactly one wave ...
  REQUIRE(at({64, 64, 66}, {64, 4, 1}, 256).wave_efficiency == Approx(1.0));
  // ... and a plane more begins a second one.
  REQUIRE(at({64, 64, 67}, {64, 4, 1}, 256).wave_efficiency == Approx(1072.0 / 2112.0));
  REQUIRE(at({64, 64, 66}, {64, 4, 1}, 256).cost < at({64, 64, 67}, {64, 4, 1}, 256).cost);
}

TEST_CASE("where the grid lies in L2, rows that a tile leaves out cost what its block computes all the same") {
  const Job job = job_of("leggy-4", {121, 101, 91});
  const auto tile_of = [](int y, int z) {
    Tile tile{128, y, z};
    tile.threads = 512, tile.depth = 6, tile.blocks = 132, tile.max_lead = 64;
    return tile;
  };
  Resources block = resources(512, 121, 150000);
  block.nodes = 128 * 30;
  const std::vector<TileCandidate> candidates = {
      {tile_of(2, 91), block}, {tile_of(30, 91), block}, {tile_of(30, 16), block}, {tile_of(30, 3), block}};
  const auto tiles = predict_tiles(job, large_device(), candidates);
  // 124 blocks of whole rows and few planes each; then fewer; never those of two rows, though 51 work at once.
  REQUIRE(tiles[0].tile == tile_of(30, 3));
  REQUIRE(tiles[1].tile == tile_of(30, 16));
  REQUIRE(tiles.back().tile.y == 2);
  const auto large = predict_tiles(job_of("leggy-4", {928, 800, 750}), large_device(), candidates);
  REQUIRE(large[0].thread_efficiency == Approx(large.back().thread_efficiency).epsilon(0.1));
}

TEST_CASE("a halo that has left L2 is fetched from DRAM again") {
  const Device device = large_device();  // 60 MiB of L2
  // A layer of blocks of 928 x 800 x 8 nodes moves 71 MB: four planes above and below are fetched anew every 8 planes.
  const Job job = job_of("leggy-4", {928, 800, 750});
  REQUIRE(footprint_bytes_a_point(job, device, {64, 16, 8}, 2) == Approx(4.0 * (3 + 8.0 / 8)));
  // Of 4 planes it moves 36 MB, which L2 keeps; marching through all of z there is nothing to fetch again.
  REQUIRE(footprint_bytes_a_point(job, device, {64, 16, 4}, 2) == Approx(12.0));
  REQUIRE(footprint_bytes_a_point(job, device, {64, 16, 0}, 2) == Approx(12.0));
  // A layer that is one wave shares its halo while it runs: 13 x 20 blocks, 264 places.
  REQUIRE(footprint_bytes_a_point(job, device, {72, 40, 94}, 2) == Approx(12.0));
  REQUIRE(footprint_bytes_a_point(job, device, {72, 40, 94}, 1) == Approx(4.0 * (3 + 8.0 / 94)));
}

TEST_CASE("a tile is written as far as it says") {
  REQUIRE(to_string(Tile{32, 4, 2}) == "32x4x2");
  REQUIRE(to_string(Tile{32, 8, 0, 256, 3}) == "32x8, 256 threads, depth 3");
}

TEST_CASE("no candidates, no prediction") {
  REQUIRE(predict_tiles(job_of("leggy-1", {8, 8, 8}), large_device(), {}).empty());
}

}  // namespace fdtd::cuda
