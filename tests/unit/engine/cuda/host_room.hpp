// The GPU's tables worked on the host by the very lines that a GPU thread runs, one after the other, around an open
// box, or one with its mirror image around it, stepped plainly.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "engine/cuda/energy/energy_tables.hpp"
#include "engine/cuda/transducers/sources.hpp"
#include "engine/cuda/walls/boundary_update.hpp"
#include "engine/cuda/walls/box_faces.hpp"
#include "engine/cuda/walls/coupled_update.hpp"
#include "engine/cuda/walls/loss_sums.hpp"
#include "engine/cuda/walls/near_wall.hpp"
#include "engine/plan/image_walls.hpp"
#include "engine/plan/plan.hpp"

namespace fdtd::test {

template <class T>
class HostRoom {
 public:
  explicit HostRoom(const Plan& plan, std::uint32_t min_face_nodes = cuda::face_nodes)
      : HostRoom(plan, whole(plan), min_face_nodes) {}
  // With mirrored walls faces of 64 nodes are faces already, and are updated on their own where they have `min_taken`
  // in all.
  HostRoom(const Plan& plan, const ImageWalls& mirror, std::uint64_t min_taken = 0)
      : HostRoom(plan, whole(plan), mirror.sides ? 64 : cuda::face_nodes, mirror, min_taken) {}
  // A slab with its own plan; halos are the caller's (planes_at).
  HostRoom(const Plan& plan, const Slab& slab, std::uint32_t min_face_nodes = cuda::face_nodes,
           const ImageWalls& mirror = {}, std::uint64_t min_taken = 0)
      : plan_(plan),
        mirror_(mirror),
        layout_(plan.grid.size, plan.stencil.radius, sizeof(T)),
        layers_(slab, plan.grid.size),
        driven_(cuda::pack_drive(plan, layout_, layers_)),
        energy_(cuda::pack_energy<T>(plan.near_wall, layout_, layers_)) {
    near = cuda::pack_near<T>(mirror.sides ? NearWall{} : plan.near_wall, plan.air, plan.stencil, layout_,
                              {slab.below, slab.above});
    sites = cuda::pack_boundary<T>(plan.boundary, layout_, min_face_nodes);
    faces = cuda::take_faces(sites, min_taken);
    coupled_ = cuda::pack_coupled(plan.boundary, plan.grid.size, sites, layout_);
    loss_sums_ = cuda::loss_sums_of(plan.boundary, sites, layers_);
    injected.assign(layers_.count(), 0.0);
    dissipated = injected;
    for (auto& field : u) field.assign(static_cast<std::size_t>(layout_.length), T{});
    V.assign(sites.states, T{});
    G = V;
    for (auto& q : q_) q.assign(sites.node_offset.size(), T{});
    for (auto& lost : lost_) lost.assign(sites.node_offset.size(), T{});
    for (const Term& term : plan.stencil.terms) {
      const auto [a, b, c] = term.offset;
      for (int z = -c; z <= c; z += c > 0 ? 2 * c : 1)
        for (int y = -b; y <= b; y += b > 0 ? 2 * b : 1)
          for (int x = -a; x <= a; x += a > 0 ? 2 * a : 1)
            points_.push_back({{x, y, z}, x + y * layout_.row + z * layout_.plane, term.weight});
    }
  }

  // now, before: by node; V, G by Boundary::branch_begin.
  void start(const std::vector<double>& now, const std::vector<double>& before, const std::vector<double>& velocity,
             const std::vector<double>& displacement) {
    for (std::size_t i = 0; i < now.size(); ++i) {
      u[0][at(i)] = static_cast<T>(now[i]);
      u[1][at(i)] = static_cast<T>(before[i]);
    }
    const std::vector<T> v(velocity.begin(), velocity.end()), g(displacement.begin(), displacement.end());
    sites.scatter(plan_.boundary, v.data(), V.data());
    sites.scatter(plan_.boundary, g.data(), G.data());
    each_thread(view().blocks, [&](std::uint32_t block, std::uint32_t thread) {
      cuda::gather_taps_at(view(), block, thread, 0, u[1].data());
      cuda::gather_taps_at(view(), block, thread, 1, u[0].data());
    });
    step_ = 0;
  }

  // force: by source.
  void step(const std::vector<double>& force) {
    const auto parity = static_cast<std::size_t>(step_ & 1);
    const T* const u1 = u[parity].data();
    T* const u0 = u[1 - parity].data();
    std::vector<T> held;
    const auto sum = [&](std::size_t i, double cuda::DrivenPair::*factor) {
      double all = 0.0;
      for (std::uint32_t p = driven_.begin[i]; p < driven_.begin[i + 1]; ++p)
        all += driven_.pairs[p].*factor * force[driven_.pairs[p].source];
      return all;
    };
    for (std::size_t i = 0; i < driven_.offset.size(); ++i) {
      T& value = u0[driven_.offset[i]];
      held.push_back(value);
      value = static_cast<T>(static_cast<double>(value) - sum(i, &cuda::DrivenPair::gain));
    }
    for (std::int64_t node = 0; node < near.view().nodes; ++node)
      near.view().correct(near.view().node_of(node), u1, u0);
    leap(u1, u0);
    for (std::int64_t word = 0; word < near.view().solid_words; ++word)
      for (std::uint32_t lane = 0; lane < cuda::row_lanes; ++lane) near.view().clear_solid(word, lane, u0);
    std::vector<T>& lost = lost_[parity];
    each_thread(view().general_blocks, [&](std::uint32_t block, std::uint32_t thread) {
      const cuda::BoundaryGroup<T>& g = sites.groups[sites.group_of_block[block]];
      const std::uint32_t i = (block - g.first_block) * cuda::boundary_threads + thread;
      if (i < g.count) lost[g.node + i] = static_cast<T>(update_node(g, i, static_cast<int>(parity), u0));
    });
    each_thread(view().long_blocks, [&](std::uint32_t number, std::uint32_t thread) {
      const std::uint32_t block = view().general_blocks + number;
      const cuda::BoundaryGroup<T>& g = sites.groups[sites.group_of_block[block]];
      const std::uint32_t i = (block - g.first_block) * cuda::boundary_threads + thread;
      if (i < g.count)
        lost[g.node + i] = static_cast<T>(cuda::update_long_node(view(), g, i, static_cast<int>(parity), u0));
    });
    update_coupled(0, coupled_.edges, cuda::edge_threads, static_cast<int>(parity), u0);
    update_coupled(coupled_.edges, coupled_.corners, cuda::corner_threads, static_cast<int>(parity), u0);
    const cuda::FacesView<T> own = cuda::view_of(faces, view());
    const auto update = [&]<int taps>() {
      each_thread(own.blocks, [&](std::uint32_t block, std::uint32_t thread) {
        cuda::update_box_face<T, taps, cuda::max_face_branches>(own, block, thread, static_cast<int>(parity), u0,
                                                                [] {});
      });
    };
    if (own.taps == 2) update.template operator()<2>();
    if (own.taps == 3) update.template operator()<3>();
    if (own.taps == 4) update.template operator()<4>();
    if (own.taps > 4) update.template operator()<cuda::max_taps>();
    add_parts(loss_sums_.parts, dissipated,
              [&](std::size_t i) { return static_cast<double>(lost[loss_sums_.place[i]]); });
    add_parts(driven_.layers, injected, [&](std::size_t i) {
      const double moved = static_cast<double>(u0[driven_.offset[i]]) - static_cast<double>(held[i]);
      return sum(i, &cuda::DrivenPair::weight) * moved / 2.0;
    });
    ++step_;
  }

  // By layer of the slab's own.
  std::vector<double> stored() const {
    const auto parity = static_cast<std::size_t>(step_ & 1);
    const T* const after = u[parity].data();
    const T* const before = u[1 - parity].data();
    const auto energy_at = [&](std::int64_t i, double corrections) {
      double S_u = plan_.stencil.centre * static_cast<double>(before[i]) + corrections;
      for (const Point& point : points_) S_u += point.weight * static_cast<double>(before[i + point.offset]);
      const double d = static_cast<double>(after[i]) - static_cast<double>(before[i]);
      return 0.5 * (d * d + static_cast<double>(after[i]) * (2.0 * static_cast<double>(before[i]) - S_u));
    };
    std::vector<double> sums(layers_.count(), 0.0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(layout_.nodes()); ++i) {
      const std::uint32_t layer = layers_.of_node(i);
      if (layer != cuda::no_layer) sums[layer] += energy_at(static_cast<std::int64_t>(at(i)), 0.0);
    }
    add_parts(energy_.segment_parts, sums, [&](std::size_t i) {
      double segment = 0.0;
      for (std::uint32_t lane = 0; lane < cuda::segment_lanes; ++lane)
        segment += energy_.view().energy(i, lane, after, before);
      return segment;
    });
    add_parts(loss_sums_.parts, sums, [&](std::size_t i) { return cuda::stored_energy(view(), loss_sums_.place[i]); });
    add_parts(energy_.mass_parts, sums, [&](std::size_t i) {
      const cuda::MassNode& node = near.mass_nodes[i];
      return node.excess * energy_at(node.offset, near.view().exact_correction(node.row, before, node.offset));
    });
    return sums;
  }

  std::vector<double> now() const {
    std::vector<double> values;
    for (std::size_t i = 0; i < static_cast<std::size_t>(layout_.nodes()); ++i)
      values.push_back(static_cast<double>(u[static_cast<std::size_t>(step_ & 1)][at(i)]));
    return values;
  }
  std::vector<double> branches(const std::vector<T>& grouped) const {
    std::vector<T> canonical(plan_.boundary.branch_begin.back());
    sites.gather(plan_.boundary, grouped.data(), canonical.data());
    return {canonical.begin(), canonical.end()};
  }
  // Threads that write the node at `offset` of the layout: of corrections and solid voxels, and of boundary nodes.
  std::vector<int> corrected() const {
    std::vector<int> count(static_cast<std::size_t>(layout_.length), 0);
    for (std::size_t node = 0; node < near.groups.size(); ++node)
      if (near.groups[node] != cuda::idle_lane)
        ++count[static_cast<std::size_t>(near.base[node / cuda::row_lanes] + near.offset[node])];
    for (std::size_t word = 0; word < near.solid_bits.size(); ++word)
      for (std::uint32_t lane = 0; lane < cuda::row_lanes; ++lane)
        if ((near.solid_bits[word] >> lane & 1U) != 0) ++count[static_cast<std::size_t>(near.solid_base[word]) + lane];
    return count;
  }
  std::vector<int> updated() const {
    std::vector<int> count(static_cast<std::size_t>(layout_.length), 0);
    for (const cuda::BoundaryGroup<T>& g : sites.groups)
      for (std::uint32_t i = 0; i < g.count; ++i)
        for (std::uint32_t j = 0; j < g.column; ++j)
          ++count[static_cast<std::size_t>(g.base + sites.node_offset[g.node + i] + j * g.step)];
    return count;
  }
  // u^n of `count` planes from z on, those of the halo among them, padding included.
  std::span<T> planes_at(int z, int count) {
    const std::int64_t values = (count - 1) * layout_.plane + (layout_.size[1] - 1) * layout_.row + layout_.size[0];
    return std::span(u[static_cast<std::size_t>(step_ & 1)])
        .subspan(static_cast<std::size_t>(layout_.offset(0, 0, z)), static_cast<std::size_t>(values));
  }
  const cuda::Layout& layout() const { return layout_; }
  std::size_t at(std::size_t node) const { return static_cast<std::size_t>(layout_.offset(std::uint64_t{node})); }

  cuda::NearTables<T> near;
  cuda::BoundaryTables<T> sites;
  std::vector<cuda::BoxFace<T>> faces;
  std::array<std::vector<T>, 2> u;
  std::vector<T> V, G;
  std::vector<double> injected, dissipated;  // by layer

 private:
  template <class Value>
  static void add_parts(const std::vector<cuda::LayerPart>& parts, std::vector<double>& layers, const Value& value) {
    for (const cuda::LayerPart& part : parts) {
      double sum = 0.0;
      for (std::size_t i = part.begin; i < part.end; ++i) sum += value(i);
      layers[part.layer] += sum;
    }
  }

  // As walls.cu's update_boundary_block has it.
  double update_node(const cuda::BoundaryGroup<T>& g, std::uint32_t i, int parity, T* u0) const {
    const cuda::BoundaryView<T> s = view();
    if (!cuda::has_few(g)) return cuda::update_boundary_node<T>(s, g, i, parity, u0, [] {});
    cuda::FewRules<T> rules;
    for (std::uint32_t k = 0; k < g.sites; ++k) rules.law[k] = s.laws[s.law_list[g.laws + k]];
    for (std::uint32_t b = 0; b < g.branches; ++b) rules.take_branch(s, b);
    return cuda::update_node_of_few_sites<T>(s, g, rules, cuda::own_of_few(s, g, i, parity), i, parity, u0);
  }

  // As walls.cu's solve_coupled has it, all blocks of a launch at the same pace: no group may depend on another.
  void update_coupled(std::uint32_t first, std::uint32_t groups, std::uint32_t block, int parity, T* u0) const {
    const cuda::CoupledView<T> all{
        coupled_.kinds.data(), coupled_.kind.data(),    coupled_.origin.data(), coupled_.place_begin.data(),
        coupled_.place.data(), coupled_.inverse.data(), coupled_.edges,         coupled_.corners};
    const cuda::BoundaryView<T> s = view();
    std::vector<cuda::CoupledShared<T>> shared(groups);
    std::vector<cuda::CoupledThread<T>> threads;
    for (std::uint32_t i = 0; i < groups * block; ++i) threads.emplace_back(all, s, first + i / block, i % block);
    const auto each = [&](const auto& phase) {
      for (std::size_t i = 0; i < threads.size(); ++i) phase(threads[i], shared[i / block]);
    };
    each([&](auto& thread, auto& of) { thread.begin(s, parity, u0, of); });
    each([&](auto& thread, auto& of) { thread.add_up(of); });
    each([&](auto& thread, auto& of) { thread.solve(of); });
    each([&](auto& thread, auto& of) { thread.finish(s, parity, of); });
    each([&](auto& thread, auto& of) { thread.apply(of, u0); });
    each([&](auto& thread, auto&) { thread.keep(s, parity, u0); });
  }

  cuda::BoundaryView<T> view() const {
    auto* const self = const_cast<HostRoom*>(this);
    return {sites.groups.data(),
            sites.group_of_block.data(),
            static_cast<std::uint32_t>(sites.group_of_block.size()),
            sites.general_blocks,
            sites.node_offset.data(),
            sites.node_row.data(),
            sites.row_value.data(),
            sites.law_list.data(),
            sites.laws.data(),
            sites.branches.data(),
            {self->V.data(), self->G.data()},
            {self->q_[0].data(), self->q_[1].data()},
            {self->lost_[0].data(), self->lost_[1].data()},
            sites.long_blocks};
  }
  template <class Function>
  static void each_thread(std::uint32_t blocks, const Function& function) {
    for (std::uint32_t block = 0; block < blocks; ++block)
      for (std::uint32_t thread = 0; thread < cuda::boundary_threads; ++thread) function(block, thread);
  }
  struct Point {
    std::array<int, 3> step;
    std::int64_t offset;
    double weight;
  };
  // Where the point of node i, which lies `here`, is read.
  std::int64_t place_of(std::size_t i, std::int64_t here, const Point& point) const {
    if (!mirror_.sides) return here + point.offset;
    const auto& size = layout_.size;
    const auto nx = static_cast<std::size_t>(size[0]), ny = static_cast<std::size_t>(size[1]);
    const int z = static_cast<int>(i / nx / ny) + point.step[2];
    const bool is_image = (z < 0 && mirror_.below) || (z >= size[2] && mirror_.above);  // else a neighbour's, or none
    return layout_.offset(std::int64_t{fold(static_cast<int>(i % nx) + point.step[0], size[0])},
                          fold(static_cast<int>(i / nx % ny) + point.step[1], size[1]),
                          is_image ? fold(z, size[2]) : z);
  }
  // u0 <- S u1 - u0 in the open box, or with images around it.
  void leap(const T* u1, T* u0) const {
    for (std::size_t i = 0; i < static_cast<std::size_t>(layout_.nodes()); ++i) {
      const auto here = static_cast<std::int64_t>(at(i));
      double sum = plan_.stencil.centre * static_cast<double>(u1[here]) - static_cast<double>(u0[here]);
      for (const Point& point : points_) sum += point.weight * static_cast<double>(u1[place_of(i, here, point)]);
      u0[here] = static_cast<T>(sum);
    }
  }

  const Plan& plan_;
  ImageWalls mirror_;
  cuda::Layout layout_;
  cuda::OwnLayers layers_;
  cuda::DriveTables driven_;
  cuda::EnergyTables<T> energy_;
  cuda::LossSums loss_sums_;
  cuda::CoupledArrays<T> coupled_;
  std::vector<Point> points_;
  std::array<std::vector<T>, 2> q_, lost_;
  std::int64_t step_ = 0;
};

}  // namespace fdtd::test
