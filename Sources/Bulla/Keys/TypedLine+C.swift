internal import BullaMemory
internal import Glibc

/// A line as it is typed, in memory that is wiped.
struct TypedLine: ~Copyable {
    private var bytes: SecretBytes
    private var count = 0
    /// How many bytes were typed beyond the limit; they are not kept.
    private var excess = 0
    private let name: String

    init(name: String) throws(BullaError) {
        // Take one byte more than the longest line has, to leave room for the newest byte.
        do { bytes = try SecretBytes(byteCount: Secret.byteLimit + 1) } catch {
            throw BullaError.memory("take a secret from \(name)", error)
        }
        self.name = name
    }

    var isEmpty: Bool { count == 0 }

    /// The byte that was read last, which is not part of the line yet.
    var newest: UInt8 { bytes.withView { $0.load(UInt8.self, at: count) } }

    /// Waits for a byte; `false` if the terminal has gone away.
    mutating func takeByte(from descriptor: Int32) throws(BullaError) -> Bool {
        while true {
            let position = count
            // SAFETY: this writes the byte right after the line; the buffer is one byte longer than
            // the longest line.
            let got = bytes.withMutableView { unsafe read(descriptor, $0.base + position, 1) }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw .system("take a secret from \(name)") }
            return got == 1
        }
    }

    /// Adds the newest byte to the line.
    mutating func keep() {
        if count == Secret.byteLimit { excess += 1 } else { count += 1 }
    }

    /// Removes the last character, which can have several bytes in UTF-8.
    mutating func erase(isUTF8: Bool) {
        guard excess == 0 else {
            excess -= 1
            return
        }
        while count > 0 {
            count -= 1
            guard isUTF8, newest & 0xC0 == 0x80 else { return }
        }
    }

    mutating func clear() { (count, excess) = (0, 0) }

    consuming func secret() throws(BullaError) -> Secret {
        guard excess == 0 else {
            throw BullaError(
                .invalidArgument,
                "take a secret from \(name): the line has more than \(Secret.byteLimit) bytes, the "
                    + "most that a secret has")
        }
        let (count, name) = (count, name)
        return try bytes.withView { view throws(BullaError) in
            try view.slice(0, count).withSpan { span throws(BullaError) in
                try Secret(span, name: name)
            }
        }
    }
}
