import Bulla
import BullaTestSupport

extension StoreKind {
    /// Opens a store of this kind; makes it if it does not exist.
    func open(
        _ path: String, pageByteCount: Int? = nil, _ adjust: (inout StoreOptions) -> Void = { _ in }
    ) throws -> Store {
        var options = StoreOptions()
        options.pageByteCount = pageByteCount
        options.suite = suite
        options.lockTimeout = TestMode.patience
        adjust(&options)
        return try Store.open(at: path, key: key(), options: options)
    }
}
