// Directivities of sources as files state them: pressures by direction and frequency, before harmonics are fitted.
#pragma once

#include <complex>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/point.hpp"

namespace fdtd {

struct BalloonData {
  std::string kind;                          // "FreeFieldDirectivityTF", "table"
  double distance = 0.0;                     // m; 0: not stated
  std::vector<Point> directions;             // of unit length: x along the view, y to its left, z along its up
  std::vector<double> frequencies;           // Hz, above 0, increasing
  std::vector<std::complex<double>> values;  // [direction][frequency]; any level and delay, in common to all directions
};

inline constexpr std::size_t most_balloon_directions = std::size_t{1} << 14;
inline constexpr std::size_t most_balloon_values = std::size_t{1} << 23;
// Files of more frequencies are read at those nearest to as many an octave.
inline constexpr int balloon_points_an_octave = 12;
inline constexpr double lowest_balloon = 16.0, highest_balloon = 24000.0;  // Hz

// Which of several measurements (M) of one file radiates: a number from 1; 0: the only one; all_measurements: their sum.
inline constexpr int all_measurements = -1;

// AES69: FreeFieldDirectivityTF, FreeFieldDirectivityIR, GeneralTF and GeneralFIR, directions by receivers (R), or by
// measurements (M) of one receiver. Throws Error (status file) with the variable that is wrong, and what to do.
BalloonData read_balloon_sofa(const std::filesystem::path& file, int measurement);

// The text form of the Common Loudspeaker Format (balloon_clf.cpp); it begins with <CLF1> or <CLF2>. Throws Error (status
// file) with the line.
bool is_clf_text(std::string_view text);
BalloonData read_clf_text(const std::filesystem::path& file, std::string_view text);

// A table of text (balloon_text.cpp states its columns), or one of CLF. Throws Error (status file) with the line.
BalloonData read_balloon_text(const std::filesystem::path& file);

// Indices of the frequencies that are used of a list: above 0, within lowest_balloon and highest_balloon where any are.
std::vector<std::size_t> used_frequencies(const std::vector<double>& all);

}  // namespace fdtd
