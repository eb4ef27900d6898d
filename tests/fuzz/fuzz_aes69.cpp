// Aes69File and read_balloon_sofa: a file of any attributes, shapes and values is read in finite numbers of the shape that it states, or
// refused. The fuzzer's bytes are not the file but what is in it, line by line (the HDF5 library's reading of damaged
// files is not tested here):
//   @DataType FIR               an attribute of the file
//   Data.IR@Units metre         an attribute of an array
//   Data.IR 2 1 3: 0 1 nan      an array of that shape; numbers that are missing are 0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/aes69/aes69_file.hpp"
#include "engine/directivity/balloon_data.hpp"
#include "engine/directivity/balloon_fit.hpp"
#include "engine/files/h5.hpp"
#include "tests/support/files.hpp"

namespace {

void add_array(fdtd::H5File& file, const std::string& line, std::set<std::string>& arrays) {
  constexpr std::uint64_t most = 4096;
  std::istringstream in(line);
  std::string name, word;
  in >> name;
  std::vector<std::uint64_t> shape;
  std::uint64_t count = 1;
  for (bool more = true; more && in >> word && shape.size() < 5;) {
    more = word.back() != ':';
    const std::uint64_t length = std::strtoull(word.c_str(), nullptr, 10) % (most + 1);
    shape.push_back(length);
    count *= std::max<std::uint64_t>(length, 1);
    if (count > most) return;
  }
  if (shape.empty() || name.empty() || name.find_first_of("/@.") == 0 || name.find('/') != name.npos) return;
  if (std::ranges::find(shape, 0U) != shape.end() || !arrays.insert(name).second) return;
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values)
    if (in >> word) value = std::strtod(word.c_str(), nullptr);
  file.write<double>("/" + name, values, shape);
}

std::filesystem::path file_of_lines(const std::string& text) {
  static const fdtd::test::TemporaryFolder folder;  // the HDF5 library opens no file without a name of its own
  const std::filesystem::path path = folder.path() / "fuzz.sofa";
  fdtd::H5File file = fdtd::H5File::create(path, path);
  std::set<std::string> arrays, attributes;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto at = line.find('@'), space = line.find(' ');
    if (at == line.npos || at > space) {
      add_array(file, line, arrays);
      continue;
    }
    const std::string object = line.substr(0, at);
    if (space == line.npos || space == at + 1 || !attributes.insert(line.substr(0, space)).second) continue;
    if (object.empty() || arrays.contains(object))
      file.set("/" + object, line.substr(at + 1, space - at - 1), line.substr(space + 1));
  }
  file.close();
  return path;
}

template <class Read>
void try_to(const Read& read) {
  try {
    read();
  } catch (const fdtd::Error&) {
  }
}

void require(bool held) {
  if (!held) std::abort();
}

void require_finite(const std::vector<fdtd::Aes69Vector>& list) {
  for (const fdtd::Aes69Vector& one : list)
    for (const double x : one) require(!std::isnan(x));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const std::filesystem::path path = file_of_lines(text);
    const fdtd::Aes69File file(path);
    try_to([&] {
      const fdtd::Aes69Shape shape = file.responses();
      require(file.sampling_rate() >= fdtd::Aes69File::slowest_rate);
      require(file.response(shape.M - 1, 0, shape.R, shape.E - 1).size() == shape.R * shape.N);
      require(std::isfinite(file.delay(shape.M - 1, shape.R - 1, shape.E - 1)));
    });
    try_to([&] {
      const fdtd::Aes69Shape shape = file.spectra();
      require(file.frequencies().size() == shape.N);
      require(file.spectrum(shape.M - 1, 0, shape.R, shape.E - 1).size() == shape.R * shape.N);
      require_finite(file.vectors("ReceiverPosition", shape.R, shape.M - 1));
      require_finite(file.vectors("SourcePosition", shape.M));
      require_finite(file.vectors("SourceUp", 1, 0, "SourceView"));
    });
    for (const int measurement : {0, 2, fdtd::all_measurements})
      try_to([&] {
        const fdtd::Balloon balloon = fdtd::fit_balloon(fdtd::read_balloon_sofa(path, measurement), {}, "fuzz");
        require(balloon.harmonics.size() == balloon.count() * balloon.frequencies.size());
        for (const std::complex<double>& one : balloon.harmonics) require(!std::isnan(std::abs(one)));
      });
  } catch (const fdtd::Error&) {
  }
  return 0;
}
