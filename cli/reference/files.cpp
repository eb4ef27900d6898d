// The page files.md: the files that commands read and write, and what HDF5 files hold.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "cli/reference/ears_entries.hpp"
#include "cli/reference/field_entries.hpp"
#include "cli/reference/markdown.hpp"
#include "cli/reference/reference.hpp"
#include "cli/reference/tables.hpp"
#include "engine/responses/band_metrics.hpp"

namespace fdtd::cli {
namespace {

using Entries = std::vector<FileEntry>;

// After the group `path` the energy balances of its pass; `sender`: what sends.
void add_balances(Entries& entries, const std::string& path, const std::string& when, const std::string& sender) {
  const Entries balances = {
      {path + "/step", "one a balance, i64", "", when, "Step of the balance."},
      {path + "/stored", "one a balance, f64", "", when, "Energy of the field and the walls."},
      {path + "/injected", "one a balance, f64", "", when, "Energy that the " + sender + " has injected."},
      {path + "/dissipated", "one a balance, f64", "", when, "Energy that the walls have absorbed."},
      {path + "/balance_error", "one a balance, f64", "", when,
       "(stored + dissipated - injected) / largest injected energy so far."},
  };
  const auto group = std::ranges::find(entries, path, &FileEntry::path);
  entries.insert(group + 1, balances.begin(), balances.end());
}

Entries result_entries() {
  const char* const with_box = "the room is a box";
  const char* const with_above = "`above.method = \"rays\"`";
  const char* const with_air = "`air.absorption = true`";
  const char* const with_directivity = "a source or receiver has a pattern, or a receiver is near a source";
  const char* const few = "up to 1000 responses";
  const char* const with_notches = "a receiver stands still";
  const char* const receivers_sent = "receivers sent (`simulation.reciprocity`)";
  const char* const many = "more than 1000 responses";
  Entries entries = {
      {"/@format", "text", "", "", "`fdtd result`."},
      {"/@schema_version", "whole number", "", "",
       "1: a group for each receiver; 2: arrays in /responses, of more than 1000 responses (sources times receivers)."},
      {"/provenance", "group", "", "", "The origin of the result."},
      {"/provenance@version", "text", "", "", "Version of the program."},
      {"/provenance@build", "text", "", "", "Compiler and options."},
      {"/provenance@scene", "text", "", "", "The whole scene file."},
      {"/provenance@overrides", "texts", "", "", "The arguments of `--set`."},
      {"/provenance@plan", "text", "", "",
       "The plan as JSON: the fields of `fdtd plan --json`, without those about the device and `materials`."},
      {"/provenance@waves", "text", "", "one process computed",
       "Fingerprint of all that the waves depend on: where it is the same, `fdtd run --waves` takes them from here."},
      {"/provenance@box", "3 numbers", "m", with_box, "Side lengths of the room."},
      {"/provenance/run", "group", "", "", "The only values in which two runs of one build and scene may differ."},
      {"/provenance/run@device", "text", "", "", "The device that computed."},
      {"/provenance/run@date", "text", "", "", "End of the run, ISO 8601."},
      {"/provenance/run@wall_seconds", "number", "s", "", "Wall-clock time of the steps."},
      {"/sources", "group", "", "", "The sources."},
      {"/sources/S", "group", "", "", "One source."},
      {"/sources/S@index", "whole number", "", "", "Its row in datasets with one row a source, from 0."},
      {"/sources/S@position", "3 numbers", "m", "", "Its position."},
      {"/sources/S@direction", "3 numbers", "", "the source has a direction", "Its main lobe."},
      {"/receivers", "group", "", few, "The receivers."},
      {"/receivers/R", "group", "", few, "One receiver."},
      {"/receivers/R@index", "whole number", "", few, "Its number, from 0."},
      {"/receivers/R@position", "3 numbers", "m", few, "Its position."},
      {"/receivers/R@direction", "3 numbers", "", "the receiver has a direction", "Its main lobe."},
      {"/receivers/R/pressure", "sources x samples, f64", "", few, "The impulse responses, at the output sample rate."},
      {"/receivers/R/pressure@sample_rate", "number", "Hz", few, "The output sample rate."},
      {"/receivers/R/pressure@peak", "one number a source", "", few, "Largest absolute sample of each response."},
      {"/receivers/R/pressure@convention", "text", "", few, "The scale of a response, in words."},
      {"/responses", "group", "", many, "All responses in arrays."},
      {"/responses/name", "receivers, texts", "", many, "Names of the receivers, in the order of the arrays."},
      {"/responses/position", "receivers x 3, f64", "m", many, "Their positions."},
      {"/responses/direction", "receivers x 3, f64", "", "more than 1000 responses, and a receiver has a direction",
       "Their main lobes; zero: no direction."},
      {"/responses/pressure", "sources x receivers x samples, f64", "", many,
       "The impulse responses, at the output sample rate."},
      {"/responses/pressure@sample_rate", "number", "Hz", many, "The output sample rate."},
      {"/responses/pressure@convention", "text", "", many, "The scale of a response, in words."},
      {"/responses/peak", "sources x receivers, f64", "", many, "Largest absolute sample of each response."},
      {"/responses/record", "sources x receivers x samples, f64", "", many, "The grid's own samples: /raw/R/record."},
      {"/responses/raw_pressure", "sources x receivers x samples, f64", "",
       "more than 1000 responses, and `output.raw = true`", "Their cumulative sums, as in /raw/R/pressure."},
      {"/render", "group", "", "", "How the responses were made from the raw records."},
      {"/render@output_rate", "number", "Hz", "", "The output sample rate."},
      {"/render@low_cut", "number", "Hz", "", "Corner frequency of the high-pass filter; 0: none."},
      {"/render@bandwidth", "number", "Hz", "", "Upper limit of the responses."},
      {"/render@branch", "number", "Hz", "", "Where the grid's second branch begins; nothing passes above it."},
      {"/render@duration", "number", "s", "", "Length of the responses."},
      {"/render@remove_time_dispersion", "whole number", "", "",
       "1: corrected for the error of the time difference, or by /render/frequency_map."},
      {"/render/frequency_map", "numbers, f64", "", "the stencil has a radial map",
       "Courant number, edge of the band in radians a cell, four corrections, then a radius and a weight for each "
       "shell."},
      {"/render@format", "text", "", "", "`float` or `pcm24`."},
      {"/render@remarks", "texts", "", "", "Notes on the responses."},
      {"/render@sound_speed", "number", "m/s", "", "Sound speed: no sound arrives before the distance over it."},
      {"/render/weights", "one a receiver, f64", "", "microphones of an array have weights",
       "By which a receiver's responses are multiplied; those of /raw are not."},
      {"/render/gain", "tables x values, f64", "", "the scheme needs it",
       "Correction of the strength of sources and receivers by frequency."},
      {"/render/gain_of", "channels, i64", "", "the scheme needs it",
       "The row of /render/gain for each channel, source by source."},
      {"/render/air", "group", "", with_air, "The air that absorbs."},
      {"/render/air@temperature", "number", "degrees Celsius", with_air, "Temperature."},
      {"/render/air@relative_humidity", "number", "%", with_air, "Relative humidity."},
      {"/render/air@pressure", "number", "kPa", with_air, "Static pressure."},
      {"/render/air@sound_speed", "number", "m/s", with_air, "Sound speed."},
      {"/render/capsules", "group", "", with_directivity, "How directional channels are formed."},
      {"/render/capsules@sound_speed", "number", "m/s", with_directivity, "Sound speed."},
      {"/render/capsules/source_orders", "one a source, i64", "", with_directivity, "Order of the spatial derivative."},
      {"/render/capsules/receiver_orders", "one a receiver, i64", "", with_directivity, "The same for receivers."},
      {"/render/capsules/source_leads", "one a source, i64", "",
       "all channels of a directional source sent in one pass", "Samples of a record before the emission."},
      {"/render/capsules/source_mixes", "triples, f64", "", with_directivity,
       "(i, j, s): source i becomes s times itself plus 1 - s times source j."},
      {"/render/capsules/receiver_mixes", "triples, f64", "", with_directivity, "The same for receivers."},
      {"/render/capsules/cut", "one an order, f64", "Hz", with_directivity,
       "c / (2 pi R) of the radial filter of that order, R its distance."},
      {"/render/capsules/filter_of", "triples, i64", "", "a source has a measured directivity",
       "Channel, the channel that its responses are added to, and the number of frequencies of its filter."},
      {"/render/capsules/filter_cut", "one a filter, f64", "Hz", "a source has a measured directivity",
       "Frequency c / (2 pi r) of its radial filter."},
      {"/render/capsules/filter_values", "triples, f64", "", "a source has a measured directivity",
       "Frequency in Hz, real and imaginary part of the filter, one filter after the other."},
      {"/render/capsules/near_field", "channels x 2, f64", "", "a receiver is near a source",
       "E_0 and E_1 of the grid's near field, which is subtracted; source by source."},
      {"/render/capsules/near_corner", "one a channel, f64", "Hz",
       "a source is near a directional receiver, or the reverse, beside walls that do not lie along the grid",
       "Where the radial filter of the channel is 3 dB down at least; 0: that of its order; source by source."},
      {"/raw", "group", "", "", "The grid's own samples, from which `fdtd render` makes the same responses again."},
      {"/raw@sample_rate", "number", "Hz", "", "1 / time step."},
      {"/raw@drive", "2 numbers", "", "", "The samples that each source injects: 1, -1."},
      {"/raw/R", "group", "", few, "One receiver."},
      {"/raw/R/record", "sources x samples, f64", "", few, "The recorded pressure for that drive, unfiltered."},
      {"/raw/R/pressure", "sources x samples, f64", "", "`output.raw = true`",
       "Its cumulative sum: the unfiltered response to a unit sample."},
      {"/energy", "group", "", "", "The energy balance, in the units of the discrete energy."},
      {"/energy/S", "group", "", "", "The pass of one source; its arrays are empty where receivers sent."},
      {"/exchanged", "group", "", receivers_sent, "The energy balance, where receivers sent and sources recorded."},
      {"/exchanged/R", "group", "", receivers_sent, "The pass of one receiver."},
      {"/above", "group", "", with_above, "The sound above the waves' band."},
      {"/above@from", "number", "Hz", with_above, "Waves alone up to here."},
      {"/above@to", "number", "Hz", with_above, "Geometry alone from here on."},
      {"/above@upper", "number", "Hz", with_above, "End of the responses."},
      {"/above@octaves", "one an octave", "Hz", with_above, "Centre frequencies."},
      {"/above@bin", "number", "s", with_above, "Time step of energies."},
      {"/above@coherent_until", "number", "s", with_above,
       "Earlier image sources are added in phase, others as powers."},
      {"/above@volume", "number", "m3", with_above, "Volume of air, by which late sound gets its density of arrivals."},
      {"/above@sound_speed", "number", "m/s", with_above, "Sound speed."},
      {"/above@seed", "whole number", "", with_above, "`above.seed`."},
      {"/above@rays", "whole number", "", with_above, "Rays of each source, the fewest of all."},
      {"/above@ray_end", "text", "", with_above, "Why there are no more: `rays.end` of `fdtd run --json`."},
      {"/above@spread_T20", "one an octave", "%", "rays were traced", "`rays.spread` of `fdtd run --json`; NaN: null."},
      {"/above@spread_C80", "one an octave", "dB", "rays were traced", "The same of C80."},
      {"/above@spread_G", "one an octave", "dB", "rays were traced", "The same of G."},
      {"/above@image_order", "whole number", "", with_above, "Reflections of image sources at most; -1: all of a box."},
      {"/above@directions", "3 a direction", "", with_above, "Unit vectors by which energies tell directions."},
      {"/above@agreement", "text", "", "the plan has `above`",
       "Geometry compared with waves, as JSON: `agreement` of `fdtd run --json`."},
      {"/above/pair", "pairs x 3, i64", "", with_above,
       "Source and receiver of the scene, from 0, and 1 where energies are by direction."},
      {"/above/start", "one a pair, f64", "s", with_above, "Arrival of direct sound."},
      {"/above/energy", "group", "", with_above, "The energies of all sound but image sources."},
      {"/above/energy/I", "octaves x bins (x directions), f64", "", with_above,
       "Those of pair I, from 0; an arrival over r metres has 1 / r²."},
      {"/above/channel", "channels x 2, i64", "", with_above, "Row of /receivers (source by source), and its pair."},
      {"/above/pattern", "channels x harmonics, f64", "", with_above,
       "Factors of the SN3D harmonics of the receiver's pattern; zeros: omnidirectional."},
      {"/above/early", "channels x samples, f64", "", with_above, "Image sources: a filter at 48000 Hz, no crossover."},
      {"/metrics", "group", "", "", "Figures of merit."},
      {"/metrics@json", "text", "", few,
       "A list of objects `source`, `receiver` and the fields of `fdtd metrics --json` from `sample_rate` on."},
      {"/metrics/centre", "bands, f64", "Hz", "", "Centre frequencies of the bands; the last is 0: all frequencies."},
      {"/metrics/onset", "sources x receivers, f64", "s", "",
       "Arrival of sound. No number here and below: the response has no such band, its decay cannot support the "
       "figure, or the channel is no output by itself."},
      {"/materials", "group", "", "", "The materials of the walls."},
      {"/materials@json", "text", "", "", "The document of `fdtd materials NAME --json`."},
      {"/notches", "group", "", with_notches, "Notches that first reflections of walls make in direct sound."},
      {"/notches@json", "text", "", with_notches,
       "`pairs` of `fdtd notches --result --json`, of the first 64 pairs of source and receiver up to 500 Hz."},
      {"/room", "group", "", "", "The surface of the room."},
      {"/room@materials", "texts", "", "", "Names of the materials."},
      {"/room/vertices", "3 a vertex, f64", "m", "", "x, y, z of each vertex in turn."},
      {"/room/triangles", "3 a triangle, i64", "", "", "The vertices of each triangle in turn, from 0."},
      {"/room/material", "one a triangle, i64", "", "", "The material of each triangle, from 0."},
  };
  add_balances(entries, "/energy/S", "", "source");
  add_balances(entries, "/exchanged/R", receivers_sent, "receiver");
  for (const NamedFigure& one : named_figures)
    entries.push_back(
        {std::string("/metrics/") + one.name, "sources x receivers x bands, f64", one.unit,
         &one - named_figures < static_cast<std::ptrdiff_t>(figures_of_decay) ? "" : "any response has it", one.about});
  std::ranges::move(ears_entries(), std::back_inserter(entries));
  return entries;
}

Entries checkpoint_entries() {
  const char* const with_snapshots = "a snapshot is in progress";
  Entries entries = {
      {"/@format", "text", "", "", "`fdtd checkpoint`."},
      {"/@schema_version", "whole number", "", "", "2."},
      {"/@version", "text", "", "", "Version of the program, which alone resumes it."},
      {"/@remarks", "texts", "", "", "Notes on the choice of the stencil."},
      {"/plan", "group", "", "", "The plan that the checkpoint belongs to."},
      {"/plan@precision", "text", "", "", "`f32` or `f64`."},
      {"/plan@stencil", "text", "", "", "Name of the stencil."},
      {"/plan@grid", "3 numbers", "", "", "Number of grid points along x, y and z."},
      {"/plan@time_step", "number", "s", "", "Time step."},
      {"/plan@steps", "whole number", "", "", "Number of time steps for each source."},
      {"/plan@sources", "texts", "", "", "Names of the sources."},
      {"/plan@receivers", "texts", "", "", "Names of the receivers."},
      {"/plan@state_nodes", "whole number", "", "", "Grid points of the stored field."},
      {"/plan@state_branches", "whole number", "", "", "Impedance branches of the stored field."},
      {"/plan@fingerprint", "text", "", "", "Checksum of everything that the plan computes with."},
      {"/state", "group", "", "", "The field between two steps."},
      {"/state@source", "whole number", "", "",
       "The source that is being simulated, from 0; their number once all steps are done: then the arrays of the state "
       "are "
       "empty."},
      {"/state@step", "whole number", "", "", "Its completed steps."},
      {"/state@seconds", "number", "s", "", "Time of all steps so far."},
      {"/state/u_now", "one a node, f32 or f64", "", "", "Pressure at the latest step."},
      {"/state/u_before", "one a node, f32 or f64", "", "", "Pressure one step earlier."},
      {"/state/velocity", "one a branch, f32 or f64", "", "", "Velocity of each impedance branch."},
      {"/state/displacement", "one a branch, f32 or f64", "", "", "Displacement of each impedance branch."},
      {"/state/injected", "one a layer, f64", "", "", "Injected energy, by layers of the grid."},
      {"/state/dissipated", "one a layer, f64", "", "", "Dissipated energy, by layers of the grid."},
      {"/recording", "group", "", "", "The record so far."},
      {"/recording@sample_rate", "number", "Hz", "", "1 / time step."},
      {"/recording@samples", "whole number", "", "", "Samples of the complete record."},
      {"/recording/pressure", "sources x receivers x samples, f64", "", "",
       "The record; zero where it is not yet computed."},
      {"/energy", "group", "", "", "The energy balances so far, as in result.h5."},
      {"/energy/S", "group", "", "", "One source."},
      {"/frames", "group", "", with_snapshots, "Frames of snapshots that are not yet complete."},
      {"/frames@count", "whole number", "", with_snapshots, "Their number."},
      {"/frames/N", "group", "", with_snapshots, "One frame, from 0."},
      {"/frames/N@snapshot", "whole number", "", with_snapshots, "The snapshot, from 0."},
      {"/frames/N@frame", "whole number", "", with_snapshots, "The frame of that snapshot, from 0."},
      {"/frames/N/sum", "one a node of the frame, f32", "", with_snapshots, "The partial sum over the pulse."},
  };
  add_balances(entries, "/energy/S", "", "source");
  return entries;
}

std::string entries_table(const Entries& entries) {
  std::vector<std::vector<std::string>> rows;
  for (const FileEntry& entry : entries) {
    const std::size_t at = entry.path.find('@');
    const bool attribute = at != std::string::npos;
    rows.push_back({code(entry.path.substr(0, at)), attribute ? code(entry.path.substr(at + 1)) : "",
                    escape_markdown(entry.shape), entry.unit, escape_markdown(entry.when),
                    escape_markdown(entry.about)});
  }
  return markdown_table({"Object", "Attribute", "Content", "Unit", "Present if", "Meaning"}, rows);
}

}  // namespace

const std::vector<OutputFile>& output_files() {
  static const std::vector<OutputFile> files = {
      {"ir_R.wav",
       "run, render",
       "one source",
       "Impulse response at receiver R, mono; of an ambisonic receiver all its channels, of a binaural one the left "
       "and "
       "the right ear in its first rotation. The comment of the file "
       "states the scale, the valid bandwidth, the low-cut and the time before which no sound arrives, which "
       "`fdtd metrics` reads.",
       {}},
      {"ir_S_R.wav", "run, render", "several sources", "Impulse response from source S at receiver R.", {}},
      {"ir_R_yawNNN.wav",
       "run, render",
       "a binaural receiver with several rotations",
       "The ears turned by NNN degrees.",
       {}},
      {"responses.wav",
       "run, render",
       "one source and several receivers",
       "The responses at all receivers, one channel after the other; `responses_1.wav`, `responses_2.wav`, ... where "
       "one file cannot hold all (1024 channels). More than 1000 responses have these files alone, none each.",
       {}},
      {"responses_S.wav",
       "run, render",
       "several sources and receivers",
       "The responses of source S at all receivers.",
       {}},
      {"recording_R.wav",
       "run",
       "one source, with a `signal` file",
       "The record of the signal at receiver R: the whole convolution of signal and response, whose length is both "
       "lengths less one sample. More than 1000 responses share `recordings.wav`, as they share `responses.wav`. Of a "
       "receiver with a `path` the record of the signal along it; the receivers at its places have none.",
       {}},
      {"recording_S_R.wav",
       "run",
       "several sources, S with a `signal` file",
       "The record of the signal of source S at receiver R.",
       {}},
      {"result.h5", "run", "",
       "Everything that a run computes: responses, raw records, energy balance, figures, room, scene and plan. Of a "
       "receiver with a pattern, R is the name of a channel: `R:00`, `R:01`, ... of an ambisonic one; `R:b00`, ... of "
       "a binaural one's field; `R:v` is the "
       "figure-eight of a cardioid, as `S:v` is of a source: zeros where both parts sent in one pass, that of `S`.",
       result_entries()},
      {"report.html",
       "run, report",
       "",
       "One page to look at in a browser, without a network: the room in 3-D, responses, decays with their fits, "
       "spectra, waterfalls, figures of merit with their maps, players, materials, energy and notes.",
       {}},
      {"responses.sofa",
       "run --sofa, render --sofa",
       "a receiver of one channel",
       "The responses in the SOFA format (AES69, convention SingleRoomSRIR 1.0), one measurement for each pair of a "
       "source and a receiver.",
       {}},
      {"responses_ambisonic_N.sofa",
       "run --sofa, render --sofa",
       "an ambisonic receiver of order N",
       "The same for ambisonic receivers: channels in ACN order, SN3D.",
       {}},
      {"responses_array_NAME.sofa",
       "run --sofa, render --sofa",
       "a receiver with an array",
       "The same for the microphones of one array, with their positions about their mean.",
       {}},
      {"responses_binaural.sofa",
       "run --sofa, render --sofa",
       "a binaural receiver",
       "The same for binaural receivers: the left and the right ear, one measurement for each pair and rotation, whose "
       "ListenerView is where the head looks.",
       {}},
      {"snapshots.h5", "run", "the scene has snapshots", "The frames of the pressure field.", snapshot_entries()},
      {"snapshots.xdmf", "run", "the scene has snapshots", "Describes snapshots.h5 to ParaView.", {}},
      {"checkpoint.h5", "run", "until the run is complete",
       "The state of the run, from which `--resume` continues: written at the interval of `--checkpoint-every`, at "
       "SIGINT, SIGTERM, SIGUSR1 and after `--max-time`; when all steps are done and rays and image sources follow, or "
       "where the run has written one before, with the records alone.",
       checkpoint_entries()},
      {"checkpoint-previous.h5", "run", "until the run is complete", "The checkpoint before that one.", {}},
      {"snapshots.h5.part", "run", "until the run is complete", "The frames so far.", {}},
      {"NNN/", "sweep, fit", "", "The folder of one run, 001 and on, with the files of `fdtd run`.", {}},
      {"sweep.csv",
       "sweep",
       "",
       "The figures of all runs, one row a run, response and octave band: run, a column for each key, status, error, "
       "source, receiver, band (Hz, or `all`), EDT, T20, T30, C50, C80, D50, Ts, G, curvature, nonlinearity_T20, "
       "nonlinearity_T30, DRR, LF, LFC, LJ, ST_early, ST_late, IACC_early, IACC_late, IACC; empty where a response "
       "does not give a figure. A run that failed has one row. Written when the last run has ended.",
       {}},
      {"NNN/run.json", "sweep", "the run succeeded", "The line of JSON that `fdtd sweep` prints for the run.", {}},
      {"FITTED.toml", "fit", "", "The scene with fitted absorption; its first line states the data and the runs.", {}},
      {"NAME.toml", "import", "", "A scene to begin from: materials and positions are to be chosen.", {}},
      {"NAME.obj", "import", "", "The mesh of a PFFDTD model, with its materials as groups.", {}},
      {"estimate.h5", "estimate --map", "", "Levels on a plane.", estimate_entries()},
      {"level_S.png",
       "estimate --map",
       "",
       "The same for one octave and source S as a picture with axes and scale, walls grey, the source marked.",
       {}},
      {"modes.h5", "modes --output", "", "Modes and their shapes at points all over the room.", modes_entries()},
      {"mode_NNN.png",
       "modes --output",
       "",
       "The shape of a mode on the horizontal plane of points where it is strongest, in the order of modes.h5; grey: "
       "no "
       "point of the room.",
       {}},
      {"place.h5", "place", "", "Figures of all candidate places.", place_entries()},
      {"place.csv", "place", "", "The same as a table, the best place first.", {}},
      {"place.png",
       "place",
       "",
       "The figure of `--target` on the horizontal plane of the best place: dark is best; grey: no place.",
       {}},
      {"movie_NAME/frame_NNN.png",
       "movie",
       "",
       "The frames of snapshot NAME as pictures, with time, axes, length, walls and scale of colours.",
       {}},
  };
  return files;
}

std::string files_page(const CLI::App&) {
  std::string text =
      "# Files\n\n"
      "This page is printed by `fdtd reference files`. A file has its final name only when it is complete, and a file "
      "that "
      "exists\nis replaced only with `--force`. In file names and paths, R stands for the name of a receiver, S for "
      "that of a "
      "source.\n\n"
      "## Files that are read\n\n";
  std::vector<std::vector<std::string>> rows;
  for (const InputFile& file : input_files()) rows.push_back({file.name, escape_markdown(file.formats), file.about});
  text += markdown_table({"File", "Formats", "Where"}, rows);
  text += "\n## Files that are written\n\n";
  rows.clear();
  for (const OutputFile& file : output_files())
    rows.push_back({code(file.name), code(file.command), escape_markdown(file.when), escape_markdown(file.about)});
  text += markdown_table({"File", "Written by", "Present if", "Content"}, rows);
  text +=
      "\nAn impulse response is a digital filter: convolved with the free-field pressure of a monopole at 1 m it gives "
      "the "
      "pressure\nat the receiver. An arrival over r metres is a band-limited pulse whose samples sum to 1/r, at any "
      "sample "
      "rate; sample 0 is\nthe emission.\n\n"
      "HDF5 files are read by h5py, MATLAB and others. After the HDF5 data each file has an index with checksums, by "
      "which "
      "this\nprogram itself reads it; a file that another program has changed is refused.\n";
  for (const OutputFile& file : output_files()) {
    if (file.entries.empty()) continue;
    text += fmt::format("\n## {}\n\n{}", code(file.name), entries_table(file.entries));
  }
  return text;
}

Json files_page_json(const CLI::App&) {
  Json files = Json::array();
  for (const OutputFile& file : output_files()) {
    Json entries = Json::array();
    for (const FileEntry& entry : file.entries)
      entries.push_back({{"path", entry.path},
                         {"content", entry.shape},
                         {"unit", entry.unit},
                         {"when", entry.when},
                         {"about", entry.about}});
    files.push_back({{"name", file.name},
                     {"command", file.command},
                     {"when", file.when},
                     {"about", file.about},
                     {"entries", entries}});
  }
  return files;
}

}  // namespace fdtd::cli
