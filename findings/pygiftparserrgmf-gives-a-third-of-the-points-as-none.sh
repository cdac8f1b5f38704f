#!/usr/bin/env bash
# A third of the points is none, and answers keep their backslashes: pygiftparserrgmf 0.0.5, a reader of Moodle's GIFT.
#
# Found with: pygiftparserrgmf 0.0.5 (PyPI).
# A good guess: the share of an answer may have decimals, as Moodle has it: "~%33.33333%" is one of its grades, and "33" is
# not. And "\=", "\{", "\~" and others stand for the character in an answer as in a question.
# What happens: only whole numbers are seen as a share. A share of 33.33333 % is read as 0, and stays in the answer's text:
# "%33.33333%four pits of six"; of a question with three right answers none is right. Backslashes are taken away in names
# and questions, and remain in answers: so what a pupil types, 1+1=2, is not equal to the answer 1+1\=2. Nothing is said
# of either.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install -q pygiftparserrgmf==0.0.5 2>/dev/null
cat >quiz.gift <<'GIFT'
::Seeds \= stones:: Which of these make 24\: all that are right {
~%33.33333%four pits of six
~%33.33333%six pits of four
~%33.33334%two dozen
~%-50%five pits of five
}

::Sum:: Write the sum of one and one {=1+1\=2}
GIFT
cat >see.py <<'PY'
from pathlib import Path

from pygiftparser import parser

seeds, total = parser.parse(Path("quiz.gift").read_text()).questions
for question in (seeds, total):
    print(question.name, "|", question.text)
    for option in question.answer.options:
        print("   ", repr(option.text), option.percentage)
assert seeds.name == "Seeds = stones" and ": all" in seeds.text
assert [option.percentage for option in seeds.answer.options] == [0.0, 0.0, 0.0, -0.5]
assert seeds.answer.options[0].text == "%33.33333%four pits of six"
assert seeds.answer.options[3].text == "five pits of five"
assert total.answer.options[0].text == r"1+1\=2"
PY
echo "pygiftparserrgmf 0.0.5; guess: shares of a third, no % in a text, 1+1=2"
env/bin/python see.py 2>errors || { cat errors; exit 1; }
