import CHiredis
package import NIOCore

/// Reads replies out of the server's bytes, with hiredis's parser and values of our own.
///
/// The only owner of a `redisReader`: hiredis keeps the unfinished bytes, ``ReplyBuilder`` the unfinished values, and
/// the reader frees both. After a fault every call throws that fault again.
///
/// A large bulk string bypasses hiredis, straight into the buffer that is returned: hiredis would grow its own buffer
/// until the string is complete, and copy it once more. Instead hiredis gets an empty string.
@safe
package struct ReplyReader: ~Copyable {
    private let reader: UnsafeMutablePointer<redisReader>
    private let functions: UnsafeMutablePointer<redisReplyObjectFunctions>
    private let builder: ReplyBuilder
    private let limits: ReplyLimits
    private var fault: ReplyFault?
    private var large: LargeValue?

    /// Unused space that hiredis may keep between replies instead of giving it back after each.
    private static let idleBytesMax = 256 * 1_024

    /// The size from which a bulk string bypasses hiredis.
    package static let largeBytesMin = 64 * 1_024

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
        guard fault == nil else { return }
        var bytes = bytes
        if large != nil { collect(&bytes) }
        guard fault == nil, bytes.readableBytes > 0 else { return }
        hand(bytes)
    }

    private mutating func hand(_ bytes: ByteBuffer) {
        let fed = unsafe bytes.withUnsafeReadableBytes { raw in
            unsafe redisReaderFeed(reader, raw.baseAddress?.assumingMemoryBound(to: CChar.self), raw.count)
        }
        if fed != REDIS_OK { fault = .malformed("no memory for a reply") }
    }

    /// The next complete reply, or `nil` until more bytes have come.
    ///
    /// - Throws: The fault that makes the rest of the stream worthless.
    package mutating func next() throws(ReplyFault) -> RedisValue? {
        if let fault { throw fault }
        guard unsafe redisReaderGetReply(reader, nil) == REDIS_OK else {
            throw note(builder.fault ?? .malformed(hiredisReason))
        }
        if let reply = builder.takeReply() { return reply }
        if let fault = faultOfUnfinished() { throw note(fault) }
        beginLarge()
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
    /// Checks the bytes that hiredis could not finish; all of them belong to the next value of the current reply.
    ///
    /// hiredis would wait without a limit; here an announced or arrived length over the bound is a fault.
    private borrowing func faultOfUnfinished() -> ReplyFault? {
        guard let unfinished = unsafe unfinished() else { return nil }
        let length = unfinished.count
        let room = limits.bytesMax - builder.bytes
        guard unfinishedType() == REDIS_REPLY_STRING else {
            return length > min(room, limits.lineBytesMax) ? .tooLarge : nil
        }
        guard let (announced, _) = unsafe Self.announcement(in: unfinished) else {
            return length >= Self.announcementBytesMax ? .malformed("a length has no end") : nil
        }
        return announced > room ? .tooLarge : nil
    }

    /// The bytes that hiredis has and could not finish; `nil` when there are none.
    private borrowing func unfinished() -> UnsafeRawBufferPointer? {
        let length = unsafe reader.pointee.len - reader.pointee.pos
        guard length > 0, let start = unsafe reader.pointee.buf else { return nil }
        return unsafe UnsafeRawBufferPointer(start: start + reader.pointee.pos, count: length)
    }

    /// A length in at most 20 characters, and CRLF.
    private static let announcementBytesMax = 24

    /// The announced length of a bulk string, whose `$` is already consumed, and the position of the CR after it.
    private static func announcement(in unfinished: UnsafeRawBufferPointer) -> (length: Int, end: Int)? {
        guard let end = unsafe unfinished.prefix(announcementBytesMax).firstIndex(of: UInt8(ascii: "\r")) else {
            return nil
        }
        return (Int(unsafe String(decoding: unfinished[..<end], as: UTF8.self)) ?? 0, end)
    }

    /// The type of the current value; hiredis consumes the type byte before the rest is there.
    private borrowing func unfinishedType() -> CInt {
        let index = Int(unsafe reader.pointee.ridx)
        return unsafe withUnsafeBytes(of: &reader.pointee.rstack) { stack in
            let tasks = unsafe stack.assumingMemoryBound(to: redisReadTask.self)
            return tasks.indices.contains(index) ? unsafe tasks[index].type : -1
        }
    }
}

extension ReplyReader {
    /// A bulk string on its way, with the CRLF behind it.
    ///
    /// Room for all of it is reserved at once, within the bound of a reply; the system gives memory as bytes arrive.
    private struct LargeValue {
        var bytes: ByteBuffer
        let count: Int

        var missing: Int { count + 2 - bytes.readableBytes }
    }

    /// Takes an unfinished large bulk string out of hiredis's hands.
    private mutating func beginLarge() {
        guard large == nil, let unfinished = unsafe unfinished(), unfinishedType() == REDIS_REPLY_STRING,
            let (count, end) = unsafe Self.announcement(in: unfinished), count >= Self.largeBytesMin,
            unfinished.count >= end + 2, unsafe unfinished[end + 1] == UInt8(ascii: "\n")
        else { return }
        var value = LargeValue(bytes: ByteBufferAllocator().buffer(capacity: count + 2), count: count)
        unsafe value.bytes.writeBytes(UnsafeRawBufferPointer(rebasing: unfinished[(end + 2)...]))
        unsafe reader.pointee.pos = reader.pointee.len
        large = value
    }

    /// Adds arrived bytes to the large string; when it is complete, hiredis gets an empty string in its place.
    private mutating func collect(_ bytes: inout ByteBuffer) {
        guard var value = large.take() else { return }
        if var part = bytes.readSlice(length: min(value.missing, bytes.readableBytes)) {
            value.bytes.writeBuffer(&part)
        }
        guard value.missing == 0 else {
            large = value
            return
        }
        guard value.bytes.getInteger(at: value.count, as: UInt16.self) == 0x0D0A else {
            fault = .malformed("a value is not ended by CRLF")
            return
        }
        value.bytes.moveWriterIndex(to: value.count)
        builder.large = value.bytes
        hand(ByteBuffer(string: "0\r\n\r\n"))
    }
}
