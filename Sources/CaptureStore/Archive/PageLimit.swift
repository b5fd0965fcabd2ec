/// How many items a page of a list has, in the API, on the dashboard and on the command line.
package enum PageLimit {
    /// At the most; lists that tell whether there are others read one more.
    package static let itemsMax = 500
    /// Where nobody says how many.
    package static let unsaid = 50
}
