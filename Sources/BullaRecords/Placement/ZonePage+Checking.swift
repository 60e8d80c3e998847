extension ZonePage {
    /// Whether the receiver cannot go on with this page: it may have a record whose deletion the
    /// sender has forgotten, or it has changes that the sender does not have.
    var isBehind: Bool { start > 0 && (forgottenVersion > start || end < start) }

    /// Whether the page can be what was asked for.
    package func isValid(for zone: ZoneLife, after version: UInt64, limit: Int) -> Bool {
        guard ZoneLife(head) == zone, start == version, end <= head.version else { return false }
        guard records.count <= limit, batches.count <= Self.batchCount, isLast || end != start,
            Set(records.map(\.name)).count == records.count, records.allSatisfy(\.isValid)
        else { return false }
        return isCovered(records.map(\.version)) && isCovered(batches.map(\.first))
    }

    /// Whether these change numbers ascend, and all lie after the page's start and not beyond its
    /// end.
    private func isCovered(_ versions: [UInt64]) -> Bool {
        zip([start] + versions, versions).allSatisfy { $0 < $1 } && versions.last ?? 0 <= end
    }
}

extension ZonePage.Row {
    fileprivate var isValid: Bool {
        guard name.isMovable else { return false }
        guard let entry else { return true }
        return entry.indexes.allSatisfy { IndexKey.name(in: $0) == name }
            && entry.references.allSatisfy { !$0.target.utf8.contains(0) }
    }
}

extension String {
    /// Whether a text can be the name of a zone or a record.
    var isMovable: Bool {
        (1...NameRules.recordNameByteLimit).contains(utf8.count) && !utf8.contains(0)
    }
}
