import BullaCipher
import BullaMemory

/// A cipher whose keys the test knows, and one page of its file.
struct PageFixture {
    let cipher: PageCipher
    let context: PageContext
    let content: Bytes

    init(
        _ suite: Suite, pageByteCount: Int = 4096, key: [UInt8] = pattern(64),
        file: FileIdentifier = .known(), formatVersion: UInt16 = 1
    ) throws {
        cipher = try PageCipher(
            suite: suite, key: try SecretBytes(known: key), fileIdentifier: file,
            formatVersion: formatVersion, pageByteCount: pageByteCount)
        context = PageContext(
            pageNumber: 7, birth: 40, epoch: suite == .plain ? 0 : 3, kind: 2)
        content = Bytes(pattern(pageByteCount - TrailerField.totalByteCount, from: 5))
    }

    /// Seals the page, and returns it with the check that a parent would store.
    func seal() throws -> (page: Bytes, check: UInt64) {
        let page = Bytes(count: cipher.pageByteCount)
        var batch = SealBatch()
        batch.append(content: content.view, sealed: page.mutableView, context: context)
        try cipher.seal(&batch)
        return (page, batch.check(at: 0))
    }
}

extension PageCipher {
    /// Opens a page, and returns the outcome and the bytes left in the place of the content.
    func outcome(of page: Bytes, context: PageContext, check: UInt64) -> PageOutcome {
        let content = Bytes(count: contentByteCount, filledWith: 0xff)
        do throws(CipherError) {
            try open(page.view, into: content.mutableView, context: context, check: check)
        } catch {
            return PageOutcome(error: error.code, content: content.array)
        }
        return PageOutcome(error: nil, content: content.array)
    }
}

struct PageOutcome: Equatable {
    let error: CipherError.Code?
    let content: [UInt8]

    /// Whether the page was refused, and only zeros were left.
    func isRefused(as code: CipherError.Code) -> Bool {
        error == code && content.allSatisfy { $0 == 0 }
    }
}

extension FileIdentifier {
    static func known(_ start: Int = 0) -> FileIdentifier {
        FileIdentifier(Bytes(pattern(16, from: start)).view)
    }
}

/// The check in a sealed page: the first eight bytes of its tag.
func check(in page: Bytes) -> UInt64 {
    let trailer = page.count - TrailerField.totalByteCount
    return page.view.load(UInt64.self, at: trailer + TrailerField.tag.offset)
}
