#define _GNU_SOURCE
#include "CBullaShared.h"

#include <endian.h>
#include <errno.h>
#include <linux/keyctl.h>
#include <linux/magic.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

_Static_assert(BULLA_KEYRING_THREAD == KEY_SPEC_THREAD_KEYRING, "as keyctl.h has it");
_Static_assert(BULLA_KEYRING_SESSION == KEY_SPEC_SESSION_KEYRING, "as keyctl.h has it");
_Static_assert(BULLA_KEYRING_USER == KEY_SPEC_USER_KEYRING, "as keyctl.h has it");

/* A type of key whose bytes a program can read back: keyrings(7). */
static const char kind[] = "user";

static int64_t told(long result) {
    return result < 0 ? -(int64_t)errno : result;
}

int64_t bulla_key_put(int32_t keyring, const char *description, const void *bytes,
                      size_t byte_count) {
    return told(syscall(SYS_add_key, kind, description, bytes, byte_count, keyring));
}

int64_t bulla_key_find(int32_t keyring, const char *description) {
    return told(syscall(SYS_keyctl, KEYCTL_SEARCH, keyring, kind, description, 0));
}

int64_t bulla_key_read(int32_t key, void *out, size_t room) {
    return told(syscall(SYS_keyctl, KEYCTL_READ, key, out, room, 0));
}

int64_t bulla_key_set_timeout(int32_t key, uint32_t seconds) {
    return told(syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key, seconds, 0, 0));
}

int64_t bulla_key_link(int32_t key, int32_t keyring) {
    return told(syscall(SYS_keyctl, KEYCTL_LINK, key, keyring, 0, 0));
}

int64_t bulla_key_unlink(int32_t key, int32_t keyring) {
    return told(syscall(SYS_keyctl, KEYCTL_UNLINK, key, keyring, 0, 0));
}

int64_t bulla_keyring_persistent(int32_t into) {
    return told(syscall(SYS_keyctl, KEYCTL_GET_PERSISTENT, (uid_t)-1, into, 0, 0));
}

/* Whether an entry gives rights to the owner or `user` alone. A mask can only take rights away. */
static bool is_of(const struct posix_acl_xattr_entry *entry, uint32_t user) {
    switch (le16toh(entry->e_tag)) {
    case ACL_USER_OBJ:
    case ACL_MASK:
        return true;
    case ACL_USER:
        return le32toh(entry->e_id) == user || le16toh(entry->e_perm) == 0;
    default:
        return le16toh(entry->e_perm) == 0;
    }
}

int bulla_access_list_is_of(int descriptor, uint32_t user) {
    /* Room for 32 entries. A longer list is taken to give others rights. */
    struct {
        struct posix_acl_xattr_header header;
        struct posix_acl_xattr_entry entries[32];
    } list;
    ssize_t length = fgetxattr(descriptor, "system.posix_acl_access", &list, sizeof list);
    if (length < 0) {
        return errno == ENODATA || errno == EOPNOTSUPP || errno == ERANGE ? 0 : -errno;
    }
    if ((size_t)length < sizeof list.header) { return 0; }
    if (le32toh(list.header.a_version) != POSIX_ACL_XATTR_VERSION) { return 0; }
    size_t count = ((size_t)length - sizeof list.header) / sizeof list.entries[0];
    for (size_t i = 0; i < count; i++) {
        if (!is_of(&list.entries[i], user)) { return 0; }
    }
    return count > 0;
}

bool bulla_is_unnamed_pipe(int descriptor) {
    struct statfs about;
    return fstatfs(descriptor, &about) == 0 && about.f_type == PIPEFS_MAGIC;
}
