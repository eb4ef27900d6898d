// result.h5: everything that a run produces, to analyse it, to trace its origin, and to render it again.
//
// Layout (R is the name of a receiver, S that of a source; rows are in the order of the sources' `index`). Schema
// version 1, of up to max_single_responses responses:
//   /                          @schema_version, @format "fdtd result"
//   /provenance                @version @build @scene (the file's whole text) @overrides (--set, as given) @plan (JSON)
//                              @box (m), if the room is a box; @waves: exact_print of the plan, if one process computed
//   /provenance/run            @device @date @wall_seconds: the only values (with their copies and checksums at the end
//                              of the file) in which two runs of one build and scene on one kind of device may differ
//   /sources/S                 @index @position (m) @direction of its main axis
//   /receivers/R               @index @position (m) @direction
//   /receivers/R/pressure      sources x samples, double, @sample_rate @peak (one per source) @convention:
//                              the impulse responses
//   /render                    @output_rate @low_cut @bandwidth @duration @remove_time_dispersion @format @remarks
//                              @branch (Hz) @sound_speed (m/s):
//   /render/weights            one per receiver, by which its responses are multiplied, where microphones have weights
//   /render/gain               how they are rendered (RenderOptions); gain, tables x steps, if there is one
//   /render/air                @temperature (degrees Celsius) @relative_humidity (%) @pressure (kPa)
//                              @sound_speed (m/s), where air absorbs
//   /render/capsules           @sound_speed (m/s), source_orders, receiver_orders, source_mixes, receiver_mixes (of,
//                              with, share, one after the other), cut (Hz), where sources or receivers have
//                              directivity: R is then the name of a channel, "R1:00" of an ambisonic one, "R1:v" of a
//                              cardioid's figure-eight (channels.hpp); of measured sources filter_of (channel, the one
//                              that it adds to, number of frequencies), filter_cut (Hz) and filter_values (Hz, real and
//                              imaginary part), one filter after the other
//   /raw                       @sample_rate (1 / time step) @drive (1, -1)
//   /raw/R/record              sources x samples, double: the unprocessed samples of the grid for that drive. Always
//                              present: `fdtd render` gives the same response from them again, bit for bit
//   /raw/R/pressure            with raw = true: their cumulative sum, the unfiltered response to a unit sample, at the
//                              rate of the grid
//   /energy/S/...              step, stored, injected, dissipated, balance_error, one value per block of steps
//   /exchanged/R/...           the same of R's pass, where the receivers sent (transducers/exchange.hpp); those of S are
//                              empty then
//   /above                     where the scene asks for geometry above the waves' band (engine/above): @from, @to (Hz, the
//                              crossover), @upper (Hz), @octaves (Hz), @bin (s), @coherent_until (s), @volume (m3),
//                              @sound_speed (m/s), @seed, @rays, @image_order (-1: all images of a box), @directions,
//                              @agreement (JSON), if there is one
//   /above/pair                pairs x 3, int64: source and receiver of the scene, 1 where energies are by direction
//   /above/start               pairs: s, of the direct sound
//   /above/energy/I            of pair I, octaves x bins (x 24 directions of arrival): of all sound but image sources; an
//                              arrival over r metres has 1 / r^2
//   /above/channel             channels x 2, int64: s * receivers + r, and its pair
//   /above/pattern             channels x harmonics: the factors of the SN3D harmonics of a receiver's pattern
//   /above/early               channels x samples at 48000 Hz: image sources as a filter, before the crossover
//   /ears/R                    a binaural receiver: @index, @hrtf (the file of its head), @front, @up, @rotations
//                              (degrees), @filter_rate (Hz), @lead (s), @exact_to (Hz)
//   /ears/R/filters            left and right x channels x taps, from R's channels "R:b00" ... in the head's axes
//   /ears/R/pressure           sources x rotations x left and right x samples, @sample_rate: the responses of the ears
//   /metrics                   @json, if there are any
//   /metrics/centre, onset, T20 and others: a FigureTable, sources x receivers (x bands), if there is one
//   /materials                 @json: the requested values of each material and its fitted branches (`fdtd run --json`)
//   /notches                   @json: notches of first reflections and the dips of the responses there, of the first pairs
//   /room                      @materials, vertices (m; x, y, z in turn), triangles (three vertices in turn), material
//                              (one per triangle): the surface of the room, also of a box
// Schema version 2, of more: /receivers and /raw hold no R; in their place
//   /responses/name            the receivers' names, in the order of rows
//   /responses/position        receivers x 3, m; /responses/direction likewise, where a receiver has one
//   /responses/pressure        sources x receivers x samples, double, @sample_rate @convention
//   /responses/peak            sources x receivers
//   /responses/record          sources x receivers x samples, double: as /raw/R/record
//   /responses/raw_pressure    with raw = true: as /raw/R/pressure
// After HDF5's bytes follows the index by which this program reads the file (h5_index.hpp).
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/above/above_record.hpp"
#include "engine/binaural/binaural_receiver.hpp"
#include "engine/plan/single_responses.hpp"
#include "engine/responses/figure_table.hpp"
#include "engine/responses/render.hpp"
#include "engine/results/room_surface.hpp"
#include "engine/run/recording.hpp"

namespace fdtd {

struct RunFacts {
  std::string device;  // up to 128 bytes are kept
  std::string date;    // up to 32 bytes, ISO 8601
  double wall_seconds = 0.0;
};

struct Result {
  std::string version, build;
  std::string scene_text;
  std::vector<std::string> overrides;
  std::string plan_json;
  std::string wave_print;    // exact_print of the plan (engine/plan/fingerprint.hpp); empty: not known
  std::string metrics_json;  // empty: none
  std::optional<FigureTable> figures;
  std::string materials_json;  // empty: none
  std::string notches_json;    // engine/notches/notch_fields.hpp; empty: none
  RunFacts run;
  std::vector<std::array<double, 3>> source_positions, receiver_positions;  // m, in the order of recording's names
  // Their main axes, zero or absent for no direction; the sides of the room in m, zero for a room that is not a box.
  std::vector<std::array<double, 3>> source_directions, receiver_directions;
  std::array<double, 3> room_box{};
  RoomSurface surface;       // without triangles: unknown
  double sound_speed = 0.0;  // m/s; 0: unknown
  Recording recording;
  RenderOptions options;             // with which `recording` becomes `rendered`
  std::string format = "float";      // of the audio files: OutputSpec::format
  std::optional<AboveRecord> above;  // sound above the waves' band, which `rendered` includes
  std::string agreement_json;        // of `above` with the waves below the crossover; empty: none
  Rendered rendered;
  std::vector<BinauralReceiver> binaural;  // their ears are made of `rendered`
  bool raw = false;                        // OutputSpec::raw
  // Hz, up to which `rendered` is right; 0: as wide as its rate allows.
  double valid_to() const { return above ? above->upper : options.bandwidth; }
  BandParts parts() const {
    return above ? BandParts{above->crossover.from, above->crossover.to, true} : BandParts{0.0, 0.0, true};
  }
};

// Renders the recording by the result's options, with the sound above the waves' band where there is any. Throws as
// render().
void render_result(Result& result);

// Throws Error: status file when it cannot be written whole or exists and `force` is false (then no file is written);
// scene when sizes disagree, or a name is empty, repeated, "." or "..", or holds a slash.
void write_result(const std::filesystem::path& target, const Result& result, bool force);

// m, between source and receiver of channel s * receivers + r.
double distance_of(const Result& result, std::size_t channel);

// The program and the scene of a result.
struct Provenance {
  std::string version, scene_text;
  std::vector<std::string> overrides;
  std::string build, device, wave_print;
};

// Both throw Error (status file) for a file that is missing, damaged, of another program or of a newer schema.
Provenance read_provenance(const std::filesystem::path& path);
Result read_result(const std::filesystem::path& path);

}  // namespace fdtd
