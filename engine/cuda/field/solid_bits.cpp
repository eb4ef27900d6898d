#include "engine/cuda/field/solid_bits.hpp"

namespace fdtd::cuda {

std::vector<std::uint8_t> pack_solids(const AirMask& air) {
  const auto [nx, ny, nz] = air.size();
  const auto row = static_cast<std::size_t>(solid_row_bytes(nx));
  std::vector<std::uint8_t> bits(row * static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz));
  std::uint8_t* line = bits.data();
  for (int z = 0; z < nz; ++z) {
    for (int y = 0; y < ny; ++y, line += row) {
      for (int x = 0; x < nx; x += 64) {
        const std::uint64_t inside = nx - x >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (nx - x)) - 1;
        const std::uint64_t solid = ~air.bits(x, y, z) & inside;
        for (int byte = 0; byte < 8; ++byte)
          line[static_cast<std::size_t>(x / 8 + byte)] = static_cast<std::uint8_t>(solid >> (8 * byte));
      }
    }
  }
  return bits;
}

}  // namespace fdtd::cuda
