#include "engine/adjoint/site_filters.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "engine/plan/law_in_precision.hpp"
#include "engine/vector/denormals.hpp"

namespace fdtd {
namespace {

template <class T>
cpu::WallRows<T> from_place(cpu::WallRows<T> rows, std::size_t place) {
  if (rows.values != nullptr) rows.values += place;
  if (rows.f32 != nullptr) rows.f32 += place;
  if (rows.i16 != nullptr) rows.i16 += place, rows.scales += place;
  return rows;
}

}  // namespace

template <class T>
SiteFilters<T>::SiteFilters(const Plan& plan, const std::vector<std::uint32_t>& row, int threads)
    : plan_(plan), threads_(threads), row_(row) {
  for (const WallLaw& law : plan.boundary.laws) {
    most_branches_ = std::max(most_branches_, law.branches.size());
    laws_.push_back(coefficients_of<T>(law, branches_));
  }
  if (most_branches_ > static_cast<std::size_t>(cpu::most_filtered_branches))
    throw Error(Status::scene,
                fmt::format("a wall's law has {} branches, and a gradient takes up to {}", most_branches_,
                            cpu::most_filtered_branches),
                "describe the material by fewer branches");
  courses_.resize(static_cast<std::size_t>(threads));
  for (std::size_t at = 0; at < row_.size();) {
    if (row_[at] == no_wall_node) {
      ++at;
      continue;
    }
    Chunk chunk{.count = 1, .place = at};
    while (chunk.count < lanes && at + chunk.count < row_.size() && same_laws(row_[at], row_[at + chunk.count]))
      ++chunk.count;
    add_filters(chunk);
    chunks_.push_back(chunk);
    at += chunk.count;
  }
}

template <class T>
bool SiteFilters<T>::same_laws(std::uint32_t a, std::uint32_t b) const {
  if (b == no_wall_node) return false;
  const Boundary& boundary = plan_.boundary;
  const auto law = [](const BoundarySite& site) { return site.law; };
  const auto sites_of = [&](std::uint32_t node) {
    return std::span(boundary.sites)
        .subspan(boundary.site_begin[node], boundary.site_begin[node + 1] - boundary.site_begin[node]);
  };
  return std::ranges::equal(sites_of(a), sites_of(b), {}, law, law);
}

template <class T>
void SiteFilters<T>::add_filters(Chunk& chunk) {
  const Boundary& boundary = plan_.boundary;
  const std::uint32_t node = row_[chunk.place];
  chunk.filters = filters_.size();
  for (std::uint32_t s = boundary.site_begin[node]; s < boundary.site_begin[node + 1]; ++s) {
    const std::uint32_t law = boundary.sites[s].law;
    const auto branches = static_cast<std::ptrdiff_t>(boundary.laws[law].branches.size());
    filters_.push_back({law, states_, answers_, sums_.size()});
    states_ += static_cast<std::size_t>(cpu::state_values<T>(branches));
    answers_ += static_cast<std::size_t>(cpu::answer_values<T>(branches));
    sums_.resize(sums_.size() + static_cast<std::size_t>(cpu::sum_values<T>(branches)));
  }
  chunk.end = filters_.size();
}

template <class T>
cpu::FilteredLaw<T> SiteFilters<T>::law_of(const Filter& filter) const {
  const LawCoefficients<T>& law = laws_[filter.law];
  return {&law, branches_.data() + law.branch_begin, static_cast<std::ptrdiff_t>(law.branch_end - law.branch_begin)};
}

template <class T>
void SiteFilters<T>::advance(const cpu::WallRows<T>& rows, std::int64_t steps, T* state, const KeptDeltas& kept) const {
  const cpu::SiteFilterCode<T>& code = cpu::site_filter_code<T>();
  const std::size_t samples = lanes * static_cast<std::size_t>(steps);
#pragma omp parallel num_threads(threads_)
  {
    const cpu::FlushDenormals flush;
    std::vector<T> work(2 * samples + 2 * lanes * most_branches_, T{});
    T *const deltas[2] = {work.data(), work.data() + samples}, *const nothing = work.data() + 2 * samples;
    const auto read = [&](const Chunk& chunk, T* delta) {
      code.read(from_place(rows, chunk.place), steps, delta, nullptr);
      if (kept.f32 != nullptr) code.keep_f32(delta, steps, chunk.count, kept.f32 + chunk.place, kept.row);
      if (kept.i16 != nullptr)
        code.keep_i16(delta, steps, chunk.count, kept.i16 + chunk.place, kept.scales + chunk.place, kept.row);
    };
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < chunks_.size(); i += 2) {
      const Chunk& chunk = chunks_[i];
      const Chunk* const next = i + 1 < chunks_.size() ? &chunks_[i + 1] : nullptr;
      read(chunk, deltas[0]);
      if (next != nullptr) read(*next, deltas[1]);
      const bool together = next != nullptr && same_laws(row_[chunk.place], row_[next->place]);
      const auto each = [&](const Chunk& one, const Chunk* other, const T* delta) {
        for (std::size_t f = one.filters; f < one.end; ++f) {
          T* const beside = other != nullptr ? state + filters_[other->filters + f - one.filters].state : nothing;
          code.advance(law_of(filters_[f]), {delta, state + filters_[f].state},
                       {other != nullptr ? deltas[1] : delta, beside}, steps);
        }
      };
      each(chunk, together ? next : nullptr, deltas[0]);
      if (next != nullptr && !together) each(*next, nullptr, deltas[1]);
    }
  }
}

template <class T>
void SiteFilters<T>::correlate(const cpu::WallRows<T>& rows, const T* before, const cpu::WallRows<T>& answers,
                               std::int64_t steps, T* answering) {
  const cpu::SiteFilterCode<T>& code = cpu::site_filter_code<T>();
  const std::size_t samples = lanes * static_cast<std::size_t>(steps);
  const auto course_values =
      static_cast<std::size_t>(cpu::course_values<T>(static_cast<std::ptrdiff_t>(most_branches_), steps));
#pragma omp parallel num_threads(threads_)
  {
    const cpu::FlushDenormals flush;
    std::vector<T> work(3 * samples + 2 * course_values + 2 * lanes * most_branches_);
    T *const deltas = work.data(), *const answer = deltas + samples, *const mean = answer + samples,
             *const course = mean + samples, *const answered = course + course_values,
             *const state = answered + course_values;
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const Chunk& chunk = chunks_[i];
      code.read(from_place(rows, chunk.place), steps, deltas, nullptr);
      code.read(from_place(answers, chunk.place), steps, answer, mean);
      for (std::size_t f = chunk.filters; f < chunk.end; ++f) {
        const Filter& filter = filters_[f];
        const cpu::FilteredLaw<T> law = law_of(filter);
        const std::ptrdiff_t values = cpu::state_values<T>(law.branches);
        T* const own = answering + filter.answer;
        std::copy_n(before + filter.state, values, state);
        code.advance(law, {deltas, state, course}, {answer, own, answered}, steps);
        code.correlate(law.branches, course, answered, mean, steps, own + values, sums_.data() + filter.sum);
      }
    }
  }
}

template <class T>
WallSlopes SiteFilters<T>::slopes(double scale) const {
  const Boundary& boundary = plan_.boundary;
  WallSlopes slopes;
  slopes.branches.resize(boundary.branch_begin.back());
  slopes.inertance.resize(boundary.sites.size());
  slopes.admittance.resize(boundary.sites.size());
  slopes.weight.resize(boundary.sites.size());
  for (const Chunk& chunk : chunks_)
    for (std::size_t f = chunk.filters; f < chunk.end; ++f)
      for (std::size_t l = 0; l < chunk.count; ++l) {
        const std::size_t site = boundary.site_begin[row_[chunk.place + l]] + (f - chunk.filters);
        const double by_weight = scale * boundary.sites[site].weight;
        const std::uint64_t first = boundary.branch_begin[site], count = boundary.branch_begin[site + 1] - first;
        const double* sum = sums_.data() + filters_[f].sum + l;
        const auto next = [&] { return *std::exchange(sum, sum + lanes); };
        for (std::uint64_t b = 0; b < count; ++b)
          each_term([&](double& term) { term = by_weight * next(); }, slopes.branches[first + b]);
        slopes.inertance[site] = by_weight * next();
        slopes.admittance[site] = -by_weight * next();
        slopes.weight[site] = -scale * next();
      }
  return slopes;
}

template class SiteFilters<float>;
template class SiteFilters<double>;

FilterSizes filter_sizes(const Boundary& boundary, Precision precision) {
  std::vector<std::int64_t> of_law(boundary.laws.size());
  for (const BoundarySite& site : boundary.sites) ++of_law[site.law];
  FilterSizes sizes;
  const auto add = [&]<class T>(T, std::int64_t chunks, std::ptrdiff_t branches) {
    sizes.states += chunks * cpu::state_values<T>(branches);
    sizes.answers += chunks * cpu::answer_values<T>(branches);
    sizes.sums += chunks * cpu::sum_values<T>(branches);
  };
  for (std::size_t i = 0; i < of_law.size(); ++i) {
    const auto branches = static_cast<std::ptrdiff_t>(boundary.laws[i].branches.size());
    const auto chunks = [&](std::size_t lanes) {
      return (of_law[i] + static_cast<std::int64_t>(lanes) - 1) / static_cast<std::int64_t>(lanes);
    };
    if (precision == Precision::f32)
      add(0.0F, chunks(SiteFilters<float>::lanes), branches);
    else
      add(0.0, chunks(SiteFilters<double>::lanes), branches);
  }
  return sizes;
}

}  // namespace fdtd
