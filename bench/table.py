"""Write measurements as a Markdown table."""

GIB = 1 << 30


def markdown(result):
    head = (f"{result['date']}, {result['processor']}, {result['cores']} cores, {result['threads']} threads; {result['parley']}; "
            f"median of {result['rounds']} interleaved runs" + ("; tiny shapes, only to see that everything runs" if result["quick"] else ""))
    lines = [head, "", "| figure | parley | of peak | peer | faster than peer | goal | memory | of peer's | goal |",
             "|---|---|---|---|---|---|---|---|---|"]
    for figure in result["figures"]:
        lines += ran(figure) if result["quick"] else rows(figure)
    return "\n".join(lines + ["", versions(result), ""])


def ran(figure):
    """Say that a figure was tried, where its numbers mean nothing."""
    if "error" in figure:
        return [f"| {figure['about']} | failed: {figure['error']} | | | | | | | |"]
    return [f"| {figure['about']} | ran | | {', '.join(p['name'] for p in figure['peers'])} | | | | | |"]


def rows(figure):
    if "error" in figure:
        return ran(figure)
    own = figure["parley"]
    if figure["share"]:
        return [f"| {figure['about']} | {share(figure)} | {percent(own['peak_share'])} | | | {goal_of(figure)} | {gib(own['memory'])} | | |"]
    if not figure["peers"]:
        return [f"| {figure['about']} | {rate(own, own['seconds'])} | {percent(own['peak_share'])} | | | | {gib(own['memory'])} | | |"]
    out = []
    for peer in best_settings(figure["peers"]):
        faster, memory = peer["seconds"] / own["seconds"], own["memory"] / peer["memory"]
        out.append(f"| {figure['about']} | {rate(own, own['seconds'])} | {percent(own['peak_share'])} | {peer['name']}: {rate(own, peer['seconds'])} "
                   f"| {faster:.2f}× | {mark(faster >= peer['speed_goal'])} {peer['speed_goal']}× | {gib(own['memory'])} | {memory:.2f} of {gib(peer['memory'])} "
                   f"| {memory_goal(memory, peer['memory_goal'])} |")
    return out


def best_settings(peers):
    """Of peers with one name, which are settings of one program, the fastest."""
    best = {}
    for p in peers:
        if p["name"] not in best or p["seconds"] < best[p["name"]]["seconds"]:
            best[p["name"]] = p
    return best.values()


def rate(own, seconds):
    return f"{own['tokens'] / seconds:.0f} tokens/s"


def share(figure):
    value = figure["parley"]["share"]
    if value is None:
        return "not measured"
    if figure["share"] in ("peak_share", "products_share"):
        return f"{100 * value:.1f} % ({figure['parley']['row']})"
    if figure["share"] == "allocated_bytes":
        return f"{value / 1024:.0f} KiB"
    return f"{value:.3f}"


def goal_of(figure):
    value = figure["parley"]["share"]
    if value is None:
        return ""
    if figure["least"]:
        return f"{mark(value >= figure['least'])} {100 * figure['least']:.0f} %"
    most = figure["most"] if figure["most"] < 1024 else f"{figure['most'] // 1024} KiB"
    return f"{mark(value <= figure['most'])} at most {most}"


def memory_goal(value, most):
    return f"{mark(value <= most)} {most:.2f}" if most else ""


def mark(reached):
    return "reached" if reached else "missed"


def percent(value):
    return f"{100 * value:.0f} %" if value else ""


def gib(value):
    return f"{value / GIB:.2f} GiB"


def versions(result):
    seen = {}
    for figure in result["figures"]:
        for peer in figure.get("peers", []):
            seen.update(peer["versions"])
    return "Peers: " + ", ".join(f"{name} {v}" for name, v in sorted(seen.items())) + f"; Python {result['python']}." if seen else ""
