internal import BullaCipher
internal import BullaMemory

/// The digest of all chunks of a file: the SHA-256 of their tags.
///
/// Each chunk is authenticated by itself; the digest proves that they all belong to one upload.
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
