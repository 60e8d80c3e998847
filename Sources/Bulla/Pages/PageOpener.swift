internal import BullaCipher
internal import BullaMemory

/// Opens pages from bytes that the caller has, and verifies them against their pointers.
struct PageOpener: Sendable {
    let file: any StorageFile
    let ciphers: PageCiphers
    let counters: PageCounters

    private var isPlain: Bool { ciphers.header.suite == .plain }

    func open(
        _ sealed: ByteView, _ pointer: PagePointer, _ kind: PageKind, into content: MutableByteView
    ) throws(BullaError) {
        let epoch = claimedEpoch(of: sealed)
        let opening = try cipher(epoch, pointer)
        do throws(CipherError) {
            try opening.open(
                sealed, into: content, context: context(pointer, kind, epoch),
                check: check(of: pointer, in: sealed))
        } catch { throw failure(pointer, error) }
        counters.countOpened(1)
    }

    /// Verifies a page of a plain store.
    func verify(
        _ page: ByteView, _ pointer: PagePointer, _ kind: PageKind
    ) throws(BullaError) {
        let verifying = try cipher(0, pointer)
        do throws(CipherError) {
            try verifying.verify(page, context: context(pointer, kind, 0), check: pointer.check)
        } catch { throw failure(pointer, error) }
        counters.countOpened(1)
    }

    /// Opens the pages of a batch, which are all sealed under one data key, and empties the batch.
    ///
    /// - Parameter pointers: the pointers of the batch's pages, in order; the slice may have
    ///   further pointers after them.
    func open(
        _ batch: inout OpenBatch, _ epoch: UInt32, _ pointers: ArraySlice<PagePointer>
    ) throws(BullaError) {
        guard batch.count > 0, !pointers.isEmpty else { return }
        let opening = try cipher(epoch, pointers[pointers.startIndex])
        do throws(CipherError) { try opening.open(batch) } catch {
            throw failure(pointers[pointers.startIndex + (error.index ?? 0)], error)
        }
        counters.countOpened(batch.count)
        batch.removeAll()
    }

    /// The key epoch in which a page claims to be sealed.
    func claimedEpoch(of sealed: ByteView) -> UInt32 {
        isPlain ? 0 : PageCipher.epoch(of: sealed)
    }

    /// The context that a page's seal is bound to.
    func context(_ pointer: PagePointer, _ kind: PageKind, _ epoch: UInt32) -> PageContext {
        PageContext(
            pageNumber: pointer.number, birth: pointer.birth, epoch: epoch, kind: kind.rawValue)
    }

    /// The check that a page has if it is the version that its pointer names.
    func check(of pointer: PagePointer, in sealed: ByteView) -> UInt64 {
        let isIgnored = PlantedBug.isPlanted(.checkIgnored)
        return isIgnored ? PageCipher.check(of: sealed) : pointer.check
    }

    /// - Throws: `corrupted` if the page names an epoch whose secret was forgotten; other errors if
    ///   the key cannot be derived.
    private func cipher(
        _ epoch: UInt32, _ pointer: PagePointer
    ) throws(BullaError) -> PageCipher {
        do throws(BullaError) { return try ciphers.cipher(epoch: epoch) } catch {
            guard error.code == .corrupted else { throw error }
            throw failure(pointer, CipherError(.badTag))
        }
    }

    private func failure(_ pointer: PagePointer, _ error: CipherError) -> BullaError {
        switch error.code {
        case .badTag:
            pointer.defect(
                isPlain ? "checksum does not match" : "tag does not match", .page, in: file)
        case .staleCheck:
            pointer.defect("it is not the version that its parent names", .version, in: file)
        default: .cipher("open page \(pointer.number) of \(file.path)", error)
        }
    }
}
