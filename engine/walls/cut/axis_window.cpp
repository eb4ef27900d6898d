#include "engine/walls/cut/axis_window.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace fdtd {

bool AxisWindow::cut() const {
  if (mass() != 1.0) return true;
  for (int i = -reach_; i <= reach_; ++i) {
    if (!air(i) || (i < reach_ && area(i) != 1.0) || (std::abs(i) < reach_ && weight(i) != 1.0)) return true;
  }
  for (int i = -1; i <= 1; ++i)
    if (end(i) != 0.0) return true;
  return false;
}

std::span<const std::uint64_t> AxisWindow::make_key() {
  std::size_t n = 0;
  const auto put = [&](double value) { key_[n++] = std::bit_cast<std::uint64_t>(value); };
  std::uint64_t air_bits = 0;
  for (int i = -reach_; i <= reach_; ++i) {
    air_bits = air_bits << 1U | (air(i) ? 1U : 0U);
    if (i < reach_) put(area(i));
    if (std::abs(i) < reach_) put(weight(i));
    if (std::abs(i) < 2) put(end(i));
  }
  put(mass());
  key_[n++] = air_bits;
  return {key_.data(), n};
}

// F = W sum of g_m R_m(W^-1 B) G e_0 at the passages.
void AxisRowMaker::find_fluxes(const AxisWindow& window) {
  const int reach = static_cast<int>(weights_.size());
  const auto width = static_cast<std::size_t>(2 * reach);
  const auto index = [reach](int k) { return static_cast<std::size_t>(k + reach); };
  Passages source, first, second, third;
  for (Passages* one : {&source, &first, &second, &third, &flux_}) std::fill_n(one->begin(), width, 0.0);
  for (const int k : {-1, 0})
    if (window.area(k) != 0.0) source[index(k)] = k < 0 ? 1.0 : -1.0;
  std::copy_n(source.begin(), width, first.begin());
  Passages *here = &first, *before = &second, *next = &third, &sum = flux_;
  for (int m = 1; m <= reach; ++m) {
    for (int k = -m; k < m; ++k) sum[index(k)] += weights_[static_cast<std::size_t>(m - 1)] * (*here)[index(k)];
    if (m == reach) break;
    const auto value = [&](int k) { return k < -m || k >= m ? 0.0 : (*here)[index(k)]; };
    for (int k = -m - 1; k <= m; ++k) {
      const double area = window.area(k);
      if (area == 0.0) continue;
      // B's row: second differences of differences, weighted at the two nodes of the passage.
      double bent = 0.0;
      if (k > -reach) bent += window.weight(k) * (value(k) - value(k - 1));
      if (k + 1 < reach) bent += window.weight(k + 1) * (value(k) - value(k + 1));
      (*next)[index(k)] = 2.0 * (value(k) + source[index(k)]) - bent / area - (*before)[index(k)];
    }
    std::swap(before, here);
    std::swap(here, next);
  }
  for (int k = -reach; k < reach; ++k) sum[index(k)] *= window.area(k);
  // bend G^T rho G: second differences of differences at the nodes beside.
  for (int i = -1; i <= 1 && reach > 1; ++i) {
    if (window.end(i) == 0.0) continue;
    const double bent = bend_ * window.end(i) * (source[index(i)] - source[index(i - 1)]);
    sum[index(i)] += bent;
    sum[index(i - 1)] -= bent;
  }
}

void AxisRowMaker::append_row(const AxisWindow& window, std::vector<RowEntry>& entries) {
  constexpr double rounding = 1e-15;
  const int reach = static_cast<int>(weights_.size());
  find_fluxes(window);
  const auto at_passage = [&](int k) {
    return k < -reach || k >= reach ? 0.0 : flux_[static_cast<std::size_t>(k + reach)];
  };
  std::size_t own = 0;
  double rest = 0.0;  // what the row sums to, less the entries so far: constants must stay constant
  for (int i = -reach; i <= reach; ++i) {
    RowEntry entry;
    entry.offset[axis_] = static_cast<std::int16_t>(i);
    if (i == 0) {
      own = entries.size();
      entries.push_back(entry);
      continue;
    }
    const double g = weights_[static_cast<std::size_t>(std::abs(i) - 1)], plain = window.air(i) ? g : 0.0;
    entry.weight = (at_passage(i) - at_passage(i - 1)) / window.mass() - plain;
    rest += g - plain;
    if (std::abs(entry.weight) < rounding) continue;
    rest -= entry.weight;
    entries.push_back(entry);
  }
  entries[own].weight = rest;
  if (std::abs(rest) < rounding) entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(own));
}

}  // namespace fdtd
