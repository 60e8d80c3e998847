internal import BullaCipher
internal import BullaMemory
internal import CBullaShared
internal import Glibc

/// A key as it comes from outside, in memory that is wiped.
struct SecretText: ~Copyable {
    private var bytes: SecretBytes
    private var count: Int
    private let name: String

    /// More than any form of a key has, so that a longer one is told by its length.
    private static let limit = 4096

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

    static func reading(file path: String) throws(BullaError) -> SecretText {
        let descriptor = unsafe bulla_open(path, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw BullaError.system("open key file \(path)") }
        defer { _ = close(descriptor) }
        var about = stat()
        guard unsafe fstat(descriptor, &about) == 0 else {
            throw BullaError.system("stat key file \(path)")
        }
        let mode = about.st_mode & 0o777
        guard mode & 0o077 == 0 else {
            throw BullaError(
                .invalidArgument,
                "read key file \(path): its mode is 0\(String(mode, radix: 8)), "
                    + "expected 0600 or stricter"
            )
        }
        return try reading(descriptor: descriptor, name: path)
    }

    static func reading(descriptor: Int32, name: String) throws(BullaError) -> SecretText {
        var text = try SecretText(name: name)
        while text.count < limit {
            let (position, room) = (text.count, limit - text.count)
            let got = text.bytes.withMutableView {
                unsafe read(descriptor, $0.base + position, room)
            }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw BullaError.system("read a key from \(name)") }
            if got == 0 { break }
            text.count += got
        }
        return text
    }

    /// The key that the text stands for.
    consuming func key() throws(BullaError) -> UserKey {
        let trimmed = lengthWithoutNewline()
        if count != UserKey.byteCount, trimmed == UserKey.byteCount * 2 { try decode() }
        guard count == UserKey.byteCount else {
            throw BullaError(
                .invalidKeyLength,
                "take a key from \(name): it has \(count) bytes, expected \(UserKey.byteCount), or "
                    + "\(UserKey.byteCount * 2) hexadecimal digits")
        }
        do throws(CipherError) {
            return try bytes.withView { view throws(CipherError) in
                try view.slice(0, UserKey.byteCount).withSpan { span throws(CipherError) in
                    try UserKey(copying: span)
                }
            }
        } catch { throw BullaError.cipher("take a key", error) }
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
                "take a key from \(name): its 128 characters are not all hexadecimal")
        }
        count = UserKey.byteCount
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
