// All image sources of a box: J. B. Allen, D. A. Berkley, "Image method for efficiently simulating small-room
// acoustics", J. Acoust. Soc. Am. 65 (1979). Image i of an axis of length L lies at i L + s for even i and at
// (i + 1) L - s for odd i; it is seen by |i| reflections, by turns at both walls.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "engine/images/specular_path.hpp"

namespace fdtd {

struct BoxPair {
  std::array<double, 3> sides{}, source{}, receiver{};  // m, from the corner of the lowest coordinates
};

struct LatticeImage {
  std::array<std::int64_t, 3> index{};
  std::array<double, 3> towards{};  // from the receiver, m
  double length = 0.0;              // m

  std::int64_t order() const { return std::abs(index[0]) + std::abs(index[1]) + std::abs(index[2]); }
};

// Reflections at x_min, x_max, y_min, y_max, z_min, z_max.
inline std::array<std::int64_t, 6> reflections(const LatticeImage& image) {
  std::array<std::int64_t, 6> count{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t n = std::abs(image.index[axis]), less = n / 2, more = n - less;
    count[2 * axis] = image.index[axis] > 0 ? less : more;
    count[2 * axis + 1] = image.index[axis] > 0 ? more : less;
  }
  return count;
}

// From the source, of unit length: the axes with an odd number of reflections are mirrored.
inline std::array<double, 3> departure(const LatticeImage& image) {
  std::array<double, 3> direction{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    direction[axis] = (image.index[axis] % 2 == 0 ? -1.0 : 1.0) * image.towards[axis] / image.length;
  return direction;
}

// The path of an image; facet w is wall w, as reflections() counts them.
SpecularPath path_of_image(const BoxPair& box, const LatticeImage& image);

// The distance (m) up to which a box of `sides` has about `most` images, at most `wanted`.
double lattice_reach(const std::array<double, 3>& sides, double wanted, double most);

inline double image_offset(const BoxPair& box, std::size_t axis, std::int64_t index) {
  const double L = box.sides[axis];
  const auto i = static_cast<double>(index);
  return (index % 2 == 0 ? i * L + box.source[axis] : (i + 1.0) * L - box.source[axis]) - box.receiver[axis];
}

// Calls visit(const LatticeImage&) for every image with from <= length < to, in an order that depends on nothing else.
// Ranges that follow each other share no image and leave none out, but a source that is at the receiver itself.
template <class Visit>
void visit_images(const BoxPair& box, double from, double to, const Visit& visit) {
  if (!(to > 0.0)) return;
  const auto bound = [&](std::size_t axis, double distance) {  // of |index|, one too far at least
    return static_cast<std::int64_t>(std::floor(distance / box.sides[axis])) + 2;
  };
  LatticeImage image;
  for (std::int64_t i = -bound(0, to); i <= bound(0, to); ++i) {
    const double x = image_offset(box, 0, i);
    if (x * x >= to * to) continue;
    for (std::int64_t j = -bound(1, to); j <= bound(1, to); ++j) {
      const double y = image_offset(box, 1, j), across = x * x + y * y;
      if (across >= to * to) continue;
      image.index = {i, j, 0};
      image.towards = {x, y, 0.0};
      const auto run = [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t k = first; k <= last; ++k) {
          const double z = image_offset(box, 2, k);
          const double length = std::sqrt(across + z * z);
          if (!(length >= from && length < to && length > 0.0)) continue;
          image.index[2] = k;
          image.towards[2] = z;
          image.length = length;
          visit(std::as_const(image));
        }
      };
      // |z| lies between `near` and `far`; indices are left out only where it surely does not.
      const double far = std::sqrt(to * to - across), near = std::sqrt(std::max(0.0, from * from - across));
      const std::int64_t most = bound(2, far), least = static_cast<std::int64_t>(std::floor(near / box.sides[2])) - 2;
      if (least <= 0) {
        run(-most, most);
      } else {
        run(-most, -least);
        run(least, most);
      }
    }
  }
}

}  // namespace fdtd
