#include "engine/reports/further_table.hpp"

#include "engine/reports/metrics_report.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;
using Catch::Matchers::Contains;

TEST_CASE("further table: columns that any octave has, single numbers, the axis and the reasons") {
  Metrics metrics;
  for (const double centre : {125.0, 250.0, 500.0, 1000.0}) {
    BandMetrics band;
    band.centre = centre;
    for (const NamedFigure& one : named_figures) (band.*one.figure).reason = "no reason";
    if (centre > 250.0)
      band.DRR.value = -3.14;
    else
      band.DRR.reason = "too low";
    metrics.bands.push_back(band);
  }
  CHECK_FALSE(has_further(metrics));  // each response has DRR
  CHECK_THAT(metrics_text(metrics), !Contains("DRR"));
  CHECK_THAT(metrics_text(metrics, true), Contains("DRR dB"));
  for (BandMetrics& band : metrics.bands) band.LF.value = 0.2;
  metrics.bands[0].LF.value = 0.4;
  metrics.lateral_axis = {0.0, 1.0, 0.0};
  REQUIRE(has_further(metrics));
  const Table table = further_table(metrics);
  CHECK(table.head == std::vector<std::string>{"octave band", "DRR dB", "LF"});
  REQUIRE(table.rows.size() == 4);
  CHECK(table.rows[0] == std::vector<std::string>{"125 Hz", "-", "0.40"});
  CHECK(table.rows[3] == std::vector<std::string>{"1000 Hz", "-3.1", "0.20"});
  const std::string text = metrics_text(metrics);
  CHECK_THAT(text, Contains("LF_125_1000: 0.25\n"));
  CHECK_THAT(text, Contains("lateral energy is that along (0.00, 1.00, 0.00), across the direction to the source"));
  CHECK_THAT(text, Contains("no DRR: too low (125 Hz, 250 Hz)\n"));
  CHECK_THAT(text, Contains("no LFC, LJ, ST_early, ST_late, IACC_early, IACC_late, IACC: no reason\n"));
  CHECK(further_table(Metrics{}).rows.empty());
}
