// read_measured_json and read_measured_csv: any bytes are figures that fit their own octaves, or refused with the reason why they are
// none.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/measured/measured_csv.hpp"
#include "engine/measured/measured_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bool json = std::string_view(FDTD_FUZZ_ENDING) == "json";
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string why;
  const auto figures = json ? fdtd::read_measured_json(text, why) : fdtd::read_measured_csv(text, why);
  if (!figures) {
    if (why.empty()) std::abort();
    return 0;
  }
  if (figures->centres.empty() || figures->pairs.empty()) std::abort();
  for (const fdtd::PairFigures& pair : figures->pairs) {
    if (pair.octaves.size() != figures->centres.size()) std::abort();
    for (const fdtd::OctaveFigures& octave : pair.octaves)
      for (const fdtd::Figure& one : octave)
        if (one.value.has_value() != one.reason.empty()) std::abort();
  }
  return 0;
}
