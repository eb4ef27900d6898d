#include "engine/reports/plan_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/problem.hpp"
#include "engine/above/ray_deviation.hpp"
#include "engine/estimate/mode_count.hpp"
#include "engine/planning/choose/transducer_limit.hpp"
#include "engine/planning/outline/scaling.hpp"
#include "engine/profiling/predict_above.hpp"
#include "engine/reports/gradient_fields.hpp"
#include "engine/reports/materials_report.hpp"
#include "engine/reports/openings_report.hpp"
#include "engine/reports/pair_warnings.hpp"
#include "engine/responses/air_absorption.hpp"
#include "engine/run/snapshots.hpp"
#include "engine/system/machine.hpp"
#include "engine/system/threads.hpp"
#include "engine/transducers/channels.hpp"
#include "scenes/input_remarks.hpp"

namespace fdtd {
namespace {

std::string duration_text(double seconds) {
  if (seconds < 1e-2) return fmt::format("{:.2g} ms", 1e3 * seconds);
  if (seconds < 120.0) return fmt::format("{:.3g} s", seconds);
  if (seconds < 7200.0) return fmt::format("{:.3g} min", seconds / 60.0);
  return fmt::format("{:.3g} h", seconds / 3600.0);
}

std::string spacing_text(const Grid& grid) {
  const auto& h = grid.spacing;
  if (h[0] == h[1] && h[1] == h[2]) return fmt::format("{:.4f} m", h[0]);
  return fmt::format("{:.4f} x {:.4f} x {:.4f} m", h[0], h[1], h[2]);
}

}  // namespace

double snapshot_place(const PlanResult& planned, const SnapshotPlan& snapshot) {
  const auto d = static_cast<std::size_t>(snapshot.axis);
  return (snapshot.index + 0.5) * planned.choice.grid.spacing[d] - planned.choice.offset[d];
}

std::int64_t mesh_bytes(const Scene& scene) {
  // Measured: of relief of 1e5 to 1e6 triangles 300 to 420, and to plan a mesh of twelve 30 to 34 MB.
  constexpr double a_triangle = 450.0, of_planning = 36e6;
  return scene.room.mesh ? static_cast<std::int64_t>(
                               of_planning + a_triangle * static_cast<double>(scene.room.mesh->triangles.size()))
                         : 0;
}

std::int64_t recording_bytes(const PlanReport& report) {
  constexpr double of_player = 360.0;  // a sample; measured, of responses of 1 to 150 s: 260 to 340
  const double samples = report.scene->simulation.duration * report.scene->output.sample_rate;
  return report.planned->memory.recording + static_cast<std::int64_t>(of_player * samples);
}

std::int64_t memory_of(const PlanReport& report) {
  const MemoryEstimate& run = report.planned->memory;
  return program_bytes + mesh_bytes(*report.scene) + run.total() - run.recording + recording_bytes(report) +
         report.above_bytes;
}

double cost_over(const GridChoice& choice, const SpacingNeed& need) {
  return std::pow(choice.grid.mean_spacing() / need.spacing, 4);
}

namespace {

WavePart waves_of(const PlanResult& planned, double duration) {
  const Grid& grid = planned.choice.grid;
  WavePart wave = {planned.bandwidth(), planned.choice.dispersion_error, duration, planned.extent.volume,
                   grid.sound_speed};
  wave.updates = static_cast<double>(planned.plan.grid.nodes()) * static_cast<double>(planned.plan.steps) *
                 static_cast<double>(planned.passes());
  wave.flat = std::ranges::min(grid.size) == 1;
  return wave;
}

// Memory and time of the part above the waves' band; scattering, and direct sound that walls block. Throws Error where
// memory is short.
void judge_above(const Scene& scene, PlanReport& report) {
  AbovePlan& above = *report.above;
  const AboveSize size = above_size(scene);
  report.above_bytes = above_bytes(size, above, hardware_threads());
  report.above_bytes_of_one = above_bytes(size, above, 1);
  require_above_memory(report.above_bytes, report.planned->memory.recording, available_memory(), size, above);
  {
    const GeometricRoom room(scene, above);
    report.blocked = blocked_pairs(scene, room.facets);
    report.scattering = wall_scattering(scene, above, room);
    above.deviation = ray_deviation(room, above, sources_above(scene).front());
  }
  if (!(report.predicted.steps > 0.0)) return;
  const AboveTime time = predict_above(scene, above);
  report.predicted.above = time.seconds;
  report.predicted.above_at_most = time.at_most;
}

}  // namespace

PlanReport make_report(const Scene& scene, const PlanResult& planned, const Target& target,
                       const PredictedTime& predicted, const std::vector<std::string>& remarks) {
  PlanReport report;
  report.harmonics = harmonic_limits(planned.plan, planned.bandwidth());
  report.scene = &scene;
  report.planned = &planned;
  report.device = target.text();
  report.predicted = predicted;
  const WavePart wave = waves_of(planned, scene.simulation.duration);
  std::string omitted;
  report.above = plan_above(scene, wave, &omitted);
  const double end = report.above ? report.above->upper : planned.choice.max_frequency;
  report.decay = expected_decay(scene, planned.extent, end);
  if (report.above) judge_above(scene, report);
  std::vector<Note> notes = planned.choice.warnings;
  for (std::string& remark : input_remarks(scene)) notes.emplace_back(std::move(remark), NoteWeight::room);
  if (!omitted.empty()) notes.emplace_back(std::move(omitted));
  const double bandwidth = planned.bandwidth();
  for (const std::string& warning :
       {direct_warning(planned.plan, bandwidth, scene.output.sample_rate),
        near_field_warning(planned.plan, planned.exchanged), flight_warning(planned.plan, scene.simulation.duration),
        harmonic_remark(report.harmonics, planned.plan.grid.sound_speed),
        source_harmonic_remark(planned.plan, bandwidth)})
    if (!warning.empty()) notes.emplace_back(warning);
  const std::vector<MaterialFit> materials = by_name(planned.materials);
  for (std::string& remark : reverberation_remarks(report.decay.bands, materials, scene.simulation, end))
    notes.emplace_back(std::move(remark));
  if (std::string remark = few_modes_remark(report.decay.bands, planned.extent.volume); !remark.empty())
    notes.emplace_back(std::move(remark));
  if (!planned.host.empty()) {
    const std::vector<Slab> slabs = split(planned.plan, planned.counts, target.ranks);
    const std::vector<std::int64_t> gpu = slab_bytes(planned.plan, planned.counts, slabs);
    for (std::size_t i = 0; i < slabs.size(); ++i)
      report.ranks.push_back({slabs[i].planes(), target.on_gpu() ? gpu[i] : 0, planned.host[i]});
    if (target.on_gpu()) {
      report.gpus_needed = gpus_needed(planned.plan, planned.counts, target.free_memory);
      const StepBytes bytes = step_bytes(planned.plan, planned.counts);
      // The speed of one GPU: as timed here, or that of an H200.
      const double steps =
          static_cast<double>(planned.plan.steps) * static_cast<double>(std::max<std::size_t>(1, planned.passes()));
      const Interconnect speeds = predicted.steps > 0.0 ? speeds_of(bytes, predicted.steps / steps) : Interconnect{};
      const Interconnect link = target.ranks > gpus_a_machine ? between_machines(speeds) : speeds;
      report.efficiency = strong_efficiency(bytes, target.ranks, link);
      report.scaling = scaling_of(bytes, max_slabs(planned.plan, planned.counts), speeds);
      report.predicted.steps /= target.ranks * report.efficiency;
    }
  }
  for (const MaterialFit& fit : materials)
    if (!fit.remark.empty())
      notes.emplace_back(fmt::format("material {}: {}", fit.name, fit.remark), NoteWeight::material);
  for (std::string& remark : grid_remarks(materials, planned.choice.max_frequency, planned.walls))
    notes.emplace_back(std::move(remark), NoteWeight::material);
  if (scene.air.absorption) {
    const std::string outside = outside_standard(air_state(scene.air), planned.choice.max_frequency);
    if (!outside.empty()) notes.emplace_back("air absorption is computed beyond the range of ISO 9613-1: " + outside);
  }
  for (const std::string& remark : remarks) notes.emplace_back(remark, NoteWeight::choice);
  std::ranges::stable_sort(notes, {}, &Note::weight);
  for (Note& note : notes) report.warnings.push_back(shortened(note.text));
  return report;
}

namespace {

// The quantity that holds up to a limit.
std::string limit_text(const Limit& limit, const PlanReport& report) {
  const GridChoice& choice = report.planned->choice;
  const Simulation& wish = report.scene->simulation;
  std::string text = fmt::format("{:.1f} Hz{}: ", limit.frequency, limit.beyond ? " and more" : "");
  if (limit.what == "interior")
    text += fmt::format("phase velocity within {:.3g} %, at {:.1f} Hz {:.3g} %", 100.0 * wish.dispersion_error,
                        choice.max_frequency, 100.0 * choice.dispersion_error);
  else if (limit.what == "walls")
    text +=
        fmt::format("absorption within {:.3g} % of the materials' to 75 degrees of incidence", 100.0 * wish.wall_error);
  else if (limit.what == "geometry")
    text += fmt::format(
        "modes within {:.3g} %, T20 within {:.3g} % and EDT within {:.3g} % with walls that cut voxels and furniture",
        100.0 * wish.dispersion_error, 100.0 * wish.geometry_error, 200.0 * wish.geometry_error);
  else
    text += fmt::format("sources and receivers between nodes within {:g} dB of their mean", transducer_tolerance_db);
  return text + (limit.by.empty() ? "" : "; " + limit.by);
}

// The spacing of each limit, and the cost of a run with it over that of this run.
std::string needs_text(const GridChoice& choice) {
  std::string text;
  for (const SpacingNeed& one : choice.needs)
    text += fmt::format("{}{} {:.4g} m ({:.2g} times the cost{})", text.empty() ? "" : ", ", one.what, one.spacing,
                        cost_over(choice, one), one.obeyed ? "" : ", not obeyed");
  return text;
}

// How many nodes walls read, by their area; the most first.
std::string taps_text(const PlanResult& planned) {
  std::string text;
  const std::vector<TapFraction>& fractions = planned.wall_taps;
  for (auto one = fractions.rbegin(); one != fractions.rend(); ++one)
    text += fmt::format("{}{} node{} on {:.3g} % of their area", text.empty() ? "" : ", ", one->taps,
                        one->taps == 1 ? "" : "s", 100.0 * one->fraction);
  return text;
}

// The rows of the report: a name and a value each.
class PlanRows {
 public:
  void operator()(const char* name, const std::string& value) { text_ += fmt::format("  {:<18}{}\n", name, value); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// "above up to 6 s, ", of the part above the waves' band.
std::string above_time_text(const PlanReport& report) {
  if (!report.above) return "";
  return fmt::format("above {}{}, ", report.predicted.above_at_most ? "up to " : "",
                     duration_text(report.predicted.above));
}

void add_costs(PlanRows& row, const PlanReport& report) {
  const MemoryEstimate& memory = report.planned->memory;
  if (const PredictedTime& time = report.predicted; time.steps > 0.0)
    row("predicted time",
        fmt::format("{} (planning {}, search {}, steps {}, {}rendering {})", duration_text(time.total()),
                    duration_text(time.planning), time.search > 0.0 ? duration_text(time.search) : "none",
                    duration_text(time.steps), above_time_text(report), duration_text(time.rendering)));
  row("memory",
      fmt::format(
          "{} (program {}, field {}, near walls {}, impedance {}, recordings {}{}{})",
          human_bytes(static_cast<double>(memory_of(report))), human_bytes(static_cast<double>(program_bytes)),
          human_bytes(static_cast<double>(memory.state)), human_bytes(static_cast<double>(memory.near_wall)),
          human_bytes(static_cast<double>(memory.boundary)), human_bytes(static_cast<double>(recording_bytes(report))),
          report.scene->room.mesh ? ", mesh " + human_bytes(static_cast<double>(mesh_bytes(*report.scene))) : "",
          report.above ? ", above " + human_bytes(static_cast<double>(report.above_bytes)) : ""));
  const Plan& plan = report.planned->plan;
  if (report.planned->exchanged)
    row("passes", fmt::format("{} instead of {}: receivers send and sources record, the same to rounding",
                              plan.receivers.size(), plan.sources.size()));
  else if (plan.sources.size() > 1)
    row("passes",
        fmt::format("{}, one for each source{}", pass_count(plan),
                    plan.joint.empty() ? " or part of a directional one"
                    : pass_count(plan) == static_cast<std::size_t>(count_shown(plan.sources))
                        ? ", all parts of a directional one"
                        : " or part of a directional one, whose parts send together where no receiver is too near"));
}

void add_grid(PlanRows& row, const PlanReport& report) {
  const GridChoice& choice = report.planned->choice;
  const Grid& grid = choice.grid;
  const ValidBand& valid = report.planned->valid;
  row("valid up to",
      fmt::format("{:.1f} Hz, {}; {:.2f} points per wavelength at {:.1f} Hz", valid.frequency,
                  valid.limited_by == "max_frequency" ? "as requested" : "limited by " + valid.limited_by,
                  choice.points_per_wavelength(), choice.max_frequency));
  for (const Limit& limit : valid.limits) row(("  " + limit.what).c_str(), limit_text(limit, report));
  if (choice.needs.size() > 1) row("spacings needed", needs_text(choice));
  row("stencil", fmt::format("{}, {} points, Courant number {:.5f}", choice.stencil.name, choice.stencil.point_count(),
                             grid.courant()));
  row("grid", fmt::format("{} x {} x {} = {:.4g} nodes, {}", grid.size[0], grid.size[1], grid.size[2],
                          static_cast<double>(grid.nodes()), to_string(report.planned->plan.precision)));
  row("spacing", spacing_text(grid));
  row("time step", fmt::format("{:.4g} us ({:.1f} Hz), {} steps for {} s{}", 1e6 * grid.time_step, 1.0 / grid.time_step,
                               choice.steps, report.scene->simulation.duration,
                               report.scene->simulation.duration_auto ? ", the duration \"auto\"" : ""));
}

void add_mesh(PlanRows& row, const MeshSummary& mesh, const Room& room, const GridChoice& choice) {
  row("mesh", fmt::format("{} triangles, {:.5g} m3 of air", mesh.triangles, mesh.volume));
  const char* const chosen = room.frame_stated ? " by the file" : " by \"auto\"";
  const bool factor = std::ranges::find(mesh_units, room.frame.units) == mesh_units.end();
  row("", fmt::format("units = {0}{1}{0}{2}, up = \"{3}\"{4}", factor ? "" : "\"", room.frame.units,
                      room.units_auto ? chosen : "", room.frame.up, room.up_auto ? chosen : ""));
  if (mesh.diagnosis.welded > 0)
    row("", fmt::format("{} vertices are one with others within {:.3g} mm", mesh.diagnosis.welded,
                        1e3 * mesh.diagnosis.tolerance));
  for (const MeshSummary::Surface& one : mesh.surfaces)
    row("", fmt::format("{}: {}, {:.4g} m2, of which {:.4g} m2 face the air of the room", one.name, one.material,
                        one.area, one.in_room));
  for (const std::string& line : opening_lines(mesh, choice)) row("", line);
}

void add_box(PlanRows& row, const GridChoice& choice) {
  const double shift = *std::max_element(choice.wall_shift.begin(), choice.wall_shift.end(),
                                         [](double a, double b) { return std::abs(a) < std::abs(b); });
  if (shift == 0.0) {
    row("walls", "exactly on the grid");
    return;
  }
  std::string moved;
  for (std::size_t side = 0; side < 6; ++side) {
    const double out = 1000.0 * choice.wall_shift[side];
    moved += fmt::format("{}{} {:.2f} mm {}", side == 0 ? "" : ", ", wall_names[side], std::abs(out),
                         out < 0.0 ? "in" : "out");
  }
  row("walls moved", moved);
}

void add_walls(PlanRows& row, const PlanReport& report) {
  if (const std::string taps = taps_text(*report.planned); !taps.empty()) row("walls read", taps);
  if (const WallAccuracy* const one = furthest_wall(report.planned->walls))
    row("walls appear", fmt::format("up to {} ({}), by the phase of their reflection at angles to 75 degrees",
                                    displacement_text(one->displacement), one->material));
  if (const auto& mesh = report.planned->mesh)
    add_mesh(row, *mesh, report.scene->room, report.planned->choice);
  else
    add_box(row, report.planned->choice);
}

void add_air(PlanRows& row, const PlanReport& report) {
  const double top = report.planned->choice.max_frequency;
  row("air", fmt::format("{:.2f} m/s, absorption {}", report.planned->choice.grid.sound_speed,
                         report.scene->air.absorption
                             ? fmt::format("{:.3g} dB/km at {:.6g} Hz",
                                           1e3 * air_attenuation(air_state(report.scene->air), top), top)
                             : "off"));
  std::string reverberation;
  std::set<std::string> models;
  for (const ReverberationBand& band : report.decay.bands)
    reverberation += fmt::format("{}{:.6g} Hz {}", reverberation.empty() ? "" : ", ", band.centre,
                                 std::isfinite(band.seconds) ? fmt::format("{:.3g} s", band.seconds) : "without end");
  for (const ReverberationBand& band : report.decay.bands) models.insert(about_model(band.model));
  row("reverberation", fmt::format("expected by {}: {}", fmt::join(models, " or "), reverberation));
  std::string modes;
  for (const ReverberationBand& band : report.decay.bands)
    modes += fmt::format("{}{:.6g} Hz {:.0f}", modes.empty() ? "" : ", ", band.centre, band.modes);
  row("modes", fmt::format("{}{}", modes,
                           std::isfinite(report.decay.schroeder_frequency)
                               ? fmt::format("; they overlap from the Schroeder frequency, {:.0f} Hz, on",
                                             report.decay.schroeder_frequency)
                               : ""));
}

void add_above_rows(PlanRows& row, const PlanReport& report) {
  if (!report.above) return;
  row("above", above_text(*report.above, !report.scene->room.mesh));
  const double alone = report.above->crossover.from, schroeder = report.decay.schroeder_frequency;
  row("", fmt::format("errors stated above are those of waves, which are alone up to {:.0f} Hz", alone));
  row("", scattering_text(report.scattering, report.above->octaves));
  if (std::isfinite(schroeder) && alone < 2.0 * schroeder)
    row("", fmt::format("the Schroeder frequency is {:.0f} Hz: geometry begins where single modes are heard, a higher "
                        "max_frequency is surer",
                        schroeder));
  if (!report.above->extended.empty())
    row("", fmt::format("absorption is held above the data of {}", fmt::join(report.above->extended, ", ")));
  if (report.blocked && report.blocked->blocked > 0) row("", blocked_text(*report.blocked, *report.scene));
}

void add_snapshots(PlanRows& row, const PlanReport& report) {
  for (const SnapshotPlan& one : report.planned->plan.snapshots)
    row("snapshots", fmt::format("{}: {} frames{}", one.name, one.steps.size(),
                                 one.axis == 3 ? std::string(", the whole grid")
                                               : fmt::format(", {} = {:.4g} m", "xyz"[one.axis],
                                                             snapshot_place(*report.planned, one))));
  if (!report.planned->plan.snapshots.empty())
    row("", fmt::format("{} on disk", human_bytes(static_cast<double>(snapshot_bytes(
                                          report.planned->plan, count_shown(report.planned->plan.sources))))));
}

void add_ranks(PlanRows& row, const PlanReport& report) {
  for (std::size_t i = 0; i < report.ranks.size(); ++i)
    row(i == 0 ? "shared" : "",
        fmt::format(
            "rank {}: {} planes, {}{} of memory of its machine", i, report.ranks[i].planes,
            report.ranks[i].gpu > 0 ? human_bytes(static_cast<double>(report.ranks[i].gpu)) + " of GPU memory, " : "",
            human_bytes(static_cast<double>(report.ranks[i].host))));
  if (report.gpus_needed > 0) {
    row("GPUs needed",
        fmt::format("{}; with {}, each is expected to run at {:.1f} % of its speed alone, within {:.1f}",
                    report.gpus_needed, report.ranks.size(), 100.0 * report.efficiency, 100.0 * efficiency_error));
    std::string strong, weak;
    for (const ScalingPoint& point : report.scaling) {
      if (point.gpus != 8 && point.gpus != 64 && point.gpus != 1024) continue;
      if (point.strong > 0.0)
        strong += fmt::format("{}{:.0f} % on {}", strong.empty() ? "" : ", ", 100.0 * point.strong, point.gpus);
      weak += fmt::format("{}{:.0f} % on {}", weak.empty() ? "" : ", ", 100.0 * point.weak, point.gpus);
    }
    row("expected", fmt::format("{}{} if the room grows along z with the number of GPUs",
                                strong.empty() ? "" : "this room: " + strong + "; ", weak));
  }
}

}  // namespace

std::string plan_text(const PlanReport& report) {
  PlanRows row;
  add_costs(row, report);
  add_grid(row, report);
  add_walls(row, report);
  add_air(row, report);
  add_above_rows(row, report);
  add_snapshots(row, report);
  row("device", report.device);
  if (report.gradient) row("gradient", gradient_text(*report.gradient));
  add_ranks(row, report);
  std::string text = fmt::format("plan for {}\n{}", report.scene->file.string(), row.text());
  for (const std::string& warning : report.warnings) text += fmt::format("  note: {}\n", warning);
  return text;
}

}  // namespace fdtd
