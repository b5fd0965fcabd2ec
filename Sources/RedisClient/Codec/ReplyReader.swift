import CHiredis
package import NIOCore

/// Reads replies out of the server's bytes, with hiredis's parser and values of our own.
///
/// The one owner of a `redisReader`: hiredis keeps the unfinished bytes, ``ReplyBuilder`` the unfinished values, and
/// both go when this goes. After a fault the reader answers with the same fault for ever.
@safe
package struct ReplyReader: ~Copyable {
    private let reader: UnsafeMutablePointer<redisReader>
    private let functions: UnsafeMutablePointer<redisReplyObjectFunctions>
    private let builder: ReplyBuilder
    private let limits: ReplyLimits
    private var fault: ReplyFault?

    /// Unused space that hiredis may keep between replies instead of giving it back after each.
    private static let idleBytesMax = 256 * 1_024

    /// Makes a reader.
    ///
    /// - Throws: `malformed` if there is no memory for it.
    package init(limits: ReplyLimits) throws(ReplyFault) {
        self.limits = limits
        builder = ReplyBuilder(limits: limits)
        unsafe functions = .allocate(capacity: 1)
        unsafe functions.initialize(to: Self.makeFunctions())
        guard let reader = unsafe redisReaderCreateWithFunctions(functions) else {
            unsafe functions.deallocate()
            throw .malformed("no memory for a reader")
        }
        unsafe self.reader = reader
        // hiredis hands this to every callback. Unretained: the builder lives in this struct, as the reader does.
        unsafe reader.pointee.privdata = Unmanaged.passUnretained(builder).toOpaque()
        unsafe reader.pointee.maxbuf = Self.idleBytesMax
    }

    deinit {
        unsafe redisReaderFree(reader)
        unsafe functions.deinitialize(count: 1)
        unsafe functions.deallocate()
    }

    /// Adds bytes from the server, in the order of arrival.
    package mutating func feed(_ bytes: ByteBuffer) {
        guard fault == nil, bytes.readableBytes > 0 else { return }
        let fed = unsafe bytes.withUnsafeReadableBytes { raw in
            unsafe redisReaderFeed(reader, raw.baseAddress?.assumingMemoryBound(to: CChar.self), raw.count)
        }
        if fed != REDIS_OK { fault = .malformed("no memory for a reply") }
    }

    /// The next complete reply, or nil until more bytes have come.
    ///
    /// - Throws: the fault that makes the rest of the stream worthless.
    package mutating func next() throws(ReplyFault) -> RedisValue? {
        if let fault { throw fault }
        guard unsafe redisReaderGetReply(reader, nil) == REDIS_OK else {
            throw note(builder.fault ?? .malformed(hiredisReason))
        }
        if let reply = builder.takeReply() { return reply }
        if let fault = faultOfUnfinished() { throw note(fault) }
        return nil
    }

    private mutating func note(_ fault: ReplyFault) -> ReplyFault {
        self.fault = fault
        return fault
    }

    private var hiredisReason: String {
        unsafe withUnsafeBytes(of: &reader.pointee.errstr) { text in
            unsafe String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}

extension ReplyReader {
    /// Looks at what hiredis could not finish, which all belongs to the next value of the current reply.
    ///
    /// hiredis waits for as long as it takes; here an announced or arrived length over the bound ends it.
    private borrowing func faultOfUnfinished() -> ReplyFault? {
        let length = unsafe reader.pointee.len - reader.pointee.pos
        guard length > 0, let start = unsafe reader.pointee.buf else { return nil }
        let unfinished = unsafe UnsafeRawBufferPointer(start: start + reader.pointee.pos, count: length)
        let room = limits.bytesMax - builder.bytes
        guard unfinishedType() == REDIS_REPLY_STRING else {
            return length > min(room, limits.lineBytesMax) ? .tooLarge : nil
        }
        // A bulk string, whose `$` is read already: its length in at most 20 characters, CRLF, its bytes, CRLF.
        guard let end = unsafe unfinished.prefix(24).firstIndex(of: UInt8(ascii: "\r")) else {
            return length >= 24 ? .malformed("a length has no end") : nil
        }
        let announced = Int(unsafe String(decoding: unfinished[..<end], as: UTF8.self)) ?? 0
        return announced > room ? .tooLarge : nil
    }

    /// The type of the value at hand; hiredis consumes the byte that says it before the rest is there.
    private borrowing func unfinishedType() -> CInt {
        let index = Int(unsafe reader.pointee.ridx)
        return unsafe withUnsafeBytes(of: &reader.pointee.rstack) { stack in
            let tasks = unsafe stack.assumingMemoryBound(to: redisReadTask.self)
            return tasks.indices.contains(index) ? unsafe tasks[index].type : -1
        }
    }
}

extension ReplyReader {
    /// What every callback answers on success; hiredis only looks whether it is nil and never follows it.
    private static func token(_ accepted: Bool, _ task: UnsafePointer<redisReadTask>) -> UnsafeMutableRawPointer? {
        accepted ? unsafe task.pointee.privdata : nil
    }

    private static func builder(of task: UnsafePointer<redisReadTask>) -> ReplyBuilder? {
        unsafe task.pointee.privdata.map { unsafe Unmanaged<ReplyBuilder>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func makeFunctions() -> redisReplyObjectFunctions {
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
            // The values are the builder's, and go with it.
            freeObject: { _ in }
        )
    }

    private static func addString(
        _ task: UnsafePointer<redisReadTask>, _ bytes: UnsafeRawPointer, _ length: Int
    ) -> Bool {
        guard let builder = unsafe builder(of: task) else { return false }
        let type = unsafe task.pointee.type
        return builder.add(payloadBytes: length) {
            // hiredis has made sure that two more bytes are there, but not which ones.
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
