// The models that `fdtd import` reads, and the functions that import them.
#pragma once

#include <string>

namespace fdtd::cli {

struct ImportCommand {
  std::string model, output;
  std::string units, up;  // of a mesh; empty: found
  bool force = false;
};

// model_export.json of PFFDTD's plug-in: writes the scene and its mesh as OBJ.
void import_pffdtd(const ImportCommand& options);
// A mesh: writes a scene that names it.
void import_mesh(const ImportCommand& options);

}  // namespace fdtd::cli
