/// A property of a stream or application, as in scenarios and on the command line.
struct Property {
    var key: String
    var value: String
}
