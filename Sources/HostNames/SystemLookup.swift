import Glibc

/// The system's own lookup, `getaddrinfo`: files, DNS and whatever else it is configured with.
enum SystemLookup {
    /// Whether a name is an IP address, which needs no lookup.
    static func isAddress(_ name: String) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16)
        return unsafe inet_pton(AF_INET, name, &bytes) == 1 || inet_pton(AF_INET6, name, &bytes) == 1
    }

    /// A name's addresses, each once, in the system's order.
    ///
    /// Blocks for as long as the system likes.
    static func addresses(of name: String) throws(NameFault) -> [String] {
        let hints = UnsafeMutablePointer<addrinfo>.allocate(capacity: 1)
        defer { unsafe hints.deallocate() }
        unsafe hints.initialize(to: addrinfo())
        unsafe hints.pointee.ai_family = AF_UNSPEC
        unsafe hints.pointee.ai_socktype = stream
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(name, nil, hints, &list)
        guard code == 0, let first = unsafe list else { throw NameFault(name, words(for: code)) }
        defer { unsafe freeaddrinfo(first) }
        var found: [String] = []
        var next = unsafe list
        while let entry = unsafe next {
            if let address = unsafe text(of: entry), !found.contains(address) { found.append(address) }
            unsafe next = entry.pointee.ai_next
        }
        guard !found.isEmpty else { throw NameFault(name, words(for: EAI_NONAME)) }
        return found
    }

    private static func text(of entry: UnsafeMutablePointer<addrinfo>) -> String? {
        // Room for the longest address and an interface name after it.
        let room = 128
        var buffer = [CChar](repeating: 0, count: room)
        let code = unsafe getnameinfo(
            entry.pointee.ai_addr, entry.pointee.ai_addrlen, &buffer, socklen_t(room), nil, 0, NI_NUMERICHOST)
        guard code == 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func words(for code: Int32) -> String {
        if code == EAI_NONAME { return "no address has this name" }
        return unsafe String(cString: gai_strerror(code))
    }

    private static let stream = Int32(SOCK_STREAM.rawValue)
}
