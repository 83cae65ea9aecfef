// What kernels of CubeCL 0.11.3 use of CUDA, for the processor; kernels that use more (asynchronous copies, other sizes of mma) do
// not compile. Numbers round as on a card: halves after each operation, sums of matrix products in 32 bits.
#pragma once
#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "blocks.hpp"

#define __device__
#define __global__
#define __shared__
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __restrict__ __restrict

// ---- Threads (blocks.cpp).
extern "C" {
extern Dim3 threadIdx, blockIdx, blockDim, gridDim;
extern char stand_in_shared_memory[];
void stand_in_wait_block();
void stand_in_wait_warp();
unsigned stand_in_lane();
unsigned stand_in_lanes();
void* stand_in_slot(unsigned lane);
}
static const int warpSize = 32;
static inline void __syncthreads() { stand_in_wait_block(); }
static inline void __syncwarp(unsigned = ~0u) { stand_in_wait_warp(); }
static inline void __threadfence() {}
static inline unsigned __activemask() { return ~0u; }

// The value of another lane.
template <class T>
T stand_in_from(T value, unsigned lane) {
    std::memcpy(stand_in_slot(stand_in_lane()), &value, sizeof value);
    stand_in_wait_warp();
    std::memcpy(&value, stand_in_slot(lane < stand_in_lanes() ? lane : stand_in_lane()), sizeof value);
    stand_in_wait_warp();
    return value;
}
template <class T> T __shfl_sync(unsigned, T value, int lane) { return stand_in_from(value, unsigned(lane) % 32); }
template <class T> T __shfl_xor_sync(unsigned, T value, int mask) { return stand_in_from(value, stand_in_lane() ^ mask); }
template <class T> T __shfl_up_sync(unsigned, T value, unsigned by) {
    return stand_in_from(value, stand_in_lane() < by ? stand_in_lane() : stand_in_lane() - by);
}
template <class T> T __shfl_down_sync(unsigned, T value, unsigned by) { return stand_in_from(value, stand_in_lane() + by); }
static inline float atomicAdd(float* to, float value) {
    float before = *to;
    *to += value;
    return before;
}

// Calls a kernel with pointers to its parameters.
template <class... A, size_t... I>
void stand_in_call(void (*kernel)(A...), void** parameters, std::index_sequence<I...>) {
    kernel(*static_cast<std::remove_cv_t<std::remove_reference_t<A>>*>(parameters[I])...);
}
template <class... A>
void stand_in_call(void (*kernel)(A...), void** parameters) {
    stand_in_call(kernel, parameters, std::index_sequence_for<A...>{});
}
// Bytes of each of a kernel's parameters, and 0 behind the last. Static, since parameters of other kernels' libraries have
// types of the same names.
template <class... A>
static const size_t* stand_in_parameter_bytes(void (*)(A...)) {
    static const size_t bytes[] = {sizeof(std::remove_cv_t<std::remove_reference_t<A>>)..., 0};
    return bytes;
}

// ---- Numbers.
static inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned((uint64_t(a) * b) >> 32); }
static inline uint64_t __umul64hi(uint64_t a, uint64_t b) { return uint64_t((static_cast<unsigned __int128>(a) * b) >> 64); }
static inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline float __uint_as_float(unsigned bits) { return _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128(int(bits)))); }
static inline unsigned __float_as_uint(float x) { return unsigned(_mm_cvtsi128_si32(_mm_castps_si128(_mm_set_ss(x)))); }
static inline float rsqrtf(float x) { return 1 / sqrtf(x); }
static inline float rsqrt(float x) { return 1 / sqrtf(x); }
static inline float __fdividef(float a, float b) { return a / b; }
static inline float __frcp_rn(float x) { return 1 / x; }
static inline float __fsqrt_rn(float x) { return sqrtf(x); }
static inline float __frsqrt_rn(float x) { return 1 / sqrtf(x); }
static inline float __expf(float x) { return expf(x); }
static inline float __logf(float x) { return logf(x); }
static inline float __powf(float a, float b) { return powf(a, b); }
using std::isinf, std::isnan, std::max, std::min;
static inline float max(float a, float b) { return fmaxf(a, b); }
static inline float min(float a, float b) { return fminf(a, b); }

// A 16-bit float made of 32 bits and back; `Of` says how.
template <class Of>
struct Half {
    uint16_t bits;
    Half() = default;
    template <class T> requires std::is_arithmetic_v<T>
    Half(T x) : bits(Of::bits(float(x))) {}
    template <class Other>
    explicit Half(Half<Other> x) : bits(Of::bits(float(x))) {}
    operator float() const { return Of::number(bits); }
};
struct OfF16 {
    static uint16_t bits(float x) { return _cvtss_sh(x, 0); }
    static float number(uint16_t bits) { return _cvtsh_ss(bits); }
};
struct OfBf16 {
    static uint16_t bits(float x) {
        uint32_t all = __float_as_uint(x);
        return std::isnan(x) ? 0x7fff : (all + 0x7fff + ((all >> 16) & 1)) >> 16;
    }
    static float number(uint16_t bits) { return __uint_as_float(uint32_t(bits) << 16); }
};
using __half = Half<OfF16>;
using __nv_bfloat16 = Half<OfBf16>;
template <class Of>
struct alignas(4) Pair {
    Half<Of> x, y;
};
using __half2 = Pair<OfF16>;
using __nv_bfloat162 = Pair<OfBf16>;

#define BINARY(name, pair_name, expression)                                                                              \
    template <class Of> Half<Of> name(Half<Of> p, Half<Of> q) { float a = p, b = q; return Half<Of>(expression); }        \
    template <class Of> Pair<Of> pair_name(Pair<Of> p, Pair<Of> q) { return {name(p.x, q.x), name(p.y, q.y)}; }
#define UNARY(name, pair_name, expression)                                                                               \
    template <class Of> Half<Of> name(Half<Of> p) { float a = p; return Half<Of>(expression); }                           \
    template <class Of> Pair<Of> pair_name(Pair<Of> p) { return {name(p.x), name(p.y)}; }
BINARY(operator+, operator+, a + b)
BINARY(operator-, operator-, a - b)
BINARY(operator*, operator*, a * b)
BINARY(operator/, operator/, a / b)
BINARY(__hmax, __hmax2, a > b ? a : b)
BINARY(__hmin, __hmin2, a < b ? a : b)
BINARY(__hmax_nan, __hmax2_nan, isnan(a) || a > b ? a : b)
BINARY(__hmin_nan, __hmin2_nan, isnan(a) || a < b ? a : b)
UNARY(operator-, operator-, -a)
UNARY(__habs, __habs2, fabsf(a))
UNARY(hexp, h2exp, expf(a))
UNARY(hlog, h2log, logf(a))
UNARY(hsqrt, h2sqrt, sqrtf(a))
UNARY(hrsqrt, h2rsqrt, 1 / sqrtf(a))
UNARY(hrcp, h2rcp, 1 / a)
template <class Of> Half<Of> __hfma(Half<Of> a, Half<Of> b, Half<Of> c) { return Half<Of>(fmaf(a, b, c)); }
template <class Of> bool __hisnan(Half<Of> x) { return isnan(float(x)); }
#define COMPARISON(sign) \
    template <class Of> bool operator sign(Half<Of> a, Half<Of> b) { return float(a) sign float(b); }
COMPARISON(<) COMPARISON(<=) COMPARISON(>) COMPARISON(>=) COMPARISON(==) COMPARISON(!=)

// ---- Matrix units. Every lane holds a whole tile, so that all of them agree on its elements.
namespace nvcuda::wmma {
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}
static inline float __float_to_tf32(float x) { return __uint_as_float((__float_as_uint(x) + 0x1000) & ~0x1fffu); }
template <class T> struct Stored { using Type = T; };
template <> struct Stored<precision::tf32> { using Type = float; };

template <class Use, int m, int n, int k, class T, class Layout = void>
struct fragment {
    using Element = typename Stored<T>::Type;
    static constexpr int rows = std::is_same_v<Use, matrix_b> ? k : m;
    static constexpr int columns = std::is_same_v<Use, matrix_a> ? k : n;
    static constexpr int num_elements = rows * columns;
    Element x[num_elements];
};

// Calls with each element's place in a fragment and in memory.
template <class Fragment, class F>
void stand_in_places(const Fragment&, unsigned stride, bool by_columns, F call) {
    for (int row = 0; row < Fragment::rows; row++)
        for (int column = 0; column < Fragment::columns; column++)
            call(row * Fragment::columns + column, by_columns ? column * stride + row : row * stride + column);
}
template <class Use, int m, int n, int k, class T, class Layout, class P>
void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& into, const P* from, unsigned stride) {
    using Element = typename fragment<Use, m, n, k, T, Layout>::Element;
    stand_in_wait_warp();
    stand_in_places(into, stride, std::is_same_v<Layout, col_major>,
                    [&](int i, size_t place) { into.x[i] = reinterpret_cast<const Element*>(from)[place]; });
    stand_in_wait_warp();
}
template <int m, int n, int k, class T, class P>
void load_matrix_sync(fragment<accumulator, m, n, k, T>& into, const P* from, unsigned stride, layout_t layout) {
    stand_in_wait_warp();
    stand_in_places(into, stride, layout == mem_col_major,
                    [&](int i, size_t place) { into.x[i] = reinterpret_cast<const T*>(from)[place]; });
    stand_in_wait_warp();
}
template <int m, int n, int k, class T, class P>
void store_matrix_sync(P* to, const fragment<accumulator, m, n, k, T>& from, unsigned stride, layout_t layout) {
    stand_in_wait_warp();
    stand_in_places(from, stride, layout == mem_col_major,
                    [&](int i, size_t place) { reinterpret_cast<T*>(to)[place] = from.x[i]; });
    stand_in_wait_warp();
}
template <class Use, int m, int n, int k, class T, class Layout, class V>
void fill_fragment(fragment<Use, m, n, k, T, Layout>& all, const V& value) {
    for (auto& element : all.x) element = value;
}
template <int m, int n, int k, class TD, class TA, class LA, class TB, class LB, class TC>
void mma_sync(fragment<accumulator, m, n, k, TD>& d, const fragment<matrix_a, m, n, k, TA, LA>& a,
              const fragment<matrix_b, m, n, k, TB, LB>& b, const fragment<accumulator, m, n, k, TC>& c) {
    float factors[k * n];
    for (int i = 0; i < k * n; i++) factors[i] = b.x[i];
    for (int row = 0; row < m; row++) {
        float sums[n];
        for (int column = 0; column < n; column++) sums[column] = c.x[row * n + column];
        for (int i = 0; i < k; i++) {
            float factor = a.x[row * k + i];
            for (int column = 0; column < n; column++) sums[column] += factor * factors[i * n + column];
        }
        for (int column = 0; column < n; column++) d.x[row * n + column] = TD(sums[column]);
    }
}
}  // namespace nvcuda::wmma

// Instructions of matrix units with a defined lane for each element (PTX ISA 9.0, "mma.m16n8k16",
// "ldmatrix"). Where shared memory is, is known, so half of an address is enough.
static inline unsigned __cvta_generic_to_shared(const void* place) { return unsigned(reinterpret_cast<uintptr_t>(place)); }
static inline const char* stand_in_shared(unsigned address) {
    return reinterpret_cast<const char*>((reinterpret_cast<uintptr_t>(stand_in_shared_memory) & ~0xffffffffull) | address);
}
// Four matrices of 8x8 halves; lane 8 * i + row gives the address of a row of matrix i, and gets two halves of each: of a row that follow
// each other, or if turned, of a column.
template <bool turned>
void stand_in_ldmatrix(unsigned& r0, unsigned& r1, unsigned& r2, unsigned& r3, unsigned address) {
    unsigned lane = stand_in_lane();
    if (address % 16) __builtin_trap();
    std::memcpy(stand_in_slot(lane), stand_in_shared(address), 16);
    stand_in_wait_warp();
    unsigned* results[] = {&r0, &r1, &r2, &r3};
    for (unsigned i = 0; i < 4; i++)
        for (unsigned half = 0; half < 2; half++) {
            unsigned row = lane / 4, column = lane % 4 * 2 + half;
            if (turned) std::swap(row, column);
            const char* from = static_cast<char*>(stand_in_slot(8 * i + row)) + column * 2;
            std::memcpy(reinterpret_cast<char*>(results[i]) + half * 2, from, 2);
        }
    stand_in_wait_warp();
}
template <class Of>
void stand_in_mma(float& d0, float& d1, float& d2, float& d3, unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0,
                  unsigned b1, float c0, float c1, float c2, float c3) {
    unsigned lane = stand_in_lane(), held[] = {a0, a1, a2, a3, b0, b1};
    std::memcpy(stand_in_slot(lane), held, sizeof held);
    stand_in_wait_warp();
    auto half = [](unsigned of, unsigned i) {
        return Of::number(reinterpret_cast<const uint16_t*>(stand_in_slot(of))[i]);
    };
    float sums[] = {c0, c1, c2, c3};
    for (unsigned i = 0; i < 4; i++) {
        unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
        for (unsigned k = 0; k < 16; k++) {
            float a = half(row % 8 * 4 + k % 8 / 2, (row / 8 + k / 8 * 2) * 2 + k % 2);
            sums[i] += a * half(column * 4 + k % 8 / 2, (4 + k / 8) * 2 + k % 2);
        }
    }
    stand_in_wait_warp();
    d0 = sums[0], d1 = sums[1], d2 = sums[2], d3 = sums[3];
}
#define stand_in_mma_f16 stand_in_mma<OfF16>
#define stand_in_mma_bf16 stand_in_mma<OfBf16>
