#include "engine/cuda/gpu/graph.hpp"

#include "engine/cuda/gpu/check.cuh"
#include "engine/cuda/gpu/device.hpp"

namespace fdtd::cuda {

// Not a non-blocking stream: copies and sums on the default stream come after what is queued here.
OwnedStream::OwnedStream() : stream_(own_stream()), of_thread_(stream_ != nullptr) {
  if (!of_thread_) FDTD_CUDA(cudaStreamCreate(&stream_));
}
OwnedStream::~OwnedStream() {
  if (!of_thread_) (void)cudaStreamDestroy(stream_);
}

Graph::~Graph() {
  if (graph_ != nullptr) (void)cudaGraphExecDestroy(graph_);
}

bool Graph::capture(Stream stream, const std::function<void()>& work) {
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
    (void)cudaGetLastError();
    return false;
  }
  cudaGraph_t graph = nullptr;
  try {
    work();
  } catch (...) {
    (void)cudaStreamEndCapture(stream, &graph);
    if (graph != nullptr) (void)cudaGraphDestroy(graph);
    throw;
  }
  const bool captured = cudaStreamEndCapture(stream, &graph) == cudaSuccess;
  const bool made = captured && cudaGraphInstantiate(&graph_, graph, 0) == cudaSuccess;
  if (graph != nullptr) (void)cudaGraphDestroy(graph);
  if (!made) {
    graph_ = nullptr;
    (void)cudaGetLastError();
  }
  return made;
}

void Graph::launch(Stream stream) const { FDTD_CUDA(cudaGraphLaunch(graph_, stream)); }

}  // namespace fdtd::cuda
