// A library that needs another one.
extern "C" int carat_test_needed();

extern "C" int carat_test_incomplete() {
    return carat_test_needed();
}
