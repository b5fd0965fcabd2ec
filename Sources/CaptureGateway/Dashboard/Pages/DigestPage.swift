import CaptureModel
import CaptureOperations
import CaptureStore
import HTML

/// `/dashboard/captures?q=…`: the captures of one digest, where there are several.
struct DigestPage: Sendable {
    /// How many the archive names at the most: those that were received first, whatever became of them.
    static let capturesMax = 100

    private let digest: SHA256Digest
    private let captures: [ListedCapture]
    private let isCut: Bool

    /// - Parameters:
    ///   - statuses: The captures, in any order.
    ///   - isCut: Whether there may be more.
    init(digest: SHA256Digest, statuses: [StatusDocument], isCut: Bool) {
        self.digest = digest
        self.isCut = isCut
        captures = statuses.map(ListedCapture.init).sorted { left, right in
            (Self.rank(left), left.receivedAt, left.id.description)
                < (Self.rank(right), right.receivedAt, right.id.description)
        }
    }

    /// Verified ones come first.
    private static func rank(_ capture: ListedCapture) -> Int { capture.state == .verified ? 0 : 1 }

    func markup(_ shell: Shell) -> Markup {
        shell.page("Captures of one digest", .captures) {
            Markup.div("class" => "title") { Markup.h1 { "Captures of one digest" } }
            Markup.p("class" => "lead") {
                "Several captures have the SHA-256 "
                Markup.code { digest.hex }
                ". Verified ones come first, then the oldest. A photo that was published can be uploaded again from "
                "any device: compare devices, times and confidence."
            }
            if isCut {
                Markup.p("class" => "notice warn", "role" => "status") {
                    "Only the \(Self.capturesMax) that were received first are listed: there may be more, and "
                    "verified ones among them."
                }
            }
            Markup.div("class" => "card") { CaptureTable(captures: captures, now: shell.now).markup }
        }
    }
}

extension ListedCapture {
    /// A list's line made of a capture's status, which has no counters.
    init(_ status: StatusDocument) {
        self.init(
            id: status.captureID, device: status.device, receivedAt: status.receivedAt, state: status.state,
            reason: status.reason, fault: status.fault, attempts: status.attempts, isRedriven: status.isRedriven,
            result: status.verdict.map { verdict in
                ArchivedCapture.Result(
                    verdict: verdict, reason: status.reason, confidence: status.confidence ?? Confidence.none,
                    counter: nil,
                    counterHighest: nil, attempts: status.attempts, isRedriven: status.isRedriven,
                    verifiedAt: status.settledAt ?? status.receivedAt, compromisedSince: status.compromisedSince)
            })
    }
}
