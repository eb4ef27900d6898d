// A scene as plain data, in metres, seconds and hertz: parse.hpp reads it, validate.hpp checks it.
#pragma once

#include <array>
#include <complex>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/distinct.hpp"
#include "base/problem.hpp"
#include "scenes/balloon.hpp"
#include "scenes/mesh/mesh.hpp"
#include "scenes/mesh/seal/sealed_opening.hpp"
#include "scenes/path.hpp"
#include "stencils/precision.hpp"

namespace fdtd {

// One branch of a wall's admittance: impedance over rho c is D s + E + F/s. D in s, E without unit, F in 1/s; all >= 0.
struct Branch {
  double D = 0.0, E = 0.0, F = 0.0;
  bool operator==(const Branch&) const = default;
};
struct BranchTerm {
  const char *symbol, *unit;
  double Branch::*value;
};
inline constexpr std::array<BranchTerm, 3> branch_terms = {
    {{"D", "s", &Branch::D}, {"E", "", &Branch::E}, {"F", "1/s", &Branch::F}}};

// At s = i omega.
inline std::complex<double> impedance(const Branch& branch, const std::complex<double>& s) {
  return branch.D * s + branch.E + branch.F / s;
}

// Normalised specific impedance Z / (rho c) of a wall, for exp(+i omega t); real parts are >= 0.
struct ImpedanceTable {
  std::vector<double> frequencies;  // Hz, increasing
  std::vector<std::complex<double>> values;
};

// A porous layer before a rigid backing, with or without an air gap between them.
struct PorousLayer {
  double flow_resistivity = 0.0;  // Pa s/m2
  double thickness = 0.0;         // m
  double air_gap = 0.0;           // m
};

struct Material {
  enum class Kind { rigid, admittance, branches, absorption, impedance, porous };
  std::string name;
  Kind kind = Kind::rigid;
  double admittance = 0.0;           // normalised specific, real
  std::vector<Branch> branches;      // in parallel
  std::vector<double> bands, alpha;  // octave-band centres (Hz), random-incidence absorption coefficients
  ImpedanceTable impedance;
  PorousLayer porous;
  std::string origin;  // of data that are not in the scene itself: the library's entry with its source, or a file
  TextPlace place;
  // The fraction of reflected energy that leaves the wall diffusely above the waves' band, for relief that the mesh
  // leaves out: one number for all frequencies, or one for each of `scattering_bands` (Hz, increasing); empty: 0.
  std::vector<double> scattering_bands{}, scattering{};
  // Of absorption and admittance: always as many branches, smooth functions of the coefficients, on the grid, too; else as
  // few as meet the coefficients.
  bool smooth_law = false;
};

// The directivity of a source or a receiver.
struct Directivity {
  std::string pattern = "omni";
  std::array<double, 3> direction{};  // of the main lobe, any length; zero: none is given
  int order = 0;                      // of an ambisonic receiver: 1 to 9; of a measured source the highest, where given
  TextPlace pattern_place, direction_place, order_place;
  bool by_harmonics() const { return pattern == "ambisonic" || pattern == "binaural"; }  // channels to `order`
  // Of a source of the pattern "measured"; read by engine/directivity/read_balloons.hpp; null: not yet.
  std::shared_ptr<const Balloon> balloon{};
};
inline constexpr const char* measured_pattern = "measured";
// The fraction a of pressure in a first-order pattern a + (1 - a) cos: omni 1, subcardioid 0.7, cardioid 0.5,
// supercardioid (sqrt 3 - 1) / 2, hypercardioid 0.25, figure-eight 0. Throws std::invalid_argument for other names.
double omni_fraction(const std::string& pattern);
const std::vector<std::string>& cardioid_family();

// The file of a measured source, which the key `directivity` stands for, and how it is aimed.
struct BalloonFile {
  std::string file;                         // as written
  std::filesystem::path path;               // resolved
  std::array<double, 3> up{0.0, 0.0, 1.0};  // of any length, not along the source's direction
  bool flat = true;                         // on_axis = "flat": the response on the axis is divided out
  int measurement = 0;                      // from 1; 0: the only one; -1: the sum of all
  TextPlace file_place, up_place, on_axis_place, measurement_place;
};

struct SourceSpec {
  std::string name;
  std::array<double, 3> position{};   // m
  std::string signal = "impulse";     // or the path of a WAV file, as written
  std::filesystem::path signal_path;  // resolved; empty for "impulse"
  Directivity directivity;
  TextPlace place, position_place, signal_place, name_place;
  BalloonFile measured{};
};

// The head of a binaural receiver, which looks along its direction.
struct Head {
  std::string file;                         // as written: its responses (AES69, SimpleFreeFieldHRIR)
  std::filesystem::path path;               // resolved
  std::array<double, 3> up{0.0, 0.0, 1.0};  // towards the crown, any length
  std::vector<double> rotations{0.0};       // degrees to the left about its own up: responses are those of each
  TextPlace file_place, up_place, rotations_place;
};

// "R1_yaw90": of a rotation's files, and of its name beside that of the receiver.
std::string turned_name(const std::string& receiver, double yaw);

struct ReceiverSpec {
  std::string name;
  std::array<double, 3> position{};  // m
  Directivity directivity;
  TextPlace place, position_place, name_place;
  double weight = 1.0;                 // of a microphone: its responses are multiplied by it
  std::shared_ptr<const Head> head{};  // where a key of it is given; null: none, as of the 10^5 receivers of a grid
  std::string array{};                 // the name of the array whose microphone it is; empty: of none
  int microphone = 0;                  // its number there, from 1; 0: its name ends in one of its own, "R::front"
};

// Whether sources and receivers are exchanged: each receiver sends once and the sources record.
enum class Reciprocity { automatic, on, off };  // automatic: where that takes fewer passes

struct Simulation {
  double duration = 0.0;                // s, required
  bool duration_auto = false;           // `duration` is a placeholder until settle_duration (make_plan.hpp)
  std::optional<double> max_frequency;  // Hz; one of max_frequency and grid_spacing is given
  std::optional<double> grid_spacing;   // m
  double dispersion_error = 0.02;
  double wall_error = 0.1;
  double geometry_error = 0.1;
  std::optional<double> courant;       // instead of the stencil's own
  std::string stencil = "auto";        // a name, or the path of a file of weights (ends in .toml)
  std::filesystem::path stencil_path;  // resolved, when `stencil` is a path
  Precision precision = Precision::f32;
  std::optional<bool> remove_time_dispersion;
  double stop_decay_db = 0.0;  // stop = { decay_db = 60 }: the decay at which the run ends; 0: never
  Reciprocity reciprocity = Reciprocity::automatic;
  std::string device = "auto";  // auto, cpu, cuda, cuda:N
  TextPlace reciprocity_place, stencil_place, courant_place, spacing_place, device_place;
};

struct Air {
  double temperature = 20.0;          // degrees Celsius
  double relative_humidity = 50.0;    // %
  double pressure = 101.325;          // kPa
  bool absorption = false;            // ISO 9613-1
  std::optional<double> sound_speed;  // m/s, instead of the temperature's
  double speed() const;               // m/s: sound_speed, or 331.3 sqrt(1 + t/273.15)
};

// Box walls in the order x_min, x_max, y_min, y_max, z_min, z_max.
inline constexpr std::array<const char*, 6> wall_names = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};

// A box, or a mesh and its bounding box.
struct Room {
  std::array<double, 3> box{};         // m: 0..Lx, 0..Ly, 0..Lz; the bounding box of a mesh begins at `origin`
  std::array<std::string, 6> walls{};  // material names, with the default filled in
  TextPlace box_place;
  std::array<TextPlace, 6> wall_places{};  // of the name, or of the default

  std::shared_ptr<const Mesh> mesh;   // null: a box
  std::array<double, 3> origin{};     // m
  std::vector<std::string> surfaces;  // the scene's material for each material of the mesh
  std::vector<std::string> remarks;   // on the assignment of the mesh's materials
  std::vector<SealedOpening> sealed;  // that room.seal has closed, the largest first
  MeshFrame frame;                    // of the mesh's files, as given or as "auto" chose
  bool units_auto = false, up_auto = false;
  bool frame_stated = false;  // by the format of the files, where one of these is set
  std::string doubt;          // what makes the frame look wrong (mesh_frame.hpp), for messages; empty: nothing
  TextPlace mesh_place;

  // Of walls or surfaces: the names of the scene's materials in the order in which a room's voxels number them.
  Distinct materials() const;
};

// The pressure field on a plane of nodes, or everywhere, at equal time intervals.
struct SnapshotSpec {
  std::string plane;          // x, y, z: perpendicular to that axis; volume
  double position = 0.0;      // m along the axis
  double every = 0.0;         // s
  double begin = 0.0;         // s
  std::optional<double> end;  // s; none: the duration
  bool has_position = false;
  TextPlace place, position_place, every_place, end_place;
};

// The response above the frequency up to which waves are computed, by image sources and rays (engine/above).
struct Above {
  enum class Method { automatic, rays, none };
  Method method = Method::automatic;  // automatic: as rays, for as many responses as are stored one by one
  std::optional<int> rays;            // none: by the deviation that they leave
  std::optional<int> image_order;     // none: of a box all, of a mesh as many as its paths allow
  std::optional<double> crossover;    // Hz, where the waves' part ends; none: where they are valid up to
  int seed = 0;
  TextPlace crossover_place;
};

struct OutputSpec {
  int sample_rate = 48000;
  std::string format = "float";  // or "pcm24"
  double low_cut = 20.0;         // Hz; 0: off
  bool raw = false;
  std::vector<SnapshotSpec> snapshots;
  TextPlace low_cut_place;
};

struct Scene {
  std::filesystem::path file;          // as given
  std::string text;                    // the whole file
  std::vector<std::string> overrides;  // --set, as given
  Simulation simulation;
  Air air;
  Above above;
  Room room;
  std::map<std::string, Material> materials;
  std::vector<SourceSpec> sources;
  std::vector<ReceiverSpec> receivers;
  std::vector<MovingReceiver> moving;  // whose places are among the receivers, in their order
  OutputSpec output;
};

}  // namespace fdtd
