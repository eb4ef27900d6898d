// The tables of the walls, on the GPU.
#pragma once

#include "engine/cuda/gpu/device_array.hpp"
#include "engine/cuda/walls/walls.hpp"

namespace fdtd::cuda {

template <class T>
class NearMemory {
 public:
  explicit NearMemory(const NearTables<T>& tables)
      : base_(tables.base),
        offset_(tables.offset),
        begin_(tables.begin),
        groups_(tables.groups),
        inside_begin_(tables.inside_begin),
        inside_end_(tables.inside_end),
        entry_offset_(tables.entry_offset),
        entry_weight_(tables.entry_weight),
        solid_base_(tables.solid_base),
        solid_bits_(tables.solid_bits) {}
  NearView<T> view() const {
    return {base_.data(),
            offset_.data(),
            begin_.data(),
            groups_.data(),
            entry_offset_.data(),
            entry_weight_.data(),
            static_cast<std::int64_t>(groups_.size()),
            inside_begin_,
            inside_end_,
            solid_base_.data(),
            solid_bits_.data(),
            static_cast<std::int64_t>(solid_bits_.size())};
  }

 private:
  DeviceArray<std::int64_t> base_;
  DeviceArray<std::int32_t> offset_;
  DeviceArray<std::uint32_t> begin_;
  DeviceArray<std::uint8_t> groups_;
  std::int64_t inside_begin_, inside_end_;
  DeviceArray<FourOf<std::int32_t>> entry_offset_;
  DeviceArray<FourOf<T>> entry_weight_;
  DeviceArray<std::int64_t> solid_base_;
  DeviceArray<std::uint32_t> solid_bits_;
};

template <class T>
class BoundaryMemory {
 public:
  explicit BoundaryMemory(const BoundaryTables<T>& tables)
      : groups_(tables.groups),
        group_of_block_(tables.group_of_block),
        general_blocks_(tables.general_blocks),
        long_blocks_(tables.long_blocks),
        node_offset_(tables.node_offset),
        node_row_(tables.node_row),
        law_list_(tables.law_list),
        row_value_(tables.row_value),
        laws_(tables.laws),
        branches_(tables.branches),
        state_{DeviceArray<T>(tables.states), DeviceArray<T>(tables.states)},
        q_{DeviceArray<T>(tables.node_offset.size()), DeviceArray<T>(tables.node_offset.size())},
        lost_{DeviceArray<T>(tables.node_offset.size()), DeviceArray<T>(tables.node_offset.size())} {}
  BoundaryView<T> view() const {
    return {groups_.data(),
            group_of_block_.data(),
            static_cast<std::uint32_t>(group_of_block_.size()),
            general_blocks_,
            node_offset_.data(),
            node_row_.data(),
            row_value_.data(),
            law_list_.data(),
            laws_.data(),
            branches_.data(),
            each_made([](const DeviceArray<T>& values) { return values.data(); }, state_),
            {q_[0].data(), q_[1].data()},
            {lost_[0].data(), lost_[1].data()},
            long_blocks_};
  }
  void reset() {
    each_value([](DeviceArray<T>& values) { values.clear(); }, state_);
    for (std::size_t parity = 0; parity < 2; ++parity) {
      q_[parity].clear();
      lost_[parity].clear();
    }
  }
  BranchValues<DeviceArray<T>>& state() { return state_; }
  const BranchValues<DeviceArray<T>>& state() const { return state_; }

 private:
  DeviceArray<BoundaryGroup<T>> groups_;
  DeviceArray<std::uint32_t> group_of_block_;
  std::uint32_t general_blocks_, long_blocks_;
  DeviceArray<std::uint32_t> node_offset_, node_row_, law_list_;
  DeviceArray<T> row_value_;
  DeviceArray<LawCoefficients<T>> laws_;
  DeviceArray<BranchCoefficients<T>> branches_;
  BranchValues<DeviceArray<T>> state_;
  std::array<DeviceArray<T>, 2> q_, lost_;
};

template <class T>
class CoupledMemory {
 public:
  explicit CoupledMemory(const CoupledArrays<T>& arrays)
      : kinds_(arrays.kinds),
        kind_(arrays.kind),
        origin_(arrays.origin),
        place_begin_(arrays.place_begin),
        place_(arrays.place),
        inverse_(arrays.inverse),
        edges_(arrays.edges),
        corners_(arrays.corners) {}
  CoupledView<T> view() const {
    return {kinds_.data(), kind_.data(),    origin_.data(), place_begin_.data(),
            place_.data(), inverse_.data(), edges_,         corners_};
  }

 private:
  DeviceArray<CoupledKind<T>> kinds_;
  DeviceArray<std::uint32_t> kind_;
  DeviceArray<std::int64_t> origin_;
  DeviceArray<std::uint64_t> place_begin_;
  DeviceArray<std::uint32_t> place_;
  DeviceArray<T> inverse_;
  std::uint32_t edges_, corners_;
};

class LossSumsMemory {
 public:
  explicit LossSumsMemory(const LossSums& loss_sums)
      : place_(loss_sums.place),
        parts_(loss_sums.parts),
        first_(loss_sums.first),
        sum_(loss_sums.parts.size()),
        done_(loss_sums.first.size()) {}
  LossSumsView view() const {
    return {place_.data(), parts_.data(), static_cast<std::uint32_t>(parts_.size()),
            first_.data(), sum_.data(),   done_.data()};
  }

 private:
  DeviceArray<std::uint32_t> place_;
  DeviceArray<LayerPart> parts_;
  DeviceArray<std::uint32_t> first_;
  DeviceArray<double> sum_;
  DeviceArray<std::uint32_t> done_;
};

}  // namespace fdtd::cuda
