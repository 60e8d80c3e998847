internal import BullaMemory

/// Where the next page of a result begins; it is sealed, because it names a place in an index, or a
/// record, that the caller may not be allowed to read.
///
///     bytes  field
///        16  incarnation of the zone
///         1  which of the plan's ranges
///         n  place in that range, or a ``SortedPlace``; preceded by its byte count
///
/// It is bound to its query and its database: see ``TicketSealer``.
package struct QueryMark: Hashable, Sendable {
    package let zone: RandomIdentifier
    package let range: UInt8
    package let place: [UInt8]

    package init(zone: RandomIdentifier, range: UInt8, place: [UInt8]) {
        (self.zone, self.range, self.place) = (zone, range, place)
    }

    /// The sealed mark, for a caller to store.
    package func sealed(
        _ query: RecordQuery, _ database: Database, _ container: ContainerKeys
    ) throws(RecordError) -> [UInt8] {
        var bytes = zone.bytes
        bytes.append(range)
        bytes.append(counted: place)
        return try Self.sealer(query, database, container).seal(bytes)
    }

    /// Opens a mark that a caller has stored.
    ///
    /// - Throws: `invalidArguments` for invalid bytes, or a mark of another query.
    package init(
        _ sealed: [UInt8], _ query: RecordQuery, _ database: Database, _ container: ContainerKeys
    ) throws(RecordError) {
        guard let body = try Self.sealer(query, database, container).open(sealed),
            let mark = body.withView({ Self.mark($0) })
        else {
            throw RecordError(.invalidArguments, "continue a query: the mark is not one of it")
        }
        self = mark
    }

    private static func mark(_ view: ByteView) -> QueryMark? {
        var cursor = ByteCursor(view)
        guard let zone = cursor.nextIdentifier(), let range = cursor.next(UInt8.self),
            let place = cursor.nextCounted(), cursor.isAtEnd
        else { return nil }
        return QueryMark(zone: zone, range: range, place: place.copied())
    }

    private static func sealer(
        _ query: RecordQuery, _ database: Database, _ container: ContainerKeys
    ) -> TicketSealer {
        var tuple = ByteTuple("bulla records query mark v1", database.place)
        tuple.append(database.owner)
        tuple.append(query.bytes)
        return TicketSealer(container, "query mark", about: tuple.bytes)
    }
}

extension RecordQuery {
    /// The query as bytes; different queries give different bytes.
    fileprivate var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(text: type)
        bytes.append(number: UInt32(filters.count))
        for filter in filters {
            bytes.append(text: filter.field)
            bytes.append(text: filter.comparator.rawValue)
            bytes.append(number: UInt32(filter.values.count))
            for value in filter.values { bytes.append(counted: ValueCoding.bytes(value)) }
        }
        for sort in sorts {
            bytes.append(text: sort.field)
            bytes.append((sort.isAscending ? 1 : 0) | (sort.origin == nil ? 0 : 2))
            guard let origin = sort.origin else { continue }
            bytes.append(counted: ValueCoding.bytes(.location(origin)))
        }
        return bytes
    }
}

/// The position in a sorted result: how many records were returned, and the name of the last one.
///
///     bytes  field
///         4  how many
///         n  name
struct SortedPlace {
    let count: Int
    let last: String

    init(count: Int, last: String) { (self.count, self.last) = (count, last) }

    /// - Throws: `invalidArguments` if the mark does not hold a position in a sorted result.
    init(_ mark: QueryMark) throws(RecordError) {
        let parts = mark.place.withView { view -> (UInt32, String)? in
            var cursor = ByteCursor(view)
            guard let count = cursor.next(UInt32.self),
                let name = cursor.nextView(cursor.leftByteCount),
                name.isText
            else { return nil }
            return (count, name.text)
        }
        guard let parts else {
            throw RecordError(.invalidArguments, "continue a query: the mark is not one of it")
        }
        (count, last) = (Int(parts.0), parts.1)
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(number: UInt32(clamping: count))
        return bytes + Array(last.utf8)
    }

    /// Where in `records` the next page begins.
    ///
    /// If the last record of the previous page is gone, the records after it have moved up by one,
    /// so the next page begins at `count - 1`.
    func next(in records: [RankedRecord]) -> Int {
        if let index = records.firstIndex(where: { $0.name.utf8.elementsEqual(last.utf8) }) {
            return index + 1
        }
        return min(max(count - 1, 0), records.count)
    }
}
