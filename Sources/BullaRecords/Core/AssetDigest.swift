internal import BullaCipher
internal import BullaMemory

/// What the chunks of a file are, all together: the SHA-256 of their tags.
///
/// Each chunk is authenticated by itself; this says that they are those of one upload.
struct AssetDigest {
    private var tags: [UInt8] = []

    mutating func add(_ tag: [UInt8]) { tags += tag }

    func bytes() throws(RecordError) -> [UInt8] {
        do throws(CipherError) {
            return try tags.withView { tags throws(CipherError) in
                try KeyDerivation.sha256(tags).bytes
            }
        } catch { throw RecordError.cipher("digest an asset", error) }
    }
}
