/// Which file systems are refused: those whose locks or shared mappings are not what this machine's
/// are.
enum FileSystemCheck {
    /// By the number that `statfs` gives (statfs(2)).
    private static let refused: [UInt64: String] = [
        0x6969: "NFS", 0x517B: "SMB", 0xFF53_4D42: "CIFS", 0xFE53_4D42: "SMB2",
        0x0102_1997: "9P", 0x6573_5546: "FUSE", 0x5346_414F: "AFS", 0x00C3_6400: "Ceph",
        0x0BD0_0BD3: "Lustre", 0x7461_636F: "OCFS2", 0x0116_1970: "GFS2",
    ]

    static func check(_ file: any StorageFile) throws(BullaError) {
        guard let name = refused[file.fileSystemKind & 0xFFFF_FFFF] else { return }
        throw BullaError(
            .unsupportedFileSystem,
            "open \(file.path): it lies on \(name), whose locks and mappings cannot carry a store")
    }
}
