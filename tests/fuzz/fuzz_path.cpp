// read_path: any bytes are a path whose times increase and whose places are finite, or refused with the reason.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "scenes/path_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string why;
  const auto path = fdtd::read_path({reinterpret_cast<const char*>(data), size}, why);
  if (!path) {
    if (why.empty()) std::abort();
    return 0;
  }
  double before = -HUGE_VAL;
  if (path->rows().empty()) std::abort();
  for (const fdtd::PathRow& row : path->rows()) {
    if (!(row.time > before) || !std::isfinite(row.yaw)) std::abort();
    before = row.time;
    for (const double x : path->position(row.time))
      if (!std::isfinite(x)) std::abort();
  }
  if (!(path->fastest().speed >= 0.0) || !std::isfinite(path->length())) std::abort();
  return 0;
}
