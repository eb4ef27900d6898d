// Files of AES69: positions in m whatever a file states, data by measurement, and what is refused.
#include "engine/aes69/aes69_file.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/files/h5.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/h5_library.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

// Writes a file of that DataType; `add` puts what is in it.
template <class Add>
Aes69File aes69_of(const TemporaryFolder& folder, const std::string& data_type, const Add& add) {
  const auto path = folder.path() / (std::to_string(folder.entries()) + "a.sofa");  // the last one is open
  H5File file = H5File::create(path, path);
  file.set("/", "Conventions", std::string("SOFA"));
  file.set("/", "SOFAConventions", std::string("GeneralTF"));
  file.set("/", "DataType", data_type);
  add(file);
  file.close();
  return Aes69File(path);
}

void put(H5File& file, const std::string& name, const std::vector<double>& values,
         const std::vector<std::uint64_t>& shape) {
  file.write<double>("/" + name, values, shape);
}

void put_units(H5File& file, const std::string& name, const std::string& type, const std::string& units) {
  file.set("/" + name, "Type", type);
  file.set("/" + name, "Units", units);
}

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("AES69: positions are Cartesian metres, whatever the file states", "[aes69]") {
  const TemporaryFolder folder;
  const Aes69File file = aes69_of(folder, "TF", [](H5File& to) {
    put(to, "Spherical", {90.0, 0.0, 2.0, 0.0, 90.0, 3.0}, {2, 3});
    put_units(to, "Spherical", "spherical", "degree, degree, metre");
    put(to, "Radians", {std::acos(-1.0), 0.0, 2.0}, {1, 3});
    put_units(to, "Radians", "spherical", "radian, radian, metre");
    put(to, "Layered", {1.0, 10.0, 2.0, 20.0, 3.0, 30.0}, {1, 3, 2});
    put_units(to, "Layered", "cartesian", "metre");
    put(to, "Up", {0.0, 90.0, 1.0}, {1, 3});
    put(to, "Feet", {1.0, 0.0, 0.0}, {1, 3});
    put_units(to, "Feet", "cartesian", "foot");
    put(to, "Harmonics", {1.0, 0.0, 0.0}, {1, 3});
    put_units(to, "Harmonics", "spherical harmonics", "degree, degree, metre");
    put(to, "Broken", {1.0, 0.0, 0.0, 1.0, no_number, 0.0}, {2, 3});
    put(to, "Degrees", {0.0, 0.0, 2.0, 30.0, 0.0, 2.0}, {2, 3});
    put_units(to, "Degrees", "spherical", "radian, radian, metre");
    put(to, "Turns", {0.0, 721.0, 2.0}, {1, 3});
    put_units(to, "Turns", "spherical", "degree, degree, metre");
  });
  const std::vector<Aes69Vector> two = file.vectors("Spherical", 2);
  CHECK(two[0][0] == Approx(0.0).margin(1e-12));
  CHECK(two[0][1] == Approx(2.0));
  CHECK(two[1][2] == Approx(3.0));
  CHECK(file.vectors("Radians", 5).at(4)[0] == Approx(-2.0));  // one for all
  CHECK(file.vectors("Layered", 1, 1).at(0) == Aes69Vector{10.0, 20.0, 30.0});
  CHECK(file.vectors("Up", 1, 0, "Spherical").at(0)[2] == Approx(1.0));  // the type of another
  CHECK(file.vectors("Up", 1).at(0)[1] == Approx(90.0));
  CHECK_THROWS_WITH(file.vectors("None", 1), Contains("a.sofa: has no None"));
  CHECK_THROWS_WITH(file.vectors("Spherical", 3), Contains("Spherical has the shape 2 x 3, not 3 x 3"));
  CHECK_THROWS_WITH(file.vectors("Layered", 1, 2), Contains("Layered has the shape"));
  CHECK_THROWS_WITH(file.vectors("Feet", 1), Contains("Units \"foot\""));
  CHECK_THROWS_WITH(file.vectors("Harmonics", 1), Contains("neither cartesian nor spherical"));
  CHECK_THROWS_WITH(file.vectors("Degrees", 2), Contains("Degrees: 30 radians in position 2 is more than two turns"));
  CHECK_THROWS_WITH(file.vectors("Turns", 1), Contains("Turns: 721 degrees in position 1 is more than two turns"));
  CHECK_THROWS_WITH(file.vectors("Broken", 2), Contains("Broken: the number at 2, 2 (from 1) is not finite"));
}

TEST_CASE("AES69: spectra by measurement and receiver, with their frequencies", "[aes69]") {
  const TemporaryFolder folder;
  const Aes69File file = aes69_of(folder, "TF", [](H5File& to) {
    put(to, "Data.Real", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {2, 3, 2});
    put(to, "Data.Imag", {0, 0, 0, 0, 0, 0, 0, 0, -1, -2, -3, -4}, {2, 3, 2});
    put(to, "N", {100.0, 200.0}, {2});
  });
  CHECK(file.spectra().M == 2);
  CHECK(file.spectra().R == 3);
  CHECK(file.frequencies() == std::vector{100.0, 200.0});
  using Values = std::vector<std::complex<double>>;
  CHECK(file.spectrum(0, 1) == Values{{3, 0}, {4, 0}});
  CHECK(file.spectrum(1, 1, 2) == Values{{9, -1}, {10, -2}, {11, -3}, {12, -4}});
  CHECK_THROWS_WITH(file.responses(), Contains("its DataType is \"TF\", not FIR"));
  const std::vector<std::string> wanted = {"FreeFieldDirectivityTF"};
  CHECK_THROWS_WITH(file.require_convention(wanted), Contains("its SOFAConventions are \"GeneralTF\""));

  const Aes69File emitters = aes69_of(folder, "TF-E", [](H5File& to) {
    put(to, "Data.Real", {1, 2, 3, 4}, {1, 1, 2, 2});
    put(to, "Data.Imag", {0, 0, 0, 0}, {1, 1, 2, 2});
    put(to, "N", {100.0, 100.0}, {2});
  });
  CHECK(emitters.spectra().E == 2);
  CHECK(emitters.spectrum(0, 0, 1, 1) == Values{{2, 0}, {4, 0}});
  CHECK_THROWS_WITH(emitters.frequencies(), Contains("frequency 2 is 100 Hz"));

  const Aes69File uneven = aes69_of(folder, "TF", [](H5File& to) {
    put(to, "Data.Real", {1, 2}, {1, 1, 2});
    put(to, "Data.Imag", {1}, {1, 1, 1});
  });
  CHECK_THROWS_WITH(uneven.spectra(), Contains("different shapes"));
}

TEST_CASE("AES69: responses with rate and delay", "[aes69]") {
  const TemporaryFolder folder;
  const Aes69File file = aes69_of(folder, "FIR", [](H5File& to) {
    put(to, "Data.IR", {1, 2, 3, 4, 5, 6, 7, no_number}, {2, 2, 2});
    put(to, "Data.SamplingRate", {48000.0}, {1});
    put(to, "Data.Delay", {0.0, 2.5}, {1, 2});
  });
  CHECK(file.responses().N == 2);
  CHECK(file.sampling_rate() == 48000.0);
  CHECK(file.response(1, 0) == std::vector{5.0, 6.0});
  CHECK(file.response(0, 0, 2) == std::vector{1.0, 2.0, 3.0, 4.0});
  CHECK(file.delay(1, 1) == 2.5);
  CHECK_THROWS_WITH(file.response(1, 1), Contains("Data.IR: the number at 2, 2, 2 (from 1) is not finite"));
  CHECK_THROWS_WITH(file.spectra(), Contains("not TF"));

  const Aes69File other = aes69_of(folder, "FIR", [](H5File& to) {
    put(to, "Data.IR", {1, 2}, {2, 1});
    put(to, "Data.SamplingRate", {48000.0, 44100.0}, {2});
  });
  CHECK_THROWS_WITH(other.responses(), Contains("Data.IR has the shape 2 x 1"));
  CHECK_THROWS_WITH(other.sampling_rate(), Contains("no rate in common"));
}

TEST_CASE("AES69: a variable that is there and no array of numbers is refused, not taken for one that is missing",
          "[aes69]") {
  const TemporaryFolder folder;
  const Aes69File file = aes69_of(folder, "FIR", [](H5File& to) {
    put(to, "Data.IR", {1, 2, 3, 4}, {2, 1, 2});
    to.group("/ListenerView");
    to.group("/Data.SamplingRate");
    put(to, "Data.Delay", {0.0, 0.0, 0.0}, {3, 1});
  });
  CHECK_FALSE(file.has("ListenerUp"));
  CHECK_THROWS_WITH(file.has("ListenerView"), Contains("ListenerView is no array of numbers"));
  CHECK_THROWS_WITH(file.sampling_rate(), Contains("Data.SamplingRate is no array of numbers"));
  CHECK_THROWS_WITH(file.delay(0), Contains("Data.Delay has the shape 3 x 1"));
  try {
    file.spectra();
    FAIL("a file of impulse responses has no spectra");
  } catch (const Error& error) {
    CHECK(error.remedy == "download it again, or export it again as AES69 states");
  }
}

TEST_CASE("AES69: other HDF5 files and huge counts are refused before memory is taken", "[aes69]") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "b.h5";
  H5File plain = H5File::create(path, path);
  plain.set("/", "Conventions", std::string("CF"));
  plain.close();
  CHECK_THROWS_WITH(Aes69File(path), Contains("none of SOFA"));

  const auto huge = folder.path() / "huge.sofa";
  H5File file = H5File::create(huge, huge);
  file.set("/", "Conventions", std::string("SOFA"));
  file.set("/", "DataType", std::string("FIR"));
  file.close();
  constexpr std::uint64_t many = std::uint64_t{1} << 40;
  h5_add_unstored(huge, "Data.IR", {2, 2, many});
  h5_add_unstored(huge, "ReceiverPosition", {many, 3});
  h5_add_unstored(huge, "Data.SamplingRate", {many});
  const Aes69File read(huge);
  CHECK(read.responses().N == many);
  CHECK_THROWS_WITH(read.response(0), Contains("Data.IR: 1 x 1 x 1099511627776 numbers are more than"));
  CHECK_THROWS_WITH(read.vectors("ReceiverPosition", many), Contains("ReceiverPosition has the shape"));
  CHECK_THROWS_AS(read.sampling_rate(), Error);
}
