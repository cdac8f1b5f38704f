// Types of client.js and of the messages of mancala.v1; SPEC.md has their meaning.

export const PROTOCOL: "mancala.v1";

export type Player = 0 | 1;
export type Reason =
  | "normal"
  | "majority"
  | "timeout"
  | "illegal"
  | "resigned"
  | "disconnected"
  | "protocol"
  | "aborted"
  | "wedged";

export interface Agent {
  name: string;
  version?: string;
}

export interface Rules {
  pits: number;
  seeds: number;
  capture: "opposite" | "always" | "none";
  relap: boolean;
  majority: boolean;
  /** Player 1 may swap at its first turn; only written where it is in force. */
  pie?: boolean;
  /** `false` where the sowing of the start gives no further turn; only written there. */
  first_again?: boolean;
  /** The family's rules, only written where they are in force; SPEC section 10 says what each does. */
  relay?: boolean;
  keep_one?: boolean;
  even?: boolean;
  empty_takes?: boolean;
  oware?: boolean;
}

export interface TimeControl {
  move_ms: number | null;
  bank_ms: number | null;
  increment_ms: number;
  timeout: "forfeit" | "provisional" | "random";
}

/** `pits[p]` and `stores[p]` belong to player p; pits in p's direction of sowing. */
export interface State {
  pits: [number[], number[]];
  stores: [number, number];
  current_player: Player;
}

export interface ClockState {
  banks_ms: [number, number] | null;
  quotas_ms: [number, number];
}

/** What a language model was asked and answered, for one move. */
export interface Dialogue {
  prompt?: string;
  answer?: string;
  tries?: number;
  prompt_tokens?: number;
  answer_tokens?: number;
  cost?: number | null;
  cut?: number;
}

export interface Info {
  depth?: number;
  value?: number;
  exact?: boolean;
  nodes?: number;
  nps?: number;
  seconds?: number;
  pv?: number[];
  comment?: string;
  dialogue?: Dialogue;
}

export interface Opponent {
  name: string;
  agent?: Agent;
  present?: boolean;
}

export interface Limits {
  frame_bytes: number;
  games: number;
  grace_s: number;
  tables?: number;
  challenges?: number;
  watched?: number;
  connections_per_address?: number;
  messages_per_s?: number;
  messages_burst?: number;
  address_per_s?: number;
  address_burst?: number;
  flood_s?: number;
  moves_per_s?: number;
  handshake_s?: number;
  idle_s?: number;
  outgoing_bytes?: number;
  info_move_bytes?: number;
  info_game_bytes?: number;
}

export interface Evidence {
  player?: Player;
  detail?: string;
  ply?: number;
  pit?: number;
  legal?: number[];
  elapsed_ms?: number;
  allowed_ms?: number;
  lag_ms?: number;
  received?: string;
  spared?: Player;
}

export interface Rating {
  rating: number;
  rating_error: number;
}

export interface Welcome {
  type: "welcome";
  protocol: string;
  server: string;
  session: string;
  resumed: boolean;
  limits: Limits;
  matches?: string[];
  warnings?: string[];
}

export interface Seeking {
  type: "seeking";
  rules: Rules;
  clock: TimeControl;
  rated: boolean;
  games: number;
  opponent?: string;
  others?: OtherSeeks;
}

/** The other bots that seek, and how many of them differ in what. */
export interface OtherSeeks {
  count: number;
  rules?: number;
  clock?: number;
  rated?: number;
  games?: number;
  opponent?: number;
}

/** The client is a member of a ladder, whose terms these are. */
export interface Joined {
  type: "joined";
  ladder: string;
  rules: Rules;
  clock: TimeControl;
  games: number;
  matches?: number;
  warning?: string;
}

export interface Left {
  type: "left";
  ladder: string;
}

/** The client is an entrant of an event, whose terms these are. */
export interface Entered {
  type: "entered";
  event: string;
  rules: Rules;
  clock: TimeControl;
  games: number;
  joins?: number;
  check_in?: string;
  starts?: string;
}

/** The client is paired for no further round of an event. */
export interface Withdrawn {
  type: "withdrawn";
  event: string;
  why?: string;
}

export interface Challenged {
  type: "challenged";
  challenge: string;
  by: string;
  to: string;
  rules: Rules;
  clock: TimeControl;
  rated: boolean;
  games: number;
  seat?: Player;
  /** The position that every game starts from, as a board literal. */
  opening?: string;
  /** What the challenger gave for this bot to ask for, such as the code of an invitation. */
  code?: string;
}

export interface GameStart {
  type: "game_start";
  game: string;
  match: string;
  /** The player that this client is; null for a spectator. */
  seat: Player | null;
  rules: Rules;
  clock: TimeControl;
  opponent: Opponent;
  state: State;
  moves: number[];
  clocks: ClockState;
  names: [string, string];
  opening?: State;
  rated?: boolean;
}

export interface Turn {
  type: "turn";
  game: string;
  ply: number;
  state: State;
  legal: number[];
  clock: ClockState;
  deadline_ms: number;
  /** Whether a swap can still follow; player 1 may then answer 16. */
  pie?: boolean;
}

export interface Moved {
  type: "moved";
  game: string;
  ply: number;
  player: Player;
  pit: number;
  captured: number;
  again: boolean;
  state: State;
  clock: ClockState;
  elapsed_ms: number;
  lag_ms: number;
  info?: Info;
  forced?: boolean;
}

export interface GameOver {
  type: "game_over";
  game: string;
  winner: Player | null;
  stores: [number, number];
  reason: Reason;
  evidence?: Evidence;
}

export interface MatchOver {
  type: "match_over";
  match: string;
  score: Record<string, number>;
  ratings?: Record<string, number>;
}

export interface ListedLadder {
  ladder: string;
  rules: Rules;
  clock: TimeControl;
  games: number;
  /** How many members are connected. */
  players: number;
  guests: boolean;
}

export interface ListedBot {
  name: string;
  agent?: Agent;
  /** How many matches it plays. */
  playing?: number;
  ladders?: string[];
  challenges?: boolean;
}

export interface ListedGame {
  game: string;
  match: string;
  names: [string, string];
  rules: Rules;
  rated?: boolean;
  ladder?: string;
}

/** What `list` returns, by its name. */
export interface Lists {
  ladders: ListedLadder;
  bots: ListedBot;
  games: ListedGame;
}

/** A page of a list. */
export interface Listing {
  type: "listing";
  what: keyof Lists;
  ladders?: ListedLadder[];
  bots?: ListedBot[];
  games?: ListedGame[];
  next?: string;
}

/** A match that a bot plays, or waits for. */
export interface NextMatch {
  /** What it follows from; "match" for one that is under way. */
  origin: "match" | "ladder" | "event" | "seek" | "challenge";
  /** The ladder or the event. */
  name?: string;
  opponent?: string;
  games?: number;
  round?: number;
  /** When it begins or can begin, RFC 3339. */
  at?: string;
  waits_for?: string;
}

/** What a bot plays next. */
export interface Scheduled {
  type: "scheduled";
  bot: string;
  matches?: NextMatch[];
}

/** Only for reviewers: a finished game is to be reviewed. */
export interface ReviewWanted {
  type: "review_wanted";
  game: string;
  rules: Rules;
  opening: State;
  moves: number[];
}

/** Only for submitters: an event that was played elsewhere is stored. */
export interface Submitted {
  type: "submitted";
  submission: string;
  key: string;
}

/** What the organiser lets all know; without text the former one no longer holds. */
export interface Notice {
  type: "notice";
  text: string;
  /** When it ends, RFC 3339. */
  until?: string;
}

export interface ProtocolError {
  type: "error";
  code: string;
  message: string;
  fatal: boolean;
  ref?: string;
}

export interface Goodbye {
  type: "goodbye";
  reason?: string;
  reconnect_after?: number;
}

/** What becomes of the connection; not a message of the protocol. */
export type Status =
  | { type: "status"; status: "ready" | "left" }
  | { type: "status"; status: "waiting"; wait_ms: number; problem?: string };

/** Every message of the server by its `type`, and "status". */
export interface Events {
  welcome: Welcome;
  seeking: Seeking;
  joined: Joined;
  left: Left;
  entered: Entered;
  withdrawn: Withdrawn;
  challenged: Challenged;
  game_start: GameStart;
  turn: Turn;
  moved: Moved;
  game_over: GameOver;
  match_over: MatchOver;
  listing: Listing;
  scheduled: Scheduled;
  review_wanted: ReviewWanted;
  submitted: Submitted;
  notice: Notice;
  error: ProtocolError;
  goodbye: Goodbye;
  status: Status;
}

export interface Terms {
  /** Rules, or their text, such as "kalah:pits=5,seeds=3". */
  rules?: Partial<Rules> | string;
  clock?: Partial<TimeControl>;
  rated?: boolean;
  games?: number;
  /** For challenges: the seat of the challenger, and the position that unrated games start from. */
  seat?: Player;
  opening?: string;
  /** For challenges: passed on to the bot challenged. */
  code?: string;
}

/** A turn as `choose` gets it. */
export interface Question extends Turn {
  /** The game's last `game_start`. */
  start: GameStart;
  /** Aborted when the answer is no longer needed. */
  signal: AbortSignal;
  /** Sends a provisional move: played if the time runs out and the clock allows it. */
  offer(pit: number, info?: Info): void;
}

export type Answer = number | { pit: number; info?: Info };

/** `localStorage`, `sessionStorage`, or anything that keeps texts by key. */
export interface Store {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

export interface Options {
  name: string;
  token?: string;
  agent?: Agent;
  /** Whether it takes challenges; shown to people who look for an opponent. */
  challenges?: boolean;
  /** Whether it knows the pie rule, and may be asked to swap; see section 10 of SPEC.md. */
  swap?: boolean;
  /** Returns the pit to sow. Without it, turns are answered by `move`. */
  choose?(turn: Question): Answer | Promise<Answer>;
  /** Keeps the session's secret; by default for the life of the page or process. */
  storage?: Store;
  /** The class of websockets; by default the platform's own. */
  WebSocket?: new (url: string, protocols?: string | string[]) => object;
  /** Returns random numbers in [0, 1), for the waits between attempts to connect. */
  random?(): number;
}

export class RefusedError extends Error {
  /** A code of SPEC.md, section 9, or "closed". */
  readonly code: string;
}

export class ReplacedError extends Error {}

export function backoff(random?: () => number): Generator<number, never>;
export function memory(): Store;

export class Client {
  constructor(url: string, options: Options);
  readonly games: ReadonlyMap<string, GameStart>;
  readonly isReady: boolean;
  on<T extends keyof Events>(type: T, listener: (event: Events[T]) => void): () => void;
  run(): Promise<void>;
  seek(terms?: Terms & { opponent?: string }): void;
  unseek(): void;
  /** Joins a ladder: for good, or for a number of matches, after which the server sends `left`. */
  join(ladder: string, terms?: { matches?: number }): void;
  leave(ladder: string): void;
  /** Enters an event; it is entered again on each connection until the server sends `withdrawn`. */
  enter(event: string): void;
  withdraw(event: string): void;
  challenge(opponent: string, terms?: Terms): void;
  accept(challenge: string): void;
  decline(challenge: string, reason?: string): void;
  move(game: string, ply: number, pit: number, extra?: { provisional?: boolean; info?: Info }): void;
  resign(game: string): void;
  watch(what: { game: string } | { ladder: string }): void;
  unwatch(what?: { game: string } | { ladder: string }): void;
  /** Returns all pages of a list. */
  list<W extends keyof Lists>(what: W): Promise<Lists[W][]>;
  /** Asks when a bot plays next, by default this one; "scheduled" has the answer. */
  schedule(bot?: string): void;
  finish(): void;
  goodbye(): void;
  reconnect(): void;
}
