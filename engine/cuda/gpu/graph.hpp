// A CUDA stream with an owner, and a captured graph of steps: in small rooms a step is shorter than its launches.
#pragma once

#include <functional>

#include "engine/cuda/gpu/stream.hpp"

struct CUgraphExec_st;

namespace fdtd::cuda {

// In a thread whose queue is its own: that queue.
class OwnedStream {
 public:
  OwnedStream();
  ~OwnedStream();
  OwnedStream(const OwnedStream&) = delete;
  OwnedStream& operator=(const OwnedStream&) = delete;
  Stream get() const { return stream_; }

 private:
  Stream stream_ = nullptr;
  bool of_thread_ = false;
};

class Graph {
 public:
  Graph() = default;
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  // Captures what `work` queues on the stream. False where this driver cannot: the caller then queues the work itself.
  bool capture(Stream stream, const std::function<void()>& work);
  void launch(Stream stream) const;

 private:
  CUgraphExec_st* graph_ = nullptr;
};

}  // namespace fdtd::cuda
