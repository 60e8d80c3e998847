/* The system's RocksDB, for comparison. */
#ifndef BULLA_CROCKSDB_SHIM_H
#define BULLA_CROCKSDB_SHIM_H

#include <rocksdb/c.h>

#endif
