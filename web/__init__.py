"""The page: the table in a browser, and the interface for programs.

    serve        starts the server for one campaign, and says how to come in
    connections  how many there are, and how long they may keep the server waiting
    app          puts the routes, the guard and the feed together
    pages        what a browser shows; `form_handlers`: its forms; `invitations`: who comes in; `api`: for programs
    site         what every route needs, and the one way to say a command
    bodies       what can be said, by name; `requests`: how a body is read
    forms        the inputs of a move as a form, filled in from the sheet
    feed         what was written, to everybody who watches
    fragments    actions and sheets as HTML
    campaign     the campaign's file: looks, writes, and when it changed
    guard        hosts, foreign pages, sizes, times, rates, headers and the log, before any route
    sessions     invitations and visits, kept outside the campaign
    people       roles, and who may say what
    problems     errors as the answers of a server

Begin with `site`, then `bodies`. A roll passes `form_handlers.submit`, `Site.say`, `Campaign.write`, `Feed.stream`.
"""

from __future__ import annotations
