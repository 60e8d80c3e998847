import Bulla
import BullaMemory
import BullaTestSupport

/// The changes of one commit: a few records.
struct LogContent: Hashable {
    var values: [[UInt8]]

    /// In half of the cases the commit's number determines the content, so a process that repeats a
    /// commit that a crash undid writes the same content.
    static func drawn(_ commit: UInt64, _ random: inout TestRandom) -> LogContent {
        var source = random.isOne(in: 2) ? TestRandom(seed: commit) : random
        let count = 1 + source.below(3)
        let longest = source.pick([40, 300, 1500])
        defer { _ = random.next() }
        let values = (0..<count).map { _ in source.uniqueBytes(source.below(longest)) }
        return LogContent(values: values)
    }

    func write(_ draft: inout LogDraft) throws {
        draft.removeAll()
        for (index, value) in values.enumerated() {
            try [UInt8(index)].withView { key in
                try value.withView { try draft.append(.put(tree: 7, key: key, value: $0)) }
            }
        }
    }

    init(values: [[UInt8]]) { self.values = values }

    /// The content of a commit in the log.
    init(_ commit: LogCommit) throws {
        values = []
        for frame in commit.frames {
            var operations = frame.operations(PageFormat(pageByteCount: 4096))
            while let operation = try operations.next() {
                guard case .put(7, _, let value) = operation else {
                    throw Finding("an operation that nobody wrote")
                }
                values.append(value.copied())
            }
        }
    }
}

/// Collects commits and their content.
final class LogCollector: LogSink {
    private(set) var commits: [UInt64: LogContent] = [:]
    private(set) var roots: [UInt64] = []
    private(set) var beginCount = 0
    private var rooms: [ScratchBuffer] = []
    private(set) var failure: Finding?
    /// Whether the next commit, or the next new beginning, is refused.
    var isRefusing = false

    func room(_ byteCount: Int, part: Int) throws(BullaError) -> MutableByteView {
        let room = try Buffer.make(byteCount)
        rooms.append(room)
        return room.bytes.slice(0, byteCount)
    }

    private func refuse() throws(BullaError) {
        guard isRefusing else { return }
        isRefusing = false
        throw BullaError(.outOfMemory, "take a commit")
    }

    func begin(at position: LogPosition) throws(BullaError) {
        try refuse()
        commits = [:]
        beginCount += 1
    }

    func take(_ commit: LogCommit) throws(BullaError) {
        defer { rooms = [] }
        try refuse()
        guard !commit.isRoot else { return roots.append(commit.commit) }
        do { commits[commit.commit] = try LogContent(commit) } catch {
            failure = error as? Finding ?? Finding("\(error)")
        }
    }
}
