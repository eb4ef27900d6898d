// Compact and box stencils, and users' with the cube's symmetries, marching with the tensor copy engine (march.cuh:
// how, and what bounds it), every plane's class sums taken once (plane_functionals.cuh). Needs sm_90.
//
// Up to 125 points the L2's wires bound it, as they bound 7 points; with 343 points half of what is issued is
// arithmetic, and with 461 (130 instructions a node) all of it. Fastest from 27 points on.
#include "engine/cuda/kernels/tma/cube_tma.cuh"

#include <bit>

namespace fdtd::cuda {
namespace {

// The kernels of the smallest shape that holds the job's shells.
std::vector<TmaVariant> variants_for(const Job& job) {
  std::vector<TmaVariant> fitting;
  const auto cube = cube_weights(job.stencil);
  if (!cube) return fitting;
  for (const TmaVariant& variant : cube_tma_variants()) {
    if (variant.precision != job.precision || variant.radius != cube->radius) continue;
    if ((cube->shells & ~variant.shells) != 0) continue;
    if (!fitting.empty() && std::popcount(variant.shells) < std::popcount(fitting.front().shells)) fitting.clear();
    if (fitting.empty() || variant.shells == fitting.front().shells) fitting.push_back(variant);
  }
  return fitting;
}

}  // namespace

extern const Kernel cube_tma = tma_kernel<variants_for>(
    "cube_tma", "compact and box: marching in lockstep with shared class sums, fetched by the tensor copy engine");

}  // namespace fdtd::cuda
