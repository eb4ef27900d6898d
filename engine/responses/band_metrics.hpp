// The room-acoustic parameters of one band (metrics.hpp), and the options of the analysis.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/responses/crossover/band_origin.hpp"
#include "engine/responses/decay.hpp"
#include "engine/responses/speech/speech_transmission.hpp"

namespace fdtd {

// Speech for the speech transmission index.
struct SpeechConditions {
  double level = 60.0;                 // dB(A), at 1 m in free field in front of the source
  std::optional<SpeechOctaves> noise;  // dB by octave, at the receiver
};

// The needs of some figures beside the response itself. The signals have its rate, length and time.
struct Companions {
  // The response of a figure-of-eight with its null towards the source, which has the pressure of a plane wave along its
  // axis; empty: there is none, and the reason. Hz: it is valid from here on.
  std::span<const double> lateral{};
  double lateral_from = 0.0;
  std::optional<std::array<double, 3>> lateral_axis{};  // in the scene, where it is known
  std::string no_lateral = "the response of a figure-of-eight beside this one is needed";
  // The right ear, where the response is that of the left; empty: there is none, and the reason.
  std::span<const double> right_ear{};
  std::string no_ears = "the two channels of a binaural response are needed";
  std::optional<double> distance{};  // m, between source and receiver
};

struct MetricsOptions {
  // Hz, the response is valid up to here; 0: found from the spectrum. Bands that extend beyond are left out.
  double valid_bandwidth = 0.0;
  // The factor that makes the response give the pressure from a monopole's free-field pressure at 1 m; 1 for the
  // responses of this program; without it there is no G.
  std::optional<double> scale;
  // Step between integer samples (Audio::step), whose rounding is noise of energy step^2/12. 0: none.
  double step = 0.0;
  bool keep_decays = false;  // for plots
  double earliest = 0.0;     // s: no sound arrives before, distance over speed of sound; 0: not known
  // The response has no low-cut, so that a closed room's static pressure is in it: it is removed before the analysis. A
  // response that ends in a growing pressure is recognised without.
  bool static_pressure = false;
  // Without it the index is that of the room alone: no noise, no masking, no threshold of hearing.
  std::optional<SpeechConditions> speech{};
  BandParts parts{};  // of waves and geometry
  Companions with{};
};

// A value, or the reason why it is missing.
struct Figure {
  std::optional<double> value;
  std::string reason;
};

// Why a value is to be taken with care.
struct Doubt {
  const char* name;  // of named_figures
  std::string reason;
};

struct BandMetrics {
  double centre = 0.0;  // Hz, nominal; 0: all frequencies
  Figure EDT, T20, T30, C50, C80, D50, Ts, G;
  Figure curvature;                            // %: 100 (T30 / T20 - 1); 0..5 is usual
  Figure nonlinearity_T20, nonlinearity_T30;   // per mille: 1000 (1 - r^2) of the lines
  double range = 0.0;                          // dB of decay that can be evaluated
  Figure DRR, LF, LFC, LJ, ST_early, ST_late;  // further_figures.hpp
  Figure IACC_early, IACC_late, IACC;
  std::optional<Decay> decay;            // with keep_decays
  std::optional<Modulation> modulation;  // m(F) of the octaves of speech; it is missing where Ts is
  std::optional<double> MTI;             // modulation transfer index of IEC 60268-16
  std::optional<double> U50;             // dB: useful to detrimental sound, of speech of a level
  BandOrigin from = BandOrigin::unknown;
  std::vector<std::string> reasons() const;  // "T30: ...", each reason once, with all values that it applies to
  std::vector<Doubt> doubts() const;
};

// Above these the decay is not straight: ISO 3382-2:2008, annex B. % and per mille, compared as printed, to a tenth.
inline constexpr double curvature_limit = 10.0, nonlinearity_limit = 10.0;
// dB: clarity, definition and centre time of a decay of less depend on the noise and on what is made up for it.
inline constexpr double sure_range = 25.0;

// Every parameter with its name in reports, its unit and what it is, in their order: the main figures of ISO 3382-1, how
// straight their decay is, which is missing where T20 or T30 are, then those that need an early arrival by itself, a
// second response or a certain place.
struct NamedFigure {
  const char* name;
  Figure BandMetrics::*figure;
  const char *unit, *about;
};
inline constexpr NamedFigure named_figures[] = {
    {"EDT", &BandMetrics::EDT, "s", "Early decay time, from 0 to -10 dB."},
    {"T20", &BandMetrics::T20, "s", "Reverberation time, from -5 to -25 dB."},
    {"T30", &BandMetrics::T30, "s", "Reverberation time, from -5 to -35 dB."},
    {"C50", &BandMetrics::C50, "dB", "Clarity, early limit 50 ms."},
    {"C80", &BandMetrics::C80, "dB", "Clarity, early limit 80 ms."},
    {"D50", &BandMetrics::D50, "", "Definition, a fraction of 1."},
    {"Ts", &BandMetrics::Ts, "s", "Centre time."},
    {"G", &BandMetrics::G, "dB", "Sound strength; needs a response of known scale."},
    {"curvature", &BandMetrics::curvature, "%",
     "100 (T30 / T20 - 1) (ISO 3382-2, annex B); above 10 the decay is bent."},
    {"nonlinearity_T20", &BandMetrics::nonlinearity_T20, "‰",
     "Degree of non-linearity, 1000 (1 - r²) with the correlation coefficient r of the decay and the line of T20 (ISO "
     "3382-2, annex B); above 10 the decay is not straight."},
    {"nonlinearity_T30", &BandMetrics::nonlinearity_T30, "‰", "The same of the line of T30."},
    {"DRR", &BandMetrics::DRR, "dB",
     "Direct-to-reverberant ratio: energy up to 2.5 ms after the onset over the rest; octaves from 500 Hz on."},
    {"LF", &BandMetrics::LF, "",
     "Early lateral energy fraction J_LF (ISO 3382-1, A.2.4), 5 to 80 ms; of a receiver with a figure-of-eight."},
    {"LFC", &BandMetrics::LFC, "", "The same by the product of both signals, J_LFC."},
    {"LJ", &BandMetrics::LJ, "dB", "Late lateral sound level L_J (ISO 3382-1, A.2.5), from 80 ms on."},
    {"ST_early", &BandMetrics::ST_early, "dB",
     "Early stage support (ISO 3382-1, annex C), 20 to 100 ms; of a receiver 1 m from the source."},
    {"ST_late", &BandMetrics::ST_late, "dB", "Late stage support, 100 to 1000 ms."},
    {"IACC_early", &BandMetrics::IACC_early, "",
     "Interaural cross-correlation coefficient (ISO 3382-1, annex B), 0 to 80 ms; of a binaural response."},
    {"IACC_late", &BandMetrics::IACC_late, "", "The same, 80 to 1000 ms."},
    {"IACC", &BandMetrics::IACC, "", "The same, 0 to 1000 ms."}};
inline constexpr std::size_t main_figures = 8;       // the first of them: in every table
inline constexpr std::size_t figures_of_decay = 11;  // the first of them: of the decay alone

}  // namespace fdtd
