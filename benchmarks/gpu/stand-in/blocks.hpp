// Running the blocks of a grid on the processor.
#pragma once
#include <cstddef>

// What stands before the path of a library in place of PTX.
#define LIBRARY_MARK "stand-in library "

// Shared memory of a block at most, on an H200, and what follows it here.
constexpr unsigned SHARED_BYTES_MAX = 232448, GUARD_BYTES = 4096;
// A byte of which every format makes something that is no number, or -1.
constexpr int NO_NUMBER = 0xff;

struct Dim3 {
    unsigned x, y, z;
};

struct Kernel {
    // Runs one thread, which threadIdx and blockIdx name, with pointers to the kernel's parameters.
    void (*run)(void** parameters) = nullptr;
    // Bytes of each parameter, and 0 behind the last.
    const size_t* (*parameter_bytes)() = nullptr;
    // Whether threads wait for each other.
    bool waits = false;
};

void run_grid(const Kernel& kernel, Dim3 grid, Dim3 block, unsigned shared_bytes, void** parameters);

// STAND_IN_HOSTILE, 0 where kernels find things as they like them.
int hostile();
