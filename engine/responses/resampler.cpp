#include "engine/responses/resampler.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>
#include <soxr.h>

#include "base/error.hpp"
#include "engine/responses/render.hpp"

namespace fdtd {
namespace {

constexpr std::size_t block = 1 << 14;

void check(const char* error, double from_rate, double to_rate) {
  if (error != nullptr)
    throw Error(Status::resource, fmt::format("cannot resample from {} Hz to {} Hz: {}", from_rate, to_rate, error));
}

}  // namespace

struct Resampler::State {
  double from_rate = 0.0, to_rate = 0.0;
  std::unique_ptr<struct soxr, void (*)(soxr_t)> handle{nullptr, soxr_delete};
  std::vector<double> made;
};

std::uint64_t resampled_length(std::uint64_t samples, double from_rate, double to_rate) {
  if (!(from_rate > 0.0 && to_rate > 0.0))
    throw Error(Status::scene, fmt::format("cannot resample from {} Hz to {} Hz", from_rate, to_rate));
  if (from_rate == to_rate) return samples;
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(samples) * to_rate / from_rate - 1e-9));
}

Resampler::Resampler(double from_rate, double to_rate) : state_(std::make_unique<State>()) {
  const soxr_io_spec_t io = soxr_io_spec(SOXR_FLOAT64_I, SOXR_FLOAT64_I);
  const soxr_quality_spec_t quality = soxr_quality_spec(SOXR_VHQ | SOXR_LINEAR_PHASE, 0);
  const soxr_runtime_spec_t runtime = soxr_runtime_spec(1);
  soxr_error_t error = nullptr;
  state_->from_rate = from_rate;
  state_->to_rate = to_rate;
  state_->handle.reset(soxr_create(from_rate, to_rate, 1, &error, &io, &quality, &runtime));
  check(error, from_rate, to_rate);
  state_->made.resize(block);
}

Resampler::~Resampler() = default;
Resampler::Resampler(Resampler&&) noexcept = default;

void Resampler::put(std::span<const double> signal, std::vector<double>& out) {
  State& s = *state_;
  while (!signal.empty()) {
    std::size_t taken = 0, given = 0;
    check(soxr_process(s.handle.get(), signal.data(), std::min(signal.size(), block), &taken, s.made.data(),
                       s.made.size(), &given),
          s.from_rate, s.to_rate);
    signal = signal.subspan(taken);
    out.insert(out.end(), s.made.begin(), s.made.begin() + static_cast<std::ptrdiff_t>(given));
  }
}

void Resampler::end(std::vector<double>& out) {
  State& s = *state_;
  for (std::size_t given = s.made.size(); given == s.made.size();) {
    check(soxr_process(s.handle.get(), nullptr, 0, nullptr, s.made.data(), s.made.size(), &given), s.from_rate,
          s.to_rate);
    out.insert(out.end(), s.made.begin(), s.made.begin() + static_cast<std::ptrdiff_t>(given));
  }
}

std::vector<double> resample(const std::vector<double>& signal, double from_rate, double to_rate) {
  const std::uint64_t samples = resampled_length(signal.size(), from_rate, to_rate);
  if (from_rate == to_rate || signal.empty()) return signal;
  constexpr std::uint64_t most = 1U << 28;
  if (samples > most)
    throw Error(Status::file,
                fmt::format("a signal of {} samples at {:g} Hz would have {:.3g} at {:g} Hz, the limit is {}",
                            signal.size(), from_rate, static_cast<double>(samples), to_rate, most),
                "check the sample rates that the files state");
  Resampler resampler(from_rate, to_rate);
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(samples));
  resampler.put(signal, out);
  resampler.end(out);
  out.resize(static_cast<std::size_t>(samples), 0.0);
  return out;
}

}  // namespace fdtd
