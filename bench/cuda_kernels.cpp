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

#include "base/math/median.hpp"
#include "engine/cuda/field/field_noise.hpp"
#include "engine/cuda/gpu/device.hpp"
#include "engine/cuda/gpu/timing.hpp"
#include "engine/cuda/tuning/roofs.hpp"
#include "engine/system/version.hpp"
#include "stencils/catalogue.hpp"

namespace {

using namespace fdtd;
using namespace fdtd::cuda;

struct Options {
  std::vector<std::string> stencils = {"leggy-1",  "leggy-2",   "leggy-3",   "leggy-4",   "leggy-8",
                                       "leggy-20", "compact-2", "compact-3", "compact-5", "compact-6",
                                       "box-222",  "box-333",   "compact-22"};
  std::vector<const Kernel*> kernels;  // all
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
    for (const std::string& kernel : split(value)) {
      options.kernels.push_back(find_kernel(kernel));
      if (options.kernels.back() == nullptr) throw std::invalid_argument(fmt::format("no kernel '{}'", kernel));
    }
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
  if (options.kernels.empty())
    for (const Kernel& kernel : kernels()) options.kernels.push_back(&kernel);
  return options;
}

Job job_of(const std::string& name, Precision precision, std::array<int, 3> grid) {
  const Stencil& stencil = *find_stencil(name);
  Job job;
  job.precision = precision;
  job.stencil = on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
  if (precision == Precision::f32) job.stencil = rounded_to_float(job.stencil);
  job.layout = Layout(grid, job.stencil.radius, precision == Precision::f32 ? sizeof(float) : sizeof(double));
  return job;
}

using Step = std::function<void(int which)>;

double seconds_a_step(const Step& step, int steps) {
  return seconds_of(nullptr,
                    [&] {
                      for (int i = 0; i < steps; ++i) step(i & 1);
                    }) /
         steps;
}

// An even number of steps that takes about 20 ms.
int batch_of(const Step& step) {
  const double seconds = seconds_a_step(step, 2);
  return 2 * std::clamp(static_cast<int>(0.01 / seconds), 1, 200);
}

struct Rates {
  double step = 0.0, triad = 0.0;  // Gpts/s
};

Rates measure(const Step& step, const Step& triad, const Layout& layout, int repeats) {
  const int steps = batch_of(step), triads = batch_of(triad);
  std::vector<double> step_seconds, triad_seconds;
  for (int i = 0; i < repeats; ++i) {
    triad_seconds.push_back(seconds_a_step(triad, triads));
    step_seconds.push_back(seconds_a_step(step, steps));
  }
  const double nodes = static_cast<double>(layout.nodes()) * 1e-9;
  return {nodes / median(step_seconds), nodes / median(triad_seconds)};
}

// The arrays of one stencil and precision: two to work on, two that hold what kernel_a makes of the random start.
struct Arrays {
  std::array<void*, 2> work, truth;
};

void start(std::array<void*, 2> fields, const Layout& layout) {
  fill_random(fields[0], layout, 1);
  fill_random(fields[1], layout, 2);
}

void two_steps(const Prepared& prepared, const Layout& layout) {
  for (const int which : {0, 1}) prepared.step(which, 0, layout.size[2], nullptr);
  wait_for_device();
}

// The fault in two steps of this kernel, or nothing.
std::optional<std::string> disparity(const Prepared& prepared, const Job& job, const Arrays& arrays, double* error) {
  start(arrays.work, job.layout);
  two_steps(prepared, job.layout);
  *error = std::max(relative_difference(arrays.work[0], arrays.truth[0], job.layout),
                    relative_difference(arrays.work[1], arrays.truth[1], job.layout));
  // Both sums round: sqrt(K) times an ulp, the worst of 10^8 nodes at six deviations.
  const double tolerance =
      (job.precision == Precision::f32 ? 1e-6 : 2e-15) * std::max(1.0, std::sqrt(job.stencil.point_count() / 25.0));
  if (!(*error <= tolerance)) return fmt::format("WRONG: {:.2e} from kernel_a", *error);
  const auto strays = stray_values(arrays.work[0], job.layout) + stray_values(arrays.work[1], job.layout);
  if (strays != 0) return fmt::format("WRONG: {} values written outside the box", strays);
  return std::nullopt;
}

std::string to_string(const Tile& tile) {
  return fmt::format("{}x{}x{}", tile.x, tile.y, tile.z) + (tile.threads > 0 ? fmt::format("/t{}", tile.threads) : "") +
         (tile.depth > 0 ? fmt::format("/d{}", tile.depth) : "");
}

class Bench {
 public:
  explicit Bench(const Options& options) : options_(options), device_(device_of(options.device)) {
    use_device(options.device);
    document_ = {{"program", version_line()},        {"device", device_.name},
                 {"driver", device_.driver_version}, {"grid", options.grid},
                 {"repeats", options.repeats},       {"results", nlohmann::ordered_json::array()}};
    fmt::print("{}, {}x{}x{}\n{:<16} {:<11} {:<4} {:<16} {:>4} {:>5} {:>6} {:>6} {:>8} {:>8} {:>6}  {}\n", device_.name,
               options.grid[0], options.grid[1], options.grid[2], "kernel", "stencil", "prec", "tile", "regs", "local",
               "shared", "blk/SM", "Gpts/s", "triad", "eff", "parity");
  }

  // 0, or 1 when a kernel was wrong.
  int run() {
    for (const std::string& stencil : options_.stencils) run_stencil(stencil);
    if (!options_.json.empty()) std::ofstream(options_.json) << document_.dump(1) << '\n';
    return wrong_ ? 1 : 0;
  }

 private:
  void run_stencil(const std::string& stencil) {
    std::size_t bytes = 0;
    for (const Precision precision : options_.precisions)
      bytes = std::max(bytes, static_cast<std::size_t>(job_of(stencil, precision, options_.grid).layout.bytes()));
    std::array<DeviceMemory, 4> memory;
    for (DeviceMemory& array : memory) array = take_device_memory(bytes);
    const Arrays arrays = {{memory[0].get(), memory[1].get()}, {memory[2].get(), memory[3].get()}};
    for (const Precision precision : options_.precisions) run_job(stencil, precision, arrays);
  }

  void run_job(const std::string& stencil, Precision precision, const Arrays& arrays) {
    const Job job = job_of(stencil, precision, options_.grid);
    const Kernel& reference = *find_kernel("kernel_a");
    start(arrays.truth, job.layout);
    two_steps(reference.prepare(job, device_, reference.tiles(job, device_).front(), arrays.truth), job.layout);
    start(arrays.work, job.layout);
    const PreparedRoof triad = prepare_roof(Roof::triad, job.layout, arrays.work);
    const Step triad_step = [&](int which) { triad.pass(which, nullptr); };
    if (options_.roofs) run_roofs(stencil, job, arrays, triad_step);
    for (const Kernel* kernel : options_.kernels) {
      if (!kernel->supports(job, device_)) {
        fmt::print("{:<16} {:<11} {:<4} not supported\n", kernel->name, stencil, to_string(precision));
        continue;
      }
      const std::vector<Tile> tiles = kernel->tiles(job, device_);
      for (const Tile& tile : tiles) {
        run_tile(*kernel, stencil, job, tile, arrays, triad_step);
        if (!options_.all_tiles) break;
      }
    }
  }

  void run_roofs(const std::string& stencil, const Job& job, const Arrays& arrays, const Step& triad) {
    for (const Roof roof : {Roof::triad, Roof::copy, Roof::copy_halo}) {
      const PreparedRoof prepared = prepare_roof(roof, job.layout, arrays.work);
      const Rates rates =
          measure([&](int which) { prepared.pass(which, nullptr); }, triad, job.layout, options_.repeats);
      fmt::print("{:<16} {:<11} {:<4} {:<16} {:>4} {:>5} {:>6} {:>6} {:>8.2f} {:>8.2f} {:>6.3f}\n", to_string(roof),
                 stencil, to_string(job.precision), "", "", "", "", "", rates.step, rates.triad,
                 rates.step / rates.triad);
      document_["results"].push_back({{"roof", to_string(roof)},
                                      {"stencil", stencil},
                                      {"precision", to_string(job.precision)},
                                      {"gpts", rates.step},
                                      {"triad_gpts", rates.triad},
                                      {"bytes_a_point", prepared.bytes_a_point}});
    }
  }

  void run_tile(const Kernel& kernel, const std::string& stencil, const Job& job, const Tile& tile,
                const Arrays& arrays, const Step& triad) {
    fmt::print("{:<16} {:<11} {:<4} {:<16} ", kernel.name, stencil, to_string(job.precision), ::to_string(tile));
    try {
      const Prepared prepared = kernel.prepare(job, device_, tile, arrays.work);
      double error = 0.0;
      if (const auto problem = disparity(prepared, job, arrays, &error)) {
        fmt::print("{}\n", *problem);
        wrong_ = true;
        return;
      }
      start(arrays.work, job.layout);
      const Rates rates = measure([&](int which) { prepared.step(which, 0, job.layout.size[2], nullptr); }, triad,
                                  job.layout, options_.repeats);
      const Resources& used = prepared.resources;
      fmt::print("{:>4} {:>5} {:>6} {:>6} {:>8.2f} {:>8.2f} {:>6.3f}  {:.1e}\n", used.registers, used.local_bytes,
                 used.shared_bytes, used.blocks_per_multiprocessor, rates.step, rates.triad, rates.step / rates.triad,
                 error);
      document_["results"].push_back({{"kernel", kernel.name},
                                      {"stencil", stencil},
                                      {"precision", to_string(job.precision)},
                                      {"tile", ::to_string(tile)},
                                      {"registers", used.registers},
                                      {"local_bytes", used.local_bytes},
                                      {"shared_bytes", used.shared_bytes},
                                      {"blocks_per_multiprocessor", used.blocks_per_multiprocessor},
                                      {"gpts", rates.step},
                                      {"triad_gpts", rates.triad},
                                      {"eff", rates.step / rates.triad},
                                      {"bytes_a_point", kernel.bytes_a_point(job, tile)},
                                      {"parity", error}});
    } catch (const std::exception& problem) {
      fmt::print("failed: {}\n", problem.what());
    }
    std::fflush(stdout);
  }

  Options options_;
  Device device_;
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
