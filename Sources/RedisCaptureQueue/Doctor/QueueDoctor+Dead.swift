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
        try await readDead(keys) { captures, others in
            dead += captures
            foreign = (foreign.count + others.count, foreign.example ?? others.first)
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
    /// A member that cannot be an id never becomes one: it is not looked at once more. Each page is taken off before
    /// the next is read, as somebody may have written millions of them.
    func mendDead(_ findings: [QueueFinding], _ keys: PartitionKeys) async throws(QueueError) -> [QueueFinding] {
        var isMended = false
        try await readDead(keys) { (_, foreign) async throws(QueueError) in
            for page in foreign.pages(of: 500) {
                let members = page.map { RedisArgument.buffer($0) }
                _ = try await queue.send([RedisCommand("ZREM", [.string(keys.dead)] + members)])
                isMended = true
            }
        }
        return isMended ? findings : []
    }

    /// Goes through a list of dead letters in pages: the captures whose ids are members, and the members that are none.
    private func readDead(
        _ keys: PartitionKeys, _ body: ([CaptureID], [ByteBuffer]) async throws(QueueError) -> Void
    ) async throws(QueueError) {
        try await queue.pages("ZSCAN", [.string(keys.dead)], ["COUNT", 1000]) { (items) async throws(QueueError) in
            var (captures, foreign): ([CaptureID], [ByteBuffer]) = ([], [])
            for index in stride(from: 0, to: items.count - 1, by: 2) {
                guard let member = items[index].buffer else { continue }
                let name = String(buffer: member)
                // In upper case it is another member than the capture's own.
                if let capture = CaptureID(name), capture.description == name {
                    captures.append(capture)
                } else {
                    foreign.append(member)
                }
            }
            try await body(captures, foreign)
        }
    }

    /// The beginning of a member as a Swift literal: somebody may have written any bytes, and a finding goes into the
    /// audit.
    private static func shown(_ member: ByteBuffer) -> String {
        let beginning = String(decoding: member.readableBytesView.prefix(256), as: UTF8.self)
        return String(reflecting: String(String.UnicodeScalarView(beginning.unicodeScalars.prefix(64))))
    }
}
