"""What compare.py writes: a page and a plot."""


def figure(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:,.1f}"


def spread(cell):
    return f"{figure(cell['median'])} ({figure(cell['low'])}-{figure(cell['high'])})"


def ratio(peer, first, key):
    return f"{peer[key]['median'] / first[key]['median']:.2f}" if first[key]["median"] else "-"


def markdown(result, name):
    first = next(iter(result["peers"]))
    lines = [f"# {result['topic']}", "", "Medians over the rounds, lowest and highest in brackets; ratios to "
             f"`{first}` in the same run.", "", "| operation | peer | operations/s | ratio | server CPU, µs/operation | ratio "
             "| peak memory, MiB |", "|---|---|---|---|---|---|---|"]
    for case in result["summary"]:
        base = case["peers"].get(first)
        for peer, cell in case["peers"].items():
            ratios = [ratio(cell, base, k) if base else "-" for k in ("ops_per_second", "cpu_us_per_op")]
            lines.append(f"| {case['op']} {case['size']} | {peer} | {spread(cell['ops_per_second'])} | {ratios[0]} | "
                         f"{spread(cell['cpu_us_per_op'])} | {ratios[1]} | {figure(cell['peak_mib']['median'])} |")
    loads = [run["load"] for run in result["runs"]]
    lines += ["", f"![CPU per operation]({name}.svg)", "", "## Conditions", ""]
    lines += [f"- {key.replace('_', ' ')}: {value}" for key, value in result["conditions"].items()]
    lines += [f"- load average during the runs: {min(loads)}-{max(loads)} (other work ran on the machine where it is far "
              "above the number of cores: CPU per operation can be compared, operations per second less)"]
    lines += [f"- {peer}: {about['version'] or '-'}; {about['durability']}" for peer, about in result["peers"].items()]
    lines += ["- errors: none in any run; bodies were compared byte by byte before each", "", f"```\n{result['command']}\n```", ""]
    return "\n".join(lines)


def plot(result, path):
    try:
        import matplotlib
    except ImportError:
        print("no plot: python3-matplotlib is not installed")
        return
    matplotlib.use("svg")
    from matplotlib import pyplot
    cases, names = result["summary"], list(result["peers"])
    fig, axis = pyplot.subplots(figsize=(9, 0.42 * len(cases) * len(names) + 1.2))
    height = 0.8 / len(names)
    for i, name in enumerate(names):
        rows = [(j, c["peers"][name]["cpu_us_per_op"]["median"]) for j, c in enumerate(cases) if name in c["peers"]]
        axis.barh([j + i * height for j, _ in rows], [v for _, v in rows], height, label=name)
        for j, value in rows:
            axis.text(value, j + i * height, " " + figure(value), va="center", fontsize=7)
    axis.set_yticks([j + 0.4 - height / 2 for j in range(len(cases))], [f"{c['op']} {c['size']}" for c in cases])
    axis.set_xscale("log")
    axis.invert_yaxis()
    axis.set_xlabel("server CPU per operation, µs (logarithmic; less is better)")
    axis.legend()
    fig.tight_layout()
    fig.savefig(path, metadata={"Date": None})
