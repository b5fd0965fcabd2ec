/// What Apple's server for receipts said, as its documentation means it.
public enum ReceiptAnswer: Sendable, Equatable {
    /// 200: a new receipt, still to be verified.
    case renewed([UInt8])
    /// 304: it was asked before the receipt's not-before.
    case notYet
    /// 400: it takes the receipt for none, or for one of the other environment.
    case refused
    /// 401: it does not take the developer's token, or not for this receipt's team.
    case unauthorized
    /// 404: it has nothing on the receipt; it may again.
    case unknown
    /// 429 and 5xx: it has too much to do.
    case overloaded(status: Int, retryAfter: Duration?)
    /// Any other status, or a 200 whose body is no base64, or too long.
    case unexpected(status: Int)
    /// There was no answer, or nothing could be asked.
    case unreachable(String)
}
