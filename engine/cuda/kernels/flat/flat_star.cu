// flat for leggy stencils, M = 1 and 2.
#include "engine/cuda/kernels/flat/flat.cuh"

namespace fdtd::cuda {
namespace {

constexpr std::array<FlatBlock, 11> star_blocks = {{{4, 32, 8},
                                                    {4, 32, 16},
                                                    {4, 16, 16},
                                                    {4, 32, 4},
                                                    {8, 16, 16},
                                                    {8, 32, 8},
                                                    {8, 32, 16},
                                                    {8, 32, 4},
                                                    {2, 32, 16},
                                                    {16, 32, 8},
                                                    {4, 64, 4}}};

template <class T, int M, std::size_t... i>
constexpr auto of_blocks(std::index_sequence<i...>) {
  return std::array{flat_star_variant<T, M, star_blocks[i].planes, star_blocks[i].x, star_blocks[i].y>()...};
}

template <int M>
constexpr auto of_radius() {
  constexpr std::make_index_sequence<star_blocks.size()> all;
  return joined(of_blocks<float, M>(all), of_blocks<double, M>(all));
}

}  // namespace

std::span<const FlatVariant> flat_star_variants() {
  static constexpr auto variants = joined(of_radius<1>(), of_radius<2>());
  return variants;
}

}  // namespace fdtd::cuda
