// Playing in the browser: choose an opponent, and play it as a guest of mancala.v1.
//
// What is needed to take the seat back after a reload is kept for the tab: the session's secret by the
// client, name, opponent and terms here. While a friend is waited for, that is the link's code, too;
// an address that asks for something else is followed.

import { codeIn, firstName, isIn, isMade, isOfLeague, nameIn } from "./addresses.js";
import { ApiError, ask, askIfThere, askPatiently, isPassing, keepAsking, pause, query, tell, tellAway } from "./api.js";
import { valuesOf } from "./analysis.js";
import { Board } from "./board.js";
import { Client } from "./client.js";
import { button, card, copyLink, h, keepFocus, link, update } from "./dom.js";
import { called, face, levelOf, readable, temper } from "./faces.js";
import { address } from "./live.js";
import { motion, speedChoice } from "./motion.js";
import * as notation from "./notation.js";
import { notice, noticeChoice } from "./notices.js";
import { listed, t } from "./opened.js";
import { beat, isBeaten, learn, ownCard } from "./own.js";
import { refusal } from "./refusals.js";
import * as kalah from "./rules.js";
import { legal, sow } from "./rules.js";
import { soundChoice } from "./sound.js";
import { missed, toldToYou } from "./story.js";
import { follow } from "./timeline.js";
import * as words from "./words.js";

const KEPT = "mancala.play";
const NAME = "mancala.name";
const DEVICE = "mancala.device"; // whose a name in a league is
const TICK_MS = 250;
const ANSWER_MS = 900;
const READ_MS = 600; // for the sentence of a move that is not seen in motion
const LOOK_EVERY_MS = 3000;
const EASIEST = "level-1"; // who of a class waits alone may play it meanwhile
const PATIENCE = 1; // looks for which an answer of a classmate is waited for
const REVIEW_EVERY_MS = 3000;
const REVIEW_TRIES = 60;

const RULES = [
  ["kalah", "Kalah(6, 4)"],
  ["kalah:seeds=3", "Kalah(6, 3)"],
  ["kalah:seeds=5", "Kalah(6, 5)"],
  ["kalah:seeds=6", "Kalah(6, 6)"],
  ["kalah:pits=4,seeds=3", t("Kalah(4, 3), a short game")],
  ["kalah-empty-capture", listed(["Kalah(6, 4)", t("captures also from empty pits")])],
  ["article", listed(["Kalah(6, 4)", t("relap and majority")])],
  ["kalah:pits=7,seeds=7,pie=true", t("Kalah(7, 7), the second player may swap sides")],
  ["kalah:capture=none,relay=true", "Avalanche"],
  ["kalah:pits=7,seeds=7,relay=true", "Congkak"],
  ["kalah:keep_one=true,even=true,empty_takes=true", "Mangala"],
  ["kalah:oware=true", "Oware"],
];
const PAGE = "page"; // the program that a person plays by
const FRIEND = ""; // the choice of an opponent who is to come by a link
// Letters that have no parts, as they are written without marks.
const PLAIN = { ı: "i", ł: "l", Ł: "L", ø: "o", Ø: "O", đ: "d", Đ: "D", ð: "d", Ð: "D", þ: "th", Þ: "TH", ß: "ss", æ: "ae", Æ: "AE", œ: "oe", Œ: "OE" };
const CLOCKS = [300000, 60000, 10000];
const YOUR_TURN = `${t("Your turn")}.`;

export async function play(root, parameters, signal) {
  const about = await askPatiently("", signal);
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
  if (kept && (kept.opponent || ["", kept.asked].includes(asked()))) return begin(root, about, kept, signal);
  return choose(root, about, parameters, signal);
}

// What the address asks for; "" for nothing but a language.
function asked() {
  const parameters = new URLSearchParams(location.search);
  parameters.delete("lang");
  return String(parameters);
}

// Choosing

async function choose(root, about, parameters, signal) {
  if (parameters.league && !codeIn(parameters.league)) throw new ApiError(404, "not_found", t("A code has 3 to 12 digits and letters from a to z."));
  const form = new Form((await askPatiently("/opponents", signal)).opponents, about, parameters);
  const chosen = new AbortController();
  const how = h("div");
  const tellRules = () => how.replaceChildren(howToPlay(form.rules.value));
  form.rules.addEventListener("change", tellRules);
  tellRules();
  form.element.addEventListener("submit", (event) => {
    event.preventDefault();
    chosen.abort();
    const wanted = form.wanted();
    localStorage.setItem(NAME, form.name.value);
    begin(root, about, wanted, signal);
  });
  root.replaceChildren(h("h1", {}, t("Play")), h("div", { class: "columns" }, card(t("A game"), form.element), h("div", {}, ownCard(), how)));
  await keepLooking(form, AbortSignal.any([signal, chosen.signal]));
}

// Shows who comes and goes, until an opponent is chosen.
async function keepLooking(form, signal) {
  try {
    await keepAsking(LOOK_EVERY_MS, async () => {
      form.showOpponents((await ask("/opponents", signal)).opponents);
    }, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

class Form {
  constructor(opponents, about, parameters) {
    this.league = codeIn(parameters.league);
    const given = this.league ? { opponent: parameters.opponent } : parameters; // all of a class play on the same terms
    const { opponent: wanted, board, rules, code } = given;
    this.opening = openingOf(board, rules);
    this.invitedBy = wanted;
    this.code = code;
    this.alone = h("p", { class: "note" }, t("No opponent is here now. The organiser can set [play] levels = true, and every bot that takes challenges appears here as soon as it comes."));
    this.opponent = h("select", { name: "opponent", change: () => this.checkOpponent() }, ...this.#groups(opponents));
    if (wanted && opponents.every(({ name }) => name !== wanted)) this.opponent.append(gone(wanted));
    if (wanted) this.opponent.value = wanted;
    this.seat = select("seat", [["0", t("I begin")], ["1", t("the opponent begins")]]);
    this.rules = select("rules", this.opening ? [[this.opening.rules, this.opening.title]] : RULES);
    this.clock = select("clock", CLOCKS.map((each) => [String(each), words.clock({ move_ms: each, bank_ms: null, increment_ms: 0 })]));
    for (const each of [this.seat, this.rules, this.clock]) if ([...each.options].some(({ value }) => value === given[each.name])) each.value = given[each.name];
    const known = localStorage.getItem(NAME) ?? `guest-${random()}`;
    const most = 48 - nameIn(this.league, "").length;
    this.name = h("input", {
      name: "name", value: this.league && known.startsWith("guest-") ? "" : known.slice(0, most), required: true, maxlength: most,
      input: () => this.name.setCustomValidity(""), change: () => this.checkName(),
      pattern: "[A-Za-z0-9][A-Za-z0-9_.@+\\-]*", autocomplete: "nickname",
    });
    this.checkName();
    this.token = about.guests ? null : h("input", { name: "token", type: "password", required: true, autocomplete: "off" });
    this.element = h("form", { class: "choice" },
      this.opening?.drawn,
      this.alone,
      h("label", {}, t("Opponent"), this.opponent),
      (this.met = h("p", { class: "controls", "aria-live": "polite" })),
      ...[[t("Side"), this.seat], [t("Rules"), this.rules], [t("Clock"), this.clock]].map(([text, field]) => h("label", { hidden: Boolean(this.league) }, text, field)),
      h("label", {}, this.league ? t("First name") : t("Your name"), this.name),
      this.token && h("label", {}, t("Token of that name"), this.token),
      h("button", { class: "primary" }, t("Play")),
      h("p", { class: "note small" }, t("Games in the browser are not rated. A bot may use as much time as you have.")));
    this.checkOpponent();
  }

  // The choice stays as it is: an opponent that has left keeps its place, and cannot be played.
  showOpponents(opponents) {
    const chosen = this.opponent.value;
    const left = chosen === FRIEND || opponents.some(({ name }) => name === chosen) ? [] : [gone(chosen)];
    update(this.opponent, ...this.#groups(opponents), ...left);
    this.opponent.value = chosen;
    this.checkOpponent();
  }

  // Who waits for a friend is offered to the one who has the link.
  #groups(opponents) {
    const shown = opponents.filter(({ name, agent, house }) => (this.league ? house : agent?.name !== PAGE || name === this.invitedBy));
    this.alone.hidden = shown.length > 0 || Boolean(this.league);
    const others = groups(shown);
    const friend = h("option", { value: FRIEND }, this.league ? t("A classmate") : t("A friend, by a link"));
    return this.league ? [friend, ...others] : [...others, friend];
  }

  checkOpponent() {
    const [option] = this.opponent.selectedOptions;
    const level = option?.dataset.house ? levelOf(option.value) : 0;
    this.met.replaceChildren(...(level ? [face(level), temper(level)] : []));
    this.opponent.setCustomValidity(option?.dataset.gone ? t("{{opponent}} has left; choose another opponent.", { opponent: option.value }) : "");
  }

  // Names are of plain letters; those of a league are for its own games, which are all alike.
  checkName() {
    const { name } = this;
    name.value = name.value.trim().replace(/\P{ASCII}/gu, (sign) => PLAIN[sign] ?? sign).normalize("NFKD").replace(/\p{M}/gu, "").replace(/[\s'’]+/gu, "-").slice(0, name.maxLength);
    name.setCustomValidity(name.validity.patternMismatch ? t("Write the name with the letters a to z; digits and _ . @ + - may follow.")
      : !this.league && isOfLeague(name.value) ? t("A code and a dot begin the names of a league; go to “A league for a class”, or leave out the dot.") : "");
  }

  wanted() {
    const [chosen] = this.opponent.selectedOptions;
    const isHost = chosen.value === FRIEND;
    const code = this.league || isHost ? this.league || random() : chosen.value === this.invitedBy ? this.code : undefined;
    return {
      name: nameIn(this.league, this.name.value),
      league: this.league,
      token: this.token?.value ?? (isMade(this.league) ? `device-${device()}` : undefined),
      opponent: chosen.value,
      isHouse: Boolean(chosen.dataset.house),
      isHost,
      terms: {
        rules: this.rules.value,
        clock: { move_ms: Number(this.clock.value) },
        rated: false,
        games: 1,
        seat: this.league ? Math.floor(2 * Math.random()) : Number(this.seat.value),
        ...(this.opening ? { opening: this.opening.board } : {}),
        ...(code ? { code } : {}),
      },
    };
  }
}

// A position of the address to be played out, and how the form shows it; null without one.
function openingOf(board, text) {
  const state = board && notation.parse(board);
  const rules = state && notation.rulesOf(state, text ?? "kalah");
  if (!rules) return null;
  const drawn = new Board(rules.pits, [t("First"), t("Second")]);
  drawn.show(state);
  return { board, rules: notation.textOf(rules), title: words.rules(rules), drawn: drawn.element };
}

// Tells the rules that are chosen, with a sowing of theirs.
function howToPlay(text) {
  const rules = notation.rulesIn(text);
  const board = new Board(rules.pits, [t("You"), t("Opponent")]);
  board.show(sow(notation.start(rules), Math.min(2, rules.pits - 1), rules).state);
  const isKalah = !["relay", "keep_one", "oware"].some((name) => rules[name]);
  return card(t("How it is played"), board.element,
    h("ul", { class: "rules" }, ...(rules.oware ? howOwareIsSown() : howItIsSown(rules)).map((line) => line && h("li", {}, line))),
    isKalah && h("p", {}, link("/lesson", t("Learn it on six boards")), " · ", link("/league", t("A league for a class"))),
    h("p", { class: "note small" }, t("Pits are buttons, and the keys 1 to 9 sow them. Afterwards the game is reviewed: which move lost it, and what was better.")));
}

const howItIsSown = (rules) => [
  t("Your pits are the lower row, your store is on the right. Sow all seeds of a pit, one by one, to the right and around; the opponent's store is left out."),
  rules.keep_one && t("The first seed falls back into the pit, unless it is the only one."),
  rules.relay && t("If the last seed falls into a pit with seeds, of either row, these are sown on with it."),
  t("If the last seed falls into your store, you move again."),
  rules.relap && t("If it falls into the pit that was sown, you move again, too."),
  rules.capture === "none" ? t("No seeds are captured.") : t("If it falls into an empty pit of yours, you capture it and the seeds opposite. Where those are none, most rules capture nothing."),
  rules.even && t("If it makes the seeds of a pit of the opponent even, you capture these."),
  rules.empty_takes ? t("The game ends when a row is empty; what is left goes to the player of that row. More seeds in the store win.")
    : t("The game ends when a row is empty; what is left goes to its owner. More seeds in the store win."),
  rules.majority && t("The game also ends when a store holds more than half of all seeds."),
];

const howOwareIsSown = () => [
  t("Your pits are the lower row, your store is on the right. Sow all seeds of a pit, one by one, to the right and around; the stores and the pit itself are left out."),
  t("If the last seed makes two or three in a pit of the opponent, you capture these, and those of the pits before it while they are two or three, too; but never all of the opponent's seeds."),
  t("If the opponent has no seeds, you have to sow some there."),
  t("The game ends when a store holds more than half of all seeds, when a position comes again, or when the player to move cannot sow; what is left goes to its owner. More seeds in the store win."),
];

const gone = (name) => h("option", { value: name, "data-gone": "true" }, t("{{name}} (has left)", { name }));

function groups(opponents) {
  const levels = opponents.filter(({ house, name }) => house && levelOf(name)).sort((a, b) => levelOf(a.name) - levelOf(b.name));
  const house = opponents.filter((each) => each.house && !levels.includes(each));
  const others = opponents.filter((each) => !each.house);
  const level = (name) => `${called(levelOf(name))}${isBeaten(name) ? " ✓" : ""}`;
  const option = ({ name, agent, house: isHouse }) => h("option", { value: name, "data-house": isHouse && "true" },
    isHouse && levelOf(name) ? level(name) : `${name}${agent ? ` (${agent.name})` : ""}`);
  return [
    ...[[t("Levels of the engine"), levels], [t("House bots"), house], [t("Other bots"), others]]
      .filter(([, list]) => list.length)
      .map(([label, list]) => h("optgroup", { label }, ...list.map(option))),
  ];
}

// Playing

function begin(root, about, wanted, signal) {
  const session = new Session(about, wanted, (next) => {
    sessionStorage.removeItem(KEPT);
    location.href = `/play${query({ league: wanted.league, opponent: next ?? (wanted.league ? "" : wanted.opponent) })}`;
  });
  root.replaceChildren(...session.elements);
  return session.run(signal);
}

class Session {
  /** @type {Board | undefined} */ board;
  /** @type {any} the question to answer, while there is one */ turn = null;
  /** @type {any} the latest game_start */ game = null;
  /** @type {any[]} the positions in which one has moved, also before moves were taken back */ past = [];
  /** @type {string | null} the position to play from, while a move is being taken back */ opening = null;
  /** @type {any[] | undefined} those of before, where moves were taken back */ earlier;
  /** @type {string | undefined} the game in which a hint was given */ helped;
  /** @type {string | undefined} who was accepted or challenged, and has no game yet */ admitted;
  /** @type {string | undefined} a challenge of one's own to a classmate, until it is answered */ asking;
  /** @type {any[]} challenges of classmates that came meanwhile */ waiting = [];
  looks = 0; // since then
  /** @type {string[]} classmates who did not answer */ silent = [];
  /** @type {AbortController | undefined} while one of a class is looked for */ looking;
  /** @type {string | undefined} the page's title without a sign */ title;
  /** @type {(next?: string) => void} */ leave;

  constructor(about, wanted, leave) {
    const { earlier, helped } = wanted;
    Object.assign(this, { wanted, leave, earlier, helped, shown: Promise.resolve(), turn: null, game: null });
    this.client = new Client(address(about), {
      name: wanted.name, token: wanted.token, agent: { name: PAGE }, storage: sessionStorage, swap: true,
      challenges: Boolean(wanted.isHost),
    });
    this.heading = h("h1", { tabindex: -1 }, this.#title());
    this.place = h("div");
    this.theirs = h("div", { class: "player" });
    this.mine = h("div", { class: "player" });
    this.ending = h("p", { class: "ending", role: "status" });
    this.clock = h("p", { class: "time small" });
    this.said = h("p", { class: "said", role: "status", "aria-atomic": "false" }, t("Connecting …"));
    this.after = h("p", { class: "losing", role: "status" });
    this.hint = button(t("Hint"), () => this.#giveHint());
    this.why = button(t("Why?"), () => this.#explain(), t("What was your last move worth?"));
    this.back = button(t("Take back"), () => this.#takeBack(), t("Take back your last move"));
    this.swap = button(t("Swap sides"), () => this.#sow(kalah.SWAP), t("Take the opponent's side, and let it move on yours"));
    this.resign = button(t("Resign"), () => this.#askToResign(true));
    this.sure = h("span", { class: "sure", role: "group", "aria-label": t("Resign the game?"), hidden: true }, t("Resign the game?"), " ",
      button(t("Yes, resign"), () => this.#resign()), " ", (this.playOn = button(t("Play on"), () => this.#askToResign(false))));
    this.rematch = button(t("Rematch"), () => this.#challengeAgain());
    this.other = button(t("Another opponent"), () => this.#part());
    this.record = link("/games", t("The game and its review"));
    this.league = wanted.league && link(`/league/${wanted.league}`, t("Standings"));
    this.elements = [
      this.heading,
      h("div", { class: "table" }, card(null, this.theirs, this.place, this.mine, this.ending, this.said, this.clock, this.after,
        h("p", { class: "controls" }, this.swap, this.hint, this.why, this.back, this.resign, this.sure, this.rematch, this.other, this.record, this.league, speedChoice(), soundChoice(), noticeChoice()),
        h("p", { class: "note small keys" }, t("Keys: 1 sows your pit 1, 2 your pit 2, and so on.")))),
    ];
    this.#running(false);
  }

  async run(signal) {
    document.addEventListener("keydown", (event) => this.#press(event), { signal });
    addEventListener("offline", tellAway, { signal });
    addEventListener("online", () => tell(""), { signal });
    this.heading.focus();
    const timer = setInterval(() => this.#tick(), TICK_MS);
    this.#listen();
    try {
      await this.client.run();
    } catch (error) {
      this.said.textContent = `${refusal(error.code, error.message)}. ${t("Choose another opponent or name.")}`;
      sessionStorage.removeItem(KEPT);
      this.other.hidden = false;
    } finally {
      clearInterval(timer);
    }
  }

  #listen() {
    const { client } = this;
    client.on("status", ({ status }) => {
      const isAway = status === "waiting";
      if (isAway) tellAway();
      else tell("");
      if (isAway && this.board) this.#offer([]);
    });
    client.on("welcome", ({ resumed, matches = [] }) => this.#welcome(resumed && matches.length > 0));
    client.on("challenged", (challenged) => {
      const { by } = challenged;
      if (this.wanted.isHost) this.#admit(challenged);
      else if (by === this.wanted.name) this.said.textContent = t("Waiting for {{opponent}} …", { opponent: this.them });
    });
    client.on("error", ({ code, message, ref }) => this.#refused(code, message, ref));
    client.on("game_start", (start) => keepFocus(this.heading, () => this.#start(start)));
    client.on("turn", (turn) => this.#ask(turn));
    client.on("moved", (moved) => this.#moved(moved));
    client.on("game_over", (over) => this.#over(over));
  }

  #title() {
    return t("{{one}} against {{two}}", { one: this.#first(this.wanted.name), two: this.them || "…" });
  }

  // A name as the class reads it.
  #first(name) {
    return firstName(this.wanted.league, name);
  }

  // The opponent, as a reader knows it.
  get them() {
    return this.#first(readable(this.wanted.opponent));
  }

  // Shows the link by which a friend comes, who then challenges with the terms that were chosen here.
  #invite() {
    if (this.wanted.league) {
      this.#awaitClassmate();
      return;
    }
    const { name, terms } = this.wanted;
    const chosen = { opponent: name, rules: terms.rules, clock: terms.clock.move_ms, seat: 1 - terms.seat, board: terms.opening, code: terms.code };
    const given = Object.entries(chosen).filter(([, value]) => value !== undefined).map(([key, value]) => [key, String(value)]);
    const target = `${location.origin}/play?${new URLSearchParams(given)}`;
    this.said.replaceChildren(t("Send this link to your friend. The game begins as soon as your friend presses “Play”."), " ",
      link(target, target), " ", button(t("Copy link"), (event) => copyLink(event.target, target)));
    this.other.hidden = false;
    this.#keep();
  }

  // Waits for one of the class. Of two who wait, the one whose name comes later challenges the other. Who does not answer is
  // not waited for: after one's own challenge is withdrawn, one more look shows that no game has begun by it.
  async #awaitClassmate() {
    const { league, name, terms } = this.wanted;
    this.said.textContent = t("Waiting for a classmate …");
    this.other.hidden = false;
    this.#keep();
    if (this.looking) return;
    this.looking = new AbortController();
    await keepAsking(LOOK_EVERY_MS, async () => {
      this.looks += 1;
      if (this.admitted && this.asking && (this.looks > PATIENCE || this.waiting.length)) {
        this.client.decline(this.asking);
        this.silent.push(this.admitted);
        this.asking = undefined;
        this.looks = PATIENCE;
        return;
      }
      if (this.admitted && this.looks <= PATIENCE) return;
      this.looks = 0;
      this.admitted = undefined;
      const first = this.waiting.shift();
      if (first) {
        this.#accept(first);
        return;
      }
      const { opponents } = await ask("/opponents");
      const free = opponents.filter((each) => each.agent?.name === PAGE && isIn(league, each.name) && each.name < name).map((each) => each.name);
      if (opponents.some(({ name: each, house }) => house && each === EASIEST) && !this.said.childElementCount)
        this.said.append(" ", button(called(levelOf(EASIEST)), () => this.#part(EASIEST)));
      if (this.admitted || !free.length) return;
      const fresh = free.filter((each) => !this.silent.includes(each));
      if (!fresh.length) this.silent = [];
      const among = fresh.length ? fresh : free;
      this.admitted = among[Math.floor(Math.random() * among.length)];
      this.client.challenge(this.admitted, terms);
    }, this.looking.signal).catch(() => {});
  }

  // Plays the first who asks for what the link has, and no one else; one of a class, as soon as no answer is waited for.
  #admit(challenged) {
    const { by, challenge } = challenged;
    const { name, league, opponent, terms } = this.wanted;
    if (by === name) {
      this.asking = challenge;
      return;
    }
    const isFree = opponent === FRIEND ? league || (this.admitted ?? by) === by : opponent === by;
    if ((this.game && !this.isOver) || !isFree) this.#declineAsPlaying(challenge);
    else if (!hasTerms(challenged, terms, league || this.game !== null)) this.client.decline(challenge, t("the link has other terms"));
    else if (opponent === FRIEND && league && this.admitted) this.waiting.push(challenged);
    else this.#accept(challenged);
  }

  #accept({ by, challenge }) {
    this.admitted = by;
    this.looks = 0;
    this.client.accept(challenge);
  }

  #declineAsPlaying(challenge) {
    this.client.decline(challenge, t("{{opponent}} is playing", { opponent: this.#first(this.wanted.name) }));
  }

  #welcome(isPlaying) {
    if (isPlaying) return;
    if (this.wanted.opponent === FRIEND) {
      this.#invite();
      return;
    }
    if (this.game === null && !this.wanted.isUnderWay) this.client.challenge(this.wanted.opponent, this.wanted.terms);
    else if (this.game === null || !this.isOver) this.#end(t("The game is over; the seat was given up."));
  }

  #refused(code, message, ref) {
    const why = refusal(code, message);
    const others = this.waiting.filter(({ challenge }) => challenge !== ref);
    if (others.length < this.waiting.length) {
      this.waiting = others;
      return;
    }
    this.admitted = this.asking = undefined;
    if (this.wanted.opponent === FRIEND) {
      this.#invite();
      if (!this.wanted.league) this.said.prepend(`${why}. `);
      return;
    }
    this.said.textContent = code === "declined" ? t("{{opponent}} can't play now: {{why}}.", { opponent: this.them, why }) : `${why}.`;
    if (this.game === null || this.opening) {
      sessionStorage.removeItem(KEPT);
      this.#running(false);
      this.#offerOthers();
    }
  }

  #start(start) {
    const isNew = this.game?.game !== start.game;
    this.game = start;
    this.opening = null;
    this.admitted = this.asking = undefined;
    for (const { challenge } of this.waiting.splice(0)) this.#declineAsPlaying(challenge);
    if (this.wanted.opponent === FRIEND) {
      this.looking?.abort();
      this.wanted = { ...this.wanted, opponent: start.names[1 - start.seat] };
      this.heading.textContent = this.#title();
    }
    const steps = follow(start.opening ?? notation.start(start.rules), start.moves, start.rules);
    this.past = [...(this.earlier ?? []), ...steps.filter(({ move }) => move.player === start.seat).map(({ before }) => before)];
    this.seat = start.seat;
    this.state = start.state;
    this.turn = null;
    this.isOver = false;
    if (isNew) {
      this.board = new Board(start.rules.pits, start.names.map((name) => this.#first(readable(name))), { bottom: start.seat, sow: (player, pit) => this.#sow(pit) });
      this.place.replaceChildren(this.board.element, this.board.legend);
      this.after.replaceChildren();
    }
    this.#nameRows(start);
    this.board.show(this.state);
    this.#offer([]);
    this.record.href = `/games/${encodeURIComponent(start.game)}`;
    this.#keep();
    this.#running(true);
    this.#offerBack();
    this.ending.textContent = "";
    this.played = this.ended = null;
    this.#showMover(this.state.current_player === this.seat);
    this.said.textContent = this.state.current_player === this.seat ? YOUR_TURN : t("{{opponent}} is thinking …", { opponent: this.them });
  }

  #keep() {
    const { wanted, earlier, helped } = this;
    sessionStorage.setItem(KEPT, JSON.stringify({ ...wanted, isUnderWay: true, earlier, helped, asked: asked() }));
  }

  // Whose row is which: the opponent's is above the board, one's own below it.
  #nameRows({ seat, names }) {
    const row = (place, side, ...text) => {
      place.className = `player ${side === 0 ? "south" : "north"}`;
      const level = levelOf(names[side]);
      update(place, level ? face(level) : "", h("strong", {}, this.#first(readable(names[side]))), h("span", { class: "quiet small" }, ...text));
    };
    row(this.theirs, 1 - seat, t("the upper row and the left store"));
    row(this.mine, seat, t("you: the lower row and the right store"));
  }

  #showMover(isMine) {
    this.mine.classList.toggle("to-move", isMine);
    this.theirs.classList.toggle("to-move", !isMine && !this.isOver);
    this.title ??= document.title;
    document.title = isMine ? `● ${t("Your turn")} · ${this.title}` : this.title;
  }

  #askToResign(isAsked) {
    this.resign.hidden = isAsked;
    this.sure.hidden = !isAsked;
    (isAsked ? this.playOn : this.resign).focus();
  }

  #resign() {
    this.#askToResign(false);
    this.client.resign(this.game.game);
  }

  #ask(turn) {
    this.turn = { ...turn, until: performance.now() + turn.deadline_ms };
    this.shown = this.shown.then(() => {
      if (this.turn?.ply !== turn.ply) return;
      this.state = turn.state;
      this.#showMover(true);
      notice(t("Your turn against {{opponent}}", { opponent: this.them }));
      this.#offer(turn.legal);
      this.swap.hidden = !this.#maySwap(turn);
      if (!this.said.textContent.endsWith(YOUR_TURN)) this.said.append(` ${YOUR_TURN}`);
    });
  }

  #offer(pits) {
    this.board.offer(this.seat, pits, (pit, side) => this.#name(pit, side));
  }

  #name(pit, side) {
    const values = { pit: words.pitNumber(pit), seeds: words.seedsOf(this.state.pits[side][pit]) };
    return side === this.seat ? t("Your pit {{pit}}, {{seeds}}", values) : words.pitOf(this.them, pit, this.state.pits[side][pit]);
  }

  #sow(pit) {
    if (!this.turn?.legal.includes(pit) && !(pit === kalah.SWAP && this.#maySwap(this.turn))) return;
    keepFocus(this.heading, () => { this.swap.hidden = true; });
    const { game, ply } = this.turn;
    this.played = { state: this.state, pit };
    this.past.push(this.state);
    if (pit === kalah.SWAP) this.played = null;
    this.turn = null;
    this.#offer([]);
    this.client.move(game, ply, pit);
    this.unanswered = setTimeout(() => tell(t("Your move is on its way; the server has not answered yet …")), ANSWER_MS);
  }

  #maySwap(turn) {
    return Boolean(turn?.pie) && this.seat === 1;
  }

  #moved(moved) {
    if (moved.game !== this.game?.game) return;
    this.#answered();
    this.turn = null;
    this.board.point([]);
    this.shown = this.shown.then(async () => {
      const before = this.state;
      const isKnown = before.current_player === moved.player && legal(before, this.game.rules).includes(moved.pit);
      this.said.textContent = words.sowing(moved, this.#called(), moved);
      this.why.hidden = !this.played || this.isOver;
      this.#offerBack();
      this.#showMover(false);
      this.state = moved.state;
      this.#offer([]);
      if (isKnown) await this.board.sow(before, sow(before, moved.pit, this.game.rules), moved, false);
      else this.board.show(moved.state, moved);
      if (motion.isOff() && moved.player === this.seat) await pause(READ_MS);
    });
  }

  #answered() {
    clearTimeout(this.unanswered);
    tell("");
  }

  #called() {
    return this.seat === 0 ? [words.YOU, this.them] : [this.them, words.YOU];
  }

  #over(over) {
    if (over.game !== this.game?.game) return;
    this.ended = over;
    this.#answered();
    const { seat, wanted: { opponent }, them } = this;
    if (this.opening) {
      this.isOver = true;
      this.client.challenge(this.wanted.opponent, { ...this.wanted.terms, seat: 0, opening: this.opening });
      return;
    }
    this.shown = this.shown.then(() => {
      this.board.show({ ...this.state, stores: over.stores }, null, true);
      this.#offer([]);
      this.#end(over.reason === "aborted" ? t("The game does not count.") : words.verdict(this.#called(), over));
      this.#review(over, seat, opponent, them);
    });
  }

  #end(text) {
    const hadFocus = [this.place, this.resign.parentElement].some((each) => each.contains(document.activeElement));
    this.isOver = true;
    this.turn = null;
    this.said.textContent = text;
    notice(text);
    if (this.ended) this.ending.textContent = { [this.seat]: t("You win!"), [1 - this.seat]: t("You lose.") }[this.ended.winner] ?? `${t("A draw")}.`;
    const isAlone = this.helped !== this.game?.game && !this.earlier && !this.wanted.terms.opening;
    if (this.ended?.winner === this.seat && isAlone && this.wanted.isHouse) this.ending.textContent += ` ${beat(this.wanted.opponent)}`;
    if (this.ended?.reason === "aborted") this.ending.textContent = "";
    this.#showMover(false);
    sessionStorage.removeItem(KEPT);
    this.#running(false);
    this.#offerOthers();
    this.record.hidden = this.game === null;
    if (hadFocus) (this.rematch.hidden ? this.other : this.rematch).focus();
  }

  // A friend who came by a link is the one who asks for a rematch.
  #offerOthers() {
    this.other.hidden = false;
    this.rematch.hidden = Boolean(this.wanted.isHost);
  }

  // A move that was sent is final: the game ends, and a new one begins before that move, from the first seat.
  #takeBack() {
    const before = this.past.at(-1);
    if (!before || this.isOver || this.opening) return;
    this.opening = notation.literal(before);
    this.earlier = this.past.slice(0, -1);
    this.turn = null;
    this.after.replaceChildren();
    this.#offer([]);
    this.said.textContent = t("Your last move is being taken back …");
    this.client.resign(this.game.game);
  }

  #offerBack() {
    this.back.hidden = !this.wanted.isHouse || Boolean(this.wanted.league) || this.past.length === 0 || this.isOver;
  }

  // What one's last move was worth, against the best one.
  async #explain() {
    const { played } = this;
    if (!played) return;
    const isWanted = () => this.played === played;
    this.after.textContent = t("Your last move is being looked at …");
    try {
      const { moves, best, value, proven } = await valuesOf(played.state, this.game.rules, isWanted);
      if (!isWanted()) return;
      const own = moves.find(({ pit }) => pit === played.pit);
      const made = { player: this.seat, pit: played.pit, best };
      const gain = missed(played.state, made, null, this.game.rules, this.#called());
      const values = { pit: words.pitNumber(played.pit), value: words.worth(value, proven), own: words.worth(own.value, own.proven), best: words.pitNumber(best) };
      this.after.textContent = values.own === values.value
        ? t("Your pit {{pit}} was a best move: {{value}} for you, {{certainty}}.", { ...values, certainty: words.certainty(proven) })
        : `${t("Your pit {{pit}} is worth {{own}} for you, pit {{best}} was worth {{value}}", values)}${gain ? `: ${gain}` : ""} (${words.certainty(proven && own.proven)}).`;
    } catch (error) {
      if (isWanted()) this.after.textContent = t("Not known: {{why}}.", { why: error.message });
    }
  }

  // Says how the game was lost as soon as it is reviewed.
  async #review({ game, winner }, seat, opponent, them) {
    const isShown = () => this.game.game === game;
    const path = `/games/${encodeURIComponent(game)}`;
    for (let tries = 0; tries < REVIEW_TRIES && isShown(); tries += 1) {
      await pause(REVIEW_EVERY_MS);
      try {
        const review = await askIfThere(`${path}/review`);
        if (!review?.plies) continue;
        learn(game, review, seat, opponent);
        if (!isShown()) return;
        const head = toldToYou(review, winner, seat, them);
        this.after.replaceChildren(...(head ? [h("strong", {}, `${head.title}${t(": ")}`),
          link(head.ply ? `${path}/${head.ply}` : path, head.text)] : [link(path, t("The review is ready."))]));
        return;
      } catch (error) {
        if (!isPassing(error)) return;
      }
    }
  }

  async #giveHint() {
    const { state, turn } = this;
    if (!turn) return;
    this.said.textContent = `${t("Thinking about a hint …")} ${YOUR_TURN}`;
    try {
      const { best, value, proven } = await valuesOf(state, this.game.rules, () => this.turn === turn);
      if (this.turn !== turn) return;
      this.helped = this.game.game;
      this.#keep();
      this.board.point([{ player: this.seat, pit: best, to: sow(state, best, this.game.rules).path.at(-1), kind: "best" }]);
      const hint = t("Hint: pit {{pit}}, {{value}} for you, {{certainty}}.", { pit: words.pitNumber(best), value: words.worth(value, proven), certainty: words.certainty(proven) });
      this.said.textContent = `${hint} ${YOUR_TURN}`;
    } catch (error) {
      if (this.turn === turn) this.said.textContent = `${t("No hint: {{why}}.", { why: error.message })} ${YOUR_TURN}`;
    }
  }

  #challengeAgain() {
    const { terms } = this.wanted;
    const seat = this.game ? 1 - terms.seat : terms.seat;
    this.wanted = { ...this.wanted, isUnderWay: false, terms: { ...terms, seat } };
    this.earlier = undefined;
    keepFocus(this.heading, () => { this.rematch.hidden = true; });
    this.client.challenge(this.wanted.opponent, this.wanted.terms);
  }

  #part(next = undefined) {
    this.client.goodbye();
    this.leave(next);
  }

  #running(isSo) {
    this.resign.hidden = !isSo;
    this.hint.hidden = !isSo || Boolean(this.wanted.league); // a table is of one's own moves
    this.swap.hidden = true;
    this.why.hidden = this.sure.hidden = this.back.hidden = true;
    this.rematch.hidden = this.other.hidden = this.record.hidden = true;
  }

  #press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest?.("input:not([type=checkbox]), select, textarea")) return;
    if (/^[1-9]$/.test(event.key)) this.#sow(Number(event.key) - 1);
  }

  #tick() {
    this.clock.textContent = this.turn ? t("{{time}} for this move", { time: words.seconds(Math.max(0, 1000 * Math.ceil((this.turn.until - performance.now()) / 1000))) }) : "";
  }
}

// Whether a challenge has the terms and the code of a friend's link; a rematch may be from either seat.
function hasTerms({ rules, clock, rated, games, seat = 0, opening, code }, terms, isRematch) {
  const isSeated = isRematch || seat === 1 - terms.seat;
  const isTimed = clock.move_ms === terms.clock.move_ms && clock.bank_ms == null && clock.timeout === "forfeit";
  const board = (text) => text && notation.literal(notation.parse(text));
  return code === terms.code && isSeated && isTimed && !rated && games === 1 && hasRules(rules, terms.rules) && board(opening) === board(terms.opening);
}

function hasRules(rules, text) {
  const wanted = notation.rulesIn(text);
  const value = (of, name) => of[name] ?? kalah.KNOWN[name]?.[0];
  return kalah.unknown(rules).length === 0 && ["pits", "seeds", ...Object.keys(kalah.KNOWN)].every((name) => value(rules, name) === value(wanted, name));
}

const select = (name, options) => h("select", { name }, ...options.map(([value, text]) => h("option", { value }, text)));

const device = () => {
  const known = localStorage.getItem(DEVICE) ?? random() + random();
  localStorage.setItem(DEVICE, known);
  return known;
};

const random = () => crypto.getRandomValues(new Uint32Array(1))[0].toString(36);
