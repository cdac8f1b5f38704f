// What came with the page: its data, and its words in the reader's language.
//
// Sentences stand in the modules in English, and are the keys of the catalogues (see languages/): a value
// takes the place of each `{{name}}`, and a text that gets a `count` has a form for each plural category. Where a
// word has two meanings, `context` names the one that is meant.

export const opened = JSON.parse(document.getElementById("data").textContent);

const language = document.documentElement.lang;
const plurals = new Intl.PluralRules(language);
const HOLE = /\{\{(\w+)\}\}/;

// The reader's own kind of the page's language, for times and numbers, in the digits of boards and keys.
const preferred = navigator.languages.find((each) => each.split("-")[0] === language) ?? language;
export const locale = inLatinDigits(preferred) ?? inLatinDigits(language);

// What keeps a sign before its number where text goes from right to left.
export const LEFT = document.documentElement.dir === "rtl" ? "\u200e" : "";

// A text in the reader's language.
/** @param {string} text @param {Record<string, any>} values */
export const t = (text, values = {}) => rich(text, values).join("");

// The same as a list, where values are elements.
/** @param {string} text @param {Record<string, any>} values */
export const rich = (text, values) => worded(text, values).split(HOLE)
  .map((part, place) => (place % 2 ? shown(values[part]) : part)).filter((part) => part !== "");

// Texts one after the other.
export const listed = (texts) => texts.join(t(", "));

// A number as the reader writes it; with `digits` decimals where that is given. A count below 1000 is written alike in all
// languages, and a slow phone takes 25 ms for the first that it is to format.
export const decimal = (value, digits = null) => (digits === null && Number.isInteger(value) && value >= 0 && value < 1000 ? String(value) : value.toLocaleString(locale,
  digits === null ? { maximumFractionDigits: 2 } : { minimumFractionDigits: digits, maximumFractionDigits: digits }));

export const percent = (share) => t("{{number}} %", { number: Math.round(100 * share) });

// A language tag with these digits, whatever it asks for itself; null if it is none, such as "en-US@posix".
function inLatinDigits(tag) {
  try {
    return new Intl.Locale(tag, { numberingSystem: "latn" }).toString();
  } catch {
    return null;
  }
}

const shown = (value) => (typeof value === "number" ? decimal(value) : value);

/** @param {string} text @param {Record<string, any>} values */
function worded(text, { count, context }) {
  if (count !== undefined) return opened.words[`${text}_${plurals.select(count)}`] ?? opened.words[`${text}_other`] ?? text;
  return (context && opened.words[`${text}_${context}`]) ?? opened.words[text] ?? text;
}
