"""The web page of a table, and the interface for programs.

    serve          starts the server for one campaign or for all of a database, and prints the links
    club           passes each request on to the campaign at its address, and shows the first page of a club
    metrics        the numbers about a server for monitoring programs
    visited        the cookie with the names of the campaigns that a browser has visited
    connections    limits how many connections may be open, and how slow they may be
    app            combines the routes, the interface for programs and the guard
    pages          the routes for the pages that a browser shows
    form_handlers  the routes for the forms of moves, answers and corrections
    invitations    the routes for invitations, logins and the GM's page
    api            the routes for programs
    site           the objects that every route needs, and the function that runs all commands
    bodies         the fields of each command on the page, as a class
    requests       the conversion of form fields and JSON to commands
    forms          the inputs of a move as form fields, with suggestions from the sheet
    feed           the live updates for every open page
    search         the search of the feed, with its index in memory
    fragments      actions and sheets as HTML
    campaign       reading and writing the campaign's file
    certificate    makes and keeps a certificate for this computer
    guard          the checks before every route, the security headers, and the log of requests
    sessions       invitations and visits, stored outside the campaign
    people         roles and permissions
    problems       errors as HTTP answers

Start reading at `site`, then `bodies`. A form goes through `form_handlers.submit`, `Site.say` and `Campaign.write`;
`Feed.stream` then updates every open page.
"""

from __future__ import annotations
