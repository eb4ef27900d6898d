#!/bin/sh
# A kernel that spills registers or indexes a local array does not build where warnings are errors (CI), and one that
# does neither builds. Usage: spills.sh NVCC PTXAS_OPTIONS, as CMakeLists.txt gives them to our kernels. Needs no GPU.
set -eu
nvcc=$1 options=$2
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cd "$stage"
cat >clean.cu <<'END'
__global__ void scale(const float* a, float* b) { b[threadIdx.x] = 2 * a[threadIdx.x]; }
END
cat >spills.cu <<'END'
__global__ void __launch_bounds__(1024, 2) keep_many(const float* a, float* b, int n) {
  float v[64];
  for (int i = 0; i < 64; ++i) v[i] = a[i * n + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 64; ++j) sum += v[i] * v[j] * (i + 1);
  for (int i = 0; i < 64; ++i) b[i * n + threadIdx.x] = sum * v[i];
}
END
cat >local.cu <<'END'
__global__ void look_up(const float* a, float* b, int n) {
  float v[64];
  for (int i = 0; i < 64; ++i) v[i * n & 63] = a[i];
  b[threadIdx.x] = v[threadIdx.x & 63];
}
END
builds() { "$nvcc" -arch=sm_90 -O3 "-Xptxas=$options" -cubin -o "$1.cubin" "$1.cu" >"$1.log" 2>&1; }
builds clean || { cat clean.log; echo "FAILED: a clean kernel does not build"; exit 1; }
for kernel in spills local; do
  ! builds "$kernel" || { echo "FAILED: $kernel.cu builds"; exit 1; }
  grep -q "ocal memory" "$kernel.log" || { cat "$kernel.log"; echo "FAILED: another error than local memory"; exit 1; }
done
echo "spills: refused"
