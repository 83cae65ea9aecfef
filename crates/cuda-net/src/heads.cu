// Linear layers of policy and value. A block of threads takes 16 positions; four warps make 96
// policy logits of them, and in blocks of the first row two more make the value.
//
// Defined before this text: POLICY_INPUTS, VALUE_INPUTS (numbers of a position, multiples of 8),
// POLICY_LOGITS, HIDDEN (a multiple of 8), OUTPUTS (win, draw, loss and what is beside them),
// POLICY_CHUNKS, VALUE_CHUNKS (32 inputs each), POLICY_TILES, HIDDEN_TILES (8 outputs each).

typedef unsigned short half_bits;

constexpr int POSITIONS = 16;
constexpr int POLICY_WARPS = 4, VALUE_WARPS = 2, TILES_OF_WARP = 3;

struct alignas(16) Eight {
  unsigned x, y, z, w;
};

__device__ __forceinline__ void multiply(float (&sums)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3,
                                         unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// Sums of 16 positions and TILES times 8 outputs. A lane reads eight inputs of a row at a time;
// weights lie in the order in which lanes take them: [chunk][tile][32 lanes][8 halves].
template <int TILES>
__device__ __forceinline__ void product(float (&sums)[TILES][4], const half_bits* rows, int inputs, int chunks,
                                        const half_bits* weights, int tiles, int first_tile, int positions_left) {
  const int lane = threadIdx.x % 32, row = lane / 4, place = lane % 4 * 8;
  const bool has_low = row < positions_left, has_high = row + 8 < positions_left;
#pragma unroll 4
  for (int chunk = 0; chunk < chunks; chunk++) {
    const int at = chunk * 32 + place;
    Eight low = {0, 0, 0, 0}, high = {0, 0, 0, 0};
    if (at < inputs) {
      if (has_low) low = *reinterpret_cast<const Eight*>(rows + (long long)row * inputs + at);
      if (has_high) high = *reinterpret_cast<const Eight*>(rows + (long long)(row + 8) * inputs + at);
    }
#pragma unroll
    for (int t = 0; t < TILES; t++) {
      if (first_tile + t < tiles) {
        const Eight b =
            *reinterpret_cast<const Eight*>(weights + (((long long)chunk * tiles + first_tile + t) * 32 + lane) * 8);
        multiply(sums[t], low.x, high.x, low.y, high.y, b.x, b.y);
        multiply(sums[t], low.z, high.z, low.w, high.w, b.z, b.w);
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__((POLICY_WARPS + VALUE_WARPS) * 32)
heads(const half_bits* __restrict__ policy, const half_bits* __restrict__ value,
      const half_bits* __restrict__ policy_weights, const float* __restrict__ policy_bias,
      const half_bits* __restrict__ hidden_weights, const float* __restrict__ hidden_bias,
      const float* __restrict__ output_weights, const float* __restrict__ output_bias,
      float* __restrict__ policy_logits, float* __restrict__ values, int positions) {
  __shared__ float hidden[POSITIONS][HIDDEN + 1];
  const long long first = (long long)blockIdx.x * POSITIONS;
  const int left = positions - (int)first;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = lane / 4, column = lane % 4 * 2;
  if (warp < POLICY_WARPS) {
    const int tile = (blockIdx.y * POLICY_WARPS + warp) * TILES_OF_WARP;
    float sums[TILES_OF_WARP][4] = {};
    if (tile < POLICY_TILES)
      product<TILES_OF_WARP>(sums, policy + first * POLICY_INPUTS, POLICY_INPUTS, POLICY_CHUNKS, policy_weights,
                             POLICY_TILES, tile, left);
    for (int t = 0; t < TILES_OF_WARP; t++)
      for (int i = 0; i < 4; i++) {
        const int output = (tile + t) * 8 + column + i % 2, r = row + i / 2 * 8;
        if (output < POLICY_LOGITS && r < left)
          policy_logits[(first + r) * POLICY_LOGITS + output] = sums[t][i] + policy_bias[output];
      }
  } else if (blockIdx.y == 0) {
    for (int tile = (warp - POLICY_WARPS) * TILES_OF_WARP; tile < HIDDEN_TILES; tile += VALUE_WARPS * TILES_OF_WARP) {
      float sums[TILES_OF_WARP][4] = {};
      product<TILES_OF_WARP>(sums, value + first * VALUE_INPUTS, VALUE_INPUTS, VALUE_CHUNKS, hidden_weights,
                             HIDDEN_TILES, tile, left);
      for (int t = 0; t < TILES_OF_WARP; t++)
        for (int i = 0; i < 4; i++) {
          const int output = (tile + t) * 8 + column + i % 2;
          if (output < HIDDEN) {
            const float x = sums[t][i] + hidden_bias[output];
            hidden[row + i / 2 * 8][output] = x < 0.f ? 0.f : x;
          }
        }
    }
  }
  if (blockIdx.y != 0) return;
  __syncthreads();
  if (threadIdx.x < POSITIONS * OUTPUTS) {
    const int r = threadIdx.x / OUTPUTS, output = threadIdx.x % OUTPUTS;
    float sum = output_bias[output];
    for (int i = 0; i < HIDDEN; i++) sum += hidden[r][i] * output_weights[output * HIDDEN + i];
    if (r < left) values[(first + r) * OUTPUTS + output] = sum;
  }
}
