// The nodes of a field in the order of a state, plane by plane, for backends that copy only whole planes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/backend/backend.hpp"

namespace fdtd {

// Bytes of the nodes [first, first + count); copy(z, planes, to) copies whole planes to `to`. in_plane: nodes of a
// plane.
template <class Copy>
std::vector<std::byte> nodes_by_planes(std::uint64_t first, std::uint64_t count, std::uint64_t in_plane,
                                       std::size_t value_bytes, const Copy& copy) {
  const std::uint64_t begin = first / in_plane, end = (first + count + in_plane - 1) / in_plane;
  std::vector<std::byte> bytes(static_cast<std::size_t>((end - begin) * in_plane) * value_bytes);
  if (count > 0) copy(static_cast<int>(begin), static_cast<int>(end - begin), bytes.data());
  const auto before = static_cast<std::ptrdiff_t>(first - begin * in_plane) * static_cast<std::ptrdiff_t>(value_bytes);
  bytes.erase(bytes.begin(), bytes.begin() + before);
  bytes.resize(static_cast<std::size_t>(count) * value_bytes);
  return bytes;
}

// Planes to read at once: about 64 MB.
inline int planes_at_once(std::uint64_t in_plane, std::size_t value_bytes) {
  constexpr std::uint64_t wanted = std::uint64_t{1} << 26U;
  return static_cast<int>(std::clamp<std::uint64_t>(wanted / (in_plane * value_bytes), 1, 1U << 16U));
}

// Calls put(z, planes, bytes) for all planes of a field of the state. Throws Error (status file) where it does not fit.
template <class Put>
void each_block_of_planes(const State& state, StatePart part, int planes, std::uint64_t in_plane,
                          std::size_t value_bytes, const Put& put) {
  state.require(part, in_plane * static_cast<std::uint64_t>(planes));
  const int most = planes_at_once(in_plane, value_bytes);
  for (int z = 0; z < planes; z += most) {
    const int count = std::min(most, planes - z);
    put(z, count,
        state.values(part, in_plane * static_cast<std::uint64_t>(z), in_plane * static_cast<std::uint64_t>(count)));
  }
}

}  // namespace fdtd
