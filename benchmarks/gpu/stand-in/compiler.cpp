// A stand-in for NVIDIA's run-time compiler (libnvrtc.so).
//
// With STAND_IN_FOLDER each kernel is compiled there for the processor, with kernels.hpp in place of CUDA's headers.
// Otherwise NVIDIA's own compiler at STAND_IN_NVRTC makes PTX of it. STAND_IN_LOG names the file that it writes the time of
// each to.
#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "blocks.hpp"

#define API extern "C" __attribute__((visibility("default")))

namespace {

constexpr int OK = 0, COMPILATION_FAILED = 6;

struct Program {
    std::string source, result, messages;
    void* real = nullptr;  // NVIDIA's
};

Program* of(void* program) { return static_cast<Program*>(program); }

template <class F>
F* real(const char* name) {
    static void* library = dlopen(getenv("STAND_IN_NVRTC") ?: "", RTLD_NOW | RTLD_LOCAL);
    void* found = library ? dlsym(library, name) : nullptr;
    if (!found) fprintf(stderr, "no %s in STAND_IN_NVRTC: %s\n", name, dlerror()), abort();
    return reinterpret_cast<F*>(found);
}

std::string replaced(const std::string& text, const char* pattern, const char* with) {
    return std::regex_replace(text, std::regex(pattern), with);
}

// The kernel as C++ for the processor, and a function that calls it with pointers to its parameters.
std::string for_processor(std::string source) {
    source = replaced(source, "typedef [a-z ]+ u?int(8|16|32|64)_t;", "");
    source = replaced(source, "__launch_bounds__\\([0-9]+\\)", "");
    source = replaced(source, "extern __shared__ __align__\\([0-9]+\\) char ([A-Za-z0-9_]+)\\[\\];",
                      "char* $1 = stand_in_shared_memory;");
    source = replaced(source, "asm volatile\\(\"atom\\.relaxed\\.add\\.f32 %0, \\[%1\\], %2;\" : \"=f\"\\(result\\) : "
                              "\"l\"\\((v[0-9]+)\\), \"f\"\\((v[0-9]+)\\) \\);",
                      "result = atomicAdd((float*)$1, $2);");
    // Instructions of matrix units become calls: ("..." : results : operands : memory).
    auto instruction = [&](std::string pattern, const char* with) {
        source = replaced(source, ("asm *(?:volatile)?\\(\"" + pattern + "[^:]*:([^:;]*):([^:;]*)(?::[^;]*)?\\);").c_str(), with);
    };
    instruction("mma\\.sync\\.aligned\\.m16n8k16\\.row\\.col\\.f32\\.(b?f16)\\.b?f16\\.f32", "stand_in_mma_$1($2,$3);");
    instruction("ldmatrix\\.sync\\.aligned\\.m8n8\\.x4\\.shared::cta\\.b16", "stand_in_ldmatrix<false>($1,$2);");
    instruction("ldmatrix\\.sync\\.aligned\\.m8n8\\.x4\\.trans\\.shared::cta\\.b16", "stand_in_ldmatrix<true>($1,$2);");
    source = replaced(source, "\"[=+]?[a-z]\" ?\\(([a-z0-9_.]+)\\)", "$1");
    std::smatch name;
    std::regex_search(source, name, std::regex("__global__ void\\s+([A-Za-z0-9_]+)\\("));
    std::ostringstream text;
    text << "#include \"kernels.hpp\"\n" << source << "\nextern \"C\" void stand_in_run(void** parameters) { stand_in_call(&"
         << name[1] << ", parameters); }\nextern \"C\" const size_t* stand_in_bytes() { return stand_in_parameter_bytes(&" << name[1]
         << "); }\n";
    if (std::regex_search(source, std::regex("__sync|__shfl|_sync\\(|stand_in_(mma|ldmatrix)"))) text << "extern \"C\" void stand_in_waits() {}\n";
    return text.str();
}

int compile_for_processor(Program* program, const std::string& folder) {
    Dl_info here;
    dladdr(reinterpret_cast<void*>(compile_for_processor), &here);
    std::string library = here.dli_fname, at = library.substr(0, library.rfind('/'));
    // Named by what is in it: programs keep these names in place of PTX, beyond this process.
    std::string text = for_processor(program->source);
    std::string name = folder + "/" + std::to_string(std::hash<std::string>()(text)), file = name + "-" + std::to_string(getpid());
    std::ofstream(file + ".cpp") << text;
    std::string command = "g++ -std=c++20 -O2 -w -fpermissive -march=native -ffp-contract=off -shared -fPIC -I" STAND_IN_SOURCES
                          "/include -I" STAND_IN_SOURCES " -o " + file + ".so " + file + ".cpp -L" + at + " -lcuda 2>" + file + ".txt";
    if (system(command.c_str()) != 0) {
        std::ostringstream messages;
        messages << std::ifstream(file + ".txt").rdbuf();
        program->messages = messages.str();
        return COMPILATION_FAILED;
    }
    rename((file + ".so").c_str(), (name + ".so").c_str());
    program->result = LIBRARY_MARK + name + ".so";
    return OK;
}

int compile_to_ptx(Program* program, int count, const char* const* options) {
    using Create = int(void**, const char*, const char*, int, const char* const*, const char* const*);
    real<Create>("nvrtcCreateProgram")(&program->real, program->source.c_str(), nullptr, 0, nullptr, nullptr);
    int status = real<int(void*, int, const char* const*)>("nvrtcCompileProgram")(program->real, count, options);
    auto text = [&](const char* size_of, const char* text_of) {
        size_t bytes = 0;
        real<int(void*, size_t*)>(size_of)(program->real, &bytes);
        std::string found(bytes, 0);
        if (bytes) real<int(void*, char*)>(text_of)(program->real, found.data());
        return std::string(found.c_str());
    };
    program->messages = text("nvrtcGetProgramLogSize", "nvrtcGetProgramLog");
    if (status == OK) program->result = text("nvrtcGetPTXSize", "nvrtcGetPTX");
    if (const char* folder = getenv("STAND_IN_PTX")) {
        std::string name = std::to_string(std::hash<std::string>()(program->source));
        std::ofstream(std::string(folder) + "/" + name + ".cu") << program->source;
        std::ofstream(std::string(folder) + "/" + name + ".ptx") << program->result;
    }
    return status;
}

}  // namespace

API const char* nvrtcGetErrorString(int) { return "the stand-in's compiler failed"; }
API int nvrtcVersion(int* major, int* minor) { *major = 13; *minor = 0; return OK; }
API int nvrtcCreateProgram(void** program, const char* source, const char*, int, const char* const*, const char* const*) {
    *program = new Program{source, "", ""};
    return OK;
}
API int nvrtcDestroyProgram(void** program) {
    if (of(*program)->real) real<int(void**)>("nvrtcDestroyProgram")(&of(*program)->real);
    delete of(*program);
    return OK;
}
API int nvrtcCompileProgram(void* program, int count, const char* const* options) {
    auto start = std::chrono::steady_clock::now();
    const char* folder = getenv("STAND_IN_FOLDER");
    int status = folder ? compile_for_processor(of(program), folder) : compile_to_ptx(of(program), count, options);
    std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (const char* path = getenv("STAND_IN_LOG")) {
        if (FILE* file = fopen(path, "a")) {
            fprintf(file, "compiled in %.3f s: status %d\n", time.count(), status);
            fclose(file);
        }
    }
    return status;
}
API int nvrtcGetPTXSize(void* program, size_t* bytes) { *bytes = of(program)->result.size() + 1; return OK; }
API int nvrtcGetPTX(void* program, char* ptx) { strcpy(ptx, of(program)->result.c_str()); return OK; }
API int nvrtcGetProgramLogSize(void* program, size_t* bytes) { *bytes = of(program)->messages.size() + 1; return OK; }
API int nvrtcGetProgramLog(void* program, char* log) { strcpy(log, of(program)->messages.c_str()); return OK; }
