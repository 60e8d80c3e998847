/* LMDB as the system has it, for comparison. */
#ifndef BULLA_CLMDB_SHIM_H
#define BULLA_CLMDB_SHIM_H

#include <lmdb.h>

#endif
