import AppAttest
package import AppleDeviceCheck
package import CaptureModel
package import CaptureStore
package import Logging
import Observability
import ServiceLifecycle
import Waiting

/// Exchanges the receipts of attested devices for newer ones when they are due, one after the other.
///
/// Every worker runs one. One worker at a time has a receipt: it is claimed in the record with a lease that outlasts an
/// answer, and no transaction is open while Apple is asked. The held receipt is verified before it is sent, as of the
/// moment it was received; a new receipt is verified before it takes the held one's place.
package struct ReceiptRenewer<Store: ReceiptStore, Exchange: ReceiptExchange>: Service {
    private let store: Store
    private let exchange: Exchange
    private let configuration: ReceiptRenewerConfiguration
    private let schedule: ReceiptSchedule
    private let verifier: ReceiptVerifier
    private let heldVerifier: ReceiptVerifier
    private let now: TimeSource
    private let random: @Sendable () -> UInt64
    private let logger: Logger
    private let clock: any Clock<Duration>
    private let log: ReceiptLog

    /// Does nothing before ``run()``.
    /// - Parameters:
    ///   - store: The store whose receipts are renewed.
    ///   - exchange: Asks Apple for newer receipts.
    ///   - configuration: Times, bounds and roots.
    ///   - now: The wall clock, by which receipts are judged and settled.
    ///   - random: 64 random bits, for claims and waits.
    ///   - logger: Logs what an operator has to mend.
    ///   - clock: The clock for waits.
    package init(
        store: Store, exchange: Exchange, configuration: ReceiptRenewerConfiguration, now: @escaping TimeSource,
        random: @escaping @Sendable () -> UInt64, logger: Logger, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.store = store
        self.exchange = exchange
        self.configuration = configuration
        self.now = now
        self.random = random
        self.logger = logger
        self.clock = clock
        log = ReceiptLog(logger: logger)
        schedule = ReceiptSchedule(configuration: configuration)
        verifier = ReceiptVerifier(policy: ReceiptPolicy(roots: configuration.roots))
        // No age limit: a held receipt is checked as of the moment it was received, or is older than these checks.
        heldVerifier = ReceiptVerifier(policy: ReceiptPolicy(roots: configuration.roots, ageMax: nil))
    }

    /// The kind of service, for logs.
    package var description: String { "ReceiptRenewer" }

    /// Exchanges due receipts and waits for more until graceful shutdown or cancellation.
    ///
    /// A receipt that is claimed at that moment is due again when its lease ends.
    package func run() async throws {
        if !configuration.keys.appIDs.contains(where: configuration.isOfTeam) {
            logger.warning(
                "no app of app.ids is of apple.teamID: no receipt is exchanged",
                metadata: ["team_id": "\(configuration.teamID)"])
        }
        try await untilStopped { try await renewForever(on: clock) }
    }

    private func renewForever<C: Clock<Duration>>(on clock: C) async throws {
        var pace = ReceiptPace<C.Instant>(configuration: configuration)
        while true {
            let round = await takeTurn(passingOver: pace.resting(at: clock.now))
            // A round that was stopped in the middle says nothing about Apple or the record.
            try Task.checkCancellation()
            let pause = pace.pause(after: round, at: clock.now, chance: chance())
            log.note(round, isDoubted: round.turn?.environment.map(pace.isDoubted) ?? false)
            try await clock.sleep(for: pause)
        }
    }

    /// For tests: works the receipt that has been due longest and returns its outcome; `nil` when none was due.
    package func renewNext() async throws(StoreError) -> ReceiptOutcome? {
        let round = await takeTurn(passingOver: [])
        if let fault = round.fault { throw fault }
        return round.turn?.settlement.outcome
    }

    /// Works one receipt; its turn is kept, whether or not the record takes the settlement.
    private func takeTurn(passingOver environments: Set<KeyEnvironment>) async -> ReceiptLog.Round {
        var round = ReceiptLog.Round()
        do throws(StoreError) {
            guard
                let claim = try await store.claimReceipt(
                    lease: configuration.lease, token: Int64(bitPattern: random()), passingOver: environments)
            else { return round }
            let turn = await turn(of: claim)
            // After a stop the missing answer must not count as Apple's silence; the lease ends by itself.
            guard !Task.isCancelled else { return round }
            round.turn = turn
            CaptureMetrics.receiptExchange(turn.settlement.outcome)
            log.note(turn, of: claim.device.id)
            // A lost claim is another worker's to settle.
            _ = try await store.settle(claim, as: turn.settlement, at: now())
        } catch {
            round.fault = error
        }
        return round
    }

    private func turn(of claim: ClaimedReceipt) async -> ReceiptLog.Turn {
        func ended(_ reason: ReceiptReason) -> ReceiptLog.Turn {
            .init(settlement: ReceiptSettlement(outcome: .ended, reason: reason, attempts: 0, next: nil))
        }
        guard !claim.device.isRevoked else { return ended(.deviceRevoked) }
        guard let expectation = Self.expectation(of: claim), let environment = claim.device.environment else {
            return ended(.deviceUnattested)
        }
        // This comes before Apple is asked: Apple answers 401 about another team's app, as it does for a refused key,
        // and a 401 would stop all receipts.
        if let reason = configuration.objection(to: claim.device) {
            return .init(settlement: schedule.withheld(reason, chance: chance()))
        }
        let held: VerifiedReceipt
        do throws(ReceiptError) {
            held = try heldVerifier.verify(claim.receipt, expectation, at: claim.receivedAt.date)
        } catch {
            return ended(ReceiptReason(error.code))
        }
        // This machine's clock may be far ahead, so it does not end a receipt for good.
        guard now().date < held.expiresAt else {
            return .init(settlement: schedule.withheld(.expired, chance: chance()))
        }
        let answer = await exchange.exchange(claim.receipt, environment: environment)
        let renewal = Self.expectation(renewing: held, expectation)
        let settlement = schedule.settlement(of: claim, answer, chance: chance()) { bytes throws(ReceiptError) in
            try verifier.verify(bytes, renewal, at: now().date)
        }
        var turn = ReceiptLog.Turn(
            settlement: settlement, environment: environment, host: exchange.host(of: environment))
        switch answer {
        case .unreachable(let fault): turn.fault = fault
        case .overloaded(_, let retryAfter): turn.retryAfter = retryAfter
        default: break
        }
        return turn
    }

    /// What a receipt must satisfy to take the held one's place.
    private static func expectation(
        renewing held: VerifiedReceipt, _ expectation: ReceiptExpectation
    ) -> ReceiptExpectation {
        var expectation = expectation
        expectation.clientDataHash = nil
        expectation.type = .renewal
        expectation.token = held.token
        return expectation
    }

    private static func expectation(of claim: ClaimedReceipt) -> ReceiptExpectation? {
        guard let appID = AppID(of: claim.device), let publicKey = claim.device.publicKey,
            let environment = claim.device.environment.map({ AttestEnvironment($0) })
        else { return nil }
        return ReceiptExpectation(
            appID: appID, publicKey: publicKey, clientDataHash: claim.clientDataHash, environment: environment)
    }

    private func chance() -> Double { Double(randomBits: random()) }
}
