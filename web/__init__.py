"""The page: the table in a browser, and the interface for programs.

serve       starts the server for one campaign, and says how to come in
app         puts the routes, the guard and the feed together
pages, api  what a browser shows, and what a program is told; both say the same commands
said        bodies into commands, one way for forms and programs
forms       the inputs of a move as a form, filled in from the sheet
feed        what was written, to everybody who watches
shown       actions, sheets and answers as HTML
table       the campaign's file: looks, writes, and when it changed
guard       hosts, foreign pages, sizes, rates, headers and the log, before any route
doors       invitations and sessions, kept outside the campaign
people      roles, and who may say what
problems    errors as the answers of a server
"""
