internal import BullaMemory

/// A share of one record that another record has left, and the change by which it left.
///
/// Participants who follow the zone from before that change are told that the record is gone, and
/// those who follow it from later are told nothing, whatever becomes of the record.
package struct ShareTrace: Hashable, Sendable {
    package let share: RandomIdentifier
    /// The number of the zone's change; ``isDeletion`` for a record that was in the share when it
    /// was deleted.
    package let change: UInt64
    /// The type of the record that was in the share; `nil` for that of the present record.
    package let type: String?

    package init(_ share: RandomIdentifier, change: UInt64, type: String? = nil) {
        (self.share, self.change, self.type) = (share, change, type)
    }

    package static let isDeletion = UInt64.max
}

/// What a backend keeps of a deleted record, as a text: its type, and the shares that it was in.
///
///     type, then for each trace: a space, 32 hexadecimal digits, a colon, a decimal number, and a
///     colon and a type if the trace has another one
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

    /// What a text says; what is malformed in it is left out, as a backend can leave it out, too.
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
    /// Reads traces; `nil` if there are none.
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
