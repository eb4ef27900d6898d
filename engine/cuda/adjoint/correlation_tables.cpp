#include "engine/cuda/adjoint/correlation_tables.hpp"

#include <algorithm>
#include <numeric>

#include "engine/cuda/adjoint/site_correlation.hpp"

namespace fdtd::cuda {
namespace {

constexpr std::uint64_t lanes_of_part = correlation_threads;

std::uint64_t sums_of(std::uint64_t branches) { return 3 * branches + correlation_sums_alone; }

struct PlacedSite {
  std::uint32_t site, place;
};

std::vector<std::vector<PlacedSite>> sites_by_law(const Boundary& boundary, const std::vector<std::uint32_t>& member) {
  std::vector<std::vector<PlacedSite>> by_law(boundary.laws.size());
  for (std::size_t place = 0; place < member.size(); ++place) {
    const std::uint32_t node = member[place];
    if (node == no_member) continue;
    for (std::uint32_t s = boundary.site_begin[node]; s < boundary.site_begin[node + 1]; ++s)
      by_law[boundary.sites[s].law].push_back({s, static_cast<std::uint32_t>(place)});
  }
  return by_law;
}

}  // namespace

CorrelationTables pack_correlation(const Boundary& boundary, const std::vector<std::uint32_t>& member) {
  const std::vector<std::vector<PlacedSite>> by_law = sites_by_law(boundary, member);
  std::vector<std::uint32_t> order(by_law.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t law) { return boundary.laws[law].branches.size(); });
  CorrelationTables tables;
  for (const std::uint32_t law : order) {
    const std::vector<PlacedSite>& of_law = by_law[law];
    const auto branches = static_cast<std::uint32_t>(boundary.laws[law].branches.size());
    for (std::size_t begin = 0; begin < of_law.size(); begin += lanes_of_part) {
      const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(lanes_of_part, of_law.size() - begin));
      const auto number = static_cast<std::uint32_t>(tables.parts.size());
      if (tables.by_branches.empty() || tables.by_branches.back().branches != branches)
        tables.by_branches.push_back({branches, number, number});
      ++tables.by_branches.back().end;
      tables.parts.push_back({law, count, tables.place.size(), tables.states, tables.sums});
      for (std::size_t i = begin; i < begin + count; ++i) {
        tables.site.push_back(of_law[i].site);
        tables.place.push_back(of_law[i].place);
      }
      tables.states += correlation_stages * branches * lanes_of_part;
      tables.sums += sums_of(branches) * lanes_of_part;
    }
  }
  return tables;
}

WallSlopes CorrelationTables::slopes(const Boundary& boundary, const std::vector<double>& all, double scale) const {
  WallSlopes slopes;
  slopes.branches.resize(boundary.branch_begin.back());
  slopes.inertance.resize(boundary.sites.size());
  slopes.admittance.resize(boundary.sites.size());
  slopes.weight.resize(boundary.sites.size());
  for (const CorrelationPart& part : parts)
    for (std::uint32_t i = 0; i < part.count; ++i) {
      const std::uint32_t number = site[part.site + i];
      const double by_weight = scale * boundary.sites[number].weight;
      const double* sum = all.data() + part.sum + i;
      const auto next = [&] {
        const double value = *sum;
        sum += lanes_of_part;
        return value;
      };
      for (std::uint64_t b = boundary.branch_begin[number]; b < boundary.branch_begin[number + 1]; ++b)
        each_term([&](double& term) { term = by_weight * next(); }, slopes.branches[b]);
      slopes.inertance[number] = by_weight * next();
      slopes.admittance[number] = -by_weight * next();
      slopes.weight[number] = -scale * next();
    }
  return slopes;
}

std::int64_t correlation_bytes(const Boundary& boundary, std::int64_t value_bytes) {
  std::vector<std::uint64_t> of_law(boundary.laws.size());
  for (const BoundarySite& site : boundary.sites) ++of_law[site.law];
  std::uint64_t bytes = 0;
  for (std::size_t law = 0; law < of_law.size(); ++law) {
    const std::uint64_t branches = boundary.laws[law].branches.size();
    const std::uint64_t sites = (of_law[law] + lanes_of_part - 1) / lanes_of_part * lanes_of_part;
    bytes += sites * (2 * correlation_stages * branches * static_cast<std::uint64_t>(value_bytes) +
                      sums_of(branches) * sizeof(double) + sizeof(std::uint32_t) + 1);
  }
  return static_cast<std::int64_t>(bytes);
}

}  // namespace fdtd::cuda
