// The sites of all walls as the GPU correlates them: those of a law side by side, in the order of what walls read
// (walls/wall_reads.hpp), by parts that are the work of a block of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/backend/wall_correlation.hpp"
#include "engine/cuda/walls/boundary_groups.hpp"

namespace fdtd::cuda {

inline constexpr std::uint32_t correlation_threads = 128;

// Up to correlation_threads sites of one law. Of its values and sums each thread has its own, correlation_threads apart.
struct CorrelationPart {
  std::uint32_t law, count;
  std::uint64_t site;   // first of its sites in `place`
  std::uint64_t state;  // first of its values: by stage and branch
  std::uint64_t sum;    // first of its sums: D, E and F by branch, then by inertance, admittance and weight
};

// Parts [begin, end) are of laws with so many branches.
struct PartsOfLaws {
  std::uint32_t branches, begin, end;
};

struct CorrelationTables {
  std::vector<CorrelationPart> parts;
  std::vector<PartsOfLaws> by_branches;
  std::vector<std::uint32_t> site, place;  // Boundary's number of a site, and where a row has what it reads
  std::uint64_t states = 0, sums = 0;      // of all parts

  // `scale` times the sums, in the order of the boundary.
  WallSlopes slopes(const Boundary& boundary, const std::vector<double>& all, double scale) const;
};

// `member`: of BoundaryTables.
CorrelationTables pack_correlation(const Boundary& boundary, const std::vector<std::uint32_t>& member);

// On the GPU, about, with branches in values of so many bytes.
std::int64_t correlation_bytes(const Boundary& boundary, std::int64_t value_bytes);

}  // namespace fdtd::cuda
