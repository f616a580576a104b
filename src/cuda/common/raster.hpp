// What hosts know of the raster of tiles (raster.cuh).
#pragma once

namespace carat::cuda {

inline constexpr int raster_rows = 8;  // of tiles, in a band

}  // namespace carat::cuda
