import Foundation
import StoreModel
import WebSupport

/// Combines the sources of a configuration: the file, the environment, and the command line. Each source overrides the
/// ones before it.
enum ConfigurationSources {
  /// The configuration key of each environment variable. Elements of a list are separated by commas.
  static let variables: [(name: String, path: [String], kind: Kind)] = [
    ("HOST", ["listen", "host"], .text),
    ("PORT", ["listen", "port"], .number),
    ("HEALTH_PORT", ["listen", "healthPort"], .number),
    ("TRUSTED_PROXIES", ["listen", "trustedProxies"], .list),
    ("SQLITE", ["database", "sqlite"], .text),
    ("POSTGRESQL", ["database", "postgresql"], .text),
    ("POSTGRESQL_CONNECTIONS", ["database", "connections"], .number),
    ("CONTENT", ["content", "folder"], .text),
    ("LINK_KEYS", ["content", "linkKeys"], .list),
    ("LINK_KEYS_FILE", ["content", "linkKeysFile"], .text),
    ("EMULATOR", ["trust", "emulator"], .text),
    ("LOG_LEVEL", ["log", "level"], .text),
    ("LOG_FORMAT", ["log", "format"], .text),
  ]

  /// For some environment variables, the keys that the variable removes from the configuration, because they conflict
  /// with the key that it sets.
  private static let replaced: [String: [[String]]] = [
    "SQLITE": [["database", "postgresql"], ["database", "connections"], ["database", "withoutFsync"]],
    "POSTGRESQL": [["database", "sqlite"]],
    "LINK_KEYS": [["content", "linkKeysFile"]],
    "LINK_KEYS_FILE": [["content", "linkKeys"]],
    "EMULATOR": [["trust", "apple"], ["trust", "legacyIntermediates"]],
  ]

  static let prefix = "OPENSTOREKIT_SERVER_"
  /// `BUNDLEID=SECRET,…`: the shared secrets of apps, which should not be in a file that other users can read.
  static let secretsVariable = "SHARED_SECRETS"
  /// `BUNDLEID=FILE,…`: the files of the private keys of the App Store Server API.
  static let keyFilesVariable = "PRIVATE_KEY_FILES"
  /// The variables with a value for each app.
  static let appVariables = [secretsVariable, keyFilesVariable]

  enum Kind {
    case text
    case number
    case list
  }

  /// Returns the combined configuration.
  ///
  /// - Parameters:
  ///   - file: the JSON document; nil if there is no file.
  ///   - environment: the environment of the process.
  ///   - flags: the values from the command line, by their path in the configuration.
  /// - Returns: the configuration; nil if `file` is not a JSON object. Then no other errors are reported.
  static func combined(
    file: Data?, environment: [String: String], flags: [[String]: ConfigurationValue],
    _ problems: ConfigurationReader.Problems
  ) -> [String: ConfigurationValue]? {
    var tree: [String: ConfigurationValue] = [:]
    if let file {
      do {
        guard case .object(let object) = try BoundedJSON.decode(ConfigurationValue.self, from: file, within: .file)
        else {
          problems.add("the configuration file must be a JSON object")
          return nil
        }
        tree = object
      } catch {
        problems.add("the configuration file is no JSON: \((error as? DecodingError)?.explanation ?? "\(error)")")
        return nil
      }
    }
    for (one, other) in [("SQLITE", "POSTGRESQL"), ("LINK_KEYS", "LINK_KEYS_FILE")]
    where environment[prefix + one] != nil && environment[prefix + other] != nil {
      problems.add("the variables \(prefix + one) and \(prefix + other) are both there; it is one of them")
    }
    for (name, value) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix(prefix) {
      let short = String(name.dropFirst(prefix.count))
      if appVariables.contains(short) { continue }
      guard let variable = variables.first(where: { $0.name == short }) else {
        problems.add(
          "the variable \(name) is not known; there are "
            + (variables.map(\.name) + appVariables).map { prefix + $0 }.joined(separator: ", "))
        continue
      }
      // Keys that conflict with the key of this variable are removed.
      for other in replaced[variable.name] ?? [] { remove(other, from: &tree) }
      switch variable.kind {
      case .text: set(.text(value), at: variable.path, in: &tree)
      case .list: set(.list(value.split(separator: ",").map { .text(String($0)) }), at: variable.path, in: &tree)
      case .number:
        guard let number = Int64(value) else {
          problems.add("the variable \(name) must be a whole number")
          continue
        }
        set(.whole(number), at: variable.path, in: &tree)
      }
    }
    for (path, value) in flags { set(value, at: path, in: &tree) }
    return tree
  }

  /// Whether the configuration itself contains secrets. Secrets in files that it names do not count.
  static func hasSecret(_ tree: [String: ConfigurationValue]) -> Bool {
    guard case .list(let apps)? = tree["apps"] else { return false }
    return apps.contains { $0.object?["sharedSecret"] != nil } || tree["content"]?.object?["linkKeys"] != nil
      || tree["database"]?.object?["postgresql"] != nil
  }

  /// Returns the values of a variable that has one for each app, by bundle id.
  ///
  /// - Parameter variable: one of ``appVariables``.
  static func appValues(
    _ variable: String, _ environment: [String: String], _ problems: ConfigurationReader.Problems
  ) -> [String: String] {
    var values: [String: String] = [:]
    for entry in (environment[prefix + variable] ?? "").split(separator: ",") {
      let parts = entry.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else {
        // The message does not contain the entry, because it may be a secret.
        let name = variable == secretsVariable ? "SECRET" : "FILE"
        problems.add("the variable \(prefix + variable) must be BUNDLEID=\(name),BUNDLEID=\(name)…")
        continue
      }
      values[String(parts[0])] = String(parts[1])
    }
    return values
  }

  private static func set(_ value: ConfigurationValue, at path: [String], in tree: inout [String: ConfigurationValue]) {
    guard let key = path.first else { return }
    guard path.count > 1 else {
      tree[key] = value
      return
    }
    var branch = tree[key]?.object ?? [:]
    set(value, at: Array(path.dropFirst()), in: &branch)
    tree[key] = .object(branch)
  }

  private static func remove(_ path: [String], from tree: inout [String: ConfigurationValue]) {
    guard path.count == 2, var branch = tree[path[0]]?.object else { return }
    branch[path[1]] = nil
    tree[path[0]] = .object(branch)
  }
}
