internal import BullaCipher
internal import BullaMemory

/// Seals blobs anew, under another key of the vault.
extension Vault {
    /// Seals all blobs of some trees anew under a new epoch, a portion in each transaction.
    ///
    /// An interruption loses no finished work: the next call continues, and begins a new epoch only
    /// if every blob is of the current one. The vault's secret stays the same, so resealing revokes
    /// nothing. Resealing limits how much one key seals, and gives every blob new bytes.
    ///
    /// - Parameters:
    ///   - trees: the names of the trees. They can be trees of ``SealedCollection``s and of their
    ///     histories, and trees whose values are blobs that were sealed for their tree and key,
    ///     with property 0 and sequence 0.
    ///   - portion: how many blobs to seal in each transaction.
    ///   - progress: receives the number of blobs done, without a total, after each portion. By
    ///     throwing, it stops the call; a later call continues.
    /// - Throws: what `progress` throws; `sealDamaged` if a blob does not open (finished work stays
    ///   in both cases); `vaultLocked`; `vaultNotFound` if the vault was dropped; `corrupted` if
    ///   somebody who does not know the vault's secret changed its record; `full` if no epoch is
    ///   left; `outOfMemory` if a blob is longer than the vault's `lentByteLimit`, or no memory
    ///   could be locked; what `Store.write(durability:_:)` throws.
    public func reseal(
        trees: [TreeName], portion: Int = 256,
        progress: (TaskProgress) throws(BullaError) -> Void = { _ in }
    ) throws(BullaError) {
        let epoch = try beginEpoch(trees)
        var done = 0
        for name in trees {
            var start: [UInt8]? = []
            while let from = start {
                let (count, next) = try reseal(name, from: from, epoch, max(portion, 1))
                done += count
                start = next
                try progress(TaskProgress(completed: done))
            }
        }
    }

    /// The epoch to seal under: the current one if blobs of an older one are left, otherwise a new
    /// one.
    private func beginEpoch(_ trees: [TreeName]) throws(BullaError) -> UInt32 {
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

    private func hasBlobs(before epoch: UInt32, in trees: [TreeName]) throws(BullaError) -> Bool {
        let snapshot = try Snapshot(core, .published)
        for name in trees {
            guard let tree = try snapshot.treeIfPresent(named: name) else { continue }
            var isFound = false
            do {
                try snapshot.scan(tree) { _, blob in
                    isFound = blob.withView { self.isOlder($0, than: epoch) }
                    return isFound ? .stop : .next
                }
            } catch { throw BullaError(error, during: "read \(place)") }
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
    /// - Returns: how many blobs were sealed, and the key at which to continue; `nil` at the tree's
    ///   end.
    private func reseal(
        _ name: TreeName, from start: [UInt8], _ epoch: UInt32, _ portion: Int
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
        } catch { throw BullaError(error, during: "read \(place)") }
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
