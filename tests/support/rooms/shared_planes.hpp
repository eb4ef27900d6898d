// Threads that share a room as ranks do.
#pragma once

#include <barrier>
#include <cstddef>
#include <span>
#include <thread>
#include <vector>

#include "engine/voxels/shared/plane_partition.hpp"

namespace fdtd::test {

// The results of work(partition) in each of `count` threads, in order.
template <class Work>
auto in_parts(int count, const Work& work) {
  std::vector<std::vector<std::byte>> all(static_cast<std::size_t>(count));
  std::barrier<> meet(count);
  std::vector<decltype(work(PlanePartition{}))> results(static_cast<std::size_t>(count));
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      const auto place = static_cast<std::size_t>(i);
      results[place] = work(PlanePartition{i, count, [&, place](std::span<const std::byte> mine) {
                                             all[place].assign(mine.begin(), mine.end());
                                             meet.arrive_and_wait();
                                             std::vector<std::vector<std::byte>> copy = all;
                                             meet.arrive_and_wait();
                                             return copy;
                                           }});
    });
  }
  for (std::thread& one : threads) one.join();
  return results;
}

}  // namespace fdtd::test
