#include "engine/cuda/tuning/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "base/math/median.hpp"
#include "engine/cuda/gpu/timing.hpp"
#include "engine/cuda/tuning/roofs.hpp"

namespace fdtd::cuda {
namespace {

constexpr double batch_seconds = 4e-3;  // of a tile in a round: hundreds of times what an event costs
// Slow kernels are far longer than what disturbs them: fewer rounds distinguish their tiles.
constexpr int max_rounds = 5, min_rounds = 3;
constexpr double patience = 0.25;  // s a round, where the rounds begin to be fewer
// In a search; timed: in all rounds.
constexpr std::size_t max_looked_at = 192, max_families = 12, max_timed = 16;
constexpr double warm_up_seconds = 0.05;  // a GPU that idled has its clocks to raise

// So many steps of a prepared kernel, or passes of a roof, that they fill `batch_seconds`: at least one.
int batch_of(double seconds) { return std::clamp(static_cast<int>(std::lround(batch_seconds / seconds)), 1, 1000); }

// Something that leapfrogs between two arrays, and how many of it make a batch.
struct Runner {
  std::function<void(int which)> once;
  int batch = 1;
  double expected = 0.0;  // seconds of a batch

  explicit Runner(std::function<void(int)> once_) : once(std::move(once_)) {
    once(0);  // a kernel's first launch loads it
    const double seconds_once = 0.5 * seconds_of(nullptr, [this] { once(1), once(0); });
    batch = batch_of(seconds_once);
    expected = batch * seconds_once;
  }
  double seconds() const {
    return seconds_of(nullptr,
                      [this] {
                        for (int i = 0; i < batch; ++i) once(i & 1);
                      }) /
           batch;
  }
};

bool same_shape(const Tile& a, const Tile& b) { return a.x == b.x && a.threads == b.threads; }

// The candidates: the guess of the kernel's author, however shared out, and the predicted set, cheapest first.
std::vector<TimedTile> worth_a_look(const Kernel& kernel, const Job& job, const Device& device,
                                    std::vector<TimedTile> tiles) {
  const Tile guess = kernel.tiles(job, device).front();
  std::vector<TimedTile> worth;
  for (const TimedTile& one : tiles)
    if (same_shape(one.prediction.tile, guess)) worth.push_back(one);
  for (const TimedTile& one : tiles)
    if (one.prediction.predicted && !same_shape(one.prediction.tile, guess) && worth.size() < max_looked_at)
      worth.push_back(one);
  return worth;
}

// A tile that the cache holds and that this kernel still has, for a file may say anything.
std::optional<TunedTile> cached(const TuneCache& cache, const std::string& key, const Kernel& kernel, const Job& job,
                                const Device& device) {
  const auto tuned = cache.find(key);
  if (!tuned) return std::nullopt;
  const auto tiles = kernel.tiles(job, device);
  return std::find(tiles.begin(), tiles.end(), tuned->tile) != tiles.end() ? tuned : std::nullopt;
}

Runner runner_of(const Kernel& kernel, const Job& job, const Device& device, std::array<void*, 2> fields,
                 const Tile& tile) {
  const Prepared prepared = kernel.prepare(job, device, tile, fields);
  return Runner([prepared, planes = job.layout.size[2]](int which) { prepared.step(which, 0, planes, nullptr); });
}

// The same work, shared out alike, with as much under way: they differ in how closely blocks keep step.
bool siblings(const Tile& a, const Tile& b) {
  Tile paced = b;
  paced.max_lead = a.max_lead;
  return a == paced;
}

// The fastest at first sight: of all families those whose first tile is, and of these the tiles that are.
std::vector<TimedTile> worth_timing(const Kernel& kernel, const Job& job, const Device& device,
                                    std::array<void*, 2> fields, const std::vector<TimedTile>& tiles) {
  if (tiles.size() <= max_timed) return tiles;
  const auto look = [&](TimedTile& one) {
    one.ctpn_ns = runner_of(kernel, job, device, fields, one.prediction.tile).seconds();  // only their order counts
  };
  const Runner first = runner_of(kernel, job, device, fields, tiles.front().prediction.tile);
  for (double spent = 0.0; spent < warm_up_seconds; spent += first.expected) (void)first.seconds();
  const auto faster = [](const TimedTile& a, const TimedTile& b) { return a.ctpn_ns < b.ctpn_ns; };
  std::vector<std::vector<TimedTile>> families;
  for (const TimedTile& one : tiles) {
    const auto own = std::find_if(families.begin(), families.end(), [&](const auto& family) {
      return siblings(family.front().prediction.tile, one.prediction.tile);
    });
    if (own == families.end())
      families.push_back({one});
    else
      own->push_back(one);
  }
  for (auto& family : families) look(family.front());
  std::stable_sort(families.begin(), families.end(),
                   [&](const auto& a, const auto& b) { return faster(a.front(), b.front()); });
  families.resize(std::min(families.size(), max_families));
  std::vector<TimedTile> worth;
  for (auto& family : families) {
    for (std::size_t i = 1; i < family.size(); ++i) look(family[i]);
    worth.insert(worth.end(), family.begin(), family.end());
  }
  std::stable_sort(worth.begin(), worth.end(), faster);
  worth.resize(std::min(worth.size(), max_timed));
  return worth;
}

struct Tuned {
  Choice choice;
  double ctpn_ns = 0.0;  // 0: the model's
};

Tuned tune_kernel(const Kernel& kernel, const Job& job, const Device& device, std::array<void*, 2> fields,
                  const TuneSettings& settings, TuneCache& cache) {
  if (!settings.tuned) return {{&kernel, kernel.tiles(job, device).front(), Origin::author}, 0.0};
  const std::string key = tune_key(job, device, kernel.name);
  if (!settings.retune) {
    if (const auto tuned = cached(cache, key, kernel, job, device))
      return {{&kernel, tuned->tile, Origin::cache}, tuned->ctpn_ns};
  }
  auto tiles = modelled_tiles(kernel, job, device, fields);
  if (job.layout.nodes() < settings.min_nodes) return {{&kernel, tiles.front().prediction.tile, Origin::model}, 0.0};
  tiles = worth_timing(kernel, job, device, fields, worth_a_look(kernel, job, device, std::move(tiles)));
  time_tiles(kernel, job, device, fields, tiles);
  const auto best = std::min_element(tiles.begin(), tiles.end(),
                                     [](const TimedTile& a, const TimedTile& b) { return a.ctpn_ns < b.ctpn_ns; });
  cache.keep(key, {best->prediction.tile, best->ctpn_ns});
  return {{&kernel, best->prediction.tile, Origin::search}, best->ctpn_ns};
}

}  // namespace

const char* to_string(Origin origin) {
  switch (origin) {
    case Origin::author:
      return "author";
    case Origin::model:
      return "model";
    case Origin::cache:
      return "cache";
    case Origin::search:
      break;
  }
  return "search";
}

const Kernel& kernel_for(const Job& job, const Device& device, const std::string& name) {
  if (!name.empty()) {
    const Kernel* const kernel = find_kernel(name);
    if (kernel == nullptr) {
      std::string known;
      for (const Kernel& one : kernels()) known += fmt::format("{}{}", known.empty() ? "" : ", ", one.name);
      throw Error(Status::scene, fmt::format("there is no GPU kernel {}", name), "there are: " + known);
    }
    if (!kernel->supports(job, device))
      throw Error(Status::scene,
                  fmt::format("kernel {} does not take this stencil of {} points on this grid", name,
                              job.stencil.point_count()),
                  "leave --kernel out: the best that takes it is chosen");
    return *kernel;
  }
  for (const Kernel& kernel : kernels())
    if (kernel.supports(job, device)) return kernel;
  throw Error(Status::resource,
              fmt::format("no GPU kernel takes this stencil of {} points on a grid of {} x {} x {}",
                          job.stencil.point_count(), job.layout.size[0], job.layout.size[1], job.layout.size[2]),
              "take another stencil, or --device cpu");
}

std::vector<TimedTile> modelled_tiles(const Kernel& kernel, const Job& job, const Device& device,
                                      std::array<void*, 2> fields) {
  std::vector<TileCandidate> candidates;
  for (const Tile& tile : kernel.tiles(job, device)) {
    const Resources resources = kernel.prepare(job, device, tile, fields).resources;
    if (resources.blocks_per_multiprocessor > 0) candidates.push_back({tile, resources});
  }
  if (candidates.empty())
    throw Error(Status::resource, fmt::format("no tile of kernel {} fits this GPU", kernel.name),
                "take another --kernel");
  std::vector<TimedTile> tiles;
  for (const TilePrediction& prediction : predict_tiles(job, device, candidates)) tiles.push_back({prediction, 0.0});
  return tiles;
}

void time_tiles(const Kernel& kernel, const Job& job, const Device& device, std::array<void*, 2> fields,
                std::vector<TimedTile>& tiles) {
  const PreparedRoof roof = prepare_roof(Roof::triad, job.layout, fields);
  const Runner triad([&](int which) { roof.pass(which, nullptr); });
  std::vector<Runner> runners;
  for (const TimedTile& one : tiles) runners.push_back(runner_of(kernel, job, device, fields, one.prediction.tile));
  double round_seconds = 0.0;
  for (const Runner& runner : runners) round_seconds += runner.expected;
  const int rounds = round_seconds > patience ? min_rounds : max_rounds;
  std::vector<double> roofs;
  std::vector<std::vector<double>> ratios(tiles.size());
  for (int round = 0; round < rounds; ++round) {
    const double roof_seconds = triad.seconds();
    roofs.push_back(roof_seconds);
    for (std::size_t i = 0; i < tiles.size(); ++i) ratios[i].push_back(runners[i].seconds() / roof_seconds);
  }
  const double triad_ns = 1e9 * median(roofs) / static_cast<double>(job.layout.nodes());
  for (std::size_t i = 0; i < tiles.size(); ++i) tiles[i].ctpn_ns = triad_ns * median(ratios[i]);
}

Choice choose_tuned(const Job& job, const Device& device, std::array<void*, 2> fields, const TuneSettings& settings,
                    TuneCache& cache) {
  if (settings.kernel != "best")
    return tune_kernel(kernel_for(job, device, settings.kernel), job, device, fields, settings, cache).choice;
  std::optional<Tuned> best;
  for (const Kernel& kernel : kernels()) {
    if (!kernel.supports(job, device)) continue;
    const Tuned tuned = tune_kernel(kernel, job, device, fields, settings, cache);
    if (!best || tuned.ctpn_ns < best->ctpn_ns) best = tuned;
  }
  return best ? best->choice : Choice{&kernel_for(job, device, ""), {}, Origin::model};
}

}  // namespace fdtd::cuda
