/// Where a stream of all changes begins, and what its reader is told of it.
struct StreamStart {
    /// The place in the feed.
    let place: Int
    /// `hello` with the id of that very place, for whoever names no event.
    let first: [EventStream.Item]

    /// An event that is not this feed's leads to a place that is gone.
    init(after lastEventID: String?, in feed: ChangeFeed) {
        if let lastEventID {
            place = feed.place(ofEvent: lastEventID) ?? -1
            first = []
        } else {
            // Read once: a change in between would be neither told nor missed.
            place = feed.next
            first = [.event(name: "hello", id: feed.eventID(place), data: "{}")]
        }
    }
}
