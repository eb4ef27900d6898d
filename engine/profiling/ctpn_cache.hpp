// CTPN measured on this machine and stored between runs, for choosing a stencil and predicting times. Storing it makes
// the same scene choose the same stencil every time; after damage, or on another machine or build, it is measured
// again.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "engine/profiling/profile.hpp"

namespace fdtd {

// The device that CTPN is measured on.
struct CtpnSource {
  std::string file_name, machine;                            // a file of another machine is not used
  std::function<double(const Stencil&, Precision)> measure;  // in ns
  // Estimates CTPN before anything is measured, in units of a step's memory traffic, to decide which stencils to
  // measure.
  std::function<double(const Stencil&)> modelled;
};
CtpnSource ctpn_source(const Target& target);

class CtpnCache {
 public:
  // $XDG_CACHE_HOME (or ~/.cache)/fdtd; empty without a home directory: then nothing is stored.
  static std::filesystem::path default_folder();

  explicit CtpnCache(CtpnSource source, const std::filesystem::path& folder = default_folder());
  // CTPN in ns of the stencil's member; measured if it is not known yet.
  double ctpn_ns(const Stencil& stencil, Precision precision);
  double modelled(const Stencil& stencil) const { return source_.modelled(stencil); }
  // Why the file is not used, or "".
  const std::string& remark() const { return remark_; }

 private:
  void save() const;
  CtpnSource source_;
  std::filesystem::path file_;
  std::map<std::string, double> known_;
  std::string remark_;
};

}  // namespace fdtd
