/* The system's Berkeley DB, for comparison. */
#ifndef BULLA_CBERKELEYDB_SHIM_H
#define BULLA_CBERKELEYDB_SHIM_H

#include <db.h>

#endif
