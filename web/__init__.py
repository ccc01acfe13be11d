"""The web page of a table, and the interface for programs.

    serve          starts the server for one campaign, and prints the links
    connections    limits the number and the slowness of connections
    app            puts the routes, the interface and the guard together
    pages          the routes for the pages that a browser shows
    form_handlers  the routes for the forms of moves, answers and corrections
    invitations    the routes for invitations, logins and the GM's page
    api            the routes for programs
    site           the objects that every route needs, and the only function that runs commands
    bodies         the content of each request that runs a command, by name
    requests       the conversion of form fields and JSON to such bodies
    forms          the inputs of a move as form fields, filled in from the sheet
    feed           the live updates for every open page
    fragments      actions and sheets as HTML
    campaign       the campaign's file: reading and writing
    guard          the checks before every route: hosts, foreign pages, sizes, times, rates; also headers and the log
    sessions       invitations and visits, stored outside the campaign
    people         roles and permissions
    problems       errors as HTTP answers

Start reading at `site`, then `bodies`. A roll goes through `form_handlers.submit`, `Site.say`, `Campaign.write` and
`Feed.stream`.
"""

from __future__ import annotations
