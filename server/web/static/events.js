// Events: the list of them, and the table and rounds of one.

import { botLink, gameAddress, ladderLink } from "./addresses.js";
import { ask, askIfThere, keepAsking } from "./api.js";
import { card, facts, h, keepFocus, link, nameCell, nothingYet, number, parted, table, update } from "./dom.js";
import { listed, rich, t } from "./opened.js";
import { small } from "./small_board.js";
import { elsewhereTable } from "./submissions.js";
import * as words from "./words.js";

const REFRESH_MS = 5000;
const MOST_COLUMNS = 24; // of a crosstable
const WALL_ROWS = 16; // of a table on a projector at the most
const ROW = 1.22; // of a table on the wall, in letters
const LARGEST = 1.4; // letters of a table with few rows
const SMALLEST = 0.5;
const WALL_TURN = 2; // looks for which a part of a table stays on the wall
const BOARDS = 8; // games under way that are shown
const WALL_BOARDS = 4;
const WAVES = 12; // of an arena that are shown, the latest first
const FORMATS = {
  rr: t("round robin"), drr: t("double round robin"), gauntlet: t("gauntlet"), swiss: t("Swiss"), knockout: t("knockout"),
  "double-knockout": t("double knockout"), arena: t("arena"), match: t("match"),
};
const TIE_BREAKS = {
  direct: t("Direct encounter"), "buchholz-1": t("Buchholz cut 1"), buchholz: "Buchholz", "sonneborn-berger": "Sonneborn-Berger",
  wins: t("Wins"), progressive: t("Progressive"), margin: t("Seeds ahead"),
};
const BEFORE = ["draft", "open", "check-in"];
const ENTRIES = { list: t("only the bots listed"), tokens: t("bots with a token"), open: t("any bot") };
const CONDITIONS = {
  password: () => t("the event's password"), team: (names) => t("to be one of {{names}}", { names }),
  min_rating: (value, ladder) => t("a rating of {{value}} or more in {{ladder}}", { value, ladder }),
  max_rating: (value, ladder) => t("a rating of {{value}} or less in {{ladder}}", { value, ladder }),
  min_games: (value, ladder) => t("games in {{ladder}}: {{value}} or more", { value, ladder }),
};
const WITHOUT_PLAY = { absent: t("not played"), lot: t("by lot"), aborted: t("void"), arbiter: t("set by the organiser") };

export const format = (word) => FORMATS[word] ?? word;
const tieBreak = (word) => TIE_BREAKS[word] ?? word;
const isRunning = (word) => ["pairing", "playing", "closed"].includes(word);
const pill = (word) => h("span", { class: `pill ${isRunning(word) ? "live" : ""}` }, words.eventState(word));

export async function events(root, _parameters, signal) {
  const [place, others] = [h("div"), h("div")];
  root.append(h("h1", {}, t("Events")), card(null, place),
    card(t("Played elsewhere"), others, h("p", { class: "note" }, link("/tests", t("Tests of engines")))));
  await keepAsking(REFRESH_MS, async () => {
    const [own, { submissions }] = await Promise.all([ask("/events", signal), ask("/elsewhere", signal)]);
    update(place, eventTable(own.events));
    update(others, elsewhereTable(submissions));
  }, signal);
}

function eventTable(list) {
  if (!list.length) return nothingYet(t("This server has no events."), [["/league", t("A league for a class")], ["/play", t("Play")]]);
  return table(t("Events"), [t("Event"), t("State"), `~#${t("Round")}`, `~${t("Format")}`, `~#${t("Entrants")}`, t("Starts")], list.map((found) =>
    h("tr", { "data-key": found.name },
      nameCell(link(`/events/${encodeURIComponent(found.name)}`, ...parted(found.name))),
      h("td", {}, pill(found.state)),
      number(found.round),
      h("td", {}, format(found.format)),
      number(found.entrants),
      h("td", {}, found.starts ? words.when(found.starts) : ""))));
}

export async function event(root, { name }, signal) {
  const [about, standings, cross, rounds, editions] = [h("div"), h("div"), h("div"), h("div", { class: "rounds" }), h("div")];
  const boards = h("ul", { class: "openings others boards", "aria-label": t("Games that are being played"), hidden: true });
  const address = `/events/${encodeURIComponent(name)}`;
  const ways = h("p", { class: "note controls" });
  let losing = new Map();
  let stood = "";
  root.append(h("h1", {}, t("Event {{name}}", { name })), card(null, about), boards, card(t("Standings"), standings, ways), cross, rounds, editions);
  await keepAsking(REFRESH_MS, async () => {
    const found = await ask(address, signal);
    update(about, ...found.about.split("\n").filter(Boolean).map((line) => h("p", {}, line)), h("dl", { class: "facts" }, ...facts(standing(found))));
    update(standings, frozen(found) && h("p", { class: "note" }, frozen(found)), ranking(found));
    update(ways, ...waysOf(found, address).flatMap((way, place) => (place ? [" · ", way] : [way])));
    update(cross, found.format.includes("knockout") ? bracket(found) : crosstable(found));
    const latest = found.rounds.slice(found.format === "arena" ? -WAVES : 0).toReversed();
    const showRounds = () => update(rounds, ...latest.map((each) => round(found, each, losing)), omitted(found, latest.length));
    showRounds();
    await showBoards(boards, found.boards.slice(0, BOARDS), signal);
    losing = await losingMoves(address, found, signal);
    showRounds();
    const stands = [found.state, found.round, found.revealed].join();
    if (!found.series || stands === stood) return;
    update(editions, ...seriesOf(await ask(`${address}/series`, signal)));
    stood = stands;
  }, signal);
}

// The points of all editions of a series together, and its events.
function seriesOf({ series, standings, events: its }) {
  const name = t("Series {{name}}", { name: series });
  const hasDivisions = standings.some(({ division }) => division > 1);
  const heads = [`#${t("Rank")}`, t("Bot"), ...(hasDivisions ? [`#${t("Division")}`] : []), `~#${t("Editions")}`, `~#${t("Times first")}`, `#${t("Points")}`];
  const rows = standings.map((line) => h("tr", { "data-key": line.name }, number(line.rank), nameCell(botLink(line.name)),
    ...(hasDivisions ? [number(line.division)] : []), number(line.editions), number(line.first), number(line.points)));
  return [card(name, standings.length ? table(name, heads, rows) : null, eventTable(its))];
}

// The ways out of the page; an event that is over can be taken to another server.
function waysOf({ name, state: now, rounds }, address) {
  const isOver = ["finished", "published", "cancelled"].includes(now) && !rounds.some((each) => each.hidden);
  const ways = [
    link(`${address}/projector`, t("For a projector")),
    h("a", { href: `${address}/standings.csv`, download: `${name}.csv` }, t("Table as CSV")),
    h("a", { href: `${address}/rounds.csv`, download: `${name}-rounds.csv` }, t("Rounds as CSV")),
    link(`/api/v1${address}`, t("All as JSON")),
  ];
  return isOver ? [...ways, h("a", { href: `/api/v1${address}/archive`, download: `${name}.json` }, t("Archive with all games"))] : ways;
}

// The games that are being played, on small boards.
async function showBoards(place, games, signal, called = (name) => name) {
  const records = await Promise.all(games.map(({ game }) => askIfThere(`/games/${encodeURIComponent(game)}`, signal)));
  keepFocus(place.previousElementSibling, () => {
    place.hidden = !games.length;
    update(place, ...records.filter(Boolean).map((record) => small(record, called)));
  });
}

// The move that lost each game, by the game's id, as far as reviews know it.
async function losingMoves(address, { rounds }, signal) {
  const isPlayed = rounds.some(({ encounters }) => encounters.some(({ games }) => games.some(({ game }) => game)));
  const found = isPlayed ? await askIfThere(`${address}/losing-moves`, signal) : null;
  return new Map((found?.moves ?? []).map(({ game, move }) => [game, move]));
}

// The event on a wall: the table and the present round.
export async function eventProjector(root, { name }, signal) {
  await onWall(root, name, async () => {
    const found = await ask(`/events/${encodeURIComponent(name)}`, signal);
    const about = [found.round && nth(found, found.round), words.eventState(found.state), countdown(found), frozen(found)].filter(Boolean);
    return {
      boards: found.boards,
      about: about.flatMap((said, place) => (place ? [" · ", said] : [said])),
      count: found.standings.length || found.entrants.length,
      standings: (part) => [ranking(found, part)],
      beside: (part) => found.rounds.slice(-1).map((each) => wallRound(found, each, part)),
    };
  }, signal);
}

// A table on a wall, with what is said above it and stands beside it, and games under way; nothing to press, and nothing
// to scroll. What is longer than the wall is shown in parts, one after another.
/**
 * @typedef {(list: any[]) => any[]} Part
 * @param {() => Promise<{boards: any[], called?: (name: string) => string, about: any[], count: number, standings: (part: Part) => any[], beside: (part: Part) => any[]}>} look
 */
export async function onWall(root, name, look, signal) {
  const [about, standings, pairings] = [h("p", { class: "note" }), h("div"), h("div")];
  const boards = h("ul", { class: "openings others boards", "aria-label": t("Games that are being played"), hidden: true });
  const heading = h("div", { class: "heading" }, h("h1", {}, name), about);
  const halves = h("div", { class: "halves" }, card(null, standings), pairings);
  root.append(heading, halves, boards);
  let looks = 0;
  await keepAsking(REFRESH_MS, async () => {
    const { boards: games, called, about: said, count, standings: ranks, beside } = await look();
    update(about, ...said);
    const shown = games.slice(0, hasRoomForBoards() ? WALL_BOARDS : 0);
    const room = wallRoom(heading, shown.length);
    const rows = Math.min(WALL_ROWS, Math.max(3, Math.floor(room / ROW)));
    const filled = room / ROW / (Math.min(rows, count) + 2);
    halves.style.setProperty("--size", Math.max(1, Math.min(LARGEST, filled)).toFixed(2));
    const part = (list) => partOf(list, rows, Math.floor(looks / WALL_TURN));
    looks += 1;
    update(standings, ...ranks(part));
    update(pairings, ...beside(part));
    fit(halves);
    await showBoards(boards, shown, signal, called);
  }, signal);
}

// A length on the page, in letters.
const letters = (pixels) => pixels / parseFloat(getComputedStyle(document.documentElement).fontSize);
const hasRoomForBoards = () => letters(innerHeight) > 25;

// Makes the letters of tables smaller, until none is wider than its place; large ones, until no name is cut.
function fit(halves) {
  const isWider = (mark) => [...halves.querySelectorAll(mark)].some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
  for (let size = Number(halves.style.getPropertyValue("--size")); (size > 1 && isWider("td.name")) || (size > SMALLEST && isWider(".scroll"));) {
    size *= 0.95;
    halves.style.setProperty("--size", size.toFixed(2));
  }
}

// How much room there is for the rows of a table, in letters: below the heading and above the boards.
const wallRoom = (heading, boards) =>
  letters(innerHeight - heading.getBoundingClientRect().bottom) - 4.4 - (boards ? letters(innerWidth) / 8.5 + 1.6 : 0);

// A list that is longer than some rows, in parts of the same length; the last one reaches to its end.
function partOf(list, rows, turn) {
  const first = (turn % Math.max(1, Math.ceil(list.length / rows))) * rows;
  return list.slice(Math.max(0, Math.min(first, list.length - rows)), first + rows);
}

// Who plays no game of a round, and why.
/** @param {any} round */
const resting = ({ byes, half_byes: halves = [], left_out: away = [] }) =>
  [...byes.map((name) => [name, t("bye")]), ...halves.map((name) => [name, t("half-point bye")]), ...away.map((name) => [name, t("not there")])];

// A round on the wall: who meets, and how it stands.
function wallRound(event, { number: count, encounters, ...others }, part) {
  const met = encounters.map((each) => meeting(each));
  const rows = [
    ...met.map(([one, two]) => [one.name, two.name, one.points === null ? "–" : listed([`${one.points} : ${two.points}`, one.how].filter(Boolean))]),
    ...resting(others).map((rest) => [...rest, ""]),
  ];
  return card(nth(event, count), table(nth(event, count), [t("First"), t("Second"), `#${t("Points")}`], part(rows).map(([first, second, points]) =>
    h("tr", { "data-key": `${first} ${second}` }, nameCell(first), nameCell(second), h("td", { class: "number" }, points)))));
}

const standing = (found) => [
  [t("State"), pill(found.state)],
  [found.format === "arena" ? t("Wave") : t("Round"), found.round || null],
  [t("Format"), format(found.format)],
  ...(found.is_report ? [] : terms(found)),
  [t("Held on"), found.origin],
  [t("Tie-breaks"), listed(found.tie_breaks.map(tieBreak))],
];

// What a report of FIDE's format does not say.
const terms = (found) => [
  [t("Paired by"), found.format === "swiss" ? (found.pairing === "fide" ? t("FIDE's Dutch system") : t("a simplified Dutch system, not FIDE's")) : null],
  [t("Frozen rounds"), found.freeze_rounds > found.revealed && found.state !== "published" ? t("{{rounds}} at the end, until the organiser reveals them", { rounds: found.freeze_rounds - found.revealed }) : null],
  [t("Do not meet"), found.apart.map(listed).join(" · ") || null],
  [t("Rules"), words.rules(found.rules)],
  [t("Clock"), words.clock(found.clock)],
  [t("Games of an encounter"), found.games],
  [t("Who may enter"), BEFORE.includes(found.state) ? ENTRIES[found.enter] : null],
  [t("To enter, a bot needs"), listed(found.conditions.map(({ name, value, ladder }) => CONDITIONS[name](value, ladder))) || null],
  [t("Rated in"), found.rated && ladderLink(found.rated)],
  [t("Lasts"), found.duration_s && words.seconds(1000 * found.duration_s)],
  [t("Next"), countdown(found)],
  [t("Byes"), { swiss: t("Of an odd number one has no opponent and the points of a win, and none has that twice while it can be helped."), arena: t("Of an odd number one rests, for half the points of a win.") }[found.format]],
  [t("Absence"), absence(found)],
];

// What becomes of a bot that is away.
function absence({ format: kind, absent_s: wait }) {
  const later = t("A bot that is away when its games begin is waited for {{time}}, then loses them.", { time: words.seconds(1000 * wait) });
  return ["swiss", "arena"].includes(kind) ? `${t("A bot that is not connected when a round is paired sits it out, without points.")} ${later}` : later;
}

// A round by its number; those of an arena are waves.
const nth = (event, count) => (event.format === "arena" ? t("Wave {{wave}}", { wave: count }) : t("Round {{round}}", { round: count }));

// How many waves of an arena are not shown.
const omitted = ({ rounds }, shown) => (rounds.length > shown
  ? h("p", { class: "note" }, t("{{count}} earlier waves are in the table and in the JSON.", { count: rounds.length - shown })) : null);

// What comes next before the first round, or when an arena ends, and in how long.
function countdown({ state: now, opens, check_in: checkIn, starts, next_round_at: nextRound, ends }) {
  const steps = [[t("entries open"), opens, ["draft"]], [t("check-in"), checkIn, ["draft", "open"]], [t("start"), starts, ["draft", "open", "check-in"]],
    [t("next round"), nextRound, ["closed"]],
    [t("end of the arena"), ends, ["pairing", "playing", "closed", "paused"]]];
  const next = steps.find(([, time, states]) => time && states.includes(now));
  if (!next) return null;
  const left = Math.round((new Date(next[1]).getTime() - Date.now()) / 1000);
  const [days, hours, minutes] = [Math.floor(left / 86400), Math.floor(left / 3600) % 24, Math.floor(left / 60) % 60];
  const wait = days > 0 ? t("{{days}} d {{hours}} h", { days, hours }) : hours > 0 ? t("{{hours}} h {{minutes}} min", { hours, minutes }) : words.seconds(1000 * Math.max(left >= 60 ? 60 * minutes : left, 0));
  if (left < 0 && next[1] === ends) return t("This wave is the last one.");
  return left < 0 ? t("{{step}} as soon as two are there", { step: next[0] }) : t("{{step}} at {{time}}, in {{wait}}", { step: next[0], time: words.when(next[1]), wait });
}

// Points of each against each, in the order of the table, where that fits.
export function crosstable({ standings, rounds, format: kind }) {
  if (standings.length < 3 || standings.length > MOST_COLUMNS || kind === "gauntlet") return null;
  const points = new Map();
  for (const { encounters } of rounds) {
    for (const { games } of encounters) {
      for (const game of games.filter(counts)) {
        const [ones, twos] = gains(game);
        for (const [one, two, gain] of [[game.first, game.second, ones], [game.second, game.first, twos]]) {
          const key = JSON.stringify([one, two]);
          points.set(key, (points.get(key) ?? 0) + gain);
        }
      }
    }
  }
  const cell = (row, column) => (row === column ? "×" : points.get(JSON.stringify([row, column])) ?? "");
  return card(t("Crosstable"), table(t("Crosstable"), [`#${t("Rank")}`, t("Bot"), ...standings.map((_, place) => `#${place + 1}`), `#${t("Points")}`],
    standings.map((line, place) => h("tr", { "data-key": line.name },
      number(place + 1), nameCell(botLink(line.name)),
      ...standings.map((other) => number(cell(line.name, other.name))), number(line.points)))));
}

const counts = ({ reason, annulled }) => reason !== "aborted" && !annulled;

// What a game gave who moved first, and the opponent. Two absent players get nothing.
function gains({ winner, reason }) {
  if (winner !== null) return [1 - winner, winner];
  return reason === "absent" ? [0, 0] : [0.5, 0.5];
}

// The stages of a knockout side by side. Who meets in the next stage stands in neighbouring boxes.
export function bracket({ rounds, format: kind, state: now, standings }) {
  if (!rounds.length) return null;
  const columns = stages(rounds);
  const names = columns.map((boxes) => boxes.flat().map(({ name }) => name));
  const champion = ["finished", "published"].includes(now) ? [standings[0].name] : [];
  const later = (at) => names[at + 1] ?? champion;
  const goesOn = (box, each, at) => box.every((other) => other === each || each.points > other.points
    || (later(at).includes(each.name) && !later(at).includes(other.name)));
  const place = (box, at) => Math.min(...box.map(({ name }) => (later(at).includes(name) ? later(at).indexOf(name) : Infinity)));
  for (let at = columns.length - 2; at >= 0; at--) {
    columns[at].sort((one, two) => place(one, at) - place(two, at));
    names[at] = columns[at].flat().map(({ name }) => name);
  }
  const head = (boxes, at) => (kind === "knockout" && at && boxes.length === 1 ? t("Final") : t("Stage {{number}}", { number: at + 1 }));
  const player = (box, each, at) => h("p", { class: goesOn(box, each, at) ? "through" : null }, botLink(each.name), " ",
    h("span", { class: "number" }, box.length === 1 ? t("bye") : each.points));
  return card(t("Bracket"), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("Bracket") },
    h("ol", { class: "bracket" }, ...columns.map((boxes, at) => h("li", {},
      h("h3", {}, head(boxes, at)),
      h("ul", {}, ...boxes.map((box) => h("li", {}, ...box.map((each) => player(box, each, at)), box[0].how && h("p", { class: "quiet small" }, box[0].how)))))))));
}

// The boxes of each stage: who meets, with points. A round that only replays what was level belongs to the one before.
function stages(rounds) {
  const columns = [];
  for (const { encounters, byes } of rounds) {
    const met = encounters.map(meeting);
    const levels = met.map((box) => columns.at(-1)?.find((other) => isReplay(box, other)));
    if (met.length && levels.every(Boolean)) {
      levels.forEach((box, at) => box.forEach((each) => {
        each.points += met[at].find(({ name }) => name === each.name).points;
        each.how ||= met[at][0].how;
      }));
    } else columns.push([...met, ...byes.map((name) => [{ name, points: null }])]);
  }
  return columns;
}

// How games ended that were not played to their end, each way once.
const endings = (games) => listed([...new Set(games.map(ending).filter(Boolean))]);
const ending = ({ reason, annulled, note }) => (annulled ? t("annulled") : [WITHOUT_PLAY[reason], note].filter(Boolean).join(t(": ")) || (words.isForfeit(reason) && words.reason(reason)));

const isReplay = (box, other) =>
  other.length === 2 && other[0].points === other[1].points && box.every(({ name }) => other.some((each) => each.name === name));

// The two of an encounter with their points, and how games ended early; before their first game, without points.
function meeting({ first, second, games }) {
  const played = games.filter(counts);
  const sum = (name) => played.reduce((total, game) => total + gains(game)[game.first === name ? 0 : 1], 0);
  return [first, second].map((name) => ({ name, points: played.length ? sum(name) : null, how: endings(games) }));
}

// How many rounds the table has, where others are frozen.
const frozen = ({ after_round: shown, rounds: { length: played } }) =>
  (shown < played ? t("Rounds in the table: {{shown}} of {{played}}; later ones are frozen.", { shown, played }) : null);

// The table as it stands, before the first round who plays; or a part of it, without what only decides between equals.
export function ranking({ name: event, standings, tie_breaks: breaks, entrants, state: now }, part = null) {
  const withdrawn = new Set(entrants.filter((each) => each.withdrawn).map((each) => each.name));
  const bot = (name) => nameCell(part ? name : botLink(name), withdrawn.has(name) && ` (${t("withdrawn")})`);
  if (!entrants.length && BEFORE.includes(now)) {
    const command = h("code", {}, `mancala bot … --name my-bot --event ${event}`);
    return h("p", { class: "note" }, ...rich("No bot has entered yet. One enters by {{command}}; see {{more}}.", { command, more: link("/take-part", t("Take part")) }));
  }
  if (!standings.length) {
    const rows = entrants.map(({ name }, place) => h("tr", { "data-key": name }, number(place + 1), bot(name)));
    return table(t("Entrants"), [`#${t("Seeding")}`, t("Bot")], part ? part(rows) : rows);
  }
  const decides = part ? [] : breaks;
  const counts = part ? [] : [[words.games(), "games"], [t("Won"), "wins"], [t("Drawn"), "draws"], [t("Lost"), "losses"]];
  const heads = [`#${t("Rank")}`, t("Bot"), `#${t("Points")}`, ...counts.map(([head]) => `~#${head}`)];
  return table(t("Standings"), [...heads, ...decides.map((each) => `~#${tieBreak(each)}`)], (part ? part(standings) : standings).map((line) =>
    h("tr", { "data-key": line.name },
      number(line.rank),
      bot(line.name),
      ...["points", ...counts.map(([, key]) => key)].map((key) => number(line[key])),
      ...decides.map((each) => number(shown(line[each.replace("-", "_")]))))));
}

const shown = (value) => (value == null ? "–" : String(value).replace("-", "−"));

export const round = (event, { number: count, encounters, hidden, ...others }, losing = new Map()) => card(nth(event, count),
  table(nth(event, count), [t("First"), t("Second"), words.games()], [
    ...encounters.map(({ first, second, games, by_hand: byHand }) => h("tr", { "data-key": `${first} ${second}` },
      nameCell(botLink(first)),
      nameCell(botLink(second)),
      h("td", { class: "wraps" }, ...games.flatMap((game, place) => [place > 0 && ", ", result(game), ...decided(game, losing.get(game.game))]),
        byHand && h("span", { class: "quiet small" }, games.length ? " " : null, t("(paired by the organiser)"), " "),
        hidden ? t("hidden until the organiser reveals it") : !games.length && event.state === "playing" && count === event.round && t("to be played")))),
    ...resting(others).map(([name, bye]) => h("tr", { "data-key": name }, nameCell(botLink(name)), h("td", {}, bye), h("td"))),
  ]));

// The move that lost a game, as a link to it.
const decided = (game, move) => (move ? [" ", link(gameAddress(game.game, move.ply + 1),
  h("span", { class: "quiet small" }, t("(move {{ply}}: pit {{pit}} {{loss}})", { ply: move.ply + 1, pit: words.pitNumber(move.pit), loss: words.lost(move.loss, move.proven) })))] : []);

// Who won a game and how, as a link to it if it was played. Two absent players both lose.
function result({ first, second, winner, reason, game, annulled, note }) {
  const without = ending({ reason, annulled, note });
  const isDrawn = winner === null && !annulled && !["absent", "aborted"].includes(reason);
  const won = winner === null ? (isDrawn ? [t("drawn")] : []) : rich("{{bot}} won", { bot: parted(winner ? second : first) });
  const said = [...won.flat(), won.length > 0 && without && ", ", without];
  return game ? link(gameAddress(game), ...said) : h("span", {}, ...said);
}
