#include "engine/cuda/wall_correlation.hpp"

#include <map>
#include <utility>
#include <vector>

#include "engine/cuda/adjoint/correlation.hpp"

namespace fdtd::cuda {
namespace {

// Histories of blocks of equal size, whose memory is taken again.
template <class T>
class BlockHistories {
 public:
  BlockHistories(std::size_t passes, std::uint64_t values) : blocks_(passes), bytes_of_row_(values * sizeof(T)) {}

  T* keep(HistoryPlace place, std::int64_t rows) {
    DeviceMemory& memory = blocks_[place.pass][place.block];
    if (memory == nullptr && !free_.empty()) {
      memory = std::move(free_.back());
      free_.pop_back();
    }
    if (memory == nullptr) memory = take_device_memory(bytes_of_row_ * static_cast<std::size_t>(rows));
    return static_cast<T*>(memory.get());
  }
  const T* at(HistoryPlace place) const { return static_cast<const T*>(blocks_[place.pass].at(place.block).get()); }
  void drop(HistoryPlace place) {
    const auto found = blocks_[place.pass].find(place.block);
    free_.push_back(std::move(found->second));
    blocks_[place.pass].erase(found);
  }

 private:
  std::vector<std::map<std::size_t, DeviceMemory>> blocks_;  // by pass
  std::vector<DeviceMemory> free_;
  std::size_t bytes_of_row_;
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
        histories_(needs.passes, device_plan.wall_reads()),
        second_(static_cast<std::size_t>(rows_) * device_plan.wall_reads()),
        sites_(pack_correlation(plan.boundary, device_plan.boundary_tables().member), device_plan.boundary()) {
    device_plan_.keep_wall_reads();
  }
  ~DeviceWalls() override { device_plan_.read_walls_to({nullptr, 0}); }
  DeviceWalls(const DeviceWalls&) = delete;
  DeviceWalls& operator=(const DeviceWalls&) = delete;

  void rest() override {}
  void first(const Drive& drive, Samples& samples, std::optional<HistoryPlace> keep) override {
    device_plan_.read_walls_to({keep ? histories_.keep(*keep, rows_) : nullptr, rows_});
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
