// What the shared library offers to programs; everything else in it is hidden.
#pragma once

#define CARAT_API __attribute__((visibility("default")))
