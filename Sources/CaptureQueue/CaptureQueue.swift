/// The whole queue: lanes of captures, one per device, and leases on lanes.
///
/// Code that needs only one side of it depends on that protocol alone. Every implementation guarantees: a lane that is
/// not empty has exactly one token; captures of a device are handed out in the order in which they were accepted; an
/// accepted capture stays until it is settled, kept as a dead letter or discarded by an operator. The conformance suite
/// in the tests checks this.
package protocol CaptureQueue: UploadQueue, WorkedQueue, DeadLetterQueue {}
