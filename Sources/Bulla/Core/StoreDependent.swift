/// An object made of a store, with secrets of its own, that has to end with the store.
protocol StoreDependent: AnyObject, Sendable {
    func endWithStore()
}
