/* Memory that the workers of one program share through a descriptor. */
#define _GNU_SOURCE
#include "CBullaShared.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

static const int needed_seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

int bulla_pool_make(uint64_t byte_count) {
    const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int descriptor = memfd_create("bulla-pages", flags | MFD_NOEXEC_SEAL);
    /* Kernels before 6.3 do not know the flag. */
    if (descriptor < 0 && errno == EINVAL) { descriptor = memfd_create("bulla-pages", flags); }
    if (descriptor < 0) { return -errno; }
    if (ftruncate(descriptor, (off_t)byte_count) != 0 ||
        fcntl(descriptor, F_ADD_SEALS, needed_seals) != 0) {
        int reason = errno;
        close(descriptor);
        return -reason;
    }
    return descriptor;
}

int bulla_pool_open(int descriptor, uint64_t *byte_count) {
    int seals = fcntl(descriptor, F_GET_SEALS);
    if (seals < 0) { return errno == EBADF ? -EBADF : -EINVAL; }
    if ((seals & needed_seals) != needed_seals || (seals & F_SEAL_WRITE) != 0) { return -EINVAL; }
    struct stat status;
    if (fstat(descriptor, &status) != 0) { return -errno; }
    *byte_count = (uint64_t)status.st_size;
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    int opened = open(path, O_RDWR | O_CLOEXEC);
    return opened < 0 ? -errno : opened;
}

bool bulla_pool_clear(int descriptor, uint64_t byte_count) {
    return fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                     (off_t)byte_count) == 0;
}
