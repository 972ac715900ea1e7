/// A property of a stream or of an application, as scenarios and the command line have it.
struct Property {
    var key: String
    var value: String
}
