// fdtd doctor: what this build and this machine support.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/terminal/say.hpp"
#include "engine/backend/backend.hpp"
#include "engine/devices/devices.hpp"
#include "engine/system/libraries.hpp"
#include "engine/system/machine.hpp"
#include "engine/system/ranks.hpp"
#include "engine/system/threads.hpp"
#include "engine/system/version.hpp"

namespace fdtd::cli {

namespace {

std::string cuda_version(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::string text_of(const Gpu& gpu) {
  if (!gpu.why_not.empty()) return fmt::format("cuda:{}, not usable: {}", gpu.index, gpu.why_not);
  return fmt::format(
      "cuda:{}, {}, compute capability {}.{}, {} multiprocessors, {} of {} free; CUDA: driver {}, program {}",
      gpu.index, gpu.name, gpu.capability / 10, gpu.capability % 10, gpu.multiprocessors,
      human_bytes(static_cast<double>(gpu.free_bytes)), human_bytes(static_cast<double>(gpu.memory_bytes)),
      cuda_version(gpu.driver_version), cuda_version(gpu.runtime_version));
}

nlohmann::ordered_json json_of(const Gpu& gpu) {
  if (!gpu.why_not.empty()) return {{"device", fmt::format("cuda:{}", gpu.index)}, {"why_not", gpu.why_not}};
  return {{"device", fmt::format("cuda:{}", gpu.index)},
          {"name", gpu.name},
          {"compute_capability", fmt::format("{}.{}", gpu.capability / 10, gpu.capability % 10)},
          {"multiprocessors", gpu.multiprocessors},
          {"memory_bytes", gpu.memory_bytes},
          {"memory_free_bytes", gpu.free_bytes},
          {"driver_cuda", cuda_version(gpu.driver_version)},
          {"program_cuda", cuda_version(gpu.runtime_version)}};
}

}  // namespace

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
        {"gpus", nlohmann::ordered_json::array()},
        {"libraries", nlohmann::ordered_json::object()},
    };
    const std::vector<Gpu> found = gpus();
    for (const Gpu& gpu : found) report["gpus"].push_back(json_of(gpu));
    if (found.empty()) report["why_no_gpu"] = why_no_gpu();
    if (!mpi_library().empty()) report["libraries"]["MPI"] = mpi_library();
    for (const auto& [name, value] : library_versions()) report["libraries"][name] = value;
    if (*json) {
      put_document(json_text(report, 2) + "\n");
    } else {
      print_text("fdtd {}\n", version());
      print_text("  build      {}\n", build_description());
      print_text("  processor  {}; {}\n", processor_name(), vector_units());
      print_text("  threads    {}\n", hardware_threads());
      print_text("  memory     {} available\n", human_bytes(static_cast<double>(available_memory())));
      for (const Gpu& gpu : found) print_text("  gpu        {}\n", text_of(gpu));
      if (found.empty()) print_text("  gpu        none: {}\n", why_no_gpu());
      print_text("  ranks      {}\n", mpi_library().empty() ? "one: " + how_to_get_mpi() : mpi_library());
      for (const auto& [name, value] : library_versions()) print_text("  {:<10} {}\n", name, value);
    }
    status = 0;
  });
}

}  // namespace fdtd::cli
