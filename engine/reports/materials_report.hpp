// Materials as they are requested, fitted and on the grid: as lines of a plan, and as JSON.
#pragma once

#include <string>
#include <vector>

#include "engine/files/json_fields.hpp"
#include "engine/materials/material_fit.hpp"
#include "engine/planning/judge/wall_accuracy.hpp"

namespace fdtd {

// Reports list materials by name.
std::vector<MaterialFit> by_name(std::vector<MaterialFit> materials);

// Materials that absorb on the grid other than stated by more than absorption_tolerance, in bands where the fit does not:
// a sentence for each material, with bands and values.
std::vector<std::string> grid_remarks(const std::vector<MaterialFit>& materials, double max_frequency,
                                      const std::vector<WallAccuracy>& walls);

// Requested and fitted absorption per band, and that of `walls` on the grid where a plan has them, with where their
// reflection puts them; empty when every wall is rigid. `geometry`: it takes the bands above max_frequency.
std::string materials_text(const std::vector<MaterialFit>& materials, double max_frequency,
                           const std::vector<WallAccuracy>& walls = {}, bool geometry = false);

// A material as JSON, as `fdtd materials` has it, and with its walls on the grid of a plan.
struct WallMaterial {
  const MaterialFit* fit = nullptr;
  const WallAccuracy* wall = nullptr;  // null: rigid, or not on a grid
};
std::vector<WallMaterial> wall_materials(const std::vector<MaterialFit>& materials,
                                         const std::vector<WallAccuracy>& walls);
const JsonFields<MaterialFit>& material_fields();
const JsonFields<WallMaterial>& wall_material_fields();

// The wall that appears furthest from its place; null without walls that are not rigid.
const WallAccuracy* furthest_wall(const std::vector<WallAccuracy>& walls);
double displacement_of(const std::vector<WallAccuracy>& walls);  // m, of that wall, outward; 0 without
// "1.8 mm further out"
std::string displacement_text(double metres);

}  // namespace fdtd
