import DeviceSimulator
import Testing

@testable import Waiting

@Suite("Whatever happens at a turnstile", .timeLimit(.minutes(1)))
struct TurnstilePropertyTests {
    /// A turnstile beside a plain model of it; each step compares the two.
    private struct Model {
        /// A call that waits or was told what became of it.
        private struct Call {
            let number: UInt64
            let isPreferredOnly: Bool
            var isSuspended = false
            /// What it was told, or will be once its task is suspended; `nil` while it is in line.
            var answer: Result<Turnstile.Place, Turnstile.Refusal>?
        }

        private let placesMax: Int
        private let waitersMax: Int
        private var state: TurnstileState<UInt64>
        private var inside: [Turnstile.Place] = []
        /// Free places that were given back as preferred.
        private var preferred: Set<Turnstile.Place> = []
        /// All calls that have waited, in the order in which they came.
        private var calls: [Call] = []
        /// How often a call was told what became of it before its task was suspended.
        private(set) var earlyAnswers = 0

        init(using generator: inout SeededGenerator) {
            placesMax = Int.random(in: 1...4, using: &generator)
            waitersMax = Int.random(in: 0...5, using: &generator)
            state = TurnstileState(placesMax: placesMax, waitersMax: waitersMax)
        }

        private var line: [Int] { calls.indices.filter { calls[$0].answer == nil } }
        /// Places that calls were given whose tasks are not suspended yet.
        private var kept: [Turnstile.Place] {
            calls.filter { !$0.isSuspended }.compactMap { try? $0.answer?.get() }
        }

        mutating func step(using generator: inout SeededGenerator) {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: enter()
            case 1: enter(isPreferredOnly: Bool.random(using: &generator))
            case 2:
                if let index = calls.indices.filter({ !calls[$0].isSuspended }).randomElement(using: &generator) {
                    suspend(index)
                }
            case 3:
                // Also one that has its answer already: that one stands.
                if let index = calls.indices.randomElement(using: &generator) {
                    turnAway(index, Bool.random(using: &generator) ? .late : .cancelled)
                }
            default:
                if let place = inside.randomElement(using: &generator) {
                    leave(place, isPreferred: Bool.random(using: &generator))
                }
            }
            check()
        }

        /// Lets everything come to its end; then all places can be taken again.
        mutating func end() {
            while let index = calls.firstIndex(where: { !$0.isSuspended }) { suspend(index) }
            // Those who take preferred places only may wait beside others that are free.
            if inside.isEmpty { enter() }
            while let place = inside.first { leave(place, isPreferred: true) }
            check()
            #expect(inside.isEmpty && line.isEmpty)
            for _ in 0..<placesMax { enter() }
            #expect(Set(inside.map(\.number)) == Set(0..<placesMax))
        }

        private mutating func enter(isPreferredOnly: Bool = false) {
            let waiting = line.count
            let isFree = isPreferredOnly ? !preferred.isEmpty : inside.count + kept.count < placesMax
            switch state.enter(isPreferredOnly: isPreferredOnly) {
            case .answered(.success(let place)):
                #expect(isFree && !inside.contains(place) && !kept.contains(place))
                let isPreferred = preferred.remove(place) != nil
                #expect(isPreferred || (!isPreferredOnly && preferred.isEmpty))
                inside.append(place)
            case .answered(.failure(let refusal)):
                #expect(refusal == .full && !isFree && waiting == waitersMax)
            case .waits(let number):
                #expect(!isFree && waiting < waitersMax && calls.allSatisfy { $0.number < number })
                calls.append(Call(number: number, isPreferredOnly: isPreferredOnly))
            }
        }

        private mutating func suspend(_ index: Int) {
            let told = state.suspend(calls[index].number, as: calls[index].number)
            #expect(told == calls[index].answer)
            calls[index].isSuspended = true
            if let place = try? told?.get() { inside.append(place) }
        }

        private mutating func turnAway(_ index: Int, _ refusal: Turnstile.Refusal) {
            let resumed = state.turnAway(calls[index].number, refusal)
            #expect(resumed == (calls[index].answer == nil ? waiter(index) : nil))
            if calls[index].answer == nil { answer(index, .failure(refusal)) }
        }

        private mutating func leave(_ place: Turnstile.Place, isPreferred: Bool) {
            inside.removeAll { $0 == place }
            let next = line.first { isPreferred || !calls[$0].isPreferredOnly }
            #expect(state.leave(place, isPreferred: isPreferred) == next.flatMap { waiter($0) })
            guard let next else {
                if isPreferred { preferred.insert(place) }
                return
            }
            answer(next, .success(place))
            if calls[next].isSuspended { inside.append(place) }
        }

        /// What resumes a call's task.
        private func waiter(_ index: Int) -> UInt64? { calls[index].isSuspended ? calls[index].number : nil }

        private mutating func answer(_ index: Int, _ answer: Result<Turnstile.Place, Turnstile.Refusal>) {
            calls[index].answer = answer
            if !calls[index].isSuspended { earlyAnswers += 1 }
        }

        private func check() {
            let (taken, status) = (inside + kept, state.status)
            #expect(taken.count <= placesMax && Set(taken).count == taken.count)
            #expect(status.taken == taken.count && status.waiting == line.count && line.count <= waitersMax)
            #expect(status.taken + status.idle <= placesMax)
            #expect(line.isEmpty || preferred.isEmpty, "a call waits beside a free place that is preferred")
            #expect(
                line.allSatisfy { calls[$0].isPreferredOnly } || taken.count == placesMax,
                "a call that takes any place waits beside a free one")
        }
    }

    @Test func `no more are inside than there are places, none is lost, and nobody overtakes`() {
        var earlyAnswers = 0
        for seed in 0..<200 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var model = Model(using: &generator)
            for _ in 0..<100 { model.step(using: &generator) }
            model.end()
            earlyAnswers += model.earlyAnswers
        }
        #expect(earlyAnswers > 200, "hardly any call was told before its task was suspended")
    }
}
