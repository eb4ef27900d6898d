// The JSON document of a plan, field by field.
#include <cmath>

#include "engine/planning/outline/scaling.hpp"
#include "engine/reports/gradient_fields.hpp"
#include "engine/reports/materials_report.hpp"
#include "engine/reports/mesh_fields.hpp"
#include "engine/reports/plan_report.hpp"
#include "engine/reports/transducer_fields.hpp"
#include "engine/run/snapshots.hpp"
#include "engine/transducers/channels.hpp"

namespace fdtd {
namespace {

using R = PlanReport;

std::optional<double> finite(double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; }

const Grid& grid_of(const R& report) { return report.planned->choice.grid; }
const GridChoice& choice_of(const R& report) { return report.planned->choice; }

const JsonFields<Limit>& limit_fields() {
  static const auto fields =
      JsonFields<Limit>()
          .value("what", "",
                 "`interior`: the phase velocity within `dispersion_error`; `walls`: absorption within `wall_error`; "
                 "`transducers`: sources and receivers between nodes send and read waves of every direction within 1 "
                 "dB of their mean; `geometry`, of a mesh with walls that cut voxels or furniture: modes within "
                 "`dispersion_error`, T20 by octave (mean over receivers) within `geometry_error` and EDT within twice "
                 "that.",
                 &Limit::what)
          .value("frequency", "Hz", "Frequency.", &Limit::frequency)
          .value("beyond", "", "True: the limit is above `frequency`, the highest that was judged.", &Limit::beyond)
          .value("by", "", "Materials, sources, receivers or walls that limit it.", &Limit::by)
          .only_if("something named limits it", [](const Limit& limit) { return !limit.by.empty(); });
  return fields;
}

struct CostOfNeed {
  const SpacingNeed* need = nullptr;
  double cost = 0.0;
};

std::vector<CostOfNeed> needs_of(const R& report) {
  std::vector<CostOfNeed> list;
  for (const SpacingNeed& one : choice_of(report).needs) list.push_back({&one, cost_over(choice_of(report), one)});
  return list;
}

const JsonFields<CostOfNeed>& need_fields() {
  using Of = CostOfNeed;
  static const auto fields =
      JsonFields<Of>()
          .value("what", "", "`what` of `limits`.", [](const Of& of) { return of.need->what; })
          .value("spacing", "m", "Grid spacing.", [](const Of& of) { return of.need->spacing; })
          .value("cost", "",
                 "Cost of a run with that spacing over that of this plan, by the fourth power of the spacing.",
                 &Of::cost)
          .value("obeyed", "",
                 "Does it count? Not if it takes a grid more than 2.2 times as fine as the interior's, and more than "
                 "some seconds.",
                 [](const Of& of) { return of.need->obeyed; });
  return fields;
}

const JsonFields<R>& grid_fields() {
  static const auto fields =
      JsonFields<R>()
          .value("stencil", "", "Name of the stencil.", [](const R& r) { return choice_of(r).stencil.name; })
          .value("points", "", "Number of points of the stencil.",
                 [](const R& r) { return choice_of(r).stencil.point_count(); })
          .value("courant", "", "Courant number: sound speed × time step / grid spacing.",
                 [](const R& r) { return grid_of(r).courant(); })
          .value("spacing", "m", "Grid spacing, the mean over the axes.",
                 [](const R& r) { return grid_of(r).mean_spacing(); })
          .value("spacing_xyz", "m", "Grid spacing along x, y and z; leggy stencils fit each axis to the room.",
                 [](const R& r) { return grid_of(r).spacing; })
          .value("time_step", "s", "Time step.", [](const R& r) { return grid_of(r).time_step; })
          .value("sample_rate", "Hz", "The simulation's own sample rate, 1 / time step.",
                 [](const R& r) { return 1.0 / grid_of(r).time_step; })
          .value("grid", "", "Number of grid points along x, y and z.", [](const R& r) { return grid_of(r).size; })
          .value("nodes", "", "Number of grid points in all.", [](const R& r) { return grid_of(r).nodes(); })
          .value("steps", "", "Number of time steps of each pass.", [](const R& r) { return choice_of(r).steps; })
          .value(
              "passes", "",
              "How often the room is computed: once for each source, or each receiver where they are exchanged; once "
              "more for a directional one whose parts do not send together.",
              [](const R& r) { return r.planned->passes(); })
          .value("exchanged", "", "Whether receivers send and sources record (`simulation.reciprocity`).",
                 [](const R& r) { return r.planned->exchanged; })
          .value("duration", "s", "Length of the responses, `simulation.duration`.",
                 [](const R& r) { return r.scene->simulation.duration; })
          .value("duration_auto", "", "Does the duration follow from the expected reverberation time?",
                 [](const R& r) { return r.scene->simulation.duration_auto; });
  return fields;
}

struct SilentPair {
  std::string source, receiver;
};

std::vector<SilentPair> silent_pairs(const PlanReport& report) {
  std::vector<SilentPair> list;
  for (const auto& [source, receiver] : report.blocked->silent)
    list.push_back({report.scene->sources[source].name, report.scene->receivers[receiver].name});
  return list;
}

const JsonFields<SilentPair>& silent_fields() {
  static const auto fields = JsonFields<SilentPair>()
                                 .value("source", "", "Its name in the scene.", &SilentPair::source)
                                 .value("receiver", "", "Its name in the scene.", &SilentPair::receiver);
  return fields;
}

const JsonFields<PlanReport>& blocked_fields() {
  static const auto fields =
      JsonFields<PlanReport>()
          .value("pairs", "", "Pairs of a source and a receiver.", [](const PlanReport& r) { return r.blocked->pairs; })
          .value("blocked", "", "Those whose direct sound a wall blocks.",
                 [](const PlanReport& r) { return r.blocked->blocked; })
          .value("diffracted", "", "Those of them whose receiver geometry reaches by diffraction at one edge.",
                 [](const PlanReport& r) { return r.blocked->bent(); })
          .list("without", "Those of them that it does not.", silent_fields(), silent_pairs);
  return fields;
}

const JsonFields<WallScattering>& scattering_fields() {
  using W = WallScattering;
  static const auto fields =
      JsonFields<W>()
          .value("material", "", "Name of the material.", &W::material)
          .value("area", "m2", "One side of its facets.", &W::area)
          .value("free_edges", "m", "Length of the edges of its facets past which sound goes on; 0 in a bare box.",
                 &W::free_edges)
          .value("scattered", "",
                 "Share of the reflected energy that is scattered, mean over the area, in each octave of "
                 "`above.octaves`: by free edges and by the material's `scattering`.",
                 &W::scattered);
  return fields;
}

const JsonFields<AbovePlan>& above_fields() {
  using P = AbovePlan;
  static const auto fields =
      JsonFields<P>()
          .value("waves_to", "Hz", "Waves alone up to here.", [](const P& plan) { return plan.crossover.from; })
          .value("geometry_from", "Hz", "Geometry alone from here on: `above.crossover`, or the band of the waves.",
                 [](const P& plan) { return plan.crossover.to; })
          .value("upper", "Hz", "End of the responses.", &P::upper)
          .value("octaves", "Hz", "Centre frequencies of the octaves of geometry.", &P::octaves)
          .value("rays", "", "Rays of each source; with `above.rays` = \"auto\" the fewest.", &P::rays)
          .value("most_rays", "", "Up to here \"auto\" doubles them until T20 of their halves agrees within 3 %.",
                 &P::most_rays)
          .value("deviation", "",
                 "Relative standard deviation of the energy of an octave in 10 ms by the draw of rays, in the octave "
                 "where it is largest, from the first source to a receiver that no wall is near; null where image "
                 "sources have most of the sound.",
                 [](const P& plan) { return plan.deviation ? std::optional(plan.deviation->relative) : std::nullopt; })
          .value("deviation_until", "s", "End of these 10 ms, after the emission.",
                 [](const P& plan) { return plan.deviation ? std::optional(plan.deviation->until) : std::nullopt; })
          .value("image_order", "", "Reflections of image sources at most; of a mesh.", &P::image_order)
          .value("image_reach", "m", "Distance up to which all image sources of a box are there; 0 for a mesh.",
                 &P::image_reach)
          .value("extended", "", "Materials whose data end below `upper`, and where.", &P::extended);
  return fields;
}

const JsonFields<R>& accuracy_fields() {
  static const auto fields =
      JsonFields<R>()
          .value("max_frequency", "Hz",
                 "`simulation.max_frequency`; without it what `limits` of interior and walls allow. Where "
                 "`valid_bandwidth` is lower, responses pass nothing above that.",
                 [](const R& r) { return choice_of(r).max_frequency; })
          .value("valid_bandwidth", "Hz",
                 "Frequency up to which a response is right: the least of `limits` and `max_frequency`.",
                 [](const R& r) { return r.planned->valid.frequency; })
          .value("limited_by", "",
                 "`what` of the least of `limits`, or `max_frequency` where all of them hold what the scene requests.",
                 [](const R& r) { return r.planned->valid.limited_by; })
          .list("limits", "Frequencies up to which parts of the computation are right.", limit_fields(),
                [](const R& r) { return r.planned->valid.limits; })
          .list("spacings_needed",
                "Where `max_frequency` is given: the coarsest spacing with which each limit holds; the finest that is "
                "obeyed sets the grid.",
                need_fields(), needs_of)
          .value("dispersion_error", "",
                 "Largest relative error of the phase velocity up to `max_frequency` on this grid, in the worst "
                 "direction.",
                 [](const R& r) { return choice_of(r).dispersion_error; })
          .value("points_per_wavelength", "", "Grid points per wavelength at `max_frequency`.",
                 [](const R& r) { return choice_of(r).points_per_wavelength(); })
          .value("wall_bandwidth", "Hz",
                 "Frequency, at most `max_frequency`, up to which plane walls of every material absorb within "
                 "`wall_error`.",
                 [](const R& r) { return wall_bandwidth(r.planned->walls, choice_of(r)); })
          .value("wall_displacement", "m",
                 "Where the phase of its reflection puts the wall that appears furthest from its place, outward above "
                 "0 (`displacement` of the materials).",
                 [](const R& r) { return displacement_of(r.planned->walls); })
          .value("wall_error", "",
                 "`simulation.wall_error`: largest relative error of the absorption coefficient of a plane wall, at "
                 "any angle of incidence to 75 degrees.",
                 [](const R& r) { return r.scene->simulation.wall_error; })
          .value("precision", "", "`f32` or `f64`.", [](const R& r) { return to_string(r.planned->plan.precision); })
          .value("sound_speed", "m/s", "Sound speed.", [](const R& r) { return grid_of(r).sound_speed; })
          .value("wall_shift", "m",
                 "Outward displacement of the walls x_min, x_max, y_min, y_max, z_min, z_max of a box by the grid.",
                 [](const R& r) { return choice_of(r).wall_shift; })
          .value("air_absorption", "", "`air.absorption`.", [](const R& r) { return r.scene->air.absorption; });
  return fields;
}

const JsonFields<TapFraction>& tap_fields() {
  static const auto fields =
      JsonFields<TapFraction>()
          .value("taps", "", "Nodes that a wall reads along its normal.", &TapFraction::taps)
          .value("share", "", "Fraction of the area of walls with losses.", &TapFraction::fraction);
  return fields;
}

const JsonFields<ReverberationBand>& reverberation_fields() {
  using Band = ReverberationBand;
  static const auto fields =
      JsonFields<Band>()
          .value("centre", "Hz", "Centre of the octave.", &Band::centre)
          .value("seconds", "s",
                 "Time for 60 dB: the longest T30 at any receiver, as `fdtd estimate` has it, or Eyring's; null where "
                 "nothing absorbs.",
                 [](const Band& band) { return finite(band.seconds); })
          .value("eyring", "s", "The same by Eyring's formula with the areas of the grid.",
                 [](const Band& band) { return finite(band.eyring); })
          .value("slowest", "s",
                 "The longest of `seconds`, `eyring`, the T30 of smooth parallel walls and 0.72 times that of their "
                 "slowest modes: duration = \"auto\" is 1.25 times this.",
                 [](const Band& band) { return finite(band.slowest); })
          .value("model", "", "Of `seconds`: box modes, diffusion, or Eyring where diffusion does not hold.",
                 [](const Band& band) { return name_of(band.model); })
          .value("diffuse", "", "Is `seconds` of the diffusion equation?",
                 [](const Band& band) { return band.model == Band::Model::diffusion; })
          .value("modes", "", "About how many modes of the room lie in the octave.",
                 [](const Band& band) { return std::round(band.modes); });
  return fields;
}

const JsonFields<R>& memory_fields() {
  static const auto fields =
      JsonFields<R>()
          .value("program", "bytes", "The program and its libraries.", [](const R&) { return program_bytes; })
          .value("state", "bytes", "The pressure field at two time steps.",
                 [](const R& r) { return r.planned->memory.state; })
          .value("near_wall", "bytes", "The corrected stencils near the walls.",
                 [](const R& r) { return r.planned->memory.near_wall; })
          .value("boundary", "bytes", "The impedance branches of the wall nodes.",
                 [](const R& r) { return r.planned->memory.boundary; })
          .value("recording", "bytes", "The recorded responses and snapshots.",
                 [](const R& r) { return recording_bytes(r); })
          .value("mesh", "bytes", "The mesh, and what planning finds on it; 0 for a box.",
                 [](const R& r) { return mesh_bytes(*r.scene); })
          .value("above", "bytes", "Image sources and energies above the waves' band, and what they take to compute.",
                 &R::above_bytes);
  return fields;
}

struct PlannedSnapshot {
  const SnapshotPlan* plan = nullptr;
  double position = 0.0;  // m
};

std::vector<PlannedSnapshot> snapshots_of(const R& report) {
  std::vector<PlannedSnapshot> list;
  for (const SnapshotPlan& one : report.planned->plan.snapshots)
    list.push_back({&one, one.axis < 3 ? snapshot_place(*report.planned, one) : 0.0});
  return list;
}

const JsonFields<PlannedSnapshot>& snapshot_fields() {
  using Of = PlannedSnapshot;
  static const auto fields =
      JsonFields<Of>()
          .value("name", "", "Name of the snapshot in snapshots.h5.", [](const Of& of) { return of.plan->name; })
          .value("frames", "", "Number of frames.", [](const Of& of) { return of.plan->steps.size(); })
          .value("position", "m", "Coordinate of the stored plane of nodes.", &Of::position)
          .only_if("the snapshot is a plane", [](const Of& of) { return of.plan->axis < 3; });
  return fields;
}

const JsonFields<R>& room_fields() {
  const auto has_snapshots = [](const R& r) { return !r.planned->plan.snapshots.empty(); };
  static const auto fields =
      JsonFields<R>()
          .list("wall_taps", "How many nodes walls with losses read, by their area.", tap_fields(),
                [](const R& r) { return r.planned->wall_taps; })
          .list("reverberation",
                "Reverberation time that the room is expected to have, with the absorption that the scene states and "
                "that of air where it is on.",
                reverberation_fields(), [](const R& r) { return r.decay.bands; })
          .value("schroeder_frequency", "Hz",
                 "2000 √(T / V), with the T of the octave that it lies in: below it modes do not overlap. Null where "
                 "nothing absorbs.",
                 [](const R& r) { return finite(r.decay.schroeder_frequency); })
          .value("memory_bytes", "bytes", "Memory that the run takes, an upper bound.", memory_of)
          .object("memory", "The parts of `memory_bytes`.", memory_fields(), [](const R& r) -> const R& { return r; })
          .list("snapshots", "The snapshots in the order of the scene.", snapshot_fields(), snapshots_of)
          .only_if("the scene has snapshots", has_snapshots)
          .value("snapshot_bytes", "bytes", "Size of snapshots.h5.",
                 [](const R& r) { return snapshot_bytes(r.planned->plan, count_shown(r.planned->plan.sources)); })
          .only_if("the scene has snapshots", has_snapshots)
          .object("mesh", "The mesh as it was read.", mesh_fields(),
                  [](const R& r) {
                    return MeshInPlan{&*r.planned->mesh, &r.scene->room, grid_of(r).sound_speed};
                  })
          .only_if("the room is a mesh", [](const R& r) { return r.planned->mesh.has_value(); })
          .object("above", "The response above the waves' band.", above_fields(),
                  [](const R& r) -> const AbovePlan& { return *r.above; })
          .only_if("geometry continues the responses", [](const R& r) { return r.above.has_value(); })
          .list("scattering", "The walls of each material, as rays above the waves' band meet them.",
                scattering_fields(), [](const R& r) { return r.scattering; })
          .only_if("the plan has `above`", [](const R& r) { return r.above.has_value(); })
          .object("blocked", "Direct sound that walls block, for the part above the waves' band.", blocked_fields(),
                  [](const R& r) -> const R& { return r; })
          .only_if("the plan has `above`, and the room is a mesh", [](const R& r) { return r.blocked.has_value(); });
  return fields;
}

const JsonFields<PredictedTime>& time_fields() {
  static const auto fields =
      JsonFields<PredictedTime>()
          .value("planning", "s", "From the scene to the plan in the memory of the device, and this prediction.",
                 &PredictedTime::planning)
          .value("search", "s", "Search for the fastest order of work or tiles; 0 where the run is too short for one.",
                 &PredictedTime::search)
          .value("steps", "s", "All steps of all passes, with energy balances.", &PredictedTime::steps)
          .value("above", "s",
                 "Image sources and rays above the waves' band; with `above.rays` = \"auto\" as many as it may take, "
                 "though T20 may converge before.",
                 &PredictedTime::above)
          .value("rendering", "s", "Responses, figures of merit and report.", &PredictedTime::rendering);
  return fields;
}

constexpr const char* with_gpus = "a GPU, or --gpu-memory";

const JsonFields<R::RankPart>& rank_fields() {
  static const auto fields = JsonFields<R::RankPart>()
                                 .value("planes", "", "Planes of nodes along z.", &R::RankPart::planes)
                                 .value("memory_bytes", "bytes", "Memory on the GPU.", &R::RankPart::gpu)
                                 .only_if(with_gpus, [](const R::RankPart& rank) { return rank.gpu > 0; })
                                 .value("host_bytes", "bytes", "Memory on the rank's machine.", &R::RankPart::host);
  return fields;
}

const JsonFields<ScalingPoint>& scaling_fields() {
  static const auto fields =
      JsonFields<ScalingPoint>()
          .value("gpus", "", "Number of GPUs N.", &ScalingPoint::gpus)
          .value("weak", "", "Efficiency where the room grows along z in proportion to N.", &ScalingPoint::weak)
          .value("strong", "", "Efficiency for this room.", &ScalingPoint::strong)
          .only_if("N slabs of this room are thick enough", [](const ScalingPoint& at) { return at.strong > 0.0; });
  return fields;
}

const JsonFields<R>& gpus_fields() {
  static const auto fields =
      JsonFields<R>()
          .value("gpus_needed", "", "Smallest number of such GPUs that hold the room.", &R::gpus_needed)
          .value("expected_efficiency", "", "Modelled speed of N GPUs over N times the speed of one.", &R::efficiency)
          .value("expected_efficiency_error", "", "Largest error of that model in measurements on two and four H200.",
                 [](const R&) { return efficiency_error; })
          .list("expected_scaling", "The model for other numbers of GPUs.", scaling_fields(), &R::scaling);
  return fields;
}

// These depend on the device or on measured times.
const JsonFields<R>& device_fields() {
  const auto predicted = [](const R& r) { return r.predicted.steps > 0.0; };
  const char* const when = "not with --gpu-memory or --quiet";
  static const auto fields =
      JsonFields<R>()
          .value("predicted_seconds", "s", "Predicted time of the whole run.",
                 [](const R& r) { return r.predicted.total(); })
          .only_if(when, predicted)
          .object("predicted", "The parts of `predicted_seconds`.", time_fields(), &R::predicted)
          .only_if(when, predicted)
          .value("device", "", "The device that computes.", &R::device)
          .object("gradient", "A gradient in the place of the run, as `rf.gradient` computes it.", gradient_fields(),
                  [](const R& r) -> const PlannedGradient& { return *r.gradient; })
          .only_if("--gradient", [](const R& r) { return r.gradient.has_value(); })
          .list("ranks", "The part of the room that each rank holds.", rank_fields(), &R::ranks)
          .only_if("several ranks, or --gpu-memory", [](const R& r) { return !r.ranks.empty(); })
          .include(gpus_fields())
          .only_if(with_gpus, [](const R& r) { return r.gpus_needed > 0; });
  return fields;
}

const JsonFields<R>& warning_fields() {
  static const auto fields =
      JsonFields<R>().value("warnings", "", "Notes on the grid, the materials, the mesh and the device.", &R::warnings);
  return fields;
}

}  // namespace

const JsonFields<PlanReport>& plan_fields() {
  static const auto fields = JsonFields<R>()
                                 .include(grid_fields())
                                 .include(accuracy_fields())
                                 .include(room_fields())
                                 .include(transducer_fields())
                                 .include(device_fields())
                                 .include(warning_fields());
  return fields;
}

const JsonFields<PlanReport>& stored_plan_fields() {
  static const auto fields = JsonFields<R>()
                                 .include(grid_fields())
                                 .include(accuracy_fields())
                                 .include(room_fields())
                                 .include(transducer_fields())
                                 .include(warning_fields());
  return fields;
}

const JsonFields<PlanReport>& plan_document_fields() {
  static const auto fields =
      JsonFields<R>()
          .include(plan_fields())
          .list("materials",
                "The materials of the walls, with the fields of `fdtd materials NAME --json` and these of their walls.",
                wall_material_fields(),
                [](const R& r) { return wall_materials(r.planned->materials, r.planned->walls); });
  return fields;
}

nlohmann::ordered_json plan_document(const PlanReport& report) { return plan_document_fields().write(report); }

}  // namespace fdtd
