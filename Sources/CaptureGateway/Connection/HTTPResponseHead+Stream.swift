import NIOHTTP1

extension HTTPResponseHead {
    /// Whether what begins is a stream of events, whose length nobody knows.
    var isOfStream: Bool { headers.first(name: "Content-Type") == EventStream.contentType }

    /// The same answer without a length and without chunks, for a client that would take neither: it ends with the
    /// connection.
    ///
    /// Hummingbird gives the answer to `HEAD` the length of its own empty body. SwiftNIO sends chunks by the version of
    /// the answer, whatever the request was.
    var endingWithConnection: HTTPResponseHead {
        var head = self
        head.version = .http1_0
        head.headers.remove(name: "Content-Length")
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        return head
    }
}
