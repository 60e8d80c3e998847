/// What has secrets of its own, made of a store, and has to end with it.
protocol StoreDependent: AnyObject, Sendable {
    func endWithStore()
}
