/// Thrown when the demo does not behave as its script expects, or cannot do what its page was asked for.
struct DemoFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
