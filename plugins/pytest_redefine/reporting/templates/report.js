"use strict";
// The page without this script is complete but for the list of cases. All text goes in as text, never as markup.
(() => {
  const PAGE = 50;
  const byId = (id) => document.getElementById(id);
  const index = JSON.parse(byId("index").textContent);
  const { values, columns } = index;
  const total = columns.outcome.length;
  const LETTERS = { correct: "C", anchored: "A", wrong: "W", refused: "R", blank: "B", hedged: "H", error: "!", not_asked: "–", ungraded: "?" };
  const AXES = ["outcome", "model", "task", "quantity", "redefinition", "question", "format", "prompting", "detail"];
  const SHOWN = [["outcome", "outcome"], ["case", "case"], ["model", "model"], ["extracted", "answer"],
    ["expected", "expected"], ["default", "default"], ["detail", "detail"]];
  const state = { order: null, up: true, page: 0, found: [] };
  const read = (axis, at) => values[axis][columns[axis][at]];

  const make = (name, text, attributes = {}) => {
    const node = document.createElement(name);
    if (text !== undefined && text !== null) node.textContent = text;
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  };

  const caseName = (at) => {
    const parts = ["task", "quantity", "redefinition", "question", "format", "prompting"].map((axis) => read(axis, at));
    if (index.sample.length) parts.push(`s${index.sample[at]}`);
    if (index.rotation.length && index.rotation[at]) parts.push(`rot${index.rotation[at]}`);
    return parts.join(" ");
  };

  // Details ---------------------------------------------------------------------------------------------------------

  const blocks = new Map();
  const inflate = async (element) => {
    const packed = Uint8Array.from(atob(element.textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  };
  const block = (kind, number) => {
    const key = `${kind}${number}`;
    if (!blocks.has(key)) blocks.set(key, inflate(document.querySelector(`script[data-${kind}="${number}"]`)));
    return blocks.get(key);
  };
  const prompt = async (number) => (await block("prompts", Math.floor(number / index.block)))[number % index.block];

  // As reporting/text.py: what cannot be seen is spelt out.
  const visible = (text, limit = 20000) => {
    const shown = text.slice(0, limit).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu, (one) =>
      one === "\n" || one === "\t" ? one : `\\u{${one.codePointAt(0).toString(16)}}`);
    return text.length > limit ? `${shown}\n[... ${text.length - limit} more characters]` : shown;
  };

  const picked = { file: null };
  const fromFile = async (at) => {
    const [offset, length] = index.places[at];
    const record = JSON.parse(await picked.file.slice(offset, offset + length).text());
    // Spans count characters as Python does, a surrogate pair as one.
    const reply = Array.from(record.reply ?? "");
    const [start, end] = record.span ?? [reply.length, reply.length];
    const part = (from, to) => visible(reply.slice(from, to).join(""));
    return {
      id: visible(record.nodeid ?? record.case_id),
      asked: (record.messages ?? []).map((message) => [visible(message.role), { text: visible(message.content) }]),
      reasoning: record.reasoning ? visible(record.reasoning) : undefined,
      error: record.error ? visible(`${record.error.kind}: ${record.error.message}`) : undefined,
      reply: record.reply === null ? undefined : [part(0, start), part(start, end), part(end)],
      verdict: ["detail", "extracted", "rule", "relative_error", "expected", "default", "unit", "finish_reason"]
        .filter((name) => record[name] !== null && record[name] !== "" && record[name] !== undefined)
        .map((name) => [name, visible(String(record[name]), 200)]),
      options: record.options ? Object.entries(record.options).map((pair) => pair.map((one) => visible(String(one), 40))) : undefined,
      cost: "",
    };
  };

  const detailOf = async (at) => {
    if (at < index.embedded) return (await block("block", Math.floor(at / index.block)))[at % index.block];
    return picked.file ? fromFile(at) : null;
  };

  const section = (into, title, ...children) => {
    into.append(make("h4", title));
    const pre = make("pre", undefined, { tabindex: "0" });
    pre.append(...children);
    into.append(pre);
  };

  const showDetail = async (at, into) => {
    let detail;
    try {
      detail = await detailOf(at);
    } catch (error) {
      into.replaceChildren(make("p", `These details cannot be read here (${error.message}); they are in records.jsonl.`));
      return;
    }
    if (!detail) {
      into.replaceChildren(make("p", "These details are not in this page: choose the run's records.jsonl above the list."));
      return;
    }
    const body = make("div", undefined, { class: "detail" });
    body.append(make("small", detail.id));
    for (const [role, text] of detail.asked ?? []) section(body, `asked (${role})`, text.text ?? (await prompt(text)));
    for (const [role, text] of detail.turns ?? []) section(body, role, text);
    if (detail.reasoning) section(body, "reasoning", detail.reasoning);
    if (detail.error) section(body, "no answer", detail.error);
    if (detail.reply) {
      const [before, span, after] = detail.reply;
      const marked = span ? [before, make("mark", span), after] : [before || "(nothing)"];
      section(body, "said (what was read as the answer is marked)", ...marked);
    }
    const facts = make("dl");
    const add = (name, text) => facts.append(make("dt", name), make("dd", text));
    if (detail.options) add("options", detail.options.map(([letter, value]) => `${letter}) ${value}`).join("  "));
    for (const [name, text] of detail.verdict) add(name.replaceAll("_", " "), text);
    if (index.marks[at]) add("marks", ["contested", "indistinct"].filter((_, bit) => index.marks[at] & (1 << bit)).join(", "));
    if (detail.cost) add("cost", detail.cost);
    body.append(make("h4", "references and verdict"), facts);
    into.replaceChildren(body);
  };

  // The list --------------------------------------------------------------------------------------------------------

  const wanted = () => AXES.map((axis) => [axis, byId(`by-${axis}`).value]).filter(([, value]) => value !== "")
    .map(([axis, value]) => [columns[axis], Number(value)]);

  const lowered = Object.fromEntries(Object.entries(values).map(([axis, list]) => [axis, list.map((one) => one.toLowerCase())]));
  const matches = (words, at) => words.every((word) =>
    Object.keys(lowered).some((axis) => lowered[axis][columns[axis][at]].includes(word)));

  let deepTexts = null;
  const deepText = async () => {
    if (deepTexts) return deepTexts;
    const texts = [];
    for (let number = 0; number * index.block < index.embedded; number += 1) {
      for (const detail of await block("block", number)) {
        const asked = await Promise.all((detail.asked ?? []).map(([, text]) => prompt(text)));
        texts.push([...asked, ...(detail.turns ?? []).flat(), ...(detail.reply ?? []), detail.reasoning ?? "", detail.error ?? ""]
          .join("\n").toLowerCase());
      }
    }
    deepTexts = texts;
    return texts;
  };

  let asked = 0;
  const filter = async () => {
    const mine = (asked += 1);
    const filters = wanted();
    const text = byId("search").value.trim().toLowerCase();
    const words = text.split(/\s+/).filter(Boolean);
    const plain = byId("contested").checked;
    const texts = text && byId("deep").checked ? await deepText() : null;
    if (mine !== asked) return; // a later key was pressed meanwhile
    const found = [];
    for (let at = 0; at < total; at += 1) {
      if (filters.every(([column, value]) => column[at] === value) && !(plain && index.marks[at] & 1)
        && (!words.length || matches(words, at) || texts?.[at]?.includes(text))) found.push(at);
    }
    sort(found);
    state.found = found;
    state.page = 0;
    draw();
  };

  const sort = (found) => {
    if (state.order === null) return;
    const axis = state.order;
    const names = new Intl.Collator("en", { numeric: true });
    const rank = axis === "case" ? null : values[axis].map((one, at) => [one, at]).sort((a, b) => names.compare(a[0], b[0]))
      .reduce((ranks, [, at], place) => { ranks[at] = place; return ranks; }, []);
    const key = axis === "case" ? (at) => at : (at) => rank[columns[axis][at]];
    found.sort((a, b) => (state.up ? 1 : -1) * (key(a) - key(b)) || a - b);
  };

  const rowOf = (at) => {
    const outcome = read("outcome", at);
    const row = make("tr", undefined, { "data-case": at });
    for (const [axis, title] of SHOWN) {
      const cell = make("td", undefined, { "data-name": title });
      if (axis === "outcome") {
        cell.append(make("span", LETTERS[outcome] ?? "?", { class: `chip o-${outcome}`, "aria-hidden": "true" }), ` ${outcome}`);
      } else if (axis === "case") {
        const open = make("button", caseName(at), { type: "button", class: "open", "aria-expanded": "false" });
        cell.append(open);
      } else cell.textContent = read(axis, at);
      row.append(cell);
    }
    return row;
  };

  const draw = () => {
    const pages = Math.max(1, Math.ceil(state.found.length / PAGE));
    state.page = Math.min(Math.max(0, state.page), pages - 1);
    const part = state.found.slice(state.page * PAGE, (state.page + 1) * PAGE);
    document.querySelector("#list tbody").replaceChildren(...part.map(rowOf));
    byId("count").textContent = `${state.found.length.toLocaleString("en")} of ${total.toLocaleString("en")} cases`;
    byId("page").textContent = `page ${state.page + 1} of ${pages}`;
    byId("previous").disabled = state.page === 0;
    byId("next").disabled = state.page === pages - 1;
  };

  const toggle = async (row) => {
    const button = row.querySelector(".open");
    const below = row.nextElementSibling;
    if (below?.classList.contains("below")) {
      below.remove();
      button.setAttribute("aria-expanded", "false");
      return;
    }
    const detail = make("tr", undefined, { class: "below" });
    const cell = make("td", "…", { colspan: SHOWN.length });
    detail.append(cell);
    row.after(detail);
    button.setAttribute("aria-expanded", "true");
    await showDetail(Number(row.dataset.case), cell);
  };

  const choose = (wishes) => {
    for (const [axis, text] of Object.entries(wishes)) {
      const at = values[axis].indexOf(text);
      byId(`by-${axis}`).value = at < 0 ? "" : at;
    }
  };

  const setUp = () => {
    byId("browser").hidden = false;
    document.documentElement.classList.add("live");
    for (const axis of AXES) {
      const select = byId(`by-${axis}`);
      const sorted = values[axis].map((text, at) => [text, at]).sort((a, b) => a[0].localeCompare(b[0], "en", { numeric: true }));
      select.append(make("option", "all", { value: "" }), ...sorted.map(([text, at]) => make("option", text || "–", { value: at })));
      select.parentElement.hidden = values[axis].length < 2;
    }
    const head = document.querySelector("#list thead tr");
    for (const [axis, title] of SHOWN) {
      const cell = make("th", undefined, { scope: "col", "aria-sort": "none" });
      const button = make("button", title, { type: "button" });
      button.addEventListener("click", () => {
        state.up = state.order === axis ? !state.up : true;
        state.order = axis;
        for (const other of head.children) other.setAttribute("aria-sort", "none");
        cell.setAttribute("aria-sort", state.up ? "ascending" : "descending");
        sort(state.found);
        draw();
      });
      cell.append(button);
      head.append(cell);
    }
    let later;
    byId("filters").addEventListener("input", () => { clearTimeout(later); later = setTimeout(filter, 120); });
    byId("filters").addEventListener("reset", () => setTimeout(filter)); // once the fields are empty
    byId("filters").addEventListener("submit", (event) => event.preventDefault());
    byId("previous").addEventListener("click", () => { state.page -= 1; draw(); });
    byId("next").addEventListener("click", () => { state.page += 1; draw(); });
    document.querySelector("#list tbody").addEventListener("click", (event) => {
      const button = event.target.closest(".open");
      if (button) toggle(button.closest("tr"));
    });
    if (index.embedded < total) {
      byId("pick").hidden = index.runs.length > 1;
      byId("left").textContent = `${(total - index.embedded).toLocaleString("en")} cases`;
      byId("file").addEventListener("change", (event) => { [picked.file] = event.target.files; });
    }
  };

  // Pictures --------------------------------------------------------------------------------------------------------

  const setUpPictures = () => {
    const tip = byId("tip");
    const show = (event) => {
      const title = event.target.closest?.("rect, g[tabindex]")?.querySelector(":scope > title");
      tip.hidden = !title;
      if (!title) return;
      tip.textContent = title.textContent;
      const box = event.target.getBoundingClientRect();
      tip.style.left = `${Math.max(4, Math.min(box.left + scrollX, scrollX + innerWidth - 330))}px`;
      tip.style.top = `${box.top + scrollY - tip.offsetHeight - 6}px`;
    };
    for (const kind of ["pointerover", "focusin"]) document.querySelector("main").addEventListener(kind, show);
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
    const outcomes = byId("outcomes");
    if (!outcomes) return;
    byId("legend").addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      const on = button.getAttribute("aria-pressed") !== "true";
      for (const other of byId("legend").querySelectorAll("button")) other.setAttribute("aria-pressed", "false");
      button.setAttribute("aria-pressed", String(on));
      if (on) outcomes.dataset.only = button.dataset.outcome; else delete outcomes.dataset.only;
      choose({ outcome: on ? button.dataset.outcome : "" });
      filter();
    });
    // A piece of a bar leads to its cases.
    outcomes.addEventListener("click", (event) => {
      const piece = event.target.closest("rect[data-outcome]");
      if (!piece) return;
      const arm = piece.closest("details[data-task]").dataset;
      choose({
        outcome: piece.dataset.outcome, redefinition: piece.parentElement.dataset.level,
        question: piece.closest("svg").dataset.question, model: piece.closest("[data-model]").dataset.model,
        task: arm.task, format: arm.format, prompting: arm.prompting,
      });
      filter().then(() => byId("cases").scrollIntoView());
    });
  };

  // #quantity=pi&redefinition=ra1&question=q1&model=gpt-4o chooses these: comparisons link here.
  const follow = async () => {
    const wishes = Object.fromEntries([...new URLSearchParams(location.hash.slice(1))].filter(([axis]) => AXES.includes(axis)));
    if (!Object.keys(wishes).length) return;
    byId("search").value = "";
    byId("contested").checked = false;
    choose({ ...Object.fromEntries(AXES.map((axis) => [axis, null])), ...wishes });
    await filter();
    byId("cases").scrollIntoView();
    if (state.found.length === 1) toggle(document.querySelector("#list tbody tr"));
  };

  setUp();
  setUpPictures();
  addEventListener("hashchange", follow);
  filter().then(follow);
})();
