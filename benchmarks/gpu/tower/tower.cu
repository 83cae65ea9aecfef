// Whole tower of one network in one kernel: activations of P positions stay in shared memory, weights stream from L2.
#include <cuda_fp16.h>
#include <cstdint>
#include "wgmma.inc"
#ifndef HH
#define HH 9
#define WW 9
#define CH 96
#define POS 3
#define WGS 4
#define STAGES 5
#define BLOCKS 6
#endif
#ifndef PARTS
#define PARTS 2
#endif
// Registers of a thread that multiplies. A block can share out what it was launched with and no more:
// 640 threads of 96 each, of which the 128 of the producer keep 24.
#ifndef REGISTERS
#define REGISTERS 112
#endif
constexpr int AREA = HH * WW, ROWS = AREA * POS, PLANES = 16, PITCH = CH * 2 + 16, K = CH / 16;
static_assert(ROWS <= WGS * 64, "rows");
constexpr int BLOCK_BYTES = CH * CH * 2;          // one tap
constexpr int STEP_BYTES = 16 * CH * 2;           // one k16 step
constexpr int ACT_BYTES = (ROWS + 1) * PITCH;
constexpr int LAYERS = 2 * BLOCKS;
constexpr int BITS = (PLANES * AREA + 7) / 8;
#define WGMMA_(n) wgmma_##n
#define WGMMA(n) WGMMA_(n)

__device__ __forceinline__ void mbar_wait(unsigned bar, unsigned parity) {
  asm volatile("{\n.reg .pred p;\nL: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra D;\nbra L;\nD:\n}" ::"r"(bar), "r"(parity) : "memory");
}
__device__ __forceinline__ void mbar_arrive(unsigned bar) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory"); }
__device__ __forceinline__ void ldsm(unsigned (&r)[4], unsigned at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}
__device__ __forceinline__ uint64_t desc(unsigned at, int n) {  // K-major, no swizzle: [2 k-halves][n / 8][8][8]
  return uint64_t((at & 0x3ffff) >> 4) | uint64_t((n / 8 * 128) >> 4) << 16 | uint64_t(128 >> 4) << 32;
}
template <int N> __device__ __forceinline__ void pin(float (&d)[N]) {
#pragma unroll
  for (int i = 0; i < N; i++) asm volatile("" : "+f"(d[i])::"memory");
}
#define WFENCE asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define WCOMMIT asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WWAIT(n) asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(n) : "memory")

// weights: stem 9 steps, then LAYERS * 9 taps, then 1x1 heads (24 outputs), each as the ring takes them
extern "C" __global__ void __launch_bounds__(WGS * 128 + 128, 1)
tower(const uint8_t* __restrict__ bits, const __half* __restrict__ weights, const float* __restrict__ bias,
      __half* __restrict__ policy, __half* __restrict__ value, int positions) {
  extern __shared__ __align__(128) unsigned char memory[];
  unsigned base = unsigned(__cvta_generic_to_shared(memory));
  const unsigned ring = base, x0 = base + STAGES * BLOCK_BYTES, t0 = x0 + ACT_BYTES, full = t0 + ACT_BYTES, empty = full + 8 * STAGES;
  const int groups = (positions + POS - 1) / POS;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full + 8 * s));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(empty + 8 * s), "r"(WGS));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  // blank rows
  for (int i = threadIdx.x; i < PITCH / 4; i += blockDim.x) {
    *reinterpret_cast<unsigned*>(memory + (x0 - base) + ROWS * PITCH + 4 * i) = 0;
    *reinterpret_cast<unsigned*>(memory + (t0 - base) + ROWS * PITCH + 4 * i) = 0;
  }
  __syncthreads();
  if (warp >= WGS * 4) {  // producer
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (threadIdx.x == WGS * 128) {
    int stage = 0; unsigned parity = 1;
    for (int g = blockIdx.x; g < groups; g += gridDim.x) {
      const unsigned char* from = reinterpret_cast<const unsigned char*>(weights);
      auto send = [&](int bytes) {
        mbar_wait(empty + 8 * stage, parity);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full + 8 * stage), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     ::"r"(ring + stage * BLOCK_BYTES), "l"(from), "r"(bytes), "r"(full + 8 * stage) : "memory");
        from += bytes;
        if (++stage == STAGES) { stage = 0; parity ^= 1; }
      };
      for (int left = 9; left > 0; left -= K) send((left < K ? left : K) * STEP_BYTES);
      for (int i = 0; i < LAYERS * 9; i++) send(BLOCK_BYTES);
      send(K * 16 * 24 * 2);
    }
    }
  } else {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
  const int wg = warp / 4;
  int stage = 0; unsigned parity = 0;
  // This lane's row of its warp's 16, for ldmatrix; and which of its neighbours there are.
  const int point = wg * 64 + warp % 4 * 16 + lane % 16;
  unsigned there = 0;
  {
    int at = point % AREA, y = at / WW, x = at % WW;
    for (int tap = 0; tap < 9; tap++) {
      int ny = y + tap / 3 - 1, nx = x + tap % 3 - 1;
      if (point < ROWS && ny >= 0 && ny < HH && nx >= 0 && nx < WW) there |= 1u << tap;
    }
  }
  const unsigned high = lane / 16 * 16;
  auto near = [&](unsigned from, int tap) -> unsigned {
    int row = there >> tap & 1 ? point + (tap / 3 - 1) * WW + tap % 3 - 1 : ROWS;
    return from + row * PITCH + high;
  };
  auto advance = [&]() { if (++stage == STAGES) { stage = 0; parity ^= 1; } };
  const int row = wg * 64 + warp % 4 * 16 + lane / 4, column = lane % 4 * 2;
  for (int g = blockIdx.x; g < groups; g += gridDim.x) {
    // bits to planes
    for (int i = threadIdx.x; i < ROWS * PLANES / 2; i += WGS * 128) {
      int p = i / (PLANES / 2), c = i % (PLANES / 2) * 2, position = g * POS + p / AREA;
      unsigned two = 0;
      if (position < positions)
        for (int j = 0; j < 2; j++) {
          int bit = (c + j) * AREA + p % AREA;
          if (bits[size_t(position) * BITS + bit / 8] >> (bit % 8) & 1) two |= 0x3c00u << (16 * j);
        }
      *reinterpret_cast<unsigned*>(memory + (x0 - base) + p * PITCH + c * 2) = two;
    }
    asm volatile("bar.sync 1, %0;" ::"n"(WGS * 128) : "memory");
    float sums[CH / 2];
    const float* shift = bias;
    auto begin = [&]() {
#pragma unroll
      for (int n = 0; n < CH / 8; n++) {
        float2 two = *reinterpret_cast<const float2*>(shift + n * 8 + column);
        sums[4 * n] = sums[4 * n + 2] = two.x; sums[4 * n + 1] = sums[4 * n + 3] = two.y;
      }
      shift += CH;
    };
    auto end = [&](unsigned to, bool adds) {
#pragma unroll
      for (int half = 0; half < 2; half++) {
        int r = row + half * 8;
        if (r < ROWS) {
          unsigned char* at = memory + (to - base) + r * PITCH + column * 2;
#pragma unroll
          for (int n = 0; n < CH / 8; n++) {
            float a = sums[4 * n + 2 * half], b = sums[4 * n + 2 * half + 1];
            __half2* place = reinterpret_cast<__half2*>(at + n * 16);
            if (adds) { float2 old = __half22float2(*place); a += old.x; b += old.y; }
            *place = __floats2half2_rn(fmaxf(a, 0.f), fmaxf(b, 0.f));
          }
        }
      }
      asm volatile("bar.sync 1, %0;" ::"n"(WGS * 128) : "memory");
    };
    // stem: a step is a tap
    begin();
    {
      int tap = 0;
      for (int left = 9; left > 0; left -= K) {
        mbar_wait(full + 8 * stage, parity);
        int steps = left < K ? left : K;
        for (int k = 0; k < steps; k++, tap++) {
          unsigned a[4];
          ldsm(a, near(x0, tap));
          pin(sums); WFENCE;
          WGMMA(CH)(sums, a, desc(ring + stage * BLOCK_BYTES + k * STEP_BYTES, CH));
          WCOMMIT; WWAIT(0); pin(sums);
        }
        if (threadIdx.x % 128 == 0) mbar_arrive(empty + 8 * stage);
        advance();
      }
    }
    asm volatile("bar.sync 1, %0;" ::"n"(WGS * 128) : "memory");
    end(x0, false);
    unsigned from = x0, to = t0;
    for (int layer = 0; layer < LAYERS; layer++) {
      begin();
      constexpr int G = K / PARTS;  // steps of a group of products
      unsigned a[2][G][4];
      unsigned at = near(from, 0);
#pragma unroll
      for (int k = 0; k < G; k++) ldsm(a[0][k], at + 32 * k);
      int before = 0;
#pragma unroll
      for (int tap = 0; tap < 9; tap++) {
        mbar_wait(full + 8 * stage, parity);
        uint64_t b = desc(ring + stage * BLOCK_BYTES, CH);
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
          constexpr int last = 9 * PARTS - 1;
          const int i = tap * PARTS + part;
          WFENCE;
#pragma unroll
          for (int k = 0; k < G; k++) WGMMA(CH)(sums, a[i & 1][k], b + ((part * G + k) * STEP_BYTES >> 4));
          WCOMMIT;
          if (i < last) {
            WWAIT(1);  // the group before: its factors are free
            if (part == PARTS - 1) at = near(from, tap + 1);
#pragma unroll
            for (int k = 0; k < G; k++) ldsm(a[(i + 1) & 1][k], at + 32 * ((part + 1) % PARTS * G + k));
          } else {
            WWAIT(0);
          }
          if (part == 0 && tap > 0 && threadIdx.x % 128 == 0) mbar_arrive(empty + 8 * before);
        }
        before = stage;
        advance();
      }
      if (threadIdx.x % 128 == 0) mbar_arrive(empty + 8 * before);
      pin(sums);
      end(to, layer & 1);
      unsigned other = from; from = to; to = other;
    }
    // heads: 16 and 8 outputs of every point
    float heads[12];
#pragma unroll
    for (int n = 0; n < 3; n++) {
      float2 two = *reinterpret_cast<const float2*>(shift + n * 8 + column);
      heads[4 * n] = heads[4 * n + 2] = two.x; heads[4 * n + 1] = heads[4 * n + 3] = two.y;
    }
    mbar_wait(full + 8 * stage, parity);
#pragma unroll
    for (int k = 0; k < K; k++) {
      unsigned a[4];
      ldsm(a, x0 + (point < ROWS ? point : ROWS) * PITCH + high + 32 * k);
      pin(heads); WFENCE;
      wgmma_24(heads, a, desc(ring + stage * BLOCK_BYTES + k * 16 * 24 * 2, 24));
      WCOMMIT; WWAIT(0); pin(heads);
    }
    if (threadIdx.x % 128 == 0) mbar_arrive(empty + 8 * stage);
    advance();
#pragma unroll
    for (int half = 0; half < 2; half++) {
      int r = row + half * 8, position = g * POS + r / AREA;
      if (r < ROWS && position < positions) {
        size_t at = size_t(position) * AREA + r % AREA;
#pragma unroll
        for (int n = 0; n < 3; n++) {
          __half2 two = __floats2half2_rn(fmaxf(heads[4 * n + 2 * half], 0.f), fmaxf(heads[4 * n + 2 * half + 1], 0.f));
          __half* place = n < 2 ? policy + at * 16 + n * 8 + column : value + at * 8 + column;
          *reinterpret_cast<__half2*>(place) = two;
        }
      }
    }
    asm volatile("bar.sync 1, %0;" ::"n"(WGS * 128) : "memory");
  }
  }
}
