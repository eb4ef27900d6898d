#include "engine/reports/headline.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "engine/reports/metrics_report.hpp"
#include "tests/support/catch.hpp"

namespace fdtd::test {
namespace {

const std::vector<double> wide = {31.5, 63.0, 125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0, 0.0};

BandMetrics octave(double centre, double T30) {
  BandMetrics band;
  band.centre = centre;
  band.T30.value = T30;
  return band;
}

const std::vector<std::string>& row_of(const Table& table, const std::string& name) {
  for (const auto& row : table.rows)
    if (row.front() == name) return row;
  FAIL("no row " + name);
  return table.rows.front();
}

constexpr std::size_t T30_column = 3;

}  // namespace

TEST_CASE("single numbers are means of the octaves of 500 and 1000 Hz, and of those of 125 to 4000 Hz") {
  CHECK(mid_octaves(wide).bands == std::vector<std::size_t>{4, 5});
  CHECK(room_octaves(wide).bands == std::vector<std::size_t>{2, 3, 4, 5, 6, 7});
  CHECK(room_octaves(wide).name == "125-4000 Hz");
  CHECK(headline_octaves(wide).mid);

  // Long at low frequencies, as rooms are: neither 31.5 nor 63 Hz decides.
  Metrics metrics;
  for (const auto& [centre, T30] : {std::pair{31.5, 9.0},
                                    {63.0, 6.0},
                                    {125.0, 2.0},
                                    {250.0, 1.6},
                                    {500.0, 1.2},
                                    {1000.0, 1.0},
                                    {2000.0, 0.8},
                                    {4000.0, 0.6},
                                    {8000.0, 0.3}})
    metrics.bands.push_back(octave(centre, T30));
  metrics.broadband = octave(0.0, 9.0);
  const Table table = metrics_table(metrics);
  CHECK(row_of(table, "500-1000 Hz")[T30_column] == "1.100");
  CHECK(row_of(table, "125-4000 Hz")[T30_column] == "1.200");
  for (const auto& row : table.rows) CHECK(row.front() != "all");
}

TEST_CASE("where the valid band ends below 1000 Hz the single number is of what there is, and says so") {
  const std::vector<double> narrow = {63.0, 125.0, 250.0, 500.0};
  CHECK(mid_octaves(narrow).bands.empty());
  const OctaveRange range = headline_octaves(narrow);
  CHECK(range.name == "125-500 Hz");
  CHECK(headline_text(range).find("ends below the mid-frequency octaves") != std::string::npos);
  CHECK(headline_octaves({31.5, 63.0}).name == "31.5-63 Hz");
  CHECK(headline_octaves({}).bands.empty());
  CHECK(std::isnan(mean_over(range, [](std::size_t band) { return band == 2 ? std::nan("") : 1.0; })));
}

TEST_CASE("means over receivers are by octave, of those that have the figure, if these are half of them or more") {
  FigureTableMaker maker(3);
  for (std::size_t channel = 0; channel < 3; ++channel) {
    Metrics metrics;
    metrics.bands = {octave(500.0, 1.0 + static_cast<double>(channel)), octave(1000.0, 2.0)};
    if (channel == 0) metrics.bands[1].T30 = {};
    if (channel > 0) metrics.bands[1].T20.value = channel == 1 ? std::optional(5.0) : std::nullopt;
    maker.put(channel, metrics);
  }
  const Table table = mean_table(maker.finish(), {0, 1, 2});
  CHECK(row_of(table, "500 Hz")[T30_column] == "2.000");
  CHECK(row_of(table, "1000 Hz")[T30_column] == "2.000");
  CHECK(row_of(table, "1000 Hz")[T30_column - 1] == "-");  // T20, of one of three
  CHECK(row_of(table, "500-1000 Hz")[T30_column] == "2.000");
}

TEST_CASE("tables of figures are no wider than a terminal") {
  Metrics metrics;
  metrics.bands.push_back(octave(16000.0, 123.456));
  metrics.bands[0].C50.value = metrics.bands[0].C80.value = metrics.bands[0].G.value = -123.45;
  metrics.bands[0].Ts.value = 12.3456;
  metrics.bands[0].D50.value = 1.0;
  const std::string text = table_text(metrics_table(metrics));
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = text.find('\n', begin);
    CHECK(end - begin <= 80);
  }
}

}  // namespace fdtd::test
