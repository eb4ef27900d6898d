#include "engine/voxels/openings/narrow_openings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "engine/voxels/space/clearance.hpp"
#include "engine/voxels/space/crossings.hpp"
#include "engine/voxels/space/point_places.hpp"
#include "engine/voxels/space/space_parts.hpp"

namespace fdtd {
namespace {

using Voxel = std::array<int, 3>;

constexpr double fine_voxels = 4e6;  // of rooms of fewer voxels
constexpr int finest_parts = 8;      // of a voxel
// Clearances, of voxels of the grid: of the openings that are looked for, of the least part, and of an opening as a
// fraction of the narrower of its parts.
constexpr double widest_opening = 1.5, min_part = 0.45, narrowed = 0.55;
// The same of cavities, smaller than parts, whose openings are at most `open_fraction` of their surface.
constexpr double min_cavity = 0.15, narrowed_cavity = 0.85, open_fraction = 0.1;

int times_finer(const std::array<int, 3>& size) {
  const double voxels = (size[0] + 2.0) * (size[1] + 2.0) * (size[2] + 2.0);
  int times = 1;
  while (times < finest_parts && voxels * std::pow(times + 1, 3) <= fine_voxels) ++times;
  return times;
}

std::uint64_t number_of(const std::array<int, 3>& size, const Voxel& v) {
  return static_cast<std::uint64_t>(v[0]) +
         static_cast<std::uint64_t>(size[0]) * (static_cast<std::uint64_t>(v[1]) +
                                                static_cast<std::uint64_t>(size[1]) * static_cast<std::uint64_t>(v[2]));
}

}  // namespace

SpaceRegions::SpaceRegions(const Mesh& mesh, const MeshGrid& grid, const std::vector<Point>& sources) {
  // Set off from the grid, so that surfaces on faces and centres of its voxels are on neither here.
  constexpr std::array<double, 3> offset = {1.3e-4, 1.9e-4, 2.9e-4};
  times_ = times_finer(grid.size);
  for (std::size_t d = 0; d < 3; ++d) {
    // A voxel more on both sides: walls may lie half of one beyond the grid.
    fine_.size[d] = (grid.size[d] + 2) * times_;
    fine_.spacing[d] = grid.spacing[d] / times_;
    fine_.corner[d] = grid.corner[d] - (1.0 - offset[d]) * grid.spacing[d];
  }
  const double voxels = static_cast<double>(fine_.size[0]) * fine_.size[1] * fine_.size[2];
  searched_ = voxels <= max_voxels;
  if (!searched_) return;
  const PlaneRange all = {0, fine_.size[2]};
  const OpenLinks open = open_links(fine_.size, find_crossings(mesh, fine_.size, fine_.spacing, fine_.corner), all);
  const std::vector<std::uint8_t> clearance = clearances(fine_.size, open);
  {
    const Joining begun = begin_joining(clearance);
    join(begun, clearance, open, min_part, narrowed);
    add_cavities(begun, clearance, open);
  }
  std::vector<Contact> found = contacts(open);
  divide_evenly(found, clearance, open);
  found = contacts(open);
  keep_connected(found, open, voxels_in_sight(mesh, fine_, sources));
  gather(found, clearance);
}

double SpaceRegions::finest() const { return std::max({fine_.spacing[0], fine_.spacing[1], fine_.spacing[2]}); }

Point SpaceRegions::centre_near(const Point& point) const {
  Point centre{};
  for (std::size_t d = 0; d < 3; ++d)
    centre[d] =
        fine_.corner[d] + (std::floor((point[d] - fine_.corner[d]) / fine_.spacing[d]) + 0.5) * fine_.spacing[d];
  return centre;
}

Point SpaceRegions::widest_place(std::uint32_t part) const { return centre_of(fine_, voxel(part)); }

std::uint32_t SpaceRegions::part_at(const Point& point) const {
  Voxel at{};
  for (std::size_t d = 0; d < 3; ++d) {
    const double place = std::floor((point[d] - fine_.corner[d]) / fine_.spacing[d]);
    if (!(place >= 0.0 && place < fine_.size[d])) return none;
    at[d] = static_cast<int>(place);
  }
  return part_.empty() ? none : part_[number_of(fine_.size, at)];
}

std::uint32_t SpaceRegions::part_in(const Point& low, const Point& high, double fraction) const {
  Voxel begin{}, end{};
  for (std::size_t d = 0; d < 3; ++d) {
    const auto place = [&](double x) {
      return static_cast<int>(std::lround((x - fine_.corner[d]) / fine_.spacing[d]));
    };
    begin[d] = std::clamp(place(low[d]), 0, fine_.size[d] - 1);
    end[d] = std::clamp(place(high[d]), begin[d] + 1, fine_.size[d]);
  }
  std::map<std::uint32_t, int> count;
  int all = 0;
  for (int z = begin[2]; z < end[2]; ++z)
    for (int y = begin[1]; y < end[1]; ++y)
      for (int x = begin[0]; x < end[0]; ++x) {
        const std::uint32_t part = part_[number_of(fine_.size, {x, y, z})];
        if (has_openings(part)) ++count[part], ++all;
      }
  const auto most = std::ranges::max_element(count, {}, [](const auto& one) { return one.second; });
  return most == count.end() || !(most->second > fraction * all) ? none : most->first;
}

std::uint32_t SpaceRegions::find(std::uint32_t voxel) {
  while (part_[voxel] != voxel) {
    part_[voxel] = part_[part_[voxel]];
    voxel = part_[voxel];
  }
  return voxel;
}

template <class Visit>
void SpaceRegions::each_open_neighbour(std::uint32_t i, const OpenLinks& open, const Visit& visit) const {
  const std::array<std::int64_t, 3> stride = {1, fine_.size[0], std::int64_t{fine_.size[0]} * fine_.size[1]};
  const Voxel v = voxel(i);
  for (std::size_t side = 0; side < 6; ++side) {
    const std::size_t d = side / 2;
    Voxel link = v;
    link[d] += side % 2 == 0 ? 0 : 1;
    if (link[d] == 0 || link[d] == fine_.size[d] || !open[d](link[0], link[1], link[2])) continue;
    visit(static_cast<std::uint32_t>(std::int64_t{i} + (side % 2 == 0 ? -stride[d] : stride[d])));
  }
}

SpaceRegions::Joining SpaceRegions::begin_joining(const std::vector<std::uint8_t>& clearance) {
  const auto [nx, ny, nz] = fine_.size;
  const auto first_y = static_cast<std::uint32_t>(nx), first_z = first_y * static_cast<std::uint32_t>(ny);
  const auto better = [&](std::uint32_t a, std::uint32_t b) {
    return clearance[a] > clearance[b] || (clearance[a] == clearance[b] && a < b);
  };
  const auto wide = [&](std::uint32_t i) { return half_width(clearance[i]) > widest_opening; };
  part_.resize(clearance.size());
  std::iota(part_.begin(), part_.end(), 0U);
  const auto unite = [&](std::uint32_t i, std::uint32_t other) {
    const std::uint32_t a = find(i), b = find(other);
    if (a != b) (better(a, b) ? part_[b] : part_[a]) = better(a, b) ? a : b;
  };
  // Links of voxels some way from surfaces are open. Runs along x are joined by their first voxels beside each other.
  std::uint32_t i = 0;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x, ++i) {
        if (!wide(i)) continue;
        const bool goes_on = x > 0 && wide(i - 1);
        if (goes_on) unite(i - 1, i);
        if (y > 0 && wide(i - first_y) && !(goes_on && wide(i - first_y - 1))) unite(i, i - first_y);
        if (z > 0 && wide(i - first_z) && !(goes_on && wide(i - first_z - 1))) unite(i, i - first_z);
      }
  Joining begun;
  begun.parts = part_;
  std::array<std::uint32_t, widest_clearance + 2> begin{};
  for (std::uint32_t n = 0; n < clearance.size(); ++n)
    if (!wide(n)) ++begin[static_cast<std::size_t>(widest_clearance - clearance[n]) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  begun.narrow.resize(begin.back());
  for (std::uint32_t n = 0; n < clearance.size(); ++n)
    if (!wide(n)) begun.narrow[begin[static_cast<std::size_t>(widest_clearance - clearance[n])]++] = n;
  return begun;
}

void SpaceRegions::join(const Joining& begun, const std::vector<std::uint8_t>& clearance, const OpenLinks& open,
                        double min_width, double narrowed) {
  part_ = begun.parts;
  for (const std::uint32_t i : begun.narrow) {
    const double here = half_width(clearance[i]);
    each_open_neighbour(i, open, [&](std::uint32_t other) {
      if (clearance[other] < clearance[i] || (clearance[other] == clearance[i] && other > i)) return;  // later
      const std::uint32_t a = find(i), b = find(other);
      if (a == b) return;
      // A root has the largest clearance of its part.
      const std::uint32_t high = clearance[a] > clearance[b] || (clearance[a] == clearance[b] && a < b) ? a : b,
                          low = high == a ? b : a;
      const double part = half_width(clearance[low]);
      if (part < min_width || here >= narrowed * part) part_[low] = high;
    });
  }
  for (std::uint32_t i = 0; i < part_.size(); ++i) part_[i] = find(i);
}

// Traps, boxes and other cavities of about a voxel of the grid, or less: dead ends behind small openings.
void SpaceRegions::add_cavities(const Joining& begun, const std::vector<std::uint8_t>& clearance,
                                const OpenLinks& open) {
  std::vector<std::uint32_t> parts;
  std::swap(parts, part_);
  join(begun, clearance, open, min_cavity, narrowed_cavity);
  std::swap(parts, part_);
  struct Border {
    std::uint32_t other = none;  // a part beside it; itself: several, or the outside
    double open = 0.0, closed = 0.0;
  };
  std::map<std::uint32_t, Border> borders;
  const auto small = [&](std::uint32_t part) { return (clearance[part] + 0.5) / times_ < min_part; };
  const std::array<std::int64_t, 3> stride = {1, fine_.size[0], std::int64_t{fine_.size[0]} * fine_.size[1]};
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    if (!small(parts[i])) continue;
    Border& border = borders[parts[i]];
    const Voxel v = voxel(i);
    for (std::size_t side = 0; side < 6; ++side) {
      const std::size_t d = side / 2;
      Voxel link = v;
      link[d] += side % 2 == 0 ? 0 : 1;
      if (!open[d](link[0], link[1], link[2])) {
        ++border.closed;
      } else if (link[d] == 0 || link[d] == fine_.size[d]) {
        border.other = parts[i];
      } else {
        const std::uint32_t next =
            parts[static_cast<std::size_t>(std::int64_t{i} + (side % 2 == 0 ? -stride[d] : stride[d]))];
        if (next == parts[i]) continue;
        ++border.open;
        border.other = border.other == none || border.other == next ? next : parts[i];
      }
    }
  }
  std::erase_if(borders, [](const auto& one) {
    const auto& [part, border] = one;
    return border.other == none || border.other == part || border.open > open_fraction * (border.open + border.closed);
  });
  for (std::uint32_t i = 0; i < parts.size(); ++i)
    if (borders.contains(parts[i])) part_[i] = parts[i];
}

// Voxels no farther from surfaces than the contacts of their part belong to the part whose wider space is nearest: parts
// meet halfway through a channel, in a plane.
void SpaceRegions::divide_evenly(const std::vector<Contact>& contacts, const std::vector<std::uint8_t>& clearance,
                                 const OpenLinks& open) {
  if (contacts.empty()) return;
  const std::array<std::int64_t, 3> stride = {1, fine_.size[0], std::int64_t{fine_.size[0]} * fine_.size[1]};
  std::map<std::uint32_t, int> widest;
  for (const Contact& one : contacts) {
    const auto beyond = static_cast<std::size_t>(static_cast<std::int64_t>(one.voxel) + stride[one.axis]);
    const int here = std::min(clearance[one.voxel], clearance[beyond]);
    for (const std::uint32_t part : one.parts) {
      const auto at = widest.emplace(part, here).first;
      at->second = std::max(at->second, here);
    }
  }
  std::vector<bool> waits(part_.size(), false);
  std::vector<std::uint32_t> front, next;
  for (std::uint32_t i = 0; i < part_.size(); ++i) {
    const auto of = widest.find(part_[i]);
    waits[i] = of != widest.end() && clearance[i] <= of->second;
  }
  const auto spread = [&](std::uint32_t i) {
    each_open_neighbour(i, open, [&](std::uint32_t other) {
      if (!waits[other]) return;
      waits[other] = false;
      part_[other] = part_[i];
      next.push_back(other);
    });
  };
  for (std::uint32_t i = 0; i < part_.size(); ++i)
    if (!waits[i] && widest.contains(part_[i])) front.push_back(i);
  while (!front.empty()) {
    for (const std::uint32_t i : front) spread(i);
    front = std::move(next);
    next.clear();
  }
}

std::vector<SpaceRegions::Contact> SpaceRegions::contacts(const OpenLinks& open) const {
  std::vector<Contact> found;
  const std::array<std::uint64_t, 3> stride = {
      1, static_cast<std::uint64_t>(fine_.size[0]),
      static_cast<std::uint64_t>(fine_.size[0]) * static_cast<std::uint64_t>(fine_.size[1])};
  std::uint64_t i = 0;
  for (int z = 0; z < fine_.size[2]; ++z) {
    for (int y = 0; y < fine_.size[1]; ++y) {
      for (int x = 0; x < fine_.size[0]; ++x, ++i) {
        const Voxel v = {x, y, z};
        for (std::uint32_t d = 0; d < 3; ++d) {
          if (v[d] + 1 >= fine_.size[d]) continue;
          const std::uint32_t a = part_[i], b = part_[i + stride[d]];
          if (a == b) continue;
          Voxel link = v;
          ++link[d];
          if (open[d](link[0], link[1], link[2])) found.push_back({i, d, {std::min(a, b), std::max(a, b)}});
        }
      }
    }
  }
  return found;
}

// Drops contacts with the outside, and those that no source reaches but through it.
void SpaceRegions::keep_connected(std::vector<Contact>& contacts, const OpenLinks& open,
                                  const std::vector<std::vector<Voxel>>& in_sight) const {
  if (contacts.empty()) return;
  std::set<std::uint32_t> outside;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t a = (d + 1) % 3, b = (d + 2) % 3;
    for (const int end : {0, fine_.size[d]}) {
      Voxel link{};
      link[d] = end;
      for (link[a] = 0; link[a] < fine_.size[a]; ++link[a]) {
        for (link[b] = 0; link[b] < fine_.size[b]; ++link[b]) {
          if (!open[d](link[0], link[1], link[2])) continue;
          Voxel v = link;
          v[d] = std::min(v[d], fine_.size[d] - 1);
          outside.insert(part_[number_of(fine_.size, v)]);
        }
      }
    }
  }
  std::erase_if(contacts,
                [&](const Contact& one) { return outside.contains(one.parts[0]) || outside.contains(one.parts[1]); });
  std::set<std::array<std::uint32_t, 2>> pairs;
  for (const Contact& one : contacts) pairs.insert(one.parts);
  std::set<std::uint32_t> reached;
  // Sources are in the room: what sees them is (a source on a wall is in sight of both sides).
  for (const std::vector<Voxel>& sight : in_sight)
    for (const Voxel& v : sight) {
      const std::uint32_t part = part_[number_of(fine_.size, v)];
      if (outside.contains(part)) continue;
      reached.insert(part);
      break;
    }
  for (bool more = true; more;) {
    more = false;
    for (const auto& [a, b] : pairs)
      if (reached.contains(a) != reached.contains(b)) more = true, reached.insert({a, b});
  }
  std::erase_if(contacts, [&](const Contact& one) { return !reached.contains(one.parts[0]); });
}

// Contacts of two parts that touch, as lists of their numbers.
std::vector<std::vector<std::size_t>> SpaceRegions::touching(const std::vector<Contact>& contacts) const {
  std::map<std::pair<std::array<std::uint32_t, 2>, Voxel>, std::vector<std::size_t>> at;
  for (std::size_t c = 0; c < contacts.size(); ++c) at[{contacts[c].parts, voxel(contacts[c].voxel)}].push_back(c);
  std::vector<bool> taken(contacts.size(), false);
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t first = 0; first < contacts.size(); ++first) {
    if (taken[first]) continue;
    std::vector<std::size_t> group = {first};
    taken[first] = true;
    for (std::size_t g = 0; g < group.size(); ++g) {  // it grows
      const Contact& here = contacts[group[g]];
      const Voxel v = voxel(here.voxel);
      for (int i = 0; i < 27; ++i) {
        const auto found = at.find({here.parts, {v[0] + i % 3 - 1, v[1] + i / 3 % 3 - 1, v[2] + i / 9 - 1}});
        if (found == at.end()) continue;
        for (const std::size_t c : found->second) {
          if (taken[c]) continue;
          taken[c] = true;
          group.push_back(c);
        }
      }
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

NarrowOpening SpaceRegions::opening_of(const std::vector<Contact>& contacts, const std::vector<std::size_t>& group,
                                       const std::vector<std::uint8_t>& clearance) const {
  NarrowOpening one;
  one.parts = contacts[group.front()].parts;
  one.low.fill(std::numeric_limits<double>::infinity());
  one.high.fill(-std::numeric_limits<double>::infinity());
  int most = 0;
  for (const std::size_t c : group) {
    const Voxel v = voxel(contacts[c].voxel);
    const std::uint32_t axis = contacts[c].axis;
    Voxel beyond = v;
    ++beyond[axis];
    most = std::max(most, int{std::min(clearance[contacts[c].voxel], clearance[number_of(fine_.size, beyond)])});
    for (std::size_t d = 0; d < 3; ++d) {
      const double place = fine_.corner[d] + (v[d] + (d == axis ? 1.0 : 0.5)) * fine_.spacing[d];
      one.position[d] += place / static_cast<double>(group.size());
      one.low[d] = std::min(one.low[d], place);
      one.high[d] = std::max(one.high[d], place);
    }
  }
  // Two voxels across have the clearance of one; and the opening is no wider than its second side.
  std::array<double, 3> sides{};
  for (std::size_t d = 0; d < 3; ++d) sides[d] = one.high[d] - one.low[d] + fine_.spacing[d];
  std::ranges::sort(sides);
  one.width = std::min((2.0 * most + 2.0) * finest(), sides[1]);
  return one;
}

void SpaceRegions::gather(const std::vector<Contact>& contacts, const std::vector<std::uint8_t>& clearance) {
  if (contacts.empty()) return;
  std::map<std::uint32_t, double> volumes;
  for (const Contact& one : contacts) volumes[one.parts[0]] = volumes[one.parts[1]] = 0.0;
  const double cell = fine_.spacing[0] * fine_.spacing[1] * fine_.spacing[2];
  for (const std::uint32_t part : part_)
    if (const auto of = volumes.find(part); of != volumes.end()) of->second += cell;
  for (const std::vector<std::size_t>& group : touching(contacts)) {
    NarrowOpening one = opening_of(contacts, group, clearance);
    if (volumes[one.parts[1]] > volumes[one.parts[0]]) std::swap(one.parts[0], one.parts[1]);
    one.behind = volumes[one.parts[1]];
    one.before = volumes[one.parts[0]];
    openings_.push_back(one);
    joined_.insert(one.parts.begin(), one.parts.end());
  }
  std::ranges::stable_sort(openings_, std::ranges::greater{}, &NarrowOpening::width);
}

}  // namespace fdtd
