internal import BullaMemory

/// What a record keeps of a share that it has left: the share, and the change by which it left.
///
/// The share belongs to a single record and those below it, never to the whole zone. A participant
/// whose change token is older than that change is told that the record was deleted. A participant
/// with a newer token is told nothing, whatever becomes of the record outside the share.
package struct ShareTrace: Hashable, Sendable {
    package let share: RandomIdentifier
    /// The number of the zone's change by which the record left; ``isDeletion`` if it left by being
    /// deleted.
    package let change: UInt64
    /// The type that the record had in the share; `nil` if it has the same type now.
    ///
    /// The two differ if the record was deleted, and a record of another type was then created
    /// under its name.
    package let type: String?

    package init(_ share: RandomIdentifier, change: UInt64, type: String? = nil) {
        (self.share, self.change, self.type) = (share, change, type)
    }

    package static let isDeletion = UInt64.max
}

/// What a backend keeps of a deleted record, as a text: its type, and the shares that it was in.
///
///     type, then for each trace: a space, 32 hexadecimal digits, a colon, a decimal number, and,
///     if the trace has a type of its own, a colon and that type
///
/// No type has a space or a colon in its name.
package struct DeletionTrace: Hashable, Sendable {
    package let type: String
    package let traces: [ShareTrace]

    package init(_ type: String, _ traces: [ShareTrace]) {
        (self.type, self.traces) = (type, traces)
    }

    package var text: String {
        traces.reduce(type) { text, trace in
            let type = trace.type.map { ":\($0)" } ?? ""
            return "\(text) \(trace.share.text):\(trace.change)\(type)"
        }
    }

    /// Parses a text, and leaves out malformed traces.
    ///
    /// Refusing the text would protect nothing: the backend keeps it, and can drop traces itself.
    package init(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        type = words.first.map(String.init) ?? ""
        traces = words.dropFirst().compactMap { word in
            let parts = word.split(separator: ":")
            guard (2...3).contains(parts.count),
                let share = RandomIdentifier(text: String(parts[0])), let change = UInt64(parts[1])
            else { return nil }
            let type = parts.count == 3 ? String(parts[2]) : nil
            return ShareTrace(share, change: change, type: type)
        }
    }
}

extension SealedRecord {
    /// What a backend keeps of the record when it is deleted.
    package var deletion: DeletionTrace {
        let own = share.map { [ShareTrace($0, change: ShareTrace.isDeletion)] } ?? []
        return DeletionTrace(type, own + traces)
    }
}

extension ByteCursor {
    /// Reads one or more traces; `nil` if the bytes are not such traces.
    mutating func nextTraces() -> [ShareTrace]? {
        guard let count = next(UInt32.self), count > 0 else { return nil }
        var traces: [ShareTrace] = []
        for _ in 0..<count {
            guard let share = nextIdentifier(), let change = next(UInt64.self),
                let type = nextText()
            else { return nil }
            traces.append(ShareTrace(share, change: change, type: type.isEmpty ? nil : type))
        }
        return traces
    }
}

extension [UInt8] {
    mutating func append(_ traces: [ShareTrace]) {
        append(number: UInt32(traces.count))
        for trace in traces {
            self += trace.share.bytes
            append(number: trace.change)
            append(text: trace.type ?? "")
        }
    }
}
