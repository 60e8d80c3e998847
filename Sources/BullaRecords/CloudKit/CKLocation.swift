public import Foundation

/// A location on the globe, in place of `CLLocation`, which does not exist on Linux.
public struct CKLocation: Hashable, Sendable {
    /// Degrees, positive to the north.
    public var latitude: Double
    /// Degrees, positive to the east.
    public var longitude: Double
    /// Meters above sea level; this and each property below is `nil` if it was not measured.
    public var altitude: Double?
    /// Meters.
    public var horizontalAccuracy: Double?
    /// Meters.
    public var verticalAccuracy: Double?
    /// Degrees clockwise from north.
    public var course: Double?
    /// Meters per second.
    public var speed: Double?
    /// The time of the measurement; stored in milliseconds.
    public var timestamp: Date?

    /// A location without further details.
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    init(_ location: Location) {
        self.init(latitude: location.latitude, longitude: location.longitude)
        (altitude, course, speed) = (location.altitude, location.course, location.speed)
        horizontalAccuracy = location.horizontalAccuracy
        verticalAccuracy = location.verticalAccuracy
        timestamp = location.timestamp.map { Date(milliseconds: $0) }
    }

    /// The stored form; `nil` if the time cannot be stored.
    var stored: Location? {
        var location = Location(latitude: latitude, longitude: longitude)
        (location.altitude, location.course, location.speed) = (altitude, course, speed)
        location.horizontalAccuracy = horizontalAccuracy
        location.verticalAccuracy = verticalAccuracy
        guard let timestamp else { return location }
        guard let milliseconds = timestamp.milliseconds else { return nil }
        location.timestamp = milliseconds
        return location
    }
}

extension Date {
    init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }

    /// Milliseconds since 1970, rounded; `nil` if they do not fit in 64 bits.
    var milliseconds: Int64? { Int64(exactly: (timeIntervalSince1970 * 1_000).rounded()) }
}
