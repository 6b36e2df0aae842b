"use strict";
// What a reader can do with a page: light up a cluster and what it says, walk through its mentions, search, and show
// only a part.
// The page is complete without it. Text of documents is only ever put into text, never into markup.
{
  const byId = (id) => document.getElementById(id);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const articles = all("article");
  const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

  // Clusters: article -> number -> mention -> its boxes, and the numbers in frames that stand for it.

  const clusters = new Map(articles.map((article) => [article, new Map()]));
  const mentionsOf = (article, n) => clusters.get(article).get(n) ?? [];
  const shownOf = (article, n) => Object.keys(mentionsOf(article, n)).map(Number);  // a part of a document has not all
  const boxOf = ({ article, n, m }) => {
    const boxes = mentionsOf(article, n)[m];
    return boxes?.find((box) => box.matches(".mention")) ?? boxes?.[0];
  };
  const spotOf = (element) => {
    const box = element.closest?.(".mention, .number");
    return box && { article: box.closest("article"), n: box.dataset.n, m: Number(box.dataset.m) };
  };
  const isSame = (spot, other) => spot && other && spot.article === other.article && spot.n === other.n && spot.m === other.m;

  for (const [article, found] of clusters) {
    for (const box of article.querySelectorAll(".mention, .number")) {
      if (!found.has(box.dataset.n)) found.set(box.dataset.n, []);
      (found.get(box.dataset.n)[box.dataset.m] ??= []).push(box);
    }
  }

  // Quotations: a box for each sentence, and each piece of one. A speaker is a cluster or, if that is not shown, a name.

  const quotes = all(".quote");
  const partsOf = (quote) => all(`.quote[data-q="${quote.dataset.q}"]`, quote.closest("article"));
  const names = new Map(articles.map((article) => [
    article, new Map(all(".cluster", article).map((chip) => [chip.dataset.n, chip.firstElementChild.textContent])),
  ]));
  const nameOf = (article, n) => names.get(article).get(n);
  const withNumber = (article, n, name) => (n ? `${n} ${nameOf(article, n) ?? name}` : name ?? "");
  const speakerOf = (quote) => withNumber(quote.closest("article"), quote.dataset.by, quote.dataset.speaker);
  const speakerKey = (article, n, name) => `${articles.indexOf(article)} ${n ?? ""} ${n ? "" : name}`;
  const keyOf = (quote) => speakerKey(quote.closest("article"), quote.dataset.by, quote.dataset.speaker);

  // Lighting up.

  let held = null;  // the mention that was clicked, or walked to
  let lit = [];

  function mark(elements, name) {
    for (const element of elements ?? []) {
      element.classList.add(name);
      lit.push([element, name]);
    }
  }

  function light(spot) {
    for (const [element, name] of lit) element.classList.remove(name);
    lit = [];
    byId("link").classList.remove("lit");
    byId("card").hidden = !spot;
    if (!spot) return;
    const mentions = mentionsOf(spot.article, spot.n);
    for (const boxes of Object.values(mentions)) mark(boxes, "lit");
    mark(all(`.cluster[data-n="${spot.n}"], .quote[data-by="${spot.n}"]`, spot.article), "lit");
    mark(mentions[spot.m], "here");
    const { antecedent } = boxOf(spot).dataset;
    mark(mentions[antecedent], "antecedent");
    describe(spot);
    byId("walk").hidden = !held;
    if (antecedent) drawLink(boxOf(spot), boxOf({ ...spot, m: Number(antecedent) }));
  }

  function textOf(boxes) {
    const text = boxes.filter((box) => box.matches(".mention")).map((box) => box.textContent).join(" ").trim() || "…";
    return shortened(text);
  }

  const shortened = (text) => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

  function describe(spot) {
    const { score, link, antecedent, reason } = boxOf(spot).dataset;
    const name = nameOf(spot.article, spot.n);
    const mentions = shownOf(spot.article, spot.n);
    const referred = mentionsOf(spot.article, spot.n)[antecedent];
    say(
      ["name", `${spot.n}${name ? ` ${name}` : ""}`],
      ["", `mention ${mentions.indexOf(spot.m) + 1} of ${mentions.length}`],
      ["", "", textOf(mentionsOf(spot.article, spot.n)[spot.m])],
      score && ["", `is a mention: ${percent.format(score)}`],
      antecedent && ["", "refers to ", referred ? textOf(referred) : "a mention elsewhere", link && `: ${percent.format(link)}`],
      link && !antecedent && ["", `is the first: ${percent.format(link)}`],
      reason && ["", reason],
    );
  }

  function say(...parts) {
    byId("card").firstElementChild.replaceChildren(...parts.filter(Boolean).map(([name, text, quoted, after]) => {
      const span = document.createElement("span");
      span.className = name;
      span.append(text);
      if (quoted) span.appendChild(document.createElement("q")).append(quoted);
      span.append(after || "");
      return span;
    }));
  }

  function drawLink(from, to) {
    const [a, b] = [from, to].map((box) => box?.getClientRects()[0]);
    if (!a || !b) return;  // what is not shown has no place
    const x = (rect) => rect.left + rect.width / 2 + scrollX;
    const y = (rect) => rect.top + scrollY - 3;
    const rise = Math.min(60, 14 + Math.abs(x(a) - x(b)) / 8 + Math.abs(y(a) - y(b)) / 4);
    const path = `M${x(a)} ${y(a)}C${x(a)} ${y(a) - rise} ${x(b)} ${y(b) - rise} ${x(b)} ${y(b)}`;
    const [line, dot] = byId("link").children;
    line.setAttribute("d", path);
    dot.setAttribute("cx", x(b));
    dot.setAttribute("cy", y(b));
    byId("link").setAttribute("class", `lit ${[...from.classList].find((name) => /^(k\d|single)$/.test(name))}`);
  }

  // Walking.

  function hold(spot) {
    held = spot;
    light(spot);
    const box = spot && boxOf(spot);
    if (!box) return;
    for (const other of all("[tabindex]", spot.article)) other.removeAttribute("tabindex");
    box.tabIndex = 0;
    box.focus({ preventScroll: true });
    reveal(box);
    light(spot);  // the link again, as sentences that come into view may have moved
  }

  function reveal(element) {
    const { top, bottom } = element.getBoundingClientRect();
    if (top > byId("tools").offsetHeight + 30 && bottom < innerHeight - 110) return;
    element.scrollIntoView({ block: "center", behavior: "instant" });
  }

  const isShown = (spot) => !boxOf(spot).closest("[hidden]");

  function walk(spot, step) {
    const shown = shownOf(spot.article, spot.n).filter((m) => boxOf({ ...spot, m }) && isShown({ ...spot, m }));
    const place = shown.indexOf(spot.m);
    if (shown.length) hold({ ...spot, m: shown.at((place + step) % shown.length) });
  }

  function walkText(spot, step) {
    const boxes = all("article:not([hidden]) .sentence:not([hidden]) .mention:not(.more)");
    const next = boxes[boxes.indexOf(boxOf(spot)) + step];
    if (next) hold(spotOf(next));
  }

  let lastQuote = null;

  function walkQuotes(step) {
    const shown = quotes.filter((quote) => !quote.matches(".more") && !quote.closest("[hidden]"));
    const inView = shown.findIndex((quote) => quote.getBoundingClientRect().top > 0);
    const place = shown.indexOf(lastQuote);
    const next = place < 0 ? Math.max(inView, 0) : (place + step + shown.length) % shown.length;
    if (!shown.length) return;
    lastQuote = shown[next];
    held = null;
    lastQuote.tabIndex = -1;
    lastQuote.focus({ preventScroll: true });
    reveal(lastQuote);
    describeQuote(lastQuote);
  }

  function firstInView() {
    const box = all("article:not([hidden]) .sentence:not([hidden]) .mention").find(
      (mention) => mention.getBoundingClientRect().top > 0,
    );
    return box && spotOf(box);
  }

  // Pointers. A finger has no hover: a tap is a click.

  let pointer = "";

  document.addEventListener("pointerover", (event) => {
    const place = `${event.clientX} ${event.clientY}`;
    if (event.pointerType === "touch" || place === pointer) return;  // what is there now came by scrolling
    pointer = place;
    const role = event.target.closest?.(".role");
    const quote = event.target.closest?.(".quote");
    const spot = spotOf(event.target);
    const chip = event.target.closest?.(".cluster");
    const sentence = event.target.closest?.(".sentence");
    if (sentence) offerLink(sentence);
    if (spot) light(spot);
    else if (chip) light(isHeld(chip) ? held : firstOf(chip));
    else if (role) describeRole(role);
    else if (quote) describeQuote(quote);
    else if (!event.target.closest?.("#card")) light(held);
  });
  document.documentElement.addEventListener("pointerleave", () => light(held));

  const isHeld = (chip) => held?.article === chip.closest("article") && held.n === chip.dataset.n;

  function firstOf(chip) {
    const article = chip.closest("article");
    return { article, n: chip.dataset.n, m: shownOf(article, chip.dataset.n)[0] };
  }

  function describeRole(role) {
    light(held);
    const { score, description } = role.dataset;
    const name = all(".rolename", role.closest("article")).find((one) => one.textContent === role.dataset.role.replace(/^[CR]-/, ""));
    const meaning = description ?? name?.nextSibling.textContent.trim();
    const words = [...role.childNodes].filter((node) => !node.matches?.("b, i")).map((node) => node.textContent).join("").trim();
    const title = role.closest(".frame").firstElementChild;
    say(
      ["name", role.dataset.role],
      meaning && ["", meaning],
      ["", "", words],
      ["", `of ${title.textContent}${title.dataset.meaning ? `: ${title.dataset.meaning}` : ""}`],
      score && ["", percent.format(score)],
    );
    byId("walk").hidden = true;
    byId("card").hidden = false;
  }

  function describeQuote(quote) {
    light(held);
    const { by, m, to, addressee, speaker, score } = quote.dataset;
    const article = quote.closest("article");
    const parts = partsOf(quote);
    const words = parts.map((part) => part.textContent).join(" ").replace(/\s+/g, " ").trim();
    mark(parts, "lit");
    mark(by && mentionsOf(article, by)[m], "antecedent");
    say(
      ["name", speaker ? speakerOf(quote) : "Somebody"],
      ["", `says ${shortened(words)}`],
      addressee && ["", `to ${withNumber(article, to, addressee)}`],
      score && ["", `is the speaker: ${percent.format(score)}`],
    );
    byId("walk").hidden = true;
    byId("card").hidden = false;
  }

  document.addEventListener("click", (event) => {
    const spot = spotOf(event.target);
    const chip = event.target.closest(".cluster");
    const role = event.target.closest(".role");
    const quote = event.target.closest(".quote");
    const sentence = event.target.closest(".sentence");
    if (sentence) offerLink(sentence);
    if (event.target.closest(".says")) chooseSpeaker(chip);
    else if (spot) isSame(spot, held) ? walk(spot, 1) : hold(spot);
    else if (chip) isHeld(chip) ? walk(held, 1) : hold(firstOf(chip));
    else if (role) describeRole(role);
    else if (quote && !getSelection().toString()) describeQuote(quote);
    else if (!event.target.closest("#card, #tools, #place") && !getSelection().toString()) hold(null);
    if (!event.target.closest("#keys")) byId("keys").open = false;
  });

  const [previous, next, letGo, linkHere] = byId("walk").children;
  previous.onclick = () => walk(held, -1);
  next.onclick = () => walk(held, 1);
  letGo.onclick = () => hold(null);
  linkHere.onclick = () => copyLink(boxOf(held).closest(".sentence"));

  document.addEventListener("focusin", (event) => {
    const spot = event.target.matches(":focus-visible") && spotOf(event.target);  // a click does what it does
    if (spot && !isSame(spot, held)) hold(spot);
  });

  // Keys.

  document.addEventListener("keydown", (event) => {
    const inField = event.target.matches("input[type=search], select, textarea");
    if (event.key === "Enter" && event.target.matches("textarea") && (event.ctrlKey || event.metaKey)) event.target.form.requestSubmit();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      byId("query").value = "";
      search();
      hold(null);
      event.target.blur();
      byId("keys").open = false;
    } else if (event.target === byId("query") && event.key === "Enter") nextHit(event.shiftKey ? -1 : 1);
    if (inField) return;
    const current = held ?? spotOf(event.target);
    const isLeftward = current && getComputedStyle(current.article).direction === "rtl";
    const steps = { ArrowRight: isLeftward ? -1 : 1, ArrowLeft: isLeftward ? 1 : -1 };
    if (event.key === "/") byId("query").focus();
    else if (event.key === "n" || event.key === "p") {
      const start = current ?? firstInView();
      if (start) current ? walk(start, event.key === "n" ? 1 : -1) : hold(start);
    }
    else if (event.key === "c") copyLink(sentenceAt(event.target));
    else if (event.key.toLowerCase() === "q") walkQuotes(event.key === "q" ? 1 : -1);
    else if (event.key in steps && current) walkText(current, steps[event.key]);
    else if (event.key === "Enter" && event.target.matches(".mention")) walk(current, 1);
    else return;
    event.preventDefault();
  });

  // Links: each sentence has an address, which is copied and stands in the address bar.

  let offered = null;  // the sentence that the button stands beside

  function offerLink(sentence) {
    const { left, right, top } = sentence.getBoundingClientRect();
    const isRightToLeft = getComputedStyle(sentence).direction === "rtl";
    offered = sentence;
    // The style of an element may be set by a script, other than in markup.
    byId("place").style.cssText = `top: ${top + scrollY + 3}px; left: ${(isRightToLeft ? right + 26 : Math.max(left, 28)) + scrollX}px`;
    byId("place").setAttribute("aria-label", `Copy the link to sentence ${sentence.id}`);
    byId("place").hidden = false;
  }

  const sentenceAt = (element) => (held && boxOf(held).closest(".sentence")) ?? element.closest(".sentence")
    ?? all("article:not([hidden]) .sentence:not([hidden])").find((one) => one.getBoundingClientRect().bottom > byId("tools").offsetHeight);

  async function copyLink(sentence) {
    if (!sentence) return;
    const { scrollX: x, scrollY: y } = globalThis;
    location.hash = sentence.id;
    scrollTo(x, y);  // it is in view
    let done = "Link copied";
    try {
      await navigator.clipboard.writeText(location.href);
    } catch {
      done = "The link is in the address bar";
    }
    say(["name", done], ["", `#${sentence.id}`]);
    byId("walk").hidden = true;
    byId("card").hidden = false;
  }

  byId("place").onclick = () => copyLink(offered);

  // A table of what is shown, for spreadsheets: texts, mentions, quotations and arguments.

  function rowsOf(sentence) {
    const article = sentence.closest("article");
    const place = [article.firstElementChild.textContent, sentence.id];
    const wordsOf = (box) => [...box.childNodes].filter((node) => !node.matches?.("b, i")).map((node) => node.textContent).join("");
    return [
      [...place, "text", "", "", sentence.firstElementChild.textContent, ""],
      ...all(".mention:not(.more)", sentence).map((box) => {
        const { n } = box.dataset;
        return [...place, "mention", nameOf(article, n) ?? "", "", box.textContent, n];
      }),
      ...all(".quote", sentence).map((box) => [...place, "quotation", box.dataset.speaker ?? "", "", box.textContent, box.dataset.by ?? ""]),
      ...all(".frame", sentence).filter((frame) => frame.checkVisibility({ contentVisibilityAuto: false })).flatMap((frame) =>
        all(".role", frame).map((box) => {
          const number = box.querySelector(":scope > .number");
          return [...place, "argument", frame.firstElementChild.textContent, box.dataset.role, wordsOf(box), number?.dataset.n ?? ""];
        })),
    ];
  }

  const seenSentences = () => all("article:not([hidden]) .sentence:not([hidden])");

  function downloadTable() {
    const rows = [["document", "sentence", "what", "name", "role", "text", "cluster"], ...seenSentences().flatMap(rowsOf)];
    // What a spreadsheet would compute gets a ' before it, as in the tables of annotate.
    const plain = (text) => text.replace(/\s+/g, " ").trim().replace(/^(?='*[=+\-@])/, "'");
    const cell = (text) => `"${plain(text).replaceAll('"', '""')}"`;
    save(["\ufeff", rows.map((row) => row.map(cell).join(",")).join("\r\n"), "\r\n"], "text/csv", "csv");
  }

  function save(content, type, ending) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(content, { type }));
    link.download = `${(articles.length === 1 && articles[0].firstElementChild.textContent.replace(/[^\p{L}\p{N}]+/gu, "-")) || "page"}.${ending}`;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  byId("table").onclick = downloadTable;

  // A picture of what is selected, or else in view: boxes, lines and words are drawn again where the page has them, as
  // plain SVG, which word processors and drawing programs read.

  const MARGIN = 16;
  const DASHES = { dashed: [3, 2], dotted: [1, 1.5] };  // of lines, in their widths

  function pictured() {
    const selection = getSelection();
    const selected = selection.isCollapsed ? [] : seenSentences().filter((sentence) => selection.containsNode(sentence, true));
    const isInView = ({ top, bottom }) => bottom > byId("tools").offsetHeight && top < innerHeight;
    return selected.length ? selected : seenSentences().filter((sentence) => isInView(sentence.getBoundingClientRect()));
  }

  function picture(sentences) {
    const places = sentences.map((sentence) => sentence.getBoundingClientRect());
    const [left, top] = ["left", "top"].map((edge) => Math.min(...places.map((place) => place[edge])) - MARGIN);
    const [right, bottom] = ["right", "bottom"].map((edge) => Math.max(...places.map((place) => place[edge])) + MARGIN);
    const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const make = (name, attributes, text = "") => {
      const element = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, typeof value === "number" ? Number(value.toFixed(2)) : value);
      element.append(text);
      return element;
    };
    const svg = make("svg", { viewBox: `0 0 ${right - left} ${bottom - top}`, width: right - left, height: bottom - top });
    const colors = new Map();  // a page has mixed ones, which few programs read

    function paint(color, kind = "fill") {
      if (!colors.has(color)) {
        brush.clearRect(0, 0, 1, 1);
        brush.fillStyle = color;
        brush.fillRect(0, 0, 1, 1);
        colors.set(color, [...brush.getImageData(0, 0, 1, 1).data]);
      }
      const [red, green, blue, alpha] = colors.get(color);
      return alpha && { [kind]: `rgb(${red}, ${green}, ${blue})`, [`${kind}-opacity`]: alpha / 255 };
    }

    function box(style, place) {
      const fill = paint(style.backgroundColor);
      const size = { x: place.left - left, y: place.top - top, width: place.width, height: place.height };
      if (fill) svg.append(make("rect", { ...size, rx: parseFloat(style.borderTopLeftRadius), ...fill }));
    }

    function line(style, side, [x1, y1, x2, y2]) {
      const [width, kind] = [parseFloat(style[`border${side}Width`]), style[`border${side}Style`]];
      const stroke = width && paint(style[`border${side}Color`], "stroke");
      if (!stroke) return;
      const shifts = kind === "double" ? [-width / 3, width / 3] : [0];
      for (const shift of shifts) {
        const dashes = DASHES[kind] ? { "stroke-dasharray": DASHES[kind].map((part) => part * width).join(" ") } : {};
        const across = { x1: x1 - left, y1: y1 - top + shift, x2: x2 - left, y2: y2 - top + shift };
        svg.append(make("line", { ...across, "stroke-width": width / (2 * shifts.length - 1), ...stroke, ...dashes }));
      }
    }

    function measure(style, text) {
      brush.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
      return brush.measureText(text);
    }

    function write(style, text, x, bottom, width) {
      const { fontBoundingBoxDescent: descent, width: own } = measure(style, text);
      const font = { "font-family": style.fontFamily, "font-size": style.fontSize, "font-weight": style.fontWeight };
      const place = { x: x - left, y: bottom - top - descent, textLength: width ?? own, lengthAdjust: "spacingAndGlyphs" };
      svg.append(make("text", { ...place, ...font, ...paint(style.color) }, text));
    }

    function writeWords(node) {
      const style = getComputedStyle(node.parentElement);
      const range = new Range();
      for (const { 0: word, index } of node.data.matchAll(/[^\s\u00a0]+/g)) {
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const places = range.getClientRects();
        if (places.length === 1) write(style, word, places[0].left, places[0].bottom, places[0].width);
        else for (let i = index; i < index + word.length; i += 1) {  // a word that is longer than its line
          range.setStart(node, i);
          range.setEnd(node, i + 1);
          const { left: x, bottom, width } = range.getBoundingClientRect();
          if (width) write(style, node.data[i], x, bottom, width);
        }
      }
    }

    function writeNumber(element, place) {
      const style = getComputedStyle(element, "::before");
      const text = element.matches(".quote") ? `${element.dataset.by}\u00a0›` : element.dataset.n;
      const size = parseFloat(style.fontSize);
      const width = measure(style, text).width + 0.6 * size;
      const isRightToLeft = style.direction === "rtl";
      const x = isRightToLeft ? place.right - width : place.left;
      const middle = element.matches(".number") ? (place.top + place.bottom) / 2 : place.top + 0.45 * place.height;
      box(style, new DOMRect(x, middle - 0.6 * size, width, 1.2 * size));
      write(style, text, x + 0.3 * size, middle + 0.6 * size);
    }

    function writeMeaning(element, { left: x, bottom, width }) {
      const style = getComputedStyle(element, "::after");
      const { meaning } = element.dataset;
      let shown = meaning;
      while (measure(style, shown).width > width) shown = `${shown.slice(0, -2)}…`;
      write(style, shown, x, bottom);
    }

    function draw(node) {
      if (node.nodeType === Node.TEXT_NODE) return writeWords(node);
      const style = getComputedStyle(node);
      const places = style.display === "none" ? [] : [...node.getClientRects()];
      for (const place of places) {
        box(style, place);
        const under = place.bottom - parseFloat(style.borderBottomWidth) / 2;
        line(style, "Bottom", [place.left, under, place.right, under]);
        for (const [side, x] of [["Left", place.left], ["Right", place.right]]) line(style, side, [x, place.top, x, place.bottom]);
      }
      if (places.length && node.matches(".mention:not(.more), .quote[data-by]:not(.more), .number")) writeNumber(node, places[0]);
      if (places.length) node.childNodes.forEach(draw);
      if (places.length && node.matches("dt[data-meaning]")) writeMeaning(node, places[0]);
    }

    svg.append(make("rect", { width: right - left, height: bottom - top, ...paint(getComputedStyle(document.body).backgroundColor) }));
    for (const { childNodes } of sentences) childNodes.forEach(draw);
    return new XMLSerializer().serializeToString(svg);
  }

  byId("picture").onclick = () => save([picture(pictured())], "image/svg+xml", "svg");

  // Search: hits are ranges, which may begin and end in different boxes; the page itself is not changed.

  const MOST_HITS = 2000;
  const ALIKE = ["'‘’ʼ′`´", '"“”„«»″'];  // whichever is typed finds all
  const alike = (mark) => `[${ALIKE.find((marks) => marks.includes(mark))}]`;
  const quotationMarks = new RegExp(`[${ALIKE.join("")}]`, "g");
  const searched = all(".sentence > .text").map((text) => [text, text.parentElement, text.closest("article"), text.textContent]);
  let hits = [];
  let hitNumber = -1;

  function search() {
    findHits();
    tellHits();
  }

  function findHits() {
    const words = byId("query").value.trim().split(/\s+/).filter(Boolean);
    const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&").replace(quotationMarks, alike));
    const pattern = new RegExp(escaped.join("\\s+"), "gi");
    hits = [];
    hitNumber = -1;
    if (words.length) {
      for (const [text, sentence, article, content] of searched) {
        if (hits.length >= MOST_HITS) break;
        if (!sentence.hidden && !article.hidden) hits.push(...rangesOf(text, [...content.matchAll(pattern)]));
      }
    }
    if (globalThis.Highlight) {
      CSS.highlights.set("hits", new Highlight(...hits));
      CSS.highlights.delete("hit");
    }
  }

  function rangesOf(text, found) {
    if (!found.length) return [];
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    const nodes = [];  // [where it starts, node]
    for (let offset = 0; walker.nextNode(); offset += walker.currentNode.length) nodes.push([offset, walker.currentNode]);
    const place = (offset) => {
      const [start, node] = nodes.findLast(([start]) => start <= offset);
      return [node, offset - start];
    };
    return found.map((match) => {
      const range = new Range();
      const [node, last] = place(match.index + match[0].length - 1);
      range.setStart(...place(match.index));
      range.setEnd(node, last + 1);
      return range;
    });
  }

  function nextHit(step) {
    if (!hits.length) return;
    hitNumber = (Math.max(hitNumber, step < 0 ? 0 : -1) + step + hits.length) % hits.length;
    if (globalThis.Highlight) CSS.highlights.set("hit", new Highlight(hits[hitNumber]));
    reveal(hits[hitNumber].startContainer.parentElement);
    tellHits();
  }

  function tellHits() {
    const count = `${hits.length}${hits.length >= MOST_HITS ? "+" : ""}`;
    byId("hits").textContent = !byId("query").value.trim() ? "" : hitNumber < 0 ? `${count} found` : `${hitNumber + 1} of ${count}`;
  }

  // Filters: a sentence is shown if it has what was chosen.

  function offer(id, every, options) {
    byId(id).replaceChildren(new Option(every, ""), ...options);
    byId(id).hidden = !options.length;
  }

  function offerByDocument(id, every, optionsOf) {
    const groups = articles.filter((_, i) => ["", String(i)].includes(byId("document").value)).map((article) => {
      const group = document.createElement("optgroup");
      group.label = article.firstElementChild.textContent;
      group.append(...optionsOf(article).sort(([a], [b]) => b - a).map(([, option]) => option));
      return group;
    }).filter((group) => group.children.length);
    offer(id, every, groups.length === 1 ? [...groups[0].children] : groups);
  }

  const clusterOptions = (article) => all(".cluster", article).map((chip) => {
    const [name, count] = chip.children;
    const label = `${chip.dataset.n} ${name.textContent} (${count.textContent})`;
    return [Number(count.textContent), new Option(label, `${articles.indexOf(article)} ${chip.dataset.n}`)];
  });

  function speakerOptions(article) {
    const counts = new Map();
    const quoted = all(".quote[data-speaker]:not(.more)", article);
    for (const quote of quoted) counts.set(keyOf(quote), (counts.get(keyOf(quote)) ?? 0) + 1);
    const labels = new Map(quoted.map((quote) => [keyOf(quote), speakerOf(quote)]));
    return [...counts].map(([key, count]) => [count, new Option(`${labels.get(key)} (${count})`, key)]);
  }

  function offerClustersAndSpeakers() {
    offerByDocument("cluster", "All clusters", clusterOptions);
    offerByDocument("speaker", "All speakers", speakerOptions);
  }

  function chooseSpeaker(chip) {
    const key = speakerKey(chip.closest("article"), chip.dataset.n);
    byId("speaker").value = byId("speaker").value === key ? "" : key;
    filter();
  }

  function offerCounted(id, every, names) {
    const counts = new Map();
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    const sorted = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    offer(id, every, sorted.map(([name, count]) => new Option(`${name} (${count})`, name)));
  }

  // Frames of auxiliaries are shown on request.
  const isOffered = (frame) => byId("auxiliaries").firstElementChild.checked || !frame.matches(".auxiliary");

  function filter() {
    const [chosen, cluster, speaker, predicate, role] = ["document", "cluster", "speaker", "predicate", "role"].map(
      (id) => byId(id).value,
    );
    const said = speaker && new Set(quotes.filter((quote) => keyOf(quote) === speaker).map((quote) => quote.closest(".sentence")));
    for (const select of all("#tools select")) select.classList.toggle("chosen", select.value !== "");
    const [clusterArticle, n] = cluster.split(" ");
    let shown = 0;
    const sentences = all(".sentence");
    byId("place").hidden = true;
    articles.forEach((article, i) => {
      article.hidden = (chosen && chosen !== String(i)) || (cluster && clusterArticle !== String(i));
      for (const sentence of all(".sentence", article)) {
        const frames = all(".frame", sentence);
        for (const frame of frames) {
          frame.hidden = !isOffered(frame) || (predicate && frame.firstElementChild.textContent !== predicate)
            || (role && !all(".role", frame).some((mark) => mark.dataset.role === role));
        }
        sentence.hidden = (said && !said.has(sentence))
          || (n && !sentence.querySelector(`[data-n="${n}"]`))
          || ((predicate || role) && frames.every((frame) => frame.hidden));
        shown += !sentence.hidden && !article.hidden;
      }
    });
    byId("count").textContent = chosen || cluster || speaker || predicate || role ? `${shown} of ${sentences.length} sentences` : "";
    if (held && !isShown(held)) hold(null);
    else light(held);
    if (byId("query").value) search();
  }

  // What there is to choose from.

  const hasFrames = document.querySelector(".frames") !== null;
  const titles = articles.map((article, i) => new Option(article.firstElementChild.textContent, i));
  offer("document", "All documents", titles.length > 1 ? titles : []);
  offerClustersAndSpeakers();
  function offerFrames() {
    const frames = all(".frame").filter(isOffered);
    offerCounted("predicate", "All predicates", frames.map((frame) => frame.firstElementChild.textContent));
    offerCounted("role", "All roles", frames.flatMap((frame) => all(".role", frame).map((mark) => mark.dataset.role)));
  }
  offerFrames();
  byId("auxiliaries").hidden = !document.querySelector(".auxiliary");
  byId("frames").hidden = !hasFrames;
  byId("quotations").hidden = !quotes.length;
  byId("tools").hidden = !articles.length;

  byId("query").addEventListener("input", () => {
    findHits();
    nextHit(1);  // before the count changes, as that would have the page laid out twice
    if (!hits.length) tellHits();
  });
  byId("auxiliaries").addEventListener("change", () => {
    offerFrames();
    filter();
  });
  for (const id of ["cluster", "speaker", "predicate", "role"]) byId(id).addEventListener("change", filter);
  byId("document").addEventListener("change", () => {
    offerClustersAndSpeakers();
    filter();
    scrollTo(0, 0);
  });
  byId("frames").addEventListener("change", () => light(held));
  addEventListener("resize", () => {
    byId("place").hidden = true;
    light(held);
  });
  for (const { firstElementChild } of all(".sentences")) {  // the way in for the tabulator key
    const first = firstElementChild?.querySelector(".mention") ?? firstElementChild?.parentElement.querySelector(".mention");
    if (first) first.tabIndex = 0;
  }
}
