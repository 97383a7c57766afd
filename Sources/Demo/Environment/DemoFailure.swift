/// Thrown when the demo does not behave as its script expects, or cannot carry out a command from its page.
struct DemoFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
