#ifndef CPQ_SHIM_H
#define CPQ_SHIM_H

// Debian keeps libpq's headers in a folder of their own, which only pkg-config tells; where that is not installed they
// are found all the same.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#error "The headers of libpq, PostgreSQL's client library, are missing: apt-get install libpq-dev (or make system)"
#endif

#endif
