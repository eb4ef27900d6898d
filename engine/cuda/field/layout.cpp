#include "engine/cuda/field/layout.hpp"

namespace fdtd::cuda {
namespace {

constexpr std::int64_t line_bytes = 128;

std::int64_t up_to(std::int64_t value, std::int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

}  // namespace

Layout::Layout(std::array<int, 3> size_, int radius_, std::size_t value_bytes_)
    : size(size_), radius(radius_), value_bytes(value_bytes_) {
  const std::int64_t line = line_bytes / static_cast<std::int64_t>(value_bytes);
  const std::int64_t left = up_to(radius, line);
  row = up_to(size[0], line) + left;
  plane = row * (std::int64_t{size[1]} + radius);
  first = left + radius * row + radius * plane;
  // The halo above: radius planes, then radius rows, then one row more that vectors may touch.
  length = first + (std::int64_t{size[2]} + radius) * plane + radius * row + left;
}

std::int64_t Layout::offset(std::uint64_t node) const {
  const auto nx = static_cast<std::uint64_t>(size[0]), ny = static_cast<std::uint64_t>(size[1]);
  return offset(static_cast<std::int64_t>(node % nx), static_cast<std::int64_t>(node / nx % ny),
                static_cast<std::int64_t>(node / nx / ny));
}

}  // namespace fdtd::cuda
