// The text of a scene with the absorption of some materials replaced, and all else as its author wrote it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace fdtd {

struct AbsorptionTable {
  std::vector<double> bands, alpha;  // Hz, ascending; a coefficient for each
  bool operator==(const AbsorptionTable&) const = default;
};

// "{ bands = [125, 250], alpha = [0.1, 0.2] }"
std::string text_of(const AbsorptionTable& table);

// The law of each of these materials (absorption, library, porous, ...) becomes a table of absorption; one without a table
// of its own, as of the library, gets one at the end. `file`: of the scene, for messages and files that it names. Throws
// Error (status scene) where a material is written in a way in which it cannot be replaced.
std::string replace_absorption(const std::string& text, const std::filesystem::path& file,
                               const std::map<std::string, AbsorptionTable>& tables);

// The values of --set with the same effect: the material's other law removed, and its absorption set.
std::vector<std::string> absorption_overrides(const std::string& text,
                                              const std::map<std::string, AbsorptionTable>& tables);

}  // namespace fdtd
