import DequeModule

/// The state of a turnstile: which places are free and which calls wait; the turnstile carries its decisions out.
///
/// Nobody overtakes: while a call waits, no place is free that it takes. A call that waits has its number, and with it
/// its place in line, from the moment that it comes. Its task is suspended a little later; an answer that comes between
/// the two is kept for it.
struct TurnstileState<Waiter> {
    typealias Place = Turnstile.Place
    typealias Answer = Result<Turnstile.Place, Turnstile.Refusal>

    /// What becomes of a call that comes.
    enum Entry {
        case answered(Answer)
        /// It is in line, and ``suspend(_:as:)`` comes next.
        case waits(number: UInt64)
    }

    /// A call in line, which has no answer yet.
    private struct Call {
        let number: UInt64
        let isPreferredOnly: Bool
        /// What resumes its task; `nil` until that is suspended.
        var waiter: Waiter?
    }

    private let placesMax: Int
    private let waitersMax: Int
    /// Free places that were given back as preferred; the last one is taken next.
    private var preferred: [Place] = []
    /// The other free places that were taken before; the first one is taken next.
    private var others: Deque<Place> = []
    /// How many places were ever taken: those of the lowest numbers.
    private var used = 0
    private var taken = 0
    private var line: Deque<Call> = []
    private var lastNumber: UInt64 = 0
    /// Answers to calls whose tasks are not suspended yet.
    private var early: [UInt64: Answer] = [:]
    private(set) var isClosed = false

    init(placesMax: Int, waitersMax: Int) {
        precondition(placesMax > 0 && waitersMax >= 0, "a turnstile without places")
        self.placesMax = placesMax
        self.waitersMax = waitersMax
    }

    var status: Turnstile.Status {
        .init(taken: taken, idle: preferred.count + others.count, waiting: line.count)
    }

    /// Takes a free place, or lines up.
    mutating func enter(isPreferredOnly: Bool = false) -> Entry {
        if isClosed { return .answered(.failure(.closed)) }
        if let place = preferred.popLast() ?? (isPreferredOnly ? nil : others.popFirst() ?? unused()) {
            taken += 1
            return .answered(.success(place))
        }
        guard line.count < waitersMax else { return .answered(.failure(.full)) }
        lastNumber += 1
        line.append(Call(number: lastNumber, isPreferredOnly: isPreferredOnly))
        return .waits(number: lastNumber)
    }

    private mutating func unused() -> Place? {
        guard used < placesMax else { return nil }
        used += 1
        return Place(number: used - 1)
    }

    /// Notes what resumes the task of a call that waits; returns the answer instead if there is one already.
    mutating func suspend(_ waiter: Waiter, as number: UInt64) -> Answer? {
        if let answer = early.removeValue(forKey: number) { return answer }
        guard let index = line.lastIndex(where: { $0.number == number }) else {
            preconditionFailure("a call that is not in line")
        }
        line[index].waiter = waiter
        return nil
    }

    /// Takes a call out of the line, unless it has its answer; returns what to resume with the refusal.
    mutating func turnAway(_ number: UInt64, _ refusal: Turnstile.Refusal) -> Waiter? {
        guard let index = line.firstIndex(where: { $0.number == number }) else { return nil }
        return answer(line.remove(at: index), .failure(refusal))
    }

    /// Takes a place back; returns what to resume with it, if a call gets it next.
    mutating func leave(_ place: Place, isPreferred: Bool) -> Waiter? {
        assert(taken > 0 && !preferred.contains(place) && !others.contains(place), "a place that was not taken")
        if let next = line.firstIndex(where: { isPreferred || !$0.isPreferredOnly }) {
            return answer(line.remove(at: next), .success(place))
        }
        taken -= 1
        guard !isClosed else { return nil }
        if isPreferred { preferred.append(place) } else { others.append(place) }
        return nil
    }

    /// Closes the turnstile; returns the idle places, and what to resume with ``Turnstile/Refusal/closed``.
    mutating func close() -> (idle: [Place], waiters: [Waiter]) {
        isClosed = true
        defer {
            preferred = []
            others = []
            line = []
        }
        return (preferred + others, line.compactMap { answer($0, .failure(.closed)) })
    }

    /// Gives a call its answer: keeps it if the task is not suspended yet, or returns what to resume with it.
    private mutating func answer(_ call: Call, _ answer: Answer) -> Waiter? {
        if call.waiter == nil { early[call.number] = answer }
        return call.waiter
    }
}
