// The outputs of a run without what differs between equal runs: date, seconds and device.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace fdtd::test {

// report.html without those lines.
std::string timeless_page(const std::string& html);

// Every file of the folder by its name; of result.h5 and report.html what does not depend on the clock. Throws what
// read_result does: a result.h5 is whole or not there. Empty where there is no folder.
std::map<std::string, std::string> outputs_of(const std::filesystem::path& folder);

}  // namespace fdtd::test
