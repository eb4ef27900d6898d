#include "engine/aes69/aes69_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/error.hpp"
#include "base/problem.hpp"

namespace fdtd {
namespace {

std::string shape_text(const std::vector<std::uint64_t>& shape) { return fmt::format("{}", fmt::join(shape, " x ")); }

// The unit of lengths and angles in a Type and its Units: "spherical" with "degree, degree, metre".
struct Coordinates {
  bool spherical = false;
  double angle = std::numbers::pi / 180.0;  // rad a unit
};

Aes69Vector cartesian(const Coordinates& how, const double* p) {
  if (!how.spherical) return {p[0], p[1], p[2]};
  const double azimuth = p[0] * how.angle, elevation = p[1] * how.angle;
  return {p[2] * std::cos(elevation) * std::cos(azimuth), p[2] * std::cos(elevation) * std::sin(azimuth),
          p[2] * std::sin(elevation)};
}

Coordinates coordinates_of(const Aes69File& file, const std::string& variable, const std::string& type,
                           const std::string& units) {
  if (type.empty() || type == "cartesian") {
    if (!units.empty() && !units.starts_with("metre") && !units.starts_with("meter"))
      file.refuse(fmt::format("{}: Units {} of cartesian positions are not metre", variable, in_quotes(units)));
    return {};
  }
  if (type != "spherical")
    file.refuse(fmt::format("{}: Type {} is neither cartesian nor spherical", variable, in_quotes(type)));
  if (units.starts_with("rad")) return {true, 1.0};
  if (!units.empty() && !units.starts_with("degree"))
    file.refuse(
        fmt::format("{}: Units {} of spherical positions are not degree, degree, metre", variable, in_quotes(units)));
  return {true};
}

// Azimuths and elevations beyond two turns are degrees that a file calls radians.
void require_angles(const Aes69File& file, const std::string& variable, double unit,
                    const std::vector<double>& numbers) {
  constexpr double most = 4.0 * std::numbers::pi + 1e-6;  // rad
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (i % 3 != 2 && std::abs(numbers[i] * unit) > most)
      file.refuse(fmt::format("{}: {:g} {} in position {} is more than two turns", variable, numbers[i],
                              unit == 1.0 ? "radians" : "degrees", i / 3 + 1),
                  "state the Units in which its angles are: degree or radian");
}

}  // namespace

Aes69File::Aes69File(const std::filesystem::path& path) : path_(path), file_(path) {
  if (text("Conventions") != "SOFA") refuse("an HDF5 file, but none of SOFA (AES69)", "give a file of SOFA (.sofa)");
  convention_ = text("SOFAConventions");
  data_type_ = text("DataType");
}

void Aes69File::refuse(const std::string& why, const std::string& remedy) const {
  throw Error(Status::file, fmt::format("{}: {}", path_.string(), why),
              remedy.empty() ? "download it again, or export it again as AES69 states" : remedy);
}

std::optional<std::vector<std::uint64_t>> Aes69File::shape(const std::string& variable) const {
  auto lengths = file_.shape(variable);
  if (!lengths && file_.has(variable)) refuse(variable + " is no array of numbers in the file itself");
  return lengths;
}

std::string Aes69File::text(const std::string& attribute) const { return file_.text("/", attribute).value_or(""); }

void Aes69File::require_convention(std::span<const std::string> known) const {
  if (std::ranges::find(known, convention_) != known.end()) return;
  refuse(fmt::format("its SOFAConventions are {}", convention_.empty() ? "not stated" : in_quotes(convention_)),
         fmt::format("give a file of {}", fmt::join(known, " or ")));
}

std::vector<double> Aes69File::read(const std::string& variable, const std::vector<std::uint64_t>& start,
                                    const std::vector<std::uint64_t>& count) const {
  std::uint64_t numbers = 1;
  for (const std::uint64_t n : count) {
    if (n == 0) refuse(variable + " is empty");
    if (n > most_numbers / numbers)
      refuse(fmt::format("{}: {} numbers are more than the {} that are read at once", variable, shape_text(count),
                         most_numbers));
    numbers *= n;
  }
  std::vector<double> values = file_.read(variable, start, count);
  const auto bad = std::ranges::find_if_not(values, [](double x) { return std::isfinite(x); });
  if (bad != values.end()) {
    std::vector<std::uint64_t> at(count.size());
    auto rest = static_cast<std::uint64_t>(bad - values.begin());
    for (std::size_t d = count.size(); d-- > 0; rest /= count[d]) at[d] = start[d] + rest % count[d] + 1;
    refuse(fmt::format("{}: the number at {} (from 1) is not finite", variable, fmt::join(at, ", ")),
           "measure or export it again, or leave it out");
  }
  return values;
}

std::vector<Aes69Vector> Aes69File::vectors(const std::string& variable, std::uint64_t count, std::uint64_t m,
                                            const std::string& typed_as) const {
  const auto shape = this->shape(variable);
  if (!shape) refuse("has no " + variable);
  const bool layered = shape->size() == 3;  // R x C x M
  if ((shape->size() != 2 && !layered) || (*shape)[1] != 3 || ((*shape)[0] != 1 && (*shape)[0] != count) ||
      count > most_places || (layered && (*shape)[2] != 1 && m >= (*shape)[2]))
    refuse(fmt::format("{} has the shape {}, not {} x 3", variable, shape_text(*shape), count));
  std::string type = file_.text(variable, "Type").value_or(""), units = file_.text(variable, "Units").value_or("");
  if (type.empty() && !typed_as.empty()) {
    type = file_.text(typed_as, "Type").value_or("");
    units = file_.text(typed_as, "Units").value_or("");
  }
  const Coordinates how = coordinates_of(*this, variable, type, units);
  std::vector<std::uint64_t> start = {0, 0}, block = {(*shape)[0], 3};
  if (layered) {
    start.push_back((*shape)[2] == 1 ? 0 : m);
    block.push_back(1);
  }
  const std::vector<double> numbers = read(variable, start, block);
  if (how.spherical) require_angles(*this, variable, how.angle, numbers);
  std::vector<Aes69Vector> list;
  list.reserve(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < count; ++i)
    list.push_back(cartesian(how, numbers.data() + 3 * ((*shape)[0] == 1 ? std::size_t{0} : i)));
  return list;
}

Aes69Shape Aes69File::shape_of(const std::string& variable, bool emitters_last) const {
  const auto shape = this->shape(variable);
  const bool emitters = data_type_.ends_with("-E");
  if (!shape || shape->size() != (emitters ? 4U : 3U))
    refuse(fmt::format("DataType {}, but {} {}", in_quotes(data_type_), variable,
                       shape ? "has the shape " + shape_text(*shape) : "is missing"));
  Aes69Shape found{(*shape)[0], (*shape)[1], 1, (*shape)[2]};
  if (emitters && emitters_last) found.E = (*shape)[3];
  if (emitters && !emitters_last) {
    found.E = (*shape)[2];
    found.N = (*shape)[3];
  }
  if (found.M == 0 || found.R == 0 || found.E == 0 || found.N == 0)
    refuse(fmt::format("{} is empty: {}", variable, shape_text(*shape)));
  return found;
}

Aes69Shape Aes69File::responses() const {
  if (data_type_ != "FIR" && data_type_ != "FIR-E")
    refuse(fmt::format("holds no impulse responses: its DataType is {}, not FIR",
                       data_type_.empty() ? "not stated" : in_quotes(data_type_)));
  return shape_of("Data.IR", false);
}

double Aes69File::sampling_rate() const {
  const auto shape = this->shape("Data.SamplingRate");
  if (!shape || shape->size() != 1 || (*shape)[0] == 0 || (*shape)[0] > most_places)
    refuse("its responses have no rate in common, Data.SamplingRate");
  const std::vector<double> rates = read("Data.SamplingRate", {0}, {(*shape)[0]});
  for (const double rate : rates)
    if (rate != rates[0]) refuse("its responses have no rate in common, Data.SamplingRate");
  const std::string units = file_.text("Data.SamplingRate", "Units").value_or("");
  if (!units.empty() && !units.starts_with("hertz") && !units.starts_with("Hertz") && units != "Hz")
    refuse(fmt::format("Data.SamplingRate: Units {} are not hertz", in_quotes(units)));
  if (!(rates[0] >= slowest_rate && rates[0] <= fastest_rate))
    refuse(fmt::format("a sample rate of {:g} Hz", rates[0]));
  return rates[0];
}

std::vector<double> Aes69File::response(std::uint64_t m, std::uint64_t r, std::uint64_t receivers,
                                        std::uint64_t e) const {
  const Aes69Shape shape = responses();
  if (data_type_ == "FIR") return read("Data.IR", {m, r, 0}, {1, receivers, shape.N});
  return read("Data.IR", {m, r, e, 0}, {1, receivers, 1, shape.N});
}

double Aes69File::delay(std::uint64_t m, std::uint64_t r, std::uint64_t e) const {
  const auto shape = this->shape("Data.Delay");
  if (!shape) return 0.0;
  const Aes69Shape all = responses();
  std::vector<std::uint64_t> at;
  for (const auto& [wanted, count] : {std::pair(m, all.M), {r, all.R}, {e, all.E}}) {
    if (at.size() == shape->size()) break;
    const std::uint64_t length = (*shape)[at.size()];
    if (length != 1 && length != count) refuse(fmt::format("Data.Delay has the shape {}", shape_text(*shape)));
    at.push_back(length == 1 ? 0 : wanted);
  }
  if (at.size() != shape->size()) refuse(fmt::format("Data.Delay has the shape {}", shape_text(*shape)));
  return read("Data.Delay", at, std::vector<std::uint64_t>(at.size(), 1))[0];
}

Aes69Shape Aes69File::spectra() const {
  if (data_type_ != "TF" && data_type_ != "TF-E")
    refuse(fmt::format("holds no spectra: its DataType is {}, not TF",
                       data_type_.empty() ? "not stated" : in_quotes(data_type_)));
  const Aes69Shape real = shape_of("Data.Real", true), imaginary = shape_of("Data.Imag", true);
  if (real.M != imaginary.M || real.R != imaginary.R || real.E != imaginary.E || real.N != imaginary.N)
    refuse("Data.Real and Data.Imag have different shapes");
  return real;
}

std::vector<double> Aes69File::frequencies() const {
  const std::uint64_t wanted = spectra().N;
  const auto shape = this->shape("N");
  if (!shape || *shape != std::vector<std::uint64_t>{wanted})
    refuse(fmt::format("N does not state the {} frequencies of Data.Real", wanted));
  const std::string units = file_.text("N", "Units").value_or("");
  if (!units.empty() && !units.starts_with("hertz") && !units.starts_with("Hertz") && units != "Hz")
    refuse(fmt::format("N: Units {} are not hertz", in_quotes(units)));
  std::vector<double> list = read("N", {0}, {wanted});
  for (std::size_t i = 0; i < list.size(); ++i)
    if (!(list[i] >= 0.0) || (i > 0 && !(list[i] > list[i - 1])))
      refuse(fmt::format("N: frequency {} is {:g} Hz: they are at least 0 and increase", i + 1, list[i]));
  return list;
}

std::vector<std::complex<double>> Aes69File::spectrum(std::uint64_t m, std::uint64_t r, std::uint64_t receivers,
                                                      std::uint64_t e) const {
  const Aes69Shape shape = spectra();
  std::vector<std::uint64_t> start = {m, r, 0}, count = {1, receivers, shape.N};
  if (data_type_ == "TF-E") {
    start.push_back(e);
    count.push_back(1);
  }
  const std::vector<double> real = read("Data.Real", start, count), imaginary = read("Data.Imag", start, count);
  std::vector<std::complex<double>> values(real.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = {real[i], imaginary[i]};
  return values;
}

}  // namespace fdtd
