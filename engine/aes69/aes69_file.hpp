// Files of AES69-2022 (SOFA): what every convention has in common, checked and in one form. Positions are Cartesian, in
// m, whatever the file states; spectra have their frequencies, impulse responses their rate and delays.
//
// libmysofa was the alternative. It reads SimpleFreeFieldHRIR alone, for filters of a listener: neither directivities
// (FreeFieldDirectivityTF, GeneralTF) nor responses of rooms. It parses HDF5 by itself, which the HDF5 library, which
// this program has anyway, does for every file that the standard allows.
//
// Shapes follow the standard, last index fastest: Data.IR M x R x N (FIR) or M x R x E x N (FIR-E), Data.Real and
// Data.Imag M x R x N (TF) or M x R x N x E (TF-E). Nothing is allocated before its size is within most_numbers. All
// functions throw Error (status file) that names the file, the variable, what is wrong and, where it helps, what to do.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/files/h5_foreign.hpp"

namespace fdtd {

using Aes69Vector = std::array<double, 3>;

// M measurements, R receivers, E emitters, N samples or frequencies.
struct Aes69Shape {
  std::uint64_t M = 0, R = 0, E = 1, N = 0;
};

class Aes69File {
 public:
  static constexpr std::uint64_t most_numbers = std::uint64_t{1} << 25;  // of one reading: 256 MiB
  static constexpr std::uint64_t most_places = std::uint64_t{1} << 20;   // positions of one variable
  static constexpr double slowest_rate = 100.0, fastest_rate = 1e7;      // Hz

  // Refuses what is no HDF5 file, and HDF5 files whose attribute Conventions is not "SOFA".
  explicit Aes69File(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const std::string& convention() const { return convention_; }  // SOFAConventions, "SimpleFreeFieldHRIR"
  const std::string& data_type() const { return data_type_; }    // DataType, "FIR", "TF-E"
  // Refuses other conventions than `known`.
  void require_convention(std::span<const std::string> known) const;
  // A global attribute, "" where there is none.
  std::string text(const std::string& attribute) const;
  // Refuses a variable that is no array of numbers.
  bool has(const std::string& variable) const { return shape(variable).has_value(); }

  // Positions or directions in a variable of 1, `count` or (for positions of receivers and emitters) `count` x 3 x 1 or
  // M: `count` of them, those of measurement `m` of several; one that is stated for all is repeated. Without a Type of
  // its own, a variable has that of `typed_as` (ListenerUp: that of ListenerView), else it is Cartesian.
  std::vector<Aes69Vector> vectors(const std::string& variable, std::uint64_t count, std::uint64_t m = 0,
                                   const std::string& typed_as = "") const;

  // Impulse responses: refuses files of another DataType than FIR or FIR-E.
  Aes69Shape responses() const;
  double sampling_rate() const;  // Hz; refuses several that differ
  // The samples of receivers r, r + 1, ..., r + receivers - 1 of a measurement and an emitter, [receiver][sample].
  std::vector<double> response(std::uint64_t m, std::uint64_t r = 0, std::uint64_t receivers = 1,
                               std::uint64_t e = 0) const;
  // Samples by which a response is to be delayed, Data.Delay; 0 where there is none.
  double delay(std::uint64_t m, std::uint64_t r = 0, std::uint64_t e = 0) const;

  // Spectra: refuses files of another DataType than TF or TF-E.
  Aes69Shape spectra() const;
  std::vector<double> frequencies() const;  // Hz: N, at least 0, increasing
  // The values of receivers r, ..., r + receivers - 1 of a measurement and an emitter, [receiver][frequency].
  std::vector<std::complex<double>> spectrum(std::uint64_t m, std::uint64_t r = 0, std::uint64_t receivers = 1,
                                             std::uint64_t e = 0) const;

  // Without a remedy of its own: to export the file again.
  [[noreturn]] void refuse(const std::string& why, const std::string& remedy = "") const;

 private:
  // Of a variable; nothing where there is none.
  std::optional<std::vector<std::uint64_t>> shape(const std::string& variable) const;
  std::vector<double> read(const std::string& variable, const std::vector<std::uint64_t>& start,
                           const std::vector<std::uint64_t>& count) const;
  Aes69Shape shape_of(const std::string& variable, bool emitters_last) const;

  std::filesystem::path path_;
  ForeignH5 file_;
  std::string convention_, data_type_;
};

}  // namespace fdtd
