internal import BullaCipher
internal import BullaMemory
internal import CBullaShared
internal import Glibc

/// A key as it was read, in memory that is wiped.
struct SecretText: ~Copyable {
    private var bytes: SecretBytes
    private var count: Int
    private let name: String

    /// Longer than any secret with its newline, so that a secret that is too long is noticed.
    private static let limit = Secret.byteLimit + 2

    private init(name: String) throws(BullaError) {
        do { bytes = try SecretBytes(byteCount: Self.limit) } catch {
            throw BullaError.memory("take a key", error)
        }
        count = 0
        self.name = name
    }

    init(copying source: [UInt8]) throws(BullaError) {
        try self.init(name: "key")
        count = source.count
        source.withView { source in bytes.withMutableView { $0.copy(source, to: 0) } }
    }

    /// Copies what a source returned.
    ///
    /// - Parameter name: the source, for messages.
    init(copying secret: Secret, name: String) throws(BullaError) {
        try self.init(name: name)
        count = secret.byteCount
        secret.withView { source in bytes.withMutableView { $0.copy(source, to: 0) } }
    }

    static func random() throws(BullaError) -> SecretText {
        var text = try SecretText(name: "key")
        do throws(CipherError) {
            try text.bytes.withMutableView { view throws(CipherError) in
                try KernelRandom.fill(view.slice(0, UserKey.byteCount))
            }
        } catch { throw BullaError.cipher("make a key", error) }
        text.count = UserKey.byteCount
        return text
    }

    /// Reads a key from a file or a named pipe.
    ///
    /// - Throws: `invalidArgument` for anything else, and for a file that gives others rights;
    ///   `busy` if the end of a pipe's content does not come in time; what opening the file throws.
    static func reading(
        file path: String, timeout: Duration
    ) throws(BullaError) -> SecretText {
        let file = try KeyFile.open(path)
        return try reading(descriptor: file.descriptor, name: path, timeout: timeout)
    }

    static func reading(
        descriptor: Int32, name: String, timeout: Duration
    ) throws(BullaError) -> SecretText {
        var text = try SecretText(name: name)
        let deadline = ContinuousClock.now.advanced(by: timeout)
        while text.count < limit {
            try KeyFile.wait(for: descriptor, until: deadline, name: name, timeout: timeout)
            let (position, room) = (text.count, limit - text.count)
            let got = text.bytes.withMutableView {
                unsafe read(descriptor, $0.base + position, room)
            }
            if got < 0 && (errno == EINTR || errno == EAGAIN) { continue }
            guard got >= 0 else { throw BullaError.system("read a key from \(name)") }
            if got == 0 { break }
            text.count += got
        }
        return text
    }

    /// Parses the text as a key.
    consuming func key() throws(BullaError) -> UserKey {
        let trimmed = lengthWithoutNewline()
        if count != UserKey.byteCount, trimmed == UserKey.byteCount * 2 { try decode() }
        guard count == UserKey.byteCount else {
            throw BullaError(
                .invalidKeyLength,
                "take a key from \(name): it has \(found), expected \(UserKey.byteCount) bytes, or "
                    + "\(UserKey.byteCount * 2) hexadecimal digits\(remedy)")
        }
        do throws(CipherError) {
            return try bytes.withView { view throws(CipherError) in
                try view.slice(0, UserKey.byteCount).withSpan { span throws(CipherError) in
                    try UserKey(copying: span)
                }
            }
        } catch { throw BullaError.cipher("take a key", error) }
    }

    /// The text as it is, or without one newline at its end.
    consuming func secret(trimsNewline: Bool) throws(BullaError) -> Secret {
        let (read, name) = (count, name)
        return try bytes.withView { view throws(BullaError) in
            let endsLine = read > 0 && view.load(UInt8.self, at: read - 1) == UInt8(ascii: "\n")
            let kept = trimsNewline && endsLine ? read - 1 : read
            return try view.slice(0, kept).withSpan { span throws(BullaError) in
                try Secret(span, name: name)
            }
        }
    }

    private func lengthWithoutNewline() -> Int {
        bytes.withView { view in
            var length = count
            while length > 0, [0x0A, 0x0D].contains(view.load(UInt8.self, at: length - 1)) {
                length -= 1
            }
            return length
        }
    }

    private mutating func decode() throws(BullaError) {
        let isHex = bytes.withMutableView { view in
            for index in 0..<UserKey.byteCount {
                guard let high = Self.digit(view.view.load(UInt8.self, at: index * 2)),
                    let low = Self.digit(view.view.load(UInt8.self, at: index * 2 + 1))
                else { return false }
                view.store(high << 4 | low, at: index)
            }
            return true
        }
        guard isHex else {
            throw BullaError(
                .invalidKeyLength,
                "take a key from \(name): it has \(UserKey.byteCount * 2) characters, and not all "
                    + "are hexadecimal digits")
        }
        count = UserKey.byteCount
    }

    // MARK: What is wrong with the text

    /// The text's length in bytes or digits, for messages, which never show its content.
    private var found: String {
        guard count < Secret.byteLimit else { return "\(Secret.byteLimit) bytes or more" }
        let digits = lengthWithoutNewline()
        return isHexadecimal(digits) ? "\(digits) hexadecimal digits" : "\(count) bytes"
    }

    /// A hint at the likely mistake, if the text's length and form suggest one.
    private var remedy: String {
        let trimmed = lengthWithoutNewline()
        switch (count, trimmed) {
        case (0, _): return "; it is empty"
        case (UserKey.byteCount + 1, UserKey.byteCount):
            return "; one byte too many, perhaps a newline: head -c 64 takes only the key"
        case (_, 88) where isBase64(trimmed): return "; it looks like base64: decode it first"
        default: return ""
        }
    }

    private func isHexadecimal(_ length: Int) -> Bool {
        length > UserKey.byteCount && all(length) { Self.digit($0) != nil }
    }

    private func isBase64(_ length: Int) -> Bool {
        all(length) {
            switch $0 {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2F, 0x3D: true
            default: false
            }
        }
    }

    private func all(_ length: Int, _ isOne: (UInt8) -> Bool) -> Bool {
        bytes.withView { view in
            (0..<length).allSatisfy { isOne(view.load(UInt8.self, at: $0)) }
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
