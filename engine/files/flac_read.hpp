// FLAC files (RFC 9639), read with libFLAC, which only flac_read.cpp includes.
#pragma once

#include "engine/files/input_file.hpp"
#include "engine/files/wav_write.hpp"

namespace fdtd {

// Whether the file starts like a FLAC file.
bool is_flac(const InputFile& file);

// Integers of 4 to 32 bits, up to 8 channels; the comment is the tag COMMENT. Throws Error (status file) for a file
// that is not FLAC, is damaged (frames and the whole have checksums), is shorter or longer than its header states, or
// decodes to far more samples than its size allows.
Audio read_flac(const InputFile& file, const AudioPart& part = {});

AudioHeader read_flac_header(const InputFile& file);

}  // namespace fdtd
