"""What tools tell of documents, memory and files, and why a tool is not for everyone."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    # every tool
    "tool.recorded": "{told}",
    "tool.timeout": "{name} gave no result within {seconds} seconds and was stopped.",
    "tool.timeout_write": (
        "{name} gave no result within {seconds} seconds; the write may have happened, "
        "so look before you try again."
    ),
    "tool.role": "{name} is only for people with one of these roles: {roles}.",
    "tool.not_of_project": "Project {project} does not use {name}.",
    "tool.other_project": (
        "This conversation belongs to project {project} and has no access to the data of "
        "project {other}."
    ),
    # knowledge__search
    "tool.knowledge.section": "{title}, {section}:",
    "tool.knowledge.document": "{title}:",
    "tool.knowledge.source": "Source: {link}",
    "tool.knowledge.nothing": "Nothing in this project's documents answers “{query}”.",
    "knowledge.gone": "The document of that answer is not there any more.",
    "knowledge.none": "There are no documents to search here.",
    "knowledge.away": "The documents cannot be searched at the moment.",
    # memory__search, memory__remember
    "tool.memory.empty": "Nothing has been remembered for this project yet.",
    "tool.memory.found": "What was remembered about it ({n} shown, {total} in all):",
    "tool.memory.newest": (
        "What was remembered for this project, newest first ({n} shown, {total} in all):"
    ),
    "tool.memory.nothing_but": (
        "Nothing that was remembered matches “{query}”. The newest ({n} shown, {total} in all):"
    ),
    "tool.memory.memo": "{text} ({by}, {day})",
    "tool.remember.unapproved": "Something is remembered only by a run that was approved.",
    "tool.remember.done": "Remembered: {text}",
    "tool.remember.again": "Remembered before, not written again: {text}",
    "memory.none": "There is no project memory here.",
    "memory.away": "The project memory cannot be reached at the moment.",
    # file__list, file__get_info, file__parse
    "tool.file.none": "This project has no files.",
    "tool.file.list": "Files of this project: {total}",
    "tool.file.list_cut": "Files of this project: {total}; the first {n} are:",
    "tool.file.unknown": "This project has no file {name}.",
    "tool.file.unknown_near": "This project has no file {name}. Close names: {names}.",
    "tool.file.info": "{name}: {kind}, **{size}**, last changed on {day}.",
    "tool.file.info_unreadable": (
        "{name}: {kind}, **{size}**, last changed on {day}. I cannot read the content of this "
        "kind of file."
    ),
    "tool.file.empty": "{name} is empty.",
    "tool.file.text": "{name} ({n} characters):",
    "tool.file.malformed": "{name} is malformed and shown as text ({n} characters):",
    "tool.file.cut": "(These are the first {n} of {total} characters.)",
    "tool.file.span": "(These are characters {first} to {last} of {total}.)",
    "tool.file.table": "{name}: rows **{rows}**, columns {total} ({columns}).",
    "tool.file.values": "{name}: values **{rows}**.",
    "tool.file.no_words": "There is no text in {name}; its pages may be scans.",
    "tool.file.parts": "(Of {parts} pages only {parts_read} were read.)",
    "tool.file.picture": (
        "{name} is a picture ({format}, {width} × {height} pixels). "
        "I cannot make out what it shows."
    ),
    "tool.file.sample": "First rows ({n}):",
    "tool.search.exact": "“{query}” stands in {total} places; the first {n}:",
    "tool.search.like": (
        "No file has “{query}” as it stands. Passages that have most of its words: {total}; "
        "the first {n}:"
    ),
    "tool.search.nothing": "None of the {n} files that I could search has “{query}”.",
    "tool.search.place": "**{name}**, from character {at}:",
    "tool.search.part": "**{name}**, page {part}, from character {at}:",
    "tool.search.not_searched": "({n} files were not searched to their end: {names})",
    "files.none": "There is no folder of project files here.",
    "files.away": "The project's files cannot be read at the moment.",
    "files.altered": "{name} was changed after it was made, and is not read.",
    "files.too_large": "The file is larger than {limit} and cannot be read.",
    "files.unreadable": "The content of {name} cannot be read; these kinds can: {kinds}.",
    "files.no_text": "What {name} holds is no text and cannot be read.",
    "files.picture": "{name} is a picture; there is no text to read in it.",
    "files.empty": "{name} is empty.",
    "files.kind": "What {name} holds is not of a kind that I can read.",
    "files.broken": "{name} is damaged and cannot be read.",
    "files.locked": "{name} is protected by a password and cannot be read.",
    "files.unsafe": (
        "{name} declares what office programs never do; it may be harmful and was not read."
    ),
    "files.bomb": "{name} would unpack to far too much and was not read.",
    "files.heavy": "Reading {name} takes too much time or memory and was stopped.",
    "files.long": "{name} is too long: a rule can only judge what can be read whole.",
    "files.gone": "{name} is not there any more.",
    "files.no_words": "There is no text in {name} that can be read; it may be a scan.",
    "file.link_old": "This link is too old, or is none of ours. Please open the card again.",
    "file.link_gone": "The file is not there any more.",
    "file.link_altered": (
        "This file was changed after it was made, and is not shown: it is not what the card had. "
        "Operators find it in the log."
    ),
    "file.link_away": "The file cannot be read at the moment; please try again.",
    # files that come with a message
    "inbox.taken": "{name}: taken ({kind}, {size}).",
    "inbox.renamed": "It is kept as {name}.",
    "inbox.pages": "Of its {parts} pages only {read} can be read.",
    "inbox.sheets": "Of its {parts} sheets only {read} can be read.",
    "inbox.cut": "It is long: only its beginning can be read.",
    "inbox.too_large": "{name}: larger than {limit} MB, not taken.",
    "inbox.too_many": (
        "{name}: too many files in one message; this one was not taken, send it by itself."
    ),
    "inbox.away": "{name}: could not be fetched; please send it again.",
    "inbox.denied": "{name}: the platform does not let me have this file; please tell an operator.",
    "inbox.empty": "{name}: is empty, not taken.",
    "inbox.kind": "{name}: not of a kind that I can read, not taken.",
    "inbox.broken": "{name}: is damaged, not taken.",
    "inbox.locked": "{name}: is protected by a password, not taken.",
    "inbox.unsafe": "{name}: declares what office programs never do and may be harmful, not taken.",
    "inbox.bomb": "{name}: would unpack to far too much, not taken.",
    "inbox.heavy": "{name}: reading it takes too much time or memory, not taken.",
    "inbox.joined": "I passed the files on to what is under way here: {names}.",
    "inbox.in_case": "They belong to this case now: {names}.",
    "inbox.offer": (
        "Ask me what is in it (“What is in {name}?”), have me take out dates, amounts and the like "
        "(“Extract the dates from {name}”), or name it in a request."
    ),
    "inbox.nothing": "Send another file, or tell me what you need.",
    # element__extract
    "tool.element.none": (
        "There are no dates, names of the project, amounts, e-mail addresses, phone or identity"
        " numbers."
    ),
    "tool.element.dates": "Dates ({n}): {values}",
    "tool.element.named": "{label} ({n}): {values}",
    "tool.element.amounts": "Amounts ({n}): {values}",
    "tool.element.emails": "E-mail addresses ({n}): {values}",
    "tool.element.phones": "Phone numbers ({n}): {values}",
    "tool.element.id_numbers": "Identity numbers ({n}, masked): {values}",
    "tool.element.invalid": "{value} (check digit does not fit)",
    "tool.element.cut": "(The file is long: only its first {n} characters were looked at.)",
    "tool.element.more": ", and {n} more",
}
