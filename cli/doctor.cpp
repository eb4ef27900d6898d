// fdtd doctor: what this build and this machine support.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/documents.hpp"
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

const JsonFields<Gpu>& usable_gpu_fields() {
  static const auto fields =
      JsonFields<Gpu>()
          .value("name", "", "Name of the GPU.", &Gpu::name)
          .value("compute_capability", "", "Its compute capability.",
                 [](const Gpu& gpu) { return fmt::format("{}.{}", gpu.capability / 10, gpu.capability % 10); })
          .value("multiprocessors", "", "Number of multiprocessors.", &Gpu::multiprocessors)
          .value("memory_bytes", "bytes", "Its memory.", &Gpu::memory_bytes)
          .value("memory_free_bytes", "bytes", "Its free memory.", &Gpu::free_bytes)
          .value("driver_cuda", "", "CUDA version of the driver.",
                 [](const Gpu& gpu) { return cuda_version(gpu.driver_version); })
          .value("program_cuda", "", "CUDA version of the program.",
                 [](const Gpu& gpu) { return cuda_version(gpu.runtime_version); })
          .value("takes_batches", "", "Whether it computes small rooms side by side (`fdtd sweep --batch`).",
                 &Gpu::takes_batches);
  return fields;
}

const JsonFields<Gpu>& gpu_fields() {
  static const auto fields =
      JsonFields<Gpu>()
          .value("device", "", "`cuda:N`.", [](const Gpu& gpu) { return fmt::format("cuda:{}", gpu.index); })
          .value("why_not", "", "The reason.", &Gpu::why_not)
          .only_if("the GPU is not usable", [](const Gpu& gpu) { return !gpu.why_not.empty(); })
          .include(usable_gpu_fields())
          .only_if("the GPU is usable", [](const Gpu& gpu) { return gpu.why_not.empty(); });
  return fields;
}

using Gpus = std::vector<Gpu>;

TextsByName libraries(const Gpus&) {
  TextsByName list;
  if (!mpi_library().empty()) list.emplace_back("MPI", mpi_library());
  for (const auto& [name, value] : library_versions()) list.emplace_back(name, value);
  return list;
}

const JsonFields<Gpus>& machine_fields() {
  static const auto fields =
      JsonFields<Gpus>()
          .value("version", "", "Version of the program.", [](const Gpus&) { return std::string(version()); })
          .value("build", "", "Compiler and options.", [](const Gpus&) { return std::string(build_description()); })
          .value("processor", "", "Name of the processor.", [](const Gpus&) { return processor_name(); })
          .value("vector_units", "", "Its vector instruction sets.", [](const Gpus&) { return vector_units(); })
          .value("threads", "", "Hardware threads.", [](const Gpus&) { return hardware_threads(); })
          .value("memory_available_bytes", "bytes", "Free memory.", [](const Gpus&) { return available_memory(); })
          .list("gpus", "The GPUs.", gpu_fields(), [](const Gpus& all) { return all; })
          .elements("there is a GPU")
          .value("libraries", "", "Versions of the libraries, by name.", libraries)
          .value("why_no_gpu", "", "The reason.", [](const Gpus&) { return why_no_gpu(); })
          .only_if("there is no GPU", [](const Gpus& all) { return all.empty(); });
  return fields;
}

}  // namespace

DocumentFields doctor_document() { return machine_fields().all(); }

void add_doctor(CLI::App& app, int& status) {
  auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "print one JSON document");
  app.callback([json, &status] {
    const std::vector<Gpu> found = gpus();
    if (*json) {
      put_document(json_text(machine_fields().write(found), 2) + "\n");
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
