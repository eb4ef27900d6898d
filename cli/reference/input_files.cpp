// The files that commands read.
#include "cli/reference/tables.hpp"

namespace fdtd::cli {

const std::vector<InputFile>& input_files() {
  static const std::vector<InputFile> files = {
      {"Scene", ".toml, at most 4 MiB", "The simulation: [Scene file](scene.md)."},
      {"Weights of a stencil", ".toml",
       "`simulation.stencil = \"mine.toml\"`: [A file of weights](scene.md#a-file-of-weights)."},
      {"Material", ".toml, .csv, .txt", "`file = \"...\"` of a material: [materials](scene.md#materialsname)."},
      {"Mesh", ".obj, .stl (binary or text), .ply, .gltf, .glb, .dae, .dxf (text)",
       "`room.mesh`: [room](scene.md#room)."},
      {"Model",
       "a mesh (.obj, .stl, .ply, .gltf, .glb, .dae, .dxf), or model_export.json of PFFDTD's plug-in for SketchUp",
       "`fdtd import`."},
      {"Audio", "WAV (integers, floats, A-law, mu-law; RF64), FLAC",
       "`source.signal`, and the responses and signals of `fdtd metrics` and `fdtd auralize`."},
      {"Path", ".csv: t (s, increasing), x, y, z (m) and perhaps yaw (degrees), named on the first line",
       "`path` of a [receiver](scene.md#receiver) and `fdtd auralize --path`: [Motion](../how-to/motion.md)."},
      {"Measurement", ".json, .csv, .txt; responses as audio or .sofa (DataType FIR)",
       "`fdtd match`: [Compare with a measurement](../how-to/compare.md)."},
      {"Microphones of a device", ".csv, .txt", "`array = \"...\"` of a receiver: [receiver](scene.md#receiver)."},
      {"Head", ".sofa (SimpleFreeFieldHRIR)", "`hrtf` of a binaural receiver."},
      {"Result", "result.h5",
       "`fdtd render`, `fdtd report`, `fdtd movie`, `fdtd metrics`, `fdtd match` and `fdtd auralize`."},
  };
  return files;
}

}  // namespace fdtd::cli
