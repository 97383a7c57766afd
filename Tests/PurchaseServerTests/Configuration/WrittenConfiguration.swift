import Foundation

@testable import PurchaseServer

/// Configurations as operators write them.
enum WrittenConfiguration {
  static let least =
    #"{"trust":{"apple":true},"apps":[{"bundleId":"com.example.reader","verification":"offline"}]}"#

  static func read(
    _ text: String?, _ environment: [String: String] = [:], folder: URL = URL(filePath: "/srv/purchases/"),
    host: String? = nil, port: Int? = nil
  ) throws(ServerConfigurationError) -> ServerConfiguration {
    try ServerConfiguration(
      file: text.map { Data($0.utf8) }, folder: folder,
      environment: Dictionary(uniqueKeysWithValues: environment.map { ("OPENSTOREKIT_SERVER_\($0)", $1) }), host: host,
      port: port)
  }

  static func problems(
    _ text: String?, _ environment: [String: String] = [:], folder: URL = URL(filePath: "/srv/")
  )
    -> [String]
  {
    do {
      _ = try read(text, environment, folder: folder)
      return []
    } catch {
      return error.problems
    }
  }

  static func app(_ more: String) -> String {
    #"{"trust":{"apple":true},"apps":[{"bundleId":"a",\#(more)}]}"#
  }

  static func with(_ part: String) -> String {
    #"{"trust":{"apple":true},"apps":[{"bundleId":"a","verification":"offline"}],\#(part)}"#
  }
}
