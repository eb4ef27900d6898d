#include "engine/planning/make_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <utility>

#include "engine/directivity/balloon_remark.hpp"
#include "engine/planning/build/build_plan.hpp"
#include "engine/planning/build/plan_snapshots.hpp"
#include "engine/planning/judge/memory_of_ranks.hpp"
#include "engine/planning/outline/outline.hpp"
#include "engine/planning/outline/rank_part.hpp"
#include "engine/planning/outline/scaling.hpp"
#include "engine/transducers/exchange.hpp"
#include "engine/transducers/joint_parts.hpp"

namespace fdtd {
namespace {

void add_remarks(std::vector<Note>& notes, const Scene& scene, const RoomVoxels& room) {
  if (scene.output.low_cut == 0.0 && scene.simulation.precision == Precision::f32)
    notes.emplace_back(
        "low_cut = 0 in f32: the static pressure of a closed room drifts by rounding, a random walk, and the responses "
        "show it; precision = \"f64\" or a low_cut removes it");
  for (const std::string& remark : room.remarks) notes.emplace_back(remark, NoteWeight::room);
  for (const MovingReceiver& one : scene.moving)
    notes.emplace_back(
        fmt::format("receiver {} moves {:.4g} m at up to {:.4g} m/s: {} places, the field between them to -60 dB up to "
                    "{:.0f} Hz",
                    one.name, one.path.length(), one.path.fastest().speed, one.count,
                    one.wave_number * scene.air.speed() / (2.0 * std::numbers::pi)));
}

std::vector<std::int64_t> host_bytes_of_ranks(const PlanResult& planned, const Plan& outline, const Target& target) {
  std::vector<std::int64_t> bytes;
  for (const Slab& slab : split(outline, planned.counts, target.ranks))
    bytes.push_back(
        planned.mesh ? host_bytes_of_mesh(outline, planned.counts, slab, target.ranks, *planned.mesh, target.on_gpu())
                     : host_bytes(outline, planned.counts, slab, target.on_gpu()));
  return bytes;
}

void require_memory_of_ranks(PlanResult& planned, const Plan& outline, const Target& target) {
  planned.host = host_bytes_of_ranks(planned, outline, target);
  std::int64_t largest_slab = 0;
  if (target.on_gpu())
    largest_slab = std::ranges::max(slab_bytes(outline, planned.counts, split(outline, planned.counts, target.ranks)));
  require_together(target, [&] {
    require_parts(planned.memory, largest_slab, std::ranges::max(planned.host), target, planned.choice);
  });
}

// The plan without the walls, and the part of Target::rank.
void plan_outline(PlanResult& planned, const Scene& scene, const Target& target, std::vector<WallLaw> laws,
                  RoomVoxels room) {
  planned.outline = true;
  Outline outline = make_outline(scene, planned.choice, planned.bandwidth(), target, std::move(laws), std::move(room));
  planned.counts = outline.counts;
  planned.wall_taps = outline.wall_taps;
  planned.walls_on_grid = std::move(outline.walls);
  if (target.ranks > 1) require_memory_of_ranks(planned, *outline.plan, target);
  if (outline.part) planned.part = outline.part();
  planned.plan = std::move(*outline.plan);
  if (planned.exchanged) exchange_transducers(planned.plan);
}

}  // namespace

void estimate_host_memory(PlanResult& planned, const Target& target) {
  planned.host = host_bytes_of_ranks(planned, planned.plan, target);
}

bool falls_short(const Scene& scene, const PlanResult& planned) {
  return scene.simulation.max_frequency && planned.bandwidth() < planned.choice.max_frequency;
}

PlanResult make_plan(const Scene& scene, const Stencil& stencil, const Target& target, const PlanningStage& stage) {
  ChosenRoom chosen = choose_room(scene, stencil, target, stage);
  PlanResult planned;
  planned.exchanged = chosen.choice.passes.exchanged;
  planned.extent = extent_of(scene, chosen.choice, chosen.room);
  planned.mesh = std::move(chosen.room.mesh);
  planned.choice = std::move(chosen.choice);
  planned.memory = chosen.memory;
  planned.materials = std::move(chosen.materials);
  planned.walls = std::move(chosen.walls);
  planned.valid = std::move(chosen.valid);
  std::vector<Note>& notes = planned.choice.warnings;
  add_remarks(notes, scene, chosen.room);
  if (std::optional<Note> note = note_on_band(scene, planned.choice, planned.valid)) {
    notes.push_back(std::move(*note));
    planned.choice.steps = steps_for(scene, planned.choice, planned.bandwidth());
  }
  for (std::string& remark : balloon_remarks(scene.sources, planned.bandwidth())) notes.push_back(std::move(remark));
  if (stage) stage("walls, sources and receivers on the grid");
  if (is_outline(target)) {
    plan_outline(planned, scene, target, std::move(chosen.laws), std::move(chosen.room));
  } else {
    planned.plan =
        build_plan(scene, planned.choice, planned.bandwidth(), std::move(chosen.laws), std::move(chosen.room));
    planned.wall_taps = tap_fractions(planned.plan.boundary);
  }
  if (!planned.exchanged)
    planned.plan.joint = join_parts(scene.sources, planned.plan, planned.choice.passes.joint, planned.bandwidth());
  for (const JointPass& one : planned.plan.joint)
    planned.plan.steps = std::max(planned.plan.steps, planned.choice.steps + one.lead);
  planned.choice.steps = planned.plan.steps;
  for (std::string& remark : snapshot_remarks(scene, planned.plan)) notes.push_back(std::move(remark));
  return planned;
}

}  // namespace fdtd
