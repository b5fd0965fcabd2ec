import CaptureModel
import CaptureQueue
import NIOCore
import RedisClient

extension QueueDoctor {
    /// Looks for dead letters without a job, and for members of their list that are no ids.
    func examineDead(_ partition: Int, _ examination: inout QueueExamination) async throws(QueueError) {
        let keys = queue.keyspace[partition]
        guard examination.canRead(keys.dead, lookingFor: .deadLetterWithoutJob) else { return }
        var dead: [CaptureID] = []
        var foreign: (count: Int, example: ByteBuffer?) = (0, nil)
        try await readDead(keys) { capture, member in
            if let capture {
                dead.append(capture)
            } else {
                foreign = (foreign.count + 1, foreign.example ?? member)
            }
        }
        if let example = foreign.example {
            let subject = "\(keys.dead): \(foreign.count), such as \(Self.shown(example))"
            examination.note(QueueFinding(.deadEntryWithoutCapture, subject, partition: partition))
        }
        for page in dead.pages(of: 500) {
            let replies = try await queue.send(page.map { RedisCommand("EXISTS", [.string(keys.job($0))]) })
            let jobless = zip(page, replies).filter { $0.1.int == 0 }.map(\.0)
            try await examine(jobless, keys, &examination)
        }
    }

    /// Takes all members that are no ids off a list of dead letters.
    ///
    /// What can be no capture's id is none at any time: it is not looked at once more.
    func mendDead(_ findings: [QueueFinding], _ keys: PartitionKeys) async throws(QueueError) -> [QueueFinding] {
        guard !findings.isEmpty else { return [] }
        var foreign: [RedisArgument] = []
        try await readDead(keys) { capture, member in
            if capture == nil { foreign.append(.buffer(member)) }
        }
        for page in foreign.pages(of: 500) {
            _ = try await queue.send([RedisCommand("ZREM", [.string(keys.dead)] + page)])
        }
        return foreign.isEmpty ? [] : findings
    }

    /// Goes through a list of dead letters: each member with the capture of which it is the id.
    private func readDead(
        _ keys: PartitionKeys, _ body: (CaptureID?, ByteBuffer) -> Void
    ) async throws(QueueError) {
        try await queue.pages("ZSCAN", [.string(keys.dead)], ["COUNT", 1000]) { items in
            for index in stride(from: 0, to: items.count - 1, by: 2) {
                guard let member = items[index].buffer else { continue }
                let name = String(buffer: member)
                // In upper case it is another member than the capture's own.
                body(CaptureID(name).flatMap { $0.description == name ? $0 : nil }, member)
            }
        }
    }

    /// The beginning of a member as a Swift literal: somebody may have written any bytes, and a finding goes into the
    /// audit.
    private static func shown(_ member: ByteBuffer) -> String {
        let beginning = String(decoding: member.readableBytesView.prefix(256), as: UTF8.self)
        return String(reflecting: String(String.UnicodeScalarView(beginning.unicodeScalars.prefix(64))))
    }
}
