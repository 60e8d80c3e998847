/// Refuses file systems whose locks or mappings cannot carry a store.
///
/// Some are shared by several machines, or by a machine and its guests, so that two kernels hold
/// locks and memory of one file. In others, locks and mappings are implemented by a process, not by
/// the kernel.
///
/// If a shared file system is missing from this list, two machines can open a store at once, each
/// believing that it is alone. File systems of a single machine are not listed, whatever they lack
/// (FAT and exFAT have no links, so making a store on them fails with an error).
///
///     where the number comes from          name
///     linux/magic.h                        NFS to FUSE in the table below
///     linux/gfs2_ondisk.h                  GFS2
///     fs/orangefs/protocol.h               OrangeFS, and PVFS2 before it
///     fs/vboxsf/super.c                    VirtualBox shared folders
///     lustre_user.h (LL_SUPER_MAGIC)       Lustre; 0x0BD00BD3 is the magic of its wire messages
///     client_module, FhgfsOpsSuper.h       BeeGFS
///     hgfsDevLinux.h of open-vm-tools      VMware shared folders
///     scoutfs, format.h                    ScoutFS
///     romio, adio.h                        PanFS
///     src/stat.c of GNU coreutils          GPFS, ACFS, Ibrix, Parallels, StorNext, VxFS
///     wekafs, as findmnt and statfs say    WekaFS
///
/// GlusterFS, SSHFS, s3fs, JuiceFS, DAOS and virtiofs are mounted through FUSE, and `statfs` gives
/// FUSE's number for them.
enum FileSystemCheck {
    /// The names of refused file systems, by the number that `statfs` gives (statfs(2)).
    private static let refused: [UInt64: String] = [
        0x6969: "NFS", 0x517B: "SMB", 0xFF53_4D42: "CIFS", 0xFE53_4D42: "SMB2", 0x564C: "NCP",
        0x0102_1997: "9P", 0x5346_414F: "AFS", 0x6B41_4653: "AFS (kAFS)", 0x7375_7245: "Coda",
        0x00C3_6400: "Ceph", 0x7461_636F: "OCFS2", 0x00C0_FFEE: "hostfs", 0x6573_5546: "FUSE",
        0x0116_1970: "GFS2", 0x2003_0528: "OrangeFS", 0x786F_4256: "a VirtualBox shared folder",
        0x0BD0_0BD0: "Lustre", 0x1983_0326: "BeeGFS", 0xBACB_ACBC: "a VMware shared folder",
        0x554F_4353: "ScoutFS", 0xAAD7_AAEA: "PanFS", 0x4750_4653: "GPFS (Storage Scale)",
        0x6163_6673: "ACFS", 0x0131_11A8: "Ibrix", 0x7C7C_6673: "a Parallels shared folder",
        0xBEEF_DEAD: "StorNext", 0xA501_FCF5: "VxFS", 0x1803_1977: "WekaFS",
    ]

    static func check(_ file: any StorageFile) throws(BullaError) {
        guard let name = refused[file.fileSystemKind & 0xFFFF_FFFF] else { return }
        throw BullaError(
            .unsupportedFileSystem,
            "open \(file.path): it lies on \(name), whose locks and mappings cannot carry a store; "
                + "put it on a disk of this machine")
    }
}
