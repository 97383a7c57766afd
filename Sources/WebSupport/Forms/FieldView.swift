/// The HTML of a field.
struct FieldView {
  let field: FormField
  /// The id of the field's form.
  let form: String

  /// A form may have several fields of one name with different conditions.
  private var id: String {
    let condition = (field.condition?.values.first).map { "-\($0)" } ?? ""
    return "\(form)-\(field.name.replacing(".", with: "-"))\(condition)"
  }

  var html: HTML {
    switch field.input {
    case .constant: return "<input type=\"hidden\"\(marks) value=\"\(field.text)\">"
    case .requestName: return "<input type=\"hidden\" data-request\(marks) value=\"\(field.text)\">"
    case .line: return labelled("<input type=\"text\"\(marks)\(described) value=\"\(field.text)\">")
    case .lines:
      // A browser leaves out the first newline of the text.
      return labelled("<textarea rows=\"6\" class=\"mono\"\(marks)\(described)>\n\(field.text)</textarea>")
    case .number:
      return labelled("<input type=\"text\" inputmode=\"decimal\"\(marks)\(described) value=\"\(field.text)\">")
    case .suggestions(let texts):
      let buttons = texts.map {
        "<button type=\"button\" class=\"button-plain\" data-fill=\"\(id)\" data-value=\"\($0)\" disabled>\($0)</button>"
          as HTML
      }
      return labelled(
        """
        <input type="text"\(marks)\(described) value="\(field.text)"><div class="suggestions">\(buttons)</div>
        """)
    case .names(let list):
      return labelled("<input type=\"text\"\(list.attribute)\(marks)\(described) value=\"\(field.text)\">")
    case .choice(let choices):
      return labelled("<select\(marks)\(described)>\(choices.map(option))</select>")
    case .check:
      return """
        <div class="field"\(condition)><input type="hidden" name="\(field.formName)" value="false">\
        <label class="check"><input type="checkbox"\(marks)\(described) value="true"\
        \(" checked", if: field.text == "true")> \(field.label)</label>\(hint)</div>
        """
    case .checks(let choices): return checks(choices)
    }
  }

  private var marks: HTML {
    " id=\"\(id)\" name=\"\(field.formName)\"\(" required", if: field.isRequired)"
  }

  private var described: HTML { field.hint == nil ? "" : " aria-describedby=\"\(id)-hint\"" }

  private var hint: HTML {
    field.hint.map { "<p class=\"hint\" id=\"\(id)-hint\">\($0)</p>" } ?? ""
  }

  private var condition: HTML {
    guard let condition = field.condition else { return "" }
    return " data-if=\"\(condition.name)\" data-values=\"\(condition.values.joined(separator: " "))\""
  }

  private func labelled(_ input: HTML) -> HTML {
    "<div class=\"field\"\(condition)><label for=\"\(id)\">\(field.label)</label>\(input)\(hint)</div>\n"
  }

  private func option(_ choice: FormField.Choice) -> HTML {
    "<option value=\"\(choice.value)\"\(" selected", if: choice.value == field.text)>\(choice.title)</option>"
  }

  private func checks(_ choices: [FormField.Choice]) -> HTML {
    let chosen = Set(field.text.split(separator: " ").map(String.init))
    let boxes = choices.enumerated().map { index, choice in
      """
      <label class="check"><input type="checkbox" id="\(id)-\(index)" name="\(field.formName)" value="\(choice.value)"\
      \(" checked", if: chosen.contains(choice.value))> \(choice.title)</label>
      """ as HTML
    }
    // Without a checked box, this input alone makes the empty list, which is sent.
    let none: HTML = field.kind == .wholeTexts ? "<input type=\"hidden\" name=\"\(field.formName)\" value=\"\">" : ""
    return """
      <fieldset class="field checks"\(condition) id="\(id)">\
      <legend>\(field.label)</legend>\(hint)\(none)\(boxes)</fieldset>
      """
  }
}
