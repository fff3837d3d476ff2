"""`/why`: how a person's last message was read."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "why.none": "I have read no message of yours here that I could tell about. "
    "One that you have just written may still be being read: ask again in a moment.",
    "why.waits": "Your message “{said}” is not handled yet; messages before it: {n}.",
    "why.message": "This is how I read your message “{said}”:",
    "why.part": "**{n}.** “{words}”: {taken}.",
    "why.whole": "I took it for {taken}.",
    "why.files": "the files",
    # what a part was taken for
    "why.taken.request": "the request “{name}”",
    "why.taken.look_up": "a question, which I looked up",
    "why.taken.look_up_with": "a question, which I looked up with {values}",
    "why.taken.own_work": "a question about your own requests",
    "why.taken.about_run": "a question about what is under way",
    "why.taken.question": "a question",
    "why.taken.card": "an answer to the card “{title}”",
    "why.taken.closed_card": "an answer to a card",
    "why.taken.talk": "talk that asks for nothing",
    "why.taken.files": "the choice of a case for your files",
    "why.taken.case_file": "files for “{name}”",
    "why.taken.not_possible": "work that nobody here does",
    "why.taken.unclear": "something that I was not sure of",
    "why.taken.held_off": "something that is not to be done",
    "why.gone_work": "a request that is not offered any more",
    # the condition, and what came before
    "why.condition": "It hangs on a condition: “{condition}”.",
    "why.condition_asked": (
        "It hangs on a condition: “{condition}”. So I ask you first, and start nothing."
    ),
    "why.after": "It comes after part {parts}.",
    "why.chosen": "You chose this on a card.",
    "why.by_model": "The language model read it so.",
    # what held it back
    "why.mark.undo": "“{words}” takes something back.",
    "why.mark.off": "“{words}” holds it off.",
    "why.mark.hang": "“{words}” makes a condition.",
    "why.mark.say": "“{words}” tells what somebody else says.",
    "why.mark.tell": "“{words}” tells of something, and asks for nothing.",
    "why.mark.past": "“{words}” speaks of what was.",
    "why.mark.ask": "“{words}” asks about it, and does not ask for it.",
    "why.mark.maybe": "“{words}” may only ask whether it can be done.",
    "why.offered": "I was not sure enough to start anything, so I offered: {names}.",
    "why.no_near": "It is not near enough to anything that I can start or look up.",
    "why.state": "Now: {state}.",
    # values
    "why.value": "**{label}**: {value}, from “{words}”",
    "why.word": "**{label}**: from “{words}”",
    "why.unused": "“{words}” was used for nothing.",
}
