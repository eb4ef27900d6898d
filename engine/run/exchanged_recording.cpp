#include "engine/run/exchanged_recording.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace fdtd {

void exchange_recording(Recording& recording) {
  const std::size_t rows = recording.sources.size(), columns = recording.receivers.size();
  const auto samples = static_cast<std::ptrdiff_t>(recording.samples);
  const auto record = [&](std::size_t i) {
    return recording.pressure.begin() + static_cast<std::ptrdiff_t>(i) * samples;
  };
  // The transpose of rows x columns records, cycle by cycle: the record at row * columns + column belongs to column *
  // rows + row.
  std::vector<bool> placed(rows * columns, false);
  for (std::size_t first = 0; first < placed.size(); ++first) {
    for (std::size_t at = first; !placed[at];) {
      placed[at] = true;
      at = at % columns * rows + at / columns;
      if (at != first) std::swap_ranges(record(first), record(first) + samples, record(at));
    }
  }
  std::swap(recording.sources, recording.receivers);
  recording.exchanged = !recording.exchanged;
}

}  // namespace fdtd
