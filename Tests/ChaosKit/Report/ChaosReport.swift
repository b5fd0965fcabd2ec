/// What a run showed.
package struct ChaosReport: Sendable {
    /// Gives the same faults and the same captures again.
    package let seed: UInt64
    /// How long captures were sent, in seconds.
    package let seconds: Double
    /// How many bundles were answered 202.
    package let accepted: Int
    /// How many of each kind were sent.
    package let sent: [String: Int]
    /// How often each answer was given.
    package let answers: [String: Int]
    /// How many results there are.
    package let results: Int
    /// How long the queue took to be empty after the load and the last fault, in seconds.
    package let drainSeconds: Double
    /// How long captures took from their 202 to their result, in seconds: half, 99 of 100, all of them at most.
    package let settledWithin: [Double]
    /// The most memory that each program used, in MiB.
    package let memory: [String: Int]
    /// How quickly it went on after faults.
    package let recoveries: [Recovery]
    /// Bundles whose files are left to the workers' sweeper.
    package let orphans: Int
    /// Bytes are kept in files, and no capture's were ever seen there: that none are left says nothing.
    package let hidFiles: Bool
    /// What should not have been.
    package let violations: [Violation]
    /// What is known about captures that violations are about.
    package let histories: [String]

    /// Whether nothing was broken that should not be.
    package var isClean: Bool { violations.isEmpty }

    /// What a run has to have done and this one has not: where it is clean all the same, that shows little.
    package var omissions: [String] {
        let unsent = Sending.Kind.allCases.map(\.rawValue).filter { (sent[$0] ?? 0) == 0 }
        return (accepted == 0 ? ["nothing was accepted"] : [])
            + (hidFiles ? ["no capture's files were ever seen"] : [])
            + (unsent.isEmpty ? [] : ["never sent: \(unsent.joined(separator: ", "))"])
    }

    /// How often each promise was broken.
    package var figures: [(kind: Violation.Kind, count: Int)] {
        Violation.Kind.allCases.map { kind in (kind, violations.count { $0.kind == kind }) }
    }
}

extension ChaosReport: Encodable {
    private enum CodingKeys: String, CodingKey {
        case seed, seconds, accepted, sent, answers, results, recoveries, orphans, histories, clean, figures, omissions
        case drainSeconds = "drain_seconds"
        case settledWithin = "settled_within_seconds"
        case memoryMiB = "memory_mib"
    }

    /// Writes figures by name.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(seed, forKey: .seed)
        try container.encode(seconds, forKey: .seconds)
        try container.encode(isClean, forKey: .clean)
        try container.encode(accepted, forKey: .accepted)
        try container.encode(sent, forKey: .sent)
        try container.encode(answers, forKey: .answers)
        try container.encode(results, forKey: .results)
        try container.encode(drainSeconds, forKey: .drainSeconds)
        try container.encode(settledWithin, forKey: .settledWithin)
        try container.encode(memory, forKey: .memoryMiB)
        try container.encode(orphans, forKey: .orphans)
        try container.encode(recoveries, forKey: .recoveries)
        let figures = Dictionary(uniqueKeysWithValues: figures.map { ($0.kind.rawValue, $0.count) })
        try container.encode(figures, forKey: .figures)
        try container.encode(omissions, forKey: .omissions)
        try container.encode(histories, forKey: .histories)
    }
}
