internal import BullaCipher
internal import BullaMemory
internal import Synchronization

/// The keys of one log, for its segments' headers and for each segment's frames.
///
/// While one secret replaces another, each segment is sealed under the secret of the key epoch in
/// which it was begun.
package final class LogKeys: Sendable {
    package let identity: LogIdentity
    /// The store's ciphers, which know the secrets; `nil` if the keys never change.
    private let ciphers: PageCiphers?
    private let takeUpSuccessor: @Sendable () throws(BullaError) -> Bool
    private let made: Mutex<Made>

    /// The keys that were made from the known secrets.
    private struct Made {
        var secret: PageCiphers.Secrets?
        /// The keys that come from the secret in use (`false`) and from the former secret (`true`).
        var keys: [Bool: SegmentKeys] = [:]
    }

    /// - Parameters:
    ///   - ciphers: the store's ciphers, which know the secrets.
    ///   - takeUpSuccessor: called when a header of this log opens under no known secret; takes up
    ///     a newer secret, and returns whether there was one.
    init(
        _ identity: LogIdentity, _ ciphers: PageCiphers,
        takeUpSuccessor: @escaping @Sendable () throws(BullaError) -> Bool
    ) {
        self.identity = identity
        self.ciphers = ciphers
        self.takeUpSuccessor = takeUpSuccessor
        made = Mutex(Made())
    }

    /// Makes keys that never change.
    package init(_ keys: SegmentKeys) {
        identity = keys.seal.identity
        ciphers = nil
        takeUpSuccessor = { () throws(BullaError) in false }
        made = Mutex(Made(keys: [false: keys]))
    }

    /// The keys of segments that begin in a given key epoch.
    ///
    /// - Throws: `corrupted` if the epoch's secret is gone.
    package func keys(epoch: UInt64) throws(BullaError) -> SegmentKeys {
        try keys(epoch, ciphers?.secret)
    }

    private func keys(
        _ epoch: UInt64, _ secret: PageCiphers.Secrets?
    ) throws(BullaError) -> SegmentKeys {
        let isFormer = epoch < secret?.all.firstEpoch ?? 0
        let found = made.withLock { $0.secret === secret ? $0.keys[isFormer] : nil }
        if let found { return found }
        let keys = try SegmentKeys(identity, secret, isFormer: isFormer)
        made.withLock { made in
            if made.secret !== secret { made = Made(secret: secret) }
            made.keys[isFormer] = keys
        }
        return keys
    }

    /// The number of the secret for segments that begin in a given key epoch.
    func secret(epoch: UInt64) -> UInt64 {
        guard let secret = ciphers?.secret else { return 0 }
        return SegmentKeys.number(secret, isFormer: epoch < secret.all.firstEpoch)
    }

    /// The keys that segments may be sealed under, those of the newest secret first.
    private func known() throws(BullaError) -> [SegmentKeys] {
        // Read the secrets only once, because another thread may drop the former one meanwhile.
        let secret = ciphers?.secret
        let newest = try keys(.max, secret)
        return secret?.all.hasFormer ?? false ? [newest, try keys(0, secret)] : [newest]
    }

    /// Reads both copies of a header, and trusts neither.
    ///
    /// - Returns: the headers, as ``SegmentSeal/find(_:half:segment:)`` finds them, each with the
    ///   keys that open it; none if neither copy is a header.
    func find(
        _ copies: (ByteView, ByteView), half: Int, segment: UInt64
    ) throws(BullaError) -> [KeyedHeader] {
        while true {
            var (found, refusal): ([KeyedHeader], SegmentRefusal) = ([], .notAHeader)
            for keys in try known() {
                switch try keys.seal.find(copies, half: half, segment: segment) {
                case .headers(let headers): found += headers.map { KeyedHeader($0, keys) }
                case .refused(let why): refusal = max(refusal, why)
                }
            }
            // If no known secret opens the header, another process has usually begun the segment
            // under a new secret, so take up that secret and look again.
            if found.isEmpty, refusal == .damaged, try takeUpSuccessor() { continue }
            return found.sorted { $0.header.sequence > $1.header.sequence }
        }
    }
}

/// The header of a segment, and the keys that open it.
struct KeyedHeader: Sendable {
    let header: SegmentHeader
    private let keys: SegmentKeys

    init(_ header: SegmentHeader, _ keys: SegmentKeys) {
        self.header = header
        self.keys = keys
    }

    /// The segment that begins with the header.
    func segment(at offset: UInt64) throws(BullaError) -> LogSegment {
        try keys.segment(header, at: offset)
    }
}
