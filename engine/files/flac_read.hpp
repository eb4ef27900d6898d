// FLAC files (RFC 9639), read with libFLAC, which only flac_read.cpp includes.
#pragma once

#include <memory>
#include <optional>

#include "engine/files/audio_reader.hpp"
#include "engine/files/input_file.hpp"

namespace fdtd {

// Whether the file starts like a FLAC file.
bool is_flac(const InputFile& file);

// Integers of 4 to 32 bits, up to 8 channels; the comment is the tag COMMENT. Throws Error (status file) for a file
// that is not FLAC, is damaged (frames and the whole have checksums), is shorter or longer than its header states, or
// decodes to far more samples than its size allows: at once or while it is read.
std::unique_ptr<AudioReader> open_flac(InputFile file, std::optional<std::size_t> channel = {});

}  // namespace fdtd
