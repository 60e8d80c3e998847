/// What a disk holds durably, and what it may hold, after a part of its history.
package struct DiskReplay {
    /// What the disk holds after every crash.
    var durable: DiskImage
    /// Events that no flush has covered, in order.
    var pending: [DiskEvent] = []

    package init(from image: DiskImage) {
        durable = image
        pending = image.cached
        durable.cached = []
    }

    /// What a disk would hold if all of its events so far reached it.
    package static func now(_ disk: SimulatedDisk) -> DiskImage {
        var replay = DiskReplay(from: disk.base)
        for event in disk.history { replay.apply(event) }
        return replay.crashed(.everything)
    }

    /// The number of writes that no flush has covered.
    package var pendingWriteCount: Int {
        pending.count { if case .write = $0 { true } else { false } }
    }

    package mutating func apply(_ event: DiskEvent) {
        switch event {
        case .flush(let file): settle(file)
        case .failedFlush(let file): doubt(file)
        case .flushRange(let file, let range): settle(file, pages(range))
        case .failedFlushRange(let file, let range): doubt(file, pages(range))
        case .flushNames:
            for event in pending { Self.applyName(event, to: &durable.names) }
            pending.removeAll { $0.isOfNames }
        case .create(let file, _):
            durable.files[file] = DurableFile()
            pending.append(event)
        default: pending.append(event)
        }
    }

    /// Moves a file's pending events to the disk.
    mutating func settle(_ file: Int) {
        guard var state = durable.files.removeValue(forKey: file) else { return }
        pending.removeAll { event in
            switch event {
            case .extend(file, let byteCount): state.extend(to: byteCount)
            case .cut(file, let byteCount): state.cut(to: byteCount)
            case .write(file, let offset, let bytes): state.settle(offset, bytes)
            default: return false
            }
            return true
        }
        durable.files[file] = state
    }

    /// Treats a file's writes as done, as the kernel does after a failed flush, although the disk
    /// may not have them.
    private mutating func doubt(_ file: Int, _ range: Range<UInt64> = 0..<UInt64.max) {
        guard var state = durable.files.removeValue(forKey: file) else { return }
        takeWrites(file, range) { offset, bytes in
            state.doubtful += DurableFile.pieces(offset, bytes, unit: 512)
        }
        durable.files[file] = state
    }

    /// The disk after a crash at this point.
    package func crashed(_ choice: CrashChoice) -> DiskImage {
        var image = durable
        if case .processDeath = choice {
            image.cached = pending
            return image
        }
        image.boot += 1
        var lottery = CrashLottery(choice)
        for event in pending where lottery.keepsMetadata() {
            Self.applyName(event, to: &image.names)
            if case .extend(let file, let byteCount) = event {
                image.files[file]?.extend(to: byteCount)
            }
            if case .cut(let file, let byteCount) = event {
                image.files[file]?.cut(to: byteCount)
            }
        }
        resolveDoubts(&image, &lottery)
        for (file, piece) in lottery.ordered(keptPieces(&lottery)) {
            image.files[file]?.put(piece.offset, piece.bytes)
        }
        return image
    }

    private func resolveDoubts(_ image: inout DiskImage, _ lottery: inout CrashLottery) {
        for file in image.files.keys.sorted() {
            let doubtful = image.files[file]?.doubtful ?? []
            image.files[file]?.doubtful = []
            for piece in doubtful where lottery.keepsDoubtful() {
                image.files[file]?.put(piece.offset, piece.bytes)
            }
        }
    }

    private func keptPieces(_ lottery: inout CrashLottery) -> [(Int, DurableFile.Piece)] {
        var pieces: [(Int, DurableFile.Piece)] = []
        var index = 0
        for case .write(let file, let offset, let bytes) in pending {
            pieces += lottery.kept(index, offset, bytes).map { (file, $0) }
            index += 1
        }
        return pieces
    }

    /// Applies an event to the names of a folder, if it changes any.
    static func applyName(_ event: DiskEvent, to names: inout [String: Int]) {
        switch event {
        case .create(let file, let name): names[name] = file
        case .link(let name, let newName):
            if let file = names[name] { names[newName] = file }
        case .rename(let name, let newName):
            if let file = names.removeValue(forKey: name) { names[newName] = file }
        case .remove(let name): names[name] = nil
        default: break
        }
    }
}

extension DiskEvent {
    /// Whether the event changed a folder.
    fileprivate var isOfNames: Bool {
        switch self {
        case .create, .link, .rename, .remove: true
        default: false
        }
    }
}
