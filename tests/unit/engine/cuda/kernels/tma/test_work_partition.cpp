#include "engine/cuda/kernels/tma/work_partition.hpp"

#include <algorithm>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd::cuda;

TEST_CASE("every share's rounds are full, of all pieces or of each piece's columns, or all places are at work") {
  for (const std::int64_t columns : {1, 7, 85, 132, 133, 216, 280, 5000})
    for (const int planes : {1, 9, 256, 751})
      for (const int R : {1, 4, 20})
        for (const int resident : {1, 64, 132}) {
          const int neighbours = planes % 3;
          const auto partitions = worthy_partitions(columns, planes, 1 + neighbours, R, resident);
          REQUIRE(!partitions.empty());
          REQUIRE(partitions.size() <= 5);
          for (const WorkPartition& partition : partitions) {
            CAPTURE(columns, planes, R, resident, partition.chunk, partition.blocks);
            REQUIRE((partition.chunk >= 1 && partition.chunk <= planes));
            REQUIRE((partition.blocks >= 1 && partition.blocks <= resident));
            const std::int64_t pieces = (planes + partition.chunk - 1) / partition.chunk;
            REQUIRE(pieces >= std::min(planes, 1 + neighbours));
            const auto idle = [&](std::int64_t work) {
              return (partition.blocks - work % partition.blocks) % partition.blocks;
            };
            const auto rounds = [&](std::int64_t work) { return (work + partition.blocks - 1) / partition.blocks; };
            const bool full = idle(columns * pieces) < rounds(columns * pieces) || idle(columns) < rounds(columns);
            REQUIRE((full || partition.blocks == resident));
          }
        }
}

TEST_CASE(
    "shares: no place idle where columns divide evenly, half the columns at once where they are too many by little") {
  // 720 x 640 in tiles of 128 x 30 on 132 multiprocessors, 928 x 800 likewise.
  for (const WorkPartition& partition : worthy_partitions(132, 560, 1, 1, 132)) REQUIRE(partition.blocks == 132);
  // 85 columns: one bound by arithmetic is to have them cut so that all places work.
  const auto few = worthy_partitions(85, 451, 1, 8, 132);
  REQUIRE(std::any_of(few.begin(), few.end(), [](const WorkPartition& partition) { return partition.blocks > 120; }));
  const auto partitions = worthy_partitions(216, 750, 1, 4, 132);
  REQUIRE(std::any_of(partitions.begin(), partitions.end(),
                      [](const WorkPartition& partition) { return partition.blocks == 108; }));
  // A small grid is cut until all places work, however much is fetched twice at the ends: a block takes as long as its
  // planes.
  const auto has_short = [](const std::vector<WorkPartition>& all, int planes) {
    return std::any_of(all.begin(), all.end(),
                       [&](const WorkPartition& partition) { return partition.chunk <= planes; });
  };
  REQUIRE(has_short(worthy_partitions(4, 91, 1, 4, 132), 3));
  REQUIRE(has_short(worthy_partitions(10, 40, 1, 20, 132), 4));
  REQUIRE_FALSE(has_short(worthy_partitions(132, 560, 1, 4, 132), 20));
}

TEST_CASE("rows: a tile's own, and so many fewer that columns fill the fewest rounds") {
  // 928 x 800 in tiles of 128 x 64: eight columns side by side, sixteen of them at most in one round of 132 places.
  REQUIRE(worthy_rows(8, 800, 64, 132) == std::vector{50, 64});
  REQUIRE(worthy_rows(8, 800, 30, 132) == std::vector{25, 30});
  REQUIRE(worthy_rows(6, 640, 30, 132) == std::vector{30});
  for (const int across : {1, 5, 8, 200})
    for (const int ny : {1, 30, 31, 501, 4000})
      for (const int most : {1, 7, 30, 64})
        for (const int resident : {1, 64, 132}) {
          CAPTURE(across, ny, most, resident);
          const auto rounds = [&](int rows) {
            const int columns = across * ((ny + rows - 1) / rows);
            return (columns + resident - 1) / resident;
          };
          const auto rows = worthy_rows(across, ny, most, resident);
          REQUIRE((!rows.empty() && rows.size() <= 2 && rows.back() == most));
          for (const int one : rows) {
            REQUIRE((one >= 1 && one <= most));
            REQUIRE(rounds(one) == rounds(most));
          }
          if (rows.front() > 1) REQUIRE((rows.front() == most || rounds(rows.front() - 1) > rounds(most)));
        }
}
