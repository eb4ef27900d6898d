#include "engine/studies/ncu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.hpp"

namespace fdtd::study {
namespace {

constexpr double sector_bytes = 32.0, warp_threads = 32.0, parts_of_a_multiprocessor = 4.0;

struct Metric {
  const char* name;
  double NcuLaunch::*value;
};
constexpr std::array metrics = {
    Metric{"dram__bytes_read.sum", &NcuLaunch::dram_read_bytes},
    Metric{"dram__bytes_write.sum", &NcuLaunch::dram_written_bytes},
    Metric{"lts__t_sectors_srcunit_tex.sum", &NcuLaunch::l2_sectors},
    Metric{"lts__t_sectors_srcunit_tex_lookup_hit.sum", &NcuLaunch::l2_hits},
    Metric{"l1tex__t_sectors.sum", &NcuLaunch::l1_sectors},
    Metric{"l1tex__t_sectors_lookup_hit.sum", &NcuLaunch::l1_hits},
    Metric{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", &NcuLaunch::shared_conflicts},
    Metric{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", &NcuLaunch::shared_passes},
    Metric{"smsp__inst_executed.sum", &NcuLaunch::instructions},
    Metric{"smsp__cycles_active.sum", &NcuLaunch::cycles},
};

using Row = std::vector<std::string>;

// One line of CSV: fields in quotes may hold commas, and quotes written twice.
Row fields_of(std::string_view line) {
  Row row(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"')
        row.back() += line[i++];
      else
        quoted = !quoted;
    } else if (c == ',' && !quoted) {
      row.emplace_back();
    } else if (c != '\r') {
      row.back() += c;
    }
  }
  return row;
}

// "1,234.5": the separators of thousands are ncu's own. Not a number where it says none ("n/a").
double number_of(const std::string& text) {
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits), [](char c) { return c != ','; });
  double value = 0.0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = error == std::errc() && end == digits.data() + digits.size() && !digits.empty();
  return whole ? value : std::numeric_limits<double>::quiet_NaN();
}

// "Mbyte", "Minst" are 1e6, "byte" and "sector" are 1.
double scale_of(const std::string& unit) {
  constexpr std::string_view scaled[] = {"byte", "sector", "inst", "cycle"};
  if (unit.empty() || std::find(std::begin(scaled), std::end(scaled), unit.substr(1)) == std::end(scaled)) return 1.0;
  switch (unit[0]) {
    case 'K':
      return 1e3;
    case 'M':
      return 1e6;
    case 'G':
      return 1e9;
    case 'T':
      return 1e12;
    default:
      return 1.0;
  }
}

struct Page {
  Row names, units;
  std::vector<Row> launches;
  std::string complaint;  // ncu's own
};

Page page_of(std::string_view text) {
  Page page;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    if (line.rfind("==", 0) == 0) {
      const std::string_view mark = "==ERROR== ";
      if (line.rfind(mark, 0) == 0)
        page.complaint += fmt::format("{}{}", page.complaint.empty() ? "" : " ", line.substr(mark.size()));
      continue;
    }
    if (line.empty() || line[0] != '"') continue;
    Row row = fields_of(line);
    if (page.names.empty()) {
      if (row.front() == "ID") page.names = std::move(row);
    } else if (row.size() == page.names.size()) {
      if (page.units.empty() && row.front().empty())
        page.units = std::move(row);
      else
        page.launches.push_back(std::move(row));
    }
  }
  return page;
}

std::size_t column_of(const Page& page, const std::string& name) {
  const auto found = std::find(page.names.begin(), page.names.end(), name);
  if (found == page.names.end())
    throw Error(Status::resource, fmt::format("Nsight Compute does not report {}", name),
                "take a version that knows this GPU");
  return static_cast<std::size_t>(found - page.names.begin());
}

}  // namespace

std::string ncu_metrics() {
  std::string list;
  for (const Metric& metric : metrics) list += fmt::format("{}{}", list.empty() ? "" : ",", metric.name);
  return list;
}

std::vector<NcuLaunch> read_ncu(std::string_view text) {
  const Page page = page_of(text);
  if (page.launches.empty()) {
    const bool forbidden = page.complaint.find("ERR_NVGPUCTRPERM") != std::string::npos;
    throw Error(Status::resource,
                fmt::format("Nsight Compute counted nothing{}{}", page.complaint.empty() ? "" : ": ", page.complaint),
                forbidden ? "ask the machine's administrator for access to the GPU's performance counters" : "");
  }
  const std::size_t name = column_of(page, "Kernel Name");
  std::vector<NcuLaunch> launches(page.launches.size());
  for (std::size_t i = 0; i < launches.size(); ++i) launches[i].kernel = page.launches[i][name];
  for (const Metric& metric : metrics) {
    const std::size_t column = column_of(page, metric.name);
    const double scale = page.units.empty() ? 1.0 : scale_of(page.units[column]);
    for (std::size_t i = 0; i < launches.size(); ++i)
      launches[i].*metric.value = scale * number_of(page.launches[i][column]);
  }
  return launches;
}

Counters counters_of(const std::vector<NcuLaunch>& launches, std::size_t first, std::size_t count, std::int64_t nodes) {
  NcuLaunch sum;
  for (std::size_t i = first; i < first + count; ++i)
    for (const Metric& metric : metrics) sum.*metric.value += launches.at(i).*metric.value;
  const auto points = static_cast<double>(nodes);
  const auto rate = [](double hits, double all) { return all > 0.0 ? hits / all : 0.0; };
  Counters counters;
  counters.dram_read_bytes = sum.dram_read_bytes / points;
  counters.dram_written_bytes = sum.dram_written_bytes / points;
  counters.l2_bytes = sector_bytes * sum.l2_sectors / points;
  counters.l1_bytes = sector_bytes * sum.l1_sectors / points;
  counters.l2_hit_rate = rate(sum.l2_hits, sum.l2_sectors);
  counters.l1_hit_rate = rate(sum.l1_hits, sum.l1_sectors);
  counters.shared_conflicts = sum.shared_conflicts / points;
  counters.instructions = warp_threads * sum.instructions / points;
  counters.issue_use = rate(sum.instructions, sum.cycles);
  counters.shared_use = rate(sum.shared_passes, sum.cycles / parts_of_a_multiprocessor);
  return counters;
}

}  // namespace fdtd::study
