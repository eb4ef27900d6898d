// The model of scaling (engine/scaling.hpp) on paper: 1 to 1024 GPUs, 8 a machine, as a table and, with --json, as data.
//
//   bench_scaling [--json FILE] [--measured bench/results/h200/ranks.json]
//
// --measured puts what bench_cuda_ranks has measured beside what the model predicts for it, from the time of one GPU.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/scaling.hpp"

namespace {

using Json = nlohmann::ordered_json;

constexpr int gpus_a_machine = 8;
constexpr double nodes_along = 1024.0, value = sizeof(float);

struct Row {
  const char* stencil;
  int radius;
};

// Cubes of 1024 nodes a side, as bench_cuda_ranks takes them.
void print_beside(const std::string& file) {
  const Json measured = Json::parse(std::ifstream(file));
  fmt::print("\n| stencil | scaling | GPUs | measured | predicted |\n|---|---|---|---|---|\n");
  for (const Json& row : measured.at("results")) {
    const std::string stencil = row.at("stencil");
    const int radius = stencil == "leggy-1" ? 1 : stencil == "leggy-4" ? 4 : 2, gpus = row.at("gpus");
    const double plane = value * nodes_along * nodes_along;
    const fdtd::StepBytes bytes{3.0 * plane * nodes_along, radius * plane};
    const fdtd::Interconnect link = fdtd::speeds_of(bytes, row.at("seconds_per_step_of_one").get<double>());
    const bool weak = row.at("scaling") == "weak";
    fmt::print("| {} | {} | {} | {:.3f} | {:.3f} |\n", stencil, weak ? "weak" : "strong", gpus,
               row.at("efficiency").get<double>(),
               weak ? fdtd::weak_efficiency(bytes, gpus, link) : fdtd::strong_efficiency(bytes, gpus, link));
  }
}

}  // namespace

int main(int argc, char** argv) {
  Json report{{"grid", "1024^3 nodes a GPU (weak) or in all (strong), f32, without walls"},
              {"gpus_a_machine", gpus_a_machine},
              {"within", "NVLink"},
              {"between", "InfiniBand, 45 GB/s a GPU, 20 us"},
              {"rows", Json::array()}};
  fdtd::Interconnect within, between;
  between.link = 45e9;
  between.latency = 20e-6;
  fmt::print("| GPUs |");
  const Row rows[] = {{"leggy-1", 1}, {"leggy-4", 4}, {"box-222", 2}};
  for (const Row& row : rows) fmt::print(" {0} weak | {0} strong |", row.stencil);
  fmt::print("\n|---|---|---|---|---|---|---|\n");
  for (int gpus = 1; gpus <= 1024; gpus *= 2) {
    fmt::print("| {} |", gpus);
    for (const Row& row : rows) {
      const double plane = value * nodes_along * nodes_along;
      const fdtd::StepBytes bytes{3.0 * plane * nodes_along, row.radius * plane};
      const fdtd::Interconnect& link = gpus > gpus_a_machine ? between : within;
      const double weak = fdtd::weak_efficiency(bytes, gpus, link);
      const bool thick = nodes_along / gpus >= std::max(fdtd::layer_planes, row.radius);
      const double strong = thick ? fdtd::strong_efficiency(bytes, gpus, link) : 0.0;
      fmt::print(" {:.3f} | {} |", weak, thick ? fmt::format("{:.3f}", strong) : "slabs too thin");
      report["rows"].push_back({{"stencil", row.stencil}, {"gpus", gpus}, {"weak", weak}});
      if (thick) report["rows"].back()["strong"] = strong;
    }
    fmt::print("\n");
  }
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--json") std::ofstream(argv[i + 1]) << report.dump(1) << '\n';
    if (std::string(argv[i]) == "--measured") print_beside(argv[i + 1]);
  }
  return 0;
}
