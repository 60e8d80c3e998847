/* The system's LMDB, for comparison. */
#ifndef BULLA_CLMDB_SHIM_H
#define BULLA_CLMDB_SHIM_H

#include <lmdb.h>

#endif
