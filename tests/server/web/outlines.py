"""What a screen reader finds on the main pages, as playwright's aria snapshots (parts of them).

``{game}`` is the latest game of a server on which ann and bob played three games, and bob and cid
one, and ``{match}`` its match.
"""

from typing import Final

OUTLINES: Final = {
    "/": """
- main:
  - heading "What is being played" [level=1]
  - heading "Running games" [level=2]
  - paragraph: None of known bots; all are under Games.
  - heading "Latest results" [level=2]
  - region "Latest results":
    - table "Latest results":
      - rowgroup:
        - row "Game First Second Result Moves Started"
      - rowgroup:
        - row /replay bob against cid bob cid \\d+ . \\d+ \\d+/:
          - cell "replay bob against cid":
            - link "replay bob against cid":
              - /url: /games/{game}
          - cell "bob":
            - link "bob":
              - /url: /bots/bob
  - heading "Ladders" [level=2]
  - region "Ladders":
    - table "Ladders"
  - heading "Events" [level=2]
  - region "Events":
    - table "Events"
""",
    "/stage": """
- main:
  - heading "The stage" [level=1]
  - region "The stage":
    - paragraph:
      - link "bob"
      - link "cid"
    - img /^bob. pits [0-9, ]+, store \\d+. cid. pits [0-9, ]+, store \\d+/
    - img /Seeds ahead in the stores by move/
""",
    "/ladders": """
- main:
  - heading "Ladders" [level=1]
  - region "Ladders":
    - table "Ladders":
      - rowgroup:
        - row "Ladder Rules Clock Online"
      - rowgroup:
        - row "main Kalah(6, 4) 1 s a move 0":
          - cell "main":
            - link "main":
              - /url: /ladders/main
""",
    "/ladders/main": """
- main:
  - heading "Ladder main" [level=1]
  - heading "Standings" [level=2]
  - paragraph: No bot has played yet.
  - paragraph:
    - link "Ratings over time":
      - /url: /ladders/main/history
  - heading "Who is stronger" [level=2]
  - paragraph: Likelihood, in percent, that the row's bot is stronger than the column's.
  - heading "One scale" [level=2]
  - heading "Latest games" [level=2]
  - paragraph: No game has been played yet.
""",
    "/ladders/main/history": """
- main:
  - heading "History of ladder main" [level=1]:
    - link "main":
      - /url: /ladders/main
  - heading "Ratings of the leading versions" [level=2]
  - paragraph:
    - text: Known after the first games of the ladder.
    - link "Play":
      - /url: /play
    - text: ·
    - link "Take part":
      - /url: /take-part
""",
    "/games/{game}": """
- main:
  - heading /bob . cid over/ [level=1]:
    - link "bob"
    - link "cid"
  - img /^bob. pits 4, 4, 4, 4, 4, 4, store 0. cid. pits 4, 4, 4, 4, 4, 4, store 0. bob to move.$/
  - group "Replay":
    - button "To the opening"
    - button "Play"
    - slider "Position": "0"
  - status: The opening.
  - paragraph: /wins|draw/
  - status: The game waits for its review.
  - paragraph:
    - button "Copy link"
    - link "Picture":
      - /url: /games/{game}/0.svg
    - link "Animation":
      - /url: /games/{game}.svg
    - link "GIF":
      - /url: /games/{game}.gif
    - link "GIF of the last moves":
      - /url: /games/{game}.gif?last=10
  - heading "Course of the game" [level=2]
  - heading "Moves" [level=2]
  - heading "About the game" [level=2]
""",
    "/games/{game}/1": """
- main:
  - heading /bob . cid over/ [level=1]:
    - link "bob"
    - link "cid"
  - img /^bob. pits [0-9, ]+, store \\d+. cid. pits [0-9, ]+, store \\d+. \\w+ to move.$/
  - group "Replay":
    - button "To the opening"
    - button "One move back"
    - button "Play"
    - button "One move forward"
    - button "To the end"
    - slider "Position": "1"
  - status: /Move 1. bob sows pit \\d/
  - paragraph: /wins|draw/
  - paragraph:
    - button "Copy link"
    - link "Analyse this position"
  - heading "Course of the game" [level=2]
  - heading "Moves" [level=2]
  - region "Moves":
    - 'link /Move 1: bob sows pit \\d/'
    - 'link /Move 2: \\w+ sows pit \\d/'
  - heading "About the game" [level=2]
  - term: Rules
  - definition: Kalah(6, 4)
  - navigation "Games before and after":
    - link "← Previous game"
""",
    "/matches/{match}": """
- main:
  - heading /bob \\S+ . \\S+ cid over/ [level=1]
  - paragraph: /1 game of Kalah.*, rated, started/
  - heading "Games" [level=2]
  - region "Games":
    - table "Games":
      - rowgroup:
        - row "Game First Second Result Moves Started"
      - rowgroup:
        - row /replay bob against cid/
""",
    "/bots": """
- main:
  - heading "Bots" [level=1]
  - region "Bots":
    - table "Bots":
      - rowgroup:
        - row "Bot Games Won Drawn Lost Last game"
      - rowgroup:
        - row /ann 3 \\d \\d \\d/:
          - cell "ann":
            - link "ann":
              - /url: /bots/ann
        - row /bob 4 \\d \\d \\d/
        - row /cid 1 \\d \\d \\d/
""",
    "/bots/ann": """
- main:
  - heading "ann" [level=1]
  - heading "Against perfect play" [level=2]
  - paragraph: Known after the first review of a game.
  - heading "Latest games" [level=2]
  - region "Latest games":
    - table "Latest games"
  - paragraph:
    - link "All games of this bot"
  - heading "Totals" [level=2]
  - term: Games
  - definition: "3"
  - heading "What the rating rests on" [level=2]
  - paragraph: Known after the bot's first games in a ladder.
""",
    "/bots/ann/history": """
- main:
  - heading "History of ann" [level=1]:
    - link "ann"
  - heading "Rating" [level=2]
  - paragraph:
    - text: Known after the bot's first games in a ladder.
    - link "Play":
      - /url: /play
    - text: ·
    - link "Take part":
      - /url: /take-part
  - heading "Opponents" [level=2]
  - region "Opponents":
    - table "Opponents":
      - rowgroup:
        - row "Opponent Games Won Drawn Lost"
      - rowgroup:
        - row /bob 3 \\d \\d \\d/:
          - cell "bob":
            - link "bob":
              - /url: /bots/ann/vs/bob
  - heading "By seat" [level=2]
  - heading "By way of ending" [level=2]
  - heading "By length" [level=2]
  - heading "By opening" [level=2]
""",
    "/bots/ann/vs/bob": """
- main:
  - heading "ann against bob" [level=1]
  - heading "Head to head" [level=2]
  - paragraph: /ann won \\d, drew \\d and lost \\d of 3 games/
  - region "Head to head":
    - table "Head to head"
  - heading "Latest games" [level=2]
  - region "Latest games":
    - table "Latest games"
  - paragraph:
    - link "All games"
""",
    "/events": """
- main:
  - heading "Events" [level=1]
  - region "Events":
    - table "Events":
      - rowgroup:
        - row "Event State Round Format Entrants Starts"
      - rowgroup:
        - row "cup not begun 0 round robin 2":
          - cell "cup":
            - link "cup":
              - /url: /events/cup
""",
    "/events/cup": """
- main:
  - heading "Event cup" [level=1]
  - term: State
  - definition: not begun
  - term: Format
  - definition: round robin
  - term: Rules
  - definition: Kalah(6, 4)
  - term: Clock
  - definition: 1 s a move
  - term: Games of an encounter
  - definition: "2"
  - term: Who may enter
  - definition: only the bots listed
  - heading "Standings" [level=2]
  - region "Entrants":
    - table "Entrants":
      - rowgroup:
        - row "Seeding Bot"
      - rowgroup:
        - row "1 ann"
        - row "2 bob"
  - paragraph:
    - link "For a projector":
      - /url: /events/cup/projector
    - link "Table as CSV":
      - /url: /events/cup/standings.csv
    - link "Rounds as CSV":
      - /url: /events/cup/rounds.csv
    - link "All as JSON":
      - /url: /api/v1/events/cup
""",
    "/events/cup/projector": """
- main:
  - heading "cup" [level=1]
  - paragraph: not begun
  - region "Entrants":
    - table "Entrants":
      - rowgroup:
        - row "Seeding Bot"
      - rowgroup:
        - row "1 ann"
        - row "2 bob"
""",
    "/log": """
- main:
  - heading "The organiser's log" [level=1]
  - paragraph: The organiser has done nothing yet.
""",
    "/elsewhere/0123456789abcdef": """
- main:
  - heading "soiree finished" [level=1]
  - paragraph: /Submitted by lab/
  - term: Format
  - heading "Standings" [level=2]
  - region "Standings":
    - table "Standings"
""",
    "/games": """
- main:
  - heading "Games" [level=1]
  - textbox "Bot"
  - textbox "Opponent"
  - textbox "Version"
  - textbox "Ladder"
  - combobox "State":
    - option "any" [selected]
    - option "running"
    - option "over"
  - combobox "Result":
    - option "any" [selected]
    - option "won"
  - combobox "Ending":
    - option "any" [selected]
    - option "played to the end"
  - textbox "From"
  - textbox "To"
  - button "Show"
  - region "Games":
    - table "Games"
""",
    "/play": """
- main:
  - heading "Play" [level=1]
  - paragraph: /No opponent is here now/
""",
    "/league": """
- main:
  - heading "A league for a class" [level=1]
  - text: Code
  - textbox "Code"
  - button "Join"
  - paragraph: /Children join by a code/
  - paragraph:
    - link "Make a code"
""",
    "/league/fox": """
- main:
  - heading "League fox" [level=1]
  - paragraph: Join at
""",
    "/puzzles": """
- main:
  - heading "Puzzles" [level=1]
  - 'heading "Puzzle 1: The puzzle of Nov 21, 2026" [level=2]'
  - status: /You are South/
""",
    "/puzzles/2026-11-21": """
- main:
  - heading "Puzzles" [level=1]
  - 'heading "Puzzle 1: The puzzle of Nov 21, 2026" [level=2]'
  - status: /You are South/
""",
    "/lesson": """
- main:
  - heading "A first lesson" [level=1]
  - paragraph: Board 1 of 6
  - button "South's pit 1, 4 seeds"
  - status: /Your pits are the lower row/
  - paragraph:
    - button "Again"
""",
    "/analysis": """
- main:
  - heading "Analysis" [level=1]
  - img /South to move/
  - button "South's pit 1, 4 seeds"
  - button "South's pit 6, 4 seeds"
  - combobox "A click on a pit"
  - textbox "Board": <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>
  - combobox "Rules"
  - heading "What each move is worth" [level=2]
""",
    "/river": """
- main:
  - heading "The Last Seed" [level=1]
  - list:
    - listitem: not reviewed
  - tree "The river; the arrow keys follow its streams":
    - treeitem /The source. 4 of 4 games. / [expanded] [level=1] [selected]
    - treeitem /South sows pit \\d.* of 4 games/ [level=2]
  - img /South to move/
  - paragraph: /The source. 4 of 4 games./
  - paragraph:
    - link "Play it out"
    - link "Analyse this position"
    - button "Let the river begin here" [disabled]
""",
    "/take-part": """
- main:
  - heading "Take part" [level=1]
  - heading "Connect a bot" [level=2]
  - paragraph:
    - link "the API"
  - button "Copy"
  - heading "How ratings come about" [level=2]
  - heading "Why a bot is suspended, and how it returns" [level=2]
""",
    "/tests": """
- main:
  - heading "Tests of engines" [level=1]
  - paragraph: /Sequential tests of one engine against another/
  - paragraph:
    - link "Events"
""",
}
