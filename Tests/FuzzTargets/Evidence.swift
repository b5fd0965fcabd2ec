import CaptureModel
import Evidence
import Foundation

/// Evidence that is taken says to another parser what it says to ours, and is the same when it is written and read again.
func fuzzEvidence(_ input: [UInt8]) throws(BrokenProperty) {
    guard let evidence = try? CaptureEvidence(json: input) else { return }
    let written = (try? JSONEncoder().encode(evidence)).map { Array($0) } ?? []
    try property((try? CaptureEvidence(json: written)) == evidence, "it reads what it writes")
    let object = try? JSONSerialization.jsonObject(with: Data(input)) as? [String: Any]
    let document = object?["data"] as? [String: Any] ?? object
    let metadata = (document?["metadata"] as? String).flatMap { Data(base64Encoded: $0) }
    try property(metadata.map { Array($0) } == evidence.metadata, "others read the same metadata")
    let result = document?["result"] as? [String: Any]
    let photo = result?["photo_sha256"] as? String
    try property(photo?.lowercased() == evidence.result.photoDigest.hex, "others read the same digest")
    let names = document.map { Set($0.keys) } ?? []
    try property(object?["data"] == nil || object.map { names.isDisjoint(with: $0.keys) } == true, "it is one document")
}
