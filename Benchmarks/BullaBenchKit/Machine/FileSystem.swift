/// Where a folder lies.
package struct FileSystem: Codable, Sendable {
    package var kind: String
    package var source: String
    package var mountPoint: String
    package var options: String

    /// The mount that holds `directory`, which is an absolute path without links; nil where none is
    /// found.
    package init?(holding directory: String) {
        self.init(holding: directory, mounts: SystemText.contents("/proc/self/mountinfo") ?? "")
    }

    /// - Parameter mounts: as `/proc/self/mountinfo` lists them; see proc_pid_mountinfo(5).
    package init?(holding directory: String, mounts: String) {
        let found = mounts.split(separator: "\n").compactMap { Self($0) }.filter {
            Self.contains($0.mountPoint, directory)
        }
        // The last one of the longest: a later mount hides an earlier one at the same place.
        guard let best = found.reversed().max(by: { $0.mountPoint.count < $1.mountPoint.count })
        else { return nil }
        self = best
    }

    private init?(_ line: Substring) {
        let words = line.split(separator: " ").map(String.init)
        guard let dash = words.firstIndex(of: "-"), dash >= 6, words.count > dash + 2 else {
            return nil
        }
        mountPoint = words[4]
        options = words[5]
        kind = words[dash + 1]
        source = words[dash + 2]
    }

    private static func contains(_ mountPoint: String, _ directory: String) -> Bool {
        mountPoint == "/" || directory == mountPoint || directory.hasPrefix(mountPoint + "/")
    }
}
