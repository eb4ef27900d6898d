#include "tests/support/outputs.hpp"

#include <sstream>

#include "engine/results/result.hpp"
#include "tests/support/files.hpp"

namespace fdtd::test {

std::string timeless_page(const std::string& html) {
  std::istringstream lines(html);
  std::string kept, line;
  while (std::getline(lines, line))
    if (!line.starts_with("<dt>device</dt>") && !line.starts_with("<dt>date</dt>") &&
        !line.starts_with("<dt>time</dt>"))
      kept += line + '\n';
  return kept;
}

std::map<std::string, std::string> outputs_of(const std::filesystem::path& folder) {
  std::map<std::string, std::string> all;
  if (!std::filesystem::exists(folder)) return all;
  for (const std::string& name : names_in(folder)) {
    if (name == "result.h5") {
      Result result = read_result(folder / name);
      result.run = {};
      result.wave_print.clear();  // a run of several ranks states none
      const TemporaryFolder aside;
      write_result(aside / name, result, false);
      all[name] = read_file(aside / name);
    } else {
      const std::string bytes = read_file(folder / name);
      all[name] = name == "report.html" ? timeless_page(bytes) : bytes;
    }
  }
  return all;
}

}  // namespace fdtd::test
