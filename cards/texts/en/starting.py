"""What is asked and told when somebody makes a project folder, in English."""

TEXTS = {
    "init.languages": "Languages of the bot, with commas: en, zh",
    "init.made": "{folder} is made. Next:",
    "init.name": "Your name",
    "init.request": "The first thing that people ask it for",
    "init.request_also": "The same in {language}",
    "init.robin": "Robin",
    "init.sam": "Sam",
    "init.somebody": "Ada",
    "init.then": "Then write, in the web chat or in the terminal: {phrase}",
    "init.usual_request": "order office supplies",
    "init.zone_taken": "Its days are those of {zone}, as on this machine (signoff.yaml).",
    "init.timezone": "Time zone",
}
