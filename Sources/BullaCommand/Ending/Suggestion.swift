/// Finds the word that a mistyped one was meant to be.
enum Suggestion {
    /// More words than this are not looked through for one typing error.
    private static let wordLimit = 10_000
    /// Longer words are no typing errors.
    private static let lengthLimit = 255

    /// The word that is nearest, unless all are far from it.
    static func best(for typed: String, among words: some Sequence<String>) -> String? {
        let typed = Array(typed.lowercased())
        guard !typed.isEmpty, typed.count <= lengthLimit else { return nil }
        // One slip in three letters, or two that changed places.
        var nearest = max(1, typed.count / 3) + 1
        var best: String?
        for word in words.prefix(wordLimit) {
            let letters = Array(word.lowercased())
            guard letters.count <= lengthLimit else { continue }
            let steps = isBeginning(typed, of: letters) ? 1 : distance(typed, letters)
            if steps < nearest { (nearest, best) = (steps, word) }
        }
        return best
    }

    private static func isBeginning(_ typed: [Character], of word: [Character]) -> Bool {
        typed.count > 2 && word.starts(with: typed)
    }

    /// How many letters were put in, left out, replaced, or changed places with the next.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var before: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var next = [row + 1]
            for column in right.indices {
                let isSame = left[row] == right[column]
                var steps = min(
                    last[column] + (isSame ? 0 : 1), last[column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    steps = min(steps, before[column - 1] + 1)
                }
                next.append(steps)
            }
            (before, last) = (last, next)
        }
        return last[right.count]
    }
}
