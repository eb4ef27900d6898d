// Where a source, or a listener, of a scene has the flattest response: by reciprocity, one pass for each seat.
//
// Seats are the receivers where a source moves, the sources where a receiver does. A seat sends, nodes all over the
// candidate box record: the record at a node is that of the seat with the source at the node
// (transducers/exchange.hpp). Levels are those of power averaged over a sixth of an octave, at 24 frequencies an octave.
//
// Flatness is the standard deviation of level over frequency, root mean square over the seats. Evenness is the standard
// deviation of level over the seats, root mean square over frequency: the square root of the mean spatial variance of
// T. Welti, A. Devantier, "Low-frequency optimization using multiple subwoofers", J. Audio Eng. Soc. 54 (2006).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/notches/wall_notches.hpp"
#include "engine/small_rooms/room_run.hpp"

namespace fdtd {

struct PlacesRequest {
  WaveRequest waves;
  std::string moved;             // name of a source or receiver of the scene
  bool receiver = false;         // a receiver moves
  std::optional<PlaceBox> over;  // none: the whole room
  double step = 0.25;            // m, between candidates
  double from_wall = 0.2;        // m, along each axis
  bool even = false;             // the best place has the best evenness; false: flatness
};

struct RatedPlace {
  std::array<double, 3> position{};  // m
  double flatness = 0.0;             // dB
  std::optional<double> evenness;    // dB; none of one seat alone
  double level = 0.0;                // dB, mean over frequency and seats, re the free field at 1 m
};

struct RoomPlaces {
  RoomPoints points;
  std::vector<RatedPlace> places;  // of the points
  std::vector<std::size_t> order;  // of places, the best first
  RatedPlace now;                  // where it is in the scene
  std::vector<std::string> seats;
  std::vector<PairNotches> notches;  // at the best place, one a seat, with dips of its records
  double duration = 0.0;             // s, of the records
  std::vector<std::string> notes;
  std::string scene_text;
  std::vector<std::string> overrides;
};

// Throws Error: scene where there is no such source or receiver, no place in the box, nothing that absorbs, or one seat
// alone for evenness; else as plan_waves and run_room.
RoomPlaces room_places(const PlacesRequest& request, const RoomCalls& calls = {});

}  // namespace fdtd
