package import CaptureInspection
package import CaptureModel

extension GatewayConfiguration {
    /// What an upload may be, and how long it may take.
    package struct Uploads: Sendable, Equatable {
        /// What the media may be.
        package var inspection = InspectionLimits()
        /// Bytes of a photo, at the gateway and when it is inspected.
        package var photoBytesMax: Int {
            get { inspection.photoBytesMax }
            set { inspection.photoBytesMax = newValue }
        }
        /// Bytes of a depth map as uploaded.
        package var depthBytesMax: Int {
            get { inspection.depthBytesMax }
            set { inspection.depthBytesMax = newValue }
        }
        /// Bytes of an assertion as uploaded.
        package var assertionBytesMax = 8 << 10
        /// Bytes of the metadata, at the gateway and when they are read.
        package var metadataBytesMax: Int {
            get { inspection.metadata.bytesMax }
            set { inspection.metadata.bytesMax = newValue }
        }
        /// The bindings that are taken.
        package var bindings: Set<Binding> = Set(Binding.allCases)
        /// How much of an upload's assertion is looked at before it is queued.
        package var precheck: PrecheckLevel = .structure
        /// Bytes of all uploads in memory at once; see ``BodyBudget`` for one client's share.
        package var bytesInFlightMax = 256 << 20
        /// How long an upload may send nothing.
        package var idleTimeout: Duration = .seconds(20)
        /// How long an upload may take.
        package var timeout: Duration = .seconds(120)
    }

    /// How an upload gets into the ledger and the queue.
    package struct Intake: Sendable, Equatable {
        /// How long an upload waits for its row in the ledger.
        package var wait: Duration = .seconds(5)
        /// Uploads that one transaction of the ledger takes.
        package var groupMax = 256
        /// Uploads that wait for the ledger; more are answered with 503.
        package var backlogMax = 1024
        /// How long an upload waits while the queue is being restored from the ledger.
        package var restoreWait: Duration = .seconds(2)
    }

    /// How much callers may read at once, and how long they may wait for it.
    package struct Reading: Sendable, Equatable {
        /// The longest that a status answer is held back.
        package var waitMax: Duration = .seconds(30)
        /// Captures of one status request.
        package var statusIDsMax = 500
        /// Streams of server-sent events at once, of which devices may have three quarters; one more is answered with
        /// 503.
        package var eventStreamsMax = 256
        /// Pictures that are made for the dashboard at once, each with a whole bundle in memory; see ``PictureGate``.
        package var picturesMax = 4

        /// Captures of one status request that a device signs: its own are few, and what it asks for costs the queue
        /// and the record.
        var deviceStatusIDsMax: Int { min(100, statusIDsMax) }
    }
}
