/// An object that was made from a store, holds secrets, and must end with the store.
protocol StoreDependent: AnyObject, Sendable {
    func endWithStore()
}
