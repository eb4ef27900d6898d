// read_balloon_text: any bytes are a directivity whose harmonics are numbers, or refused.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "base/error.hpp"
#include "engine/directivity/balloon_data.hpp"
#include "engine/directivity/balloon_fit.hpp"
#include "tests/fuzz/file_of.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t most = 20000;  // longer texts are slow and no different
  if (size > most) return 0;
  try {
    const fdtd::BalloonData read = fdtd::read_balloon_text(fdtd::test::file_of(data, size));
    if (read.values.size() != read.directions.size() * read.frequencies.size()) std::abort();
    const fdtd::Balloon balloon = fdtd::fit_balloon(read, {}, "fuzz");
    if (balloon.harmonics.size() != balloon.count() * balloon.frequencies.size()) std::abort();
    for (const std::complex<double>& one : balloon.harmonics)
      if (std::isnan(std::abs(one))) std::abort();
  } catch (const fdtd::Error&) {
  }
  return 0;
}
