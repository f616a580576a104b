/* A plugin of QEMU's user mode that prints how many instructions a program has executed. What it
   needs of the plugin interface, version 1, is declared here, since packages leave its header out.
   scripts/count_instructions.py compiles it for the machine it runs on. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

typedef uint64_t plugin_id;
struct plugin_tb;

extern void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct plugin_tb*));
extern size_t qemu_plugin_tb_n_insns(const struct plugin_tb*);
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct plugin_tb*, int, void*, uint64_t);
extern void qemu_plugin_register_atexit_cb(plugin_id, void (*)(plugin_id, void*), void*);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

static uint64_t executed;

/* Inline additions are not atomic: only programs of one thread are counted rightly. */
static void translated(plugin_id id, struct plugin_tb* block) {
    enum { add = 0 };
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(block, add, &executed, qemu_plugin_tb_n_insns(block));
}

static void ended(plugin_id id, void* unused) {
    (void)id;
    (void)unused;
    fprintf(stderr, "instructions: %" PRIu64 "\n", executed);
}

__attribute__((visibility("default"))) int qemu_plugin_install(plugin_id id, const void* about, int count,
                                                               char** arguments) {
    (void)about;
    (void)count;
    (void)arguments;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
