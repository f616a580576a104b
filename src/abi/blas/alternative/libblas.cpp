// Nothing but a name: libblas.so.3, which needs libcarat_blas.so.0. update-alternatives can't point
// at the latter itself: ldconfig goes by the name inside, and would make a libcarat_blas.so.0 of
// whatever BLAS is chosen later.
