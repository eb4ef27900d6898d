#include "engine/cuda/wall_correlation.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "engine/cuda/adjoint/correlation.hpp"

namespace fdtd::cuda {
namespace {

// Histories of blocks of equal size. Memory is taken for several at a time, because taking it waits for the GPU, and is
// kept for others when a block is dropped.
template <class T>
class BlockHistories {
 public:
  BlockHistories(std::size_t passes, std::size_t values) : blocks_(passes), values_(values) {}

  T* keep(HistoryPlace place) {
    T*& rows = blocks_[place.pass][place.block];
    if (rows != nullptr) return rows;
    if (free_.empty()) take_more();
    rows = free_.back();
    free_.pop_back();
    return rows;
  }
  const T* at(HistoryPlace place) const { return blocks_[place.pass].at(place.block); }
  void drop(HistoryPlace place) {
    const auto found = blocks_[place.pass].find(place.block);
    free_.push_back(found->second);
    blocks_[place.pass].erase(found);
  }

 private:
  // A quarter of those that there are, or one where these do not fit.
  void take_more() {
    constexpr std::size_t most = 64;
    std::size_t count = std::clamp<std::size_t>(taken_ / 4, 1, most);
    if (count * values_ * sizeof(T) > free_device_memory() / 2) count = 1;
    memory_.push_back(take_device_memory(count * values_ * sizeof(T)));
    for (std::size_t i = 0; i < count; ++i) free_.push_back(static_cast<T*>(memory_.back().get()) + i * values_);
    taken_ += count;
  }

  std::vector<std::map<std::size_t, T*>> blocks_;  // by pass
  std::size_t values_;                             // of a block
  std::vector<DeviceMemory> memory_;
  std::vector<T*> free_;
  std::size_t taken_ = 0;  // blocks
};

// The first run has no filters (site_correlation.hpp): what a block's history needs of the steps before it lies in the
// backend's own state.
template <class T>
class DeviceWalls final : public WallCorrelation {
 public:
  DeviceWalls(const Plan& plan, Backend& backend, DevicePlan<T>& device_plan, const CorrelationNeeds& needs)
      : boundary_(plan.boundary),
        backend_(backend),
        device_plan_(device_plan),
        rows_(needs.block + 2),
        histories_(needs.passes, static_cast<std::size_t>(rows_) * device_plan.wall_reads()),
        second_(static_cast<std::size_t>(rows_) * device_plan.wall_reads()),
        sites_(pack_correlation(plan.boundary, device_plan.boundary_tables().member), device_plan.boundary()) {
    device_plan_.keep_wall_reads();
  }
  ~DeviceWalls() override { device_plan_.read_walls_to({nullptr, 0}); }
  DeviceWalls(const DeviceWalls&) = delete;
  DeviceWalls& operator=(const DeviceWalls&) = delete;

  void rest() override {}
  void first(const Drive& drive, Samples& samples, std::optional<HistoryPlace> keep) override {
    device_plan_.read_walls_to({keep ? histories_.keep(*keep) : nullptr, rows_});
    backend_.advance(drive, samples);
    device_plan_.read_walls_to({nullptr, 0});
  }
  void push() override {}
  void recall() override {}
  void pop() override {}

  void answer_rest() override { sites_.rest(); }
  void second(const Drive& drive, Samples& samples, HistoryPlace of) override {
    device_plan_.read_walls_to({second_.data(), rows_});
    backend_.advance(drive, samples);
    device_plan_.read_walls_to({nullptr, 0});
    sites_.add({histories_.at(of), second_.data(), device_plan_.wall_reads(), drive.steps}, device_plan_.stream());
    histories_.drop(of);
  }

  WallSlopes slopes(double scale) override { return sites_.slopes(boundary_, scale); }

 private:
  const Boundary& boundary_;
  Backend& backend_;
  DevicePlan<T>& device_plan_;
  std::int64_t rows_;
  BlockHistories<T> histories_;
  DeviceArray<T> second_;
  SiteCorrelation<T> sites_;
};

}  // namespace

template <class T>
std::unique_ptr<WallCorrelation> make_wall_correlation(const Plan& plan, Backend& backend, DevicePlan<T>& device_plan,
                                                       const CorrelationNeeds& needs) {
  return std::make_unique<DeviceWalls<T>>(plan, backend, device_plan, needs);
}

template std::unique_ptr<WallCorrelation> make_wall_correlation(const Plan&, Backend&, DevicePlan<float>&,
                                                                const CorrelationNeeds&);
template std::unique_ptr<WallCorrelation> make_wall_correlation(const Plan&, Backend&, DevicePlan<double>&,
                                                                const CorrelationNeeds&);

}  // namespace fdtd::cuda
