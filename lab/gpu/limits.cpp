#include "lab/gpu/limits.hpp"

#include "cuda/common/device.hpp"
#include "lab/gpu/nvml.hpp"
#include "lab/gpu/peaks/identity.hpp"
#include "lab/gpu/peaks/peaks.hpp"
#include "lab/gpu/rates.hpp"
#include "lab/machine/cache_file.hpp"

namespace carat::gpu {

namespace {

machine::owner owner_of(int device, const cuda::device_facts& facts) {
    return {{{"gpu", uuid(device)},
             {"name", facts.name},
             {"driver", monitor(facts.pci_bus_id).driver_version()},
             {"cuda_driver", facts.driver_version},
             {"cuda_runtime", facts.runtime_version},
             {"code", compiled_for()}},
            [device](const machine::peaks& limits) { return complete(limits, device); }};
}

}  // namespace

known_gpu know(int device, const machine::measure_options& options,
               const machine::cache_options& kept) {
    const cuda::device_facts facts = cuda::describe(device);
    const auto measure = [&] { return measure_peaks(device, options); };
    known_gpu known{device, static_cast<std::int64_t>(facts.l2_bytes),
                    machine::load_or_measure(owner_of(device, facts), measure, options, kept)};
    if (known.limits.age_s == 0) keep_rates(facts.name, rates_of(known.limits));
    return known;
}

machine::peaks refresh(const known_gpu& known, const machine::measure_options& options,
                       const machine::cache_options& kept) {
    const auto measure = [&] { return measure_peaks(known.device, options); };
    return machine::refresh(owner_of(known.device, cuda::describe(known.device)), measure,
                            known.limits, kept);
}

}  // namespace carat::gpu
