// A stream, and a captured graph of steps to be launched on it: small rooms' steps are shorter than their launches.
#pragma once

#include <functional>

#include "engine/cuda/gpu/stream.hpp"

struct CUgraphExec_st;

namespace fdtd::cuda {

class Queue {
 public:
  Queue();
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  Stream stream() const { return stream_; }

 private:
  Stream stream_ = nullptr;
};

class Graph {
 public:
  Graph() = default;
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  // Captures what `work` queues on the stream. False: this driver cannot; the work is then to be queued as it is.
  bool capture(Stream stream, const std::function<void()>& work);
  void launch(Stream stream) const;

 private:
  CUgraphExec_st* graph_ = nullptr;
};

}  // namespace fdtd::cuda
