/// The whole queue: lanes of captures, one per device, and leases on lanes.
///
/// Whoever needs one side of it only asks for that one. What holds for every implementation: a lane that is not empty
/// has exactly one token; captures of a device are handed out in the order in which they were accepted; whatever is
/// accepted stays until it is settled, kept as a dead letter or discarded by an operator. The conformance suite in the
/// tests holds implementations to it.
package protocol CaptureQueue: UploadQueue, WorkedQueue, DeadLetterQueue {}
