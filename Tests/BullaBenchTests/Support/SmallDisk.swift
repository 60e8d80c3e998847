import BullaBenchKit

/// A small file system in memory that only one run sees.
struct SmallDisk {
    let byteCount: Int

    /// Whether this user may mount such a file system.
    static let isAllowed: Bool = {
        let words = ["--mount", "mount", "-t", "tmpfs", "none", "/mnt"]
        guard let (child, _) = try? Child.start("unshare", words) else { return false }
        return child.wait() == .exited(0)
    }()

    /// A launcher that mounts the disk in the place of `folder`, runs a command, and names what it
    /// leaves there.
    func launcher(folder: String) -> [String] {
        let script = """
            mount -t tmpfs -o size=\(byteCount) none "$0" || exit 1
            "$@"
            status=$?
            for name in $(ls -A "$0"); do echo "left behind: $name"; status=1; done
            exit $status
            """
        return ["unshare", "--mount", "sh", "-c", script, folder]
    }
}
