#include "scenes/mesh/mesh_weld.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace fdtd {
namespace {

using Point = std::array<double, 3>;

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
constexpr double finest = 64.0, step = 4.0;  // how much smaller the first tolerance is, and how much the next grows

double squared_distance(const Point& a, const Point& b) {
  const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return x * x + y * y + z * z;
}

// Vertices that stand for others, by the cell of a cubic grid that they lie in: a hash table with open addresses. They
// are at least a tolerance apart, and a cell is four wide, so few lie in one.
class Cells {
 public:
  Cells(const Mesh& mesh, double tolerance)
      : mesh_(mesh),
        tolerance_(tolerance),
        cell_(4.0 * tolerance),
        slots_(std::bit_ceil(2 * mesh.vertices.size() + 16)),
        next_(mesh.vertices.size(), none) {}

  // The nearest within the tolerance; `none` if there is none.
  std::uint32_t nearest(const Point& p) const {
    std::array<std::int64_t, 3> first{}, last{};
    for (std::size_t d = 0; d < 3; ++d) {
      first[d] = index(p[d] - mesh_.low[d] - tolerance_);
      last[d] = index(p[d] - mesh_.low[d] + tolerance_);
    }
    std::uint32_t best = none;
    double least = tolerance_ * tolerance_;
    for (std::int64_t z = first[2]; z <= last[2]; ++z) {
      for (std::int64_t y = first[1]; y <= last[1]; ++y) {
        for (std::int64_t x = first[0]; x <= last[0]; ++x) {
          for (std::uint32_t v = slots_[slot(key(x, y, z))].head; v != none; v = next_[v]) {
            const double apart = squared_distance(p, mesh_.vertices[v]);
            if (apart > least || (apart == least && best < v)) continue;
            least = apart;
            best = v;
          }
        }
      }
    }
    return best;
  }

  void add(std::uint32_t vertex) {
    const Point& p = mesh_.vertices[vertex];
    const std::uint64_t here = key(index(p[0] - mesh_.low[0]), index(p[1] - mesh_.low[1]), index(p[2] - mesh_.low[2]));
    Slot& slot_here = slots_[slot(here)];
    slot_here.key = here;
    next_[vertex] = slot_here.head;
    slot_here.head = vertex;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t head = none;
  };

  std::int64_t index(double along) const { return static_cast<std::int64_t>(std::floor(along / cell_)); }
  // 21 bits an axis: tolerances are over 1e-6 of the bounding box. A key that wraps only costs comparisons.
  static std::uint64_t key(std::int64_t x, std::int64_t y, std::int64_t z) {
    constexpr std::uint64_t mask = (std::uint64_t{1} << 21) - 1;
    return (static_cast<std::uint64_t>(x) & mask) | (static_cast<std::uint64_t>(y) & mask) << 21 |
           (static_cast<std::uint64_t>(z) & mask) << 42;
  }
  std::size_t slot(std::uint64_t wanted) const {
    std::uint64_t mixed = wanted * 0x9E3779B97F4A7C15U;
    mixed ^= mixed >> 29;
    std::size_t at = (mixed * 0xBF58476D1CE4E5B9U >> 20) & (slots_.size() - 1);
    while (slots_[at].head != none && slots_[at].key != wanted) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  const Mesh& mesh_;
  double tolerance_, cell_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> next_;
};

// One step: in the order of their numbers, vertices that stand for themselves so far join the nearest before them.
void merge_within(const Mesh& mesh, double tolerance, std::vector<std::uint32_t>& stands_for) {
  if (!(tolerance > 0.0)) return;
  Cells cells(mesh, tolerance);
  for (std::uint32_t v = 0; v < stands_for.size(); ++v) {
    if (stands_for[v] != v) continue;
    const std::uint32_t near = cells.nearest(mesh.vertices[v]);
    if (near == none) {
      cells.add(v);
    } else {
      stands_for[v] = near;
    }
  }
  // A vertex that an earlier step chose may have joined another: its number is smaller, so its own choice is final.
  for (std::uint32_t& v : stands_for) v = stands_for[v];
}

}  // namespace

double weld_tolerance(const Mesh& mesh) {
  const double diagonal = std::sqrt(squared_distance(mesh.low, mesh.high));
  double reach = 0.0;
  for (std::size_t d = 0; d < 3; ++d) reach = std::max({reach, std::abs(mesh.low[d]), std::abs(mesh.high[d])});
  constexpr double four_decimals = 2e-4;  // m
  const double epsilon = mesh.single_precision ? static_cast<double>(std::numeric_limits<float>::epsilon())
                                               : std::numeric_limits<double>::epsilon();
  const double last_places = 4.0 * epsilon * reach;
  return std::max({2e-5 * diagonal, std::min(four_decimals, 1e-4 * diagonal), std::min(last_places, 1e-3 * diagonal)});
}

std::vector<std::uint32_t> weld_finely(const Mesh& mesh, double tolerance) {
  std::vector<std::uint32_t> stands_for(mesh.vertices.size());
  std::iota(stands_for.begin(), stands_for.end(), 0U);
  merge_within(mesh, tolerance / finest, stands_for);
  return stands_for;
}

std::vector<std::uint32_t> weld(const Mesh& mesh, double tolerance, std::vector<std::uint32_t> finely) {
  for (double part = finest / step; part >= 1.0; part /= step) merge_within(mesh, tolerance / part, finely);
  return finely;
}

}  // namespace fdtd
