// Marching kernel of the leggy stencils, M = 1 to 20: input-stationary, one plane in shared memory, the 2 M outputs
// under way in registers.
//
// Data: u1 comes into shared memory once a tile with its four halos (no corners; asynchronous copies of 16 bytes, two
// to four planes in flight), u0 with it; u0 leaves. A thread reads 2 M + 1 vectors of its column and 2 ceil(M /
// 4) more of its row a plane (f32) and turns them into one sum; up and down a node costs 2 M products and no memory at
// all. DRAM sees 3 values a point, L2 the halo more: 2 M / y + 2 M / x. Registers: 8 M + 40 a thread. Bound by latency
// at small M, where flat is better up to M = 2; by L2 and shared memory from M = 8 on. Order of work: Micikevicius 2009
// ("3D finite difference computation on GPUs using CUDA") turned input-stationary as in Krotkiewski and Dabrowski 2013.
#include "engine/cuda/kernels/march/star_march.cuh"

namespace fdtd::cuda {
namespace {

std::vector<StarMarchVariant> variants_for(const Job& job) {
  std::vector<StarMarchVariant> fitting;
  const std::optional<StarWeights> star = star_weights(job.stencil);
  if (!star) return fitting;
  for (const StarMarchVariant& variant : star_march_variants())
    if (variant.precision == job.precision && variant.radius == star->radius) fitting.push_back(variant);
  return fitting;
}

bool supports(const Job& job, const Device& device) {
  return fits_march(job.layout, 8) && fits_shared(variants_for(job), device);
}

std::vector<Tile> tiles(const Job& job, const Device& device) { return march_tiles(variants_for(job), job, device); }

std::size_t shared_bytes(const Job& job, const Tile& tile) {
  return march_shared_bytes("star_march", variants_for(job), tile);
}

Prepared prepare(const Job& job, const Device&, const Tile& tile, std::array<void*, 2> fields) {
  return march_variant("star_march", variants_for(job), tile).prepare(job, tile, fields);
}

}  // namespace

extern const Kernel star_march{"star_march", "marching, one plane in shared memory, outputs in registers (ours)",
                               supports,     tiles,
                               shared_bytes, march_bytes_a_point,
                               prepare};

}  // namespace fdtd::cuda
