import APIDescription
import ArgumentParser
import ControlAPI
import Foundation
import StoreModel

/// Completions for the shell, from the running store.
///
/// There are no completions if the store does not answer within a second. `OPENSTOREKIT_COMPLETION_SECONDS` sets
/// another limit.
enum StoreCompletion {
  private static var timeoutSeconds: Double {
    ProcessInfo.processInfo.environment["OPENSTOREKIT_COMPLETION_SECONDS"].flatMap(Double.init) ?? 1
  }

  static let transactions = CompletionKind.custom { arguments, _, prefix in
    var query = TransactionQuery()
    query.records.search = prefix.isEmpty ? nil : prefix
    query.records.limit = 100
    let matching = query
    let list = await answer(arguments) { try await $0.call(ControlEndpoints.transactions, query: matching) }
    guard let list else { return [] }
    return usable(list.transactions.map(\.transactionId.rawValue), prefix)
  }

  static let products = CompletionKind.custom { arguments, _, prefix in
    guard let list = await answer(arguments, { try await $0.callAllPages(ControlEndpoints.apps) })
    else { return [] }
    return usable(list.apps.flatMap { $0.products.map(\.productId.rawValue) }, prefix)
  }

  static let customers = CompletionKind.custom { arguments, _, prefix in
    guard let list = await answer(arguments, { try await $0.callAllPages(ControlEndpoints.customers) })
    else { return [] }
    return usable(list.customers.map(\.name.rawValue), prefix)
  }

  static let installations = CompletionKind.custom { arguments, _, prefix in
    guard let list = await answer(arguments, { try await $0.callAllPages(ControlEndpoints.installations) })
    else { return [] }
    return usable(list.installations.map(\.installationId.rawValue), prefix)
  }

  static let faults = CompletionKind.custom { arguments, _, prefix in
    guard let list = await answer(arguments, { try await $0.call(ControlEndpoints.faults) })
    else { return [] }
    return usable(list.faults.map(\.id.rawValue), prefix)
  }

  /// Returns the answer of the store whose address is in the typed words or the environment; nil if the store does not
  /// answer in time.
  private static func answer<Value>(
    _ arguments: [String], _ call: (ControlAPIClient) async throws -> ControlAPIClient.Answer<Value>
  ) async -> Value? {
    do {
      var options = ControlAPIOptions()
      options.address = value(of: "--store", in: arguments)
      options.controlToken = value(of: "--control-token", in: arguments)
      options.json = false
      return try await call(options.client(timeoutSeconds: timeoutSeconds)).value
    } catch {
      // During completion, the shell takes all output for completions, so errors are not printed.
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

  /// Returns the words that begin with `prefix`, sorted and without duplicates. Omits words that the shell would not
  /// show plainly: those with invisible characters and those of more than 200 characters.
  static func usable(_ words: [String], _ prefix: String) -> [String] {
    let shown = words.filter { word in
      word.hasPrefix(prefix) && !word.isEmpty && word.count <= 200
        && word.unicodeScalars.allSatisfy(\.isPlainlyVisible)
    }
    return Set(shown).sorted()
  }
}
