// A stand-in for NVIDIA's driver (libcuda.so) on a machine without a card: memory is the host's, every call is done when it
// returns, and kernels that compiler.cpp built for the processor run there (blocks.cpp); those in PTX do nothing.
//
// It has what CubeCL 0.11.3 and cudarc 0.19 call. STAND_IN_LOG names the file that it writes each kernel to, and with
// STAND_IN_LAUNCHES each launch: blocks along x, y, z, and threads of a block.
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "blocks.hpp"

#define API extern "C" __attribute__((visibility("default")))

namespace {

enum Status { OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_DEVICE = 101, NO_SUCH_KERNEL = 500, CAPTURE_UNSUPPORTED = 900 };
using Pointer = unsigned long long;

// What an H200 answers; numbers of attributes as in cuda.h.
constexpr size_t MEMORY_BYTES = 139ull << 30;
constexpr unsigned THREADS_MAX = 1024, GRID_YZ_MAX = 65535;
const std::map<int, int> ATTRIBUTES = {
    {1, THREADS_MAX}, {2, 1024}, {3, 1024}, {4, 64},      // threads of a block: all, and along x, y, z
    {5, 2147483647}, {6, GRID_YZ_MAX}, {7, GRID_YZ_MAX},  // blocks of a grid along x, y, z
    {8, 49152}, {97, SHARED_BYTES_MAX},                   // shared memory of a block: without and with asking
    {10, 32}, {12, 65536}, {13, 1785000}, {16, 132},      // warp, registers, kHz, multiprocessors
    {75, 9}, {76, 0}, {115, 1},                           // compute capability; memory pools
};

struct Module {
    std::string image;
    void* library;  // of kernels for the processor; none for PTX
};

struct Function {
    std::string name;
    Kernel kernel;
};

std::mutex lock;
std::map<Pointer, size_t> allocations;
size_t bytes_used = 0, bytes_most = 0;
long modules = 0, launches = 0;

double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void write_log(const char* format, ...) {
    const char* path = getenv("STAND_IN_LOG");
    FILE* file = path ? fopen(path, "a") : nullptr;
    if (!file) return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fclose(file);
}

int allocate(Pointer* place, size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return OUT_OF_MEMORY;
    if (hostile()) memset(memory, NO_NUMBER, bytes);
    std::lock_guard guard(lock);
    *place = reinterpret_cast<Pointer>(memory);
    allocations[*place] = bytes;
    bytes_used += bytes;
    bytes_most = std::max(bytes_most, bytes_used);
    return OK;
}

int release(Pointer place) {
    std::lock_guard guard(lock);
    auto found = allocations.find(place);
    if (found == allocations.end()) return INVALID_VALUE;
    bytes_used -= found->second;
    munmap(reinterpret_cast<void*>(place), found->second);
    allocations.erase(found);
    return OK;
}

// What a stream is given while it is captured, to be done at each launch of the graph.
using Graph = std::vector<std::function<int()>>;
std::map<void*, Graph*> captures;

// Records work if the stream is captured; otherwise does it.
int on_stream(void* stream, std::function<int()> work) {
    auto found = captures.find(stream);
    if (found == captures.end()) return work();
    found->second->push_back(std::move(work));
    return OK;
}

struct Report {
    ~Report() { write_log("end %d: %ld modules, %ld launches, %zu MB at most\n", getpid(), modules, launches, bytes_most >> 20); }
} report;

}  // namespace

// Device and context.
API int cuInit(unsigned) { return OK; }
API int cuDriverGetVersion(int* version) { *version = 13000; return OK; }
API int cuDeviceGetCount(int* count) { *count = 1; return OK; }
API int cuDeviceGet(int* device, int index) { *device = index; return index == 0 ? OK : INVALID_DEVICE; }
API int cuDeviceGetName(char* name, int bytes, int) { snprintf(name, bytes, "stand-in for an H200"); return OK; }
API int cuDeviceGetPCIBusId(char* id, int bytes, int) { snprintf(id, bytes, "0000:01:00.0"); return OK; }
API int cuDeviceGetUuid_v2(char* id, int) { memset(id, 7, 16); return OK; }
API int cuDeviceTotalMem_v2(size_t* bytes, int) { *bytes = MEMORY_BYTES; return OK; }
API int cuMemGetInfo_v2(size_t* left, size_t* all) {
    std::lock_guard guard(lock);
    *all = MEMORY_BYTES;
    *left = MEMORY_BYTES - bytes_used;
    return OK;
}
API int cuDeviceCanAccessPeer(int* can, int, int) { *can = 0; return OK; }
API int cuDeviceGetAttribute(int* value, int attribute, int) {
    auto found = ATTRIBUTES.find(attribute);
    *value = found == ATTRIBUTES.end() ? 1 : found->second;
    return OK;
}
API int cuDevicePrimaryCtxRetain(void** context, int) { *context = &lock; return OK; }
API int cuDevicePrimaryCtxRelease_v2(int) { return OK; }
API int cuCtxSetCurrent(void*) { return OK; }
API int cuCtxGetCurrent(void** context) { *context = &lock; return OK; }
API int cuCtxSynchronize() { return OK; }
API int cuCtxGetStreamPriorityRange(int* least, int* most) { *least = 0; *most = -5; return OK; }
API int cuGetErrorName(int, const char** text) { *text = "ERROR"; return OK; }
API int cuGetErrorString(int, const char** text) { *text = "refused by the stand-in"; return OK; }

// Streams and events: everything is done at once, so an event is the time when it was recorded.
API int cuStreamCreate(void** stream, unsigned) { *stream = malloc(1); return OK; }
API int cuStreamCreateWithPriority(void** stream, unsigned, int) { *stream = malloc(1); return OK; }
API int cuStreamDestroy_v2(void* stream) { free(stream); return OK; }
API int cuStreamSynchronize(void* stream) { return captures.count(stream) ? CAPTURE_UNSUPPORTED : OK; }
API int cuStreamWaitEvent(void*, void*, unsigned) { return OK; }
API int cuEventCreate(void** event, unsigned) { *event = new double(0); return OK; }
API int cuEventRecord(void* event, void*) { *static_cast<double*>(event) = seconds(); return OK; }
API int cuEventSynchronize(void*) { return OK; }
API int cuEventQuery(void*) { return OK; }
API int cuEventDestroy_v2(void* event) { delete static_cast<double*>(event); return OK; }
API int cuEventElapsedTime_v2(float* ms, void* from, void* to) {
    *ms = static_cast<float>(1e3 * (*static_cast<double*>(to) - *static_cast<double*>(from)));
    return OK;
}
API int cuEventElapsedTime(float* ms, void* from, void* to) { return cuEventElapsedTime_v2(ms, from, to); }

// Graphs. A stream that is captured records launches and copies; nothing else is allowed meanwhile.
API int cuStreamBeginCapture_v2(void* stream, int) { captures[stream] = new Graph; return OK; }
API int cuStreamEndCapture(void* stream, void** graph) {
    auto found = captures.find(stream);
    if (found == captures.end()) return INVALID_VALUE;
    *graph = found->second;
    captures.erase(found);
    return OK;
}
API int cuGraphInstantiateWithFlags(void** executable, void* graph, unsigned long long) {
    auto* copy = new Graph(*static_cast<Graph*>(graph));
    write_log("graph of %zu\n", copy->size());
    *executable = copy;
    return OK;
}
API int cuGraphDestroy(void* graph) { delete static_cast<Graph*>(graph); return OK; }
API int cuGraphExecDestroy(void* executable) { delete static_cast<Graph*>(executable); return OK; }
API int cuGraphUpload(void*, void*) { return OK; }
API int cuGraphGetNodes(void*, void**, size_t* count) { *count = 0; return OK; }
API int cuGraphLaunch(void* executable, void*) {
    for (auto& work : *static_cast<Graph*>(executable)) {
        if (int status = work()) return status;
    }
    return OK;
}

// Memory.
API int cuMemAlloc_v2(Pointer* place, size_t bytes) { return captures.empty() ? allocate(place, bytes) : CAPTURE_UNSUPPORTED; }
API int cuMemAllocAsync(Pointer* place, size_t bytes, void*) { return cuMemAlloc_v2(place, bytes); }
API int cuMemFree_v2(Pointer place) { return release(place); }
API int cuMemFreeAsync(Pointer place, void*) { return release(place); }
API int cuMemAllocHost_v2(void** place, size_t bytes) { return posix_memalign(place, 4096, bytes) ? OUT_OF_MEMORY : OK; }
API int cuMemHostAlloc(void** place, size_t bytes, unsigned) { return cuMemAllocHost_v2(place, bytes); }
API int cuMemsetD8Async(Pointer to, unsigned char value, size_t bytes, void* stream) {
    return on_stream(stream, [=] { return memset(reinterpret_cast<void*>(to), value, bytes), OK; });
}
API int cuMemFreeHost(void* place) { free(place); return OK; }
API int cuMemcpyHtoDAsync_v2(Pointer to, const void* from, size_t bytes, void* stream) {
    return on_stream(stream, [=] { return memcpy(reinterpret_cast<void*>(to), from, bytes), OK; });
}
API int cuMemcpyDtoHAsync_v2(void* to, Pointer from, size_t bytes, void* stream) {
    return on_stream(stream, [=] { return memcpy(to, reinterpret_cast<void*>(from), bytes), OK; });
}
API int cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, size_t bytes, void* stream) {
    return on_stream(stream, [=] { return memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes), OK; });
}
struct Copy2D {  // CUDA_MEMCPY2D
    struct Side { size_t x, y; int kind; const void* host; Pointer device; void* array; size_t pitch; } from, to;
    size_t width, height;
};
API int cuMemcpy2DAsync_v2(const Copy2D* copy, void*) {
    auto place = [](const Copy2D::Side& side) {
        return side.kind == 1 ? const_cast<char*>(static_cast<const char*>(side.host)) : reinterpret_cast<char*>(side.device);
    };
    for (size_t row = 0; row < copy->height; row++) {
        memcpy(place(copy->to) + row * copy->to.pitch, place(copy->from) + row * copy->from.pitch, copy->width);
    }
    return OK;
}

// Kernels.
API int cuModuleLoadData(void** module, const void* image) {
    auto* loaded = new Module{static_cast<const char*>(image), nullptr};
    if (loaded->image.rfind(LIBRARY_MARK, 0) == 0) {
        loaded->library = dlopen(loaded->image.c_str() + strlen(LIBRARY_MARK), RTLD_NOW | RTLD_LOCAL);
        if (!loaded->library) return write_log("%s\n", dlerror()), NO_SUCH_KERNEL;
    }
    std::lock_guard guard(lock);
    modules++;
    *module = loaded;
    return OK;
}
API int cuModuleUnload(void*) { return OK; }
API int cuModuleGetFunction(void** function, void* module, const char* name) {
    void* library = static_cast<Module*>(module)->library;
    auto* found = new Function{name, {}};
    if (library) {
        found->kernel.run = reinterpret_cast<void (*)(void**)>(dlsym(library, "stand_in_run"));
        found->kernel.parameter_bytes = reinterpret_cast<const size_t* (*)()>(dlsym(library, "stand_in_bytes"));
        found->kernel.waits = dlsym(library, "stand_in_waits") != nullptr;
    }
    write_log("kernel %s\n", name);
    *function = found;
    return OK;
}
API int cuFuncSetAttribute(void*, int, int value) { return value > int(SHARED_BYTES_MAX) ? INVALID_VALUE : OK; }
API int cuLaunchKernel(void* kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                       unsigned shared_bytes, void* stream, void** parameters, void**) {
    auto* function = static_cast<Function*>(kernel);
    if (!gx || !gy || !gz || gy > GRID_YZ_MAX || gz > GRID_YZ_MAX || bx * by * bz > THREADS_MAX || shared_bytes > SHARED_BYTES_MAX) {
        write_log("refused %s: grid %u %u %u, block %u %u %u, %u bytes shared\n", function->name.c_str(), gx, gy, gz, bx, by, bz, shared_bytes);
        return INVALID_VALUE;
    }
    static const bool logs_launches = getenv("STAND_IN_LAUNCHES");
    if (logs_launches) write_log("launch %s %u %u %u %u\n", function->name.c_str(), gx, gy, gz, bx * by * bz);
    std::lock_guard guard(lock);
    launches++;
    const Kernel& kernel_of = function->kernel;
    if (!kernel_of.run) return OK;
    if (!captures.count(stream)) return run_grid(kernel_of, {gx, gy, gz}, {bx, by, bz}, shared_bytes, parameters), OK;
    // A graph keeps parameters as they are now.
    std::vector<std::string> kept;
    const size_t* bytes = kernel_of.parameter_bytes();
    for (size_t i = 0; bytes[i]; i++) kept.emplace_back(static_cast<const char*>(parameters[i]), bytes[i]);
    return on_stream(stream, [=]() mutable {
        std::vector<void*> places;
        for (auto& parameter : kept) places.push_back(parameter.data());
        return run_grid(kernel_of, {gx, gy, gz}, {bx, by, bz}, shared_bytes, places.data()), OK;
    });
}
