// Room-acoustic parameters as a table and as JSON.
#pragma once

#include <string>
#include <vector>

#include "engine/files/json_fields.hpp"
#include "engine/reports/page.hpp"
#include "engine/responses/figure_table.hpp"
#include "engine/responses/metrics.hpp"

namespace fdtd {

// As JSON; null where there is no value.
const JsonFields<Metrics>& metrics_fields();
const JsonFields<BandMetrics>& band_fields();
// One line per octave and those of the means over octaves (headline.hpp); below, why values are missing. Then the table
// of further_table.hpp, where the response has lateral, interaural or stage figures, or `all`.
std::string metrics_text(const Metrics& metrics, bool all = false);

// One row per octave, then the means over the mid-frequency octaves and over those of 125 to 4000 Hz; "-" for a missing
// value. Where no octave lies in the valid band, the figures of all frequencies. Where geometry makes a part of the
// response, the last column states the part of each octave.
Table metrics_table(const Metrics& metrics);
// So many of `responses` have a figure at least where a mean of it is shown: half of them, and one.
std::size_t fewest_of_mean(std::size_t responses);
// The same of the means over several responses, by octave.
Table mean_table(const FigureTable& figures, const std::vector<std::size_t>& channels, const BandParts& parts = {});
// "20 responses", and by octave how many of them the means are of where a figure is missing in some: "20 responses, of which
// 19 at 125 Hz, 15 to 18 at 250 Hz have a figure".
std::string counted_means(const FigureTable& figures, const std::vector<std::size_t>& channels);
// The head of the column of named_figures[figure], with its unit, and a value as tables show it.
const char* figure_head(std::size_t figure);
std::string figure_text(std::size_t figure, double value);
// A table of figures as text, at most 80 columns wide.
std::string table_text(const Table& table);
// "STI 0.62, STIPA 0.61 of the room alone, without noise (IEC 60268-16)", or "" where there is none.
std::string speech_text(const Metrics& metrics);
// Why values are missing: "no T30: the decay spans ... (125 Hz, all)", each reason once.
std::vector<std::string> metrics_gaps(const Metrics& metrics);

}  // namespace fdtd
