// Leggy stencils, M = 1..20, marching with the tensor copy engine (march.cuh: how, and what bounds it). Needs sm_90.
//
// A node costs 6 M + 1 multiply-adds whatever the tile, and from shared memory its own row's 2 hx + 4 words and 2 M /
// rows + 1 more a quad. L2's halo is what counts: at 128 x 30 a tile of M = 4 requests 1.4 times its nodes, M = 1 for
// 1.2. Wins for M up to 4; from M = 9 on registers leave small tiles, whose halo is larger than themselves.
#include "engine/cuda/kernels/tma/star_tma.cuh"

namespace fdtd::cuda {
namespace {

std::vector<TmaVariant> variants_for(const Job& job) {
  std::vector<TmaVariant> fitting;
  const auto star = star_weights(job.stencil);
  if (!star) return fitting;
  for (const TmaVariant& variant : star_tma_variants())
    if (variant.precision == job.precision && variant.radius == star->radius) fitting.push_back(variant);
  return fitting;
}

}  // namespace

extern const Kernel star_tma =
    tma_kernel<variants_for>("star_tma", "leggy: marching in lockstep, fetched by the tensor copy engine");

}  // namespace fdtd::cuda
