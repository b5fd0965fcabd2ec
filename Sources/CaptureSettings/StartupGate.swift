import Synchronization

/// Closed until the ``StartupCheck`` has passed: programs listen before, and take no capture before.
public final class StartupGate: Sendable {
    private let state = Atomic<Bool>(false)

    /// Makes a closed one.
    public init() {}

    /// Whether the check has passed.
    public var isOpen: Bool { state.load(ordering: .acquiring) }

    /// Notes that it has.
    func open() { state.store(true, ordering: .releasing) }
}
