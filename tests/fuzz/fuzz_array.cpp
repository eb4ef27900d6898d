// read_array_text: any bytes are microphones at finite places, of finite weights, with names of their own or none, or
// refused with the reason.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "scenes/array_text.hpp"
#include "scenes/toml/reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fdtd::ArrayText read = fdtd::read_array_text({reinterpret_cast<const char*>(data), size}, fdtd::bad_name);
  if (!read.fault.empty()) return 0;
  if (read.microphones.empty() || read.microphones.size() > fdtd::max_microphones) std::abort();
  for (const fdtd::Microphone& one : read.microphones) {
    if (!std::isfinite(one.weight) || one.weight == 0.0) std::abort();
    if (one.name.empty() != read.microphones.front().name.empty()) std::abort();
    for (const double x : one.position)
      if (!std::isfinite(x)) std::abort();
  }
  return 0;
}
