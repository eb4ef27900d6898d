// The walls' part of a gradient (adjoint/gradient.hpp): what they read in two runs of a backend, b^T u, is correlated.
//
// A backend makes one that works where its fields are, or hands out what its walls read with its steps, or does neither:
// recorders then read every wall node (WallReads). The last two are correlated by the host (adjoint/host_walls.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/plan/branch_equation.hpp"

namespace fdtd {

struct Drive;
struct Samples;

// In place of an index of Boundary::nodes: none.
inline constexpr std::uint32_t no_wall_node = ~std::uint32_t{0};

// How a history keeps a sample of a wall node: as double, as float, or in 16 bits, as an integer with a scale of each sixteen
// steps. The last errs by 1.5e-5 of the largest of the sixteen, mostly at high frequencies.
enum class HistoryFormat { f64, f32, i16 };

// Derivatives of J by the walls, one value a branch of each site (Boundary::branch_begin) or a site.
struct WallSlopes {
  std::vector<BranchTerms<double>> branches;  // by D, E and F, in steps as LawBranch has them
  std::vector<double> inertance;              // in steps
  std::vector<double> admittance;             // by a real admittance (over that of air) beside the branches
  std::vector<double> weight;                 // by BoundarySite::weight
};

struct CorrelationNeeds {
  HistoryFormat format = HistoryFormat::f64;
  std::size_t passes = 1;
  std::int64_t block = 0;  // steps of a call; the last of a pass may have fewer
};

// A block of steps of a pass, whose history waits for the second run.
struct HistoryPlace {
  std::size_t pass = 0, block = 0;
};

// Its backend, loaded with the plan, must outlive it. Each of first() and second() advances the backend by a block; the
// caller restores the backend's state where it restores that of the walls.
class WallCorrelation {
 public:
  virtual ~WallCorrelation() = default;

  // ---- the first run of a pass
  virtual void rest() = 0;  // before its first step
  // drive.steps steps, and as many of the laws' filters; with `keep` their history is kept.
  virtual void first(const Drive& drive, Samples& samples, std::optional<HistoryPlace> keep) = 0;
  // A stack of the filters' states in the first run: the present one on top; that on top becomes the present one; the top
  // goes.
  virtual void push() = 0;
  virtual void recall() = 0;
  virtual void pop() = 0;

  // ---- the second run of a pass, blocks in reverse
  virtual void answer_rest() = 0;  // before its first step
  // drive.steps steps of the second run, whose step m is step drive.steps - 1 - m of the block at `of`: their products are
  // added to the sums. The block's history is free then.
  virtual void second(const Drive& drive, Samples& samples, HistoryPlace of) = 0;

  // `scale` times the sums so far, over all passes. With ranks, by the sites of the whole plan, the same in all ranks.
  virtual WallSlopes slopes(double scale) = 0;
};

}  // namespace fdtd
