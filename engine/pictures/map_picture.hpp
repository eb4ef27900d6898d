// A quantity in a plane of a room as a picture: colours with their scale, walls with their outline, axes in metres.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace fdtd {

struct MapMark {
  std::array<double, 2> place{};  // m, along both axes
  std::string label;
};

struct MapPicture {
  std::string title;
  std::string quantity;        // "level (dB)"
  std::array<int, 2> cells{};  // along both axes
  std::array<char, 2> axes{'x', 'y'};
  std::array<double, 2> first{};    // m, centre of the first cell
  std::array<double, 2> spacing{};  // m, between centres
  std::vector<double> values;       // the first axis fastest, from below; NaN: a wall or no value, drawn grey
  double low = 0.0, high = 0.0;     // values at the ends of the colours; values beyond have the colour of the end
  bool diverging = false;           // blue through white to red, for pressures; else dark to light
  std::vector<MapMark> marks;       // sources
  bool scale_bar = false;           // a length below the map
  std::string grey;                 // what grey stands for, below the map where there is any; empty: nothing is said
  int pixels = 480;                 // of the longer side of the map, about; text and scale come on top
};

int map_zoom(const MapPicture& map);  // pixels along a side of a cell, 1 to 64

// A PNG file's bytes; the same map gives the same bytes. Throws as encode_png.
std::string map_png(const MapPicture& map);

}  // namespace fdtd
