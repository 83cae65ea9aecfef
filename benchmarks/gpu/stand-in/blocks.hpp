// Running the blocks of a grid on the processor.
#pragma once

// What stands before the path of a library in place of PTX.
#define LIBRARY_MARK "stand-in library "

struct Dim3 {
    unsigned x, y, z;
};

struct Kernel {
    // Runs one thread, which threadIdx and blockIdx name, with pointers to the kernel's parameters.
    void (*run)(void** parameters) = nullptr;
    // Whether threads wait for each other.
    bool waits = false;
};

void run_grid(const Kernel& kernel, Dim3 grid, Dim3 block, void** parameters);
