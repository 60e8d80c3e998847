import Bulla
import BullaTestSupport

/// A report of a follower, as a value.
enum Told: Equatable {
    case commit(UInt64, [String])
    case gap(UInt64, UInt64)

    init(_ event: StoreChanges.Event) {
        self =
            switch event {
            case .commit(let changes): .commit(changes.commit, changes.map(\.text))
            case .gap(let after, let upTo): .gap(after, upTo)
            }
    }

    /// The last commit that the report covers.
    var commit: UInt64 {
        switch self {
        case .commit(let commit, _), .gap(_, let commit): commit
        }
    }

    var isGap: Bool { if case .gap = self { true } else { false } }
}

extension StoreChanges {
    /// All reports that are available without waiting.
    func told() throws -> [Told] {
        var told: [Told] = []
        while let event = try next() { told.append(Told(event)) }
        return told
    }
}

extension CommittedBytes {
    var copy: [UInt8] { withBytes { [UInt8](copying: $0) } }
    var text: String { withBytes { String(decoding: $0) } }
}

extension CommittedOperation {
    /// The operation as a line.
    var text: String {
        switch self {
        case .put(let tree, let key, let value): "\(tree) \(key.text)=\(value.text)"
        case .delete(let tree, let key): "\(tree) -\(key.text)"
        case .createTree(let tree, let name): "create \(tree) \(name.text)"
        case .dropTree(let tree, let name): "drop \(tree) \(name.text)"
        case .renameTree(let tree, let name, let newName):
            "rename \(tree) \(name.text) \(newName.text)"
        }
    }
}

extension Store {
    /// Puts texts into a tree, in a commit of their own.
    ///
    /// - Returns: the number of the commit.
    @discardableResult
    func commit(
        _ entries: [String: String] = ["key": "value"], in name: String = "t",
        _ durability: Durability = .full
    ) throws -> UInt64 {
        var change = try beginWrite(durability: durability)
        let tree = try change.openOrCreateTree(named: name)
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            try change.put(value, forKey: key, in: tree)
        }
        return try change.commit()
    }
}
