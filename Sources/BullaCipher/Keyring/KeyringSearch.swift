internal import BullaMemory

/// Looks for the newest copy that opens, and remembers why other copies did not open.
struct KeyringSearch<Opener: SlotOpener>: ~Copyable {
    /// Why a copy did not open.
    ///
    /// If no copy opens, the search throws the error for one of the copies' verdicts: the one that
    /// stands highest in the table below. But if the opener gave no key for any slot that it chose,
    /// the search throws the opener's first error.
    ///
    ///     verdict      checksum  layout  commitment   authentication, tag
    ///     forged       holds     known   a slot's     differ
    ///     unsupported  holds     other   -            -
    ///     foreign      holds     known   no slot's    -
    ///     slotless     holds     known   none tried   -
    ///     damaged      differs   -       -            -
    ///
    /// A copy whose checksum holds, but whose fields hold values that no writer writes, is damaged,
    /// too.
    enum Verdict: Equatable {
        case forged, unsupported(UInt16), foreign, slotless, damaged
    }

    private let opener: Opener
    private let file: FileIdentifier
    private let headerDigest: Digest
    private var best: OpenedKeyring?
    private var copiesAgree = true
    private var verdicts: [Verdict] = []
    /// The opener's first error: why it gave no key for a slot.
    private var refusal: KeyringError?
    private var hasTried = false

    init(_ opener: Opener, _ file: FileIdentifier, _ headerDigest: Digest) {
        (self.opener, self.file, self.headerDigest) = (opener, file, headerDigest)
    }

    /// Looks at a copy that is private to the caller.
    mutating func visit(_ copy: [UInt8], _ index: Int) throws(KeyringError) {
        let reading: KeyringTable.Reading
        do throws(CipherError) { reading = try KeyringTable.read(copy) } catch {
            throw .cipher(error)
        }
        switch reading {
        case .damaged: note(.damaged)
        case .unsupported(let version): note(.unsupported(version))
        case .table(let table): try visit(table, copy, index)
        }
    }

    private mutating func visit(
        _ table: KeyringTable, _ copy: [UInt8], _ index: Int
    ) throws(KeyringError) {
        let chosen = opener.choose(among: table.slots)
        guard !chosen.isEmpty else { return note(.slotless) }
        for slot in chosen {
            let key: UserKey
            do throws(KeyringError) { key = try opener.key(for: slot) } catch {
                refusal = refusal ?? error
                continue
            }
            hasTried = true
            do throws(CipherError) {
                switch try slot.open(with: key, file: file, headerDigest: headerDigest) {
                case .foreign: continue
                case .forged: return note(.forged)
                case .opened(let master):
                    return try take(master, table, slot.number, copy, index)
                }
            } catch { throw .cipher(error) }
        }
        note(.foreign)
    }

    /// Takes a copy after one of its slots has opened, unless anything else in the copy was
    /// changed.
    private mutating func take(
        _ master: consuming MasterSecret, _ table: KeyringTable, _ slot: UInt32, _ copy: [UInt8],
        _ index: Int
    ) throws(CipherError) {
        let isAuthentic = try copy.withView { [headerDigest] view throws(CipherError) in
            try KeyringTable.isAuthentic(view, under: master, headerDigest: headerDigest)
        }
        guard isAuthentic else { return note(.forged) }
        let former: MasterSecret?
        do throws(CipherError) {
            former = try table.former(under: master, headerDigest: headerDigest)
        } catch  where error.code == .badTag {
            return note(.forged)
        }
        keep(OpenedKeyring(master, former: former, table: table, slot: slot, copyIndex: index))
    }

    private mutating func keep(_ opened: consuming OpenedKeyring) {
        guard let generation = best?.table.generation else {
            best = consume opened
            return
        }
        if opened.table.generation != generation { copiesAgree = false }
        if opened.table.generation > generation { best = consume opened }
    }

    private mutating func note(_ verdict: Verdict) {
        copiesAgree = false
        verdicts.append(verdict)
    }

    consuming func result() throws(KeyringError) -> OpenedKeyring {
        // The result of trying one slot says more than the reason why another slot was not tried.
        let tried = verdicts.contains(.forged) || (verdicts.contains(.foreign) && hasTried)
        let failure = tried ? Self.error(for: verdicts) : refusal ?? Self.error(for: verdicts)
        guard var best else { throw failure }
        best.copiesAgree = copiesAgree
        return best
    }

    /// The error for the verdicts of all copies.
    ///
    /// A copy with a slot that commits to the key proves that the key is right, whatever the other
    /// copy says.
    private static func error(for verdicts: [Verdict]) -> KeyringError {
        if verdicts.contains(.forged) { return .damaged }
        for case .unsupported(let version) in verdicts { return .unsupportedVersion(version) }
        if verdicts.contains(.foreign) { return .wrongKey }
        return verdicts.contains(.slotless) ? .noSlot : .damaged
    }
}
