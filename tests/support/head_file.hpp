// A SimpleFreeFieldHRIR file of a head's responses, for tests.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/binaural/head_responses.hpp"
#include "engine/files/h5.hpp"

namespace fdtd::test {

struct HeadFile {
  std::string convention = "SimpleFreeFieldHRIR";
  std::vector<double> delays = {0.0, 0.0};  // of both ears, samples
  bool right_first = false;
  double distance = 1.5;  // m
  std::vector<double> view = {1.0, 0.0, 0.0};
  std::size_t receivers = 2;  // the last ones are left out
};

// Directions in the axes of the file; with another view than x they are those of the room that it is in.
inline void write_head_file(const std::filesystem::path& path, const HeadResponses& head, const HeadFile& how = {}) {
  H5File file = H5File::create(path, path);
  file.set("/", "Conventions", std::string("SOFA"));
  file.set("/", "SOFAConventions", how.convention);
  file.set("/", "DataType", std::string("FIR"));
  const std::uint64_t M = head.directions.size(), R = how.receivers, N = head.samples;
  std::vector<double> places, data;
  for (std::size_t q = 0; q < M; ++q) {
    for (const double x : head.directions[q]) places.push_back(how.distance * x);
    for (std::size_t r = 0; r < R; ++r) {
      const std::size_t ear = how.right_first ? 1 - r : r;
      const auto begin = head.ears.begin() + static_cast<std::ptrdiff_t>((2 * q + ear) * N);
      data.insert(data.end(), begin, begin + static_cast<std::ptrdiff_t>(N));
    }
  }
  const double side = how.right_first ? -0.09 : 0.09;
  file.write<double>("/SourcePosition", places, {M, 3});
  file.write<double>("/ListenerPosition", std::vector<double>{0.0, 0.0, 0.0}, {1, 3});
  file.write<double>("/ListenerView", how.view, {1, 3});
  file.write<double>("/ListenerUp", std::vector<double>{0.0, 0.0, 1.0}, {1, 3});
  std::vector<double> ears = {0.0, side, 0.0, 0.0, -side, 0.0};
  ears.resize(3 * R);
  file.write<double>("/ReceiverPosition", ears, {R, 3, 1});
  file.write<double>("/Data.IR", data, {M, R, N});
  file.write<double>("/Data.SamplingRate", std::vector<double>{head.sample_rate}, {1});
  std::vector<double> delays = how.delays;
  delays.resize(R);
  file.write<double>("/Data.Delay", delays, {1, R});
  for (const char* name : {"/SourcePosition", "/ListenerPosition", "/ListenerView", "/ReceiverPosition"}) {
    file.set(name, "Type", std::string("cartesian"));
    file.set(name, "Units", std::string("metre"));
  }
  file.set("/Data.SamplingRate", "Units", std::string("hertz"));
  file.close();
}

}  // namespace fdtd::test
