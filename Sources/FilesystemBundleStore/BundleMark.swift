package import CaptureModel

/// Whose a bundle directory is, as its mark says.
///
/// The mark is a file of one line or two: the version of the layout, `1`, and the id of the installation.
package enum BundleMark: Sendable, Equatable {
    /// A release that wrote no id has prepared it.
    case unowned
    /// It is this installation's.
    case of(InstallationID)
    /// What is written there is of a later release, or no mark of ours.
    case illegible

    /// More than any mark has.
    static let bytesMax = 256

    private static let layout = "1"

    init(text: String) {
        let lines = text.split(separator: "\n")
        switch lines.count {
        // Empty where the disk was full, or the machine went down, as it was written.
        case 0: self = .unowned
        case 1 where lines[0] == Self.layout: self = .unowned
        case 2 where lines[0] == Self.layout:
            self = InstallationID(lines[1]).map { BundleMark.of($0) } ?? .illegible
        default: self = .illegible
        }
    }

    var text: String {
        switch self {
        case .of(let installation): "\(Self.layout)\n\(installation)\n"
        case .unowned, .illegible: "\(Self.layout)\n"
        }
    }

    /// Why a directory with this mark is not for a record; `nil` where it is, and where nobody can tell yet.
    /// - Parameter record: Whose the record is.
    package func objection(from record: InstallationID) -> String? {
        switch self {
        case .unowned: nil
        case .of(let owner) where owner == record: nil
        case .of(let owner):
            "bundles.directory is that of the installation \(owner), and postgres.url the record of \(record): "
                + "README, \"What belongs together\""
        case .illegible: "the mark of bundles.directory, \(BundleDirectory.mark), is of no release that is known here"
        }
    }
}
