import Foundation

/// A document whose samples occur word for word in a source file of this target.
struct Page {
    let document: String
    let source: String

    /// The Swift blocks of the document that the source does not contain.
    ///
    /// The comparison ignores how many blanks separate two words. Blocks that are marked as
    /// examples are left out: they are files of programs that `scripts/examples` runs.
    func strangers() throws -> [String] {
        let source = Self.squeezed(try String(contentsOfFile: source, encoding: .utf8))
        return try blocks().filter { !source.contains(Self.squeezed($0)) }
    }

    private func blocks() throws -> [String] {
        let lines = try String(contentsOfFile: document, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        var blocks: [String] = []
        var block: [Substring]?
        for (number, line) in lines.enumerated() {
            let isMarked = number > 0 && lines[number - 1].hasPrefix("<!-- example:")
            if line == "```swift", !isMarked {
                block = []
            } else if line == "```", let lines = block {
                blocks.append(lines.joined(separator: "\n"))
                block = nil
            } else {
                block?.append(line)
            }
        }
        return blocks
    }

    private static func squeezed(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.split(separator: " ").joined(separator: " ") }.joined(separator: "\n")
    }
}

/// Runs a sample in a new, empty folder, which becomes the current folder.
func inFolder(_ name: String, _ body: () async throws -> Void) async throws {
    let files = FileManager.default
    let former = files.currentDirectoryPath
    let folder = files.temporaryDirectory.appending(path: UUID().uuidString)
    try files.createDirectory(at: folder, withIntermediateDirectories: false)
    defer {
        _ = files.changeCurrentDirectoryPath(former)
        try? files.removeItem(at: folder)
    }
    guard files.changeCurrentDirectoryPath(folder.path) else { throw CocoaError(.fileNoSuchFile) }
    do { try await body() } catch {
        print("pages: the sample \(name) failed")
        throw error
    }
}
