import ArgumentParser

/// The value of an option that turns something on or off.
enum SwitchArgument: String, ExpressibleByArgument, CaseIterable {
  case on, off
}
