#include "abi/blas/level3/handler.hpp"

#include <dlfcn.h>
#include <link.h>
#include <string>
#include <unwind.h>

#include "abi/blas/level3/loaded.hpp"

namespace carat::blas {

namespace {

struct wanted {
    const char* name;
    const char* product;
};

// Searches like the loader: in that library and in those it is linked with.
void* handler_in(void* library, const wanted& w) {
    void* const found = dlsym(library, w.name);
    Dl_info of_found{};
    Dl_info of_blas{};
    ElfW(Sym)* symbol = nullptr;
    if (found == nullptr ||
        dladdr1(found, &of_found, reinterpret_cast<void**>(&symbol), RTLD_DL_SYMENT) == 0)
        return nullptr;
    if (symbol != nullptr && ELF64_ST_BIND(symbol->st_info) == STB_WEAK) return nullptr;
    void* const blas = dlsym(library, w.product);
    if (blas != nullptr && dladdr(blas, &of_blas) != 0 && of_blas.dli_fbase == of_found.dli_fbase)
        return nullptr;
    return found;
}

struct stack_search {
    wanted w;
    const link_map* last = nullptr;  // most frames are of the same library as the one below
    void* found = nullptr;
};

_Unwind_Reason_Code look_in_caller(_Unwind_Context* frame, void* state) {
    auto& search = *static_cast<stack_search*>(state);
    Dl_info of_code{};
    link_map* library = nullptr;
    if (dladdr1(reinterpret_cast<void*>(_Unwind_GetIP(frame)), &of_code,
                reinterpret_cast<void**>(&library), RTLD_DL_LINKMAP) == 0 ||
        library == nullptr || library == search.last)
        return _URC_NO_REASON;
    search.last = library;
    if (void* const handle = handle_of(library->l_name))
        search.found = handler_in(handle, search.w);
    return search.found == nullptr ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

void* handler_on_stack(const wanted& w) {
    stack_search search{w};
    _Unwind_Backtrace(look_in_caller, &search);
    return search.found;
}

void* handler_beside_blas(const wanted& w) {
    for (const std::string& file : loaded_files()) {
        void* const library = handle_of(file);
        if (library == nullptr || dlsym(library, w.product) == nullptr) continue;
        if (void* const found = handler_in(library, w)) return found;
    }
    return nullptr;
}

}  // namespace

void* handler_of_program(const char* name, const char* product) {
    const wanted w{name, product};
    if (void* const next = handler_in(RTLD_NEXT, w)) return next;
    if (void* const callers = handler_on_stack(w)) return callers;
    return handler_beside_blas(w);
}

}  // namespace carat::blas
