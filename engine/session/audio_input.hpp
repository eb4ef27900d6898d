// Audio files that commands read: judged by their headers before their samples take memory.
#pragma once

#include <cstdint>
#include <string>

#include "engine/files/wav_write.hpp"

namespace fdtd {

// Throws Error (resource) unless `bytes` are available for what is to be done with the file (`purpose`: "to measure").
void require_memory(const std::string& file, double bytes, const char* purpose, const char* remedy);

// Throws Error (file) unless `bytes` are free where the file is to be written, as far as the file system says.
void require_space(const std::string& file, double bytes);

// Throws Error (file) where the header of a file that is read again is not the one that was judged.
void require_unchanged(const std::string& file, const AudioHeader& judged, const AudioHeader& now);
// The same where it has given `read` samples a channel and then ends.
void require_whole(const std::string& file, const AudioHeader& judged, std::uint64_t read);

// The header; frames are counted where it does not state them.
AudioHeader judge_audio(const std::string& file);

}  // namespace fdtd
