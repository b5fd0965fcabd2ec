import CaptureModel
import Evidence
import Foundation

/// Evidence that is taken says to another parser what it says to ours, is the same when it is written and read again, and
/// does not contradict itself.
///
/// The other one may refuse it, by bounds of its own.
func fuzzEvidence(_ input: [UInt8]) throws(BrokenProperty) {
    guard let evidence = try? CaptureEvidence(json: input) else { return }
    let encoder = JSONEncoder()
    // An escaped slash makes a text longer, and a text beyond ASCII may then be too long.
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Times are written in milliseconds, and may be read with more.
    let written = (try? encoder.encode(evidence)).map { Array($0) } ?? []
    let again = (try? CaptureEvidence(json: written)).flatMap { try? encoder.encode($0) }
    try property(again.map { Array($0) } == written, "it reads what it writes")
    guard let object = try? JSONSerialization.jsonObject(with: Data(input)) as? [String: Any] else { return }
    let document = object["data"] as? [String: Any] ?? object
    let metadata = (document["metadata"] as? String).flatMap { Data(base64Encoded: $0) }
    try property(metadata.map { Array($0) } == evidence.metadata, "others read the same metadata")
    let result = document["result"] as? [String: Any]
    let photo = result?["photo_sha256"] as? String
    try property(photo?.lowercased() == evidence.result.photoDigest.hex, "others read the same digest")
    let isOne = object["data"] == nil || Set(document.keys).isDisjoint(with: object.keys)
    try property(isOne, "it is one document")
    let reason = result?["reason"] as? String
    try property((evidence.result.verdict == .verified) == (reason == nil), "only a rejected capture has a reason")
    let isAttested = (document["key"] as? [String: Any])?["attestation_object"] is String
    try property(evidence.result.confidence != .high || isAttested, "nobody is sure of a key that nobody attested")
}
