// The sites of all walls on the GPU, correlated block by block of steps (site_correlation.hpp): a thread a site, its states
// and sums in registers over the block's steps, and in memory between blocks. Every sum is one thread's: the same bytes each
// time.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/cuda/adjoint/correlation_tables.hpp"
#include "engine/cuda/adjoint/site_correlation.hpp"
#include "engine/cuda/gpu/device_array.hpp"
#include "engine/cuda/gpu/stream.hpp"

namespace fdtd::cuda {

inline constexpr std::uint32_t most_known_branches = 5;  // of a law whose states stay in registers

template <class T>
struct CorrelationView {
  const CorrelationPart* parts;
  const std::uint32_t* place;
  const LawCoefficients<T>* laws;
  const BranchCoefficients<T>* branches;
  BranchValues<T>* state;
  double* sum;
};

template <class T>
void launch_correlation(const CorrelationView<T>& view, const std::vector<PartsOfLaws>& by_branches,
                        const CorrelatedRows<T>& rows, Stream stream);

template <class T>
class SiteCorrelation {
 public:
  // With the laws of the boundary on the GPU, which outlives it.
  SiteCorrelation(CorrelationTables tables, const BoundaryView<T>& boundary)
      : tables_(std::move(tables)),
        laws_(boundary.laws),
        branches_(boundary.branches),
        parts_(tables_.parts),
        place_(tables_.place),
        state_(tables_.states),
        sum_(tables_.sums) {}
  void rest() { state_.clear(); }  // of the second run
  void add(const CorrelatedRows<T>& rows, Stream stream) {
    launch_correlation({parts_.data(), place_.data(), laws_, branches_, state_.data(), sum_.data()},
                       tables_.by_branches, rows, stream);
  }
  // Waits for all that is queued.
  WallSlopes slopes(const Boundary& boundary, double scale) const {
    return tables_.slopes(boundary, sum_.get(), scale);
  }

 private:
  CorrelationTables tables_;
  const LawCoefficients<T>* laws_;
  const BranchCoefficients<T>* branches_;
  DeviceArray<CorrelationPart> parts_;
  DeviceArray<std::uint32_t> place_;
  DeviceArray<BranchValues<T>> state_;
  DeviceArray<double> sum_;
};

}  // namespace fdtd::cuda
