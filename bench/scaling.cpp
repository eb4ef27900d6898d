// The model of scaling (engine/planning/outline/scaling.hpp) on paper: 1 to 1024 GPUs, 8 a machine, as a table and, with
// --json, as data.
//
//   bench_scaling [--json FILE] [--measured bench/results/h200/ranks.json]
//
// --measured puts what bench_cuda_ranks has measured beside what the model predicts for it, from the time of one GPU.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/planning/outline/scaling.hpp"

namespace {

using Json = nlohmann::ordered_json;

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
              {"gpus_a_machine", fdtd::gpus_a_machine},
              {"within", "NVLink"},
              {"between", "InfiniBand, 45 GB/s a GPU, 20 us"},
              {"rows", Json::array()}};
  fmt::print("| GPUs |");
  const Row rows[] = {{"leggy-1", 1}, {"leggy-4", 4}, {"box-222", 2}};
  std::vector<std::vector<fdtd::ScalingPoint>> points;
  for (const Row& row : rows) {
    fmt::print(" {0} weak | {0} strong |", row.stencil);
    const double plane = value * nodes_along * nodes_along;
    const int max_slabs = static_cast<int>(nodes_along) / std::max(fdtd::layer_planes, row.radius);
    points.push_back(fdtd::scaling_of({3.0 * plane * nodes_along, row.radius * plane}, max_slabs, {}));
  }
  fmt::print("\n|---|---|---|---|---|---|---|\n");
  for (std::size_t p = 0; p < points[0].size(); ++p) {
    fmt::print("| {} |", points[0][p].gpus);
    for (std::size_t r = 0; r < points.size(); ++r) {
      const fdtd::ScalingPoint& point = points[r][p];
      fmt::print(" {:.3f} | {} |", point.weak,
                 point.strong > 0.0 ? fmt::format("{:.3f}", point.strong) : "slabs too thin");
      report["rows"].push_back({{"stencil", rows[r].stencil}, {"gpus", point.gpus}, {"weak", point.weak}});
      if (point.strong > 0.0) report["rows"].back()["strong"] = point.strong;
    }
    fmt::print("\n");
  }
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--json") std::ofstream(argv[i + 1]) << report.dump(1) << '\n';
    if (std::string(argv[i]) == "--measured") print_beside(argv[i + 1]);
  }
  return 0;
}
