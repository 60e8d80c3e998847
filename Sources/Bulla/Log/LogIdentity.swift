package import BullaCipher
internal import BullaMemory

/// Identifies a log: the keys of its headers and frames are derived from this and the master
/// secret.
package struct LogIdentity: Hashable, Sendable {
    package let fileIdentifier: FileIdentifier
    package let suite: Suite
    package let history: Identifier

    package init(fileIdentifier: FileIdentifier, suite: Suite, history: Identifier) {
        self.fileIdentifier = fileIdentifier
        self.suite = suite
        self.history = history
    }

    /// Makes the cipher that seals and opens the headers of segments.
    ///
    /// - Parameter master: the secret of the key epoch in which the segments are begun.
    package func headerCipher(
        under master: borrowing MasterSecret
    ) throws(BullaError) -> PageCipher {
        do throws(CipherError) {
            let key = try master.segmentHeaderKey(suite: suite, history: history.bytes)
            return try PageCipher(
                suite: suite, key: key, fileIdentifier: fileIdentifier,
                formatVersion: PageFormat.version, pageByteCount: SegmentField.sealedByteCount)
        } catch { throw BullaError.cipher("derive the key of the log's headers", error) }
    }

    /// Makes the cipher that checks the headers of segments in a plain store.
    package func plainHeaderCipher() throws(BullaError) -> PageCipher {
        precondition(suite == .plain, "only a plain store needs no key")
        do throws(CipherError) {
            return try PageCipher(
                plain: fileIdentifier, formatVersion: PageFormat.version,
                pageByteCount: SegmentField.sealedByteCount)
        } catch { throw BullaError.cipher("check the log's headers", error) }
    }

    /// Makes the cipher that seals and opens the frames of a segment.
    ///
    /// - Parameters:
    ///   - segment: the random bytes of the segment.
    ///   - master: the secret of the key epoch in which the segment is begun.
    package func frameCipher(
        of segment: SegmentRandom, under master: borrowing MasterSecret
    ) throws(BullaError) -> FrameCipher {
        do throws(CipherError) {
            let key = try master.segmentKey(
                suite: suite, history: history.bytes, segment: segment.bytes)
            return try FrameCipher(
                suite: suite, key: key, fileIdentifier: fileIdentifier,
                formatVersion: PageFormat.version)
        } catch { throw BullaError.cipher("derive the keys of a segment of the log", error) }
    }

    /// Makes the cipher that checks the frames of a segment in a plain store.
    package func plainFrameCipher(of segment: SegmentRandom) throws(BullaError) -> FrameCipher {
        precondition(suite == .plain, "only a plain store needs no key")
        do throws(CipherError) {
            return try segment.bytes.withView { segment throws(CipherError) in
                try FrameCipher(
                    plain: segment, fileIdentifier: fileIdentifier,
                    formatVersion: PageFormat.version)
            }
        } catch { throw BullaError.cipher("check the frames of the log", error) }
    }
}
