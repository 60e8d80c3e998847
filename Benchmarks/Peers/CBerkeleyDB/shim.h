/* Berkeley DB as the system has it, for comparison. */
#ifndef BULLA_CBERKELEYDB_SHIM_H
#define BULLA_CBERKELEYDB_SHIM_H

#include <db.h>

#endif
