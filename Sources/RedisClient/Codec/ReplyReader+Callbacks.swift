import CHiredis
import NIOCore

/// The way from hiredis to the ``ReplyBuilder``.
extension ReplyReader {
    /// The return value of every callback, `nil` for failure; hiredis only compares it with `nil` and never follows it.
    private static func token(_ accepted: Bool, _ task: UnsafePointer<redisReadTask>) -> UnsafeMutableRawPointer? {
        accepted ? unsafe task.pointee.privdata : nil
    }

    private static func builder(of task: UnsafePointer<redisReadTask>) -> ReplyBuilder? {
        unsafe task.pointee.privdata.map { unsafe Unmanaged<ReplyBuilder>.fromOpaque($0).takeUnretainedValue() }
    }

    /// What hiredis calls for each value that it has read.
    static func makeFunctions() -> redisReplyObjectFunctions {
        unsafe redisReplyObjectFunctions(
            createString: { task, bytes, length in
                guard let task = unsafe task, let bytes = unsafe bytes else { return nil }
                return unsafe ReplyReader.token(ReplyReader.addString(task, UnsafeRawPointer(bytes), length), task)
            },
            createArray: { task, count in
                guard let task = unsafe task else { return nil }
                return unsafe ReplyReader.token(
                    ReplyReader.builder(of: task)?.openArray(count: Int(count)) ?? false, task)
            },
            createInteger: { task, value in
                guard let task = unsafe task else { return nil }
                return unsafe ReplyReader.token(
                    ReplyReader.builder(of: task)?.add(payloadBytes: 8) { .integer(value) } ?? false, task)
            },
            createNil: { task in
                guard let task = unsafe task else { return nil }
                return unsafe ReplyReader.token(
                    ReplyReader.builder(of: task)?.add(payloadBytes: 0) { .null } ?? false, task)
            },
            // The builder owns the values and frees them.
            freeObject: { _ in }
        )
    }

    private static func addString(
        _ task: UnsafePointer<redisReadTask>, _ bytes: UnsafeRawPointer, _ length: Int
    ) -> Bool {
        guard let builder = unsafe builder(of: task) else { return false }
        if let large = builder.large.take() { return builder.add(payloadBytes: large.readableBytes) { .bulk(large) } }
        let type = unsafe task.pointee.type
        return builder.add(payloadBytes: length) {
            // hiredis has checked that two more bytes are there, but not that they are CRLF.
            let all = unsafe UnsafeRawBufferPointer(start: bytes, count: length + 2)
            guard unsafe all[length] == UInt8(ascii: "\r"), unsafe all[length + 1] == UInt8(ascii: "\n") else {
                return nil
            }
            let payload = unsafe UnsafeRawBufferPointer(rebasing: all[..<length])
            switch type {
            case REDIS_REPLY_STRING: return unsafe .bulk(ByteBuffer(bytes: payload))
            case REDIS_REPLY_ERROR: return unsafe .error(RedisServerError(String(decoding: payload, as: UTF8.self)))
            default: return unsafe .simple(String(decoding: payload, as: UTF8.self))
            }
        }
    }
}
