// Audio files that commands read: judged by their headers before their samples take memory.
#pragma once

#include <cstdint>
#include <string>

#include "engine/files/wav_write.hpp"

namespace fdtd {

// Throws Error (resource) unless `bytes` are available for what is to be done with the file (`purpose`: "to measure").
void require_memory(const std::string& file, double bytes, const char* purpose, const char* remedy);

}  // namespace fdtd
