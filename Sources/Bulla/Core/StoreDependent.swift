/// An object that was made from a store, has secrets of its own, and must end with the store.
protocol StoreDependent: AnyObject, Sendable {
    func endWithStore()
}
