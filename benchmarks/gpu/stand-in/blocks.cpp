// One block after another, and of a block one thread after another: where threads wait for each other, each has a stack of
// its own and gives way when it waits.
#include "blocks.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <vector>

#define API extern "C" __attribute__((visibility("default")))

// What kernels read (kernels.hpp).
API Dim3 threadIdx, blockIdx, blockDim, gridDim;
Dim3 threadIdx, blockIdx, blockDim, gridDim;

// Saves the registers that a call keeps and the stack, and goes on with another stack.
extern "C" void stand_in_switch(void** save, void* stack);
asm(R"(
.globl stand_in_switch
stand_in_switch:
    push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15
    mov %rsp, (%rdi)
    mov %rsi, %rsp
    pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp
    ret
)");

namespace {

constexpr unsigned WARP = 32, WARPS_MAX = 32, SLOT_BYTES = 64;
constexpr size_t STACK_BYTES = 1 << 20;

enum class State { READY, AT_WARP, AT_BLOCK, DONE };

struct Thread {
    Dim3 index;
    State state;
    char* memory;
    void* stack;
};

std::vector<Thread> threads;
int current = -1;  // none where threads do not wait
unsigned count = 0;
void* scheduler;
const Kernel* kernel;
void** parameters;
char slots[WARPS_MAX][WARP][SLOT_BYTES];

void give_way(State state) {
    threads[current].state = state;
    stand_in_switch(&threads[current].stack, scheduler);
}

void begin() {
    kernel->run(parameters);
    give_way(State::DONE);
    abort();
}

void prepare(Thread& thread, Dim3 index) {
    if (!thread.memory) {
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        thread.memory = static_cast<char*>(mmap(nullptr, STACK_BYTES, PROT_READ | PROT_WRITE, flags, -1, 0));
    }
    // As a call would leave it: the address to go to, below it six registers.
    void** top = reinterpret_cast<void**>(thread.memory + STACK_BYTES - 64);
    *--top = nullptr;
    *--top = reinterpret_cast<void*>(begin);
    for (int i = 0; i < 6; i++) *--top = nullptr;
    thread = {index, State::READY, thread.memory, top};
}

// Runs a warp until all its threads are done or wait for the block.
void run_warp(unsigned first, unsigned end) {
    for (bool goes_on = true; goes_on;) {
        for (unsigned i = first; i < end; i++) {
            if (threads[i].state != State::READY) continue;
            current = i;
            threadIdx = threads[i].index;
            stand_in_switch(&scheduler, threads[i].stack);
        }
        goes_on = false;
        for (unsigned i = first; i < end; i++) {
            if (threads[i].state != State::AT_WARP) continue;
            threads[i].state = State::READY;
            goes_on = true;
        }
    }
}

template <class F>
void each_index(Dim3 of, F run) {
    for (unsigned z = 0; z < of.z; z++)
        for (unsigned y = 0; y < of.y; y++)
            for (unsigned x = 0; x < of.x; x++) run(Dim3{x, y, z});
}

void run_block() {
    current = -1;
    if (!kernel->waits) {
        return each_index(blockDim, [](Dim3 index) {
            threadIdx = index;
            kernel->run(parameters);
        });
    }
    count = blockDim.x * blockDim.y * blockDim.z;
    if (threads.size() < count) threads.resize(count);
    unsigned next = 0;
    each_index(blockDim, [&](Dim3 index) { prepare(threads[next++], index); });
    for (bool goes_on = true; goes_on;) {
        for (unsigned first = 0; first < count; first += WARP) run_warp(first, first + WARP < count ? first + WARP : count);
        goes_on = false;
        for (unsigned i = 0; i < count; i++) {
            if (threads[i].state != State::AT_BLOCK) continue;
            threads[i].state = State::READY;
            goes_on = true;
        }
    }
    current = -1;
}

}  // namespace

API void stand_in_wait_block() {
    if (current >= 0) give_way(State::AT_BLOCK);
}
API void stand_in_wait_warp() {
    if (current >= 0) give_way(State::AT_WARP);
}
API unsigned stand_in_lane() { return current % WARP; }
API unsigned stand_in_lanes() {
    unsigned first = current / WARP * WARP;
    return count - first < WARP ? count - first : WARP;
}
// A lane's place to hand a value to the other lanes of its warp.
API void* stand_in_slot(unsigned lane) { return slots[current / WARP][lane]; }

void run_grid(const Kernel& what, Dim3 grid, Dim3 block, void** with) {
    kernel = &what;
    parameters = with;
    gridDim = grid;
    blockDim = block;
    each_index(grid, [](Dim3 index) {
        blockIdx = index;
        run_block();
    });
}
