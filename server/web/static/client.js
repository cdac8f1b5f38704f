// The JavaScript client of the protocol mancala.v1, for bots and for people: one module for
// browsers and for node (22 and newer; older ones hand in the class of the npm package `ws`).
//
//   const client = new Client("ws://127.0.0.1:8765", { name: "ada", choose: (turn) => turn.legal[0] });
//   client.on("game_over", ({ winner, stores }) => console.log(winner, stores));
//   client.join("main");
//   await client.run(); // until goodbye() or finish(), through lost connections and restarts
//
// Messages are handed on as they are on the wire; SPEC.md describes them and client.d.ts types them.
// The session's secret goes to `storage`, so a page that was reloaded, or a program that was
// started again, takes its seats back. What was asked for by join() and seek() before a connection
// was lost is asked for again where the server has not kept it.

export const PROTOCOL = "mancala.v1";

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 20_000;
const WELCOME_MS = 20_000; // then a connection is given up: of one that waited too long to be accepted, the kernel dropped the request
const PROVISIONAL_EVERY_MS = 50;
const REPLACED_CLOSE = 4001;
const REFUSING_CLOSES = new Set([1002, 1003, 1007, 1008, 1009, 1010]);
const PASSING_ERRORS = new Set(["shutting_down", "timeout", "bad_resume"]);

// The server refused this client, and another attempt would end in the same way.
export class RefusedError extends Error {
  name = "RefusedError";

  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

// Another connection has resumed the session; this one must stay away.
export class ReplacedError extends Error {
  name = "ReplacedError";

  constructor() {
    super("another connection has taken this session over");
  }
}

// The milliseconds to wait before each attempt to connect: doubled up to a bound, each shortened at
// random by up to a half, so that the clients of a crashed server do not all come back together.
export function* backoff(random = Math.random) {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    yield wait * (1 - random() / 2);
  }
}

// A storage for the session's secret that lasts as long as the page or the process.
export function memory() {
  const kept = new Map();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
    removeItem: (key) => kept.delete(key),
  };
}

export class Client {
  #url;
  #options;
  #storage;
  #key;
  #listeners = new Map();
  #socket = null;
  #isReady = false;
  #hasLeft = false;
  #isFinishing = false;
  #failure = null;
  #refusal = null;
  #problem = null;
  #returnAfterMs = null;
  #endPause = () => {};
  #ladders = new Map(); // of the matches still wanted; undefined for any number
  #leaving = new Set(); // ladders whose `left` is awaited
  #events = new Set(); // that were entered
  #challenges = new Set(); // its own that were not declined
  #seek = null;
  #isSeekKnown = false;
  #matches = new Set();
  #games = new Map();
  #questions = new Map();
  #lists = []; // asked for, in the order of the answers
  #schedules = []; // likewise; true for the one that decides whether to say goodbye

  constructor(url, options) {
    this.#url = url;
    this.#options = { random: Math.random, WebSocket: globalThis.WebSocket, ...options };
    this.#storage = options.storage ?? memory();
    this.#key = `${PROTOCOL} ${url} ${options.name}`;
    if (!this.#options.WebSocket) throw new TypeError("no WebSocket here: hand in that of the package ws");
  }

  // The running games by id, each as its last game_start described it.
  get games() {
    return this.#games;
  }

  // Whether the server has welcomed the present connection.
  get isReady() {
    return this.#isReady;
  }

  // Calls `listener` with each message of this type, or with each "status"; returns a function that stops it.
  on(type, listener) {
    if (!this.#listeners.has(type)) this.#listeners.set(type, new Set());
    this.#listeners.get(type).add(listener);
    return () => this.#listeners.get(type).delete(listener);
  }

  // Connects, and connects again whenever the connection is lost. Ends after goodbye() or finish();
  // throws RefusedError, ReplacedError, or what `choose` or a listener threw.
  async run() {
    let waits = backoff(this.#options.random);
    while (!this.#hasLeft) {
      const wasWelcome = await this.#connect();
      if (this.#hasLeft) break;
      if (wasWelcome) waits = backoff(this.#options.random);
      const wait_ms = waits.next().value + (this.#returnAfterMs ?? 0);
      this.#emit({ type: "status", status: "waiting", wait_ms, problem: this.#problem ?? undefined });
      await this.#pause(wait_ms);
    }
    this.#emit({ type: "status", status: "left" });
    if (this.#failure) throw this.#failure;
  }

  // Asks for one match. It is asked for again after a lost connection until it begins.
  seek(terms = {}) {
    this.#seek = { type: "seek", ...terms };
    this.#isSeekKnown = false;
    this.#send(this.#seek);
  }

  unseek() {
    this.#seek = null;
    this.#send({ type: "unseek" });
  }

  // Joins a ladder: for good, or for a number of `matches`, after which the server sends `left`.
  /** @param {string} ladder @param {{matches?: number}} [terms] */
  join(ladder, { matches } = {}) {
    this.#ladders.set(ladder, matches);
    this.#send({ type: "join", ladder, matches });
  }

  leave(ladder) {
    this.#ladders.delete(ladder);
    this.#leaving.add(ladder);
    this.#send({ type: "leave", ladder });
  }

  // Enters an event; it is entered again on each connection until the server sends `withdrawn`.
  enter(event) {
    this.#events.add(event);
    this.#send({ type: "enter", event });
  }

  withdraw(event) {
    this.#events.delete(event);
    this.#send({ type: "withdraw", event });
  }

  challenge(opponent, terms = {}) {
    this.#send({ type: "challenge", opponent, ...terms });
  }

  accept(challenge) {
    this.#send({ type: "accept", challenge });
  }

  decline(challenge, reason) {
    this.#send({ type: "decline", challenge, reason });
  }

  // Answers the turn `ply` of a game; `extra` may hold `provisional` and `info`.
  move(game, ply, pit, extra = {}) {
    this.#send({ type: "move", game, ply, pit, ...extra });
  }

  resign(game) {
    this.#send({ type: "resign", game });
  }

  // Watches `{game}` or `{ladder}`.
  watch(what) {
    this.#send({ type: "watch", ...what });
  }

  unwatch(what = {}) {
    this.#send({ type: "unwatch", ...what });
  }

  // Returns all "ladders", "bots" or "games" of the server; asks again after a lost connection.
  list(what) {
    return new Promise((resolve, reject) => {
      if (this.#hasLeft) throw new Error("this client has left");
      this.#askForPage({ what, after: undefined, found: [], resolve, reject });
    });
  }

  // Asks when a bot plays next, by default this one; "scheduled" has the answer.
  schedule(bot) {
    this.#askForSchedule(false, bot);
  }

  // Starts nothing new, plays the running matches to their end and then says goodbye.
  finish() {
    this.#isFinishing = true;
    for (const ladder of [...this.#ladders.keys()]) this.leave(ladder);
    if (this.#seek) this.unseek();
    this.#withdrawChallenges();
    this.#leaveIfDone();
  }

  // Leaves now; running games are given up.
  goodbye() {
    if (this.#hasLeft) return;
    this.#send({ type: "goodbye" });
    this.#storage.removeItem(this.#key);
    this.#end();
  }

  // Drops the connection, or ends the wait for the next one: after a page was asleep, say.
  reconnect() {
    this.#socket?.close();
    this.#endPause();
  }

  // Returns, once the connection is lost or closed, whether the server had welcomed it.
  #connect() {
    return new Promise((resolve) => {
      const socket = new this.#options.WebSocket(this.#url, PROTOCOL);
      let wasWelcome = false;
      const patience = setTimeout(() => {
        socket.onopen = socket.onmessage = socket.onclose = null;
        socket.onerror = () => {}; // ws throws the error of closing early if nothing takes it
        socket.close();
        this.#problem = `no welcome within ${WELCOME_MS / 1000} s`;
        end({ code: 1006 });
      }, WELCOME_MS);
      this.#socket = socket;
      this.#refusal = this.#returnAfterMs = this.#problem = null;
      socket.onopen = () => socket.send(JSON.stringify(this.#hello()));
      socket.onerror = ({ message }) => {
        this.#problem = message; // which browsers don't disclose; onclose follows
      };
      socket.onmessage = ({ data }) => {
        if (this.#hasLeft) return;
        try {
          this.#receive(JSON.parse(data));
        } catch (error) {
          this.#end(error);
        }
        wasWelcome ||= this.#isReady;
        if (wasWelcome) clearTimeout(patience);
      };
      const end = socket.onclose = ({ code }) => {
        clearTimeout(patience);
        this.#socket = null;
        this.#isReady = false;
        const reason = this.#hasLeft ? null : this.#reason(code);
        if (reason) this.#end(reason);
        resolve(wasWelcome);
      };
    });
  }

  // Stops for good. Without a goodbye the server keeps the seats for a while: a restart may resume them.
  #end(failure = null) {
    this.#failure ??= failure;
    this.#hasLeft = true;
    this.#closeQuestions();
    for (const { reject } of this.#lists.splice(0)) reject(failure ?? new Error("this client has left"));
    this.#endPause();
    this.#socket?.close();
  }

  // The reason to give up after a close; null where another attempt may succeed.
  #reason(code) {
    if (code === REPLACED_CLOSE) return new ReplacedError();
    if (this.#refusal && !PASSING_ERRORS.has(this.#refusal.code)) return this.#refusal;
    if (this.#refusal || !REFUSING_CLOSES.has(code)) return null;
    return new RefusedError("closed", `the server closed the connection with code ${code}`);
  }

  #hello() {
    const { name, token, agent, challenges, swap } = this.#options;
    const resume = this.#storage.getItem(this.#key) ?? undefined;
    return { type: "hello", protocol: PROTOCOL, name, token, agent, resume, challenges, swap };
  }

  #receive(message) {
    this.#note(message);
    this.#emit(message);
    this.#settle(message);
  }

  #note(message) {
    switch (message.type) {
      case "welcome":
        this.#onWelcome(message);
        break;
      case "seeking":
        this.#isSeekKnown = true;
        break;
      case "challenged":
        if (message.by === this.#options.name) this.#onChallenged(message.challenge);
        break;
      case "left":
        this.#ladders.delete(message.ladder);
        this.#leaving.delete(message.ladder);
        break;
      case "withdrawn":
        this.#events.delete(message.event);
        break;
      case "game_start":
        this.#onGameStart(message);
        break;
      case "moved":
        this.#closeQuestion(message.game, message.ply);
        break;
      case "game_over":
        this.#closeQuestion(message.game);
        break;
      case "listing":
        this.#onListing(message);
        break;
      case "error":
        if (message.code === "declined") this.#challenges.delete(message.ref);
        if (message.fatal) this.#onFatal(message);
        else if (message.code !== "unknown_type") break;
        else if (this.#schedules.includes(true)) this.#onScheduled({}); // a server too old to know
        else this.#lists.shift()?.reject(new Error("this server has no lists"));
        break;
      case "goodbye":
        if (message.reconnect_after !== undefined) this.#returnAfterMs = 1000 * message.reconnect_after;
        this.#socket.close();
    }
  }

  #settle(message) {
    switch (message.type) {
      case "welcome":
        this.#emit({ type: "status", status: "ready" });
        break;
      case "turn":
        this.#ask(message);
        return;
      case "game_over":
        this.#games.delete(message.game);
        return;
      case "match_over":
        this.#matches.delete(message.match);
        break;
      case "scheduled":
        this.#onScheduled(message);
        return;
      case "left":
      case "error":
        break;
      default:
        return;
    }
    this.#leaveIfDone();
  }

  #onWelcome({ session, resumed, matches = [] }) {
    this.#isReady = true;
    this.#schedules = [];
    this.#storage.setItem(this.#key, session);
    this.#matches = new Set(matches);
    if (!resumed) this.#forgetGames();
    if (!resumed) this.#leaving.clear();
    if (!resumed) this.#challenges.clear();
    if (this.#isFinishing) this.#withdrawChallenges();
    for (const ladder of this.#leaving) this.#send({ type: "leave", ladder });
    for (const [ladder, matches] of this.#ladders) {
      this.#send(matches === 0 ? { type: "leave", ladder } : { type: "join", ladder, matches });
    }
    for (const event of this.#events) this.#send({ type: "enter", event });
    for (const list of this.#lists.splice(0)) this.#askForPage({ ...list, after: undefined, found: [] });
    const isKept = resumed && (this.#isSeekKnown || matches.length > 0);
    if (this.#seek && !isKept) this.#send(this.#seek);
  }

  // One that opens after finish() may be accepted before the server reads that it is withdrawn, so
  // only a schedule that is asked for now says whether to leave.
  #onChallenged(challenge) {
    this.#challenges.add(challenge);
    if (!this.#isFinishing) return;
    this.decline(challenge, "leaving");
    this.#schedules.fill(false);
    this.#leaveIfDone();
  }

  #withdrawChallenges() {
    for (const challenge of this.#challenges) this.decline(challenge, "leaving");
  }

  #forgetGames() {
    this.#closeQuestions();
    this.#games.clear();
  }

  #onGameStart(start) {
    this.#games.set(start.game, start);
    if (start.seat === null) return;
    if (!this.#matches.has(start.match) && !this.#seek) this.#countMatch();
    this.#matches.add(start.match);
    this.#seek = null;
    this.#closeQuestion(start.game, start.moves.length - 1);
  }

  // A match that was not sought is the ladder's: one less is asked for after a lost connection.
  #countMatch() {
    for (const [ladder, matches] of this.#ladders) {
      if (matches > 0) this.#ladders.set(ladder, matches - 1);
    }
  }

  #onFatal({ code, message }) {
    this.#refusal = new RefusedError(code, message);
    if (code === "bad_resume") this.#storage.removeItem(this.#key);
  }

  #askForPage(list) {
    this.#lists.push(list);
    this.#send({ type: "list", what: list.what, after: list.after });
  }

  #onListing({ what, next, ...pages }) {
    const list = this.#lists.shift();
    list?.found.push(...(pages[what] ?? []));
    if (next) this.#askForPage({ ...list, after: next });
    else list?.resolve(list.found);
  }

  #leaveIfDone() {
    const isKnown = this.#isReady || this.#storage.getItem(this.#key) === null;
    if (!this.#isFinishing || !isKnown || this.#matches.size > 0) return;
    if (!this.#isReady) this.goodbye();
    else if (!this.#schedules.includes(true)) this.#askForSchedule(true);
  }

  #askForSchedule(isLast, bot = undefined) {
    if (this.#isReady) this.#schedules.push(isLast);
    this.#send({ type: "schedule", bot });
  }

  // Says goodbye unless a match is about to begin, which that would leave.
  #onScheduled({ matches = [] }) {
    const isLast = this.#schedules.shift();
    const begins = matches.some(({ origin }) => origin === "match");
    if (isLast && !begins && this.#matches.size === 0) this.goodbye();
  }

  // Calls `choose`, unless it is at work on this very turn, which a resume repeats.
  async #ask(turn) {
    const { choose } = this.#options;
    if (!choose || this.#questions.get(turn.game)?.ply === turn.ply) return;
    this.#closeQuestion(turn.game);
    const question = new Question(turn, (pit, extra) => this.move(turn.game, turn.ply, pit, extra));
    this.#questions.set(turn.game, question);
    try {
      const answer = await choose(question.turn(this.#games.get(turn.game)));
      if (this.#questions.get(turn.game) !== question) return;
      this.#closeQuestion(turn.game);
      const { pit, info } = typeof answer === "number" ? { pit: answer } : answer;
      this.move(turn.game, turn.ply, pit, { info });
    } catch (error) {
      if (this.#questions.get(turn.game) !== question) return; // it was told to stop
      this.#end(error);
    }
  }

  #closeQuestion(game, upTo = Infinity) {
    const question = this.#questions.get(game);
    if (!question || question.ply > upTo) return;
    this.#questions.delete(game);
    question.close();
  }

  #closeQuestions() {
    for (const game of [...this.#questions.keys()]) this.#closeQuestion(game);
  }

  #send(message) {
    if (this.#isReady && !this.#hasLeft) this.#socket.send(JSON.stringify(message));
  }

  #emit(message) {
    for (const listener of [...(this.#listeners.get(message.type) ?? [])]) listener(message);
  }

  #pause(ms) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

// A turn that `choose` is at work on, with its provisional moves: at most one each 50 ms, the latest one.
class Question {
  #asked;
  #send;
  #stop = new AbortController();
  #waiting = null;
  #timer = null;

  constructor(asked, send) {
    this.#asked = asked;
    this.#send = send;
  }

  get ply() {
    return this.#asked.ply;
  }

  // The turn as `choose` gets it.
  turn(start) {
    const offer = (pit, info) => this.#offer({ pit, info });
    return { ...this.#asked, start, offer, signal: this.#stop.signal };
  }

  close() {
    clearTimeout(this.#timer);
    this.#stop.abort();
  }

  #offer(move) {
    if (this.#stop.signal.aborted) return;
    this.#waiting = move;
    if (this.#timer === null) this.#sendWaiting();
  }

  #sendWaiting() {
    this.#timer = null;
    if (!this.#waiting) return;
    const { pit, info } = this.#waiting;
    this.#waiting = null;
    this.#send(pit, { provisional: true, info });
    this.#timer = setTimeout(() => this.#sendWaiting(), PROVISIONAL_EVERY_MS);
  }
}
