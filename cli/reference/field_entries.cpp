#include "cli/reference/field_entries.hpp"

namespace fdtd::cli {

namespace {

// Attributes that netCDF-4 stores with dimensions.
void add_dimensions(std::vector<FileEntry>& entries, const std::vector<std::string>& names) {
  for (const std::string& dimension : names)
    for (const char* attribute : {"CLASS", "NAME", "REFERENCE_LIST"})
      entries.push_back({dimension + "@" + attribute, attribute[0] == 'R' ? "references" : "text", "", "",
                         "Of a dimension, as netCDF-4 has it."});
}

void add_dimension_lists(std::vector<FileEntry>& entries, const std::vector<std::string>& arrays) {
  for (const std::string& array : arrays)
    entries.push_back({array + "@DIMENSION_LIST", "references", "", "", "Its dimensions, as netCDF-4 has them."});
}

// The attributes of the root of a file of a command: its format, and the scene that it is of.
std::vector<FileEntry> origin_of(const char* format) {
  return {{"/@format", "text", "", "", format},
          {"/@schema_version", "whole number", "", "", "1."},
          {"/@version", "text", "", "", "Version of the program."},
          {"/@scene", "text", "", "", "The whole scene file."},
          {"/@overrides", "texts", "", "", "The arguments of `--set`."}};
}

}  // namespace

std::vector<FileEntry> estimate_entries() {
  std::vector<FileEntry> entries = origin_of("`fdtd estimate`.");
  entries.insert(
      entries.end(),
      {
          {"/@plane", "text", "", "", "`x`, `y` or `z`: the axis across the plane."},
          {"/@position", "number", "m", "", "Position of the plane along that axis."},
          {"/octaves", "octaves, f64", "Hz", "", "Centres of the octaves."},
          {"/across", "columns, f64", "m", "", "Coordinates of the columns: x, or y where the plane is across x."},
          {"/up", "rows, f64", "m", "", "Coordinates of the rows: z, or y where the plane is across z."},
          {"/octave", "dimension", "", "", "Number of octaves."},
          {"/row", "dimension", "", "", "Number of rows."},
          {"/column", "dimension", "", "", "Number of columns."},
          {"/level", "group", "", "", "Levels."},
          {"/level/S", "octaves x rows x columns, f64", "dB", "",
           "Level of source S over that of its direct sound at 10 m; NaN in walls and where no sound gets."},
      });
  add_dimension_lists(entries, {"/level/S"});
  add_dimensions(entries, {"/octave", "/row", "/column"});
  return entries;
}

std::vector<FileEntry> modes_entries() {
  std::vector<FileEntry> entries = origin_of("`fdtd modes`.");
  entries.insert(
      entries.end(),
      {
          {"/mode", "dimension", "", "", "Number of modes; those of a multiplicity follow each other."},
          {"/point", "dimension", "", "", "Number of points."},
          {"/axis", "dimension", "", "", "3."},
          {"/frequency", "modes, f64", "Hz", "", "Eigenfrequency."},
          {"/frequency_error", "modes, f64", "Hz", "", "Difference between two estimates from the same run."},
          {"/decay", "modes, f64", "1/s", "", "Of the pressure, which falls as exp(-decay t); 6.908 over it is T60."},
          {"/decay_error", "modes, f64", "1/s", "", "Difference between two estimates from the same run."},
          {"/positions", "points x 3, f64", "m", "", "x, y, z of the points, nodes of the grid."},
          {"/shape_real", "modes x points, f64", "", "", "Real part of the shape, whose largest value is 1."},
          {"/shape_imaginary", "modes x points, f64", "", "", "Its imaginary part."},
      });
  add_dimension_lists(entries, {"/frequency", "/frequency_error", "/decay", "/decay_error", "/positions", "/shape_real",
                                "/shape_imaginary"});
  add_dimensions(entries, {"/mode", "/point", "/axis"});
  return entries;
}

std::vector<FileEntry> place_entries() {
  std::vector<FileEntry> entries = origin_of("`fdtd place`.");
  entries.insert(entries.end(),
                 {
                     {"/place", "dimension", "", "", "Number of places."},
                     {"/axis", "dimension", "", "", "3."},
                     {"/positions", "places x 3, f64", "m", "", "x, y, z of the places, nodes of the grid."},
                     {"/flatness", "places, f64", "dB", "",
                      "Standard deviation of level over frequency, root mean square over the seats."},
                     {"/evenness", "places, f64", "dB", "",
                      "Standard deviation of level over the seats, root mean square over frequency; NaN of one seat."},
                     {"/level", "places, f64", "dB", "", "Mean level, re the free field of the source at 1 m."},
                 });
  add_dimension_lists(entries, {"/positions", "/flatness", "/evenness", "/level"});
  add_dimensions(entries, {"/place", "/axis"});
  return entries;
}

std::vector<FileEntry> snapshot_entries() {
  return {
      {"/@format", "text", "", "", "`fdtd snapshots`."},
      {"/@version", "text", "", "", "Version of the program."},
      {"/@snapshots", "texts", "", "", "Names of the snapshots in the order of the scene."},
      {"/@sources", "texts", "", "", "Names of the sources in the order of the scene."},
      {"/NAME", "group", "", "", "One snapshot."},
      {"/NAME@axis", "whole number", "", "",
       "Axis that the plane is perpendicular to: 0 x, 1 y, 2 z; 3: the whole grid."},
      {"/NAME@origin", "3 numbers", "m", "", "Position of the first node, in the scene's coordinates."},
      {"/NAME@spacing", "3 numbers", "m", "", "Grid spacing along x, y and z."},
      {"/NAME/times", "one a frame, f64", "s", "", "Time of each frame, on the simulation's own time grid."},
      {"/NAME/air", "z x y x x, u8", "", "", "1: air, 0: wall."},
      {"/NAME/S", "group", "", "", "One source."},
      {"/NAME/S/pressure", "frames x z x y x x, f32", "", "",
       "The pressure of a pulse whose free-field peak at 1 m is 1; zero in frames after the end of a run that stopped "
       "early."},
  };
}

}  // namespace fdtd::cli
