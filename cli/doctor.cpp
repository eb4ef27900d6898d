// fdtd doctor: what this build and this machine can do.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "engine/libraries.hpp"
#include "engine/machine.hpp"
#include "engine/version.hpp"

namespace fdtd::cli {

void add_doctor(CLI::App& app, int& status) {
  auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "print one JSON document");
  app.callback([json, &status] {
    nlohmann::ordered_json report{
        {"version", version()},
        {"build", build_description()},
        {"processor", processor_name()},
        {"vector_units", vector_units()},
        {"threads", hardware_threads()},
        {"memory_available_bytes", available_memory()},
        {"gpu", "none: this program has no GPU kernels"},
        {"libraries", nlohmann::ordered_json::object()},
    };
    for (const auto& [name, value] : library_versions()) report["libraries"][name] = value;
    if (*json) {
      fmt::print("{}\n", report.dump(2));
    } else {
      fmt::print("fdtd {}\n", version());
      fmt::print("  build      {}\n", build_description());
      fmt::print("  processor  {}; {}\n", processor_name(), vector_units());
      fmt::print("  threads    {}\n", hardware_threads());
      fmt::print("  memory     {} available\n", human_bytes(static_cast<double>(available_memory())));
      fmt::print("  gpu        {}\n", report["gpu"].get<std::string>());
      for (const auto& [name, value] : library_versions()) fmt::print("  {:<10} {}\n", name, value);
    }
    status = 0;
  });
}

}  // namespace fdtd::cli
