#include "lab/vendor/onednn/matmul_library.hpp"

#include <fmt/format.h>

namespace carat::vendor::onednn {

namespace {

template <class Function>
void find(const shared_library& file, Function*& out, const char* symbol) {
    out = file.required<Function>(symbol);
}

void connect_version(const onednn_library& base, matmul_library& m) {
    const shared_library& file = *base.file;
    if (base.major == 2) {
        find(file, m.init_layout, "dnnl_memory_desc_init_by_strides");
        find(file, m.init_matmul, "dnnl_matmul_desc_init");
        find(file, m.describe_2, "dnnl_primitive_desc_create");
        find(file, m.append_sum_2, "dnnl_post_ops_append_sum");
        find(file, m.append_activation_2, "dnnl_post_ops_append_eltwise");
    } else {
        find(file, m.create_layout, "dnnl_memory_desc_create_with_strides");
        find(file, m.destroy_layout, "dnnl_memory_desc_destroy");
        find(file, m.describe_3, "dnnl_matmul_primitive_desc_create");
        find(file, m.append_sum_3, "dnnl_post_ops_append_sum");
        find(file, m.append_activation_3, "dnnl_post_ops_append_eltwise");
    }
}

void connect(const onednn_library& base, matmul_library& m) {
    const shared_library& file = *base.file;
    find(file, m.create_engine, "dnnl_engine_create");
    find(file, m.create_stream, "dnnl_stream_create");
    find(file, m.create_primitive, "dnnl_primitive_create");
    find(file, m.create_memory, "dnnl_memory_create");
    find(file, m.set_data, "dnnl_memory_set_data_handle");
    find(file, m.execute, "dnnl_primitive_execute");
    find(file, m.wait, "dnnl_stream_wait");
    find(file, m.destroy_stream, "dnnl_stream_destroy");
    find(file, m.destroy_primitive, "dnnl_primitive_destroy");
    find(file, m.destroy_description, "dnnl_primitive_desc_destroy");
    find(file, m.destroy_memory, "dnnl_memory_destroy");
    find(file, m.create_attributes, "dnnl_primitive_attr_create");
    find(file, m.destroy_attributes, "dnnl_primitive_attr_destroy");
    find(file, m.create_steps, "dnnl_post_ops_create");
    find(file, m.destroy_steps, "dnnl_post_ops_destroy");
    find(file, m.set_steps, "dnnl_primitive_attr_set_post_ops");
    connect_version(base, m);
    check(m.create_engine(&m.engine, engine_cpu, 0), "dnnl_engine_create");
}

}  // namespace

void check(int status, const char* what) {
    if (status != success) throw rejected(fmt::format("{} failed, status {}", what, status));
}

const matmul_library& matmul() {
    static const matmul_library library = [] {
        matmul_library found{};
        const onednn_library& base = opened();
        found.missing = base.missing;
        if (!found.missing.empty()) return found;
        try {
            connect(base, found);
        } catch (const rejected& why) {
            found.missing = fmt::format("oneDNN {}: {}", base.facts.version, why.what());
        }
        return found;
    }();
    return library;
}

}  // namespace carat::vendor::onednn
