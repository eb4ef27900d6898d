#include "cli/estimate_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/problem.hpp"

namespace fdtd::cli {

std::string about_model(const Estimate& estimate) {
  return estimate.box
             ? "levels of diffuse sound, decays of the modes of a box with smooth walls, averaged over places: no "
               "single "
               "mode, no single reflection"
             : "diffuse sound alone: no modes, no single reflections, no direction; walls scatter, but not for levels "
               "of a source that sees its part of the room or far into it; doors pass what falls on them";
}

std::set<std::string> used_limits(const Estimate& estimate) {
  std::set<std::string> used;
  for (const EstimatedBand& band : estimate.bands) {
    used.insert(band.limits.begin(), band.limits.end());
    for (const auto& source : band.receivers)
      for (const EstimatedReceiver& one : source) used.insert(one.limits.begin(), one.limits.end());
  }
  return used;
}

namespace {

std::string cell(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

std::string joined(const std::vector<std::string>& first, const std::vector<std::string>& second) {
  std::vector<std::string> all = first;
  all.insert(all.end(), second.begin(), second.end());
  return listed(all);
}

// Octaves in which a source has no steady state.
std::string endless_text(const Scene& scene, const Estimate& estimate) {
  std::string text;
  for (std::size_t s = 0; s < scene.sources.size(); ++s) {
    std::string octaves;
    for (const EstimatedBand& band : estimate.bands)
      if (std::ranges::find(band.endless, s) != band.endless.end())
        octaves += fmt::format("{}{:.0f}", octaves.empty() ? "" : ", ", band.centre);
    if (!octaves.empty())
      text += fmt::format(
          "  {}, {} Hz: nothing absorbs what it emits, so it has no steady state and does not decay; give a wall "
          "absorption, or leave --no-air out\n",
          scene.sources[s].name, octaves);
  }
  return text;
}

std::string slopes_text(const DecayFigures& decay) {
  if (decay.slopes.size() < 2) return "";
  return fmt::format("{:.2f} s, below {:.0f} dB {:.2f} s", decay.slopes[1].seconds, decay.slopes[0].level,
                     decay.slopes[0].seconds);
}

std::string receiver_text(const Scene& scene, const Estimate& estimate, std::size_t s, std::size_t r) {
  std::string text;
  for (const EstimatedBand& band : estimate.bands) {
    if (band.receivers[s].empty()) continue;
    const EstimatedReceiver& one = band.receivers[s][r];
    std::string limits = joined(band.limits, one.limits);
    const std::string slopes = slopes_text(one.decay), uneven = "uneven";
    if (const auto place = limits.find(uneven); place != limits.npos)
      limits.insert(place + uneven.size(), fmt::format(" ({} to {} s)", cell(band.scatter, 2), cell(band.smooth, 2)));
    std::string row = fmt::format("  {:>5.0f} Hz {:>6}  {:>6}  {:>6}  {:>6}  {}", band.centre, cell(one.G, 1),
                                  cell(one.direct, 1), cell(one.decay.EDT, 2), cell(one.decay.T30, 2), limits);
    if (!slopes.empty()) row += fmt::format("{}bent: {}", limits.empty() ? "" : "; ", slopes);
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + '\n';
  }
  if (text.empty()) return text;
  return fmt::format("{} -> {}\n  octave    G dB  direct   EDT s   T30 s  limits\n{}", scene.sources[s].name,
                     scene.receivers[r].name, text);
}

}  // namespace

std::string estimate_text(const Scene& scene, const Estimate& estimate) {
  const DiffusionRoom& room = estimate.room;
  std::string text = fmt::format("estimate for {}: {}\n", scene.file.string(), about_model(estimate));
  text += fmt::format("  room     {:.5g} m3, {:.5g} m2 of walls, {} x {} x {} cells\n", room.volume, room.area,
                      room.cells[0], room.cells[1], room.cells[2]);
  for (std::size_t p = 0; p < room.parts.size() && room.parts.size() > 1; ++p)
    text += fmt::format("  part {}   {:.4g} m3, mean free path {:.3g} m, openings {:.3g} m2\n", p + 1,
                        room.parts[p].volume, room.parts[p].mean_free_path, room.parts[p].openings);
  if (room.parts.size() == 1) text += fmt::format("           mean free path {:.3g} m\n", room.parts[0].mean_free_path);
  for (std::size_t s = 0; s < estimate.sources.size(); ++s)
    text += fmt::format("  {} sees {:.0f} % of its part, {:.3g} m far: G takes walls that {}\n", scene.sources[s].name,
                        100.0 * estimate.sources[s].in_sight, estimate.sources[s].farthest,
                        estimate.sources[s].straight ? "are smooth" : "scatter");
  text += "  octave   mean alpha  air dB/km  Sabine s  Eyring s  scatter s  smooth s\n";
  for (const EstimatedBand& band : estimate.bands)
    text += fmt::format("  {:>5.0f} Hz  {:>9.3f}  {:>9.2f}  {:>8}  {:>8}  {:>9}  {:>8}\n", band.centre,
                        band.mean_absorption, 1e3 * band.attenuation, cell(band.sabine, 2), cell(band.eyring, 2),
                        cell(band.scatter, 2), cell(band.smooth, 2));
  text += endless_text(scene, estimate);
  for (std::size_t s = 0; s < scene.sources.size(); ++s)
    for (std::size_t r = 0; r < scene.receivers.size(); ++r) text += receiver_text(scene, estimate, s, r);
  const std::set<std::string> used = used_limits(estimate);
  for (const EstimateLimit& limit : estimate_limits())
    if (used.count(limit.key) > 0) text += fmt::format("{}: {}\n", limit.key, limit.text);
  for (const std::string& remark : estimate.remarks) text += fmt::format("note: {}\n", shortened(remark));
  return text;
}

}  // namespace fdtd::cli
