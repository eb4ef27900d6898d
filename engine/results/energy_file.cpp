#include "engine/results/energy_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "engine/results/stored_value.hpp"

namespace fdtd {
namespace {

// The energies of one source over time, by name.
template <class Visit>
void visit_energy(Visit visit) {
  visit(
      "stored", [](auto& point) -> auto& { return point.energy.stored; });
  visit(
      "injected", [](auto& point) -> auto& { return point.energy.injected; });
  visit(
      "dissipated", [](auto& point) -> auto& { return point.energy.dissipated; });
  visit(
      "balance_error", [](auto& point) -> auto& { return point.balance_error; });
}

using Course = std::vector<EnergyPoint>;

constexpr const char* of_sources = "/energy";
constexpr const char* of_receivers = "/exchanged";

void write_courses(H5File& file, const std::string& all, const std::vector<ChannelId>& channels,
                   const std::vector<Course>& courses) {
  file.group(all);
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const std::string group = all + "/" + channels[i].name;
    file.group(group);
    std::vector<std::int64_t> steps;
    for (const auto& point : courses[i]) steps.push_back(point.step);
    file.write<std::int64_t>(group + "/step", steps);
    visit_energy([&](const char* name, auto part) {
      std::vector<double> values;
      for (const auto& point : courses[i]) values.push_back(part(point));
      file.write<double>(group + "/" + name, values);
    });
  }
}

std::vector<Course> read_courses(const SealedFile& file, const std::filesystem::path& path, const std::string& all,
                                 const std::vector<ChannelId>& channels) {
  std::vector<Course> courses;
  for (const ChannelId& one : channels) {
    const std::string group = all + "/" + one.name;
    Course course;
    for (const auto step : file.read<std::int64_t>(group + "/step")) {
      check_value(path, group + "/step", static_cast<double>(step), step > (course.empty() ? 0 : course.back().step),
                  "steps rise from 1");
      course.push_back({step, {}, 0.0});
    }
    visit_energy([&](const char* name, auto part) {
      const auto values = file.read<double>(group + "/" + name);
      if (values.size() != course.size())
        throw Error(Status::file, fmt::format("{}: the arrays of {} differ in length", path.string(), group),
                    "the file is damaged, or another program wrote it");
      for (std::size_t i = 0; i < values.size(); ++i) part(course[i]) = values[i];
      check_finite(path, group + "/" + name, values);
    });
    // As a run weighs it (engine/run/run.cpp).
    double largest = 0.0;
    for (const auto& point : course) {
      largest = std::max(largest, std::abs(point.energy.injected));
      const double error = point.energy.stored + point.energy.dissipated - point.energy.injected,
                   relative = largest > 0.0 ? error / largest : error;
      check_value(path, group + "/balance_error", point.balance_error,
                  std::abs(point.balance_error - relative) <= 1e-6 * (1.0 + std::abs(relative)),
                  "stored, injected and dissipated energy give another");
    }
    courses.push_back(std::move(course));
  }
  return courses;
}

}  // namespace

void write_energy(H5File& file, const Recording& recording) {
  const bool exchanged = recording.exchanged;
  write_courses(file, of_sources, recording.sources,
                exchanged ? std::vector<Course>(recording.sources.size()) : recording.energy);
  if (exchanged) write_courses(file, of_receivers, recording.receivers, recording.energy);
}

void read_energy(const SealedFile& file, const std::filesystem::path& path, Recording& recording) {
  recording.energy = read_courses(file, path, of_sources, recording.sources);
  recording.exchanged = file.exists(of_receivers);
  if (!recording.exchanged) return;
  check_value(path, "/energy", static_cast<double>(recording.energy.size()),
              std::ranges::all_of(recording.energy, [](const Course& course) { return course.empty(); }),
              "no source has a pass where the receivers have");
  recording.energy = read_courses(file, path, of_receivers, recording.receivers);
}

}  // namespace fdtd
