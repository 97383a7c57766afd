import Foundation

/// Reads one part of a configuration, and collects its errors.
struct ConfigurationReader {
  /// The errors and warnings of all parts.
  final class Problems {
    private(set) var all: [String] = []
    func add(_ problem: String) { all.append(problem) }

    /// Warnings for the operator, which do not prevent the start.
    private(set) var warnings: [String] = []

    /// Adds a warning if users other than the owner can write the file, or if it contains a secret and all users can read
    /// it.
    func check(_ file: URL, _ contents: FileExposure.Contents) {
      if let warning = FileExposure.warning(file, contents) { warnings.append(warning) }
    }
  }

  let problems: Problems
  private let path: String
  private let object: [String: ConfigurationValue]
  private let known: Set<String>

  /// - Parameters:
  ///   - keys: the keys that `object` may contain. Any other key is an error, so that a misspelt key is not ignored.
  init(_ object: [String: ConfigurationValue], path: String = "", keys: Set<String>, problems: Problems) {
    self.object = object
    self.path = path
    self.problems = problems
    known = keys
    for key in object.keys.sorted() where !keys.contains(key) {
      problems.add("\(path)\(key) is not known; there are \(keys.sorted().joined(separator: ", "))")
    }
  }

  func has(_ key: String) -> Bool {
    assert(known.contains(key))
    return (object[key] ?? .null) != .null
  }

  /// Whether the value is a list; nil if it is missing.
  func isList(_ key: String) -> Bool? {
    guard has(key) else { return nil }
    if case .list? = object[key] { return true }
    return false
  }

  func problem(_ key: String, _ what: String) { problems.add("\(path)\(key) \(what)") }

  /// Reports that the secret file of a key cannot be read. Its name is not repeated if there is no such file, because it may be
  /// the secret itself.
  func unreadable(_ key: String, _ name: String, in folder: URL) {
    let isThere = FileManager.default.fileExists(atPath: folder.file(name).path)
    let reason = isThere ? name : "there is no such file. The value is the name of a file, not its content"
    problem(key, "cannot be read: \(reason)")
  }

  func part(_ key: String, keys: Set<String>) -> ConfigurationReader {
    if has(key), object[key]?.object == nil { problem(key, "must be an object") }
    return ConfigurationReader(object[key]?.object ?? [:], path: "\(path)\(key).", keys: keys, problems: problems)
  }

  func parts(_ key: String, keys: Set<String>) -> [ConfigurationReader] {
    guard has(key) else { return [] }
    guard case .list(let list)? = object[key], list.allSatisfy({ $0.object != nil }) else {
      problem(key, "must be a list of objects")
      return []
    }
    return list.enumerated().map { place, value in
      ConfigurationReader(value.object ?? [:], path: "\(path)\(key)[\(place)].", keys: keys, problems: problems)
    }
  }

  func text(_ key: String) -> String? {
    guard has(key) else { return nil }
    guard let text = object[key]?.text, !text.isEmpty else {
      problem(key, "must be text")
      return nil
    }
    return text
  }

  func texts(_ key: String) -> [String]? {
    guard has(key) else { return nil }
    guard case .list(let list)? = object[key], list.allSatisfy({ $0.text != nil }) else {
      problem(key, "must be a list of texts")
      return nil
    }
    return list.compactMap(\.text)
  }

  func number(_ key: String, _ range: ClosedRange<Int64>) -> Int64? {
    guard has(key) else { return nil }
    guard case .whole(let number)? = object[key], range.contains(number) else {
      problem(key, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return number
  }

  func decimal(_ key: String, _ range: ClosedRange<Double>) -> Double? {
    guard has(key) else { return nil }
    let number: Double? =
      switch object[key] {
      case .whole(let number)?: Double(number)
      case .decimal(let number)?: number
      default: nil
      }
    guard let number, range.contains(number) else {
      problem(key, "must be a number from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return number
  }

  func flag(_ key: String) -> Bool? {
    guard has(key) else { return nil }
    guard case .flag(let flag)? = object[key] else {
      problem(key, "must be true or false")
      return nil
    }
    return flag
  }

  /// Reads a text that must be one of the raw values of `type`.
  func word<Word: RawRepresentable<String> & CaseIterable>(_ key: String, _ type: Word.Type) -> Word? {
    guard let text = text(key) else { return nil }
    guard let word = Word(rawValue: text) else {
      problem(key, "must be one of \(Word.allCases.map(\.rawValue).joined(separator: ", ")), not \(text)")
      return nil
    }
    return word
  }

  func url(_ key: String) -> URL? {
    guard let text = text(key) else { return nil }
    guard let url = URL(string: text), url.scheme == "http" || url.scheme == "https", url.host() != nil else {
      problem(key, "must be an address that begins with http:// or https://")
      return nil
    }
    return url
  }
}

/// Checks whether other users can read or write a file that the server relies on.
enum FileExposure {
  /// What the file contains.
  enum Contents {
    /// A secret. Other users must not read it.
    case secret
    /// Data that the server trusts, such as certificates. Other users may read it, but must not write it.
    case trusted
  }

  /// Returns a warning if users other than the owner can write the file, or if it is secret and all users can read it.
  /// Returns nil otherwise, and if the file does not exist.
  static func warning(_ file: URL, _ contents: Contents) -> String? {
    var status = stat()
    guard stat(file.path, &status) == 0 else { return nil }
    let mode = status.st_mode
    if mode & (S_IWGRP | S_IWOTH) != 0 {
      return "\(file.path) can be written by others than its owner, who then decide what this server believes. "
        + "Run: chmod go-w \(file.path)"
    }
    guard contents == .secret, mode & S_IROTH != 0 else { return nil }
    return "\(file.path) has a secret and can be read by everybody on this machine. Run: chmod o-r \(file.path)"
  }
}
