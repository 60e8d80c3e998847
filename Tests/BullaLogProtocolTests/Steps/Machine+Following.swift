import BullaExploration

/// Finding the next frame of the log.
extension Machine {
    /// The result of looking for the next frame.
    struct Look {
        var state: State
        /// Where the next frame belongs now.
        var place: Place
        /// Whether a matching frame or header was found.
        var isFound: Bool
    }

    func cell(_ halves: Halves, _ use: UInt8, _ offset: UInt8) -> Int {
        Int(halves[use]) * scene.cellCount + Int(offset)
    }

    /// Looks for the next frame; there are several answers if it is uncertain what the disk holds.
    func next(_ state: State, _ place: Place, in halves: Halves) -> [Look] {
        var answers = [Look(state: state, place: place, isFound: false)]
        let tries: [(State) -> [Look]] =
            rules.looksAtHeadersFirst
            ? [
                { header($0, place, halves) }, { nextHalf($0, place, halves) },
                { frame($0, place, halves) },
            ]
            : [
                { frame($0, place, halves) }, { header($0, place, halves) },
                { nextHalf($0, place, halves) },
            ]
        for look in tries {
            answers = answers.flatMap { $0.isFound ? [$0] : look($0.state) }
        }
        return answers
    }

    /// Looks for a segment in the same half, one cell after the end of the previous segment.
    private func header(_ state: State, _ place: Place, _ halves: Halves) -> [Look] {
        let offset = place.segment == 0 && place.offset == 0 ? 0 : place.offset + 1
        return header(state, place, halves, use: place.use, offset: offset)
    }

    private func nextHalf(_ state: State, _ place: Place, _ halves: Halves) -> [Look] {
        header(state, place, halves, use: place.use + 1, offset: 0)
    }

    private func header(
        _ state: State, _ place: Place, _ halves: Halves, use: UInt8, offset: UInt8
    ) -> [Look] {
        look(state, place, halves, use: use, offset: offset) { stamp in
            let entry = state.entry(stamp)
            let isNext = entry.before == place.last || !rules.comparesChain
            return entry.kind == .header && entry.use == use && isNext
        } then: { state, stamp in
            let next = Place(use: use, offset: offset + 1, segment: stamp, last: place.last)
            return [Look(state: state, place: next, isFound: true)]
        }
    }

    private func frame(_ state: State, _ place: Place, _ halves: Halves) -> [Look] {
        guard place.segment != 0 else { return [Look(state: state, place: place, isFound: false)] }
        return look(state, place, halves, use: place.use, offset: place.offset) { stamp in
            let entry = state.entry(stamp)
            let isNext = entry.before == place.last || !rules.comparesChain
            return entry.isFrame && entry.segment == place.segment && isNext
        } then: { state, stamp in
            var next = place
            next.offset += 1
            next.last = stamp
            let isWhole = state.entry(stamp).kind != .part || !rules.waitsForTheLastPart
            if isWhole { return [Look(state: state, place: next, isFound: true)] }
            return frame(state, next, halves).map { answer in
                var answer = answer
                if !answer.isFound { answer.place = place }
                return answer
            }
        }
    }

    private func look(
        _ state: State, _ place: Place, _ halves: Halves, use: UInt8, offset: UInt8,
        for isAsked: (UInt8) -> Bool, then follow: (State, UInt8) -> [Look]
    ) -> [Look] {
        guard offset < scene.cellCount else {
            return [Look(state: state, place: place, isFound: false)]
        }
        let cell = cell(halves, use, offset)
        return state.log[cell].readings(for: isAsked).flatMap { reading in
            var next = state
            next.log[cell] = reading.cell
            guard let found = reading.found else {
                return [Look(state: next, place: place, isFound: false)]
            }
            return follow(next, found)
        }
    }

    /// Whether the headers say that the half of this place, or the one after it, is in use again.
    func isOvertaken(_ state: State, at place: Place, in halves: Halves) -> Bool {
        [place.use, place.use + 1].contains { use in
            guard let stamp = state.log[cell(halves, use, 0)].cached else { return false }
            let entry = state.entry(stamp)
            return entry.kind == .header && entry.use > use
        }
    }

    /// The successive places from a tree's place on, as far as it is certain what follows.
    func places(_ state: State, from tree: Tree) -> [Place] {
        var places = [tree.place]
        while true {
            let answers = next(state, places[places.count - 1], in: tree.halves)
            guard answers.count == 1, answers[0].isFound else { return places }
            places.append(answers[0].place)
        }
    }

    /// Begins to follow at the place in the checkpoint's record.
    func beginFollowing(_ state: inout State, _ index: Int) {
        let tree = state.tree(state.checkpoint)
        let (marked, halves) = (state.actors[index].marked, state.actors[index].halves)
        state.actors[index].forgetLog()
        (state.actors[index].marked, state.actors[index].halves) = (marked, halves)
        state.actors[index].place = tree.place
        state.actors[index].origin = state.checkpoint
        state.actors[index].older = state.number(tree.commit)
        state.actors[index].newer = state.number(tree.commit)
    }

    func move(_ state: inout State, _ index: Int, to place: Place) {
        let before = state.actors[index].place?.last ?? place.last
        let isFrame = place.last != before
        let entry = isFrame ? state.entry(place.last) : state.entry(Entry.nothing)
        if entry.kind == .part { state.fault = .halved }
        state.actors[index].move(to: place, passing: entry, before: state.entry(before))
    }

    /// Learns the places of the halves from the checkpoint's record, and goes on.
    ///
    /// The halves can move between this step and each of the looks that follow.
    func learn(_ state: inout State, _ index: Int) {
        let isWriter = state.writer == UInt8(index)
        if rules.learnsPlaces || isWriter { useRecordedPlaces(&state, index) }
        state.actors[index].step = isWriter ? .catchUp : .follow
    }

    func useRecordedPlaces(_ state: inout State, _ index: Int) {
        state.actors[index].halves = state.tree(state.checkpoint).halves
    }

    /// Whether the record names another checkpoint than the one at which an actor began.
    ///
    /// Only the record tells: a half that has moved since then contains no hint of the new
    /// checkpoint.
    func hasNewerRecord(_ state: State, _ index: Int) -> Bool {
        scene.movesHalves && state.actors[index].origin != state.checkpoint
    }
}
