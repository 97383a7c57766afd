import ArgumentParser
import Foundation
import StoreModel
import WebPages

/// Words for the shell to complete with, asked from the store that runs. Quick and silent: without a store, or where it takes
/// longer than a second to say anything, there are none. `OPENSTOREKIT_COMPLETION_SECONDS` says how long else.
enum StoreCompletion {
  private static var timeoutSeconds: Double {
    ProcessInfo.processInfo.environment["OPENSTOREKIT_COMPLETION_SECONDS"].flatMap(Double.init) ?? 1
  }

  static let transactions = CompletionKind.custom { arguments, _, prefix in
    let query = ControlPath.to("transactions", query: ["search": prefix, "limit": "100"])
    guard let list: ControlDoor.TransactionList = await answer(query, arguments) else { return [] }
    return usable(list.transactions.map(\.transactionId), prefix)
  }

  static let products = CompletionKind.custom { arguments, _, prefix in
    struct Apps: Decodable {
      struct App: Decodable {
        struct Product: Decodable { let productId: String }
        let products: [Product]
      }

      let apps: [App]
    }
    guard let list: Apps = await answer(ControlPath.to("apps"), arguments) else { return [] }
    return usable(list.apps.flatMap { $0.products.map(\.productId) }, prefix)
  }

  static let customers = CompletionKind.custom { arguments, _, prefix in
    struct Customers: Decodable {
      struct Customer: Decodable { let name: String }
      let customers: [Customer]
    }
    guard let list: Customers = await answer(ControlPath.to("customers"), arguments) else { return [] }
    return usable(list.customers.map(\.name), prefix)
  }

  static let installations = CompletionKind.custom { arguments, _, prefix in
    struct Installations: Decodable {
      struct Installation: Decodable { let installationId: String }
      let installations: [Installation]
    }
    guard let list: Installations = await answer(ControlPath.to("installations"), arguments) else { return [] }
    return usable(list.installations.map(\.installationId), prefix)
  }

  static let faults = CompletionKind.custom { arguments, _, prefix in
    guard let list: ControlDoor.FaultList = await answer(ControlPath.to("faults"), arguments) else { return [] }
    return usable(list.faults.map(\.id), prefix)
  }

  /// What the store answers that the words already typed, or the environment, name; nil where none does in time.
  private static func answer<Answer: Decodable>(_ path: String, _ arguments: [String]) async -> Answer? {
    do {
      var options = ControlDoorOptions()
      options.address = value(of: "--store", in: arguments)
      options.controlToken = value(of: "--control-token", in: arguments)
      options.json = false
      return try await options.door(timeoutSeconds: timeoutSeconds).answer("GET", path)
    } catch {
      // A shell that completes shows nothing but words.
      return nil
    }
  }

  private static func value(of option: String, in arguments: [String]) -> String? {
    for (index, word) in arguments.enumerated() {
      if word.hasPrefix(option + "=") { return String(word.dropFirst(option.count + 1)) }
      if word == option, index + 1 < arguments.count { return arguments[index + 1] }
    }
    return nil
  }

  /// Those that begin like what was typed, each once, without what would be more than a word on the command line.
  static func usable(_ words: [String], _ prefix: String) -> [String] {
    let shown = words.filter { word in
      word.hasPrefix(prefix) && !word.isEmpty && word.count <= 200
        && word.unicodeScalars.allSatisfy(\.isPlainlyVisible)
    }
    return Set(shown).sorted()
  }
}
