// The modes of a scene's room: frequencies, decays, levels at its receivers, shapes.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "engine/modes/find_modes.hpp"
#include "engine/notches/wall_notches.hpp"
#include "engine/small_rooms/room_run.hpp"

namespace fdtd {

// Modes of one frequency and decay, in the time of sound: the frequency map of the scheme is undone.
struct RoomMode {
  double frequency = 0.0, frequency_error = 0.0;  // Hz
  double decay = 0.0, decay_error = 0.0;          // 1/s, of the pressure
  std::size_t multiplicity = 1;                   // at least: see RoomModes::senders
  bool overlaps = false;                          // above the Schroeder frequency
  // The response of a receiver to a source, as `fdtd run` writes it, holds Re(amplitude e^{(i omega - decay) t}) in 1/s:
  // [source * receivers + receiver].
  std::vector<std::complex<double>> amplitude;
  std::vector<std::vector<std::complex<double>>> shapes;  // [of the multiplicity][point], the largest value 1

  std::optional<double> decay_time() const;        // s, 60 dB; none where it does not decay
  std::optional<double> decay_time_error() const;  // s
  // dB: of the mode alone at its frequency, re the free field of the source at 1 m; none where it does not decay.
  std::optional<double> level(std::size_t channel) const;
};

struct RoomModes {
  std::vector<RoomMode> modes;  // ascending in frequency
  std::vector<std::string> sources, receivers;
  std::size_t senders = 0;  // sources of the run, those of the scene included: no multiplicity is above it
  RoomPoints points;
  double volume = 0.0;               // m3
  double duration = 0.0;             // s, of the records
  double used = 0.0;                 // s, of the records: behind the bands' filters and above their noise
  double resolution = 0.0;           // Hz: 1 over that part
  double schroeder_frequency = 0.0;  // Hz, by the median decay time of the modes; infinite where none decays
  double expected_count = 0.0;       // of modes in the band, by volume, surface and edges
  double residual = 0.0;
  int left_out = 0;
  double sound_speed = 0.0;
  std::vector<PairNotches> notches;  // of sources and receivers of the scene, with dips of their records
  std::vector<std::string> notes;
  std::string scene_text;
  std::vector<std::string> overrides;
};

struct ModesRequest {
  WaveRequest waves;
  std::int64_t points = 400;  // of the shapes, at most
};

// Plans, runs and finds. Throws Error as plan_waves, run_room, find_modes.
RoomModes room_modes(const ModesRequest& request, const RoomCalls& calls = {});

}  // namespace fdtd
