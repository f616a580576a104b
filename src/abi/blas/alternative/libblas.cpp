// Only a name: libblas.so.3, which needs libcarat_blas.so.0. update-alternatives cannot point at
// the latter: ldconfig goes by the soname, and would make a libcarat_blas.so.0 of any BLAS that is
// chosen later.
