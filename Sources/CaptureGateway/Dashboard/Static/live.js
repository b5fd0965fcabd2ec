// What live pages do by themselves: they load their live parts again when there is news. Without it they are read by
// reloading them.
"use strict";

const parts = () => document.querySelectorAll(".live-part");
const sign = document.getElementById("live");
const notice = document.getElementById("stale");
const news = document.getElementById("news");

function say(text, isOn) {
  if (!sign) return;
  sign.textContent = text;
  sign.classList.toggle("on", isOn);
}

// What keeps the page from being current; nothing while it is. The moment is the last at which it was.
const ended = "your login has ended";
let trouble = "";
// The request that failed, by which the gateway's log has the cause.
let request = "";
let currentAt = new Date();
// Whether a part is still the old one, since somebody is in the middle of something there: what is shown may be old.
let isKept = false;

// A moment in UTC, with its date unless that is today's.
function clock(moment) {
  const [date, time] = [moment.toISOString().slice(0, 10), moment.toISOString().slice(11, 19)];
  return new Date().toISOString().startsWith(date) ? time : `${date} ${time}`;
}

// Says so where nobody overlooks it; the same words once, since they are read aloud.
function warn() {
  const words = trouble && `Not current since ${clock(currentAt)} UTC: ${trouble}.`;
  if (!notice || notice.dataset.words === words) return;
  notice.dataset.words = words;
  if (!words) return notice.replaceChildren();
  const text = Object.assign(document.createElement("p"), { className: "notice warn", textContent: `${words} ` });
  if (trouble === ended) {
    // This very page: whoever has no session is led to the login, and back.
    const href = location.pathname + location.search;
    text.append(Object.assign(document.createElement("a"), { href, textContent: "Log in" }));
  }
  if (request) text.append("Request ", Object.assign(document.createElement("code"), { textContent: request }), ".");
  notice.replaceChildren(text);
}

// Whether somebody is in the middle of something that a new part would take away.
function isBusy(part) {
  const active = document.activeElement;
  const isTyping = active && part.contains(active) && active.matches("input, select, textarea");
  const selection = document.getSelection();
  const isSelected = !selection.isCollapsed && selection.containsNode(part, true);
  return Boolean(isTyping || isSelected || part.querySelector("input[type=checkbox]:checked, form[data-sent]"));
}

// What is in a part, each by its card, its row, and where it leads or what it says: so it is found in a fresh one.
function named(part, selector) {
  const [found, counts] = [new Map(), new Map()];
  for (const element of part.querySelectorAll(selector)) {
    const card = element.parentElement.closest("[id]")?.id;
    const row = element.closest("tr")?.querySelector("a")?.getAttribute("href");
    const own = element.getAttribute("rel") ?? element.getAttribute("href");
    const name = [card, row, own, element.name, element.value].join(" ");
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    found.set(`${name} ${count}`, element);
  }
  return found;
}

const focusable = "a, summary, button, input, select, .scroll";

// The first row that is seen of a part whose head is out of sight, and where it is.
function reading(part) {
  if (part.getBoundingClientRect().top >= 0) return {};
  const top = (link) => link.getBoundingClientRect().top;
  const [name, link] = [...named(part, "tr a")].find(([, link]) => top(link) >= 0) ?? [];
  return link ? { name, top: top(link) } : {};
}

// Puts a fresh part in the place of the old one: what was opened stays open, what was scrolled stays there, the row that
// is read stays where it is, and the focus on what it was on; on the part when that is gone, and never on something else.
function put(fresh, part) {
  const opened = named(part, "details");
  for (const [name, details] of named(fresh, "details")) details.open = opened.get(name)?.open ?? details.open;
  if (fresh.innerHTML === part.innerHTML) return;
  const active = document.activeElement;
  const isFocused = part.contains(active);
  const focused = [...named(part, focusable)].find(([, element]) => element === active)?.[0];
  const scrolled = new Map([...named(part, ".scroll")].map(([name, element]) => [name, element.scrollLeft]));
  const read = reading(part);
  part.replaceWith(document.adoptNode(fresh));
  for (const [name, element] of named(fresh, ".scroll")) element.scrollLeft = scrolled.get(name) ?? 0;
  const row = named(fresh, "tr a").get(read.name);
  if (row) scrollBy(0, row.getBoundingClientRect().top - read.top);
  if (!isFocused) return;
  const again = named(fresh, focusable).get(focused);
  if (!again) fresh.tabIndex = -1;
  (again ?? fresh).focus({ preventScroll: true });
}

// Tells a new state of the page's capture to those who look at another tab, and to those who hear the page.
function announce(title, state) {
  if (document.title === title) return;
  document.title = title;
  if (state) news.textContent = `The capture is ${state} now.`;
}

// The login that a page is of, by the token that its forms send.
const owner = (page) => page.querySelector(".who input")?.value;

// What the gateway's page of a failure says. What stands before the gateway answers without such words.
function failure(page, status) {
  request = page.getElementById("request")?.textContent ?? "";
  return page.getElementById("failure")?.textContent.replace(/\.$/, "") ?? `the gateway answers ${status}`;
}

// Loads the page again and puts its live parts in the place of the old ones; tells what went wrong, if anything did.
// Stopped meanwhile, the page stays as it is, whatever the answer: that is told by null.
async function refresh(signal) {
  let answer, text;
  request = "";
  try {
    answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store", signal });
    text = await answer.text();
  } catch {
    return signal.reason === stopped ? null : "the gateway does not answer";
  }
  if (signal.reason === stopped) return null;
  if (answer.redirected && new URL(answer.url).pathname === "/dashboard/login") return ended;
  if (answer.status === 404) return "there is no such page any more";
  const page = new DOMParser().parseFromString(text, "text/html");
  if (!answer.ok) return failure(page, answer.status);
  // A search that was in vain has found something: by a redirection, or as a page of other parts.
  if (answer.redirected) return location.reload(), "";
  // Somebody has logged in in another tab: what is clicked here would be done in a name that the page does not say.
  if (owner(page) !== owner(document)) return location.reload(), "";
  isKept = false;
  // Before its parts move from the page that was loaded to the one that is shown.
  const state = page.querySelector("[data-state]")?.dataset.state;
  for (const part of parts()) {
    const fresh = page.getElementById(part.id);
    if (!fresh) return location.reload(), "";
    if (isBusy(part)) isKept = true; else put(fresh, part);
  }
  announce(page.title, state);
  // A part that was kept is put in its place later, so there is more to ask for.
  if (!page.body.dataset.live && !isKept) stop();
  return "";
}

// One refresh at a time: news that come meanwhile lead to one more, after a pause.
const pause = 700;
const patience = 15000;
const stopped = "stopped";
let isRefreshing = false;
let isWanted = false;
let asking = null;

async function want() {
  isWanted = true;
  if (isRefreshing || document.hidden) return;
  isRefreshing = true;
  while (isWanted && !document.hidden) {
    isWanted = false;
    asking = new AbortController();
    const overdue = setTimeout(() => asking.abort(), patience);
    const found = await refresh(asking.signal);
    clearTimeout(overdue);
    if (found !== null) trouble = found;
    if (found === "" && !isKept) currentAt = new Date();
    if (found === ended) stop();
    tell();
    await new Promise((done) => setTimeout(done, pause));
  }
  isRefreshing = false;
}

let source = null;
let timer = null;

// A page that was read longer ago than this, as before a night of sleep, is not called live.
const interval = 5000;
const isFresh = () => new Date() - currentAt < 2 * interval;

// Says how the page hears of news now: an outage that is over is not told any longer.
function tell() {
  const isLive = Boolean(timer && source?.readyState === EventSource.OPEN);
  if (trouble) say("not current", false);
  else if (isHeld()) say("held", false);
  else if (isKept) say("held while you select or type", false);
  else if (!timer) say("settled", false);
  else if (!isFresh()) say("asking", false);
  else say(isLive ? "live" : "asking every few seconds", isLive);
  warn();
}

function stop() {
  source?.close();
  clearInterval(timer);
  source = timer = null;
  // Nobody waits any more for what was asked before.
  asking?.abort(stopped);
  isWanted = false;
  hold.hidden = !isHeld();
}

// Whoever reads, or has it read aloud, holds the page still (WCAG 2.2.2).
const hold = document.getElementById("hold");
const isHeld = () => hold.getAttribute("aria-pressed") === "true";

hold.addEventListener("click", () => {
  hold.setAttribute("aria-pressed", String(!isHeld()));
  if (isHeld()) stop(); else start();
  tell();
});

// Opens the stream of events, one at a time. One that was refused never comes back by itself.
function listen() {
  if (document.hidden || (source && source.readyState !== EventSource.CLOSED)) return;
  source = new EventSource(document.body.dataset.live);
  source.onopen = () => { tell(); want(); };
  source.onerror = tell;
  for (const name of ["changes", "gap"]) source.addEventListener(name, want);
}

// Events where they work; where they do not, a question every few seconds, never two at once.
function start() {
  if (!document.body.dataset.live || timer) return;
  hold.hidden = false;
  listen();
  // Numbers that change without an event, such as ages, and what an event may have missed.
  timer = setInterval(() => { listen(); want(); tell(); }, interval);
}

// A page that nobody sees gives its stream back: a browser has six connections for all tabs of a host.
document.addEventListener("visibilitychange", () => {
  if (!timer) return;
  if (document.hidden) {
    source?.close();
  } else {
    listen();
    want();
  }
  tell();
});

start();
