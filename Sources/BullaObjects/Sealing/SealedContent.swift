internal import Bulla
internal import BullaMemory

/// The sealed blob of an object, as its row holds it.
struct SealedContent {
    private let stored: SealedBytes
    private let spot: SealedSpot
    private let name: SealedName
    private let content: ContentBinding
    private let bindings: _ObjectBindings

    /// - Throws: `damaged` if the row has no blob.
    init(
        _ object: ObjectBytes, _ binding: TypeBinding, _ bindings: _ObjectBindings
    ) throws(ObjectError) {
        guard let content = binding.content, let table = binding.table else {
            throw binding.layout.damaged(ModelDefinition.contentName)
        }
        guard let stored = object.row.sealed(content.property) else {
            throw ObjectError(
                .damaged, "open \(table.text(ofKey: object.key)): its sealed blob is not there")
        }
        self.init(stored, key: object.key.copied(), table, content, bindings)
    }

    init(
        _ stored: SealedBytes, key: [UInt8], _ table: ObjectTable, _ content: ContentBinding,
        _ bindings: _ObjectBindings
    ) {
        (self.stored, self.content, self.bindings) = (stored, content, bindings)
        spot = SealedSpot(table.number, key, content.property, isContent: false)
        name = SealedName(layout: table.layout, number: content.property)
    }

    /// Opens the blob, and lends its row, which is wiped when `body` returns or throws.
    ///
    /// - Throws: what `body` throws; `sealed`; `damaged` if the blob is not a row.
    func withOpened<R>(_ body: (Row) throws(ObjectError) -> R) throws(ObjectError) -> R {
        var failure: ObjectError?
        let text = { name.text(spot, in: bindings) }
        do {
            return try bindings.vaults.using(name.vault, "open \(text())") {
                vault, tree throws(BullaError) in
                try ofVault {
                    try vault.open(stored.blob, for: spot.identity(tree, stored.sequence)) { span in
                        do throws(ObjectError) {
                            return try span.withView { view throws(ObjectError) in
                                guard let row = Row(view), row.isInOrder else {
                                    throw ObjectError(
                                        .damaged, "open \(text()): the sealed bytes are no row")
                                }
                                return try body(row)
                            }
                        } catch {
                            failure = error
                            throw error
                        }
                    }
                }
            }
        } catch { throw failure ?? error }
    }
}

extension BullaError {
    /// Whether the blob is lost: the vault that the model names can never open it.
    fileprivate var isOfLostBlob: Bool { code == .sealDamaged || code == .otherVault }
}

/// The properties that a model seals together, while they are being written.
struct ContentDraft {
    private var row = RowDraft()
    private var sealed: [SealedPart] = []
    private let content: ContentBinding

    init(_ content: ContentBinding) {
        self.content = content
        row.begin(count: content.type.layout.count)
    }

    mutating func set(_ ordinal: Int, _ value: ByteView) {
        let number = content.type.numbers[ordinal]
        if !content.type.layout.isOmitted(value, number) { row.set(number, value) }
    }

    mutating func add(_ value: some SealedProperty, _ ordinal: Int) {
        sealed.append(SealedPart(number: content.type.numbers[ordinal], value: value))
    }

    /// Seals the properties into the row of their object.
    func seal(
        by sealer: Sealer, _ layout: ObjectLayout, into row: inout RowDraft, over former: Row?,
        _ replaced: inout [ReplacedValue]
    ) throws(ObjectError) {
        let stored = former?.sealed(content.property)
        let finished = try finish(by: sealer, over: stored)
        replaced += finished.replaced
        let spot = SealedSpot(
            sealer.table.number, sealer.key, content.property, isContent: false)
        let name = SealedName(layout: layout, number: content.property)
        let bytes = try sealer.seal(
            RowContent(bytes: finished.bytes), at: spot, over: stored, name)
        bytes.bytes.withView { row.set(content.property, $0) }
    }

    private func finish(
        by sealer: Sealer, over former: SealedBytes?
    ) throws(ObjectError) -> (bytes: [UInt8], replaced: [ReplacedValue]) {
        guard let former else { return try row(by: sealer, over: nil) }
        let content = SealedContent(former, key: sealer.key, sealer.table, content, sealer.bindings)
        var isOpened = false
        do throws(ObjectError) {
            return try content.withOpened { former throws(ObjectError) in
                isOpened = true
                return try row(by: sealer, over: former)
            }
        } catch {
            let isLost = error.code == .damaged || error.cause?.isOfLostBlob == true
            guard !isOpened, isLost else { throw error }
            // A blob that can no longer be opened is replaced, and leaves no former values.
            return try row(by: sealer, over: nil)
        }
    }

    private func row(
        by sealer: Sealer, over former: Row?
    ) throws(ObjectError) -> (bytes: [UInt8], replaced: [ReplacedValue]) {
        var (row, replaced) = (row, [ReplacedValue]())
        let layout = content.type.layout
        for part in sealed {
            try sealer.seal(part, layout, isContent: true, into: &row, over: former, &replaced)
        }
        return (try row.bytes(of: layout), replaced)
    }
}

/// A row that is sealed as raw bytes.
private struct RowContent: Sealable {
    static let _isBytes = true
    let bytes: [UInt8]

    func _sealed(
        in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> [UInt8] { try vault.seal(bytes, for: identity) }

    func _isHeld(
        by blob: [UInt8], in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> Bool {
        try ofVault {
            try bytes.withView { view in
                try view.withSpan { try vault.holds($0, in: blob, for: identity) }
            }
        }
    }

    static func _opened(
        _ blob: [UInt8], in vault: Vault, for identity: SealedIdentity
    ) throws(BullaError) -> RowContent {
        RowContent(
            bytes: try ofVault {
                try vault.open(blob, for: identity) { span in span.withView { $0.copied() } }
            })
    }
}
