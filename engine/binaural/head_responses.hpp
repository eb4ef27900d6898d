// Head-related impulse responses of an AES69 file (SimpleFreeFieldHRIR): the pressure at both ears of a head for sound
// from many directions.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/point.hpp"

namespace fdtd {

inline constexpr double plane_waves = 1000.0;  // m, from which on sound is a plane wave

struct HeadResponses {
  double sample_rate = 0.0;       // Hz
  std::vector<Point> directions;  // unit vectors towards the source, in the head's axes: x front, y left, z up
  std::size_t samples = 0;
  std::vector<double> ears;       // [direction][left, right][sample], with the delays of the file (see read_head)
  double distance = plane_waves;  // m, of the sources: the median
  double gap = 0.0;               // degrees: from the direction that is farthest from a measured one to that one
  std::vector<std::string> remarks;
};

inline constexpr double widest_gap = 75.0;  // degrees
inline constexpr std::size_t most_directions = 12000, most_head_samples = 16384;

// Of several distances the farthest counts. Throws Error (status file) for files of another kind, with other than two
// receivers, too many directions or samples, samples that are not finite, a silent ear, or directions that leave more
// than widest_gap of the sphere out. Delays count to fractions of a sample; where there are such, all responses come later by
// what the fractions spread before their places, a delay in common, which filters take away.
HeadResponses read_head(const std::filesystem::path& path);

// Solid angle by direction as a share of the sphere's: of the directions nearest to it.
std::vector<double> solid_angles(const std::vector<Point>& directions);

}  // namespace fdtd
