"use strict";
// Correcting a document: its clusters and frames, by mouse and keyboard, with undo. What was corrected is sent as a
// whole, with the version that it began with. Text of documents is only ever put into text, never into markup.
{
  const byId = (id) => document.getElementById(id);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 0 });
  const address = document.querySelector("main").dataset.address;
  const sentencesBox = document.querySelector(".sentences");
  const NAME = /^[^\s[\]|\\]+$/u;
  const COLORS = 8;
  const LINES = 4;
  const HEIGHTS = 6;
  const MOST_OPTIONS = 12;
  const COMMON_ROLES = ["ARG0", "ARG1", "ARG2", "ARG3", "ARG4", "ARGM-TMP", "ARGM-LOC", "ARGM-MNR", "ARGM-NEG", "ARGM-MOD",
    "ARGM-ADV", "ARGM-CAU", "ARGM-DIR", "ARGM-DIS", "ARGM-EXT", "ARGM-PRD", "ARGM-PRP", "R-ARG0", "R-ARG1", "C-ARG1"];

  function make(tag, { className = "", ...attributes } = {}, ...content) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...content);
    return element;
  }

  // The document. Its words stay; `state` is never changed, but replaced, so that undo has it as it was.
  //   state: { clusters: [{ id, name, mentions: [[start, end], ...] }], frames: [{ id, predicate, roleset, arguments }] }
  //   chosen: null, { words: [start, end] }, { cluster: id, span } or { frame: id, argument: number, or -1 for the predicate }

  let words = [];  // [text, whether a space follows]
  let sentences = [];  // [start, end, speaker]
  let sentenceOf = [];
  let fingerprint = "";
  let original = "";  // the document as it was opened, for the server if the folder has it no more
  let version = "";
  let state = { clusters: [], frames: [] };
  let saved = null;  // the state that the file has
  let isBusy = false;
  let chosen = null;
  const lastIds = { cluster: 0, frame: 0 };
  let lastCluster = null;
  let lastFrame = null;
  let past = [];
  let future = [];
  let links = [];  // doubtful ones, the most doubtful first: { span, antecedent, score }
  let seen = new Set();
  let failure = "";

  const keyOf = ([start, end]) => `${start}-${end}`;
  const isSame = (one, other) => one[0] === other[0] && one[1] === other[1];
  const has = (cluster, span) => cluster.mentions.some((mention) => isSame(mention, span));
  const cross = ([a, b], [c, d]) => (a < c && c < b && b < d) || (c < a && a < d && d < b);
  const overlap = ([a, b], [c, d]) => a < d && c < b;
  const inOrder = (one, other) => one[0] - other[0] || other[1] - one[1];
  const clusterOf = (id) => state.clusters.find((cluster) => cluster.id === id);
  const frameOf = (id) => state.frames.find((frame) => frame.id === id);
  const textOf = ([start, end]) => words.slice(start, end).map(([text, space]) => text + (space ? " " : "")).join("").trim();
  const short = (text) => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
  const hasWords = (start, end) => /[\p{L}\p{N}]/u.test(textOf([start, end]));
  const quoted = (span) => `“${short(textOf(span))}”`;
  const sentenceAt = (i) => sentences[sentenceOf[i]];
  const spanOf = (frame, argument) => (argument < 0 ? frame.predicate : frame.arguments[argument].slice(0, 2));
  const nameOf = (cluster) => cluster.name || textOf(cluster.mentions[0]);

  const looks = new Map();  // the number of the colour and line of each cluster, which it keeps

  function lookOf({ id, mentions }) {
    if (mentions.length === 1) return "single";
    if (!looks.has(id)) looks.set(id, looks.size);
    return `k${looks.get(id) % COLORS} line${Math.floor(looks.get(id) / COLORS) % LINES}`;
  }

  function spanOfChosen() {
    if (!chosen) return null;
    return chosen.words ?? chosen.span ?? spanOf(frameOf(chosen.frame), chosen.argument);
  }

  function nameFor(span, clusters) {
    const wanted = textOf(span).replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 24).replace(/^-+|-+$/g, "") || "c";
    const taken = new Set(clusters.map((cluster) => cluster.name));
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? wanted : `${wanted}-${number}`;
      if (!taken.has(name)) return name;
    }
  }

  // Changes. Each makes a new state, which is checked as the server does.

  function fail(text) {
    failure = text;
    showCard();
    return false;
  }

  function commit(next, choice) {
    const clusters = next.clusters.filter((cluster) => cluster.mentions.length).map((cluster) => (
      { ...cluster, mentions: [...cluster.mentions].sort(inOrder) }));
    for (const cluster of clusters) {
      if (cluster.mentions.length > 1 && !cluster.name) cluster.name = nameFor(cluster.mentions[0], clusters);
    }
    clusters.sort((one, other) => inOrder(one.mentions[0], other.mentions[0]));
    past.push({ state, chosen });
    future = [];
    show({ clusters, frames: next.frames }, choice);
    return true;
  }

  function show(next, choice) {
    state = next;
    closeQuestion();
    failure = "";
    renderText();
    renderClusters();
    choose(choice, { quietly: true });
    showEdits();
  }

  function travel(from, to) {
    const step = from.pop();
    if (!step) return;
    to.push({ state, chosen: step.chosen });
    show(step.state, isThere(step.chosen, step.state) ? step.chosen : null);
    if (!isBusy && (state === saved || !past.length)) say("");
  }

  const undo = () => travel(past, future);
  const redo = () => travel(future, past);

  function isThere(choice, { clusters, frames }) {
    if (!choice || choice.words) return Boolean(choice);
    if (choice.span) return clusters.some((cluster) => cluster.id === choice.cluster && has(cluster, choice.span));
    return frames.some((frame) => frame.id === choice.frame && choice.argument < frame.arguments.length);
  }

  const withClusters = (clusters) => ({ ...state, clusters });
  const withFrames = (frames) => ({ ...state, frames });
  const without = (cluster, span) => ({ ...cluster, mentions: cluster.mentions.filter((mention) => !isSame(mention, span)) });
  const changed = (items, id, change) => items.map((item) => (item.id === id ? change(item) : item));

  // Whether a mention may be here, or part of a frame; the card says why not.
  function allowsMention(span, except = null) {
    const mentions = state.clusters.flatMap((cluster) => cluster.mentions).filter((mention) => !except || !isSame(except, mention));
    const other = mentions.find((mention) => cross(mention, span));
    return !other || fail(`It would cross the mention ${quoted(other)}. Change that first.`);
  }

  function addMention(span, id) {
    if (!allowsMention(span)) return false;
    if (id && has(clusterOf(id), span)) return fail("It is a mention of this cluster already.");
    const cluster = id ?? (lastIds.cluster += 1);
    const clusters = id
      ? changed(state.clusters, id, (item) => ({ ...item, mentions: [...item.mentions, span] }))
      : [...state.clusters, { id: cluster, name: "", mentions: [span] }];
    return commit(withClusters(clusters), { cluster, span });
  }

  function moveMention(span, from, to) {
    if (from === to) return fail("It is in this cluster.");
    const target = to ?? (lastIds.cluster += 1);
    const clusters = changed(state.clusters, from, (cluster) => without(cluster, span));
    if (!to) clusters.push({ id: target, name: "", mentions: [span] });
    const moved = changed(clusters, target, (cluster) => (has(cluster, span) ? cluster : { ...cluster, mentions: [...cluster.mentions, span] }));
    return commit(withClusters(moved), { cluster: target, span });
  }

  function merge(from, to, span) {
    if (from === to) return fail("It is this cluster.");
    const { mentions } = clusterOf(from);
    const clusters = changed(state.clusters, to, (cluster) => (
      { ...cluster, mentions: [...cluster.mentions, ...mentions.filter((mention) => !has(cluster, mention))] }));
    return commit(withClusters(clusters.filter((cluster) => cluster.id !== from)), { cluster: to, span });
  }

  function remove() {
    if (chosen?.span) {
      const { cluster, span } = chosen;
      return commit(withClusters(changed(state.clusters, cluster, (item) => without(item, span))), { words: span });
    }
    if (chosen?.argument >= 0) {
      const { frame, argument } = chosen;
      const keep = (item) => ({ ...item, arguments: item.arguments.filter((_, i) => i !== argument) });
      return commit(withFrames(changed(state.frames, frame, keep)), { frame, argument: -1 });
    }
    if (chosen?.frame) {
      const { predicate } = frameOf(chosen.frame);
      return commit(withFrames(state.frames.filter((frame) => frame.id !== chosen.frame)), { words: predicate });
    }
    return false;
  }

  function removeCluster() {
    if (!chosen?.span) return false;
    return commit(withClusters(state.clusters.filter((cluster) => cluster.id !== chosen.cluster)), { words: chosen.span });
  }

  function resize(startStep, endStep) {
    if (!chosen) return false;
    const old = spanOfChosen();
    const span = [old[0] + startStep, old[1] + endStep];
    const [first, last] = sentenceAt(old[0]);
    if (span[0] < first || span[1] > last) return fail("It ends with the sentence.");
    if (span[0] >= span[1]) return fail("It is one word. Remove it, if it is none.");
    if (chosen.words) return choose({ words: span });
    if (chosen.frame) return resizePart(span);
    const { cluster } = chosen;
    if (!allowsMention(span, old)) return false;
    if (has(clusterOf(cluster), span)) return fail("These words are a mention of this cluster already.");
    const move = (item) => ({ ...item, mentions: [...without(item, old).mentions, span] });
    return commit(withClusters(changed(state.clusters, cluster, move)), { cluster, span });
  }

  function allowsPart(frame, span, except = null) {
    const parts = [-1, ...frame.arguments.keys()].filter((i) => i !== except);
    const taken = parts.map((i) => spanOf(frame, i)).find((part) => overlap(part, span));
    return !taken || fail(`${quoted(taken)} is another part of the frame.`);
  }

  // Commit the chosen frame with a changed predicate, or with a changed argument, the one that is chosen.
  function changePart(ofPredicate, ofArgument) {
    const { frame: id, argument } = chosen;
    const change = (frame) => (argument < 0
      ? { ...frame, ...ofPredicate }
      : { ...frame, arguments: frame.arguments.map((item, i) => (i === argument ? ofArgument(item) : item)) });
    return commit(withFrames(changed(state.frames, id, change)), chosen);
  }

  function resizePart(span) {
    const isAllowed = allowsPart(frameOf(chosen.frame), span, chosen.argument);
    return isAllowed && changePart({ predicate: span }, (item) => [...span, item[2]]);
  }

  function addFrame(predicate) {
    const frame = { id: (lastIds.frame += 1), predicate, roleset: "", arguments: [] };
    return commit(withFrames([...state.frames, frame]), { frame: frame.id, argument: -1 });
  }

  function addArgument(span, id, role) {
    const problem = problemOfRole(role);
    if (problem) return fail(problem);
    if (!allowsPart(frameOf(id), span)) return false;
    const add = (frame) => ({ ...frame, arguments: [...frame.arguments, [...span, role]].sort(inOrder) });
    const place = add(frameOf(id)).arguments.findIndex((item) => isSame(item, span));
    return commit(withFrames(changed(state.frames, id, add)), { frame: id, argument: place });
  }

  const problemOfName = (name) => (NAME.test(name) ? "" : "Write it without white space, brackets, | and \\.");
  const problemOfRole = (role) => (/^V(=|$)/.test(role) ? "V is the predicate. Write the role of an argument." : problemOfName(role));

  function relabel(text) {
    if (chosen.span) {
      const { cluster } = chosen;
      const other = state.clusters.find((item) => item.id !== cluster && item.name === text);
      const problem = problemOfName(text) || (other && "Another cluster has this name. Merge them, or choose another name.");
      return problem ? fail(problem) : commit(withClusters(changed(state.clusters, cluster, (item) => ({ ...item, name: text }))), chosen);
    }
    const problem = chosen.argument < 0 ? text && problemOfName(text) : problemOfRole(text);
    return problem ? fail(problem) : changePart({ roleset: text }, ([start, end]) => [start, end, text]);
  }

  // Showing the text: of a sentence only what has changed is made anew.

  const shownSentences = [];  // [element, what it shows]

  function renderText() {
    const mentions = sentences.map(() => []);
    const frames = sentences.map(() => []);
    const doubtful = new Set(openDoubts().map(({ span }) => keyOf(span)));
    for (const cluster of state.clusters) {
      for (const span of cluster.mentions) {
        mentions[sentenceOf[span[0]]].push({ span, id: cluster.id, look: lookOf(cluster), doubt: doubtful.has(keyOf(span)) });
      }
    }
    for (const frame of state.frames) frames[sentenceOf[frame.predicate[0]]].push(frame);
    sentences.forEach((sentence, i) => {
      mentions[i].sort((one, other) => inOrder(one.span, other.span));
      frames[i].sort((one, other) => inOrder(one.predicate, other.predicate));
      const shows = JSON.stringify([mentions[i], frames[i]]);
      if (shownSentences[i]?.[1] === shows) return;
      const element = renderSentence(sentence, i, mentions[i], frames[i]);
      if (shownSentences[i]) shownSentences[i][0].replaceWith(element);
      else sentencesBox.append(element);
      shownSentences[i] = [element, shows];
    });
  }

  function renderSentence([start, end, speaker], i, mentions, frames) {
    const text = make("p", { className: "text" });
    if (speaker) text.append(make("b", { className: "speaker" }, `${speaker}:`), " ");
    renderWords(text, start, end, [...mentions]);
    const sentence = make("div", { className: "sentence", id: `s${i + 1}` }, text);
    if (frames.length) sentence.append(make("dl", { className: "frames" }, ...frames.map((frame) => renderFrame(frame, mentions))));
    return sentence;
  }

  function renderWords(parent, start, end, mentions) {
    let height = 0;
    for (let i = start; i < end; ) {
      if (mentions[0]?.span[0] === i) {
        const mention = mentions.shift();
        const inside = [];
        while (mentions[0]?.span[0] < mention.span[1]) inside.push(mentions.shift());
        const box = make("mark", { "data-n": mention.id, "data-span": keyOf(mention.span) });
        const stacked = 1 + renderWords(box, ...mention.span, inside);
        box.className = `mention ${mention.look} h${Math.min(stacked, HEIGHTS)}${mention.doubt ? " doubt" : ""}`;
        height = Math.max(height, stacked);
        parent.append(box);
        i = mention.span[1];
      } else {
        parent.append(make("span", { className: "w", "data-i": i }, words[i][0]));
        i += 1;
      }
      if (i < end && words[i - 1][1]) parent.append(" ");
    }
    return height;
  }

  function lookOfRole(role) {
    if (role === "V") return "predicate";
    const base = role.replace(/^[CR]-/, "");
    if (/^A(RG)?M/.test(base)) return "adjunct";
    const number = base.match(/^A(?:RG)?([0-5])$/)?.[1];
    return `k${number ?? [...base].reduce((sum, letter) => sum + letter.codePointAt(0), 0) % COLORS}`;
  }

  function renderFrame(frame, mentions) {
    const parts = [[...frame.predicate, "V", -1], ...frame.arguments.map((item, i) => [...item, i])].sort(inOrder);
    const [first, last] = sentenceAt(frame.predicate[0]);
    const line = make("dd");
    let here = parts[0][0];
    if (hasWords(first, here)) line.append("… ");
    for (const [start, end, role, argument] of parts) {
      line.append(words.slice(here, start).map(([text, space]) => text + (space ? " " : "")).join(""));
      const box = make("mark", { className: `role ${lookOfRole(role)}`, "data-argument": argument }, make("b", {}, role), "\u00a0");
      const mention = mentions.find(({ span }) => isSame(span, [start, end]));
      if (mention) box.append(make("i", { className: `number ${mention.look}`, "data-n": mention.id }));
      box.append(textOf([start, end]));
      line.append(box, words[end - 1][1] ? " " : "");
      here = end;
    }
    if (hasWords(here, last)) line.append(" …");
    const name = make("button", { type: "button", tabindex: "-1" }, frame.roleset || textOf(frame.predicate));
    return make("div", { className: "frame", "data-frame": frame.id }, make("dt", {}, name), line);
  }

  function renderClusters() {
    const largest = [...state.clusters].sort((one, other) => other.mentions.length - one.mentions.length);
    document.querySelector(".legend ol").replaceChildren(...largest.filter((cluster) => cluster.mentions.length > 1).map((cluster) => (
      make("li", {}, chipOf(cluster)))));
    document.querySelector(".legend").hidden = !largest.some((cluster) => cluster.mentions.length > 1);
  }

  const chipOf = (cluster) => make(
    "button", { type: "button", className: `cluster ${lookOf(cluster)}`, "data-n": cluster.id, tabindex: "-1" },
    make("bdi", {}, nameOf(cluster)), make("small", {}, String(cluster.mentions.length)),
  );

  function showEdits() {
    const isDirty = state !== saved;
    byId("undo").disabled = !past.length;
    byId("redo").disabled = !future.length;
    byId("save").disabled = isBusy || !isDirty;
    if (!isBusy && isDirty && past.length) say("Not saved");
    const left = openDoubts().length;
    byId("doubt").hidden = !links.length;
    byId("doubt").disabled = !left;
    byId("doubt").lastElementChild.textContent = String(left);
  }

  function say(text, next) {
    byId("status").replaceChildren(text);
    if (next) byId("status").append(" · ", make("a", { href: `/text/${encodeURIComponent(next)}` }, "Next document"));
  }

  function tell(problem, isNote = false) {
    byId("problem").firstElementChild.textContent = problem;
    byId("problem").className = isNote ? "note" : "";
    byId("problem").hidden = !problem;
  }

  byId("problem").lastElementChild.onclick = () => tell("");

  // Choosing: words, a mention, or a part of a frame.

  function choose(choice, { quietly = false } = {}) {
    if (!quietly) {
      closeQuestion();
      failure = "";
    }
    chosen = choice ?? null;
    if (chosen?.span) lastCluster = chosen.cluster;
    if (chosen?.frame) lastFrame = chosen.frame;
    for (const element of all(".lit, .here, .antecedent")) element.classList.remove("lit", "here", "antecedent");
    globalThis.CSS.highlights?.delete("chosen");
    if (chosen?.span) {
      for (const element of all(`.mention[data-n="${chosen.cluster}"], .legend .cluster[data-n="${chosen.cluster}"]`)) element.classList.add("lit");
      boxOf(chosen)?.classList.add("here");
      const link = linkOf(chosen);
      if (link?.antecedent) boxOf({ ...chosen, span: link.antecedent })?.classList.add("antecedent");
    } else if (chosen?.words) {
      highlight(chosen.words);
    } else if (chosen) {
      const frame = frameBox(chosen.frame);
      frame?.classList.add("lit");
      frame?.querySelector(`[data-argument="${chosen.argument}"]`)?.classList.add("here");
    }
    reveal();
    showCard();
    return true;
  }

  const boxOf = ({ cluster, span }) => document.querySelector(`.mention[data-n="${cluster}"][data-span="${keyOf(span)}"]`);
  const frameBox = (id) => document.querySelector(`.frame[data-frame="${id}"]`);
  const wordBox = (i) => shownSentences[sentenceOf[i]][0].querySelector(`.w[data-i="${i}"]`);
  const linkOf = ({ span }) => links.find((link) => isSame(link.span, span));

  function highlight([start, end]) {
    if (!globalThis.Highlight) return;
    const range = new Range();
    range.setStart(wordBox(start).firstChild, 0);
    range.setEnd(wordBox(end - 1).firstChild, words[end - 1][0].length);
    CSS.highlights.set("chosen", new Highlight(range));
  }

  function reveal() {
    const element = chosen && (chosen.words ? wordBox(chosen.words[0]) : chosen.span ? boxOf(chosen) : frameBox(chosen.frame));
    if (!element) return;
    const { top, bottom } = element.getBoundingClientRect();
    if (top > byId("tools").offsetHeight + 20 && bottom < innerHeight - byId("card").offsetHeight - 40) return;
    element.scrollIntoView({ block: "center", behavior: "instant" });
  }

  // The card: what is chosen, and what can be done with it.

  const action = (label, key, run, className = "") => {
    const button = make("button", { type: "button", className, ...(key && { "aria-keyshortcuts": key }) }, label);
    if (key) button.append(make("kbd", {}, key === "Enter" ? "↵" : key));
    button.onclick = run;
    return button;
  };

  const group = (label, ...buttons) => make("span", { className: "group" }, `${label} `, ...buttons);
  const step = (label, name, key, startStep, endStep) => {
    const button = action(label, "", () => resize(startStep, endStep));
    button.setAttribute("aria-label", name);
    button.setAttribute("aria-keyshortcuts", key);
    button.title = `${name} (${key})`;
    return button;
  };

  const edges = () => [
    group("begin", step("◂", "Begin a word earlier", "[", -1, 0), step("▸", "Begin a word later", "{", 1, 0)),
    group("end", step("◂", "End a word earlier", "}", 0, -1), step("▸", "End a word later", "]", 0, 1)),
  ];

  function frameHere() {
    const [start, end] = sentenceAt(spanOfChosen()[0]);
    const here = state.frames.filter((frame) => start <= frame.predicate[0] && frame.predicate[0] < end);
    return here.find((frame) => frame.id === lastFrame) ?? (here.length === 1 ? here[0] : undefined);
  }

  function argumentActions() {
    const frame = frameHere();
    return frame ? [action(`Argument of ${nameOfFrame(frame)} …`, "r", askArgument)] : [];
  }

  const shortName = (cluster) => `${cluster.id} ${nameOf(cluster).slice(0, 24)}`;

  const nameOfFrame = (frame) => frame.roleset || textOf(frame.predicate);

  function showCard() {
    const { about, actions } = chosen ? describe() : { about: [], actions: [] };
    const parts = about.map(([className, text]) => make("span", { className }, text));
    if (failure) parts.push(make("span", { className: "failed" }, failure));
    byId("card").firstElementChild.replaceChildren(...parts);
    byId("actions").replaceChildren(...actions);
    byId("card").hidden = !chosen;
  }

  function describe() {
    if (chosen.words) {
      const cluster = clusterOf(lastCluster);
      return {
        about: [["name", quoted(chosen.words)], ["", chosen.words[1] - chosen.words[0] === 1 ? "1 word" : `${chosen.words[1] - chosen.words[0]} words`]],
        actions: [
          ...(cluster ? [action(`Mention of ${shortName(cluster)}`, "Enter", confirm)] : []),
          action("New cluster", cluster ? "c" : "Enter", own),
          action("Mention of …", "m", askTarget),
          action("Predicate", "v", () => addFrame(chosen.words)),
          ...argumentActions(),
          ...edges(),
        ],
      };
    }
    if (chosen.span) {
      const cluster = clusterOf(chosen.cluster);
      const { length } = cluster.mentions;
      const place = 1 + cluster.mentions.findIndex((mention) => isSame(mention, chosen.span));
      const link = linkOf(chosen);
      const refers = link && (link.antecedent ? `refers to ${quoted(link.antecedent)}: ${percent.format(link.score)}` : `is the first: ${percent.format(link.score)}`);
      return {
        about: [["name", `${chosen.cluster} ${nameOf(cluster)}`], ["", quoted(chosen.span)], ["", length === 1 ? "only mention" : `mention ${place} of ${length}`], ...(refers ? [["", refers]] : [])],
        actions: [
          action("Move to …", "m", askTarget),
          ...(length > 1 ? [action("Split off", "c", own)] : []),
          action("Merge clusters …", "g", askMerge),
          action("Name …", "Enter", confirm),
          ...argumentActions(),
          ...edges(),
          action("Remove", "x", remove, "remove"),
          ...(length > 1 ? [action("Remove cluster", "X", removeCluster, "remove")] : []),
        ],
      };
    }
    const frame = frameOf(chosen.frame);
    const isPredicate = chosen.argument < 0;
    return {
      about: isPredicate
        ? [["name", nameOfFrame(frame)], ["", `predicate ${quoted(frame.predicate)}`], ["", frame.arguments.map((item) => item[2]).join(" ")]]
        : [["name", frame.arguments[chosen.argument][2]], ["", quoted(spanOf(frame, chosen.argument))], ["", `of ${nameOfFrame(frame)}`]],
      actions: [
        action(isPredicate ? "Roleset …" : "Role …", "Enter", confirm),
        ...edges(),
        action(isPredicate ? "Remove frame" : "Remove argument", "x", remove, "remove"),
      ],
    };
  }

  // Enter, and a cluster of its own.

  function confirm() {
    if (chosen?.words) return clusterOf(lastCluster) ? addMention(chosen.words, lastCluster) : addMention(chosen.words);
    if (chosen?.span) return ask({ label: "Name", value: clusterOf(chosen.cluster).name, take: relabel });
    if (chosen?.argument >= 0) return ask({ label: "Role", value: "", options: roles(), take: relabel });
    if (chosen) return ask({ label: "Roleset", value: frameOf(chosen.frame).roleset, options: rolesets(frameOf(chosen.frame)), mayBeEmpty: true, take: relabel });
    return false;
  }

  function own() {
    if (chosen?.words) return addMention(chosen.words);
    if (!chosen?.span) return false;
    return clusterOf(chosen.cluster).mentions.length > 1 ? moveMention(chosen.span, chosen.cluster) : fail("It is in a cluster of its own.");
  }

  // Questions: an input, and what may be meant by what is typed there.

  let question = null;  // { label, take, options: [{ text, value, cluster }], isClosed: whether only options are taken }
  let first = -1;

  function ask(asked) {
    question = { options: [], isClosed: false, ...asked };
    failure = "";
    showCard();
    byId("ask").hidden = false;
    byId("ask").querySelector("span").textContent = question.label;
    const input = byId("ask").querySelector("input");
    input.value = question.value ?? "";
    document.body.classList.toggle("asking", Boolean(question.isClosed));
    offer();
    input.focus();
    input.select();
    return true;
  }

  function closeQuestion() {
    question = null;
    byId("ask").hidden = true;
    document.body.classList.remove("asking");
  }

  function fitting() {
    const typed = byId("ask").querySelector("input").value.trim().toLowerCase();
    const exact = (option) => String(option.value).toLowerCase() === typed;
    const found = question.options.filter(({ text, value, alike }) => (
      !typed || typed === String(question.value ?? "").toLowerCase() || `${value} ${text} ${alike ?? ""}`.toLowerCase().includes(typed)));
    return [...found.filter(exact), ...found.filter((option) => !exact(option))].slice(0, MOST_OPTIONS);
  }

  function offer() {
    first = question.isClosed ? 0 : -1;
    byId("options").replaceChildren(...fitting().map((option) => {
      const button = option.cluster ? chipOf(option.cluster) : make("button", { type: "button" }, option.text);
      button.onclick = () => answer(option.value);
      return button;
    }));
    markFirst();
  }

  function markFirst() {
    [...byId("options").children].forEach((button, i) => button.classList.toggle("first", i === first));
  }

  function answer(value) {
    const { take } = question;
    const isDone = take(value);
    if (isDone) byId("ask").querySelector("input").blur();
  }

  byId("ask").onsubmit = (event) => {
    event.preventDefault();
    const options = fitting();
    const typed = byId("ask").querySelector("input").value.trim();
    if (options[first]) answer(options[first].value);
    else if (!question.isClosed && (typed || question.mayBeEmpty)) answer(typed);
    else fail(question.isClosed ? "There is no such cluster." : "Type one.");
  };

  byId("ask").oninput = offer;

  function clusterOptions(except) {
    const here = spanOfChosen()[0];
    const distance = (cluster) => Math.min(...cluster.mentions.map(([start]) => Math.abs(start - here)));
    return state.clusters.filter((cluster) => cluster.id !== except)
      .sort((one, other) => distance(one) - distance(other))
      .map((cluster) => ({ value: cluster.id, text: nameOf(cluster), alike: cluster.mentions.map(textOf).join(" "), cluster }));
  }

  function askTarget() {
    if (chosen?.words) {
      const { words: span } = chosen;
      return ask({ label: "Mention of", options: clusterOptions(), isClosed: true, take: (id) => addMention(span, id) });
    }
    if (!chosen?.span) return false;
    const { span, cluster } = chosen;
    return ask({ label: "Move to", options: clusterOptions(cluster), isClosed: true, take: (id) => moveMention(span, cluster, id) });
  }

  function askMerge() {
    if (!chosen?.span) return false;
    const { span, cluster } = chosen;
    return ask({ label: "Merge with", options: clusterOptions(cluster), isClosed: true, take: (id) => merge(cluster, id, span) });
  }

  function counted(names) {
    const counts = new Map();
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    return [...counts].sort(([, one], [, other]) => other - one).map(([name]) => ({ value: name, text: name }));
  }

  const roles = () => counted([...state.frames.flatMap((frame) => frame.arguments.map((item) => item[2])), ...COMMON_ROLES]);

  function rolesets(frame) {
    const start = textOf(frame.predicate).slice(0, 3).toLowerCase();
    return counted(state.frames.map((other) => other.roleset).filter((name) => name && name.toLowerCase().startsWith(start)));
  }

  function askArgument() {
    if (!chosen || chosen.frame) return false;
    const frame = frameHere();
    if (!frame) return fail("Choose a frame of this sentence first, then the words.");
    const span = spanOfChosen();
    return ask({ label: `Role in ${nameOfFrame(frame)}`, options: roles(), take: (role) => addArgument(span, frame.id, role) });
  }

  // Walking.

  function walkWords(step, isLonger) {
    const old = spanOfChosen();
    if (!old) return choose({ words: [firstInView(), firstInView() + 1] });
    const [start, end] = sentenceAt(old[0]);
    if (isLonger) {
      const last = Math.min(Math.max(old[1] + step, old[0] + 1), end);
      return choose({ words: [Math.max(old[0], start), last] });
    }
    const i = Math.min(Math.max(step > 0 ? old[1] : old[0] - 1, 0), words.length - 1);
    return choose({ words: [i, i + 1] });
  }

  function firstInView() {
    const bottom = byId("tools").offsetHeight;
    const sentence = shownSentences.findIndex(([element]) => element.getBoundingClientRect().bottom > bottom);
    return sentences[Math.max(sentence, 0)][0];
  }

  function walkIn(items, place, step, isRound = false) {
    if (!items.length) return false;
    const next = place < 0 ? (step > 0 ? 0 : items.length - 1) : place + step;
    return choose(isRound ? items[(next + items.length) % items.length] : items[Math.min(Math.max(next, 0), items.length - 1)]);
  }

  function walkMentions(step) {
    const items = state.clusters.flatMap((cluster) => cluster.mentions.map((span) => ({ cluster: cluster.id, span })))
      .sort((one, other) => inOrder(one.span, other.span));
    if (chosen?.span) return walkIn(items, items.findIndex((item) => item.cluster === chosen.cluster && isSame(item.span, chosen.span)), step);
    const here = spanOfChosen()?.[0] ?? firstInView();
    const next = step > 0 ? items.find(({ span }) => span[0] >= here) : items.findLast(({ span }) => span[0] < here);
    return next ? choose(next) : false;
  }

  function walkCluster(step) {
    const cluster = chosen?.span && clusterOf(chosen.cluster);
    if (!cluster) return walkMentions(step);
    const items = cluster.mentions.map((span) => ({ cluster: cluster.id, span }));
    return walkIn(items, items.findIndex((item) => isSame(item.span, chosen.span)), step, true);
  }

  function walkFrames(step) {
    const items = [...state.frames].sort((one, other) => inOrder(one.predicate, other.predicate)).map(({ id }) => ({ frame: id, argument: -1 }));
    if (chosen?.frame) return walkIn(items, items.findIndex((item) => item.frame === chosen.frame), step);
    const here = spanOfChosen()?.[0] ?? firstInView();
    const isAfter = ({ frame }) => sentenceOf[frameOf(frame).predicate[0]] >= sentenceOf[here];
    const next = step > 0 ? items.find(isAfter) : items.findLast((item) => !isAfter(item));
    return next ? choose(next) : false;
  }

  function walkArguments(step) {
    const frame = chosen?.frame && frameOf(chosen.frame);
    if (!frame) return walkFrames(step);
    const items = [-1, ...frame.arguments.keys()].map((argument) => ({ frame: frame.id, argument }))
      .sort((one, other) => inOrder(spanOf(frame, one.argument), spanOf(frame, other.argument)));
    return walkIn(items, items.findIndex((item) => item.argument === chosen.argument), step, true);
  }

  // Doubtful links: those whose mention, and what it refers to, are still in one cluster, and were not looked at yet.

  const clusterWith = ({ span, antecedent }) => state.clusters.find((cluster) => has(cluster, span) && (!antecedent || has(cluster, antecedent)));
  const openDoubts = () => links.filter((link) => !seen.has(keyOf(link.span)) && clusterWith(link));
  const visited = [];

  function walkDoubts(step) {
    if (step < 0) {
      visited.pop();
      const link = visited.at(-1);
      return link && clusterWith(link) ? choose({ cluster: clusterWith(link).id, span: link.span }) : false;
    }
    const [link] = openDoubts();
    if (!link) return false;
    visited.push(link);
    seen.add(keyOf(link.span));
    choose({ cluster: clusterWith(link).id, span: link.span });
    showEdits();
    return true;
  }

  // Mouse: a click chooses a mention, the one around it, or a word; words are dragged over.

  let dragged = null;  // { from, to, moved }

  sentencesBox.addEventListener("pointerdown", (event) => {
    const box = event.target.closest(".w");
    dragged = box && event.button === 0 && event.pointerType !== "touch" ? { from: Number(box.dataset.i), moved: false } : null;
  });

  sentencesBox.addEventListener("pointerover", (event) => {
    const box = event.target.closest(".w");
    if (!dragged || !box || !(event.buttons & 1)) return;
    const to = Number(box.dataset.i);
    if (sentenceOf[to] !== sentenceOf[dragged.from] || (to === dragged.from && !dragged.moved)) return;
    dragged.moved = true;
    choose({ words: [Math.min(dragged.from, to), Math.max(dragged.from, to) + 1] });
  });

  document.addEventListener("click", (event) => {
    const { target } = event;
    if (!target.closest("#keys")) byId("keys").open = false;
    if (dragged?.moved) {
      dragged = null;
      return;
    }
    const mark = target.closest(".mention, .number, .legend .cluster");
    if (question?.isClosed && mark) {
      answer(Number(mark.dataset.n));
      return;
    }
    const word = target.closest(".w");
    const role = target.closest(".role");
    const frame = target.closest(".frame");
    if (word && event.shiftKey && chosen && sentenceOf[spanOfChosen()[0]] === sentenceOf[word.dataset.i]) {
      const i = Number(word.dataset.i);
      const [start, end] = spanOfChosen();
      choose({ words: [Math.min(start, i), Math.max(end, i + 1)] });
    } else if (target.closest(".text .mention")) clickMention(target.closest(".mention"), word);
    else if (word) choose({ words: [Number(word.dataset.i), Number(word.dataset.i) + 1] });
    else if (target.closest(".legend .cluster")) clickCluster(Number(mark.dataset.n));
    else if (role) choose({ frame: Number(frame.dataset.frame), argument: Number(role.dataset.argument) });
    else if (target.closest(".frame dt")) choose({ frame: Number(frame.dataset.frame), argument: -1 });
    else if (!target.closest("#card, #tools, #problem, dialog") && target.isConnected) choose(null);
  });

  function clickMention(box, word) {
    const isHere = (mark) => chosen?.cluster === Number(mark.dataset.n) && keyOf(chosen.span) === mark.dataset.span;
    for (let mark = box; mark; mark = mark.parentElement.closest(".mention")) {
      if (!isHere(mark)) continue;
      const around = mark.parentElement.closest(".mention");
      if (around) choose(choiceOf(around));
      else if (word) choose({ words: [Number(word.dataset.i), Number(word.dataset.i) + 1] });
      return;
    }
    choose(choiceOf(box));
  }

  const choiceOf = (mark) => ({ cluster: Number(mark.dataset.n), span: mark.dataset.span.split("-").map(Number) });

  function clickCluster(id) {
    if (chosen?.cluster === id) walkCluster(1);
    else choose({ cluster: id, span: clusterOf(id).mentions[0] });
  }

  // Keys.

  const KEYS = {
    ArrowRight: (isShift) => walkWords(1, isShift),
    ArrowLeft: (isShift) => walkWords(-1, isShift),
    j: () => walkMentions(1),
    k: () => walkMentions(-1),
    n: () => walkCluster(1),
    p: () => walkCluster(-1),
    d: () => walkDoubts(1),
    D: () => walkDoubts(-1),
    f: () => walkFrames(1),
    F: () => walkFrames(-1),
    e: () => walkArguments(1),
    E: () => walkArguments(-1),
    Enter: confirm,
    c: own,
    m: askTarget,
    g: askMerge,
    x: remove,
    Delete: remove,
    X: removeCluster,
    "[": () => resize(-1, 0),
    "{": () => resize(1, 0),
    "]": () => resize(0, 1),
    "}": () => resize(0, -1),
    v: () => chosen?.words && addFrame(chosen.words),
    r: askArgument,
  };

  document.addEventListener("keydown", (event) => {
    if (byId("conflict").open) return;
    const inField = event.target.matches("input:not([type=checkbox])");
    const { key } = event;
    if ((event.ctrlKey || event.metaKey) && !event.altKey) {
      const run = { s: save, z: event.shiftKey ? redo : undo, y: redo }[key.toLowerCase()];
      if (!run || (inField && run !== save)) return;
      event.preventDefault();
      run();
      return;
    }
    if (event.altKey) return;
    if (key === "Escape") {
      byId("keys").open = false;
      failure = "";
      if (question) {
        closeQuestion();
        showCard();
        document.activeElement.blur();
      } else choose(null);
      return;
    }
    if (inField) {
      if (question && (key === "ArrowDown" || key === "ArrowUp")) {
        const { length } = byId("options").children;
        first = Math.min(Math.max(first + (key === "ArrowDown" ? 1 : -1), question.isClosed ? 0 : -1), length - 1);
        markFirst();
        event.preventDefault();
      }
      return;
    }
    const isOnControl = event.target.matches("button, a, summary, input");
    if (!(key in KEYS) || (isOnControl && key === "Enter")) return;
    event.preventDefault();
    KEYS[key](event.shiftKey);
  });

  // Reading and saving.

  const HEADERS = { "X-Span-Selector": "edit", "Content-Type": "application/json" };

  const posted = (more) => JSON.stringify({
    ...more,
    text: fingerprint,
    clusters: state.clusters.map(({ name, mentions }) => ({ name, mentions })),
    frames: state.frames.map(({ predicate, roleset, arguments: all }) => ({ predicate, roleset, arguments: all })),
  });

  async function request(options) {
    const answer = await fetch(address, options);
    const body = await answer.text();
    let found = {};
    try {
      found = JSON.parse(body);
    } catch {
      found.problem = body;
    }
    return { answer, found };
  }

  async function save(method = "PUT") {
    if (isBusy || (state === saved && method === "PUT")) return;
    isBusy = true;
    showEdits();
    say("Saving …");
    const sent = state;
    try {
      const { answer, found } = await request({
        method,
        body: posted(method === "POST" && { original }),
        headers: method === "PUT" ? { ...HEADERS, "If-Match": version } : HEADERS,
      });
      isBusy = false;
      if (method === "PUT" && [409, 500].includes(answer.status)) {
        say("Not saved");
        byId("conflict").querySelector("p").textContent = `${found.problem} Nothing is lost yet.`;
        byId("conflict").showModal();
      } else if (!answer.ok) {
        say("Not saved");
        tell(`Not saved: ${found.problem}`);
      } else if (answer.status === 201) {
        saved = sent;
        location.assign(`/text/${encodeURIComponent(found.name)}`);
      } else {
        version = answer.headers.get("ETag");
        saved = sent;
        tell("");
        say("Saved", found.next);
      }
    } catch {
      isBusy = false;
      say("Not saved");
      tell("Not saved: the server does not answer. Your work is still here; save again when it runs.");
    }
    showEdits();
  }

  function take(found) {
    const clusters = found.clusters.map(({ name, mentions }, i) => ({ id: i + 1, name, mentions }));
    const frames = found.frames.map((frame, i) => ({ ...frame, id: i + 1 }));
    for (const [what, items] of [["cluster", clusters], ["frame", frames]]) lastIds[what] = Math.max(lastIds[what], items.length);
    return { clusters, frames };
  }

  async function openDocument() {
    const { answer, found } = await request({});
    if (!answer.ok) {
      say("");
      tell(found.problem);
      return;
    }
    version = answer.headers.get("ETag");
    ({ text: fingerprint, original } = found);
    words = found.tokens;
    sentences = found.sentences;
    sentenceOf = sentences.flatMap(([start, end], i) => Array(end - start).fill(i));
    links = found.clusters.flatMap(({ mentions, links: scores, antecedents }) => mentions.map((span, i) => (
      { span, score: scores?.[i] ?? 1, antecedent: antecedents?.[i] == null ? null : mentions[antecedents[i]] })))
      .filter(({ score }) => score < found.doubtful).sort((one, other) => one.score - other.score);
    const next = take(found);
    saved = found.saved ? next : null;
    if (found.notes.length) tell(found.notes.join(" "), true);
    byId("frames").hidden = !next.frames.length;
    show(next, null);
    say(found.saved ? "Corrected before" : "As the pipeline has it");
  }

  // Theirs becomes the present; mine is one step back.
  async function showTheirs() {
    const { answer, found } = await request({});
    if (!answer.ok) {
      tell(found.problem);
      return;
    }
    if (found.text !== fingerprint) {
      tell("The text itself is another one meanwhile. Save again to keep both, or load the page anew without yours.");
      return;
    }
    version = answer.headers.get("ETag");
    const next = take(found);
    past.push({ state, chosen: null });
    future = [];
    saved = next;
    show(next, null);
    say("As saved elsewhere");
  }

  for (const button of all("#conflict button")) {
    button.onclick = () => {
      byId("conflict").close();
      if (button.value === "theirs") showTheirs();
      else if (button.value === "both") save("POST");
    };
  }

  byId("undo").onclick = undo;
  byId("redo").onclick = redo;
  byId("doubt").onclick = () => walkDoubts(1);
  byId("save").onclick = () => save();
  addEventListener("beforeunload", (event) => {
    if (state !== saved && past.length) event.preventDefault();
  });
  openDocument().catch(() => tell("The server does not answer."));
}
