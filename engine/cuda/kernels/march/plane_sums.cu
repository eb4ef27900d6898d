// Marching kernel of the compact and box stencils, and of any users' with the cube's symmetries: input-stationary,
// every plane's class sums taken once (plane_functionals.cuh), the outputs under way in registers.
//
// Data: u1 comes into shared memory once a tile with its halo (asynchronous copies of 16 bytes, two to four planes in
// flight), u0 with it; u0 leaves. DRAM sees 3 values a point, L2 the tile's halo more. A thread reads 2 R + 1
// rows of 3 vectors a plane from shared memory for its 4 nodes in x (or 4 vectors for 8 nodes), whatever the number of
// points, and adds shared sums: 125 points cost about 40 instructions a node, 343 points 75, 461 points 100, where 93
// are free at the memory's rate. Needs 60 registers a thread at radius 1 and 2, 100 at 3, 126 at 4: bound by latency at
// radius 1 (there flat.cu is better), by shared memory and arithmetic at radius 4. Symmetric sums and the order:
// Krotkiewski and Dabrowski 2013. The shells present are compile-time.
#include "engine/cuda/kernels/march/plane_sums.cuh"

#include <bit>

namespace fdtd::cuda {
namespace {

// The smallest shape that holds the job's shells: blocks of this one are offered. 0: none.
std::uint64_t best_shape(const Job& job) {
  const std::optional<CubeWeights> cube = cube_weights(job.stencil);
  if (!cube) return 0;
  std::uint64_t best = 0;
  for (const PlaneSumsVariant& variant : plane_sums_variants()) {
    const bool fits =
        variant.precision == job.precision && variant.radius == cube->radius && (cube->shells & ~variant.shells) == 0;
    if (fits && (best == 0 || std::popcount(variant.shells) < std::popcount(best))) best = variant.shells;
  }
  return best;
}

std::vector<PlaneSumsVariant> variants_for(const Job& job) {
  const std::uint64_t shape = best_shape(job);
  std::vector<PlaneSumsVariant> fitting;
  for (const PlaneSumsVariant& variant : plane_sums_variants())
    if (variant.precision == job.precision && variant.shells == shape) fitting.push_back(variant);
  return fitting;
}

bool supports(const Job& job, const Device& device) {
  return fits_march(job.layout, 4) && fits_shared(variants_for(job), device);
}

std::vector<Tile> tiles(const Job& job, const Device& device) { return march_tiles(variants_for(job), job, device); }

std::size_t shared_bytes(const Job& job, const Tile& tile) {
  return march_shared_bytes("plane_sums", variants_for(job), tile);
}

Prepared prepare(const Job& job, const Device&, const Tile& tile, std::array<void*, 2> fields) {
  return march_variant("plane_sums", variants_for(job), tile).prepare(job, tile, fields);
}

}  // namespace

extern const Kernel plane_sums{
    "plane_sums", "marching, octahedral class sums shared between outputs (after Krotkiewski & Dabrowski)",
    supports,     tiles,
    shared_bytes, march_bytes_a_point,
    prepare};

}  // namespace fdtd::cuda
