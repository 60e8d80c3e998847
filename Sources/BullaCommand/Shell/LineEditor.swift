/// Lets the user type and edit a line at a terminal.
final class LineEditor: ShellInput {
    let isInteractive = true
    let place: String? = nil

    private let terminal: Terminal
    private let history: ShellHistory
    private var keys = TerminalKeys()
    private var line = LineBuffer()
    private var prompt = ""
    private var isPasting = false

    init(_ terminal: Terminal, _ history: ShellHistory) {
        self.terminal = terminal
        self.history = history
    }

    func next(_ prompt: String, _ completion: ShellCompletion) throws -> [UInt8]? {
        self.prompt = prompt
        line = LineBuffer()
        history.begin()
        try terminal.enterRaw()
        defer { terminal.leaveRaw() }
        try draw()
        while true {
            while let key = keys.next() {
                switch try take(key, completion) {
                case .going: continue
                case .line(let text): return Array(text.utf8)
                case .end: return nil
                }
            }
            // The line is drawn once for all keys that arrived together, such as a pasted text.
            try draw()
            guard let bytes = try terminal.read() else { return nil }
            keys.append(bytes)
        }
    }

    /// The effect of a key.
    private enum Outcome {
        case going
        case line(String)
        case end
    }

    private func take(_ key: TerminalKey, _ completion: ShellCompletion) throws -> Outcome {
        switch key {
        case .enter: return try finish()
        case .interrupt:
            line.end()
            try draw()
            try terminal.write("^C\r\n")
            return .line("")
        case .endOfInput where line.text.isEmpty:
            try terminal.write("\r\n")
            return .end
        case .tab where isPasting: line.insert("\t")
        case .tab: try complete(completion)
        case .stop: try stop()
        case .redraw: try terminal.write("\u{1B}[H\u{1B}[2J")
        case .pasteBegin: isPasting = true
        case .pasteEnd: isPasting = false
        case .up: if let former = history.older(line.text) { line = LineBuffer(former) }
        case .down: if let later = history.newer() { line = LineBuffer(later) }
        default: edit(key)
        }
        return .going
    }

    private func edit(_ key: TerminalKey) {
        switch key {
        case .character(let scalar): line.insert(scalar)
        case .backspace: line.deleteBefore()
        case .delete, .endOfInput: line.deleteAfter()
        case .left: line.left()
        case .right: line.right()
        case .wordLeft: line.leftWord()
        case .wordRight: line.rightWord()
        case .home: line.home()
        case .end: line.end()
        case .deleteWord: line.deleteWord()
        case .deleteToEnd: line.deleteToEnd()
        case .deleteToStart: line.deleteToStart()
        default: break
        }
    }

    private func finish() throws -> Outcome {
        line.end()
        try draw()
        try terminal.write("\r\n")
        try history.add(line.text)
        return .line(line.text)
    }

    private func stop() throws {
        terminal.leaveRaw()
        Signals.stop()
        try terminal.enterRaw()
    }

    private static let shownWordLimit = 100

    private func complete(_ completion: ShellCompletion) throws {
        let (typedCount, words) = completion.words(for: line.before)
        guard let first = words.first else { return try terminal.write("\u{7}") }
        guard words.count > 1 else { return replace(typedCount, with: first + " ") }
        let common = words.dropFirst().reduce(first) { Self.beginning(of: $0, and: $1) }
        guard common.count <= typedCount else { return replace(typedCount, with: common) }
        let shown = words.prefix(Self.shownWordLimit).joined(separator: "  ")
        let left = words.count - Self.shownWordLimit
        try draw()
        try terminal.write("\r\n\(shown)\(left > 0 ? "  and \(left) more" : "")\r\n")
    }

    /// The longest common prefix of two words.
    private static func beginning(of left: String, and right: String) -> String {
        String(zip(left, right).prefix { $0 == $1 }.map(\.0))
    }

    private func replace(_ count: Int, with word: String) {
        line.deleteBefore(count)
        line.insert(word)
    }

    // MARK: Drawing

    /// Draws the line, or as much of it around the cursor as fits.
    private func draw() throws {
        let room = max(terminal.columnCount - CharacterWidth.of(prompt) - 1, 8)
        let afterRoom = min(CharacterWidth.of(line.after), room / 4)
        let before = Self.fit(line.before.reversed(), room - afterRoom).reversed()
        let beforeWidth = before.reduce(0) { $0 + CharacterWidth.of($1) }
        let after = Self.fit(Array(line.after), room - beforeWidth)
        let column = CharacterWidth.of(prompt) + beforeWidth
        let text = (before + after).map { CharacterWidth.isShown($0) ? String($0) : "?" }.joined()
        try terminal.write("\r\(prompt)\(text)\u{1B}[K\r\u{1B}[\(column)C")
    }

    /// The first characters of a text, as many as fit into `room` columns.
    private static func fit(_ text: [Character], _ room: Int) -> [Character] {
        var left = room
        return Array(
            text.prefix { character in
                left -= CharacterWidth.of(character)
                return left >= 0
            })
    }
}
