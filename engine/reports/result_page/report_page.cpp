#include "engine/reports/result_page/report_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "engine/reports/further_table.hpp"
#include "engine/reports/headline.hpp"
#include "engine/reports/material_plots.hpp"
#include "engine/reports/metrics_report.hpp"
#include "engine/reports/page.hpp"
#include "engine/reports/result_page/figure_maps.hpp"
#include "engine/reports/result_page/low_frequencies.hpp"
#include "engine/reports/result_page/octave_charts.hpp"
#include "engine/reports/result_page/report_plots.hpp"
#include "engine/reports/result_page/report_room.hpp"
#include "engine/reports/result_page/wall_dips.hpp"
#include "engine/reports/run_report.hpp"
#include "engine/system/machine.hpp"

namespace fdtd {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t max_drawn = 12, max_rows = 500;  // responses with plots; rows of the table of all

// One of the result's JSON documents. Its members are read with value(), which throws for a member of a type that this
// program never writes.
Json parse_part(const std::string& text) { return text.empty() ? Json::object() : Json::parse(text); }

std::string list_html(const std::vector<std::string>& lines, const char* kind) {
  if (lines.empty()) return "";
  std::string html = fmt::format("<ul class=\"{}\">", kind);
  for (const std::string& line : lines) html += "<li>" + escape_html(line) + "</li>\n";
  return html + "</ul>\n";
}

// A list of terms with their values.
class Terms {
 public:
  void add(const std::string& term, const std::string& value) {
    if (!value.empty()) html_ += fmt::format("<dt>{}</dt><dd>{}</dd>\n", term, escape_html(value));
  }
  std::string html() const { return "<dl>\n" + html_ + "</dl>\n"; }

 private:
  std::string html_;
};

std::string times(const Json& numbers, const char* format) {
  std::string text;
  for (const auto& number : numbers)
    text += (text.empty() ? "" : " x ") + fmt::format(fmt::runtime(format), number.get<double>());
  return text;
}

std::vector<std::string> notes_of(const Result& result, const Json& plan) {
  auto notes = plan.value("warnings", std::vector<std::string>{});
  notes.insert(notes.end(), result.rendered.remarks.begin(), result.rendered.remarks.end());
  return notes;
}

std::string plan_html(const Result& result, const Json& plan) {
  Terms terms;
  const auto number = [&](const char* key) { return plan.value(key, std::nan("")); };
  terms.add("stencil", fmt::format("{}, {} points, Courant number {:.5f}", plan.value("stencil", std::string("?")),
                                   plan.value("points", 0), number("courant")));
  if (plan.contains("grid"))
    terms.add("grid", fmt::format("{} = {:.4g} nodes, {}", times(plan["grid"], "{:.0f}"), number("nodes"),
                                  plan.value("precision", std::string("?"))));
  if (plan.contains("spacing_xyz")) terms.add("spacing", times(plan["spacing_xyz"], "{:.5g}") + " m");
  terms.add("time step", fmt::format("{:.4g} \u00b5s ({:.1f} Hz), {} steps for {:g} s", 1e6 * number("time_step"),
                                     number("sample_rate"), plan.value("steps", std::int64_t{0}), number("duration")));
  const std::string limited_by = plan.value("limited_by", std::string());
  terms.add("valid up to",
            fmt::format("{:.1f} Hz{}; at {:.1f} Hz {:.2f} points per wavelength, dispersion error {:.3g} %",
                        number("valid_bandwidth"),
                        limited_by.empty() || limited_by == "max_frequency" ? "" : ", limited by " + limited_by,
                        number("max_frequency"), number("points_per_wavelength"), 100.0 * number("dispersion_error")));
  for (const auto& limit : plan.value("limits", Json::array()))
    terms.add(limit.value("what", std::string()) + " up to",
              fmt::format("{:.1f} Hz{}{}", limit.value("frequency", std::nan("")),
                          limit.value("beyond", false) ? " and more" : "",
                          limit.contains("by") ? ": " + limit.value("by", std::string()) : ""));
  if (result.room_box[0] > 0.0)
    terms.add("room", fmt::format("{:g} x {:g} x {:g} m", result.room_box[0], result.room_box[1], result.room_box[2]));
  if (const auto mesh = plan.find("mesh"); mesh != plan.end()) {
    terms.add("mesh", fmt::format("{} triangles, {:.5g} m\u00b3 of air", mesh->value("triangles", 0),
                                  mesh->value("volume", std::nan(""))));
    for (const auto& one : mesh->value("materials", Json::array()))
      terms.add("surface", fmt::format("{}: {}, {:.4g} m\u00b2, of which {:.4g} m\u00b2 face the air of the room",
                                       one.value("name", std::string()), one.value("material", std::string()),
                                       one.value("area", std::nan("")), one.value("area_in_room", std::nan(""))));
  }
  terms.add("air", fmt::format("{:.2f} m/s, absorption {}", number("sound_speed"),
                               plan.value("air_absorption", false) ? "ISO 9613-1" : "off"));
  terms.add("memory", human_bytes(number("memory_bytes")));
  return "<h2>Plan</h2>\n" + terms.html();
}

std::string summary_of(const Table& table, std::size_t responses) {
  if (table.rows.empty()) return "";
  std::string html = "<h2>Room-acoustic parameters</h2>\n" + to_html(table);
  if (responses > table.rows.size())
    html += fmt::format("<p>The first {} of {}; /metrics in result.h5 has all.</p>\n", table.rows.size(), responses);
  return html;
}

std::vector<std::string> headline_row(const std::string& source, const std::string& receiver,
                                      const OctaveValues& figures, const OctaveRange& range) {
  std::vector<std::string> row{source, receiver};
  for (std::size_t f = 0; f < main_figures; ++f)
    row.push_back(figure_text(f, mean_over(range, [&](std::size_t band) { return figures.values[band][f]; })));
  return row;
}

// The means over all responses by octave, where there are several.
std::string means_html(const Result& result) {
  const std::vector<ShownChannel> shown = shown_channels(result.recording);
  if (!result.figures || shown.size() < 2) return "";
  std::vector<std::size_t> channels;
  for (const ShownChannel& one : shown) channels.push_back(one.channel);
  Table table = mean_table(*result.figures, channels, result.parts());
  table.caption = "Means by octave of " + counted_means(*result.figures, channels);
  return to_html(table);
}

// One row per response, from the values in result.h5: nothing is measured again.
std::string summary_html(const Result& result, const std::vector<ShownFigures>& all) {
  Table table{{"source", "receiver", "EDT s", "T20 s", "T30 s", "C50 dB", "C80 dB", "D50 %", "Ts ms", "G dB"}, {}};
  OctaveRange range;
  for (std::size_t i = 0; i < std::min(all.size(), max_rows); ++i) {
    range = headline_octaves(all[i].octaves.centres);
    table.rows.push_back(headline_row(all[i].source, all[i].receiver, all[i].octaves, range));
  }
  table.caption = fmt::format("Room-acoustic parameters (ISO 3382-1), {}", headline_text(range));
  return summary_of(table, all.size()) + means_html(result);
}

// T30 of the run, over all sources and receivers, beside what the plan expected.
std::string expected_html(const Result& result, const Json& plan) {
  std::map<double, std::vector<double>> measured;
  const Json metrics = parse_part(result.metrics_json);
  const std::size_t responses = metrics.size();
  for (const auto& one : metrics)
    for (const auto& band : one.value("bands", Json::array()))
      if (const auto T30 = band.find("T30"); T30 != band.end() && T30->is_number())
        measured[band.value("centre", 0.0)].push_back(T30->get<double>());
  Table table{{"octave Hz", "run: T30 s", "from", "to", "responses", "expected s", "by", "Eyring s"}, {}};
  table.caption = "Reverberation time: the run, and what the plan expected";
  Plot plot;
  plot.title = "Reverberation time: run and plan";
  plot.width = 480.0, plot.height = 300.0;  // as the others: legible on a phone
  plot.x = {"octave, Hz", true};
  plot.y = {"T30, s"};
  plot.legend_above = true;
  std::set<std::string> models;
  plot.series = {{"run, mean", {}, false, true}, {"expected", {}, true, true}, {"Eyring", {}, false, true, -1, true}};
  for (const auto& band : plan.value("reverberation", Json::array())) {
    const double centre = band.value("centre", 0.0);
    const auto number = [&](const char* key) {
      const auto found = band.find(key);
      return found != band.end() && found->is_number() ? found->get<double>() : std::nan("");
    };
    const auto text = [](double value) { return std::isfinite(value) ? fmt::format("{:.3f}", value) : "-"; };
    double mean = std::nan(""), low = mean, high = mean;
    std::size_t count = 0;
    if (const auto found = measured.find(centre); found != measured.end()) {
      const auto [least, most] = std::ranges::minmax(found->second);
      low = least, high = most, mean = 0.0, count = found->second.size();
      for (const double one : found->second) mean += one / static_cast<double>(found->second.size());
    }
    table.rows.push_back({fmt::format("{:g}", centre), text(mean), text(low), text(high), fmt::format("{}", count),
                          text(number("seconds")), band.value("model", std::string("-")), text(number("eyring"))});
    models.insert(band.value("model", std::string("-")));
    plot.x.marks.push_back(centre);
    const bool shown = count >= fewest_of_mean(responses);
    const double values[] = {shown ? mean : std::nan(""), number("seconds"), number("eyring")};
    for (std::size_t i = 0; i < 3; ++i)
      if (std::isfinite(values[i])) plot.series[i].points.emplace_back(centre, values[i]);
  }
  if (measured.empty() || table.rows.empty()) return "";
  std::erase_if(plot.series, [](const Series& one) { return one.points.empty(); });
  std::string html = "<h2>Run and expectation</h2>\n" + to_html(table);
  if (table.rows.size() > 1) html += "<div class=\"plots\">\n" + to_svg(plot) + "</div>\n";
  return html + fmt::format("<p class=\"quiet\">{}</p>\n",
                            models == std::set<std::string>{"box modes"}
                                ? "Box modes: energy in the modes of an empty box with smooth "
                                  "walls, without scattering."
                            : models.contains("box modes")
                                ? "Box modes are those of an empty box with smooth walls; the other "
                                  "expectations are of diffuse sound."
                                : "The expectation is of diffuse sound, without modes and single "
                                  "reflections.");
}

LowRoom low_room(const Result& result, const Json& plan) {
  LowRoom room{0.0, result.room_box, result.sound_speed};
  if (const auto found = plan.find("schroeder_frequency"); found != plan.end() && found->is_number())
    room.schroeder = found->get<double>();
  return room;
}

// s, of a waterfall: the longest decay time of the octaves up to 250 Hz, as far as the response goes.
double waterfall_span(const Metrics& metrics) {
  double time = 0.0;
  for (const BandMetrics& band : metrics.bands)
    for (const Figure* figure : {&band.T20, &band.EDT})
      if (band.centre <= 250.0 && figure->value) time = std::max(time, *figure->value);
  return std::min(time > 0.0 ? time : 0.5, 0.9 * (metrics.duration - metrics.onset));
}

std::string response_html(const Result& result, const ShownChannel& shown, const LowRoom& room,
                          const PairNotches* notches, bool open) {
  const auto samples = static_cast<std::size_t>(result.rendered.samples);
  const Response response{std::span(result.rendered.ir).subspan(shown.channel * samples, samples),
                          result.rendered.sample_rate, result.valid_to(), shown.source + " at " + shown.receiver};
  const Metrics metrics = measure_channel(result, shown.channel, {}, true);
  std::string html = fmt::format("<details{}><summary>{}</summary>\n", open ? " open" : "", escape_html(response.name));
  Plot spectrum = spectrum_plot(response), low_spectrum = low_spectrum_plot(response, room);
  mark_wall_dips(spectrum, notches);
  mark_wall_dips(low_spectrum, notches);
  html += "<div class=\"plots\">\n" + to_svg(response_plot(response)) + to_svg(decays_plot(metrics, response.name)) +
          to_svg(spectrum) + to_svg(spectrogram_plot(response)) + to_svg(low_spectrum) +
          waterfall_svg(response, room, metrics.onset, waterfall_span(metrics)) + "</div>\n";
  Table table = metrics_table(metrics);
  table.caption = "Room-acoustic parameters, " + response.name;
  html += to_html(table);
  html +=
      "<p class=\"quiet\">C: curvature; xi20, xi30: non-linearity of T20 and T30 in per mille (ISO 3382-2, annex "
      "B).</p>\n";
  if (const std::string speech = speech_text(metrics); !speech.empty()) html += "<p>" + escape_html(speech) + "</p>\n";
  html += list_html(metrics_gaps(metrics), "quiet");
  if (has_further(metrics)) {
    Table further = further_table(metrics);
    further.caption = "Early and lateral sound, " + response.name;
    html += to_html(further) + list_html(further_notes(metrics), "quiet");
  }
  html += wall_dips_html(notches, response.name);
  std::vector<BandMetrics> bands = metrics.bands;
  if (bands.empty()) bands.push_back(metrics.broadband);
  std::string fits;
  for (const BandMetrics& band : bands)
    if (band.decay && !band.decay->level.empty()) fits += to_svg(decay_plot(band));
  if (!fits.empty())
    html += "<details><summary>Fits to the decays</summary>\n<div class=\"plots\">\n" + fits + "</div></details>\n";
  return html + "</details>\n";
}

bool among(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

// "it has R1, R2, ...": the first names, each once.
std::string names_in(const std::vector<ShownChannel>& all, std::string ShownChannel::*member) {
  constexpr std::size_t most = 20;
  std::vector<std::string> names;
  for (const ShownChannel& one : all)
    if (std::ranges::find(names, one.*member) == names.end()) names.push_back(one.*member);
  const bool more = names.size() > most;
  names.resize(std::min(names.size(), most));
  return fmt::format("it has {}{}", fmt::join(names, ", "), more ? ", ..." : "");
}

}  // namespace

void check_choice(const Result& result, const ReportChoice& choice) {
  const std::vector<ShownChannel> all = shown_channels(result.recording);
  const auto require = [&](const char* what, const std::vector<std::string>& names, std::string ShownChannel::*member) {
    for (const std::string& name : names)
      if (std::none_of(all.begin(), all.end(), [&](const ShownChannel& one) { return one.*member == name; }))
        throw Error(Status::scene, fmt::format("the result has no {} \"{}\"", what, name), names_in(all, member));
  };
  require("source", choice.sources, &ShownChannel::source);
  require("receiver", choice.receivers, &ShownChannel::receiver);
}

namespace {

std::vector<ShownChannel> chosen_channels(const Result& result, const ReportChoice& choice) {
  check_choice(result, choice);
  std::vector<ShownChannel> chosen;
  for (ShownChannel& one : shown_channels(result.recording))
    if (among(choice.sources, one.source) && among(choice.receivers, one.receiver)) chosen.push_back(std::move(one));
  return chosen;
}

// The responses that are drawn and played.
std::vector<ShownChannel> first_of(const std::vector<ShownChannel>& chosen) {
  return {chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(std::min(chosen.size(), max_drawn))};
}

std::string responses_html(const Result& result, const std::vector<ShownChannel>& chosen, const LowRoom& room) {
  std::string html = fmt::format(
      "<h2>Responses</h2>\n<p class=\"quiet\">{:g} Hz, valid up to {:g} Hz. A response convolved with the free-field "
      "pressure of a monopole at 1 m gives the pressure at the receiver; sample 0 is the emission.</p>\n",
      result.rendered.sample_rate, result.valid_to());
  const std::size_t drawn = std::min(chosen.size(), max_drawn);
  const std::vector<PairNotches> notches = stored_notches(result);
  for (std::size_t i = 0; i < drawn; ++i)
    html +=
        response_html(result, chosen[i], room, notches_of_pair(notches, chosen[i].source, chosen[i].receiver), i == 0);
  if (chosen.size() > drawn)
    html += fmt::format(
        "<p>{} of {} responses are drawn; use `fdtd report result.h5 --receiver NAME` to draw others.</p>\n", drawn,
        chosen.size());
  return html;
}

MaterialFit fit_of(const Json& json) {
  MaterialFit fit;
  fit.name = json.value("name", std::string());
  fit.bands = json.value("bands", std::vector<double>{});
  fit.fitted = json.value("fitted", std::vector<double>{});
  if (json.contains("asked") && json["asked"].is_array()) fit.asked = json["asked"].get<std::vector<double>>();
  for (const auto& branch : json.value("branches", Json::array())) {
    Branch& own = fit.branches.emplace_back();
    for (const BranchTerm& term : branch_terms) own.*term.value = branch.value(term.symbol, 0.0);
  }
  fit.bands.resize(std::min(fit.bands.size(), fit.fitted.size()));
  fit.remark = json.value("remark", std::string());
  fit.origin = json.value("origin", std::string());
  return fit;
}

std::string materials_html(const Result& result) {
  std::string plots, notes;
  for (const auto& json : parse_part(result.materials_json)) {
    const MaterialFit fit = fit_of(json);
    std::string line = "<p class=\"quiet\">" + escape_html(fit.name) + ": ";
    line += fit.branches.empty()
                ? "rigid"
                : fmt::format("{} branch{}", fit.branches.size(), fit.branches.size() == 1 ? "" : "es");
    for (const std::string& text : {fit.remark, fit.origin})
      if (!text.empty()) line += "; " + escape_html(text);
    notes += line + "</p>\n";
    if (fit.branches.empty()) continue;
    Plot plot = absorption_plot(fit, result.options.bandwidth);
    plot.width = 480.0, plot.height = 260.0;
    plots += to_svg(plot);
  }
  if (notes.empty()) return "";
  return "<h2>Materials</h2>\n<div class=\"plots\">\n" + plots + "</div>\n" + notes;
}

std::string energy_html(const Result& result) {
  std::string html = "<h2>Energy</h2>\n<div class=\"plots\">\n" + to_svg(energy_plot(result.recording)) +
                     to_svg(balance_plot(result.recording)) + "</div>\n";
  const bool exchanged = result.recording.exchanged;
  Table table{{exchanged ? "receiver" : "source", "steps", "injected", "stored at the end", "dissipated",
               "largest balance error"},
              {}};
  for (std::size_t s = 0; s < result.recording.energy.size(); ++s) {
    const auto& course = result.recording.energy[s];
    if (course.empty()) continue;
    double worst = 0.0;
    for (const EnergyPoint& point : course) worst = std::max(worst, std::abs(point.balance_error));
    const EnergyPoint& last = course.back();
    table.rows.push_back({result.recording.senders()[s].name, fmt::format("{}", last.step),
                          fmt::format("{:.6g}", last.energy.injected), fmt::format("{:.6g}", last.energy.stored),
                          fmt::format("{:.6g}", last.energy.dissipated), fmt::format("{:.2g}", worst)});
  }
  return html + to_html(table) +
         (exchanged ? "<p class=\"quiet\">Sources and receivers were exchanged: every receiver sent, all sources "
                      "recorded.</p>\n"
                    : "") +
         "<p class=\"quiet\">In the units of the scheme. Stored plus dissipated minus injected energy is zero up to "
         "rounding; "
         "the error is relative to the largest injected energy.</p>\n";
}

std::string provenance_html(const Result& result) {
  Terms terms;
  terms.add("program", result.version);
  terms.add("build", result.build);
  terms.add("device", result.run.device);
  terms.add("date", result.run.date);
  terms.add("time", fmt::format("{:.3g} s of stepping", result.run.wall_seconds));
  for (const std::string& one : result.overrides) terms.add("--set", one);
  return "<h2>Provenance</h2>\n" + terms.html() + "<details><summary>Scene</summary><pre tabindex=\"0\">" +
         escape_html(result.scene_text) + "</pre></details>\n";
}

std::optional<UseTargets> targets_for(const Result& result, const ReportChoice& choice) {
  if (choice.use.empty()) return std::nullopt;
  const std::optional<double> volume = air_volume(result);
  if (!volume)
    throw Error(Status::scene, "the result does not state the volume of the room, on which targets depend",
                "leave out --use");
  return targets_of(choice.use, *volume);
}

}  // namespace

std::string report_html(const Result& result, const ReportChoice& choice) {
  try {
    const Json plan = parse_part(result.plan_json);
    const std::vector<ShownChannel> chosen = chosen_channels(result, choice);
    const std::vector<ShownFigures> figures = shown_figures(result);
    const std::string body = list_html(notes_of(result, plan), "notes") + room_html(result) +
                             summary_html(result, figures) + octave_charts_html(figures, targets_for(result, choice)) +
                             figure_maps_html(result, figures) +
                             players_html(result, first_of(chosen), choice.players) + expected_html(result, plan) +
                             responses_html(result, chosen, low_room(result, plan)) + plan_html(result, plan) +
                             materials_html(result) + energy_html(result) + provenance_html(result);
    return html_page("Room acoustics report", body, room_scripts(result));
  } catch (const nlohmann::json::exception&) {  // its text is for programmers
    throw Error(Status::file, "the result's plan, metrics or materials are not JSON that this program writes",
                "the file is damaged, or another program wrote it");
  }
}

}  // namespace fdtd
