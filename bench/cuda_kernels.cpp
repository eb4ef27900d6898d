// Every GPU kernel beside the roof of the same run, on bare boxes.
//
//   bench_cuda_kernels [--stencils leggy-4,box-222] [--kernels kernel_a,flat] [--precision f32,f64]
//                      [--grid 928,800,750] [--tiles best|all] [--repeats 7] [--device 0] [--roofs] [--json FILE]
//
// For each stencil, precision, kernel and tile: first parity, two steps from random values against kernel_a, nothing
// but nodes written; then batches of steps in turn with the leapfrog triad on the same arrays, the median of each.
// Prints a line: registers a thread, local bytes a thread (spills), shared bytes a block, blocks an SM, Gpts/s, the
// triad's Gpts/s and eff = triad CTPN / kernel CTPN. --roofs prints triad, copy and copy_halo as well. Ends with 1 when
// a kernel was wrong, with 2 on a bad command line.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/devices/gpu_code.hpp"
#include "engine/studies/kernel_study.hpp"
#include "engine/system/version.hpp"
#include "stencils/catalogue.hpp"

namespace {

using namespace fdtd;
using study::KernelStudy;

struct Options {
  std::vector<std::string> stencils = {"leggy-1",  "leggy-2",   "leggy-3",   "leggy-4",   "leggy-8",
                                       "leggy-20", "compact-2", "compact-3", "compact-5", "compact-6",
                                       "box-222",  "box-333",   "compact-22"};
  std::vector<std::string> kernels;  // empty: all
  std::vector<Precision> precisions = {Precision::f32, Precision::f64};
  std::array<int, 3> grid = {928, 800, 750};
  bool all_tiles = false, roofs = false;
  int repeats = 7, device = 0;
  std::string json;
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> items;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    items.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

int number(const std::string& text, int least) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least)
    throw std::invalid_argument(fmt::format("'{}' is no whole number from {}", text, least));
  return value;
}

void set(Options& options, const std::string& name, const std::string& value) {
  if (name == "--stencils") {
    options.stencils = split(value);
    for (const std::string& stencil : options.stencils)
      if (find_stencil(stencil) == nullptr)
        throw std::invalid_argument(
            fmt::format("no stencil '{}': did you mean {}?", stencil, nearest_stencil_name(stencil)));
  } else if (name == "--kernels") {
    options.kernels = split(value);
  } else if (name == "--precision") {
    options.precisions.clear();
    for (const std::string& precision : split(value)) {
      if (precision != "f32" && precision != "f64")
        throw std::invalid_argument(fmt::format("'{}' is neither f32 nor f64", precision));
      options.precisions.push_back(precision == "f32" ? Precision::f32 : Precision::f64);
    }
  } else if (name == "--grid") {
    const auto sizes = split(value);
    if (sizes.size() != 3) throw std::invalid_argument("--grid takes nx,ny,nz");
    for (std::size_t d = 0; d < 3; ++d) options.grid[d] = number(sizes[d], 1);
  } else if (name == "--tiles") {
    if (value != "best" && value != "all") throw std::invalid_argument("--tiles takes best or all");
    options.all_tiles = value == "all";
  } else if (name == "--repeats") {
    options.repeats = number(value, 1);
  } else if (name == "--device") {
    options.device = number(value, 0);
  } else if (name == "--json") {
    options.json = value;
  } else {
    throw std::invalid_argument(fmt::format("no option '{}'", name));
  }
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--roofs") {
      options.roofs = true;
    } else if (i + 1 < argc) {
      set(options, name, argv[++i]);
    } else {
      throw std::invalid_argument(fmt::format("{} is no option, or lacks its value", name));
    }
  }
  return options;
}

// The fault in two steps of a kernel, or nothing.
std::optional<std::string> disparity(const study::Parity& parity, Precision precision, const GridStencil& stencil) {
  // Both sums round: sqrt(K) times an ulp, the worst of 10^8 nodes at six deviations.
  const double tolerance =
      (precision == Precision::f32 ? 1e-6 : 2e-15) * std::max(1.0, std::sqrt(stencil.point_count() / 25.0));
  if (!(parity.difference <= tolerance)) return fmt::format("WRONG: {:.2e} from kernel_a", parity.difference);
  if (parity.strays != 0) return fmt::format("WRONG: {} values written outside the box", parity.strays);
  return std::nullopt;
}

std::string short_text(const study::Launch& tile) {
  return fmt::format("{}x{}x{}", tile.x, tile.y, tile.z) + (tile.threads > 0 ? fmt::format("/t{}", tile.threads) : "") +
         (tile.depth > 0 ? fmt::format("/d{}", tile.depth) : "");
}

class Bench {
 public:
  explicit Bench(const Options& options) : options_(options), study_(gpu_code().kernel_study(options.device)) {
    for (const std::string& kernel : options_.kernels)
      if (!study_->has_kernel(kernel)) throw std::invalid_argument(fmt::format("no kernel '{}'", kernel));
    if (options_.kernels.empty()) options_.kernels = study_->kernels();
    settings_.repeats = options.repeats;
    settings_.batch_seconds = 0.01;
    document_ = {{"program", version_line()},  {"device", study_->device_name()},
                 {"driver", study_->driver()}, {"grid", options.grid},
                 {"repeats", options.repeats}, {"results", nlohmann::ordered_json::array()}};
    fmt::print("{}, {}x{}x{}\n{:<16} {:<11} {:<4} {:<16} {:>4} {:>5} {:>6} {:>6} {:>8} {:>8} {:>6}  {}\n",
               study_->device_name(), options.grid[0], options.grid[1], options.grid[2], "kernel", "stencil", "prec",
               "tile", "regs", "local", "shared", "blk/SM", "Gpts/s", "triad", "eff", "parity");
  }

  // 0, or 1 when a kernel was wrong.
  int run() {
    for (const std::string& stencil : options_.stencils)
      for (const Precision precision : options_.precisions) run_job(stencil, precision);
    if (!options_.json.empty()) std::ofstream(options_.json) << document_.dump(1) << '\n';
    return wrong_ ? 1 : 0;
  }

 private:
  void run_job(const std::string& name, Precision precision) {
    const GridStencil stencil = study::on_cubes(*find_stencil(name));
    study_->begin(name, stencil, precision, options_.grid);
    if (options_.roofs) run_roofs(name, precision);
    for (const std::string& kernel : options_.kernels) {
      if (!study_->takes(kernel)) {
        fmt::print("{:<16} {:<11} {:<4} not supported\n", kernel, name, to_string(precision));
        continue;
      }
      for (const study::Launch& tile : study_->tiles(kernel)) {
        run_tile(kernel, stencil, precision, tile);
        if (!options_.all_tiles) break;
      }
    }
  }

  void run_roofs(const std::string& stencil, Precision precision) {
    const study::RoofTimes times = study_->roofs(settings_);
    const double value = precision == Precision::f32 ? sizeof(float) : sizeof(double);
    const double triad = 1.0 / times.triad.median_ns;
    const auto report = [&](const char* name, const study::Spread& roof, double values) {
      const double rate = 1.0 / roof.median_ns;
      fmt::print("{:<16} {:<11} {:<4} {:<16} {:>4} {:>5} {:>6} {:>6} {:>8.2f} {:>8.2f} {:>6.3f}\n", name, stencil,
                 to_string(precision), "", "", "", "", "", rate, triad, rate / triad);
      document_["results"].push_back({{"roof", name},
                                      {"stencil", stencil},
                                      {"precision", to_string(precision)},
                                      {"gpts", rate},
                                      {"triad_gpts", triad},
                                      {"bytes_a_point", values * value}});
    };
    report("triad", times.triad, 3.0);
    report("copy", times.copy, 2.0);
    report("copy_halo", times.copy_halo, 2.0);
  }

  void run_tile(const std::string& kernel, const GridStencil& stencil, Precision precision, const study::Launch& tile) {
    try {
      const study::Parity parity = study_->parity(kernel, tile);
      settings_.kernel = kernel;
      settings_.tile = tile;
      const study::GpuProfile p = study_->profile(settings_);
      fmt::print("{:<16} {:<11} {:<4} {:<16} ", kernel, p.stencil, to_string(precision), short_text(tile));
      if (const auto problem = disparity(parity, precision, stencil)) {
        fmt::print("{}\n", *problem);
        wrong_ = true;
        return;
      }
      const double triad = 1.0 / p.triad.median_ns;
      const study::LaunchResources& used = p.resources;
      fmt::print("{:>4} {:>5} {:>6} {:>6} {:>8.2f} {:>8.2f} {:>6.3f}  {:.1e}\n", used.registers, used.local_bytes,
                 used.shared_bytes, used.blocks_per_multiprocessor, p.gpts_per_second(), triad, p.eff(),
                 parity.difference);
      document_["results"].push_back({{"kernel", kernel},
                                      {"stencil", p.stencil},
                                      {"precision", to_string(precision)},
                                      {"tile", short_text(tile)},
                                      {"registers", used.registers},
                                      {"local_bytes", used.local_bytes},
                                      {"shared_bytes", used.shared_bytes},
                                      {"blocks_per_multiprocessor", used.blocks_per_multiprocessor},
                                      {"gpts", p.gpts_per_second()},
                                      {"triad_gpts", triad},
                                      {"eff", p.eff()},
                                      {"bytes_a_point", p.l2_bytes},
                                      {"parity", parity.difference}});
    } catch (const std::exception& problem) {
      fmt::print("{} {}: failed: {}\n", kernel, short_text(tile), problem.what());
    }
    std::fflush(stdout);
  }

  Options options_;
  std::unique_ptr<KernelStudy> study_;
  study::KernelSettings settings_;
  nlohmann::ordered_json document_;
  bool wrong_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  try {
    options = parse(argc, argv);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "bench_cuda_kernels: {}\n", problem.what());
    return 2;
  }
  try {
    return Bench(options).run();
  } catch (const std::exception& problem) {
    fmt::print(stderr, "bench_cuda_kernels: {}\n", problem.what());
    return 1;
  }
}
