#include "engine/reports/transducer_fields.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "engine/responses/render.hpp"

namespace fdtd {
namespace {

using R = PlanReport;
using Octave = Balloon::Octave;

struct OrderInPlan {
  HarmonicLimit limit;
  double sound_speed = 0.0;
};

const JsonFields<OrderInPlan>& order_fields() {
  using Of = OrderInPlan;
  static const auto fields =
      JsonFields<Of>()
          .value("order", "", "Order n.", [](const Of& of) { return of.limit.order; })
          .value(
              "from", "Hz",
              "From here on: below, rounding noise is higher than 40 dB below the signal, or the radial filter begins.",
              [](const Of& of) { return holds_from(of.limit, of.sound_speed); })
          .value("to", "Hz", "Up to here: above, other orders leak in at more than -20 dB; below `from`: nowhere.",
                 [](const Of& of) { return of.limit.to; })
          .value(
              "leakage", "dB",
              "The most that other orders leak in up to `to`, root mean square over directions beside the right value; "
              "null where `to` is 0.",
              [](const Of& of) { return of.limit.to > 0.0 ? std::optional(of.limit.leakage) : std::nullopt; });
  return fields;
}

std::vector<OrderInPlan> orders_of(const R& report) {
  std::vector<OrderInPlan> list;
  for (const HarmonicLimit& one : report.harmonics.orders)
    list.push_back({one, report.planned->choice.grid.sound_speed});
  return list;
}

const JsonFields<R>& ball_fields() {
  static const auto fields =
      JsonFields<R>()
          .value("receiver", "", "The one with the smallest ball.", [](const R& r) { return r.harmonics.owner; })
          .value("radius", "m", "Radius of its ball.", [](const R& r) { return r.harmonics.radius; })
          .list("orders", "Between which frequencies each order holds.", order_fields(), orders_of)
          .value("source_inside", "", "A source inside the ball of a receiver, for which these orders do not hold.",
                 [](const R& r) { return r.harmonics.inside; })
          .only_if("a source is inside the ball", [](const R& r) { return !r.harmonics.inside.empty(); });
  return fields;
}

const JsonFields<Octave>& octave_fields() {
  static const auto fields =
      JsonFields<Octave>()
          .value("frequency", "Hz", "Centre of the octave.", &Octave::centre)
          .value("left_out", "", "Fraction of the directivity's energy over the sphere that the harmonics leave out.",
                 &Octave::left_out);
  return fields;
}

struct MeasuredInPlan {
  const SourceSpec* source = nullptr;
  const Balloon& balloon() const { return *source->directivity.balloon; }
};

std::vector<MeasuredInPlan> measured_sources(const R& report) {
  std::vector<MeasuredInPlan> list;
  for (const SourceSpec& one : report.scene->sources)
    if (one.directivity.balloon) list.push_back({&one});
  return list;
}

const JsonFields<MeasuredInPlan>& measured_fields() {
  using Of = MeasuredInPlan;
  static const auto fields =
      JsonFields<Of>()
          .value("source", "", "Its name.", [](const Of& of) { return of.source->name; })
          .value("file", "", "Its file, as the scene has it.", [](const Of& of) { return of.source->measured.file; })
          .value("order", "", "Highest order of the harmonics that it sends on the grid.",
                 [](const Of& of) { return of.balloon().order; })
          .value("distance", "m", "Distance of the measurement.", [](const Of& of) { return of.balloon().distance; })
          .value("directions", "", "Number of measured directions.",
                 [](const Of& of) { return of.balloon().directions; })
          .value("gap", "degrees", "Widest angle from a direction to the nearest measured one.",
                 [](const Of& of) { return of.balloon().widest_gap; })
          .list("octaves", "The octaves that the file covers.", octave_fields(),
                [](const Of& of) { return of.balloon().octaves; });
  return fields;
}

const JsonFields<MovingReceiver>& path_fields() {
  using Of = MovingReceiver;
  static const auto fields =
      JsonFields<Of>()
          .value("receiver", "", "Name of the receiver that moves.", &Of::name)
          .value("places", "", "Number of places along its path, each a receiver.", &Of::count)
          .value("length", "m", "Length of the path.", [](const Of& of) { return of.path.length(); })
          .value("duration", "s", "Time from its first to its last row.",
                 [](const Of& of) { return of.path.rows().back().time - of.path.rows().front().time; })
          .value("highest_speed", "m/s", "Speed in the fastest part.",
                 [](const Of& of) { return of.path.fastest().speed; })
          .value("turns", "", "Whether its yaw is other than 0 anywhere.",
                 [](const Of& of) { return of.path.turns(); });
  return fields;
}

}  // namespace

double holds_from(const HarmonicLimit& limit, double sound_speed) {
  const double lowest = sound_speed / (2.0 * std::numbers::pi * radial_distance);
  return radial_corner(limit.order) * std::max(lowest, limit.noise);
}

const JsonFields<PlanReport>& transducer_fields() {
  static const auto fields =
      JsonFields<R>()
          .object("ambisonic", "Ambisonic orders from 4 on, which are read by a ball of nodes.", ball_fields(),
                  [](const R& r) -> const R& { return r; })
          .only_if("a receiver has such orders", [](const R& r) { return !r.harmonics.orders.empty(); })
          .list("measured_sources", "The sources with measured directivity.", measured_fields(), measured_sources)
          .only_if("a source has measured directivity", [](const R& r) { return !measured_sources(r).empty(); })
          .list("paths", "The receivers that move.", path_fields(), [](const R& r) { return r.scene->moving; })
          .only_if("a receiver moves", [](const R& r) { return !r.scene->moving.empty(); });
  return fields;
}

}  // namespace fdtd
