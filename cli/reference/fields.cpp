// The fields of every JSON document that a command prints.
#include "cli/reference/tables.hpp"

namespace fdtd::cli {
namespace {

using Fields = std::vector<Field>;

const char* const with_gpus = "a GPU, or --gpu-memory";
const char* const with_mesh = "the room is a mesh";
const char* const unless_rigid = "the material is not rigid";
const char* const with_snapshots = "the scene has snapshots";

// ---- fdtd plan ----------------------------------------------------------------------------------------------------
const Fields& plan_fields() {
  static const Fields list = {
      {"stencil", "text", "", "", "Name of the stencil."},
      {"points", "whole number", "", "", "Number of points of the stencil."},
      {"courant", "number", "", "", "Courant number: sound speed × time step / grid spacing."},
      {"spacing", "number", "m", "", "Grid spacing, the mean over the axes."},
      {"spacing_xyz", "three numbers", "m", "",
       "Grid spacing along x, y and z; leggy stencils fit each axis to the room."},
      {"time_step", "number", "s", "", "Time step."},
      {"sample_rate", "number", "Hz", "", "The simulation's own sample rate, 1 / time step."},
      {"grid", "three whole numbers", "", "", "Number of grid points along x, y and z."},
      {"nodes", "whole number", "", "", "Number of grid points in all."},
      {"steps", "whole number", "", "", "Number of time steps for each source."},
      {"duration", "number", "s", "", "Length of the responses, `simulation.duration`."},
      {"duration_auto", "true or false", "", "", "Does the duration follow from the expected reverberation time?"},
      {"max_frequency", "number", "Hz", "",
       "`simulation.max_frequency`; without it what `limits` of interior and walls allow. Where `valid_bandwidth` is "
       "lower, responses pass nothing above that."},
      {"valid_bandwidth", "number", "Hz", "",
       "Frequency up to which a response is right: the least of `limits` and `max_frequency`."},
      {"limited_by", "text", "", "",
       "`what` of the least of `limits`, or `max_frequency` where all of them hold what the scene requests."},
      {"limits", "list of objects", "", "", "Frequencies up to which parts of the computation are right."},
      {"limits[].what", "text", "", "",
       "`interior`: the phase velocity within `dispersion_error`; `walls`: absorption within `wall_error`; "
       "`transducers`: sources and receivers between nodes send and read waves of every direction within 1 dB of their "
       "mean; `geometry`, of a mesh with walls that cut voxels or furniture: modes within `dispersion_error`, T20 by "
       "octave (mean "
       "over receivers) within `geometry_error` and EDT within twice that."},
      {"limits[].frequency", "number", "Hz", "", "Frequency."},
      {"limits[].beyond", "true or false", "", "", "Was it judged no further, and is right there?"},
      {"limits[].by", "text", "", "something named limits it", "Materials, sources, receivers or walls that limit it."},
      {"spacings_needed", "list of objects", "", "",
       "Where `max_frequency` is given: the coarsest spacing with which each limit holds; the finest that is obeyed "
       "sets the grid."},
      {"spacings_needed[].what", "text", "", "", "`what` of `limits`."},
      {"spacings_needed[].spacing", "number", "m", "", "Grid spacing."},
      {"spacings_needed[].cost", "number", "", "",
       "Cost of a run with that spacing over that of this plan, by the fourth power of the spacing."},
      {"spacings_needed[].obeyed", "true or false", "", "",
       "Does it count? Not if it takes a grid more than 2.2 times as fine as the interior's, and more than some "
       "seconds."},
      {"dispersion_error", "number", "", "",
       "Largest relative error of the phase velocity up to `max_frequency` on this grid, in the worst direction."},
      {"points_per_wavelength", "number", "", "", "Grid points per wavelength at `max_frequency`."},
      {"wall_bandwidth", "number", "Hz", "",
       "Frequency, at most `max_frequency`, up to which plane walls of every material absorb within `wall_error`."},
      {"wall_displacement", "number", "m", "",
       "Where the phase of its reflection puts the wall that appears furthest from its place, outward above 0 "
       "(`displacement` of the materials)."},
      {"wall_error", "number", "", "",
       "`simulation.wall_error`: largest relative error of the absorption coefficient of a plane wall, at any angle of "
       "incidence to 75 degrees."},
      {"precision", "text", "", "", "`f32` or `f64`."},
      {"sound_speed", "number", "m/s", "", "Sound speed."},
      {"wall_shift", "list of numbers", "m", "",
       "Outward displacement of the walls x_min, x_max, y_min, y_max, z_min, z_max of a box by the grid."},
      {"air_absorption", "true or false", "", "", "`air.absorption`."},
      {"wall_taps", "list of objects", "", "", "How many nodes walls with losses read, by their area."},
      {"wall_taps[].taps", "whole number", "", "", "Nodes that a wall reads along its normal."},
      {"wall_taps[].share", "number", "", "", "Share of the area of walls with losses."},
      {"reverberation", "list of objects", "", "",
       "Reverberation time that the room is expected to have, with the absorption that the scene states and that of "
       "air where it is on."},
      {"reverberation[].centre", "number", "Hz", "", "Centre of the octave."},
      {"reverberation[].seconds", "number or null", "s", "",
       "Time for 60 dB: the longest T30 at any receiver, as `fdtd estimate` has it, or Eyring's; null where nothing "
       "absorbs."},
      {"reverberation[].eyring", "number or null", "s", "", "The same by Eyring's formula with the areas of the grid."},
      {"reverberation[].slowest", "number or null", "s", "",
       "The longest of `seconds`, `eyring`, the T30 of smooth parallel walls and 0.72 times that of their slowest "
       "modes: "
       "duration = \"auto\" is 1.25 times this."},
      {"reverberation[].model", "text", "", "",
       "Of `seconds`: box modes, diffusion, or Eyring where diffusion does not hold."},
      {"reverberation[].diffuse", "true or false", "", "", "Is `seconds` of the diffusion equation?"},
      {"reverberation[].modes", "number", "", "", "About how many modes of the room lie in the octave."},
      {"schroeder_frequency", "number or null", "Hz", "",
       "2000 √(T / V), with the T of the octave that it lies in: below it modes do not overlap. Null where nothing "
       "absorbs."},
      {"memory_bytes", "whole number", "bytes", "", "Memory that the run takes, an upper bound."},
      {"memory", "object", "", "", "The parts of `memory_bytes`."},
      {"memory.program", "whole number", "bytes", "", "The program and its libraries."},
      {"memory.state", "whole number", "bytes", "", "The pressure field at two time steps."},
      {"memory.near_wall", "whole number", "bytes", "", "The corrected stencils near the walls."},
      {"memory.boundary", "whole number", "bytes", "", "The impedance branches of the wall nodes."},
      {"memory.recording", "whole number", "bytes", "", "The recorded responses and snapshots."},
      {"snapshots", "list of objects", "", with_snapshots, "The snapshots in the order of the scene."},
      {"snapshots[].name", "text", "", with_snapshots, "Name of the snapshot in snapshots.h5."},
      {"snapshots[].frames", "whole number", "", with_snapshots, "Number of frames."},
      {"snapshots[].position", "number", "m", "the snapshot is a plane", "Coordinate of the stored plane of nodes."},
      {"snapshot_bytes", "whole number", "bytes", with_snapshots, "Size of snapshots.h5."},
      {"mesh", "object", "", with_mesh, "The mesh as it was read."},
      {"mesh.triangles", "whole number", "", with_mesh, "Number of triangles."},
      {"mesh.vertices", "whole number", "", with_mesh, "Number of different vertices."},
      {"mesh.volume", "number", "m³", with_mesh, "Volume of the air."},
      {"mesh.units", "text", "", with_mesh,
       "Length unit of its numbers, a name or its metres, as given or as \"auto\" or the file chose."},
      {"mesh.units_auto", "true or false", "", with_mesh, "Whether \"auto\" or the file chose the unit."},
      {"mesh.up", "text", "", with_mesh,
       "Axis of its files that points up, as given or as \"auto\" or the file chose."},
      {"mesh.up_auto", "true or false", "", with_mesh, "Whether \"auto\" or the file chose the axis."},
      {"mesh.materials", "list of objects", "", with_mesh, "The materials of the mesh."},
      {"mesh.materials[].name", "text", "", with_mesh, "Name in the mesh."},
      {"mesh.materials[].material", "text", "", with_mesh, "Name of the scene's material."},
      {"mesh.materials[].area", "number", "m²", with_mesh, "Area of its triangles."},
      {"mesh.materials[].area_in_room", "number", "m²", with_mesh, "Area that borders on the simulated air."},
      {"mesh.tolerance", "number", "m", with_mesh, "Vertices so near to each other count as one."},
      {"mesh.welded_vertices", "whole number", "", with_mesh, "Vertices that others stand for."},
      {"mesh.open_edges", "whole number", "", with_mesh, "Edges at which the surface ends."},
      {"mesh.open_rims", "list of objects", "", with_mesh, "Connected groups of open edges, the largest first."},
      {"mesh.open_rims[].centre", "three numbers", "m", "the mesh is open", "Centre of the bounding box of the group."},
      {"mesh.open_rims[].extent", "number", "m", "the mesh is open", "Longest side of that box."},
      {"mesh.open_rims[].edges", "whole number", "", "the mesh is open", "Number of its edges."},
      {"mesh.open_rims[].length", "number", "m", "the mesh is open", "Length of its edges together."},
      {"mesh.open_rims[].width", "number or null", "m", "the mesh is open",
       "Shorter side of the rectangle with the area and the length of the rim; null where it is no single loop."},
      {"mesh.gaps", "object", "", with_mesh, "Corners of a rim that almost meet another rim."},
      {"mesh.gaps.count", "whole number", "", with_mesh, "How many."},
      {"mesh.gaps.first", "three numbers", "m", "`count` is not 0", "Position of one of them."},
      {"mesh.flipped_edges", "object", "", with_mesh, "Edges whose two triangles are oriented against each other."},
      {"mesh.flipped_edges.count", "whole number", "", with_mesh, "How many."},
      {"mesh.flipped_edges.first", "three numbers", "m", "`count` is not 0", "Position of one of them."},
      {"mesh.duplicate_facets", "object", "", with_mesh, "Triangles that occur more than once."},
      {"mesh.duplicate_facets.count", "whole number", "", with_mesh, "How many."},
      {"mesh.duplicate_facets.first", "three numbers", "m", "`count` is not 0", "Position of one of them."},
      {"mesh.overlapping_area", "number", "m2", with_mesh,
       "Area on which facets of one material lie on each other; in `area` it counts once."},
      {"mesh.degenerate_facets", "object", "", with_mesh, "Triangles without an area."},
      {"mesh.degenerate_facets.count", "whole number", "", with_mesh, "How many."},
      {"mesh.openings_searched", "true or false", "", with_mesh,
       "Whether openings narrower than three voxels were looked for: not so on grids of more than 16 million."},
      {"mesh.openings", "list of objects", "", with_mesh,
       "Openings narrower than three voxels, the widest first, 24 at most."},
      {"mesh.openings[].position", "three numbers", "m", "there is one", "Its middle, in the mesh."},
      {"mesh.openings[].width", "number", "m", "there is one", "Its shorter side, about."},
      {"mesh.openings[].volume_behind", "number", "m³", "there is one", "Of the smaller of the spaces that it joins."},
      {"mesh.openings[].error", "number or null", "dB", "there is one",
       "What it lets through at low frequencies on the grid, over the same in the mesh; null: it is closed."},
      {"mesh.openings[].frequency", "number or null", "Hz", "there is one",
       "Levels behind it are expected within 2 dB up to about here; 0: nowhere; null: no limit."},
      {"mesh.degenerate_facets.first", "three numbers", "m", "`count` is not 0", "Position of one of them."},
      {"predicted_seconds", "number", "s", "not with --gpu-memory or --quiet", "Predicted time of the whole run."},
      {"predicted", "object", "", "not with --gpu-memory or --quiet", "The parts of `predicted_seconds`."},
      {"predicted.planning", "number", "s", "not with --gpu-memory or --quiet",
       "From the scene to the plan in the memory of the device, and this prediction."},
      {"predicted.search", "number", "s", "not with --gpu-memory or --quiet",
       "Search for the fastest order of work or tiles; 0 where the run is too short for one."},
      {"predicted.steps", "number", "s", "not with --gpu-memory or --quiet",
       "All steps for all sources, with energy balances."},
      {"predicted.rendering", "number", "s", "not with --gpu-memory or --quiet",
       "Responses, figures of merit and report."},
      {"device", "text", "", "", "What computes."},
      {"ranks", "list of objects", "", "several ranks, or --gpu-memory", "The part of the room that each rank holds."},
      {"ranks[].planes", "whole number", "", "several ranks, or --gpu-memory", "Planes of nodes along z."},
      {"ranks[].memory_bytes", "whole number", "bytes", with_gpus, "Memory on the GPU."},
      {"ranks[].host_bytes", "whole number", "bytes", "several ranks, or --gpu-memory",
       "Memory on the rank's machine."},
      {"gpus_needed", "whole number", "", with_gpus, "Smallest number of such GPUs that hold the room."},
      {"expected_efficiency", "number", "", with_gpus, "Modelled speed of N GPUs over N times the speed of one."},
      {"expected_efficiency_error", "number", "", with_gpus,
       "Largest error of that model in measurements on two and four H200."},
      {"expected_scaling", "list of objects", "", with_gpus, "The model for other numbers of GPUs."},
      {"expected_scaling[].gpus", "whole number", "", with_gpus, "Number of GPUs N."},
      {"expected_scaling[].weak", "number", "", with_gpus,
       "Efficiency where the room grows along z in proportion to N."},
      {"expected_scaling[].strong", "number", "", "N slabs of this room are thick enough", "Efficiency for this room."},
      {"warnings", "list of texts", "", "",
       "What the user should know of the grid, the materials, the mesh and the device."},
  };
  return list;
}

// ---- fdtd estimate ------------------------------------------------------------------------------------------------
const Fields& estimate_fields() {
  const char* const with_map = "--map";
  const char* const with_receiver = "`steady`";
  static const Fields list = {
      {"scene", "text", "", "", "Path of the scene."},
      {"model", "text", "", "", "What the model knows and what not."},
      {"sound_speed", "number", "m/s", "", "Sound speed."},
      {"volume", "number", "m³", "", "Volume of the air."},
      {"area", "number", "m²", "", "Area of the walls."},
      {"cells", "three whole numbers", "", "", "Cells along x, y and z."},
      {"spacing", "three numbers", "m", "", "Sides of a cell."},
      {"parts", "list of objects", "", "", "Spaces that narrow openings connect; a simple room is one."},
      {"parts[].volume", "number", "m³", "", "Volume."},
      {"parts[].area", "number", "m²", "", "Area of its walls."},
      {"parts[].openings", "number", "m²", "", "Area of its openings to other parts."},
      {"parts[].mean_free_path", "number", "m", "", "4 V / S, S with the openings."},
      {"sources", "list of objects", "", "", "The sources, in the scene's order."},
      {"sources[].name", "text", "", "", "Name of the source."},
      {"sources[].in_sight", "number", "", "", "Share of its part that the source sees, 0 to 1."},
      {"sources[].farthest", "number", "m", "", "How far it sees in its part."},
      {"sources[].smooth_walls", "true or false", "", "",
       "Do its levels take walls that are smooth? They do from 0.9 in sight, or five mean free paths of sight; else "
       "walls that scatter, as decays of rooms that are no box do."},
      {"bands", "list of objects", "", "", "The octaves from 63 to 8000 Hz."},
      {"bands[].centre", "number", "Hz", "", "Centre of the octave."},
      {"bands[].mean_absorption", "number", "", "", "Mean random-incidence absorption coefficient of the walls."},
      {"bands[].air_attenuation", "number", "dB/m", "", "Attenuation of the air, ISO 9613-1; 0 with --no-air."},
      {"bands[].sabine", "number or null", "s", "",
       "Reverberation time by Sabine's formula; null where nothing absorbs."},
      {"bands[].eyring", "number or null", "s", "", "The same by Eyring's."},
      {"bands[].steady", "true or false", "", "",
       "Is there a steady state of every source? There is none where nothing absorbs what it emits."},
      {"bands[].T30", "number or null", "s", "", "The longest T30 of `receivers`."},
      {"bands[].T30_scatter", "number or null", "s", "",
       "T30 between walls that scatter, the longest at any receiver."},
      {"bands[].T30_smooth", "number or null", "s", "",
       "T30 of a box of the room's mean chords, 2 V over the area projected on an axis, with smooth walls; null where "
       "one of its modes loses nothing."},
      {"bands[].receivers", "list of objects", "", "",
       "One element for each pair of a source and a receiver; none for sources without a steady state."},
      {"bands[].receivers[].source", "text", "", with_receiver, "Name of the source."},
      {"bands[].receivers[].receiver", "text", "", with_receiver, "Name of the receiver."},
      {"bands[].receivers[].G", "number or null", "dB", with_receiver,
       "Steady level, direct sound included, over that of direct sound at 10 m; null where no sound gets."},
      {"bands[].receivers[].G_direct", "number or null", "dB", with_receiver,
       "The same of direct sound alone; null out of sight of the source."},
      {"bands[].receivers[].EDT", "number or null", "s", with_receiver, "Early decay time, from 0 to -10 dB."},
      {"bands[].receivers[].T30", "number or null", "s", with_receiver, "Reverberation time, from -5 to -35 dB."},
      {"bands[].receivers[].slopes", "list of objects", "", with_receiver,
       "The slowest exponential of the decay, then, where the decay is bent, the one before it."},
      {"bands[].receivers[].slopes[].seconds", "number", "s", with_receiver, "Its time for 60 dB."},
      {"bands[].receivers[].slopes[].level", "number", "dB", with_receiver,
       "Its level at the end of the steady state, relative to the whole."},
      {"bands[].receivers[].limits", "list of texts", "", with_receiver,
       "Keys of `limits` that hold for this receiver."},
      {"bands[].limits", "list of texts", "", "", "Keys of `limits` that hold for the octave."},
      {"limits", "list of objects", "", "", "What keeps figures from being those of the room, where it does."},
      {"limits[].key", "text", "", "there is a limit", "Its key."},
      {"limits[].about", "text", "", "there is a limit", "What it says."},
      {"remarks", "list of texts", "", "", "What the user should know."},
      {"outputs", "list of texts", "", with_map, "Paths of the files that were written."},
  };
  return list;
}

// ---- materials ----------------------------------------------------------------------------------------------------
const Fields& material_fields() {
  static const Fields list = {
      {"name", "text", "", "", "Name of the material."},
      {"bands", "list of numbers", "Hz", "", "Centre frequencies of the octave bands."},
      {"asked", "list of numbers or null", "", "",
       "Requested random-incidence absorption coefficient of each band; null for materials that are branches already."},
      {"fitted", "list of numbers", "", "", "Random-incidence absorption coefficient of the branches in each band."},
      {"branches", "list of objects", "", "",
       "The parallel branches; the admittance of each is 1 / (D s + E + F / s)."},
      {"branches[].D", "number", "s", "the material is not rigid", "Mass term."},
      {"branches[].E", "number", "", "the material is not rigid", "Resistance."},
      {"branches[].F", "number", "1/s", "the material is not rigid", "Stiffness term."},
      {"remark", "text", "", "there is one", "Where the fit departs from the request."},
      {"origin", "text", "", "from the library or a file", "Where the data are from."},
  };
  return list;
}

// Of a plan, whose walls have been put on the grid.
const Fields& wall_fields() {
  static const Fields list = {
      {"on_grid", "list of numbers or nulls", "", unless_rigid,
       "Random-incidence absorption coefficient of a plane wall on the grid in each band; null above `max_frequency`."},
      {"valid_bandwidth", "number", "Hz", unless_rigid,
       "Frequency, at most `max_frequency`, up to which a plane wall absorbs within `wall_error`."},
      {"displacement", "number", "m", unless_rigid,
       "Where the phase of its reflection on the grid puts a plane wall, outward above 0: "
       "-arg(R / R of theory) / (2 k cos θ), the furthest from 0 at angles of incidence θ to 75 degrees and "
       "frequencies up to `valid_bandwidth`; waves of which less than a quarter of the energy is reflected do not "
       "count."},
  };
  return list;
}

const Fields& library_fields() {
  static const Fields list = {
      {"name", "text", "", "", "Name, as `library = \"NAME\"` of a scene takes it."},
      {"about", "text", "", "", "What the material is."},
      {"source", "text", "", "", "Publication."},
      {"bands", "list of numbers", "Hz", "", "Centre frequencies of the octave bands."},
      {"alpha", "list of numbers", "", "", "Random-incidence absorption coefficients."},
  };
  return list;
}

// ---- figures of merit ---------------------------------------------------------------------------------------------
const Fields& band_fields() {
  static const Fields list = {
      {"EDT", "number or null", "s", "", "Early decay time, from 0 to -10 dB."},
      {"T20", "number or null", "s", "", "Reverberation time, from -5 to -25 dB."},
      {"T30", "number or null", "s", "", "Reverberation time, from -5 to -35 dB."},
      {"C50", "number or null", "dB", "", "Clarity, early limit 50 ms."},
      {"C80", "number or null", "dB", "", "Clarity, early limit 80 ms."},
      {"D50", "number or null", "", "", "Definition, a fraction of 1."},
      {"Ts", "number or null", "s", "", "Centre time."},
      {"G", "number or null", "dB", "", "Sound strength; needs a response of known scale."},
      {"curvature", "number or null", "%", "",
       "100 (T30 / T20 - 1) (ISO 3382-2, annex B); above 10 the decay is bent."},
      {"range", "number", "dB", "", "Dynamic range of the decay."},
      {"nonlinearity_T20", "number or null", "‰", "",
       "Degree of non-linearity, 1000 (1 - r²) with the correlation coefficient r of the decay and the line of T20 "
       "(ISO "
       "3382-2, annex B); above 10 the decay is not straight."},
      {"nonlinearity_T30", "number or null", "‰", "", "The same of the line of T30."},
      {"reason", "text or null", "", "", "Why figures of this band are null."},
      {"reasons", "object of texts", "", "", "The reason for each figure that is null, by its name."},
      {"doubts", "object of texts", "", "",
       "Why figures are to be taken with care, by name: a decay that is not straight, or one of less than 25 dB."},
  };
  return list;
}

const Fields& metrics_fields() {
  static const Fields list = {
      {"sample_rate", "number", "Hz", "", "Sample rate of the response."},
      {"duration", "number", "s", "", "Length of the response."},
      {"onset", "number", "s", "", "Arrival of sound, the time from which all others count."},
      {"valid_bandwidth", "number", "Hz", "", "Frequency up to which the response is valid."},
      {"analysis_low_cut", "number", "Hz", "",
       "High-pass that removes static pressure for the analysis; 0: the response has none."},
      {"offset", "number", "", "", "Constant, the mean of the response's end, that is subtracted for the analysis."},
      {"bands", "list of objects", "", "", "The octave bands within the valid bandwidth."},
      {"bands[].centre", "number", "Hz", "", "Centre frequency of the band."},
      {"broadband", "object", "", "", "The same figures without a band filter."},
  };
  return list;
}

const char* const few_responses = "up to 1000 responses";

// ---- fdtd run -----------------------------------------------------------------------------------------------------
const Fields& run_fields() {
  static const Fields list = {
      {"outputs", "list of texts", "", "", "Paths of the files that were written."},
      {"plan", "object", "", "", "The plan, with the fields of `fdtd plan --json` without `materials`."},
      {"energy", "object", "", "", "The energy balance, in the units of the discrete energy; sums over all sources."},
      {"energy.injected", "number", "", "", "Energy that the sources have injected."},
      {"energy.final", "number", "", "", "Energy that is left at the end."},
      {"energy.dissipated", "number", "", "", "Energy that the walls have absorbed."},
      {"energy.balance_error", "number", "", "",
       "Largest |stored + dissipated - injected| at any time, relative to the injected energy."},
      {"receivers", "list of objects", "", "", "One element for each pair of a source and a receiver."},
      {"receivers[].name", "text", "", "", "Name of the receiver."},
      {"receivers[].source", "text", "", "", "Name of the source."},
      {"receivers[].peak", "number", "", "", "Largest absolute sample of the response."},
      {"receivers[].peak_time", "number", "s", "", "Time of that sample after the emission."},
      {"receivers[].distance", "number", "m", "", "Distance between source and receiver."},
      {"receivers[].residual_tones", "list of objects", "", "",
       "Tones at or above the bandwidth that ring on in the record after their neighbours have decayed, down to -80 "
       "dB."},
      {"receivers[].residual_tones[].frequency", "number", "Hz", "there is such a tone", "Frequency."},
      {"receivers[].residual_tones[].level", "number", "dB", "there is such a tone",
       "Amplitude at the end of the record, relative to the largest sample of the response."},
      {"receivers[].residual_tones[].removed", "true or false", "", "there is such a tone",
       "Whether the low-pass of rendering leaves less than -80 dB of it in the response."},
      {"receivers[].metrics", "object", "", few_responses,
       "Figures of merit, with the fields of `fdtd metrics --json` from `sample_rate` on; of more responses than that "
       "/metrics of result.h5 alone holds them."},
      {"materials", "list of objects", "", "", "The materials of the walls, with their fields in `fdtd plan --json`."},
      {"timing", "object", "", "", "The time of the steps, over all sessions of the run."},
      {"timing.seconds", "number", "s", "", "Wall-clock time of the steps."},
      {"timing.ctpn_ns", "number", "ns", "", "Compute time per node: time of a step / number of grid points."},
      {"timing.gpts_per_second", "number", "10⁹/s", "", "Grid points updated per second."},
      {"remarks", "list of texts", "", "", "What the user should know of the responses and files."},
  };
  return list;
}

const Fields& completed_fields() {
  static const Fields list = {
      {"ended_before", "true or false", "", "", "Always true."},
      {"result", "text", "", "", "Path of the run's result.h5."},
  };
  return list;
}

const Fields& sweep_fields() {
  static const Fields list = {
      {"run", "whole number", "", "", "Number of the run, from 1."},
      {"set", "object of texts", "", "", "The replaced keys with their values."},
      {"folder", "text", "", "", "Folder of the run's files."},
      {"status", "whole number", "", "", "Exit status of the run."},
      {"error", "text", "", "the run failed", "The message of the run."},
  };
  return list;
}

// ---- profiles -----------------------------------------------------------------------------------------------------
const Fields& cpu_profile_fields() {
  static const Fields list = {
      {"device", "text", "", "", "`cpu`."},
      {"precision", "text", "", "", "`f32` or `f64`."},
      {"grid", "three whole numbers", "", "", "Number of grid points along x, y and z."},
      {"triad", "object", "", "",
       "The leapfrog triad u0 = 2 u1 - u0 of the same run: the reference for the speed of memory."},
      {"triad.ctpn_ns", "number", "ns", "", "Time per grid point, the mean over the stencils."},
      {"triad.gb_per_second", "number", "GB/s", "", "Memory traffic of the triad."},
      {"results", "list of objects", "", "", "One element for each stencil."},
      {"results[].stencil", "text", "", "", "Name of the stencil."},
      {"results[].kernel", "text", "", "", "The kernel and its order of work."},
      {"results[].precision", "text", "", "", "`f32` or `f64`."},
      {"results[].grid", "three whole numbers", "", "", "Number of grid points along x, y and z."},
      {"results[].points", "whole number", "", "", "Number of points of the stencil."},
      {"results[].ctpn_ns", "number", "ns", "", "Compute time per node, the median of all repeats."},
      {"results[].gpts_per_second", "number", "10⁹/s", "", "Grid points updated per second."},
      {"results[].triad_ctpn_ns", "number", "ns", "", "The triad, timed in turn with this stencil."},
      {"results[].eff", "number", "", "", "Time of the triad / time of the stencil."},
      {"results[].declared_bytes_per_point", "number", "bytes", "", "Least memory traffic of a step: three values."},
      {"results[].gb_per_second", "number", "GB/s", "", "That traffic per second."},
  };
  return list;
}

const Fields& multigrid_fields() {
  static const Fields list = {
      {"device", "text", "", "", "`cpu` or `cuda:N`."},
      {"version", "text", "", "", "Version of the program."},
      {"grid", "three whole numbers", "", "", "Nodes inside the box along x, y and z."},
      {"visits", "whole number", "", "", "Of the next coarser level: 1, a V-cycle; 2, a W-cycle."},
      {"sweeps", "whole number", "", "", "Smoothing sweeps before and after each visit."},
      {"smoother", "text", "", "", "`chebyshev` or `jacobi`."},
      {"residuals", "list of numbers", "", "", "|b - A u| / |b| after 0, 1, 2, ... cycles, in f64."},
      {"cycles_to_single", "whole number or null", "", "",
       "Cycles until the residual is below 6e-8, half a unit in the last place of f32; null: not within 30."},
      {"convergence_factor", "number", "", "", "Of the residual, the geometric mean of those cycles."},
      {"cycle_seconds", "number", "s", "", "A cycle with its residual and correction in f64, the median."},
      {"sweep_seconds", "number", "s", "", "One fine-grid stencil computation: u and b read, one array written."},
      {"triad_seconds", "number", "s", "", "The leapfrog triad on such arrays."},
      {"sweeps_per_cycle", "number", "", "", "The first over the second."},
      {"bytes_per_node", "number", "bytes", "", "Least memory traffic of a V-cycle for each node of the finest grid."},
      {"gb_per_second", "number or null", "GB/s", "", "That traffic per second; null for W-cycles."},
      {"paper", "object", "", "", "The same figures of Krotkiewski and Dabrowski (2013), section 8: from, to."},
      {"paper.cycles_to_single", "list of numbers", "", "", "Cycles to single precision."},
      {"paper.sweeps_per_cycle", "list of numbers", "", "", "A cycle in fine-grid stencil computations."},
  };
  return list;
}

const Fields& mask_fields() {
  static const Fields list = {
      {"device", "text", "", "", "`cpu` or `cuda:N`."},
      {"version", "text", "", "", "Version of the program."},
      {"mask", "text", "", "", "`ball`, `rooms` or `random`."},
      {"cells", "three whole numbers", "", "", "Cells along x, y and z, with those of walls."},
      {"nodes", "whole number", "", "", "Corners of cells of air: the unknowns."},
      {"further_nodes", "whole number", "", "", "Of all coarser levels, beside the first one of each position."},
      {"levels", "whole number", "", "", "Grids, the finest included."},
      {"visits", "whole number", "", "", "Of the next coarser level: 1, a V-cycle; 2, a W-cycle."},
      {"sweeps", "whole number", "", "", "Smoothing sweeps before and after each visit."},
      {"smoother", "text", "", "", "`chebyshev` or `jacobi`."},
      {"iterations", "whole number", "", "", "Of conjugate gradients, until the residual is 10⁻⁶, at most 100."},
      {"converged", "true or false", "", "", "Whether it is."},
      {"residual", "number", "", "", "|b - A u| / |b|, in f64."},
      {"convergence_factor", "number", "", "", "Of the residual, the geometric mean of the iterations."},
      {"levels_seconds", "number", "s", "", "To make all levels, on the CPU."},
      {"ready_seconds", "number", "s", "", "To make the solver of them, and to set the diagonal."},
      {"solution_seconds", "number", "s", "", "A solution, the median; from host memory and back."},
  };
  return list;
}

const Fields& room_profile_fields() {
  static const Fields list = {
      {"device", "text", "", "", "What computes."},
      {"kernel", "text", "", "", "The kernel and its order of work."},
      {"stencil", "text", "", "", "Name of the stencil."},
      {"precision", "text", "", "", "`f32` or `f64`."},
      {"grid", "three whole numbers", "", "", "Number of grid points along x, y and z."},
      {"nodes", "whole number", "", "", "Number of grid points in all."},
      {"boundary_nodes", "whole number", "", "", "Number of nodes with a wall."},
      {"branches", "whole number", "", "", "Number of impedance branches on them."},
      {"sources", "whole number", "", "", "Number of sources."},
      {"receivers", "whole number", "", "", "Number of receivers."},
      {"load_seconds", "number", "s", "", "Time to prepare memory, wall tables and kernel."},
      {"energy_seconds", "number", "s", "", "Time of one energy balance."},
      {"energy_interval", "whole number", "", "", "Steps from one energy balance to the next."},
      {"step_ctpn_ns", "number", "ns", "", "Compute time per node of a step with walls and receivers."},
      {"ctpn_ns", "number", "ns", "", "The same with the step's share of the energy balances."},
      {"gpts_per_second", "number", "10⁹/s", "", "Grid points updated per second, energy balances included."},
      {"triad_ctpn_ns", "number", "ns", "", "The triad on the same arrays."},
      {"eff", "number", "", "", "Time of the triad / `ctpn_ns`."},
      {"bare", "object", "", "", "The kernel on the same grid without walls, sources and receivers."},
      {"bare.kernel", "text", "", "", "The kernel and its order of work."},
      {"bare.ctpn_ns", "number", "ns", "", "Its compute time per node."},
      {"bare.triad_ctpn_ns", "number", "ns", "", "The triad, timed in turn with it."},
      {"of_bare", "number", "", "", "Speed of the room / speed of the bare kernel."},
      {"turns", "whole number", "", "", "How often room and bare kernel were timed in turn; 1: one after the other."},
  };
  return list;
}

const Fields& provenance_fields() {
  static const Fields list = {
      {"commit", "text", "", "", "Version of the source code."},
      {"date", "text", "", "", "Date of the measurement."},
      {"machine", "text", "", "", "Name of the GPU."},
      {"driver", "text", "", "", "CUDA version of the driver."},
      {"command", "text", "", "", "The command line."},
      {"device", "text", "", "", "`cuda:N`."},
      {"results", "list of objects", "", "", "One element for each stencil and kernel."},
  };
  return list;
}

const char* const with_roofs = "fdtd profile";
const char* const with_tiles = "--tiles all";
const char* const with_counters = "--counters";

const Fields& gpu_result_fields() {
  static const Fields list = {
      {"stencil", "text", "", "", "Name of the stencil."},
      {"points", "whole number", "", "", "Number of points of the stencil."},
      {"precision", "text", "", "", "`f32` or `f64`."},
      {"grid", "three whole numbers", "", "", "Number of grid points along x, y and z."},
      {"kernel", "text", "", "", "Name of the kernel."},
      {"error", "text", "", "the kernel failed", "The reason; the fields below are then absent."},
      {"tile", "object", "", "", "The launch geometry."},
      {"tile.x", "whole number", "", "", "Grid points of a tile along x."},
      {"tile.y", "whole number", "", "", "Grid points of a tile along y."},
      {"tile.z", "whole number", "", "", "Grid points of a tile along z."},
      {"tile.threads", "whole number", "", "", "Threads of a block; 0: the kernel has one choice."},
      {"tile.depth", "whole number", "", "", "Stages of the copy pipeline; 0: the kernel has one choice."},
      {"tile.blocks", "whole number", "", "", "Blocks of a launch that each process several tiles; 0: a block a tile."},
      {"tile.pace", "whole number", "", "", "Planes that a block may be ahead of the slowest; 0: unlimited."},
      {"tile_from", "text", "", "", "How the tile was chosen."},
      {"launches_per_step", "whole number", "", "", "Kernel launches of a step."},
      {"ctpn_ns", "number", "ns", "", "Compute time per node, the median of all batches."},
      {"spread", "number", "", "", "(Slowest - fastest batch) / median."},
      {"gpts_per_second", "number", "10⁹/s", "", "Grid points updated per second."},
      {"triad_ctpn_ns", "number", "ns", "", "The leapfrog triad on the same arrays, in turn with the kernel."},
      {"triad_spread", "number", "", "", "Its spread."},
      {"eff", "number", "", "", "Time of the triad / time of the kernel."},
      {"declared_bytes_per_point", "number", "bytes", "", "Least traffic from and to memory: three values."},
      {"gb_per_second", "number", "GB/s", "", "That traffic per second."},
      {"l2_declared_bytes_per_point", "number", "bytes", "",
       "Traffic between L2 and the multiprocessors by the kernel's formula."},
      {"footprint_bytes_per_point", "number", "bytes", "", "Traffic from and to memory by the footprint model."},
      {"resources", "object", "", "", "What the driver reports of the compiled kernel."},
      {"resources.threads", "whole number", "", "", "Threads of a block."},
      {"resources.registers", "whole number", "", "", "Registers of a thread."},
      {"resources.local_bytes", "whole number", "bytes", "", "Spilled memory of a thread."},
      {"resources.shared_bytes", "whole number", "bytes", "", "Shared memory of a block."},
      {"resources.blocks_per_multiprocessor", "whole number", "", "", "Resident blocks of a multiprocessor."},
      {"occupancy", "number", "", "", "Resident warps / largest possible number."},
  };
  return list;
}

const Fields& gpu_detail_fields() {
  static const Fields all = [] {
    Fields list = {{"roofs", "object", "", with_roofs, "Reference kernels on the same arrays."}};
    for (const char* roof : {"triad", "copy", "copy_halo"}) {
      const std::string at = std::string("roofs.") + roof;
      list.push_back({at, "object", "", with_roofs,
                      roof == std::string("triad")  ? "The leapfrog triad, three values a point."
                      : roof == std::string("copy") ? "A copy, two values a point."
                                                    : "A copy that also reads the halos of the tiles."});
      list.push_back({at + ".ctpn_ns", "number", "ns", with_roofs, "Time per grid point."});
      list.push_back({at + ".spread", "number", "", with_roofs, "(Slowest - fastest batch) / median."});
      list.push_back({at + ".gb_per_second", "number", "GB/s", with_roofs, "Its traffic per second."});
    }
    const Fields rest = {
        {"tiles", "list of objects", "", with_tiles, "Every valid tile, with the model's prediction."},
        {"tiles[].tile", "object", "", with_tiles, "The launch geometry."},
        {"tiles[].ctpn_ns", "number", "ns", with_tiles, "Its compute time per node."},
        {"tiles[].predicted", "true or false", "", with_tiles, "Does the model expect it among the fastest?"},
        {"tiles[].cost", "number", "", with_tiles, "The model's cost; only the order matters."},
        {"tiles[].transactions_per_point", "number", "", with_tiles, "Memory sectors of a point."},
        {"tiles[].conflicts", "number", "", with_tiles, "Passes of shared memory / least possible number."},
        {"tiles[].active_blocks", "whole number", "", with_tiles, "Resident blocks of a multiprocessor."},
        {"tiles[].occupancy", "number", "", with_tiles, "Resident warps / largest possible number."},
        {"tiles[].thread_efficiency", "number", "", with_tiles, "Threads with a grid point / all threads."},
        {"tiles[].wave_efficiency", "number", "", with_tiles, "Blocks / places for blocks in all waves."},
        {"tiles[].footprint_bytes_per_point", "number", "bytes", with_tiles, "Traffic by the footprint model."},
        {"tiles[].resources", "object", "", with_tiles, "What the driver reports of the compiled kernel."},
        {"prediction", "object", "", with_tiles, "How good the model is."},
        {"prediction.best_predicted", "true or false", "", with_tiles, "Is the fastest tile among the predicted ones?"},
        {"prediction.predicted", "whole number", "", with_tiles, "Number of predicted tiles."},
        {"prediction.tiles", "whole number", "", with_tiles, "Number of timed tiles."},
        {"prediction.loss_of_set", "number", "", with_tiles,
         "Time of the fastest predicted tile / fastest of all, less 1."},
        {"prediction.loss_of_first", "number", "", with_tiles,
         "Time of the model's first tile / fastest of all, less 1."},
        {"counters", "object", "", with_counters, "Hardware counters of one step, by Nsight Compute."},
        {"counters.dram_read_bytes_per_point", "number", "bytes", with_counters, "Read from memory."},
        {"counters.dram_written_bytes_per_point", "number", "bytes", with_counters, "Written to memory."},
        {"counters.effective_bytes_per_point", "number", "bytes", with_counters, "Both together."},
        {"counters.l2_bytes_per_point", "number", "bytes", with_counters,
         "Traffic between L2 and the multiprocessors."},
        {"counters.l2_hit_rate", "number", "", with_counters, "Hit rate of L2."},
        {"counters.l1_bytes_per_point", "number", "bytes", with_counters, "Traffic between L1 and the threads."},
        {"counters.l1_hit_rate", "number", "", with_counters, "Hit rate of L1."},
        {"counters.shared_conflicts_per_point", "number", "", with_counters,
         "Passes of shared memory beyond the least."},
        {"counters.instructions_per_point", "number", "", with_counters, "Instructions of a thread."},
        {"counters.issue_use", "number", "", with_counters, "Share of the cycles that issue an instruction."},
        {"counters.shared_use", "number", "", with_counters, "Share of the cycles with a pass of shared memory."},
    };
    list.insert(list.end(), rest.begin(), rest.end());
    return list;
  }();
  return all;
}

// A tile's geometry and resources, as each element of `tiles` has them.
const Fields& tile_fields() {
  static const Fields all = [] {
    Fields list;
    for (const Field& field : gpu_result_fields())
      if (field.path.starts_with("tile.") || field.path.starts_with("resources.")) {
        list.push_back(field);
        list.back().when = with_tiles;
      }
    return list;
  }();
  return all;
}

const Fields& cost_fields() {
  static const Fields list = {
      {"volume", "number", "m³", "", "Volume of the room that the costs are of; of a mesh that of its bounding box."},
      {"max_frequency", "number", "Hz", "", "Frequency up to which the costs are."},
      {"costs", "list of objects", "", "",
       "What an accuracy costs: each variant that reaches it, the cheapest of a family first, those that miss a limit "
       "last."},
      {"costs[].dispersion_error", "number", "", "", "Largest relative error of the phase velocity."},
      {"costs[].family", "text", "", "", "`leggy`, `compact` or `box`."},
      {"costs[].stencil", "text", "", "", "Name of the stencil."},
      {"costs[].points", "whole number", "", "", "Number of its points."},
      {"costs[].ctpn_ns", "number", "ns", "", "Its measured compute time per node."},
      {"costs[].seconds", "number", "s", "",
       "Computing time for a second of sound of one source in that room, on the grid that all limits need."},
      {"costs[].wall_seconds", "number", "s", "", "Of it, what walls take, by the program's table of costs."},
      {"costs[].interior_seconds", "number", "s", "",
       "Computing time on the grid that the interior alone needs, without walls."},
      {"costs[].limited_by", "text", "", "",
       "What sets the grid: `interior`, `walls`, `transducers` or `geometry`, as `spacings_needed` of a plan."},
      {"costs[].missed", "list of texts", "", "",
       "Limits that the stencil keeps on no grid up to 2.2 times as fine as the interior's; `wall positions`: the "
       "box's "
       "walls stand further off than `dispersion_error` of a side."},
  };
  return list;
}

const Fields& gpu_compare_fields() {
  static const Fields list = {
      {"seconds", "number", "s", "", "Time of the whole study."},
      {"results[].family", "text", "", "", "`leggy`, `compact`, `box` or `literature`."},
      {"results[].role", "text", "", "",
       "`best`: the fastest kernel; `kernel_a`, `kernel_b`: those of DAFx-15; `literature`: one of an earlier paper."},
      {"results[].paper", "text", "", "literature", "Authors and year of the paper."},
      {"results[].order", "whole number", "", "literature", "Order of accuracy in space: twice the radius."},
      {"results[].redundancy", "object", "", "literature", "How often the kernel reads the field a point."},
      {"results[].redundancy.formula", "number", "", "literature", "By the paper's formula."},
      {"results[].redundancy.declared", "number", "", "literature",
       "As the kernel declares it, with the planes that a march reads besides its own."},
      {"results[].redundancy.counted", "number", "", "literature and --counters", "As Nsight Compute counts it."},
      {"accuracy", "list of objects", "", "", "Speed and accuracy of each variant, on the first grid."},
      {"accuracy[].family", "text", "", "", "`leggy`, `compact` or `box`."},
      {"accuracy[].stencil", "text", "", "", "Name of the stencil."},
      {"accuracy[].points", "whole number", "", "", "Number of its points."},
      {"accuracy[].ctpn_ns", "number", "ns", "", "Its measured compute time per node."},
      {"accuracy[].fraction_within_1_percent", "number", "", "",
       "Fraction of the wavenumbers up to |k| h = π within 1 % of the sound speed, in the worst direction."},
      {"accuracy[].fraction_within_2_percent", "number", "", "", "The same within 2 %."},
  };
  return list;
}

// ---- the rest -----------------------------------------------------------------------------------------------------
const Fields& stencil_fields() {
  static const Fields list = {
      {"name", "text", "", "", "Name of the stencil."},
      {"family", "text", "", "", "`leggy`, `compact` or `box`."},
      {"variant", "text", "", "", "How its weights were designed."},
      {"points", "whole number", "", "", "Number of points."},
      {"shell_count", "whole number", "", "", "Number of shells of equivalent points."},
      {"radius", "whole number", "", "", "Largest coordinate of a point."},
      {"order", "whole number", "", "", "Order of accuracy."},
      {"courant", "number", "", "", "The Courant number that it is run at."},
      {"courant_limit", "number", "", "", "Largest stable Courant number."},
      {"time_dispersion_removal", "true or false", "", "",
       "Is it designed for responses corrected for time dispersion?"},
      {"frequency_map", "text", "", "",
       "What rendering undoes: `none`; `time`, the error of the time difference; `radial`, all dispersion that is the "
       "same in every direction."},
      {"slowest_group", "number", "", "",
       "Slowest group velocity of waves within 1 % (`radial`: of the band), over the sound speed."},
      {"shells", "list of lists", "", "", "One point [q1, q2, q3] of each shell."},
      {"weights", "list of numbers", "", "", "Weights of S: the centre's, then one for each shell."},
      {"within_1_percent", "list of numbers", "", "",
       "Fraction of the wavenumbers up to |k| h = π with a phase velocity within 1 %: worst direction, (100), (110), "
       "(111)."},
      {"within_2_percent", "list of numbers", "", "", "The same within 2 %."},
      {"proof", "text", "", "", "Why it is stable at walls."},
      {"source", "text", "", "", "Publication or derivation of the weights."},
  };
  return list;
}

const char* const with_usable_gpu = "the GPU is usable";
const Fields& doctor_fields() {
  static const Fields list = {
      {"version", "text", "", "", "Version of the program."},
      {"build", "text", "", "", "Compiler and options."},
      {"processor", "text", "", "", "Name of the processor."},
      {"vector_units", "text", "", "", "Its vector instruction sets."},
      {"threads", "whole number", "", "", "Hardware threads."},
      {"memory_available_bytes", "whole number", "bytes", "", "Free memory."},
      {"gpus", "list of objects", "", "", "The GPUs."},
      {"gpus[].device", "text", "", "there is a GPU", "`cuda:N`."},
      {"gpus[].why_not", "text", "", "the GPU is not usable", "The reason."},
      {"gpus[].name", "text", "", with_usable_gpu, "Name of the GPU."},
      {"gpus[].compute_capability", "text", "", with_usable_gpu, "Its compute capability."},
      {"gpus[].multiprocessors", "whole number", "", with_usable_gpu, "Number of multiprocessors."},
      {"gpus[].memory_bytes", "whole number", "bytes", with_usable_gpu, "Its memory."},
      {"gpus[].memory_free_bytes", "whole number", "bytes", with_usable_gpu, "What of it is free."},
      {"gpus[].driver_cuda", "text", "", with_usable_gpu, "CUDA version of the driver."},
      {"gpus[].program_cuda", "text", "", with_usable_gpu, "CUDA version of the program."},
      {"why_no_gpu", "text", "", "there is no GPU", "The reason."},
      {"libraries", "object of texts", "", "", "Versions of the libraries, by name."},
  };
  return list;
}

// The fields, then those of a table below `prefix`.
Fields joined(Fields fields, const std::string& prefix, const Fields& more) {
  for (Field field : more) {
    field.path = prefix + field.path;
    fields.push_back(std::move(field));
  }
  return fields;
}

}  // namespace

const std::vector<JsonDocument>& json_documents() {
  static const Field materials = {"materials", "list of objects", "", "",
                                  "The materials of the walls, with the fields of `fdtd materials NAME --json` and "
                                  "these of their walls."};
  static const Fields metrics_of_file =
      joined({{"file", "text", "", "", "Path of the audio file."},
              {"channel", "whole number", "", "", "The channel, from 1."},
              {"channels", "whole number", "", "", "Number of channels of the file."},
              {"warnings", "list of texts", "", "",
               "What the user should know of the requested band, and of a signal that may be no impulse response."}},
             "", joined(metrics_fields(), "bands[].", band_fields()));
  static const std::vector<Embedded> of_run = {{"plan.", &plan_fields()},
                                               {"materials[].", &material_fields()},
                                               {"materials[].", &wall_fields()},
                                               {"receivers[].metrics.", &metrics_fields()},
                                               {"receivers[].metrics.bands[].", &band_fields()},
                                               {"receivers[].metrics.broadband.", &band_fields()}};
  static const std::vector<Embedded> of_sweep = [] {
    std::vector<Embedded> list = {{"", &run_fields()}};
    list.insert(list.end(), of_run.begin(), of_run.end());
    return list;
  }();
  static const Fields gpu_profile =
      joined(joined(provenance_fields(), "results[].", gpu_result_fields()), "results[].", gpu_detail_fields());
  static const Fields gpu_compare = joined(joined(provenance_fields(), "", gpu_compare_fields()), "", cost_fields());
  static const std::vector<JsonDocument> documents = {
      {"fdtd plan SCENE --json",
       "The same document is printed by `fdtd run SCENE --dry-run --json`.",
       joined(joined(plan_fields(), "", {materials}), "materials[].", wall_fields()),
       {{"materials[].", &material_fields()}}},
      {"fdtd estimate SCENE --json",
       "Diffuse sound by octave: [The diffusion equation](../explanation/diffusion.md).",
       estimate_fields(),
       {}},
      {"fdtd run SCENE --json", "", run_fields(), of_run},
      {"fdtd run SCENE --resume --json",
       "Printed instead where the run is complete already, so that there is nothing to resume.",
       completed_fields(),
       {}},
      {"fdtd sweep SCENE --set KEY=[...]",
       "One document a line, in the order in which the runs end. A run that succeeds has the fields of "
       "`fdtd run --json` as well; its line is kept in the run's folder as run.json.",
       sweep_fields(), of_sweep},
      {"fdtd metrics IR.wav --json",
       "Figures of merit by ISO 3382-1. A figure that the dynamic range of the response cannot carry is null.",
       metrics_of_file,
       {{"broadband.", &band_fields()}}},
      {"fdtd materials --json", "A list of the library's materials, each with these fields.", library_fields(), {}},
      {"fdtd materials NAME --json",
       "A list of the named materials as they are fitted, each with these fields.",
       material_fields(),
       {}},
      {"fdtd stencils --json", "A list of stencils, each with these fields.", stencil_fields(), {}},
      {"fdtd profile --json", "The speed of bare kernels on the CPU.", cpu_profile_fields(), {}},
      {"fdtd profile SCENE --json", "The speed of a whole room.", room_profile_fields(), {}},
      {"fdtd profile --multigrid V --json", "Multigrid on the Poisson problem in a box.", multigrid_fields(), {}},
      {"fdtd profile --multigrid V --mask ball --json",
       "Conjugate gradients with multigrid on a mask.",
       mask_fields(),
       {}},
      {"fdtd profile --device cuda --json",
       "The speed of bare kernels on a GPU.",
       gpu_profile,
       {{"results[].tiles[].", &tile_fields()}}},
      {"fdtd compare --json",
       "The speed of the stencil families on the CPU, and what an accuracy costs.",
       joined(cpu_profile_fields(), "", cost_fields()),
       {}},
      {"fdtd compare --device cuda --json",
       "The speed of the stencil families on a GPU. Each element of `results` has the fields of "
       "`fdtd profile --device cuda --json` as well.",
       gpu_compare,
       {{"results[].", &gpu_result_fields()}, {"results[].", &gpu_detail_fields()}}},
      {"fdtd doctor --json", "", doctor_fields(), {}},
  };
  return documents;
}

std::vector<Field> all_fields(const JsonDocument& document) {
  Fields list = document.fields;
  for (const Embedded& part : document.embedded) list = joined(std::move(list), part.prefix, *part.fields);
  return list;
}

}  // namespace fdtd::cli
