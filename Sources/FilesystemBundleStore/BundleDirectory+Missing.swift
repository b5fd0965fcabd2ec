import CaptureModel
import CaptureQueue

extension BundleDirectory {
    /// The captures without a finished photo or depth map; the contents of files are not read.
    func missing(of captures: [CaptureID]) throws(QueueError) -> [CaptureID] {
        let root = try root()
        do throws(FileFault) {
            var missing: [CaptureID] = []
            for capture in captures {
                if try !holds(capture, in: root) { missing.append(capture) }
            }
            return missing
        } catch {
            throw error.bundleFault
        }
    }

    private func holds(_ capture: CaptureID, in root: borrowing Folder) throws(FileFault) -> Bool {
        do throws(FileFault) {
            let shard = try root.folder(Self.shard(of: capture))
            let names = try shard.folder(capture.description).names().filter { !$0.contains(".partial-") }
            return ["photo.", "depth."].allSatisfy { kind in names.contains { $0.hasPrefix(kind) } }
        } catch {
            guard error.isMissing else { throw error }
            return false
        }
    }
}
