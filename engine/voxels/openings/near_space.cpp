#include "engine/voxels/openings/near_space.hpp"

#include <algorithm>
#include <cmath>

#include "engine/voxels/space/crossings.hpp"
#include "engine/voxels/space/space_parts.hpp"

namespace fdtd {
namespace {

using Place = std::array<double, 3>;
using Voxel = std::array<int, 3>;

}  // namespace

NearSpace::NearSpace(const Mesh& mesh, const SpaceRegions& regions, const NarrowOpening& opening, const SpaceBox& box,
                     const std::array<double, 3>& spacing)
    : opening_(&opening) {
  for (std::size_t d = 0; d < 3; ++d) {
    grid_.size[d] = std::max(1, static_cast<int>(std::lround((box.high[d] - box.low[d]) / spacing[d])));
    grid_.spacing[d] = (box.high[d] - box.low[d]) / grid_.size[d];
    grid_.corner[d] = box.low[d];
  }
  const OpenLinks open =
      open_links(grid_.size, find_crossings(mesh, grid_.size, grid_.spacing, grid_.corner), {0, grid_.size[2]});
  const auto count = static_cast<std::size_t>(grid_.size[0]) * static_cast<std::size_t>(grid_.size[1]) *
                     static_cast<std::size_t>(grid_.size[2]);
  side_.assign(count, neither);
  std::vector<Voxel> border = seeds(regions);
  // A surface may pass between a cell and the centre of the voxel around it, so only cells beside which all voxels are of
  // the same part are of it for sure. From there the parts share what no surface bars, the nearer one first.
  const auto grow = [&](int rounds, bool within) {
    std::vector<Voxel> all = border;
    for (int round = 0; round < rounds && !border.empty(); ++round) {
      std::vector<Voxel> found;
      for (const Voxel& v : border) {
        for (std::size_t side = 0; side < 6; ++side) {
          const std::size_t d = side / 2;
          Voxel next = v, link = v;
          next[d] += side % 2 == 0 ? -1 : 1;
          link[d] += side % 2 == 0 ? 0 : 1;
          if (next[d] < 0 || next[d] >= grid_.size[d] || side_[number(next)] != neither ||
              !open[d](link[0], link[1], link[2]))
            continue;
          const std::uint32_t part = regions.part_at(centre(next));
          if (part != opening.parts[0] && part != opening.parts[1] && (within || regions.has_openings(part))) continue;
          side_[number(next)] = side_[number(v)];
          found.push_back(next);
        }
      }
      all.insert(all.end(), found.begin(), found.end());
      border = std::move(found);
    }
    border = std::move(all);
  };
  grow(static_cast<int>(std::min<std::size_t>(count, 1U << 20U)), true);
  grow(static_cast<int>(std::ceil(2.0 * regions.finest() / *std::ranges::min_element(grid_.spacing))), false);
  each([&](const Voxel& v) {
    const std::size_t n = number(v);
    if (side_[n] == neither) return;
    for (std::size_t d = 0; d < 3; ++d) {
      Voxel next = v;
      ++next[d];
      if (next[d] >= grid_.size[d] || !open[d](next[0], next[1], next[2])) continue;
      const std::size_t m = number(next);
      if (side_[m] == neither) continue;
      if (side_[n] != side_[m]) between_.push_back(flow_.links.size());
      flow_.links.push_back({static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(m),
                             grid_.spacing[(d + 1) % 3] * grid_.spacing[(d + 2) % 3] / grid_.spacing[d]});
    }
  });
  give_potentials(box);
  conductance_ = flow();
}

// Cells about the centres of voxels that belong to a part, as all their neighbours do. A part without such voxels here has
// all of its own.
std::vector<std::array<int, 3>> NearSpace::seeds(const SpaceRegions& regions) {
  std::array<std::vector<Voxel>, 2> inner, all;
  each([&](const Voxel& v) {
    const Place p = centre(v), of_voxel = regions.centre_near(p);
    for (std::size_t d = 0; d < 3; ++d)
      if (std::abs(p[d] - of_voxel[d]) > 0.501 * grid_.spacing[d]) return;
    const std::uint32_t part = regions.part_at(p);
    for (std::size_t i = 0; i < 2; ++i) {
      if (part != opening_->parts[i]) continue;
      bool inside = true;
      for (std::size_t side = 0; side < 6 && inside; ++side) {
        Place beside = of_voxel;
        beside[side / 2] += side % 2 == 0 ? -regions.finest() : regions.finest();
        inside = regions.part_at(beside) == part;
      }
      all[i].push_back(v);
      if (inside) inner[i].push_back(v);
    }
  });
  std::vector<Voxel> found;
  for (std::uint8_t i = 0; i < 2; ++i) {
    for (const Voxel& v : inner[i].empty() ? all[i] : inner[i]) {
      side_[number(v)] = i;
      found.push_back(v);
    }
  }
  return found;
}

// 1 and 0 beyond a box, and at the border of the grid. A part that lies within the box altogether has it at its farthest cells.
void NearSpace::give_potentials(const SpaceBox& box) {
  flow_.potential.assign(side_.size(), 0.5);
  flow_.given.assign(side_.size(), 0);
  std::array<bool, 2> any{};
  std::array<double, 2> farthest{};
  const auto distance = [&](const Voxel& v) {
    const Place p = centre(v);
    double sum = 0.0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double away = std::max({opening_->low[d] - p[d], p[d] - opening_->high[d], 0.0});
      sum += away * away;
    }
    return std::sqrt(sum);
  };
  each([&](const Voxel& v) {
    const std::size_t n = number(v);
    if (side_[n] == neither) return;
    const Place p = centre(v);
    bool shell = false;
    for (std::size_t d = 0; d < 3; ++d)
      shell = shell || p[d] < std::max(box.low[d], grid_.corner[d] + grid_.spacing[d]) ||
              p[d] > std::min(box.high[d], grid_.corner[d] + (grid_.size[d] - 1.0) * grid_.spacing[d]);
    flow_.potential[n] = side_[n] == 0 ? 1.0 : 0.0;
    flow_.given[n] = shell ? 1 : 0;
    any[side_[n]] = any[side_[n]] || shell;
    farthest[side_[n]] = std::max(farthest[side_[n]], distance(v));
  });
  each([&](const Voxel& v) {
    const std::size_t n = number(v);
    if (side_[n] != neither && !any[side_[n]] && distance(v) > 0.8 * farthest[side_[n]]) flow_.given[n] = 1;
  });
}

double NearSpace::flow() {
  flow_.solve(1e-4, 800);
  return flow_.through(between_, side_);
}

double NearSpace::between_volume() const {
  double sum = 0.0;
  for (std::size_t n = 0; n < side_.size(); ++n)
    if (side_[n] != neither) sum += flow_.potential[n] * (1.0 - flow_.potential[n]);
  return sum * grid_.spacing[0] * grid_.spacing[1] * grid_.spacing[2];
}

double NearSpace::spread() const {
  std::array<double, 2> border{};
  double opening = 0.0;
  each([&](const Voxel& v) {
    const std::size_t n = number(v);
    if (side_[n] == neither) return;
    for (std::size_t d = 0; d < 3; ++d)
      if (v[d] == 0 || v[d] + 1 == grid_.size[d])
        border[side_[n]] += grid_.spacing[(d + 1) % 3] * grid_.spacing[(d + 2) % 3];
  });
  for (const std::size_t l : between_) opening += flow_.links[l].conductance * grid_.spacing[0];
  return opening > 0.0 ? std::min(border[0], border[1]) / opening : 0.0;
}

namespace {

constexpr double min_flow = 1e-3;  // of what it should be: less is what the solver leaves where cells miss the opening

}  // namespace

void NearSpace::fit(const SpaceBox& box, double conductance) {
  give_potentials(box);
  const double now = flow();
  if (!(now > min_flow * conductance)) return;
  std::vector<char> inside(side_.size(), 0);
  each([&](const Voxel& v) { inside[number(v)] = box.has(centre(v)) ? 1 : 0; });
  for (FlowNetwork::Link& one : flow_.links)
    if (inside[one.from] != 0 && inside[one.to] != 0) one.conductance *= conductance / now;
  SpaceBox whole;
  for (std::size_t d = 0; d < 3; ++d) {
    whole.low[d] = grid_.corner[d];
    whole.high[d] = grid_.corner[d] + grid_.size[d] * grid_.spacing[d];
  }
  give_potentials(whole);
  conductance_ = flow();
}

std::map<std::pair<std::array<int, 3>, std::size_t>, NearSpace::Face> NearSpace::faces(const MeshGrid& grid) const {
  std::map<std::pair<Voxel, std::size_t>, Face> found;
  const auto voxel_of = [&](std::uint32_t n) {
    const Place p = centre(voxel(n));
    Voxel v{};
    for (std::size_t d = 0; d < 3; ++d) v[d] = static_cast<int>(std::floor((p[d] - grid.corner[d]) / grid.spacing[d]));
    return v;
  };
  for (const FlowNetwork::Link& one : flow_.links) {
    const Voxel from = voxel_of(one.from), to = voxel_of(one.to);
    for (std::size_t d = 0; d < 3; ++d) {
      if (from[d] == to[d]) continue;
      Face& face = found[{from, d}];
      const std::size_t a = (d + 1) % 3, b = (d + 2) % 3;
      face.open += grid_.spacing[a] * grid_.spacing[b] / (grid.spacing[a] * grid.spacing[b]);
      face.flow += one.conductance * (flow_.potential[one.from] - flow_.potential[one.to]);
    }
  }
  return found;
}

NearSpace::Content NearSpace::within(const SpaceBox& box) const {
  Content content;
  Voxel begin{}, end{};
  for (std::size_t d = 0; d < 3; ++d) {
    begin[d] = std::max(0, static_cast<int>(std::ceil((box.low[d] - grid_.corner[d]) / grid_.spacing[d] - 0.5)));
    end[d] =
        std::min(grid_.size[d], static_cast<int>(std::ceil((box.high[d] - grid_.corner[d]) / grid_.spacing[d] - 0.5)));
  }
  for (int z = begin[2]; z < end[2]; ++z) {
    for (int y = begin[1]; y < end[1]; ++y) {
      for (int x = begin[0]; x < end[0]; ++x) {
        const std::size_t n = number({x, y, z});
        if (side_[n] == neither) continue;
        content.count[side_[n]] += 1.0;
        content.potential[side_[n]] += flow_.potential[n];
      }
    }
  }
  for (std::size_t i = 0; i < 2; ++i)
    if (content.count[i] > 0.0) content.potential[i] /= content.count[i];
  return content;
}

double NearSpace::fraction(const SpaceBox& box) const {
  const Content content = within(box);
  return (content.count[0] + content.count[1]) * grid_.spacing[0] * grid_.spacing[1] * grid_.spacing[2] / box.volume();
}

}  // namespace fdtd
