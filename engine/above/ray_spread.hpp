// How far the figures of a response depend on the draw of its rays: two halves of the rays compared.
//
// A half's energies and those of image sources give T20, C80 and G by octave. Both halves together deviate by about half of
// the difference between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/above/above_record.hpp"
#include "engine/rays/trace.hpp"

namespace fdtd {

// The energies of early sound by octave and bin, [octave][bin], in the units of LateRecord: a pulse of height 1 has the
// energy 1 in each octave. `early`: at early_rate.
std::vector<double> early_energies(std::span<const double> early, std::span<const double> octaves, double bin,
                                   std::size_t bins);

// A receiver that is judged. `early`: early_energies(); `start`: s, of the direct sound.
struct SpreadReceiver {
  std::size_t number = 0;  // of RayEnergies
  double start = 0.0;
  std::vector<double> early;
};

// Half of the largest differences over the receivers, by octave. `sums`: of RayTracer::sums(), with `octaves` and
// others after them. A decay has a T20 where it falls by 30 dB in nine tenths of its record; one that a half lacks counts
// as 100 %.
std::vector<RaySpread> spread_of(const RayEnergies& sums, std::int64_t rays, std::span<const SpreadReceiver> receivers,
                                 std::span<const double> octaves, std::size_t all_octaves, std::size_t all_receivers,
                                 double bin);

// The largest by octave of both.
void join(std::vector<RaySpread>& spread, const std::vector<RaySpread>& other);

// "rays: 80000 a source, ...", for the lines of a run; empty where no ray was traced.
std::string spread_text(const AboveRecord& record);

}  // namespace fdtd
