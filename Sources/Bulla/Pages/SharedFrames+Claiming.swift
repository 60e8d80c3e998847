internal import BullaMemory
internal import Synchronization

/// Claims frames, publishes pages in them, and retires pages.
extension SharedFrames {
    /// A frame that this worker has claimed.
    struct Claim {
        let frame: Int
        /// The place in the worker's line that names the frame.
        fileprivate let place: Int

        fileprivate init(frame: Int, place: Int) { (self.frame, self.place) = (frame, place) }

        /// The claim that a number encodes; `nil` if it is the number of one of the process's own
        /// frames.
        ///
        /// - Parameter count: how many frames the process has of its own; their numbers come first.
        init?(number: Int, after count: Int) {
            guard number >= count else { return nil }
            self.init(frame: (number - count) >> 8, place: (number - count) & 0xFF)
        }

        /// A number that encodes both the frame and the place.
        func number(after count: Int) -> Int { count + (frame << 8 | place) }
    }

    /// Claims a frame of the page's ``PageSet``, and keeps another one retired for the next claim.
    ///
    /// Call this outside any epoch.
    ///
    /// - Returns: `nil` if no frame of the set, or no place in this worker's line, can be used now.
    func claim(for pointer: PagePointer) -> Claim? {
        invariant(!Epoch.isInside, "a frame is claimed outside any epoch")
        member.answerIfAsked()
        guard PoolWord.canName(pointer.number), !member.region.hasFaulted,
            let place = freeClaims.withLock({ $0.popLast() })
        else { return nil }
        if let frame = take(from: pageSet(of: pointer.number), place) {
            return Claim(frame: frame, place: place)
        }
        endClaim(place)
        return nil
    }

    private func take(from set: PageSet, _ place: Int) -> Int? {
        var retiredCount = 0
        var usable: (frame: Int, word: UInt64)?
        for step in 0..<PageSet.count {
            let word = words.loadAcquire(member.frameWord(set[step]))
            if word == PoolWord.empty {
                if exchange(word, set[step], place) { return set[step] }
            } else if PoolWord.isRetiring(word) {
                member.finishRetiring(set[step], word)
                retiredCount += 1
            } else if let round = PoolWord.round(word) {
                retiredCount += 1
                if usable == nil, member.isSettled(after: round) { usable = (set[step], word) }
            }
        }
        // In each set, keep two frames retired: one for this claim, and one for the next.
        if retiredCount < 2 { retireOne(of: set) }
        if let usable, exchange(usable.word, usable.frame, place) { return usable.frame }
        member.askForRound()
        return nil
    }

    /// Notes the claim in the worker's line, and then claims the frame.
    ///
    /// If this process is killed in between, its line names a frame that it never claimed.
    ///
    /// - Returns: `false` if another worker has changed the frame's word first; also if the word
    ///   has ceased to be shared, because then no other worker sees the claim.
    private func exchange(_ word: UInt64, _ frame: Int, _ place: Int) -> Bool {
        words.storeRelease(
            UInt64(frame) + 1, PoolLayout.claim(place, of: member.worker))
        return words.exchange(
            word, for: PoolWord.claimed(by: member.worker), member.frameWord(frame))
            && !member.region.hasFaulted
    }

    private func endClaim(_ place: Int) {
        words.storeRelease(0, PoolLayout.claim(place, of: member.worker))
        freeClaims.withLock { $0.append(place) }
    }

    /// Retires one of the set's pages: one that nobody has read for a while.
    private func retireOne(of set: PageSet) {
        let first = turn.wrappingAdd(1, ordering: .relaxed).newValue
        // Go around twice: if every frame is marked as read, the first pass only clears the marks.
        for step in 0..<2 * PageSet.count {
            let frame = set[first &+ step]
            let word = words.loadAcquire(member.frameWord(frame))
            guard PoolWord.isPublished(word) else { continue }
            if frames.takeReferenced(frame) { continue }
            return member.retire(frame, word)
        }
    }

    func writableContent(_ claim: Claim) -> MutableByteView { frames.writableContent(claim.frame) }

    /// Publishes a frame whose content is complete.
    ///
    /// If a part of the frame has ceased to be shared, the frame stays claimed: this process can
    /// read it until the epoch ends, and no other worker finds it.
    ///
    /// Call this inside an epoch.
    ///
    /// - Returns: the name of this frame, or of the frame in which another worker has published the
    ///   page first. `block` is the block of memory that should now become a huge page, because
    ///   this page has filled enough of it; usually there is none.
    func publish(_ claim: Claim, _ pointer: PagePointer) -> (name: UInt64, block: Int?) {
        if let name = find(pointer) {
            giveBack(claim)
            return (name, nil)
        }
        guard !member.region.hasFaulted else { return (frames.name(claim.frame), nil) }
        let offset = member.frameWord(claim.frame)
        let isFirst = words.loadRelaxed(offset + 24) == 0
        words.storeRelaxed(1, offset + 24)
        frames.see(named: frames.name(claim.frame))
        words.storeRelaxed(pointer.check, offset + 8)
        words.storeRelease(pointer.number, offset)
        endClaim(claim.place)
        let content = frames.writableContent(claim.frame)
        return (frames.name(claim.frame), isFirst ? member.region.noteFill(content) : nil)
    }

    /// Returns a frame that was claimed but not published.
    func giveBack(_ claim: Claim) {
        words.storeRelease(PoolWord.free, member.frameWord(claim.frame))
        endClaim(claim.place)
    }

    func collapse(_ block: Int) { member.region.collapse(block) }
}
