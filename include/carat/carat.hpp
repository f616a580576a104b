// All of carat's C++ interface.
#pragma once

#include <carat/batch.hpp>
#include <carat/epilogue.hpp>
#include <carat/error.hpp>
#include <carat/policy.hpp>
#include <carat/prepare.hpp>
#include <carat/product.hpp>
#include <carat/types.hpp>
#include <carat/views.hpp>
