// The tables of the walls, on the GPU.
#pragma once

#include "engine/cuda/gpu/device_array.hpp"
#include "engine/cuda/walls/walls.hpp"

namespace fdtd::cuda {

template <class T>
class NearMemory {
 public:
  explicit NearMemory(const NearTables<T>& tables)
      : entry_begin_(tables.entry_begin),
        entry_offset_(tables.entry_offset),
        entry_step_(tables.entry_step),
        entry_weight_(tables.entry_weight),
        batch_base_(tables.batch_base),
        batch_template_(tables.batch_template),
        lane_offset_(tables.lane_offset),
        lane_pattern_(tables.lane_pattern),
        template_across_(tables.template_across),
        row_(tables.row) {}
  NearView<T> view() const {
    return {entry_begin_.data(),
            entry_offset_.data(),
            entry_step_.data(),
            entry_weight_.data(),
            batch_base_.data(),
            batch_template_.data(),
            lane_offset_.data(),
            lane_pattern_.data(),
            template_across_.data(),
            static_cast<std::int64_t>(batch_base_.size()),
            row_};
  }

 private:
  DeviceArray<std::uint32_t> entry_begin_;
  DeviceArray<std::int32_t> entry_offset_;
  DeviceArray<std::uint8_t> entry_step_;
  DeviceArray<T> entry_weight_;
  DeviceArray<std::int64_t> batch_base_;
  DeviceArray<std::uint32_t> batch_template_;
  DeviceArray<std::int32_t> lane_offset_;
  DeviceArray<std::uint32_t> lane_pattern_, template_across_;
  std::int64_t row_;
};

template <class T>
class BoundaryMemory {
 public:
  explicit BoundaryMemory(const BoundaryTables<T>& tables)
      : groups_(tables.groups),
        group_words_(tables.group_words),
        group_of_block_(tables.group_of_block),
        general_blocks_(tables.general_blocks),
        long_blocks_(tables.long_blocks),
        node_offset_(tables.node_offset),
        node_row_(tables.node_row),
        row_pattern_(tables.row_pattern),
        law_list_(tables.law_list),
        row_value_(tables.row_value),
        laws_(tables.laws),
        branches_(tables.branches),
        V_(tables.states),
        G_(tables.states),
        q_{DeviceArray<T>(tables.node_offset.size()), DeviceArray<T>(tables.node_offset.size())},
        line_{DeviceArray<T>(tables.lines), DeviceArray<T>(tables.lines)},
        lost_{DeviceArray<T>(tables.node_offset.size()), DeviceArray<T>(tables.node_offset.size())} {}
  BoundaryView<T> view() const {
    return {groups_.data(),
            group_of_block_.data(),
            static_cast<std::uint32_t>(group_of_block_.size()),
            general_blocks_,
            node_offset_.data(),
            node_row_.data(),
            row_value_.data(),
            row_pattern_.data(),
            law_list_.data(),
            laws_.data(),
            branches_.data(),
            V_.data(),
            G_.data(),
            {q_[0].data(), q_[1].data()},
            {line_[0].data(), line_[1].data()},
            {lost_[0].data(), lost_[1].data()},
            group_words_,
            long_blocks_};
  }
  void reset() {
    V_.clear();
    G_.clear();
    for (std::size_t parity = 0; parity < 2; ++parity) {
      q_[parity].clear();
      line_[parity].clear();
      lost_[parity].clear();
    }
  }
  DeviceArray<T>& V() { return V_; }
  DeviceArray<T>& G() { return G_; }
  const DeviceArray<T>& V() const { return V_; }
  const DeviceArray<T>& G() const { return G_; }

 private:
  DeviceArray<BoundaryGroup<T>> groups_;
  std::uint32_t group_words_;
  DeviceArray<std::uint32_t> group_of_block_;
  std::uint32_t general_blocks_, long_blocks_;
  DeviceArray<std::uint32_t> node_offset_, node_row_, row_pattern_, law_list_;
  DeviceArray<T> row_value_;
  DeviceArray<LawCoefficients<T>> laws_;
  DeviceArray<BranchCoefficients<T>> branches_;
  DeviceArray<T> V_, G_;
  std::array<DeviceArray<T>, 2> q_, line_, lost_;
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
