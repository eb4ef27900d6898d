#include "cli/output_flags.hpp"

#include "engine/results/outputs.hpp"

namespace fdtd::cli {

void add_output_flags(CLI::App& app, std::set<std::string>& wanted) {
  for (const Output& output : outputs())
    if (*output.flag != '\0')
      app.add_flag_callback(
          "--" + std::string(output.name), [&wanted, name = output.name] { wanted.insert(name); }, output.flag);
}

}  // namespace fdtd::cli
