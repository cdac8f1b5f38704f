// Pages made of tables: running games, ladders, games, bots, a match.

import { botLink, ladderLink } from "./addresses.js";
import { ask, askPatiently, keepAsking, pause, query } from "./api.js";
import { card, facts, h, link, nameCell, nothingYet, number, parted, table, update } from "./dom.js";
import { gameTable, status } from "./game_table.js";
import { mistakesCard, showMistakes } from "./mistakes.js";
import { nextMatch } from "./next_match.js";
import { areWanted, notice, noticeChoice } from "./notices.js";
import { listed, rich, t } from "./opened.js";
import { accuracy, basis, misfit, rating, standings, superiority } from "./ratings.js";
import * as words from "./words.js";

const REFRESH_MS = 5000;
const NOTICE_EVERY_MS = 30000;

// The lists of the home page, below its stage.
export async function now(root, _parameters, signal) {
  const [running, latest, ladders, coming] = [h("div"), h("div"), h("div"), h("div")];
  root.append(
    h("div", { class: "columns" },
      h("div", {}, card(t("Running games"), running), card(t("Latest results"), latest)),
      h("div", {}, card(t("Ladders"), ladders), coming)),
  );
  await keepAsking(REFRESH_MS, async () => {
    const [live, over, known, planned] = await Promise.all([
      ask("/games?status=running&limit=20&named=true", signal),
      ask("/games?status=over&limit=10&named=true", signal),
      ask("/ladders", signal),
      ask("/events", signal),
    ]);
    update(running, gameTable(t("Running games"), live.games, t("None of known bots; all are under Games.")));
    update(latest, gameTable(t("Latest results"), over.games, t("None of known bots; all are under Games.")));
    update(ladders, ladderTable(known.ladders));
    update(coming, ...comingEvents(planned.events));
  }, signal);
}

// The events that are played or are still to come; nothing where there are none.
function comingEvents(list) {
  const open = list.filter(({ state }) => !["finished", "cancelled", "published"].includes(state));
  if (!open.length) return [];
  return [card(t("Events"), table(t("Events"), [t("Event"), t("State"), `#${t("Bots")}`], open.map(({ name, state, round, starts, entrants }) => h("tr", { "data-key": name },
    nameCell(link(`/events/${encodeURIComponent(name)}`, ...parted(name))),
    h("td", { class: "wraps" }, round ? t("round {{round}}", { round }) : starts ? t("begins {{time}}", { time: words.when(starts) }) : words.eventState(state)),
    number(entrants)))))];
}

export async function ladders(root, _parameters, signal) {
  const place = h("div");
  root.append(h("h1", {}, t("Ladders")), card(null, place));
  await keepAsking(REFRESH_MS, async () => {
    update(place, ladderTable((await ask("/ladders", signal)).ladders));
  }, signal);
}

export async function log(root, _parameters, signal) {
  const place = h("div");
  root.append(h("h1", {}, t("The organiser's log")), card(null, place));
  await keepAsking(REFRESH_MS, async () => {
    const { log: lines } = await ask("/log", signal);
    if (!lines.length) return update(place, nothingYet(t("The organiser has done nothing yet."), [["/events", t("Events")], ["/ladders", t("Ladders")]]));
    update(place, table(t("The organiser's log"), [`~#${t("Line")}`, t("When"), `~${t("Who")}`, t("What"), t("Changed"), t("Why")], lines.map((line) => h("tr", { "data-key": line.number },
      number(line.number),
      h("td", { class: "quiet" }, words.when(line.at)),
      h("td", {}, line.by),
      h("td", {}, line.action),
      h("td", { class: "wraps" }, changes(line)),
      h("td", { class: "wraps" }, line.why)))));
  }, signal);
}

const changes = ({ changed, changes: all }) => changed.slice(0, 3)
  .map(({ what, subject, before, after, event }) => `${what} ${subject}${event ? ` (${event})` : ""}${before || after ? `${t(": ")}${before === after ? "" : `${before ?? t("none")} → `}${after ?? t("none")}` : ""}`)
  .concat(all > 3 ? [t("and {{number}} more", { number: all - 3 })] : []).join(t("; "));

export async function ladder(root, { name }, signal) {
  const [table_, compared, line, recent] = [h("div"), h("div"), h("div"), h("div")];
  const note = h("p", { class: "note" }, t("Likelihood, in percent, that the row's bot is stronger than the column's."));
  root.append(h("h1", {}, t("Ladder {{name}}", { name })),
    card(t("Standings"), table_, h("p", {}, link(`/ladders/${encodeURIComponent(name)}/history`, t("Ratings over time")))),
    card(t("Who is stronger"), note, compared), card(t("One scale"), line), card(t("Latest games"), recent));
  await keepAsking(REFRESH_MS, async () => {
    const [found, likelihoods, played] = await Promise.all([
      ask(`/ladders/${encodeURIComponent(name)}/standings`, signal),
      ask(`/ladders/${encodeURIComponent(name)}/superiority`, signal),
      ask(`/games${query({ ladder: name, limit: 20 })}`, signal),
    ]);
    update(table_, standings(found.standings, t("No bot has played yet.")));
    update(compared, superiority(likelihoods));
    update(line, misfit(likelihoods.misfit));
    update(recent, gameTable(t("Latest games"), played.games, t("No game has been played yet.")));
  }, signal);
}

export async function bots(root, _parameters, signal) {
  const place = h("div");
  const more = h("button", { type: "button" }, t("More bots"));
  const found = [];
  root.append(h("h1", {}, t("Bots")), card(null, place, h("p", {}, more)));
  let cursor = null;
  const load = async () => {
    const page = await askPatiently(`/bots${query({ cursor })}`, signal);
    found.push(...page.bots);
    update(place, found.length ? table(t("Bots"), [t("Bot"), ...words.outcomes(), `~${t("Last game")}`], found.map(botRow), "outcomes")
      : nothingYet(t("No bot has played yet.")));
    cursor = page.next;
    more.hidden = cursor === null;
  };
  more.addEventListener("click", load);
  await load();
}

export async function bot(root, { name }, signal) {
  const path = encodeURIComponent(name);
  const [found, played, { matches }] = await Promise.all([
    askPatiently(`/bots/${path}`, signal),
    askPatiently(`/games${query({ bot: name, limit: 20 })}`, signal),
    askPatiently(`/bots/${path}/next`, signal),
  ]);
  const { bot: record, presence } = found;
  const mistakes = h("div");
  root.append(
    h("h1", {}, name, " ", presence.present && h("span", { class: "pill live" }, t("online"))),
    h("div", { class: "columns" },
      h("div", {},
        againstPerfectPlay(found.accuracy),
        card(t("Latest games"), gameTable(t("Latest games"), played.games, t("No game has been played yet.")),
          h("p", {}, link(`/games?bot=${path}`, t("All games of this bot")), " · ", link(`/bots/${path}/history`, t("Ratings over time, opponents, openings"))),
          h("p", { class: "small" }, noticeChoice()))),
      h("div", {}, card(t("Totals"), h("dl", { class: "facts" }, ...facts([
        [words.games(), record.games],
        [t("Won, drawn, lost"), listed([record.wins, record.draws, record.losses])],
        [t("Program"), presence.agent ? `${presence.agent.name} ${presence.agent.version ?? ""}` : null],
        [t("Name"), record.reserved ? t("reserved by a token") : t("free for guests")],
      ]))),
      matches.length > 0 && card(t("Next games"), h("ul", {}, ...matches.map((each) => h("li", {}, ...nextMatch(each))))),
      ...found.ladders.map(({ ladder: where, standing }) => card(t("Ladder {{name}}", { name: where }), h("dl", { class: "facts" }, ...facts([
        [t("Version"), standing.name],
        [t("Rank"), link(`/ladders/${encodeURIComponent(where)}`, standing.rank)],
        [t("Rating"), rating(standing)],
        [words.games(), standing.games],
      ])))),
      card(t("What the rating rests on"), basis(found.ladders)),
      mistakesCard(mistakes))),
  );
  await showMistakes(mistakes, name, signal);
  await noticeGames(name, signal);
}

// Notices of a bot's games as they end, also while the page is not seen.
async function noticeGames(name, signal) {
  for (let latest = null; ; await pause(NOTICE_EVERY_MS, signal)) {
    if (!areWanted()) continue;
    const { games: [game] } = await askPatiently(`/games${query({ bot: name, status: "over", limit: 1 })}`, signal);
    if (!game) continue;
    if (latest !== null && latest !== game.game) notice(`${game.players.join(" – ")}${t(": ")}${words.verdict(game.players, game, game.annulled)}`);
    latest = game.game;
  }
}

function againstPerfectPlay(versions) {
  const about = h("p", { class: "note" }, t("Only moves with a choice and a proven loss count, in games that were reviewed. The opening has more than two thirds of the seeds in the pits, the end less than one third."));
  if (!versions.length) return card(t("Against perfect play"), h("p", { class: "note" }, t("Known after the first review of a game.")));
  return card(t("Against perfect play"), about, ...versions.flatMap(({ ladder: where, name, phases }) => {
    const title = where === null ? t("{{bot}}, outside of ladders", { bot: name }) : t("{{bot}} in {{ladder}}", { bot: name, ladder: where });
    return [h("h3", {}, title), accuracy(title, phases)];
  }));
}

export async function match(root, { match: id }, signal) {
  const found = await askPatiently(`/matches/${encodeURIComponent(id)}`, signal);
  const [first, second] = found.players;
  root.append(
    h("h1", {}, `${first} ${found.score[first]}\u00a0:\u00a0${found.score[second]} ${second}`, " ", status(found)),
    h("p", { class: "note" }, listed([t("{{count}} games of {{rules}}", { count: found.planned, rules: words.rules(found.rules) }), words.clock(found.clock),
      found.rated ? t("rated") : t("unrated"), t("started {{time}}", { time: words.when(found.started_at) })])),
    card(t("Games"), gameTable(t("Games"), found.games, t("No game has been played yet."))),
  );
}

function ladderTable(list) {
  if (!list.length) return nothingYet(t("This server has no ladders."));
  return table(t("Ladders"), [t("Ladder"), t("Rules"), t("Clock"), `#${t("Online")}`], list.map((each) => h("tr", { "data-key": each.ladder },
    h("td", {}, ladderLink(each.ladder)),
    h("td", { class: "wraps" }, words.rules(each.rules)),
    h("td", { class: "quiet wraps" }, words.clock(each.clock)),
    each.season_of == null ? number(each.players) : h("td", { class: "quiet" }, t("over since {{time}}", { time: words.when(each.ended_at) })))));
}

const botRow = (record) => h("tr", { "data-key": record.name },
  nameCell(botLink(record.name)),
  ...[record.games, record.wins, record.draws, record.losses].map(number),
  h("td", { class: "quiet" }, record.last_game_at ? words.when(record.last_game_at) : "–"));
