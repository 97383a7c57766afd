// The forms of the console: each sends the request to /control/v1 that the command beside it shows. What is typed becomes JSON by the
// rules of FieldKind.swift and JSONText.swift; the command is quoted by those of ShellCommand.swift.
(() => {
  "use strict";

  // ---- JSON ----

  // What is not plainly visible, as UnicodeScalar+Visible.swift has it.
  const hidden = /(?! )[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;
  const escaped = (text) =>
    [...text].map((unit) => unit.split("").map((half) => "\\u" + half.charCodeAt(0).toString(16).padStart(4, "0")).join("")).join("");
  const string = (text) =>
    '"' + text.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n").replace(/\t/g, "\\t").replace(hidden, escaped) + '"';

  const trimmed = (text) => text.replace(/^[ \t\n\r]+|[ \t\n\r]+$/g, "");

  // As TypedSpan.swift reads a span: 1d12h, 90 s.
  const units = { ms: 1n, s: 1000n, m: 60000n, min: 60000n, h: 3600000n, d: 86400000n, w: 604800000n };
  const span = (text) => {
    const part = "([0-9]+) ?(ms|s|min|m|h|d|w)";
    if (!new RegExp(`^${part}(?: ?${part})*$`).test(text)) return null;
    let total = 0n;
    for (const [, number, unit] of text.matchAll(new RegExp(part, "g"))) total += BigInt(number) * units[unit];
    return total < 2n ** 63n ? String(total) : null;
  };

  // As StoreDate+Typed.swift reads a date, in UNIX milliseconds.
  const date = (text) => {
    const match =
      /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?(?:[Zz]|([+-])(\d{2}):?(\d{2}))?)?$/.exec(text);
    if (!match) return null;
    const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part || 0));
    const milliseconds = Number((match[7] || "").padEnd(3, "0"));
    const [offsetHours, offsetMinutes] = match.slice(9, 11).map((part) => Number(part || 0));
    const civil = new Date(0);
    // Not Date.UTC, which takes the year 50 for 1950.
    civil.setUTCFullYear(year, month - 1, day);
    const isDay = civil.getUTCFullYear() === year && civil.getUTCMonth() === month - 1 && civil.getUTCDate() === day;
    if (!isDay || hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return null;
    civil.setUTCHours(hour, minute, second, milliseconds);
    const offset = (offsetHours * 60 + offsetMinutes) * 60000 * (match[8] === "-" ? 1 : -1);
    return String(civil.getTime() + offset);
  };

  // The JSON of a text; null where it is left out.
  const json = (kind, text) => {
    const word = trimmed(text);
    switch (kind) {
      case "text": return text === "" ? null : string(text);
      case "textOrNull": return text === "" ? "null" : string(text);
      case "object": return "{}";
      case "words": {
        const words = word.split(" ").filter((part) => part !== "");
        return words.length === 0 ? null : "[" + words.map(string).join(",") + "]";
      }
      case "number": return word === "" ? null : /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(word) ? word : string(text);
      case "flag": return word === "" ? null : word === "true" || word === "false" ? word : string(text);
      case "thousandths": {
        const match = /^(-?)([0-9]{1,15})(?:\.([0-9]{1,3}))?$/.exec(word);
        if (word === "" || !match) return word === "" ? null : string(text);
        const digits = (match[2] + (match[3] || "").padEnd(3, "0")).replace(/^0+/, "");
        return digits === "" ? "0" : match[1] + digits;
      }
      case "duration": return word === "" ? null : span(word) ?? string(text);
      case "seconds": {
        const milliseconds = BigInt(span(word) ?? 1);
        return word === "" ? null : milliseconds % 1000n === 0n ? String(milliseconds / 1000n) : string(text);
      }
      case "date": return word === "" ? null : date(word) ?? string(text);
    }
    return null;
  };

  // ---- Forms ----

  const fieldsOf = (form) => [...form.querySelectorAll("[data-name]")];
  const textOf = (field) => {
    if (field instanceof HTMLFieldSetElement) {
      return [...field.querySelectorAll("[data-part]")].filter((box) => box.checked).map((box) => box.value).join(" ");
    }
    return field.type === "checkbox" ? String(field.checked) : field.value;
  };
  const isThere = (form, field) => {
    const holder = field.closest("[data-if]");
    if (!holder) return true;
    const other = fieldsOf(form).find((one) => one.dataset.name === holder.dataset.if);
    return Boolean(other) && holder.dataset.values.split(" ").includes(textOf(other));
  };

  const bodyOf = (form) => {
    if (!("body" in form.dataset)) return null;
    const root = new Map();
    for (const field of fieldsOf(form)) {
      if (!isThere(form, field)) continue;
      const value = json(field.dataset.kind, textOf(field));
      if (value === null) continue;
      const path = field.dataset.name.split(".");
      let object = root;
      for (const name of path.slice(0, -1)) {
        if (!(object.get(name) instanceof Map)) object.set(name, new Map());
        object = object.get(name);
      }
      const name = path[path.length - 1];
      if (!object.has(name)) object.set(name, field.dataset.kind === "object" ? new Map() : value);
    }
    const text = (value) =>
      value instanceof Map ? "{" + [...value].map(([name, member]) => string(name) + ":" + text(member)).join(",") + "}" : value;
    return text(root);
  };

  const quoted = (text) => (/^[A-Za-z0-9\-._~/:%]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'");
  const commandOf = (form) => {
    const { call: method, address, origin } = form.dataset;
    const body = bodyOf(form);
    let first = "curl";
    if (address.split("/").some((part) => part === "." || part === "..")) first += " --path-as-is";
    if (method !== "GET" && !(method === "POST" && body !== null)) first += " -X " + method;
    const lines = [first + " " + quoted(origin + address)];
    if (method !== "GET") lines.push("-H 'Content-Type: application/json'");
    if ("token" in form.dataset) lines.push('-H "Authorization: Bearer $OPENSTOREKIT_CONTROL_TOKEN"');
    if (body !== null) lines.push("--data-raw " + quoted(body));
    return lines.join(" \\\n  ");
  };

  const refresh = (form) => {
    for (const holder of form.querySelectorAll("[data-if]")) {
      const inner = holder.matches("[data-name]") ? holder : holder.querySelector("[data-name]");
      const there = isThere(form, inner);
      holder.hidden = !there;
      // What is not shown must not keep the form from being sent.
      for (const field of holder.querySelectorAll("input, select")) field.disabled = !there;
    }
    const command = form.querySelector("pre.command");
    const text = commandOf(form);
    if (command && command.textContent !== text) command.textContent = text;
  };

  const equip = () => {
    for (const form of document.querySelectorAll("form[data-call]")) {
      for (const button of form.querySelectorAll("button")) if (!("sending" in form.dataset)) button.disabled = false;
      refresh(form);
    }
    for (const button of document.querySelectorAll("button[data-copy]")) button.hidden = false;
  };

  for (const kind of ["input", "change"]) {
    document.addEventListener(kind, (event) => {
      const form = event.target.closest && event.target.closest("form[data-call]");
      if (form) refresh(form);
    });
  }

  // A UUID of version 4. crypto.randomUUID is only there over HTTPS and on the machine itself.
  const newName = () => {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return [0, 8, 12, 16, 20].map((start, index) => digits.slice(start, [8, 12, 16, 20, 32][index])).join("-");
  };

  // Whether another page takes this one's place.
  const send = async (form) => {
    const said = form.querySelector("output");
    const body = bodyOf(form);
    const headers = form.dataset.call === "GET" ? {} : { "Content-Type": "application/json" };
    const reply = await fetch(form.dataset.address, { method: form.dataset.call, headers, body });
    if (!reply.ok) {
      const words = await window.pages.refusalOf(reply);
      said.textContent = "";
      window.pages.say(words);
      return false;
    }
    const answer = await reply.json().catch(() => ({}));
    // What is sent from now on is another request, also from a page that is come back to.
    for (const field of form.querySelectorAll("[data-request-name]")) field.value = field.defaultValue = newName();
    refresh(form);
    if (form.dataset.next) {
      location.href = form.dataset.next.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(answer[name] ?? ""));
      return true;
    }
    for (const field of fieldsOf(form)) {
      // What was sent is what the form begins with now: it is nothing that the reader is still typing.
      if (field.type === "checkbox") field.defaultChecked = field.checked;
      else if (field.defaultValue !== undefined) field.defaultValue = field.value;
    }
    said.textContent = form.dataset.done;
    window.pages.look();
    return false;
  };

  const release = (form) => {
    delete form.dataset.sending;
    form.removeAttribute("aria-busy");
  };

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.matches("[data-call]")) return;
    event.preventDefault();
    // One press is one request, also while the next page is on its way.
    if ("sending" in form.dataset) return;
    form.dataset.sending = "";
    form.setAttribute("aria-busy", "true");
    window.pages.say("");
    try {
      if (await send(form)) return;
    } catch {
      window.pages.say("The emulator did not answer.");
    }
    release(form);
  });
  // Who comes back to a page finds it as it was left.
  addEventListener("pageshow", () => document.querySelectorAll("[data-sending]").forEach(release));

  document.addEventListener("click", async (event) => {
    const fill = event.target.closest("button[data-fill]");
    if (fill) {
      const field = document.getElementById(fill.dataset.fill);
      field.value = fill.dataset.value;
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.focus();
    }
    const copy = event.target.closest("button[data-copy]");
    if (copy) {
      const words = copy.firstChild;
      try {
        await navigator.clipboard.writeText(document.getElementById(copy.dataset.copy).textContent);
        words.data = "Copied";
      } catch {
        // Without permission: the text is selected, and one key copies it.
        getSelection().selectAllChildren(document.getElementById(copy.dataset.copy));
        words.data = "Selected";
      }
      setTimeout(() => (words.data = "Copy"), 2000);
    }
  });

  // ---- The store's clock, between two looks ----

  setInterval(() => {
    for (const clock of document.querySelectorAll("[data-clock] time")) {
      const { clock: shown, rate } = clock.parentElement.dataset;
      if (clock.since === undefined) clock.since = performance.now();
      const date = new Date(Number(shown) + (performance.now() - clock.since) * Number(rate));
      clock.textContent = date.toISOString().slice(0, 19).replace("T", " ");
    }
  }, 1000);

  // ---- The list's end ----

  let isAsking = false;
  const reachEnd = () => {
    const more = document.querySelector("a[data-more]");
    if (!more || isAsking) return;
    const box = more.getBoundingClientRect();
    if (box.top > innerHeight + 600 || box.bottom === 0) return;
    isAsking = true;
    history.replaceState(null, "", more.getAttribute("href"));
    window.pages.look();
  };
  addEventListener("scroll", reachEnd, { passive: true });

  document.addEventListener("page-changed", () => {
    isAsking = false;
    equip();
  });
  equip();
})();
