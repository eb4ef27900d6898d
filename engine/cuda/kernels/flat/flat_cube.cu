// flat for stencils with the cube's symmetries and radius 1: 19 and 27 points.
#include "engine/cuda/kernels/flat/flat.cuh"

namespace fdtd::cuda {
namespace {

constexpr std::array<FlatBlock, 12> cube_blocks = {{{4, 16, 8},
                                                    {8, 32, 4},
                                                    {4, 32, 8},
                                                    {4, 16, 16},
                                                    {8, 16, 16},
                                                    {8, 32, 8},
                                                    {4, 32, 16},
                                                    {4, 32, 4},
                                                    {8, 32, 16},
                                                    {8, 16, 8},
                                                    {16, 32, 4},
                                                    {16, 32, 8}}};

template <class T, std::uint64_t shells, std::size_t... i>
constexpr auto of_blocks(std::index_sequence<i...>) {
  return std::array{flat_cube_variant<T, 1, shells, cube_blocks[i].planes, cube_blocks[i].x, cube_blocks[i].y>()...};
}

template <std::uint64_t shells>
constexpr auto of_shells() {
  constexpr std::make_index_sequence<cube_blocks.size()> all;
  return joined(of_blocks<float, shells>(all), of_blocks<double, shells>(all));
}

}  // namespace

std::span<const FlatVariant> flat_cube_variants() {
  static constexpr auto variants =
      joined(of_shells<box_shells_up_to(1, 1, 0)>(), of_shells<box_shells_up_to(1, 1, 1)>());
  return variants;
}

}  // namespace fdtd::cuda
