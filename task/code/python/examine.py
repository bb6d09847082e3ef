"""The examination of one submission, as the host asks for it."""

import parley_cooperation
import parley_extract
import parley_fault
import parley_published
import parley_structure as structure


def examine(job):
    extract = parley_published.extract if job["published"] else parley_extract.extract
    returns = parley_published.returns if job["published"] else structure.returns
    aux = extract(job["aux"], "aux")
    main = extract(job["main"], job["entry"])
    prelude = structure.prelude(job["prompt"], ("aux", job["entry"]))
    program = "\n\n".join(part for part in (prelude, aux, main) if part)
    facts = parley_published.examine if job["published"] else parley_cooperation.examine
    if job["published"]:
        candidate, tests = "candidate", parley_published.tests(job["tests"])
    else:
        candidate, tests = structure.tests(job["tests"])
    used, wrapper, ignored = facts(aux, main)
    alone = "\n\n".join(part for part in (prelude, main) if part)
    parses = structure.parsed(program) is not None
    return {
        "aux": aux, "aux_returns": bool(aux) and returns(aux),
        "main": main, "main_returns": bool(main) and returns(main),
        "prelude": prelude, "program": program, "parses": parses, "fault": parley_fault.syntax(program),
        "cascade": bool(main) and not parses and structure.parsed(alone) is not None,
        "candidate": candidate, "tests": tests,
        "calls": parley_cooperation.calls(main), "used": used, "wrapper": wrapper, "ignored": ignored, "scheme": parley_cooperation.scheme(aux, main),
    }
