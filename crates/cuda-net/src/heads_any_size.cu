// Heads of networks for boards of any size: linear layers at each point, and means over the board.
// A warp takes a position, its lanes the points in turn.
//
// Defined before this text: AREA, POLICY and VALUE (channels of the heads, multiples of 8), REST
// (actions beside points), HIDDEN, OUTPUTS (win, draw, loss and what is beside them).

typedef unsigned short half_bits;

constexpr int WARPS = 4;
constexpr int POLICY_ROWS = 1 + REST;

struct alignas(16) Eight {
  unsigned parts[4];
};

__device__ __forceinline__ float half_to_float(half_bits half) {
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(half));
  return wide;
}
__device__ __forceinline__ float number(const Eight& eight, int i) {
  return half_to_float(i % 2 ? eight.parts[i / 2] >> 16 : eight.parts[i / 2] & 0xffff);
}
// The same sum in every lane, always added up in the same order.
__device__ __forceinline__ float warp_sum(float x) {
  for (int distance = 1; distance < 32; distance *= 2) x += __shfl_xor_sync(0xffffffff, x, distance);
  return x;
}

// `policy_weights`: [1 + REST, POLICY], of which the first row is that of a point's own logit and
// the others' results are averaged over the board. `hidden_weights`: [HIDDEN, VALUE], of the means.
extern "C" __global__ void __launch_bounds__(WARPS * 32)
heads(const half_bits* __restrict__ policy, const half_bits* __restrict__ value,
      const float* __restrict__ policy_weights, const float* __restrict__ policy_bias,
      const float* __restrict__ hidden_weights, const float* __restrict__ hidden_bias,
      const float* __restrict__ output_weights, const float* __restrict__ output_bias,
      float* __restrict__ policy_logits, float* __restrict__ values, int positions) {
  const int lane = threadIdx.x % 32;
  const long long position = (long long)blockIdx.x * WARPS + threadIdx.x / 32;
  if (position >= positions) return;
  float rest[POLICY_ROWS] = {};
  float means[VALUE] = {};
  for (int point = lane; point < AREA; point += 32) {
    const long long at = position * AREA + point;
    float logits[POLICY_ROWS] = {};
#pragma unroll
    for (int first = 0; first < POLICY; first += 8) {
      const Eight eight = *reinterpret_cast<const Eight*>(policy + at * POLICY + first);
#pragma unroll
      for (int i = 0; i < 8; i++)
        for (int row = 0; row < POLICY_ROWS; row++)
          logits[row] += number(eight, i) * policy_weights[row * POLICY + first + i];
    }
    policy_logits[position * (AREA + REST) + point] = logits[0] + policy_bias[0];
    for (int row = 1; row < POLICY_ROWS; row++) rest[row] += logits[row];
#pragma unroll
    for (int first = 0; first < VALUE; first += 8) {
      const Eight eight = *reinterpret_cast<const Eight*>(value + at * VALUE + first);
#pragma unroll
      for (int i = 0; i < 8; i++) means[first + i] += number(eight, i);
    }
  }
  for (int row = 1; row < POLICY_ROWS; row++) {
    const float sum = warp_sum(rest[row]);
    if (lane == 0) policy_logits[position * (AREA + REST) + AREA + row - 1] = sum / AREA + policy_bias[row];
  }
#pragma unroll
  for (int channel = 0; channel < VALUE; channel++) means[channel] = warp_sum(means[channel]) / AREA;
  float outputs[OUTPUTS] = {};
  for (int i = lane; i < HIDDEN; i += 32) {
    float x = hidden_bias[i];
#pragma unroll
    for (int channel = 0; channel < VALUE; channel++) x += means[channel] * hidden_weights[i * VALUE + channel];
    x = x < 0.f ? 0.f : x;
    for (int output = 0; output < OUTPUTS; output++) outputs[output] += x * output_weights[output * HIDDEN + i];
  }
  for (int output = 0; output < OUTPUTS; output++) {
    const float sum = warp_sum(outputs[output]);
    if (lane == 0) values[position * OUTPUTS + output] = sum + output_bias[output];
  }
}
