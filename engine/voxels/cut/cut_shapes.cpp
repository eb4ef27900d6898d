#include "engine/voxels/cut/cut_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace fdtd {
namespace {

constexpr std::array<int, 3> stride = {1, 3, 9};

std::array<std::size_t, 2> others(std::size_t axis) { return {axis == 0 ? 1U : 0U, axis == 2 ? 1U : 2U}; }

// Disjoint sets of a few points; the lowest number names a set.
template <std::size_t count>
class Sets {
 public:
  Sets() {
    for (std::size_t i = 0; i < count; ++i) parent_[i] = static_cast<std::uint8_t>(i);
  }
  std::uint8_t root(std::size_t i) const {
    while (parent_[i] != i) i = parent_[i];
    return static_cast<std::uint8_t>(i);
  }
  void join(std::size_t a, std::size_t b) {
    const std::uint8_t i = root(a), j = root(b);
    parent_[std::max(i, j)] = std::min(i, j);
  }

 private:
  std::array<std::uint8_t, count> parent_{};
};

using Corner = std::array<double, 2>;

double area_of(const Corner* corners, std::size_t count) {
  double twice = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const Corner &p = corners[i], &q = corners[(i + 1) % count];
    twice += p[0] * q[1] - p[1] * q[0];
  }
  return std::max(0.0, 0.5 * twice);
}

}  // namespace

// By Cramer's rule.
std::array<double, 3> solve_symmetric(const std::array<std::array<double, 3>, 3>& m, const std::array<double, 3>& r) {
  const auto cross = [](const std::array<double, 3>& a, const std::array<double, 3>& b) {
    return std::array<double, 3>{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  const auto x = cross(m[1], m[2]), y = cross(m[2], m[0]), z = cross(m[0], m[1]);
  const double det = m[0][0] * x[0] + m[0][1] * x[1] + m[0][2] * x[2];
  std::array<double, 3> result{};
  if (!(det > 0.0)) return result;
  for (std::size_t d = 0; d < 3; ++d) result[d] = (r[0] * x[d] + r[1] * y[d] + r[2] * z[d]) / det;
  return result;
}

std::array<double, 3> CutPart::outward(const std::array<double, 3>& face_areas) const {
  std::array<double, 3> vector{};
  for (std::size_t d = 0; d < 3; ++d) vector[d] = (face[2 * d] - face[2 * d + 1]) * face_areas[d];
  return vector;
}

// The planes of a part's wall, in voxels: normal equations of the point nearest to all, and what Gauss's theorem needs.
struct CutShapes::WallPlanes {
  std::array<std::array<double, 3>, 3> normal{};
  std::array<double, 3> right{}, centre{}, vector{};
  double weight = 0.0, moment = 0.0;

  // `s`: area times normal; x: a point of the plane.
  void add(const std::array<double, 3>& s, const std::array<double, 3>& x) {
    const double size = std::hypot(s[0], s[1], s[2]), product = s[0] * x[0] + s[1] * x[1] + s[2] * x[2];
    if (!(size > 0.0)) return;
    for (std::size_t d = 0; d < 3; ++d) {
      for (std::size_t e = 0; e < 3; ++e) normal[d][e] += s[d] * s[e] / size;
      right[d] += s[d] * product / size;
      centre[d] += size * x[d];
      vector[d] += s[d];
    }
    weight += size;
    moment += product;
  }
  // Near the centre of the crossings where the planes leave a choice.
  std::array<double, 3> nearest() const {
    constexpr double pull = 1e-4;
    std::array<double, 3> middle{}, left = right;
    auto matrix = normal;
    for (std::size_t d = 0; d < 3; ++d) middle[d] = centre[d] / weight;
    for (std::size_t d = 0; d < 3; ++d) {
      for (std::size_t e = 0; e < 3; ++e) left[d] -= normal[d][e] * middle[e];
      matrix[d][d] += pull * weight;
    }
    const std::array<double, 3> step = solve_symmetric(matrix, left);
    for (std::size_t d = 0; d < 3; ++d) middle[d] = std::clamp(middle[d] + step[d], -0.5, 1.5);
    return middle;
  }
};

// One plane of nine points: in-plane axes a and b.
struct CutShapes::Plane {
  std::size_t axis, a, b;
  int at;
  const Links& links;
  std::size_t point(int i, int j) const {
    return static_cast<std::size_t>(i * stride[a] + j * stride[b] + at * stride[axis]);
  }
  // From point (i, j) to the next along a, or b.
  const Link& along_a(int i, int j) const { return link(a, i, j); }
  const Link& along_b(int i, int j) const { return link(b, j, i); }

 private:
  // `from` along the link's axis d, `side` along the other in-plane axis.
  const Link& link(std::size_t d, int from, int side) const {
    const auto [u, v] = others(d);
    const int first = u == axis ? at : side, second = v == axis ? at : side;
    return links[d][static_cast<std::size_t>(2 * (first + 3 * second) + from)];
  }
};

CutShapes::CutShapes(const Mesh& mesh, const CutLattice& lattice, const std::array<double, 3>& spacing,
                     const std::vector<std::array<float, 3>>& normals)
    : mesh_(mesh), lattice_(lattice), spacing_(spacing), normals_(normals) {}

CutShapes::Links CutShapes::gather(const std::array<int, 3>& cell) const {
  Links links;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto [u, v] = others(d);
    for (int line = 0; line < 9; ++line) {
      for (int k = 0; k < 2; ++k) {
        std::array<int, 3> point{};
        point[d] = 2 * cell[d] + k;
        point[u] = 2 * cell[u] + line % 3;
        point[v] = 2 * cell[v] + line / 3;
        const auto found = lattice_.between(point, d);
        if (found.empty()) continue;
        const Crossing &first = found.front(), &last = found.back();
        links[d][static_cast<std::size_t>(2 * line + k)] = {true, first.at, last.at, first.triangle, last.triangle};
      }
    }
  }
  return links;
}

// Calls visit(link, axis, below, above) for all links, with the points that each joins.
template <class Visit>
void CutShapes::each_link(const Links& links, const Visit& visit) {
  for (std::size_t d = 0; d < 3; ++d) {
    const auto [u, v] = others(d);
    const auto along = static_cast<std::size_t>(stride[d]);
    for (std::size_t line = 0; line < 9; ++line) {
      for (std::size_t k = 0; k < 2; ++k) {
        const std::size_t below =
            line % 3 * static_cast<std::size_t>(stride[u]) + line / 3 * static_cast<std::size_t>(stride[v]) + k * along;
        visit(links[d][2 * line + k], d, below, below + along);
      }
    }
  }
}

// Where the traces of two facets through p and q meet, if that is in the square and they differ by 6 degrees or more.
std::array<double, 2> CutShapes::corner_between(const Plane& plane, const std::array<double, 2>& p, std::uint32_t first,
                                                const std::array<double, 2>& q, std::uint32_t second,
                                                bool& meet) const {
  constexpr double min_turn = 0.1, rounding = 1e-6;
  meet = false;
  if (first == second) return {};
  const auto trace = [&](std::uint32_t facet) {
    return std::array<double, 2>{static_cast<double>(normals_[facet][plane.a]) * spacing_[plane.a],
                                 static_cast<double>(normals_[facet][plane.b]) * spacing_[plane.b]};
  };
  const auto n = trace(first), m = trace(second);
  const double det = n[0] * m[1] - n[1] * m[0];
  if (!(std::abs(det) > min_turn * std::hypot(n[0], n[1]) * std::hypot(m[0], m[1]))) return {};
  const double c = n[0] * p[0] + n[1] * p[1], e = m[0] * q[0] + m[1] * q[1];
  const std::array<double, 2> x = {(c * m[1] - e * n[1]) / det, (e * n[0] - c * m[0]) / det};
  meet = x[0] > -rounding && x[0] < 1.0 + rounding && x[1] > -rounding && x[1] < 1.0 + rounding;
  return {std::clamp(x[0], 0.0, 1.0), std::clamp(x[1], 0.0, 1.0)};
}

// The area between a closed edge of a square and the next closed one, in squares, past the points between them: of the
// part that has those points. `end`: that next edge.
double CutShapes::area_beside(const Plane& plane, const std::array<const Link*, 4>& edge, std::size_t begin,
                              std::size_t& end) const {
  constexpr std::array<Corner, 4> square = {{{0.0, 0.0}, {1.0, 0.0}, {1.0, 1.0}, {0.0, 1.0}}};
  const auto on_edge = [&](std::size_t e, bool near_end, std::uint32_t& facet) {
    const bool backwards = e >= 2;
    const bool upper = near_end != backwards;  // the part of the link's upper point ends here
    facet = upper ? edge[e]->last_facet : edge[e]->first_facet;
    const double along = upper ? edge[e]->last : edge[e]->first, t = backwards ? 1.0 - along : along;
    const Corner &p = square[e], &q = square[(e + 1) % 4];
    return Corner{p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])};
  };
  std::array<Corner, 7> corners{};
  std::size_t count = 0;
  std::uint32_t first = 0, second = 0;
  corners[count++] = on_edge(begin, true, first);
  for (end = (begin + 1) % 4; !edge[end]->closed; end = (end + 1) % 4) corners[count++] = square[end];
  corners[count++] = square[end];
  corners[count++] = on_edge(end, false, second);
  bool meet = false;
  const Corner between = corner_between(plane, corners[count - 1], second, corners[0], first, meet);
  if (meet) corners[count++] = between;
  return area_of(corners.data(), count);
}

void CutShapes::add_face(const Links& links, std::size_t axis, int at, CutShape& shape) const {
  const auto [a, b] = others(axis);
  const Plane plane{axis, a, b, at, links};
  std::array<double, 9> area{};  // by the lowest point i + 3 j of a piece
  Sets<9> piece;
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 2; ++i) {
      if (!plane.along_a(i, j).closed)
        piece.join(static_cast<std::size_t>(i + 3 * j), static_cast<std::size_t>(i + 1 + 3 * j));
      if (!plane.along_b(j, i).closed)
        piece.join(static_cast<std::size_t>(j + 3 * i), static_cast<std::size_t>(j + 3 * i + 3));
    }
  }
  for (int s = 0; s < 4; ++s) {
    const int i = s % 2, j = s / 2;
    const std::array<std::size_t, 4> point = {
        static_cast<std::size_t>(i + 3 * j), static_cast<std::size_t>(i + 1 + 3 * j),
        static_cast<std::size_t>(i + 1 + 3 * j + 3), static_cast<std::size_t>(i + 3 * j + 3)};
    // Edge e leads from corner e to the next; the last two run against their axes.
    const std::array<const Link*, 4> edge = {&plane.along_a(i, j), &plane.along_b(i + 1, j), &plane.along_a(i, j + 1),
                                             &plane.along_b(i, j)};
    const auto closed = std::count_if(edge.begin(), edge.end(), [](const Link* one) { return one->closed; });
    if (closed < 2) {
      area[piece.root(point[0])] += 0.25;
      continue;
    }
    for (std::size_t e = 0; e < 4; ++e) {
      if (!edge[e]->closed) continue;
      std::size_t end = 0;
      const double beside = area_beside(plane, edge, e, end);
      area[piece.root(point[end])] += 0.25 * beside;
    }
  }
  for (std::size_t p = 0; p < 9; ++p) {
    if (piece.root(p) != p) continue;
    const std::size_t at_point = plane.point(static_cast<int>(p) % 3, static_cast<int>(p) / 3);
    const std::uint8_t part = shape.part[at_point];
    const auto side = static_cast<std::uint8_t>(2 * axis + (at == 2 ? 1U : 0U));
    shape.parts[part].face[side] += area[p];
    shape.pieces.push_back({side, part, static_cast<std::uint8_t>(at_point), static_cast<float>(area[p])});
  }
}

void CutShapes::find_ending(const Links& links, CutShape& shape) const {
  auto &ending = shape.ending.facets, &dividing = shape.ending.dividing;
  shape.around = no_part;
  each_link(links, [&](const Link& link, std::size_t, std::size_t below, std::size_t above) {
    if (!link.closed) return;
    const std::uint8_t part = shape.part[below];
    const bool around = part == shape.part[above];
    if (around && shape.around == no_part) shape.around = part;
    auto& to = around ? ending : dividing;
    to.insert(to.end(), {link.first_facet, link.last_facet});
  });
  shape.ending.all = shape.parts.size() == 1;
  for (auto* list : {&ending, &dividing}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  std::erase_if(ending,
                [&](std::uint32_t facet) { return std::binary_search(dividing.begin(), dividing.end(), facet); });
}

// A facet's area on a line through a voxel: lines stand for a quarter, an eighth or a sixteenth of its section, and
// cross |n_d| of a wall's area each: n_d^2 sums to 1 over the axes.
void CutShapes::add_wall(std::size_t point, std::uint32_t facet, std::size_t axis, double sign, double along,
                         bool by_facet, std::array<WallPlanes, 27>& planes, CutShape& shape) const {
  constexpr std::array<double, 3> width = {0.25, 0.5, 0.25};
  const auto place = [&](std::size_t d) { return point / static_cast<std::size_t>(stride[d]) % 3; };
  const auto [u, v] = others(axis);
  const double section = width[place(u)] * width[place(v)] * spacing_[u] * spacing_[v];
  std::array<double, 3> out{};
  std::size_t most = 0;
  const double turn = sign * static_cast<double>(normals_[facet][axis]) >= 0.0 ? 1.0 : -1.0;
  for (std::size_t d = 0; d < 3; ++d) {
    out[d] = turn * static_cast<double>(normals_[facet][d]);
    if (std::abs(out[d]) > std::abs(out[most])) most = d;
  }
  const auto side = static_cast<std::uint8_t>(2 * most + (out[most] > 0.0 ? 1U : 0U));
  std::array<double, 3> vector{}, at{};
  const double area = section * std::abs(static_cast<double>(normals_[facet][axis]));
  for (std::size_t d = 0; d < 3; ++d) {
    vector[d] = area * out[d] / (spacing_[(d + 1) % 3] * spacing_[(d + 2) % 3]);
    at[d] = 0.5 * static_cast<double>(place(d));
  }
  at[axis] = along;
  planes[shape.part[point]].add(vector, at);
  if (shape.ending.has(facet)) return;
  const std::uint16_t material = mesh_.material[facet];
  auto& walls = shape.parts[shape.part[point]].walls;
  auto wall = std::find_if(walls.begin(), walls.end(), [&](const CutWall& one) {
    return one.side == side && (by_facet ? one.facet == facet : one.material == material);
  });
  if (wall == walls.end()) wall = walls.insert(walls.end(), {material, side, 0.0, {}, facet});
  wall->area += area;
  for (std::size_t d = 0; d < 3; ++d) wall->outward[d] += area * out[d];
}

void CutShapes::add_walls(const Links& links, bool by_facet, CutShape& shape) const {
  std::array<WallPlanes, 27> planes;
  each_link(links, [&](const Link& link, std::size_t d, std::size_t below, std::size_t above) {
    if (!link.closed) return;
    const double start = 0.5 * static_cast<double>(below / static_cast<std::size_t>(stride[d]) % 3);
    add_wall(below, link.first_facet, d, 1.0, start + 0.5 * static_cast<double>(link.first), by_facet, planes, shape);
    add_wall(above, link.last_facet, d, -1.0, start + 0.5 * static_cast<double>(link.last), by_facet, planes, shape);
  });
  for (std::size_t p = 0; p < shape.parts.size(); ++p) {
    const WallPlanes& wall = planes[p];
    CutPart& part = shape.parts[p];
    const std::array<double, 3> o = wall.weight > 0.0 ? wall.nearest() : std::array<double, 3>{0.5, 0.5, 0.5};
    double thrice = wall.moment;
    for (std::size_t d = 0; d < 3; ++d)
      thrice += part.face[2 * d] * o[d] + part.face[2 * d + 1] * (1.0 - o[d]) - o[d] * wall.vector[d];
    part.volume = std::clamp(thrice / 3.0, 0.0, 1.0);
  }
}

CutShape CutShapes::of(const std::array<int, 3>& cell, bool by_facet) const {
  const Links links = gather(cell);
  Sets<27> sets;
  each_link(links, [&](const Link& link, std::size_t, std::size_t below, std::size_t above) {
    if (!link.closed) sets.join(below, above);
  });
  CutShape shape;
  std::array<std::uint8_t, 27> number{};
  for (std::size_t p = 0; p < 27; ++p) {
    if (sets.root(p) == p) {
      number[p] = static_cast<std::uint8_t>(shape.parts.size());
      shape.parts.emplace_back();
    }
    shape.part[p] = number[sets.root(p)];
  }
  for (std::size_t d = 0; d < 3; ++d)
    for (const int at : {0, 2}) add_face(links, d, at, shape);
  find_ending(links, shape);
  add_walls(links, by_facet, shape);
  return shape;
}

}  // namespace fdtd
