/// The outcome of a registration.
package enum RegistrationOutcome: Sendable, Equatable {
    /// The device is registered.
    case created
    /// The key is registered to another device, or the id with another key.
    case conflict
}
