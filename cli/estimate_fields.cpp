// The JSON document of `fdtd estimate`, field by field.
#include "cli/documents.hpp"
#include "cli/estimate_report.hpp"

namespace fdtd::cli {
namespace {

struct EstimateDocument {
  const Scene* scene = nullptr;
  const Estimate* estimate = nullptr;
  const std::vector<std::string>* outputs = nullptr;  // null: none are written
};

const JsonFields<DiffusionRoom::Part>& part_fields() {
  using Part = DiffusionRoom::Part;
  static const auto fields = JsonFields<Part>()
                                 .value("volume", "m³", "Volume.", &Part::volume)
                                 .value("area", "m²", "Area of its walls.", &Part::area)
                                 .value("openings", "m²", "Area of its openings to other parts.", &Part::openings)
                                 .value("mean_free_path", "m", "4 V / S, S with the openings.", &Part::mean_free_path);
  return fields;
}

struct NamedSource {
  std::string name;
  EstimatedSource source;
};

std::vector<NamedSource> sources_of(const EstimateDocument& of) {
  std::vector<NamedSource> list;
  for (std::size_t s = 0; s < of.estimate->sources.size(); ++s)
    list.push_back({of.scene->sources[s].name, of.estimate->sources[s]});
  return list;
}

const JsonFields<NamedSource>& source_fields() {
  static const auto fields =
      JsonFields<NamedSource>()
          .value("name", "", "Name of the source.", &NamedSource::name)
          .value("in_sight", "", "Fraction of its part that the source sees, 0 to 1.",
                 [](const NamedSource& of) { return of.source.in_sight; })
          .value("farthest", "m", "How far it sees in its part.",
                 [](const NamedSource& of) { return of.source.farthest; })
          .value("smooth_walls", "",
                 "Do its levels take walls that are smooth? They do from 0.9 in sight, or five mean free paths of "
                 "sight; else walls that scatter, as decays of rooms that are no box do.",
                 [](const NamedSource& of) { return of.source.straight; });
  return fields;
}

struct EstimatePair {
  std::string source, receiver;
  const EstimatedReceiver* estimated = nullptr;
};

struct EstimateBand {
  const Scene* scene = nullptr;
  const EstimatedBand* band = nullptr;
};

std::vector<EstimatePair> estimated_pairs(const EstimateBand& of) {
  std::vector<EstimatePair> list;
  const auto& receivers = of.band->receivers;
  for (std::size_t s = 0; s < receivers.size(); ++s)
    for (std::size_t r = 0; r < receivers[s].size(); ++r)
      list.push_back({of.scene->sources[s].name, of.scene->receivers[r].name, &receivers[s][r]});
  return list;
}

std::vector<EstimateBand> bands_of(const EstimateDocument& of) {
  std::vector<EstimateBand> list;
  for (const EstimatedBand& band : of.estimate->bands) list.push_back({of.scene, &band});
  return list;
}

const JsonFields<DecaySlope>& slope_fields() {
  static const auto fields =
      JsonFields<DecaySlope>()
          .value("seconds", "s", "Its time for 60 dB.", &DecaySlope::seconds)
          .value("level", "dB", "Its level at the end of the steady state, relative to the whole.", &DecaySlope::level);
  return fields;
}

const JsonFields<EstimatePair>& pair_fields() {
  static const auto fields =
      JsonFields<EstimatePair>()
          .value("source", "", "Name of the source.", &EstimatePair::source)
          .value("receiver", "", "Name of the receiver.", &EstimatePair::receiver)
          .value("G", "dB",
                 "Steady level, direct sound included, over that of direct sound at 10 m; null where no sound gets.",
                 [](const EstimatePair& of) { return of.estimated->G; })
          .value("G_direct", "dB", "The same of direct sound alone; null out of sight of the source.",
                 [](const EstimatePair& of) { return of.estimated->direct; })
          .value("EDT", "s", "Early decay time, from 0 to -10 dB.",
                 [](const EstimatePair& of) { return of.estimated->decay.EDT; })
          .value("T30", "s", "Reverberation time, from -5 to -35 dB.",
                 [](const EstimatePair& of) { return of.estimated->decay.T30; })
          .list("slopes", "The slowest exponential of the decay, then, where the decay is bent, the one before it.",
                slope_fields(), [](const EstimatePair& of) { return of.estimated->decay.slopes; })
          .value("limits", "", "Keys of `limits` that hold for this receiver.",
                 [](const EstimatePair& of) { return of.estimated->limits; });
  return fields;
}

const JsonFields<EstimateBand>& estimated_band_fields() {
  static const auto fields =
      JsonFields<EstimateBand>()
          .value("centre", "Hz", "Centre of the octave.", [](const EstimateBand& of) { return of.band->centre; })
          .value("mean_absorption", "", "Mean random-incidence absorption coefficient of the walls.",
                 [](const EstimateBand& of) { return of.band->mean_absorption; })
          .value("air_attenuation", "dB/m", "Attenuation of the air, ISO 9613-1; 0 with --no-air.",
                 [](const EstimateBand& of) { return of.band->attenuation; })
          .value("sabine", "s", "Reverberation time by Sabine's formula; null where nothing absorbs.",
                 [](const EstimateBand& of) { return of.band->sabine; })
          .value("eyring", "s", "The same by Eyring's.", [](const EstimateBand& of) { return of.band->eyring; })
          .value("steady", "",
                 "Is there a steady state of every source? There is none where nothing absorbs what it emits.",
                 [](const EstimateBand& of) { return of.band->steady(); })
          .value("T30", "s", "The longest T30 of `receivers`.", [](const EstimateBand& of) { return of.band->T30; })
          .value("T30_scatter", "s", "T30 between walls that scatter, the longest at any receiver.",
                 [](const EstimateBand& of) { return of.band->scatter; })
          .value("T30_smooth", "s",
                 "T30 of a box of the room's mean chords, 2 V over the area projected on an axis, with smooth walls; "
                 "null where one of its modes loses nothing.",
                 [](const EstimateBand& of) { return of.band->smooth; })
          .list("receivers",
                "One element for each pair of a source and a receiver; none for sources without a steady state.",
                pair_fields(), estimated_pairs)
          .elements("`steady`")
          .value("limits", "", "Keys of `limits` that hold for the octave.",
                 [](const EstimateBand& of) { return of.band->limits; });
  return fields;
}

std::vector<EstimateLimit> limits_of(const EstimateDocument& of) {
  const std::set<std::string> used = used_limits(*of.estimate);
  std::vector<EstimateLimit> list;
  for (const EstimateLimit& limit : estimate_limits())
    if (used.count(limit.key) > 0) list.push_back(limit);
  return list;
}

const JsonFields<EstimateLimit>& estimate_limit_fields() {
  static const auto fields = JsonFields<EstimateLimit>()
                                 .value("key", "", "Its key.", &EstimateLimit::key)
                                 .value("about", "", "Its text.", &EstimateLimit::text);
  return fields;
}

const JsonFields<DiffusionRoom>& estimated_room_fields() {
  static const auto fields = JsonFields<DiffusionRoom>()
                                 .value("volume", "m³", "Volume of the air.", &DiffusionRoom::volume)
                                 .value("area", "m²", "Area of the walls.", &DiffusionRoom::area)
                                 .value("cells", "", "Cells along x, y and z.", &DiffusionRoom::cells)
                                 .value("spacing", "m", "Sides of a cell.", &DiffusionRoom::spacing)
                                 .list("parts", "Spaces that narrow openings connect; a simple room is one.",
                                       part_fields(), &DiffusionRoom::parts);
  return fields;
}

const JsonFields<EstimateDocument>& document_fields() {
  static const auto fields =
      JsonFields<EstimateDocument>()
          .value("scene", "", "Path of the scene.", [](const EstimateDocument& of) { return of.scene->file.string(); })
          .value("model", "", "Effects that the model has, and those that it lacks.",
                 [](const EstimateDocument& of) { return about_model(*of.estimate); })
          .value("sound_speed", "m/s", "Sound speed.", [](const EstimateDocument& of) { return of.scene->air.speed(); })
          .include(estimated_room_fields(),
                   [](const EstimateDocument& of) -> const DiffusionRoom& { return of.estimate->room; })
          .list("sources", "The sources, in the scene's order.", source_fields(), sources_of)
          .list("bands", "The octaves from 63 to 8000 Hz.", estimated_band_fields(), bands_of)
          .list("limits", "Limits that keep figures from being those of the room, where there are any.",
                estimate_limit_fields(), limits_of)
          .elements("there is a limit")
          .value("remarks", "", "Notes for the user.", [](const EstimateDocument& of) { return of.estimate->remarks; })
          .value("outputs", "", "Paths of the files that were written.",
                 [](const EstimateDocument& of) { return *of.outputs; })
          .only_if("--map", [](const EstimateDocument& of) { return of.outputs != nullptr; });
  return fields;
}

}  // namespace

nlohmann::ordered_json estimate_json(const Scene& scene, const Estimate& estimate,
                                     const std::vector<std::string>* outputs) {
  return document_fields().write({&scene, &estimate, outputs});
}

DocumentFields estimate_document() { return document_fields().all(); }

}  // namespace fdtd::cli
