import DeviceSimulator

/// A fault and when it begins, counted from the start of the load.
package struct PlannedFault: Sendable, Hashable {
    /// When it begins.
    package let at: Duration
    /// What happens.
    package let fault: Fault
}

/// The faults of a run, drawn from its seed before it begins.
///
/// The same options and seed give the same schedule. Kinds are dealt like cards: each comes once before any comes
/// again, so that a short run meets many of them.
package struct FaultSchedule: Sendable {
    /// In the order of their beginnings.
    package let faults: [PlannedFault]

    /// Draws the faults of a run.
    package init(_ options: ChaosOptions) {
        var dealer = Dealer(options: options)
        var faults: [PlannedFault] = []
        var at = Self.warmUp
        // Nothing begins so late that it would outlast the load for long.
        while at < options.duration {
            faults.append(PlannedFault(at: at, fault: dealer.next()))
            at += dealer.between(options.gap.lowerBound, options.gap.upperBound)
        }
        self.faults = faults
    }

    /// The load comes up to speed first.
    private static let warmUp: Duration = .milliseconds(800)
}

/// Deals faults.
private struct Dealer {
    private enum Card: CaseIterable {
        case workerKilled, workerFrozen, gatewayKilled, gatewayFrozen
        case redisKilled, redisFlushed, redisWithoutFunctions, redisFrozen
        case postgresRestarted, postgresKilled, sessionsTerminated
        case cut, stalled, answersLost, slowed
    }

    private let options: ChaosOptions
    private var generator: SeededGenerator
    private var deck: [Card] = []

    init(options: ChaosOptions) {
        self.options = options
        generator = SeededGenerator(seed: options.seed).derived(1)
    }

    mutating func between(_ low: Duration, _ high: Duration) -> Duration {
        .milliseconds(Int64.random(in: low.milliseconds...high.milliseconds, using: &generator))
    }

    mutating func next() -> Fault {
        if deck.isEmpty { deck = cards.shuffled(using: &generator) }
        return fault(deck.removeLast())
    }

    /// Workers die and freeze twice as often as anything else; a flush only where accepted captures survive one.
    private var cards: [Card] {
        Card.allCases.filter { $0 != .redisFlushed || options.survivesFlush } + [.workerKilled, .workerFrozen]
    }

    private mutating func fault(_ card: Card) -> Fault {
        switch card {
        case .workerKilled: .killed(program(.worker), downFor: between(.zero, .seconds(2)))
        // Past the lease: what it holds has been taken over when it goes on.
        case .workerFrozen: .frozen(program(.worker), lasting: options.lease + between(.milliseconds(500), .seconds(4)))
        case .gatewayKilled: .killed(program(.gateway), downFor: between(.zero, .seconds(2)))
        case .gatewayFrozen: .frozen(program(.gateway), lasting: between(.milliseconds(500), .seconds(7)))
        case .redisKilled: .redisKilled(downFor: between(.zero, .seconds(3)))
        case .redisFlushed: .redisFlushed
        case .redisWithoutFunctions: .redisWithoutFunctions(downFor: between(.zero, .seconds(1)))
        case .redisFrozen: .redisFrozen(lasting: between(.milliseconds(300), .seconds(7)))
        case .postgresRestarted: .postgresRestarted(downFor: between(.zero, .seconds(2)))
        case .postgresKilled: .postgresKilled(downFor: between(.zero, .seconds(3)))
        case .sessionsTerminated: .sessionsTerminated
        case .cut: .cut(links())
        case .stalled: .stalled(links(), lasting: between(.milliseconds(500), .seconds(8)))
        case .answersLost: .answersLost(links(), lasting: between(.milliseconds(50), .seconds(2)))
        case .slowed:
            .slowed(
                links(), by: between(.milliseconds(5), .milliseconds(150)), lasting: between(.seconds(1), .seconds(4)))
        }
    }

    private mutating func program(_ role: ChaosProgram.Role) -> ChaosProgram {
        options.programs.filter { $0.role == role }.randomElement(using: &generator) ?? options.programs[0]
    }

    /// One program's links to one server, or everybody's.
    private mutating func links() -> LinkChoice {
        let server: LinkChoice.Server = Bool.random(using: &generator) ? .redis : .postgres
        let everybody = Int.random(in: 0..<4, using: &generator) == 0
        let one = options.programs.randomElement(using: &generator) ?? options.programs[0]
        return LinkChoice(server: server, programs: everybody ? options.programs : [one])
    }
}

extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int64 { Int64(self / .milliseconds(1)) }
}
