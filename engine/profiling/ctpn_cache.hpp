// CTPN measured on this machine, kept between runs: what choosing a stencil and predicting times stand on. Kept so that the
// same scene chooses the same stencil every time; a file that is broken or of another machine or build is measured anew.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "engine/profiling/profile.hpp"

namespace fdtd {

// Whose CTPN it is.
struct CtpnSource {
  std::string file_name, machine;                            // a file of another machine is not used
  std::function<double(const Stencil&, Precision)> measure;  // in ns
  // Before anything is measured, in units of a step's memory traffic: which stencils are worth it.
  std::function<double(const Stencil&)> modelled;
};
CtpnSource ctpn_source(const Target& target);

class CtpnCache {
 public:
  // $XDG_CACHE_HOME (or ~/.cache)/fdtd; empty where there is no home: nothing is kept then.
  static std::filesystem::path default_folder();

  explicit CtpnCache(CtpnSource source, const std::filesystem::path& folder = default_folder());
  // CTPN in ns of the stencil's member; measured when it is not known yet.
  double ctpn_ns(const Stencil& stencil, Precision precision);
  double modelled(const Stencil& stencil) const { return source_.modelled(stencil); }
  // "" or why the file that was found is not used.
  const std::string& remark() const { return remark_; }

 private:
  void save() const;
  CtpnSource source_;
  std::filesystem::path file_;
  std::map<std::string, double> known_;
  std::string remark_;
};

}  // namespace fdtd
