#include "engine/studies/gpu_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "engine/files/json_fields.hpp"

namespace fdtd::study {
namespace {

const JsonFields<Launch>& tile_fields() {
  static const auto fields =
      JsonFields<Launch>()
          .value("x", "", "Grid points of a tile along x.", &Launch::x)
          .value("y", "", "Grid points of a tile along y.", &Launch::y)
          .value("z", "", "Grid points of a tile along z.", &Launch::z)
          .value("threads", "", "Threads of a block; 0: the kernel has one choice.", &Launch::threads)
          .value("depth", "", "Stages of the copy pipeline; 0: the kernel has one choice.", &Launch::depth)
          .value("blocks", "", "Blocks of a launch that each process several tiles; 0: a block a tile.",
                 &Launch::blocks)
          .value("pace", "", "Planes that a block may be ahead of the slowest; 0: unlimited.", &Launch::max_lead);
  return fields;
}

struct Roof {
  Spread spread;
  double bytes = 0.0;  // a point
};

const JsonFields<Roof>& roof_fields() {
  static const auto fields =
      JsonFields<Roof>()
          .value("ctpn_ns", "ns", "Time per grid point.", [](const Roof& roof) { return roof.spread.median_ns; })
          .value("spread", "", "(Slowest - fastest batch) / median.",
                 [](const Roof& roof) { return roof.spread.spread; })
          .value("gb_per_second", "GB/s", "Its traffic per second.",
                 [](const Roof& roof) { return roof.bytes / roof.spread.median_ns; });
  return fields;
}

const JsonFields<GpuProfile>& roofs_fields() {
  static const auto fields = JsonFields<GpuProfile>()
                                 .object("triad", "The leapfrog triad, three values a point.", roof_fields(),
                                         [](const GpuProfile& p) {
                                           return Roof{p.roofs->triad, 3.0 * (p.declared_bytes / 3.0)};
                                         })
                                 .object("copy", "A copy, two values a point.", roof_fields(),
                                         [](const GpuProfile& p) {
                                           return Roof{p.roofs->copy, 2.0 * (p.declared_bytes / 3.0)};
                                         })
                                 .object("copy_halo", "A copy that also reads the halos of the tiles.", roof_fields(),
                                         [](const GpuProfile& p) {
                                           return Roof{p.roofs->copy_halo, 2.0 * (p.declared_bytes / 3.0)};
                                         });
  return fields;
}

const JsonFields<LaunchResources>& resource_fields() {
  static const auto fields =
      JsonFields<LaunchResources>()
          .value("threads", "", "Threads of a block.", &LaunchResources::threads)
          .value("registers", "", "Registers of a thread.", &LaunchResources::registers)
          .value("local_bytes", "bytes", "Spilled memory of a thread.", &LaunchResources::local_bytes)
          .value("shared_bytes", "bytes", "Shared memory of a block.", &LaunchResources::shared_bytes)
          .value("blocks_per_multiprocessor", "", "Resident blocks of a multiprocessor.",
                 &LaunchResources::blocks_per_multiprocessor);
  return fields;
}

const JsonFields<Counters>& counter_fields() {
  static const auto fields =
      JsonFields<Counters>()
          .value("dram_read_bytes_per_point", "bytes", "Read from memory.", &Counters::dram_read_bytes)
          .value("dram_written_bytes_per_point", "bytes", "Written to memory.", &Counters::dram_written_bytes)
          .value("effective_bytes_per_point", "bytes", "Both together.", &Counters::effective_bytes)
          .value("l2_bytes_per_point", "bytes", "Traffic between L2 and the multiprocessors.", &Counters::l2_bytes)
          .value("l2_hit_rate", "", "Hit rate of L2.", &Counters::l2_hit_rate)
          .value("l1_bytes_per_point", "bytes", "Traffic between L1 and the threads.", &Counters::l1_bytes)
          .value("l1_hit_rate", "", "Hit rate of L1.", &Counters::l1_hit_rate)
          .value("shared_conflicts_per_point", "", "Passes of shared memory beyond the least.",
                 &Counters::shared_conflicts)
          .value("instructions_per_point", "", "Instructions of a thread.", &Counters::instructions)
          .value("issue_use", "", "Fraction of the cycles that issue an instruction.", &Counters::issue_use)
          .value("shared_use", "", "Fraction of the cycles with a pass of shared memory.", &Counters::shared_use);
  return fields;
}

const JsonFields<TimedLaunch>& timed_tile_fields() {
  using Of = TimedLaunch;
  static const auto fields =
      JsonFields<Of>()
          .object("tile", "The launch geometry.", tile_fields(), &Of::tile)
          .elsewhere()
          .value("ctpn_ns", "ns", "Its compute time per node.", &Of::ctpn_ns)
          .value("predicted", "", "Does the model expect it among the fastest?", &Of::predicted)
          .value("cost", "", "The model's cost; only the order matters.", &Of::cost)
          .value("transactions_per_point", "", "Memory sectors of a point.", &Of::transactions)
          .value("conflicts", "", "Passes of shared memory / least possible number.", &Of::conflicts)
          .value("active_blocks", "", "Resident blocks of a multiprocessor.", &Of::active_blocks)
          .value("occupancy", "", "Resident warps / largest possible number.", &Of::occupancy)
          .value("thread_efficiency", "", "Threads with a grid point / all threads.", &Of::thread_efficiency)
          .value("wave_efficiency", "", "Blocks / places for blocks in all waves.", &Of::wave_efficiency)
          .value("footprint_bytes_per_point", "bytes", "Traffic by the footprint model.", &Of::footprint)
          .object("resources", "Resources of the compiled kernel, as the driver reports them.", resource_fields(),
                  &Of::resources)
          .elsewhere();
  return fields;
}

const JsonFields<PredictionScore>& score_fields() {
  static const auto fields =
      JsonFields<PredictionScore>()
          .value("best_predicted", "", "Is the fastest tile among the predicted ones?",
                 &PredictionScore::best_predicted)
          .value("predicted", "", "Number of predicted tiles.", &PredictionScore::predicted)
          .value("tiles", "", "Number of timed tiles.", &PredictionScore::tiles)
          .value("loss_of_set", "", "Time of the fastest predicted tile / fastest of all, less 1.",
                 &PredictionScore::loss_of_set)
          .value("loss_of_first", "", "Time of the model's first tile / fastest of all, less 1.",
                 &PredictionScore::loss_of_first);
  return fields;
}

// Of a kernel that was timed.
const JsonFields<GpuProfile>& time_fields() {
  using P = GpuProfile;
  static const auto fields =
      JsonFields<P>()
          .object("tile", "The launch geometry.", tile_fields(), &P::tile)
          .value("tile_from", "", "How the tile was chosen.", &P::tile_from)
          .value("launches_per_step", "", "Kernel launches of a step.", &P::launches)
          .value("ctpn_ns", "ns", "Compute time per node, the median of all batches.",
                 [](const P& p) { return p.ctpn.median_ns; })
          .value("spread", "", "(Slowest - fastest batch) / median.", [](const P& p) { return p.ctpn.spread; })
          .value("gpts_per_second", "10⁹/s", "Grid points updated per second.", &P::gpts_per_second)
          .value("triad_ctpn_ns", "ns", "The leapfrog triad on the same arrays, in turn with the kernel.",
                 [](const P& p) { return p.triad.median_ns; })
          .value("triad_spread", "", "Its spread.", [](const P& p) { return p.triad.spread; })
          .value("eff", "", "Time of the triad / time of the kernel.", &P::eff)
          .value("declared_bytes_per_point", "bytes", "Least traffic from and to memory: three values.",
                 &P::declared_bytes)
          .value("gb_per_second", "GB/s", "That traffic per second.", &P::gb_per_second)
          .value("l2_declared_bytes_per_point", "bytes",
                 "Traffic between L2 and the multiprocessors by the kernel's formula.", &P::l2_bytes)
          .value("footprint_bytes_per_point", "bytes", "Traffic from and to memory by the footprint model.",
                 &P::footprint_bytes)
          .object("resources", "Resources of the compiled kernel, as the driver reports them.", resource_fields(),
                  &P::resources)
          .value("occupancy", "", "Resident warps / largest possible number.", &P::occupancy);
  return fields;
}

const JsonFields<GpuProfile>& detail_fields() {
  using P = GpuProfile;
  const auto scored = [](const P& p) { return score_of(p.tiles).has_value(); };
  static const auto fields =
      JsonFields<P>()
          .object("roofs", "Reference kernels on the same arrays.", roofs_fields(), std::identity())
          .only_if("fdtd profile", [](const P& p) { return p.roofs.has_value(); })
          .list("tiles", "Every valid tile, with the model's prediction.", timed_tile_fields(), &P::tiles)
          .only_if("--tiles all", scored)
          .object("prediction", "How good the model is.", score_fields(), [](const P& p) { return *score_of(p.tiles); })
          .only_if("--tiles all", scored)
          .object("counters", "Hardware counters of one step, by Nsight Compute.", counter_fields(),
                  [](const P& p) { return *p.counters; })
          .only_if("--counters", [](const P& p) { return p.counters.has_value(); });
  return fields;
}

}  // namespace

Spread spread_of(std::vector<double> values_ns) {
  std::sort(values_ns.begin(), values_ns.end());
  const std::size_t middle = values_ns.size() / 2;
  const double median =
      values_ns.size() % 2 == 1 ? values_ns[middle] : 0.5 * (values_ns[middle - 1] + values_ns[middle]);
  return {median, (values_ns.back() - values_ns.front()) / median};
}

std::string to_string(const Launch& launch) {
  std::string text =
      launch.z > 0 ? fmt::format("{}x{}x{}", launch.x, launch.y, launch.z) : fmt::format("{}x{}", launch.x, launch.y);
  if (launch.threads > 0) text += fmt::format(", {} threads", launch.threads);
  if (launch.depth > 0) text += fmt::format(", depth {}", launch.depth);
  if (launch.blocks > 0) text += fmt::format(", {} blocks", launch.blocks);
  if (launch.max_lead > 0) text += fmt::format(", {} planes ahead at most", launch.max_lead);
  return text;
}

std::optional<PredictionScore> score_of(std::span<const TimedLaunch> tiles) {
  PredictionScore score;
  const TimedLaunch* best = nullptr;
  const TimedLaunch* best_predicted = nullptr;
  const TimedLaunch* first = nullptr;
  for (const TimedLaunch& one : tiles) {
    if (one.ctpn_ns <= 0.0) continue;
    ++score.tiles;
    if (best == nullptr || one.ctpn_ns < best->ctpn_ns) best = &one;
    if (first == nullptr || one.cost < first->cost) first = &one;
    if (!one.predicted) continue;
    ++score.predicted;
    if (best_predicted == nullptr || one.ctpn_ns < best_predicted->ctpn_ns) best_predicted = &one;
  }
  if (best == nullptr) return std::nullopt;
  score.best_predicted = best->predicted;
  const auto loss = [&](const TimedLaunch* one) {
    return one == nullptr ? std::numeric_limits<double>::infinity() : one->ctpn_ns / best->ctpn_ns - 1.0;
  };
  score.loss_of_set = loss(best_predicted);
  score.loss_of_first = loss(first);
  return score;
}

const JsonFields<GpuProfile>& profile_fields() {
  using P = GpuProfile;
  const auto timed = [](const P& p) { return p.error.empty(); };
  static const auto fields =
      JsonFields<P>()
          .value("stencil", "", "Name of the stencil.", &P::stencil)
          .value("points", "", "Number of points of the stencil.", &P::points)
          .value("precision", "", "`f32` or `f64`.", [](const P& p) { return to_string(p.precision); })
          .value("grid", "", "Number of grid points along x, y and z.", &P::grid)
          .value("kernel", "", "Name of the kernel.", &P::kernel)
          .value("error", "", "The reason; the fields below are then absent.", &P::error)
          .only_if("the kernel failed", [](const P& p) { return !p.error.empty(); })
          .include(time_fields())
          .only_if("", timed)
          .include(detail_fields())
          .only_if("", timed);
  return fields;
}

nlohmann::ordered_json to_json(const GpuProfile& profile) { return profile_fields().write(profile); }

}  // namespace fdtd::study
