// FLAC files (RFC 9639), by libFLAC; the only place that knows it is flac_read.cpp.
#pragma once

#include "engine/files/input_file.hpp"
#include "engine/files/wav_write.hpp"

namespace fdtd {

// Whether the file begins as a FLAC file does.
bool is_flac(const InputFile& file);

// Integers of 4 to 32 bits, up to 8 channels; the comment is the tag COMMENT. Throws Error (status file) for what is no such
// file, is damaged (frames and the whole have checksums), is shorter or longer than its header says, or holds so much more
// than its bytes can that it was made to harm.
Audio read_flac(const InputFile& file);

}  // namespace fdtd
