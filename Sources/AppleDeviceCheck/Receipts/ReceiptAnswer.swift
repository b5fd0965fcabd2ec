/// The answer of Apple's server for receipts, as its documentation defines it.
public enum ReceiptAnswer: Sendable, Equatable {
    /// 200: a new receipt, still to be verified.
    case renewed([UInt8])
    /// 304: the request came before the receipt's not-before.
    case notYet
    /// 400: Apple does not accept the receipt, or it belongs to the other environment.
    case refused
    /// 401: Apple does not accept the developer's token, or not for this receipt's team.
    case unauthorized
    /// 404: Apple does not know the receipt; it may later.
    case unknown
    /// 429 and 5xx: Apple is overloaded.
    case overloaded(status: Int, retryAfter: Duration?)
    /// Any other status, or a 200 whose body is no base64, or too long.
    case unexpected(status: Int)
    /// There was no answer, or no request could be sent.
    case unreachable(String)
}
