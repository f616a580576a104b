// The library that the loader is not to find.
extern "C" int carat_test_needed() {
    return 1;
}
