#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "engine/cuda/walls/boundary_groups.hpp"
#include "engine/cuda/walls/box_faces.hpp"

namespace fdtd::cuda {
namespace {

constexpr std::uint32_t no_block = std::numeric_limits<std::uint32_t>::max();

// Groups in this order, their nodes with them; V, G and rows stay where they are.
template <class T>
void reorder(BoundaryTables<T>& sites, const std::vector<std::uint32_t>& order) {
  BoundaryTables<T> to;
  const auto append = [](auto& values, const auto& from, std::uint64_t begin, std::uint64_t count) {
    const auto first = from.begin() + static_cast<std::ptrdiff_t>(begin);
    values.insert(values.end(), first, first + static_cast<std::ptrdiff_t>(count));
  };
  for (const std::uint32_t which : order) {
    BoundaryGroup<T> g = sites.groups[which];
    append(to.node_offset, sites.node_offset, g.node, g.stride);
    append(to.node_row, sites.node_row, g.node, g.stride);
    append(to.member, sites.member, g.node, g.stride);
    g.first_block = static_cast<std::uint32_t>(to.group_of_block.size());
    g.node = std::uint64_t{g.first_block} * boundary_threads;
    to.group_of_block.insert(to.group_of_block.end(), g.stride / boundary_threads,
                             static_cast<std::uint32_t>(to.groups.size()));
    to.groups.push_back(g);
  }
  sites.groups.swap(to.groups);
  sites.group_of_block.swap(to.group_of_block);
  sites.node_offset.swap(to.node_offset);
  sites.node_row.swap(to.node_row);
  sites.member.swap(to.member);
}

template <class T>
BoxFace<T> face_of(const BoundaryGroup<T>& g, const Rectangle& place) {
  BoxFace<T> face{};
  face.count = g.count;
  face.node = static_cast<std::uint32_t>(g.node);
  face.state = static_cast<std::uint32_t>(g.state);
  face.stride = g.stride;
  face.branches = g.branches;
  face.taps = g.tap_count;
  face.place = place;
  face.base = g.base + std::min<std::int64_t>((g.tap_count - 1) * g.step, 0);
  face.first = static_cast<std::uint32_t>(g.base - face.base);
  face.step = static_cast<std::uint32_t>(g.step);
  std::copy(std::begin(g.tap), std::end(g.tap), face.tap);
  face.inverse_square = g.inverse_square;
  std::copy(std::begin(g.face.value), std::end(g.face.value), face.value);
  face.law = g.face.law;
  std::copy(std::begin(g.face.branch), std::end(g.face.branch), face.branch);
  return face;
}

// About the golden section of so many, without a divisor in common: steps of it come everywhere, and nowhere soon
// again.
std::uint32_t stride_through(std::uint32_t runs) {
  constexpr std::uint32_t most = 65535;  // products fit into 32 bits
  if (runs < 3 || runs > most) return 1;
  auto stride = static_cast<std::uint32_t>(0.382 * runs);
  while (stride > 1 && std::gcd(stride, runs) != 1) --stride;
  return std::max(stride, 1U);
}

struct Found {
  std::uint32_t group;
  Rectangle place;
};

// Is it a face for the launch, wherever its nodes lie?
template <class T>
bool fits(const BoundaryGroup<T>& g) {
  return g.is_face && g.tap_count >= min_face_taps && g.tap_count <= max_face_taps;
}

// The largest faces, as many as a launch takes, with as many taps as the largest has.
template <class T>
std::vector<Found> largest(const BoundaryTables<T>& sites) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();  // a thread counts in 32 bits
  if (sites.states > most || sites.node_offset.size() > most) return {};
  std::vector<Found> found;
  for (std::uint32_t which = 0; which < sites.groups.size(); ++which) {
    const BoundaryGroup<T>& g = sites.groups[which];
    if (!fits(g)) continue;
    const auto offsets = std::span(sites.node_offset).subspan(g.node, g.count);
    const auto depth = static_cast<std::uint64_t>((g.tap_count - 1) * std::abs(g.step));
    const auto place = rectangle_of(offsets);
    if (place && offsets.back() + depth <= most) found.push_back({which, *place});
  }
  if (found.empty()) return found;
  const auto group_of = [&](const Found& face) -> const BoundaryGroup<T>& { return sites.groups[face.group]; };
  std::ranges::stable_sort(found, std::ranges::greater{}, [&](const Found& face) { return group_of(face).count; });
  const std::uint32_t taps = group_of(found[0]).tap_count;
  std::erase_if(found, [&](const Found& face) { return group_of(face).tap_count != taps; });
  found.resize(std::min<std::size_t>(found.size(), max_faces), found[0]);
  return found;
}

}  // namespace

template <class T>
std::vector<BoxFace<T>> take_faces(BoundaryTables<T>& sites, std::uint64_t least) {
  const std::vector<Found> found = largest(sites);
  std::uint64_t nodes = 0;
  for (const Found& face : found) nodes += sites.groups[face.group].count;
  if (found.empty() || nodes < least) return {};
  std::vector<std::uint32_t> order(sites.groups.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto is_loose = [&](std::uint32_t which) {
    return std::ranges::find(found, which, &Found::group) == found.end();
  };
  const auto taken = std::stable_partition(order.begin(), order.end(), is_loose);
  std::transform(found.begin(), found.end(), taken, [](const Found& face) { return face.group; });
  const auto general = static_cast<std::size_t>(taken - order.begin());
  reorder(sites, order);
  const auto others = std::span(sites.groups).first(general);
  const auto first_long = std::ranges::find_if(others, [](const BoundaryGroup<T>& g) { return is_long(g); });
  sites.general_blocks = first_long == others.end() ? sites.groups[general].first_block : first_long->first_block;
  const auto first_coupled = std::ranges::find_if(others, &BoundaryGroup<T>::is_coupled);
  const auto end_long = first_coupled == others.end() ? sites.groups[general].first_block : first_coupled->first_block;
  sites.long_blocks = end_long - sites.general_blocks;
  std::vector<BoxFace<T>> faces;
  for (std::size_t f = 0; f < found.size(); ++f) {
    const BoundaryGroup<T>& g = sites.groups[general + f];
    faces.push_back(face_of(g, found[f].place));
  }
  return faces;
}

template <class T>
FacesView<T> view_of(const std::vector<BoxFace<T>>& faces, const BoundaryView<T>& sites) {
  FacesView<T> view{};
  for (BoxFace<T>& face : view.face) face.first_block = no_block;
  std::ranges::copy(faces, view.face);
  for (std::size_t f = 0; f < faces.size(); ++f) {
    BoxFace<T>& face = view.face[f];
    face.first_block = view.blocks;
    view.blocks += (face.count + boundary_threads - 1) / boundary_threads;
    view.branches = std::max(view.branches, face.branches);
    view.taps = face.taps;
  }
  view.runs = view.blocks / blocks_together;
  view.stride = stride_through(view.runs);
  view.state = sites.state;
  for (int parity = 0; parity < 2; ++parity) {
    view.q[parity] = sites.q[parity];
    view.lost[parity] = sites.lost[parity];
  }
  return view;
}

template std::vector<BoxFace<float>> take_faces(BoundaryTables<float>&, std::uint64_t);
template std::vector<BoxFace<double>> take_faces(BoundaryTables<double>&, std::uint64_t);
template FacesView<float> view_of(const std::vector<BoxFace<float>>&, const BoundaryView<float>&);
template FacesView<double> view_of(const std::vector<BoxFace<double>>&, const BoundaryView<double>&);

}  // namespace fdtd::cuda
