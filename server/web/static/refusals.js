// What the server refuses, in the reader's language.
//
// The server gives a code and a sentence in English with the details. English pages show the sentence, others that
// of the code; one that this page does not know is shown as it came.

import { t } from "./opened.js";

/** @type {Record<string, () => string>} */
const SENTENCES = {
  bad_name: () => t("This name is taken, or not allowed here"),
  bad_token: () => t("This name needs its token"),
  unknown_opponent: () => t("This opponent is not here any more"),
  declined: () => t("the challenge was declined"),
  forbidden: () => t("The organiser does not allow it"),
  limit: () => t("That is too much at the same time; try again in a minute"),
  shutting_down: () => t("The server is about to stop; try again in a few minutes"),
  internal: () => t("The server has a fault"),
};

/** @param {string} code @param {string} message */
export const refusal = (code, message) => (document.documentElement.lang === "en" ? message : SENTENCES[code]?.() ?? message);
