#include "cli/reference/field_entries.hpp"

namespace fdtd::cli {

std::vector<FileEntry> estimate_entries() {
  std::vector<FileEntry> entries = {
      {"/@format", "text", "", "", "`fdtd estimate`."},
      {"/@schema_version", "whole number", "", "", "1."},
      {"/@version", "text", "", "", "Version of the program."},
      {"/@scene", "text", "", "", "The whole scene file."},
      {"/@overrides", "texts", "", "", "The arguments of `--set`."},
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
      {"/level/S@DIMENSION_LIST", "references", "", "", "Its dimensions, as netCDF-4 has them."},
  };
  for (const std::string dimension : {"/octave", "/row", "/column"})
    for (const char* attribute : {"CLASS", "NAME", "REFERENCE_LIST"})
      entries.push_back({dimension + "@" + attribute, attribute[0] == 'R' ? "references" : "text", "", "",
                         "Of a dimension, as netCDF-4 has it."});
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
