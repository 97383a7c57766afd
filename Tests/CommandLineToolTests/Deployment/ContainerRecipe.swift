import Foundation

/// The instructions of a Containerfile, one after the other.
struct ContainerRecipe {
  struct Instruction: CustomStringConvertible {
    let name: String
    let arguments: [String]

    var description: String { "\(name) \(arguments.joined(separator: " "))" }
  }

  let instructions: [Instruction]

  init(_ text: String) {
    var instructions: [Instruction] = []
    var line = ""
    for part in text.split(separator: "\n") where !part.drop(while: { $0 == " " }).hasPrefix("#") {
      line += part
      if line.hasSuffix("\\") {
        line.removeLast()
        continue
      }
      let words = line.split(separator: " ").map(String.init)
      if let name = words.first { instructions.append(Instruction(name: name, arguments: Array(words.dropFirst()))) }
      line = ""
    }
    self.instructions = instructions
  }
}

extension ContainerRecipe.Instruction {
  /// Of `RUN`: the commands that are joined by `&&`.
  var commands: [[String]] { arguments.split(separator: "&&").map(Array.init) }

  /// Of `COPY`: where from, if that is another stage; what; and where to.
  var copy: (stage: String?, sources: [String], target: String)? {
    let stage = arguments.first { $0.hasPrefix("--from=") }.map { String($0.dropFirst("--from=".count)) }
    let paths = arguments.filter { !$0.hasPrefix("--") }
    guard name == "COPY", paths.count >= 2, let target = paths.last else { return nil }
    return (stage, Array(paths.dropLast()), target)
  }
}
