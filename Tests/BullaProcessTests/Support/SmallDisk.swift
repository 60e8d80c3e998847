import BullaTestSupport
import Foundation
import Testing

/// A file system of a few megabytes mounted on a test's folder.
final class SmallDisk {
    private let scratch: Scratch
    private var mounts: [Scratch]

    init(_ scratch: Scratch, byteCount: Int) throws {
        self.scratch = scratch
        mounts = [scratch]
        try run(["mount", "-t", "tmpfs", "-o", "size=\(byteCount)", "none", scratch.folder])
    }

    /// Writes a file until nothing more fits.
    func fill(_ name: String) throws {
        try scratch.write([], to: name)
        var (end, count) = (0, 1 << 20)
        while count >= 512 {
            let part = [UInt8](repeating: 1, count: count)
            if (try? scratch.overwrite(name, with: part, at: end)) == nil {
                count /= 2
            } else {
                end += count
            }
        }
    }

    /// Removes a file, and waits until the system counts its space as free again.
    func free(_ name: String) throws {
        try scratch.remove(name)
        for _ in 0..<1000 {
            let facts = try FileManager.default.attributesOfFileSystem(forPath: scratch.folder)
            if (facts[.systemFreeSize] as? NSNumber)?.intValue ?? 0 >= 1 << 20 { return }
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    func remount(_ mode: String) throws {
        try run(["mount", "-o", "remount,\(mode)", scratch.folder])
    }

    /// Mounts an overlay, in which an empty upper layer covers what is there.
    func coverWithLayer() throws {
        let layer = try Scratch()
        try run(["mount", "-t", "tmpfs", "none", layer.folder])
        mounts.append(layer)
        try run(["mkdir", layer.path("upper"), layer.path("work")])
        let places =
            "lowerdir=\(scratch.folder),upperdir=\(layer.path("upper")),"
            + "workdir=\(layer.path("work"))"
        try run(["mount", "-t", "overlay", "-o", places, "none", scratch.folder])
        mounts.append(scratch)
    }

    private func run(_ words: [String]) throws { try #require(try Privilege.run(words) == 0) }

    /// Unmounts the file systems; nothing may be open there any more.
    func remove() throws {
        while let mount = mounts.popLast() {
            _ = try Privilege.run(["umount", "-l", mount.folder])
        }
    }

    deinit { try? remove() }
}
