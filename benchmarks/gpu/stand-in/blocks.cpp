// One block after another, and of a block one thread after another: where threads wait for each other, each has a stack of
// its own and gives way when it waits.
//
// A card promises no order. With STAND_IN_HOSTILE=N, N above 0, blocks, warps and the threads of a warp take another one each time,
// which depends on N, and shared memory holds no numbers when a block begins: what comes out then must be what came out before, or a
// kernel does not wait where it has to or reads what nobody wrote.
#include "blocks.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#define API extern "C" __attribute__((visibility("default")))

// What kernels read (kernels.hpp). All blocks have one shared memory, since they run one after another.
API Dim3 threadIdx, blockIdx, blockDim, gridDim;
Dim3 threadIdx, blockIdx, blockDim, gridDim;
API char stand_in_shared_memory[SHARED_BYTES_MAX + GUARD_BYTES];
alignas(1024) char stand_in_shared_memory[SHARED_BYTES_MAX + GUARD_BYTES];

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
unsigned shared_bytes = 0;
char slots[WARPS_MAX][WARP][SLOT_BYTES];

// Numbers below `count` in an order of its own, or as they follow each other.
class Order {
    uint64_t count, first = 0, step = 1;

    static uint64_t random() {
        static uint64_t state = uint64_t(hostile()) * 0x9e3779b97f4a7c15;
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        return state >> 16;
    }

public:
    explicit Order(uint64_t count) : count(count) {
        if (!hostile() || count < 2) return;
        first = random() % count;
        do step = 1 + random() % count;
        while (std::gcd(step, count) != 1);
    }
    template <class F>
    void each(F call) const {
        for (uint64_t i = 0, at = first; i < count; i++, at = (at + step) % count) call(at);
    }
};

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
        Order(end - first).each([&](unsigned lane) {
            Thread& thread = threads[first + lane];
            if (thread.state != State::READY) return;
            current = first + lane;
            threadIdx = thread.index;
            stand_in_switch(&scheduler, thread.stack);
        });
        goes_on = false;
        for (unsigned i = first; i < end; i++) {
            if (threads[i].state != State::AT_WARP) continue;
            threads[i].state = State::READY;
            goes_on = true;
        }
    }
}

Dim3 index_of(uint64_t i, Dim3 of) { return {unsigned(i % of.x), unsigned(i / of.x % of.y), unsigned(i / of.x / of.y)}; }

template <class F>
void each_index(Dim3 of, F run) {
    Order(uint64_t(of.x) * of.y * of.z).each([&](uint64_t i) { run(index_of(i, of)); });
}

// What lies behind the shared memory that a kernel asked for is nobody's.
void check_guard() {
    for (unsigned i = 0; i < GUARD_BYTES; i++) {
        if (stand_in_shared_memory[shared_bytes + i] == char(NO_NUMBER)) continue;
        fprintf(stderr, "a kernel wrote %u bytes behind its %u of shared memory\n", i, shared_bytes);
        abort();
    }
}

// Threads that wait for nobody, one after another.
void run_threads() {
    each_index(blockDim, [](Dim3 index) {
        threadIdx = index;
        kernel->run(parameters);
    });
}

// Threads that wait for each other take turns.
void run_waiting() {
    count = blockDim.x * blockDim.y * blockDim.z;
    if (threads.size() < count) threads.resize(count);
    for (unsigned i = 0; i < count; i++) prepare(threads[i], index_of(i, blockDim));
    for (bool goes_on = true; goes_on;) {
        Order((count + WARP - 1) / WARP).each([](unsigned warp) {
            unsigned first = warp * WARP;
            run_warp(first, first + WARP < count ? first + WARP : count);
        });
        goes_on = false;
        for (unsigned i = 0; i < count; i++) {
            if (threads[i].state != State::AT_BLOCK) continue;
            threads[i].state = State::READY;
            goes_on = true;
        }
    }
    current = -1;
}

void run_block() {
    if (hostile()) memset(stand_in_shared_memory, NO_NUMBER, shared_bytes + GUARD_BYTES);
    kernel->waits ? run_waiting() : run_threads();
    if (hostile()) check_guard();
}

}  // namespace

int hostile() {
    static const int seed = atoi(getenv("STAND_IN_HOSTILE") ?: "0");
    return seed;
}

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

void run_grid(const Kernel& what, Dim3 grid, Dim3 block, unsigned shared, void** with) {
    kernel = &what;
    parameters = with;
    shared_bytes = shared;
    gridDim = grid;
    blockDim = block;
    each_index(grid, [](Dim3 index) {
        blockIdx = index;
        run_block();
    });
}
