import StoreModel

/// Checks subjects of the identity system that an operator writes into a file or the configuration.
///
/// A subject counts only if it is the same text as the `sub` of the customer's tokens. A blank around it, or a character that
/// is not visible, makes it another customer, who can never sign in. The `sub` of a token is not checked: the identity system has
/// signed it.
package enum SubjectText {
  /// Returns what is wrong with a subject, as the end of a sentence; nil if nothing is wrong.
  package static func fault(in subject: String) -> String? {
    let scalars = subject.unicodeScalars
    if scalars.isEmpty { return "is empty" }
    if let hidden = scalars.first(where: { !$0.isPlainlyVisible }) {
      let digits = String(hidden.value, radix: 16, uppercase: true)
      let zeros = String(repeating: "0", count: max(0, 4 - digits.count))
      return "has the invisible character U+\(zeros)\(digits)"
    }
    if scalars.first == " " { return "begins with a blank" }
    return scalars.last == " " ? "ends with a blank" : nil
  }

  /// Returns why a row of an import with this subject is refused, and what to do; nil if it is not refused.
  package static func refusal(of subject: String) -> String? {
    fault(in: subject).map {
      "The subject \($0). Write it as the customer's tokens have it, otherwise the customer cannot sign in. "
        + "If the tokens have it like this, name the customer by id."
    }
  }
}
