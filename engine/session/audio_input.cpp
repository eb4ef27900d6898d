#include "engine/session/audio_input.hpp"

#include <fmt/format.h>

#include "engine/error.hpp"
#include "engine/system/machine.hpp"

namespace fdtd {

void require_memory(const std::string& file, double bytes, const char* purpose, const char* remedy) {
  const auto available = static_cast<double>(available_memory());
  if (bytes <= available) return;
  throw Error(Status::resource,
              fmt::format("{}: {} it needs {} of memory, {} are available", file, purpose, human_bytes(bytes),
                          human_bytes(available)),
              remedy);
}

}  // namespace fdtd
