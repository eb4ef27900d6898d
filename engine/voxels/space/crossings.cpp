#include "engine/voxels/space/crossings.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>

#include "base/parallel_failure.hpp"
#include "scenes/mesh/mesh_weld.hpp"

namespace fdtd {
namespace {

__extension__ using Wide = __int128;
using LatticePoint = std::array<std::int64_t, 3>;

constexpr std::int64_t lattice_reach = std::int64_t{1} << 29;  // products of two differences stay below 2^62
constexpr std::int64_t coarsest_step = 1 << 6, finest_step = 1 << 20;
constexpr int rows_a_chunk = 8;

std::int64_t floor_div(std::int64_t a, std::int64_t b) {  // b > 0
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}
std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return -floor_div(-a, b); }

struct Lattice {
  std::int64_t steps = finest_step;  // a voxel; even: centres lie on the lattice
  std::vector<LatticePoint> points;  // the mesh's vertices
};

Lattice make_lattice(const Mesh& mesh, const std::array<int, 3>& size, const std::array<double, 3>& spacing,
                     const std::array<double, 3>& corner) {
  double reach = 0.0;  // voxels from the grid's corner
  for (std::size_t d = 0; d < 3; ++d) {
    reach = std::max({reach, size[d] + 2.0, std::abs(mesh.low[d] - corner[d]) / spacing[d] + 2.0,
                      std::abs(mesh.high[d] - corner[d]) / spacing[d] + 2.0});
  }
  Lattice lattice;
  while (lattice.steps > coarsest_step && reach * static_cast<double>(lattice.steps) > lattice_reach)
    lattice.steps /= 2;
  if (!(reach * static_cast<double>(lattice.steps) <= lattice_reach))
    throw std::invalid_argument("find_crossings: the mesh reaches too far beyond the grid");
  // Vertices that an exporter wrote apart are one, or lines of the grid would run through the seam.
  constexpr double largest_move = 0.01;  // of a voxel
  const double tolerance =
      std::min(weld_tolerance(mesh), largest_move * std::min({spacing[0], spacing[1], spacing[2]}));
  const std::vector<std::uint32_t> stands_for = weld(mesh, tolerance, weld_finely(mesh, tolerance));
  lattice.points.resize(mesh.vertices.size());
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      const double voxels = (mesh.vertices[stands_for[i]][d] - corner[d]) / spacing[d];
      lattice.points[i][d] = std::llround(voxels * static_cast<double>(lattice.steps));
    }
  }
  return lattice;
}

// A facet seen along an axis: corners (u, v) counter-clockwise, and their height w along the axis.
struct Facet {
  std::array<std::int64_t, 3> u{}, v{}, w{};
  std::int64_t area = 0;  // twice its projected area; 0: parallel to the lines, which hit its neighbours instead
  std::uint32_t triangle = 0;
};

Facet project(const Mesh& mesh, const Lattice& lattice, std::size_t triangle, std::size_t axis) {
  const std::size_t a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
  Facet facet;
  facet.triangle = static_cast<std::uint32_t>(triangle);
  for (std::size_t i = 0; i < 3; ++i) {
    const LatticePoint& p = lattice.points[mesh.triangles[triangle][i]];
    facet.u[i] = p[a];
    facet.v[i] = p[b];
    facet.w[i] = p[axis];
  }
  const auto& [u, v, w] = std::tie(facet.u, facet.v, facet.w);
  facet.area = (u[1] - u[0]) * (v[2] - v[0]) - (u[2] - u[0]) * (v[1] - v[0]);
  if (facet.area < 0) {
    std::swap(facet.u[1], facet.u[2]);
    std::swap(facet.v[1], facet.v[2]);
    std::swap(facet.w[1], facet.w[2]);
    facet.area = -facet.area;
  }
  return facet;
}

// The edge from corner i to the next as e(u) = base + slope u along one row v, >= 0 inside.
struct Edge {
  std::int64_t slope = 0, base = 0, slack = 0;
};

Edge edge_at(const Facet& f, std::size_t i, std::int64_t v) {
  const std::size_t j = (i + 1) % 3;
  const std::int64_t du = f.u[j] - f.u[i], dv = f.v[j] - f.v[i];
  Edge edge;
  edge.slope = -dv;
  edge.base = du * (v - f.v[i]) + dv * f.u[i];
  edge.slack = (std::abs(du) + std::abs(dv) + 1) / 2;  // half a lattice step
  return edge;
}

struct Hit {
  std::uint32_t u;
  Crossing crossing;
};

// The part of one thread: all facets in rows [first, last) of v.
class Chunk {
 public:
  // Of the links only those from `links.begin` to `links.end` are kept.
  Chunk(const std::array<int, 3>& size, std::size_t axis, std::int64_t steps, const PlaneRange& links)
      : nu_(size[axis == 0 ? 1 : 0]), nw_(size[axis]), steps_(steps), links_(links) {}

  void row(const Facet& f, int v) {
    const std::int64_t at_v = v * steps_ + steps_ / 2;
    std::array<Edge, 3> edges;
    // The voxels whose centres are inside all three edges.
    const auto [low, high] = std::minmax({f.u[0], f.u[1], f.u[2]});  // the tolerance must not lengthen a sliver
    std::int64_t from = std::max<std::int64_t>(0, centre_from(low - 1));
    std::int64_t to = std::min<std::int64_t>(nu_ - 1, centre_to(high + 1));
    for (std::size_t i = 0; i < 3; ++i) {
      edges[i] = edge_at(f, i, at_v);
      const auto& [slope, base, slack] = edges[i];
      if (slope == 0) {
        if (base + slack < 0) return;
      } else if (slope > 0) {  // u >= -(base + slack) / slope
        from = std::max(from, centre_from(ceil_div(-(base + slack), slope)));
      } else {
        to = std::min(to, centre_to(floor_div(base + slack, -slope)));
      }
    }
    for (std::int64_t u = from; u <= to; ++u) hit(f, edges, u);
  }

  std::vector<std::vector<Hit>> rows;

 private:
  std::int64_t nu_, nw_, steps_;
  PlaneRange links_;

  std::int64_t centre_from(std::int64_t u) const { return ceil_div(u - steps_ / 2, steps_); }
  std::int64_t centre_to(std::int64_t u) const { return floor_div(u - steps_ / 2, steps_); }

  void hit(const Facet& f, const std::array<Edge, 3>& edges, std::int64_t u) {
    const std::int64_t at_u = u * steps_ + steps_ / 2;
    std::array<std::int64_t, 3> e{};
    for (std::size_t i = 0; i < 3; ++i) e[i] = edges[i].base + edges[i].slope * at_u;
    // Height by barycentric coordinates: the edge from 0 to 1 weights corner 2, and so on; e[0] + e[1] + e[2] = area.
    const Wide above =
        static_cast<Wide>(e[1]) * f.w[0] + static_cast<Wide>(e[2]) * f.w[1] + static_cast<Wide>(e[0]) * f.w[2];
    const Wide lowest = std::min({f.w[0], f.w[1], f.w[2]}), highest = std::max({f.w[0], f.w[1], f.w[2]});
    const Wide height = std::clamp(above, lowest * f.area, highest * f.area);  // in 1/area lattice steps
    const Wide shifted = height + static_cast<Wide>(f.area) * (steps_ / 2);
    const Wide link_length = static_cast<Wide>(f.area) * steps_;
    Wide link = shifted / link_length;
    if (shifted % link_length < 0) --link;
    const Wide rest = shifted - link * link_length;
    if (link > nw_ + 1 || link < 0) return;
    const auto at = static_cast<float>(static_cast<double>(rest) / static_cast<double>(link_length));
    const auto number = static_cast<std::int32_t>(link);
    if (rest == 0 && link > 0) add(u, {number - 1, 1.0F, f.triangle});
    if (link <= nw_) add(u, {number, at, f.triangle});
  }

  void add(std::int64_t u, const Crossing& crossing) {
    if (crossing.link < links_.begin || crossing.link > links_.end) return;
    rows.back().push_back({static_cast<std::uint32_t>(u), crossing});
  }
};

void sort_hits(std::vector<Hit>& hits) {
  std::sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) {
    return std::tie(a.u, a.crossing.link, a.crossing.at, a.crossing.triangle) <
           std::tie(b.u, b.crossing.link, b.crossing.at, b.crossing.triangle);
  });
}

// Counts sorted hits of the links [links.begin, links.end) by material. Facets of one material that a line crosses at one point, on a shared edge, count
// once; so do the two hits of a point at a voxel centre.
void count_hits(const std::vector<Hit>& hits, const Mesh& mesh, const PlaneRange& links,
                std::vector<std::uint64_t>& counts) {
  constexpr float same_point = 1e-5F;
  std::vector<std::uint16_t> here;  // materials at the point
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const Crossing &one = hits[i].crossing, &before = hits[i > 0 ? i - 1 : 0].crossing;
    if (one.at == 1.0F || one.link < links.begin || one.link >= links.end) continue;
    if (i == 0 || hits[i - 1].u != hits[i].u || before.link != one.link || one.at - before.at > same_point)
      here.clear();
    const std::uint16_t material = mesh.material[one.triangle];
    if (std::find(here.begin(), here.end(), material) != here.end()) continue;
    here.push_back(material);
    ++counts[material];
  }
}

// For each triangle: does its normal (corners counter-clockwise) point up along the axis?
std::vector<char> normals_up(const Mesh& mesh, std::size_t axis) {
  std::vector<char> up(mesh.triangles.size());
  for (std::size_t t = 0; t < up.size(); ++t) up[t] = area_vector(mesh, t)[axis] > 0.0 ? 1 : 0;
  return up;
}

// Keeps the first and the last crossing of every link. Of coincident facets (a sheet whose two sides differ in
// material) the first is one whose normal points down and the last one whose normal points up.
void keep_outermost(std::vector<Hit>& hits, const Mesh& mesh, const std::vector<char>& up) {
  constexpr float back_to_back =
      1e-4F;  // of a link: coincident facets with different triangulations differ by rounding
  sort_hits(hits);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < hits.size();) {
    std::size_t end = i + 1;
    while (end < hits.size() && hits[end].u == hits[i].u && hits[end].crossing.link == hits[i].crossing.link) ++end;
    Hit first = hits[i], last = hits[end - 1];
    bool both = last.crossing.at > first.crossing.at;
    const auto material = [&](const Hit& hit) { return mesh.material[hit.crossing.triangle]; };
    const auto from = hits.begin() + static_cast<std::ptrdiff_t>(i),
               to = hits.begin() + static_cast<std::ptrdiff_t>(end);
    const bool differ = std::any_of(from, to, [&](const Hit& hit) { return material(hit) != material(first); });
    if (differ && last.crossing.at - first.crossing.at <= back_to_back) {
      const auto looks = [&](char wanted) {
        const auto at = std::find_if(from, to, [&](const Hit& hit) { return up[hit.crossing.triangle] == wanted; });
        return (at == to ? from : at)->crossing.triangle;
      };
      last.crossing.triangle = looks(1);
      first.crossing.triangle = looks(0);
      both = first.crossing.triangle != last.crossing.triangle;
    }
    hits[kept++] = first;
    if (both) hits[kept++] = last;
    i = end;
  }
  hits.resize(kept);
}

// The facets that lines along an axis may cross, and for each the rows of v in `rows` that it may be hit in.
struct Facets {
  std::vector<Facet> list;
  std::vector<std::array<int, 2>> span;  // [first, last]
};

Facets facets_in(const Mesh& mesh, const Lattice& lattice, std::size_t axis, const PlaneRange& rows,
                 const PlaneRange& links) {
  Facets facets;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Facet facet = project(mesh, lattice, t, axis);
    if (facet.area == 0) continue;
    const auto [lowest, highest] = std::minmax({facet.w[0], facet.w[1], facet.w[2]});
    if (highest < (links.begin - 2) * lattice.steps || lowest > (links.end + 2) * lattice.steps) continue;
    const auto [low, high] = std::minmax({facet.v[0], facet.v[1], facet.v[2]});
    const std::int64_t first = std::max<std::int64_t>(rows.begin, ceil_div(low - 1 - lattice.steps / 2, lattice.steps));
    const std::int64_t last =
        std::min<std::int64_t>(rows.end - 1, floor_div(high + 1 - lattice.steps / 2, lattice.steps));
    if (first > last) continue;
    facets.list.push_back(facet);
    facets.span.push_back({static_cast<int>(first), static_cast<int>(last)});
  }
  return facets;
}

// The hits of all chunks, each by row, line by line; empties `found`.
void gather(std::vector<std::vector<std::vector<Hit>>>& found, int nu, const PlaneRange& rows, AxisCrossings& result) {
  std::size_t total = 0;
  for (const auto& chunk : found) {
    for (const auto& row : chunk) total += row.size();
  }
  result.first_line = static_cast<std::uint64_t>(nu) * static_cast<std::uint64_t>(rows.begin);
  result.line_begin.reserve(static_cast<std::size_t>(nu) * static_cast<std::size_t>(rows.end - rows.begin) + 1);
  result.list.reserve(total);
  for (auto& chunk : found) {
    for (auto& row : chunk) {
      std::size_t next = 0;
      for (std::uint32_t u = 0; u < static_cast<std::uint32_t>(nu); ++u) {
        result.line_begin.push_back(result.list.size());
        for (; next < row.size() && row[next].u == u; ++next) result.list.push_back(row[next].crossing);
      }
    }
    std::vector<std::vector<Hit>>().swap(chunk);
  }
  result.line_begin.push_back(result.list.size());
}

AxisCrossings along(const Mesh& mesh, const Lattice& lattice, const std::array<int, 3>& size, std::size_t axis,
                    const PlaneRange& planes, const PlaneRange& own) {
  const int nu = size[axis == 0 ? 1 : 0];
  const PlaneRange rows = axis == 2 ? PlaneRange{0, size[1]} : planes;
  const PlaneRange links = axis == 2 ? planes : PlaneRange{0, size[axis]};
  const PlaneRange counted_rows = axis == 2 ? rows : own;
  const PlaneRange counted_links =
      axis == 2 ? PlaneRange{own.begin, own.end + (own.begin < own.end && own.end == size[2] ? 1 : 0)}
                : PlaneRange{0, size[axis] + 1};
  const int nv = rows.end - rows.begin;
  const std::vector<char> up = normals_up(mesh, axis);
  const Facets found_facets = facets_in(mesh, lattice, axis, rows, links);
  const std::vector<Facet>& facets = found_facets.list;
  const std::vector<std::array<int, 2>>& span = found_facets.span;

  const int chunks = (nv + rows_a_chunk - 1) / rows_a_chunk;
  std::vector<std::vector<std::uint32_t>> facets_of(static_cast<std::size_t>(chunks));
  for (std::uint32_t f = 0; f < facets.size(); ++f) {
    for (int c = (span[f][0] - rows.begin) / rows_a_chunk; c <= (span[f][1] - rows.begin) / rows_a_chunk; ++c)
      facets_of[static_cast<std::size_t>(c)].push_back(f);
  }
  // Hits of one row at which duplicates are removed, so that many coincident facets cannot fill the memory.
  const std::size_t most = 65'536 + 8 * static_cast<std::size_t>(nu) * (static_cast<std::size_t>(size[axis]) + 1);
  std::vector<std::vector<std::vector<Hit>>> found(static_cast<std::size_t>(chunks));
  AxisCrossings result;
  result.hits.assign(mesh.materials.size(), 0);
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic)
  for (int c = 0; c < chunks; ++c) {
    failure.guard([&] {
      Chunk chunk(size, axis, lattice.steps, links);
      std::vector<std::uint64_t> counts(mesh.materials.size(), 0);
      const int first = rows.begin + c * rows_a_chunk, end = std::min(rows.end, first + rows_a_chunk);
      for (int v = first; v < end; ++v) {
        chunk.rows.emplace_back();
        for (const std::uint32_t f : facets_of[static_cast<std::size_t>(c)]) {
          if (v < span[f][0] || v > span[f][1]) continue;
          chunk.row(facets[f], v);
          if (chunk.rows.back().size() > most) keep_outermost(chunk.rows.back(), mesh, up);
        }
        sort_hits(chunk.rows.back());
        if (v >= counted_rows.begin && v < counted_rows.end) count_hits(chunk.rows.back(), mesh, counted_links, counts);
        keep_outermost(chunk.rows.back(), mesh, up);
      }
#pragma omp critical(crossings_count)
      for (std::size_t m = 0; m < counts.size(); ++m) result.hits[m] += counts[m];
      found[static_cast<std::size_t>(c)] = std::move(chunk.rows);
    });
  }
  failure.rethrow();

  gather(found, nu, rows, result);
  return result;
}

}  // namespace

std::array<AxisCrossings, 3> find_crossings(const Mesh& mesh, const std::array<int, 3>& size,
                                            const std::array<double, 3>& spacing, const std::array<double, 3>& corner) {
  return find_crossings(mesh, size, spacing, corner, {0, size[2]}, {0, size[2]});
}

std::array<AxisCrossings, 3> find_crossings(const Mesh& mesh, const std::array<int, 3>& size,
                                            const std::array<double, 3>& spacing, const std::array<double, 3>& corner,
                                            const PlaneRange& planes, const PlaneRange& own) {
  const Lattice lattice = make_lattice(mesh, size, spacing, corner);
  return {along(mesh, lattice, size, 0, planes, own), along(mesh, lattice, size, 1, planes, own),
          along(mesh, lattice, size, 2, planes, own)};
}

}  // namespace fdtd
