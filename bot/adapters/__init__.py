"""Programs that speak other protocols, as programs of section 13 of SPEC.md.

Each module is a program: ``python -m mancala.bot.adapters.kgp COMMAND`` stands wherever a program's
command may, as in ``cmd:`` and ``bot.toml``.
"""
