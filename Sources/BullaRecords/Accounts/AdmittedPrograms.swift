internal import Bulla
internal import BullaCipher
internal import BullaMemory

/// The programs that a container's owner admits; each has an API token.
///
/// The keyring stores only a hash of the token.
package struct AdmittedPrograms: Sendable {
    private let store: Store

    init(_ store: Store) { self.store = store }

    private func rows(_ place: Place) -> PlaceRows { PlaceRows(store, "programs", place) }

    /// Admits a program.
    ///
    /// - Parameter name: its name in lists.
    /// - Returns: its token, 64 hexadecimal digits, which cannot be read again.
    package func add(
        _ name: String, in place: Place
    ) throws(RecordError) -> String {
        guard NameRules.isAccountName(name) else {
            throw RecordError(
                .invalidArguments,
                "admit a program: a name has 1 to 255 bytes, without spaces or control characters")
        }
        return try RecordError.attempt("admit a program") {
            guard try !rows(place).rows().contains(where: { $0.row == Array(name.utf8) }) else {
                throw RecordError(.invalidArguments, "admit a program: another one has this name")
            }
            let token = Hexadecimal.text(
                try [UInt8](byteCount: Self.tokenByteCount) { token throws(CipherError) in
                    try KernelRandom.fill(token)
                })
            _ = try rows(place).insert(Array(name.utf8), Self.hash(token).bytes)
            return token
        }
    }

    /// Whether a token belongs to an admitted program.
    ///
    /// The token is looked up by its hash, so the time that the lookup takes reveals nothing about
    /// the token.
    package func knows(_ token: String, in place: Place) throws(RecordError) -> Bool {
        try RecordError.attempt("look up a program") {
            try rows(place).row(Self.hash(token).bytes) != nil
        }
    }

    /// The names of the admitted programs.
    package func names(in place: Place) throws(RecordError) -> [String] {
        try RecordError.attempt("list programs") {
            try rows(place).rows().map { String(decoding: $0.row, as: UTF8.self) }.sorted()
        }
    }

    /// Revokes the admission of a program.
    ///
    /// - Throws: `unknownItem` if no program has this name.
    package func remove(_ name: String, in place: Place) throws(RecordError) {
        try RecordError.attempt("remove a program") {
            let rows = rows(place)
            let keys = try rows.rows().filter { $0.row == Array(name.utf8) }.map(\.key)
            guard try rows.delete(keys) > 0 else {
                throw RecordError(.unknownItem, "remove a program: none has this name")
            }
        }
    }

    private static let tokenByteCount = 32

    /// A token has as many random bytes as its hash: too many to guess, so it needs no stretching.
    private static func hash(_ token: String) throws(CipherError) -> Digest {
        let bytes = Array("bulla api token\u{0}".utf8) + Array(token.utf8)
        return try bytes.withView { view throws(CipherError) in try KeyDerivation.sha256(view) }
    }
}
