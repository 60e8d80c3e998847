internal import BullaCipher
internal import BullaMemory

/// Sealing blobs anew, under another key of the vault.
extension Vault {
    /// Seals all blobs of some trees anew, under a new epoch: a portion in each transaction.
    ///
    /// What was done stays done, whatever cuts it short, and the next call goes on: it begins an
    /// epoch only where the last one was carried through. The vault's secret stays, so this revokes
    /// nothing; it bounds how much one key seals, and gives every blob other bytes.
    ///
    /// - Parameters:
    ///   - trees: those of ``SealedCollection``s and of their histories, and trees whose values are
    ///     blobs that were sealed for their tree and their key alone.
    ///   - portion: how many blobs a transaction seals.
    ///   - progress: is told how many were sealed so far; `false` ends it here, to be resumed.
    /// - Returns: whether it came to its end.
    /// - Throws: `sealDamaged` where a blob does not open: what was done stays done; `vaultLocked`;
    ///   `otherVault`; `outOfMemory` where a blob is longer than the vault's `lentByteLimit`; what
    ///   writing throws.
    @discardableResult
    public func reseal(
        trees: [[UInt8]], portion: Int = 256, progress: (Int) -> Bool = { _ in true }
    ) throws(BullaError) -> Bool {
        let epoch = try beginEpoch(trees)
        var done = 0
        for name in trees {
            var start: [UInt8]? = []
            while let from = start {
                let (count, next) = try reseal(name, from: from, epoch, max(portion, 1))
                done += count
                start = next
                guard progress(done) else { return false }
            }
        }
        return true
    }

    /// The epoch to seal under: a new one, unless blobs of a former one are left.
    private func beginEpoch(_ trees: [[UInt8]]) throws(BullaError) -> UInt32 {
        let known = UInt32(clamping: try VaultStore(core, name).readAuthentic(self).firstEpoch)
        if try hasBlobs(before: known, in: trees) {
            noteEpoch(known)
            return known
        }
        let next = try change { record, _ throws(BullaError) in
            guard record.table.firstEpoch < UInt64(UInt32.max) else {
                throw BullaError(.full, "reseal \(place): it has no more epochs")
            }
            record.table.beginEpoch()
            return UInt32(record.table.firstEpoch)
        }
        noteEpoch(next)
        return next
    }

    private func hasBlobs(before epoch: UInt32, in trees: [[UInt8]]) throws(BullaError) -> Bool {
        let snapshot = try Snapshot(core, .published)
        for name in trees {
            guard let tree = try snapshot.treeIfPresent(named: name) else { continue }
            var isFound = false
            do {
                try snapshot.scan(tree) { _, blob in
                    isFound = blob.withView { self.isOlder($0, than: epoch) }
                    return isFound ? .stop : .next
                }
            } catch { throw error as? BullaError ?? BullaError(.io, "read \(place): \(error)") }
            if isFound { return true }
        }
        return false
    }

    private func isOlder(_ blob: ByteView, than epoch: UInt32) -> Bool {
        guard let header = try? SealedBlob(blob).header else { return false }
        return header.vault == identifier && header.epoch < epoch
    }

    /// Seals a portion of a tree anew.
    ///
    /// - Returns: how many blobs, and the key to go on behind; `nil` at the tree's end.
    private func reseal(
        _ name: [UInt8], from start: [UInt8], _ epoch: UInt32, _ portion: Int
    ) throws(BullaError) -> (count: Int, next: [UInt8]?) {
        var transaction = try WriteTransaction(core, .full)
        guard let tree = try transaction.treeIfPresent(named: name) else { return (0, nil) }
        var older: [(key: [UInt8], blob: [UInt8])] = []
        do {
            try transaction.scan(tree, .from(start)) { key, blob in
                guard blob.withView({ self.isOlder($0, than: epoch) }) else { return .next }
                older.append((key.withView { $0.copied() }, blob.withView { $0.copied() }))
                return older.count < portion ? .next : .stop
            }
        } catch { throw error as? BullaError ?? BullaError(.io, "read \(place): \(error)") }
        for (key, blob) in older {
            let resealed = try key.withTypedView { key throws(BullaError) in
                try reseal(blob, for: SealedPlace(tree: tree, key: key))
            }
            try transaction.put(resealed, forKey: key, in: tree)
        }
        guard !older.isEmpty else { return (0, nil) }
        try transaction.commit()
        return (older.count, older.count < portion ? nil : older[older.count - 1].key + [0])
    }

    private func reseal(
        _ blob: [UInt8], for place: SealedPlace
    ) throws(BullaError) -> [UInt8] {
        let cleartext = try blob.withTypedView { blob throws(BullaError) in
            try opened(blob, for: place, isCounted: false)
        }
        return try cleartext.withView { cleartext throws(BullaError) in
            try sealed(cleartext, for: place)
        }
    }
}
