// The signal that a source plays: its samples at the output rate.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "engine/responses/sample_stream.hpp"

namespace fdtd {

// The signal of source `name` in the file `path`, which the scene calls `written`; the file is read again where memory
// should not hold it. Throws Error: status scene for a file with several channels, file for one that cannot be read,
// holds no samples or, later, has changed.
std::shared_ptr<SampleStream> open_signal(const std::string& name, const std::string& written,
                                          const std::filesystem::path& path, int output_rate);

}  // namespace fdtd
