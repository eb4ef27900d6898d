// FLAC files (RFC 9639), read here and by no library.
#pragma once

#include "engine/audio_file.hpp"
#include "engine/input_file.hpp"

namespace fdtd {

// Whether the file begins as a FLAC file does.
bool is_flac(const InputFile& file);

// Frames hold checksums, which are checked; `trusted` leaves them out, for a fuzzer cannot make them.
enum class FlacChecksums { checked, trusted };

// Integers of 4 to 32 bits, up to 8 channels; the comment is the tag COMMENT. Throws Error (status file) for what is no such
// file, is damaged, is shorter than its header says, or holds so much more than its bytes can that it was made to harm.
Audio read_flac(const InputFile& file, FlacChecksums checksums = FlacChecksums::checked);

}  // namespace fdtd
