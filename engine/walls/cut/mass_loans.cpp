#include "engine/walls/cut/mass_loans.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/parallel_failure.hpp"

namespace fdtd {
namespace {

class Loans {
 public:
  Loans(CutNodes& nodes, SharedNodes& shared) : nodes_(nodes), shared_(shared), changed_(nodes.count(), 1) {
    for (std::vector<char>& one : short_) one.assign(nodes_.count(), 0);
    find_normals();
    for (std::size_t d = 0; d < 3; ++d) runs_[d] = shared_.runs_along(d);
  }
  void round() {
    find_short();
    drop_weights();
    lend();
  }
  std::vector<Loan> all() {
    std::stable_sort(lent_.begin(), lent_.end(), [](const Loan& a, const Loan& b) {
      return std::tie(a.borrower, a.lender) < std::tie(b.borrower, b.lender);
    });
    return std::move(lent_);
  }

 private:
  // Nodes with less mass than they need by themselves, on runs that break the bound.
  void find_short() {
    for (std::size_t d = 0; d < 3; ++d) find_short(nodes_, runs_[d], d, &changed_, short_[d]);
    if (shared_.alone()) nodes_.each([&](std::size_t i) { changed_[i] = 0; });
    shared_.each_lines([&](const CutNodes& lines, const std::vector<std::size_t>& places) {
      std::vector<char> found(lines.count(), 0);
      find_short(lines, lines.runs_along(2), 2, nullptr, found);
      for (std::size_t i = 0; i < found.size(); ++i)
        if (places[i] < nodes_.count()) short_[2][places[i]] = found[i];
    });
  }
  // A run depends on the masses and weights of its nodes alone: those without any that is `changed` are as before.
  static void find_short(const CutNodes& nodes, const std::vector<CutRun>& runs, std::size_t d,
                         const std::vector<char>* changed, std::vector<char>& found) {
    CutNodes::each_run(runs, [&](const CutRun& run) {
      bool any = changed == nullptr;
      for (std::uint32_t n = 0, i = run.first; n < run.count && !any; ++n, i = nodes.above(i, d))
        any = (*changed)[i] != 0;
      if (!any) return;
      for (std::uint32_t n = 0, i = run.first; n < run.count; ++n, i = nodes.above(i, d)) found[i] = 0;
      if (nodes.each_suffices(run, d)) return;
      const std::vector<std::uint32_t> at = nodes.nodes_of(run, d);
      if (nodes.is_bounded(run, at, d)) return;
      for (const std::uint32_t i : at) found[i] = nodes.is_short(i, d) ? 1 : 0;
    });
  }

  // Squared components of the unit normal of the wall, from differences of passages, smoothed over the six neighbours.
  void find_normals() {
    std::vector<std::array<float, 3>> difference(nodes_.count());
    nodes_.each([&](std::size_t i) {
      for (std::size_t d = 0; d < 3; ++d) difference[i][d] = static_cast<float>(nodes_.up[d][i] - nodes_.down(i, d));
    });
    normal_.resize(nodes_.count());
    nodes_.each([&](std::size_t i) {
      std::array<double, 3> sum{};
      for (std::size_t d = 0; d < 3; ++d) {
        sum[d] = static_cast<double>(difference[i][d]);
        for (std::size_t side = 0; side < 6; ++side) {
          const std::uint32_t j = nodes_.beside(i, side);
          if (j < CutNodes::whole_air) sum[d] += 0.25 * static_cast<double>(difference[j][d]);
        }
      }
      const double square = sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2];
      for (std::size_t d = 0; d < 3; ++d)
        normal_[i][d] = square > 0.0 ? static_cast<float>(sum[d] * sum[d] / square) : 0.0F;
    });
  }

  // No long legs at nodes whose own mass does not suffice for them, and at their neighbours.
  void drop_weights() {
    for (std::size_t d = 0; d < 3; ++d) {
      nodes_.each([&](std::size_t i) {
        const auto lacks = [&](std::uint32_t j) { return j < CutNodes::whole_air && short_[d][j] != 0; };
        if (nodes_.weight[d][i] == 0.0) return;
        if (short_[d][i] == 0 && !lacks(nodes_.below(i, d)) && !lacks(nodes_.above(i, d))) return;
        nodes_.weight[d][i] = 0.0;
        changed_[i] = 1;
      });
    }
  }

  // The mass that a node can lend, or, negative, that it lacks on lines that break the bound.
  double surplus(std::size_t i) const {
    double spare = std::numeric_limits<double>::infinity();
    for (std::size_t d = 0; d < 3; ++d) {
      const double left = nodes_.free_mass(i) - nodes_.need(i, d);
      spare = std::min(spare, left < 0.0 && short_[d][i] == 0 ? 0.0 : left);
    }
    return spare;
  }

  // loans_of(node, loans) of every node, in order.
  template <class LoansOf>
  void append_loans(const LoansOf& loans_of) {
    constexpr std::size_t nodes_a_list = 65536;
    std::vector<std::vector<Loan>> lists((nodes_.count() + nodes_a_list - 1) / nodes_a_list);
    ParallelFailure failure;
#pragma omp parallel for schedule(dynamic) if (lists.size() > 1)
    for (std::size_t l = 0; l < lists.size(); ++l) {
      failure.guard([&] {
        for (std::size_t i = l * nodes_a_list; i < std::min(nodes_.count(), (l + 1) * nodes_a_list); ++i)
          loans_of(i, lists[l]);
      });
    }
    failure.rethrow();
    for (const std::vector<Loan>& one : lists) lent_.insert(lent_.end(), one.begin(), one.end());
  }

  void lend() {
    constexpr int rounds = 8;
    constexpr float aside = 0.01F;  // what neighbours along the wall lend, too
    constexpr double rounding = CutNodes::rounding;
    constexpr std::uint32_t whole_air = CutNodes::whole_air;
    const std::size_t count = nodes_.count();
    std::vector<double> extra(count), scale(count), change(count);
    for (int round = 0; round < rounds; ++round) {
      find_short();
      nodes_.each([&](std::size_t i) { extra[i] = surplus(i); });
      const auto fraction = [&](std::size_t i, std::size_t side) {  // of the neighbour, in what i asks for
        const std::uint32_t j = nodes_.beside(i, side);
        if (j >= whole_air || extra[j] <= 0.0 || !(nodes_.open_to(i, side) > 0.0)) return 0.0;
        return extra[j] * static_cast<double>(normal_[i][side / 2] + aside);
      };
      // `scale` of a node that lacks: the mass that it asks for in each unit of its neighbours' fractions; of a donor:
      // the part of the asked mass that it can give.
      nodes_.each([&](std::size_t i) {
        scale[i] = 0.0;
        if (extra[i] >= -rounding) return;
        double sum = 0.0;
        for (std::size_t side = 0; side < 6; ++side) sum += fraction(i, side);
        scale[i] = sum > 0.0 ? -extra[i] / sum : 0.0;
      });
      const auto asked = [&](std::size_t i, std::size_t side) { return scale[i] * fraction(i, side); };
      nodes_.each([&](std::size_t j) {
        if (extra[j] <= 0.0) return;
        double sum = 0.0;
        for (std::size_t side = 0; side < 6; ++side) {
          const std::uint32_t i = nodes_.beside(j, side);
          if (i < whole_air && extra[i] < -rounding) sum += asked(i, side ^ 1U);
        }
        scale[j] = sum > extra[j] ? extra[j] / sum : 1.0;
        change[j] = -scale[j] * sum;
      });
      nodes_.each([&](std::size_t i) {
        if (extra[i] > 0.0) return;
        change[i] = 0.0;
        if (extra[i] >= -rounding) return;
        for (std::size_t side = 0; side < 6; ++side) {
          const double wish = asked(i, side);
          if (wish > 0.0) change[i] += wish * scale[nodes_.beside(i, side)];
        }
      });
      nodes_.each([&](std::size_t i) {
        if (change[i] == 0.0 || !shared_.own(i)) return;
        nodes_.mass[i] += change[i];
        changed_[i] = 1;
      });
      append_loans([&](std::size_t i, std::vector<Loan>& loans) {
        if (!(change[i] > 0.0) || !shared_.own(i)) return;
        for (std::size_t side = 0; side < 6; ++side) {
          const std::uint32_t j = nodes_.beside(i, side);
          const double amount = j < whole_air ? asked(i, side) * scale[j] : 0.0;
          if (amount > 0.0) loans.push_back({static_cast<std::uint32_t>(i), j, amount});
        }
      });
      if (!shared_.pass_masses(change)) break;
    }
  }

  CutNodes& nodes_;
  SharedNodes& shared_;
  std::array<std::vector<CutRun>, 3> runs_;
  std::vector<std::array<float, 3>> normal_;
  std::array<std::vector<char>, 3> short_;
  std::vector<char> changed_;  // of nodes: whether mass or weights have, since runs were judged
  std::vector<Loan> lent_;
};

}  // namespace

std::vector<Loan> lend_masses(CutNodes& nodes, SharedNodes& shared) {
  Loans loans(nodes, shared);
  for (int k = 0; k < 2; ++k) loans.round();
  return loans.all();
}

}  // namespace fdtd
