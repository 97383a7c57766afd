/// Something in the demo is not as it must be.
struct DemoFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
