internal import Bulla
internal import BullaCipher
internal import BullaMemory
internal import BullaText

/// Measures opening a store with a password, and the refusal of parameters beyond the limits.
struct PasswordCosts {
    private static let password = "correct horse battery staple"

    private let run: SealingRun
    private let path: String
    private let forged: String
    /// The key of the store, with its password already stretched.
    private let stretched: StoreKey

    init(_ run: SealingRun, _ scratch: Scratch) throws {
        self.run = run
        (path, forged) = (scratch.file("password.bulla"), scratch.file("forged.bulla"))
        try Store.open(at: path, key: try Self.key()).close()
        stretched = try Self.key().unlocked(for: path)
    }

    /// A new key for each use, because a key remembers the result of the stretching.
    private static func key() throws -> StoreKey {
        try .password(try password.withBytes { try Secret($0) })
    }

    func rows() throws -> [SealingRow] {
        let times = try SealingRun.inTurn(
            2 * run.roundCount,
            [
                { try open(Self.key()) { try SealingRun.processorTime($0) } }, stretch,
                { try open(stretched, SealingRun.time) },
            ])
        let topic = "open with a password"
        let (aim, unit) = ((SealingRow.Aim.figure, 10e6), SealingRow.Unit.processorNanoseconds)
        return [
            SealingRow(topic, "all of it", times[0], unit: unit),
            SealingRow(topic, "stretching alone", times[1], unit: unit),
            SealingRow(
                topic, "beyond stretching", times[0], unit: unit, over: times[1], isBeyond: true,
                aim: aim),
            SealingRow(topic, "with the stretched key", times[2], aim: aim),
        ] + (try [16, 31].flatMap(refusalRows))
    }

    private func open(
        _ key: StoreKey, _ time: (() throws -> Void) throws -> Double
    ) throws -> Double {
        var store: Store?
        let time = try time { store = try Store.open(at: path, key: key) }
        try store?.close()
        return time
    }

    private func stretch() throws -> Double {
        let way = BullaCipher.PasswordStretching.recommended
        let salt = [UInt8](repeating: 1, count: BullaCipher.PasswordStretching.saltByteCount)
        return try Self.password.withBytes { password in
            try password.withView { password in
                try SealingRun.processorTime { _ = try way.userKey(password: password, salt: salt) }
            }
        }
    }

    private func refusalRows(logN: Int) throws -> [SealingRow] {
        try forge(logN: logN)
        var memory: [[Double]] = []
        let attempt = {
            let key = try Self.key()
            var time = 0.0
            let peak = try SealingRun.peakByteCount {
                time = try SealingRun.time { try refuse(key) }
            }
            memory.append([peak])
            return time
        }
        let times = try SealingRun.inTurn(run.smallRoundCount, [attempt])[0]
        let topic = "refuse N = 2^\(logN) in a file"
        return [
            SealingRow(topic, "time", times, aim: (.figure, 10e6)),
            SealingRow(topic, "memory", memory, unit: .bytes, aim: (.figure, 0x1p20)),
        ]
    }

    private func refuse(_ key: StoreKey) throws {
        do {
            _ = try Store.open(at: forged, key: key)
        } catch  where error.code == .passwordParameters { return }
        throw BenchError(.digest, "parameters of a password were not refused")
    }

    /// Copies the store's file to `forged`, and there puts `logN` into the slot in both copies of
    /// the keyring.
    private func forge(logN: Int) throws {
        var bytes = try Descriptor.open(path).readToEnd(limit: 1 << 24, of: path)
        for copy in [0, PageFormat.copyDistance] {
            let start = PageFormat.keyringOffset + copy
            let end = start + KeyringField.checksum.offset
            let slot = start + KeyringField.slots.offset
            bytes[slot + SlotField.stretching.offset + StretchingField.first.offset] = UInt8(logN)
            let checksum = try bytes[start..<end].withBytes { bytes in
                try bytes.withView { try KeyDerivation.sha256($0).bytes }
            }
            bytes.replaceSubrange(end..<end + checksum.count, with: checksum)
        }
        try Descriptor.replace(forged).write(bytes)
    }
}
