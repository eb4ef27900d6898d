#include "engine/cuda/gpu/tma.cuh"

#include "base/error.hpp"
#include "engine/cuda/gpu/compiled_archs.cuh"
#include "engine/cuda/gpu/device.hpp"

namespace fdtd::cuda {

bool runs_tensor_copies(int capability) { return has_code_of_90(capability); }

}  // namespace fdtd::cuda

namespace fdtd::cuda::tma {

CUtensorMap tensor_map(const TensorArray& array, std::array<int, 3> box) {
  // Found at run time: the program links with the runtime alone and starts without a driver.
  static const auto encode = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    FDTD_CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found));
    if (found != cudaDriverEntryPointSuccess) throw Error(Status::resource, "this driver has no tensor copy engine");
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
  }();
  const auto value = static_cast<std::int64_t>(array.value_bytes);
  const cuuint64_t size[3] = {static_cast<cuuint64_t>(array.size[0]), static_cast<cuuint64_t>(array.size[1]),
                              static_cast<cuuint64_t>(array.size[2])};
  const cuuint64_t stride[2] = {static_cast<cuuint64_t>(array.row * value),
                                static_cast<cuuint64_t>(array.plane * value)};
  const cuuint32_t extent[3] = {static_cast<cuuint32_t>(box[0]), static_cast<cuuint32_t>(box[1]),
                                static_cast<cuuint32_t>(box[2])};
  const cuuint32_t step[3] = {1, 1, 1};
  const CUtensorMapDataType type = value == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                                   : value == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                                                : CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
  CUtensorMap map{};
  const CUresult result =
      encode(&map, type, 3, array.values, size, stride, extent, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
             CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) throw Error(Status::resource, "the tensor copy engine refuses this grid");
  return map;
}

}  // namespace fdtd::cuda::tma
