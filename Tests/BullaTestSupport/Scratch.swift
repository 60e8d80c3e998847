internal import Foundation

/// A folder for one test, removed at its end with everything in it.
package final class Scratch: Sendable {
    package let folder: String

    package init() throws {
        folder =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("bulla-test-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    package func path(_ name: String) -> String { "\(folder)/\(name)" }

    package func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: path(name))
    }

    package func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }

    package func byteCount(_ name: String) throws -> Int {
        let facts = try FileManager.default.attributesOfItem(atPath: path(name))
        return (facts[.size] as? NSNumber)?.intValue ?? 0
    }

    package func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
    }

    package func copy(_ name: String, to copy: String) throws {
        try FileManager.default.copyItem(atPath: path(name), toPath: path(copy))
    }

    /// Replaces another file with this one.
    package func move(_ name: String, to other: String) throws {
        try? remove(other)
        try FileManager.default.moveItem(atPath: path(name), toPath: path(other))
    }

    package func truncate(_ name: String, to byteCount: Int) throws {
        try change(name) { try $0.truncate(atOffset: UInt64(byteCount)) }
    }

    /// Overwrites bytes of an existing file.
    package func overwrite(_ name: String, with bytes: [UInt8], at offset: Int = 0) throws {
        try change(name) {
            try $0.seek(toOffset: UInt64(offset))
            try $0.write(contentsOf: Data(bytes))
        }
    }

    private func change(_ name: String, _ body: (FileHandle) throws -> Void) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path(name)))
        defer { try? file.close() }
        try body(file)
    }

    package func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    package func setMode(_ mode: Int, of name: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
    }

    package func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path(name))
    }
}
