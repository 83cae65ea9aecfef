// Stem, tower and the 1x1 convolutions of both heads in one kernel. A block of threads keeps the
// activations of POS positions in shared memory, while weights stream in from the L2 cache.
//
// Defined before this text: HEIGHT, WIDTH, PLANES, CHANNELS, BLOCKS, POLICY and VALUE (channels of
// the heads), POOLED (channels that every second block pools, or 0), GLOBALS (numbers beside the
// planes, or 0), POS, STAGES, GROUP, UNIT, REGISTERS, SHARED_BYTES; WGMMA_TOWER and WGMMA_HEADS for
// N = CHANNELS and N = POLICY + VALUE.

typedef unsigned char uint8;
typedef unsigned short half_bits;
typedef unsigned long long uint64;

constexpr int AREA = HEIGHT * WIDTH;
constexpr int ROWS = AREA * POS;
constexpr int HEADS = POLICY + VALUE;
constexpr int WARPGROUPS = 4;
// Bytes from a point's activations to the next one's: 16 more than they need, so that the eight
// rows of a ldmatrix lie in different banks.
constexpr int PITCH = CHANNELS * 2 + 16;
// A product takes 16 input channels. A tap of a 3x3 convolution is K products, a point of the stem
// STEM_K.
constexpr int K = CHANNELS / 16;
constexpr int STEM_K = (PLANES + 15) / 16;
constexpr int STEP_BYTES = 16 * CHANNELS * 2;
// What a stage of the ring holds: UNIT products' weights. GROUP products are under way at a time.
constexpr int UNIT_BYTES = UNIT * STEP_BYTES;
constexpr int PARTS = K / GROUP;
constexpr int GROUPS_OF_UNIT = UNIT / GROUP;
constexpr int LAYERS = 2 * BLOCKS;
constexpr int POSITION_BYTES = (PLANES * AREA + 7) / 8;
constexpr int ACTIVATION_BYTES = (ROWS + 1) * PITCH;
// Means and maxima of each position, then what they shift the other channels by.
constexpr int SHIFTED = CHANNELS - POOLED;
constexpr int POOL_BYTES = POOLED ? POS * (2 * POOLED + SHIFTED) * 4 : 0;
// What globals shift each channel of a position by; nothing of it is left when pooling begins.
constexpr int GLOBAL_BYTES = GLOBALS ? POS * CHANNELS * 4 : 0;
constexpr int EXTRA_BYTES = POOL_BYTES > GLOBAL_BYTES ? POOL_BYTES : GLOBAL_BYTES;
static_assert(ROWS <= WARPGROUPS * 64, "points fill at most four tiles of 64 rows");
static_assert(STEM_K <= K && K % UNIT == 0 && UNIT % GROUP == 0, "steps");
static_assert(K * 16 * HEADS * 2 <= UNIT_BYTES, "weights of the heads fit a stage");
// plan.rs says how much shared memory there is; both have to agree.
static_assert(STAGES * UNIT_BYTES + 2 * ACTIVATION_BYTES + 16 * STAGES + EXTRA_BYTES == SHARED_BYTES, "shared memory");

__device__ __forceinline__ unsigned pack_halves(float low, float high) {
  unsigned two;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(two) : "f"(high), "f"(low));
  return two;
}
__device__ __forceinline__ float half_to_float(half_bits half) {
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(half));
  return wide;
}
__device__ __forceinline__ float relu(float x) {
  // Not fmaxf: what is no number stays none, so that the check at load sees it.
  return x < 0.f ? 0.f : x;
}
__device__ __forceinline__ void barrier_wait(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred p;\nL: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra D;\nbra L;\nD:\n}"
      ::"r"(barrier), "r"(parity) : "memory");
}
__device__ __forceinline__ void barrier_arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ __forceinline__ void load_matrix(unsigned (&r)[4], unsigned at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}
// Where a product's weights lie, in the form that wgmma takes (PTX ISA, "matrix descriptor"):
// inputs follow each other, no swizzle, [2 halves of 8 inputs][n / 8][8 outputs][8 inputs].
__device__ __forceinline__ uint64 descriptor(unsigned at, int n) {
  return uint64((at & 0x3ffff) >> 4) | uint64((n / 8 * 128) >> 4) << 16 | uint64(128 >> 4) << 32;
}
// Keeps sums in their registers around products that the compiler cannot see into.
template <int N> __device__ __forceinline__ void pin(float (&sums)[N]) {
#pragma unroll
  for (int i = 0; i < N; i++) asm volatile("" : "+f"(sums[i])::"memory");
}
#define WGMMA_FENCE asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define WGMMA_COMMIT asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WGMMA_WAIT(n) asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(n) : "memory")
#define BLOCK_BARRIER asm volatile("bar.sync 1, %0;" ::"n"(WARPGROUPS * 128) : "memory")

// `bits`: planes of each position as PlaneWriter packs them. `globals`: [positions, GLOBALS],
// `global_weights`: [GLOBALS, CHANNELS], both in 32 bits and unused without globals. `weights`:
// units as the ring takes them. `bias`: 32 bits, layer by layer. `pool_weights`: [pooling blocks, 2
// * POOLED, SHIFTED], `pool_bias`: [pooling blocks, SHIFTED], both in 32 bits and unused without
// pooling. `policy`, `value`: halves [positions, AREA, POLICY or VALUE].
extern "C" __global__ void __launch_bounds__(WARPGROUPS * 128 + 128, 1)
tower(const uint8* __restrict__ bits, const float* __restrict__ globals,
      const float* __restrict__ global_weights, const half_bits* __restrict__ weights, const float* __restrict__ bias,
      const float* __restrict__ pool_weights, const float* __restrict__ pool_bias, half_bits* __restrict__ policy,
      half_bits* __restrict__ value, int positions) {
  extern __shared__ __align__(128) uint8 memory[];
  unsigned long long address;
  asm("cvta.to.shared.u64 %0, %1;" : "=l"(address) : "l"(memory));
  const unsigned base = unsigned(address);
  const unsigned ring = base, x0 = base + STAGES * UNIT_BYTES, t0 = x0 + ACTIVATION_BYTES;
  const unsigned full = t0 + ACTIVATION_BYTES, empty = full + 8 * STAGES;
  const int rounds = (positions + POS - 1) / POS;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full + 8 * s));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(empty + 8 * s), "r"(WARPGROUPS));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  // The row that neighbours beyond the board are read from.
  for (int i = threadIdx.x; i < PITCH / 4; i += blockDim.x) {
    *reinterpret_cast<unsigned*>(memory + (x0 - base) + ROWS * PITCH + 4 * i) = 0;
    *reinterpret_cast<unsigned*>(memory + (t0 - base) + ROWS * PITCH + 4 * i) = 0;
  }
  __syncthreads();
  if (warp >= WARPGROUPS * 4) {
    // The warpgroup that copies weights: one thread of it does.
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (threadIdx.x == WARPGROUPS * 128) {
      int stage = 0;
      unsigned parity = 1;
      for (int round = blockIdx.x; round < rounds; round += gridDim.x) {
        const uint8* from = reinterpret_cast<const uint8*>(weights);
        auto send = [&](int bytes) {
          barrier_wait(empty + 8 * stage, parity);
          asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                       ::"r"(full + 8 * stage), "r"(bytes) : "memory");
          asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                       ::"r"(ring + stage * UNIT_BYTES), "l"(from), "r"(bytes), "r"(full + 8 * stage) : "memory");
          from += bytes;
          if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
          }
        };
        for (int left = 9 * STEM_K; left > 0; left -= UNIT) send((left < UNIT ? left : UNIT) * STEP_BYTES);
        for (int i = 0; i < LAYERS * 9 * (K / UNIT); i++) send(UNIT_BYTES);
        send(K * 16 * HEADS * 2);
      }
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
  const int warpgroup = warp / 4;
  int stage = 0;
  unsigned parity = 0;
  auto advance = [&]() {
    if (++stage == STAGES) {
      stage = 0;
      parity ^= 1;
    }
  };
  // The row that this lane names to ldmatrix, and which of its neighbours are on the board.
  const int point = warpgroup * 64 + warp % 4 * 16 + lane % 16;
  unsigned there = 0;
  {
    const int at = point % AREA, y = at / WIDTH, x = at % WIDTH;
    for (int tap = 0; tap < 9; tap++) {
      const int ny = y + tap / 3 - 1, nx = x + tap % 3 - 1;
      if (point < ROWS && ny >= 0 && ny < HEIGHT && nx >= 0 && nx < WIDTH) there |= 1u << tap;
    }
  }
  const unsigned high = lane / 16 * 16;
  auto near = [&](unsigned from, int tap) -> unsigned {
    const int row = there >> tap & 1 ? point + (tap / 3 - 1) * WIDTH + tap % 3 - 1 : ROWS;
    return from + row * PITCH + high;
  };
  // The first row and column of the sums that this lane holds.
  const int row = warpgroup * 64 + warp % 4 * 16 + lane / 4, column = lane % 4 * 2;
  for (int round = blockIdx.x; round < rounds; round += gridDim.x) {
    for (int i = threadIdx.x; i < ROWS * STEM_K * 8; i += WARPGROUPS * 128) {
      const int at = i / (STEM_K * 8), plane = i % (STEM_K * 8) * 2, position = round * POS + at / AREA;
      unsigned two = 0;
      if (position < positions)
        for (int j = 0; j < 2; j++) {
          const int bit = (plane + j) * AREA + at % AREA;
          if (plane + j < PLANES && bits[(long long)position * POSITION_BYTES + bit / 8] >> (bit % 8) & 1)
            two |= 0x3c00u << (16 * j);
        }
      *reinterpret_cast<unsigned*>(memory + (x0 - base) + at * PITCH + plane * 2) = two;
    }
    float* global_shifts = reinterpret_cast<float*>(memory + SHARED_BYTES - EXTRA_BYTES);
    if (GLOBALS > 0)
      for (int i = threadIdx.x; i < POS * CHANNELS; i += WARPGROUPS * 128) {
        const int position = round * POS + i / CHANNELS, channel = i % CHANNELS;
        float sum = 0.f;
        if (position < positions)
          for (int g = 0; g < GLOBALS; g++)
            sum += globals[(long long)position * GLOBALS + g] * global_weights[g * CHANNELS + channel];
        global_shifts[i] = sum;
      }
    BLOCK_BARRIER;
    float sums[CHANNELS / 2];
    const float* shift = bias;
    auto begin = [&]() {
#pragma unroll
      for (int n = 0; n < CHANNELS / 8; n++) {
        const float2 two = *reinterpret_cast<const float2*>(shift + n * 8 + column);
        sums[4 * n] = sums[4 * n + 2] = two.x;
        sums[4 * n + 1] = sums[4 * n + 3] = two.y;
      }
      shift += CHANNELS;
    };
    auto end = [&](unsigned to, bool adds, bool rectifies) {
#pragma unroll
      for (int half = 0; half < 2; half++) {
        const int r = row + half * 8;
        if (r < ROWS) {
          uint8* at = memory + (to - base) + r * PITCH + column * 2;
#pragma unroll
          for (int n = 0; n < CHANNELS / 8; n++) {
            float a = sums[4 * n + 2 * half], b = sums[4 * n + 2 * half + 1];
            unsigned* place = reinterpret_cast<unsigned*>(at + n * 16);
            if (adds) {
              const unsigned old = *place;
              a += half_to_float(old & 0xffff);
              b += half_to_float(old >> 16);
            }
            *place = rectifies ? pack_halves(relu(a), relu(b)) : pack_halves(a, b);
          }
        }
      }
      BLOCK_BARRIER;
    };
    // Global pooling: the first channels' means and maxima over the board shift the other channels;
    // then all are rectified.
    auto pool = [&](unsigned at, int index) {
      float* pooled = reinterpret_cast<float*>(memory + SHARED_BYTES - EXTRA_BYTES);
      float* shifts = pooled + POS * 2 * POOLED;
      uint8* rows = memory + (at - base);
      // Eight lanes share two channels of a position.
      constexpr int PAIRS = POOLED / 2 ? POOLED / 2 : 1;
      for (int first = 0; first < POS * PAIRS; first += WARPGROUPS * 16) {
        const int item = first + threadIdx.x / 8, position = item / PAIRS, channel = item % PAIRS * 2;
        float sums[2] = {0.f, 0.f}, most[2] = {0.f, 0.f};
        if (item < POS * PAIRS)
          for (int p = threadIdx.x % 8; p < AREA; p += 8) {
            const unsigned two = *reinterpret_cast<const unsigned*>(rows + (position * AREA + p) * PITCH + channel * 2);
            for (int j = 0; j < 2; j++) {
              const float x = relu(half_to_float(j ? two >> 16 : two & 0xffff));
              sums[j] += x;
              most[j] = most[j] > x ? most[j] : x;
            }
          }
        for (int j = 0; j < 2; j++) {
          for (int distance = 1; distance < 8; distance *= 2) {
            sums[j] += __shfl_xor_sync(0xffffffff, sums[j], distance);
            const float other = __shfl_xor_sync(0xffffffff, most[j], distance);
            most[j] = most[j] > other ? most[j] : other;
          }
          if (item < POS * PAIRS && threadIdx.x % 8 == 0) {
            pooled[position * 2 * POOLED + channel + j] = sums[j] / AREA;
            pooled[position * 2 * POOLED + POOLED + channel + j] = most[j];
          }
        }
      }
      BLOCK_BARRIER;
      const float* weights = pool_weights + index * 2 * POOLED * SHIFTED;
      for (int item = threadIdx.x; item < POS * SHIFTED; item += WARPGROUPS * 128) {
        const int position = item / SHIFTED, output = item % SHIFTED;
        float sum = pool_bias[index * SHIFTED + output];
#pragma unroll 8
        for (int i = 0; i < 2 * POOLED; i++) sum += pooled[position * 2 * POOLED + i] * weights[i * SHIFTED + output];
        shifts[item] = sum;
      }
      BLOCK_BARRIER;
      for (int i = threadIdx.x; i < ROWS * CHANNELS / 2; i += WARPGROUPS * 128) {
        const int r = i / (CHANNELS / 2), channel = i % (CHANNELS / 2) * 2;
        unsigned* place = reinterpret_cast<unsigned*>(rows + r * PITCH + channel * 2);
        float a = half_to_float(*place & 0xffff), b = half_to_float(*place >> 16);
        if (channel >= POOLED) {
          const float* shift = shifts + r / AREA * SHIFTED + channel - POOLED;
          a += shift[0];
          b += shift[1];
        }
        *place = pack_halves(relu(a), relu(b));
      }
      BLOCK_BARRIER;
    };
    // The stem: few products, so nothing overlaps.
    begin();
    for (int first = 0; first < 9 * STEM_K; first += UNIT) {
      barrier_wait(full + 8 * stage, parity);
      for (int k = 0; k < UNIT && first + k < 9 * STEM_K; k++) {
        unsigned a[4];
        load_matrix(a, near(x0, (first + k) / STEM_K) + 32 * ((first + k) % STEM_K));
        pin(sums);
        WGMMA_FENCE;
        WGMMA_TOWER(sums, a, descriptor(ring + stage * UNIT_BYTES + k * STEP_BYTES, CHANNELS));
        WGMMA_COMMIT;
        WGMMA_WAIT(0);
        pin(sums);
      }
      if (threadIdx.x % 128 == 0) barrier_arrive(empty + 8 * stage);
      advance();
    }
    if (GLOBALS > 0) {
#pragma unroll
      for (int half = 0; half < 2; half++) {
        const int r = row + half * 8;
        if (r < ROWS) {
          const float* shift_of_position = global_shifts + r / AREA * CHANNELS + column;
#pragma unroll
          for (int n = 0; n < CHANNELS / 8; n++) {
            const float2 two = *reinterpret_cast<const float2*>(shift_of_position + n * 8);
            sums[4 * n + 2 * half] += two.x;
            sums[4 * n + 2 * half + 1] += two.y;
          }
        }
      }
    }
    BLOCK_BARRIER;
    end(x0, false, true);
    unsigned from = x0, to = t0;
    for (int layer = 0; layer < LAYERS; layer++) {
      begin();
      unsigned a[2][GROUP][4];
      unsigned at = near(from, 0);
#pragma unroll
      for (int k = 0; k < GROUP; k++) load_matrix(a[0][k], at + 32 * k);
      int before = 0;
      uint64 factors = 0;
#pragma unroll
      for (int i = 0; i < 9 * PARTS; i++) {
        const bool begins_unit = i % GROUPS_OF_UNIT == 0;
        if (begins_unit) {
          if (i > 0) {
            before = stage;
            advance();
          }
          barrier_wait(full + 8 * stage, parity);
          factors = descriptor(ring + stage * UNIT_BYTES, CHANNELS);
        }
        WGMMA_FENCE;
#pragma unroll
        for (int k = 0; k < GROUP; k++)
          WGMMA_TOWER(sums, a[i & 1][k], factors + ((i % GROUPS_OF_UNIT * GROUP + k) * STEP_BYTES >> 4));
        WGMMA_COMMIT;
        if (i < 9 * PARTS - 1) {
          // The group before is done, so its activations' registers are free.
          WGMMA_WAIT(1);
          const int part = (i + 1) % PARTS;
          if (part == 0) at = near(from, (i + 1) / PARTS);
#pragma unroll
          for (int k = 0; k < GROUP; k++) load_matrix(a[(i + 1) & 1][k], at + 32 * (part * GROUP + k));
        } else {
          WGMMA_WAIT(0);
        }
        if (begins_unit && i > 0 && threadIdx.x % 128 == 0) barrier_arrive(empty + 8 * before);
      }
      if (threadIdx.x % 128 == 0) barrier_arrive(empty + 8 * stage);
      advance();
      pin(sums);
      // The first convolution of every second block.
      const bool pools = POOLED > 0 && layer % 4 == 2;
      end(to, layer & 1, !pools);
      if (pools) pool(to, layer / 4);
      const unsigned other = from;
      from = to;
      to = other;
    }
    float heads[HEADS / 2];
#pragma unroll
    for (int n = 0; n < HEADS / 8; n++) {
      const float2 two = *reinterpret_cast<const float2*>(shift + n * 8 + column);
      heads[4 * n] = heads[4 * n + 2] = two.x;
      heads[4 * n + 1] = heads[4 * n + 3] = two.y;
    }
    barrier_wait(full + 8 * stage, parity);
#pragma unroll
    for (int k = 0; k < K; k++) {
      unsigned a[4];
      load_matrix(a, x0 + (point < ROWS ? point : ROWS) * PITCH + high + 32 * k);
      pin(heads);
      WGMMA_FENCE;
      WGMMA_HEADS(heads, a, descriptor(ring + stage * UNIT_BYTES + k * 16 * HEADS * 2, HEADS));
      WGMMA_COMMIT;
      WGMMA_WAIT(0);
      pin(heads);
    }
    if (threadIdx.x % 128 == 0) barrier_arrive(empty + 8 * stage);
    advance();
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const int r = row + half * 8, position = round * POS + r / AREA;
      if (r < ROWS && position < positions) {
        const long long at = (long long)position * AREA + r % AREA;
#pragma unroll
        for (int n = 0; n < HEADS / 8; n++) {
          const unsigned two = pack_halves(relu(heads[4 * n + 2 * half]), relu(heads[4 * n + 2 * half + 1]));
          half_bits* place =
              n * 8 < POLICY ? policy + at * POLICY + n * 8 + column : value + at * VALUE + n * 8 - POLICY + column;
          *reinterpret_cast<unsigned*>(place) = two;
        }
      }
    }
    BLOCK_BARRIER;
  }
}
