import ArgumentParser
import SampleApp

/// The options `--server-credits` and `--device-credits`.
extension CreditsPlace: EnumerableFlag {
  package static func name(for place: CreditsPlace) -> NameSpecification {
    switch place {
    case .server: .customLong("server-credits")
    case .device: .customLong("device-credits")
    }
  }

  package static func help(for place: CreditsPlace) -> ArgumentHelp? {
    switch place {
    case .server:
      "The purchase server stores the monkey credits, so that they reach the customer's other devices. The default with --server; the server needs the products."
    case .device: "This device stores the monkey credits. The default without --server."
    }
  }
}
