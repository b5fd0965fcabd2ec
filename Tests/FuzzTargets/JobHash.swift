import CaptureModel
import CaptureQueue
import NIOCore
import RedisCaptureQueue
import RedisClient

/// A job that is taken is of its lane's device, has every value in its range and is the same job when it is written
/// again.
///
/// The input is a hash: records end with the byte 1E; `name:text` is a string, `name=number` an integer, `name` a null.
func fuzzJobFields(_ input: [UInt8]) throws(BrokenProperty) {
    let fields = input.split(separator: 0x1E).map(Field.init)
    let hash = JobFields(names: fields.map(\.name), values: fields.map(\.value)[...])
    // The device of the corpus.
    guard let capture = CaptureID("01890000-0000-7000-8000-000000000001"),
        let device = DeviceID("01890000-0000-4000-8000-000000000001")
    else { throw BrokenProperty(description: "the ids are ids") }
    let now = Timestamp(millisecondsSince1970: 1_800_000_000_000)
    if let status = hash.status(capture) {
        try property(status.id == capture && status.attempts >= 0, "a status has no negative attempts")
        let moments = [status.receivedAt, status.claimedAt, status.settledAt, status.nextAttemptAt].compactMap(\.self)
        try property(moments.allSatisfy { !$0.rfc3339.isEmpty }, "the moments of a status can be written")
    }
    guard case .valid(let job) = hash.job(capture, of: device, claimedAt: now) else { return }
    let submission = job.submission
    try property(submission.device == device, "a claimed job is of its lane's device")
    try property(job.id == capture && job.claimedAt == now, "id and time are the claim's")
    try property(submission.photoBytes >= 0 && submission.depthBytes >= 0, "sizes are not negative")
    try property(job.attempts >= 0, "attempts are not negative")
    try property(submission.receivedAt == job.receivedAt, "a claimed job was received at some time")
    // What every worker does first with these times.
    _ = now.since(job.receivedAt)
    try property(!job.receivedAt.rfc3339.isEmpty, "the time of receipt can be written")
    // A time that 64 bits cannot hold in microseconds stays at the limit, which is no whole millisecond.
    guard job.receivedAt.microsecondsSince1970 % 1000 == 0 else { return }
    try property(
        again(job).job(capture, of: device, claimedAt: now) == .valid(job), "a job written again is the same job")
}

/// One record of the input.
private struct Field {
    let name: String
    let value: RedisValue

    init(_ record: ArraySlice<UInt8>) {
        let mark = record.firstIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") } ?? record.endIndex
        name = String(decoding: record[..<mark], as: UTF8.self)
        let rest = record[mark...].dropFirst()
        if mark == record.endIndex {
            value = .null
        } else if record[mark] == UInt8(ascii: "=") {
            value = .integer(Int64(String(decoding: rest, as: UTF8.self)) ?? 0)
        } else {
            value = .bulk(ByteBuffer(bytes: rest))
        }
    }
}

/// The hash as whoever enqueues a capture writes it.
private func again(_ job: CaptureJob) -> JobFields {
    let submission = job.submission
    let bundle =
        "\(submission.bundleDigest) \(submission.photoBytes) \(submission.depthBytes) 86400000 \(submission.bundleStore)"
    let line = [
        "\(submission.device)", submission.binding.rawValue, submission.photoDigest.hex, submission.depthDigest.hex,
        submission.traceParent ?? "-", "\(submission.assertion.count)",
    ].joined(separator: " ")
    let text = Array("\(line)\n".utf8) + submission.assertion + submission.metadata
    let fields: [(String, RedisValue)] = [
        ("submission", .bulk(ByteBuffer(bytes: text))), ("bundle", .text(bundle)),
        ("received_at", .text("\(job.receivedAt.millisecondsSince1970)")), ("attempts", .text("\(job.attempts)")),
        ("redriven", .text(job.isRedriven ? "1" : "")),
    ]
    return JobFields(names: fields.map(\.0), values: fields.map(\.1)[...])
}

extension RedisValue {
    fileprivate static func text(_ text: String) -> RedisValue { .bulk(ByteBuffer(string: text)) }
}
