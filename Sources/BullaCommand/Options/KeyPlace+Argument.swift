internal import ArgumentParser
internal import Bulla
internal import BullaKeyPlaces

extension KeyPlace: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }

    /// Refuses a descriptor that is given for several keys: reading the first key would read the
    /// descriptor to its end, and leave nothing for the second.
    static func checkApart(_ places: [KeyPlace?]) throws {
        let numbers = places.compactMap { place -> Int32? in
            guard case .descriptor(let number)? = place else { return nil }
            return number
        }
        guard Set(numbers).count == numbers.count else {
            throw ValidationError("a descriptor gives one key: read one of the two from elsewhere")
        }
    }
}

extension KeyRequest {
    /// Reads the key for a command.
    ///
    /// - Parameter timeout: how long to wait for a key that comes through a pipe.
    /// - Throws: ``CommandExit/noPermission`` for an invalid key, or one that others can read.
    func key(within timeout: Duration) throws -> StoreKey {
        if case .descriptor(let number) = place { Descriptor.keepFromChildren(number) }
        do { return try key(within: timeout, logger: MessageLog.logger()) } catch {
            throw CommandError(error, as: error.code == .invalidArgument ? .noPermission : nil)
        }
    }
}
