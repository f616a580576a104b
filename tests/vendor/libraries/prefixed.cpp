// A library whose names all have a prefix, as SciPy's build of OpenBLAS.
extern "C" int scipy_answer() {
    return 42;
}
