/// Looks for the newest copy that opens, and remembers why the others did not.
struct KeyringSearch: ~Copyable {
    private var best: MasterSecret?
    private var bestGeneration: UInt64 = 0
    private var bestIndex = 0
    private var copiesAgree = true
    private var verdicts: [KeyringCopy.Verdict] = []

    mutating func visit(
        _ copy: KeyringCopy, _ index: Int, with keys: borrowing KeyringKeys
    ) throws(CipherError) {
        let verdict = try copy.verify(with: keys)
        guard verdict == .whole, let master = try copy.open(with: keys) else {
            copiesAgree = false
            verdicts.append(verdict == .whole ? .forged : verdict)
            return
        }
        keep(master, generation: copy.generation, index)
    }

    private mutating func keep(
        _ master: consuming MasterSecret, generation: UInt64, _ index: Int
    ) {
        guard best != nil else {
            best = consume master
            bestGeneration = generation
            bestIndex = index
            return
        }
        if generation != bestGeneration { copiesAgree = false }
        if generation > bestGeneration {
            best = consume master
            bestGeneration = generation
            bestIndex = index
        }
    }

    consuming func result() throws(KeyringError) -> OpenedKeyring {
        guard let best else { throw Self.error(for: verdicts) }
        return OpenedKeyring(
            best, generation: bestGeneration, copyIndex: bestIndex, copiesAgree: copiesAgree)
    }

    /// A copy that our key commits to says that the key is right, whatever the other copy says.
    private static func error(for verdicts: [KeyringCopy.Verdict]) -> KeyringError {
        if verdicts.contains(.forged) { return .damaged }
        for case .unsupported(let version) in verdicts { return .unsupportedVersion(version) }
        return verdicts.contains(.foreign) ? .wrongKey : .damaged
    }
}
