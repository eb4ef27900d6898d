// Kernel without shared memory: a thread takes a vector of 16 bytes in x and z planes of it, one above the other;
// whatever its neighbours need as well is found in L1 and L2. For leggy stencils of M = 1 and 2 and cubic ones of
// radius 1.
//
// Data: a thread reads a plane's rows as aligned vectors, and the few values beside them; the part of a plane in
// the outputs above and below stays in registers (cubic: functionals of shared class sums, plane_functionals.cuh). u0
// is read and written once, marked as streaming. No barrier, no waiting but for loads, which the compiler puts ahead of
// the arithmetic of earlier planes. L2 sees the blocks' halos: (z + 2 R) / z (y + 2 R) / y and a sector on either side
// in x; blocks run in slabs that let DRAM see 3 values a point. Best where loads are few; stencils that reach further
// would be bound by L1 and by latency: those are for the marching kernels. Ours.
#include "engine/cuda/kernels/flat/flat.cuh"

#include <bit>

#include "base/error.hpp"

namespace fdtd::cuda {
namespace {

bool fits(const FlatVariant& variant, const Job& job) {
  if (variant.precision != job.precision) return false;
  if (variant.shells == 0) {
    const std::optional<StarWeights> star = star_weights(job.stencil);
    return star && star->radius == variant.radius;
  }
  const std::optional<CubeWeights> cube = cube_weights(job.stencil);
  return cube && cube->radius == variant.radius && (cube->shells & ~variant.shells) == 0;
}

// Of a star shape, or of the smallest cubic shape that holds the job's shells.
std::vector<FlatVariant> variants_for(const Job& job) {
  std::vector<FlatVariant> fitting;
  for (const auto& all : {flat_star_variants(), flat_cube_variants()})
    for (const FlatVariant& variant : all)
      if (fits(variant, job)) fitting.push_back(variant);
  const auto points = [](const FlatVariant& v) { return std::popcount(v.shells); };
  int least = 64;
  for (const FlatVariant& variant : fitting) least = std::min(least, points(variant));
  std::erase_if(fitting, [&](const FlatVariant& variant) { return points(variant) != least; });
  return fitting;
}

bool supports(const Job& job, const Device&) {
  const Layout& layout = job.layout;
  return layout.plane + (layout.radius + 1) * layout.row < std::int64_t{1} << 31U && layout.size[2] <= 65535 * 2 &&
         !variants_for(job).empty();
}

// The best tile of a prototype on an H200 goes first.
std::vector<Tile> tiles(const Job& job, const Device&) {
  std::vector<Tile> all;
  const std::vector<FlatVariant> variants = variants_for(job);
  for (const FlatVariant& variant : variants) all.push_back(variant.block);
  const int V = 16 / static_cast<int>(job.layout.value_bytes), points = job.stencil.point_count();
  const Tile guess = points == 7    ? Tile{32 * V, 16, 4, 512, 0}
                     : points == 19 ? Tile{16 * V, 8, 4, 128, 0}
                     : points == 27 ? Tile{32 * V, 4, 8, 128, 0}
                                    : Tile{16 * V, 16, 8, 256, 0};
  std::stable_partition(all.begin(), all.end(), [&](const Tile& tile) { return tile == guess; });
  return all;
}

double bytes_a_point(const Job& job, const Tile& tile) {
  const double R = job.layout.radius, sector = 32.0 / static_cast<double>(job.layout.value_bytes);
  const double halo = (tile.x + 2 * sector) / tile.x * (tile.y + 2 * R) / tile.y * (tile.z + 2 * R) / tile.z;
  return static_cast<double>(job.layout.value_bytes) * (halo + 2.0);
}

Prepared prepare(const Job& job, const Device& device, const Tile& tile, std::array<void*, 2> fields) {
  for (const FlatVariant& variant : variants_for(job))
    if (variant.block == tile) return variant.prepare(job, device, fields);
  throw Error(Status::scene, "flat has no such tile");
}

}  // namespace

extern const Kernel flat{"flat",          "vectors and planes in registers, halos from L1 and L2 (ours)",
                         supports,        tiles,
                         no_shared_bytes, bytes_a_point,
                         prepare};

}  // namespace fdtd::cuda
