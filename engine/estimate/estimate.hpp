// The acoustics of a room before a simulation: levels and reverberation times by octave from the acoustic
// diffusion equation (engine/diffusion), in seconds whatever max_frequency is, with the formulas of Sabine and Eyring
// beside them and what the model does not know beside every figure.
#pragma once

#include <complex>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/estimate/figures.hpp"
#include "engine/estimate/model.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

// Absorption coefficient of a material at an octave, and the attenuation of air there, 1/m of energy.
using OctaveAbsorption = std::function<double(const std::string& material, double centre)>;

// The normalised admittance of a material at a frequency (Hz), for an octave.
using OctaveAdmittance =
    std::function<std::complex<double>(const std::string& material, double centre, double frequency)>;

// The law of the material (material_law.hpp), which runs fit whatever their max_frequency.
OctaveAdmittance fitted_admittance(const Scene& scene);

// As a scene states it, at any octave: coefficients between bands by the logarithm of frequency, beyond them the nearest.
OctaveAbsorption stated_absorption(const Scene& scene);

struct EstimateOptions {
  std::vector<double> octaves = {63.0, 125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0};  // Hz, centres
  bool air = true;             // absorbs, whatever air.absorption says
  std::int64_t cells = 40000;  // about; the spacing follows from it
  int modes = 8;
  multigrid::MakeSolver make_solver = make_cpu_solver;
  bool side_by_side = true;  // octaves, each in a thread; false where one device solves all of them
};

struct EstimatedReceiver {
  std::optional<double> G;       // dB: steady level over that of the direct sound at 10 m in free field
  std::optional<double> direct;  // dB, the same of direct sound alone; nothing out of sight
  DecayFigures decay;
  std::vector<std::string> limits;  // keys of estimate_limits
};

struct EstimatedBand {
  double centre = 0.0;                   // Hz
  double mean_absorption = 0.0;          // of the walls, by area
  double attenuation = 0.0;              // of air, dB/m
  std::optional<double> sabine, eyring;  // s; nothing where nothing absorbs
  std::vector<std::size_t> endless;      // sources whose sound nothing absorbs, so that they have no steady state
  bool steady() const { return endless.empty(); }
  std::vector<std::vector<EstimatedReceiver>> receivers;  // by source, then receiver; none for endless sources
  std::optional<double> T30;                              // s, the longest at any receiver
  // s, the same between walls that scatter (diffusion), and of a box of the room's mean chords with smooth walls; nothing
  // where some of its modes have no losses.
  std::optional<double> scatter, smooth;
  // s, for 60 dB of the slowest modes of that box that together hold a thousandth of the energy: where source and receiver
  // reach little else, they are T30.
  std::optional<double> slowest_modes;
  std::vector<std::string> limits;  // that hold for all of the band
};

struct EstimatedSource {
  double in_sight = 0.0;  // fraction of its part of the room that it sees
  double farthest = 0.0;  // m, in sight
  bool straight = false;  // its levels take walls that leave sound its direction
};

struct Estimate {
  DiffusionRoom room;
  std::vector<EstimatedSource> sources;
  std::vector<EstimatedBand> bands;
  bool box = false;  // EDT and T30 are those of the modes of a box with smooth walls, at any place
  std::vector<std::string> remarks;
  int iterations = 0;
};

// Is the longest side of the room more than four times the shortest?
bool slender(const Scene& scene);

// The sentence of a limit, by key.
struct EstimateLimit {
  const char* key;
  const char* text;
};
std::span<const EstimateLimit> estimate_limits();

// Room and cells. Throws Error (status scene) for what make_room refuses; where the grid is too coarse for a receiver
// between surfaces it is made finer first.
DiffusionRoom estimate_room(const Scene& scene, std::int64_t cells, std::vector<std::string>& remarks);

// `map`, if given, is called for every band and source whose steady state exists; its model has no band set.
using MapField = std::function<void(const DiffusionRoom&, const DiffusionModel&, const DiffusionField&,
                                    const EstimatedBand&, std::size_t band, std::size_t source)>;
Estimate estimate(const Scene& scene, const EstimateOptions& options, const OctaveAbsorption& absorption,
                  const MapField& map = {});

}  // namespace fdtd
